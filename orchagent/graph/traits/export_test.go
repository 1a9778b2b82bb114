package traits

// Facts is how many attributes have a class and an order of their own.
func Facts() (withClass, withOrder int) { return len(classes), len(orders) }
