package sai

// readChunk is the number of objects per call of GetAll. A chip answers 20,000 objects
// in some twenty messages of moderate size.
const readChunk = 1024

// GetAll reads attributes of many objects of one type, in bulk if the library supports
// it. attrs[i] are those of keys[i] and are filled in place. An attribute that the
// library does not implement, support or know is removed from attrs[i]: it has its
// default.
//
// errs[i] says why keys[i] could not be read; errs is nil if all could. Then attrs[i]
// is undefined. The errors are of type *Error.
func GetAll(d Driver, o *ObjectMeta, keys []Key, attrs [][]Attribute) (errs []error) {
	r := getReader{d: d, o: o, keys: keys, attrs: attrs}
	for lo := 0; lo < len(keys); lo += readChunk {
		todo := make([]int, 0, readChunk)
		for i := lo; i < min(lo+readChunk, len(keys)); i++ {
			todo = append(todo, i)
		}
		for len(todo) > 0 {
			todo = r.round(todo)
		}
	}
	return r.errs
}

type getReader struct {
	d      Driver
	o      *ObjectMeta
	keys   []Key
	attrs  [][]Attribute
	errs   []error
	single bool // the library has no bulk get for this type
}

// round reads some objects and returns those to read again, with fewer
// attributes.
func (r *getReader) round(todo []int) (again []int) {
	for n, st := range r.get(todo) {
		if st != 0 && r.retry(todo[n], st) {
			again = append(again, todo[n])
		}
	}
	return again
}

// get reads some objects and returns their statuses.
func (r *getReader) get(todo []int) []Status {
	keys, attrs, st := make([]Key, len(todo)), make([][]Attribute, len(todo)), make([]Status, len(todo))
	for n, i := range todo {
		keys[n], attrs[n], st[n] = r.keys[i], r.attrs[i], StatusNotExecuted
	}
	if !r.single {
		switch r.d.BulkGet(r.o, keys, attrs, st) {
		case StatusSuccess:
			return nil
		case StatusNotImplemented, StatusNotSupported:
			r.single = true
		default:
			// The library may have stopped at the first failure, or report no statuses:
			// objects that it did not process are read one by one.
		}
	}
	for n := range keys {
		if r.single || st[n] == StatusNotExecuted {
			st[n] = r.d.Get(r.o, keys[n], attrs[n])
		}
	}
	return st
}

// retry handles an object that could not be read. It returns true if the object should
// be read again without the attribute that failed.
func (r *getReader) retry(i int, st Status) bool {
	class, at := st.Attr()
	switch {
	case isUnknownAttr(class) && at >= 0 && at < len(r.attrs[i]):
		r.attrs[i] = append(r.attrs[i][:at:at], r.attrs[i][at+1:]...)
		return len(r.attrs[i]) > 0
	case at < 0 && isUnknownAttr(class):
		r.oneByOne(i)
	default:
		r.fail(i, st, r.attrs[i])
	}
	return false
}

// oneByOne reads attributes one by one, for libraries that do not report which one
// failed.
func (r *getReader) oneByOne(i int) {
	have := make([]Attribute, 0, len(r.attrs[i]))
	for _, a := range r.attrs[i] {
		one := []Attribute{a}
		st := r.d.Get(r.o, r.keys[i], one)
		class, _ := st.Attr()
		switch {
		case st == 0:
			have = append(have, one[0])
		case !isUnknownAttr(class):
			r.fail(i, st, one)
			return
		}
	}
	r.attrs[i] = have
}

func (r *getReader) fail(i int, st Status, attrs []Attribute) {
	if r.errs == nil {
		r.errs = make([]error, len(r.keys))
	}
	e := &Error{Op: "get", Object: r.o, Key: r.keys[i], Status: st}
	if _, at := st.Attr(); at >= 0 && at < len(attrs) {
		e.Attr = attrs[at].AttrMeta
	} else if len(attrs) == 1 {
		e.Attr = attrs[0].AttrMeta
	}
	r.errs[i] = e
}

// isUnknownAttr reports whether a status means that the library does not have an
// attribute.
func isUnknownAttr(class Status) bool {
	switch class {
	case StatusNotImplemented, StatusNotSupported, StatusAttrNotImplemented0, StatusAttrNotSupported0, StatusUnknownAttribute0:
		return true
	default:
		return false
	}
}
