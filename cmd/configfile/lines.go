package configfile

import (
	"fmt"
	"io"

	"xon/schema/configdb"
)

// most is how many lines of one kind are printed; a file can be wrong all over.
const most = 100

// Print says what was left out of a file, one line each; nothing of nil.
func Print(out io.Writer, file *configdb.File) {
	if file == nil {
		return
	}
	lines(out, "warning", file.Notes)
	var refused []string
	for _, f := range file.Refused {
		refused = append(refused, f.Error())
	}
	lines(out, "refused", refused)
}

func lines(out io.Writer, what string, texts []string) {
	for i, text := range texts {
		if i == most {
			fmt.Fprintf(out, "%s: and %d more\n", what, len(texts)-most)
			return
		}
		fmt.Fprintf(out, "%s: %s\n", what, text)
	}
}
