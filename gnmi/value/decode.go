package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// Kind is the shape of a Node.
type Kind uint8

// The shapes.
const (
	Null Kind = iota
	Text
	List
	Object
)

// String names the shape for messages.
func (k Kind) String() string {
	return [...]string{"null", "a scalar", "a list", "an object"}[k]
}

// Node is a value that a client sent. Numbers and booleans are text, spelled as
// the client spelled them.
type Node struct {
	Kind    Kind
	Text    string   // of Text
	Items   []string // of List
	Members []Member // of Object, in order of their names, each name once
}

// Member is one name of an Object.
type Member struct {
	Name string
	Node
}

// MaxDepth is how deep objects and lists may nest: database, table, row, list.
const MaxDepth = 5

// ErrUnsupported is returned for values in an encoding that is not served.
var ErrUnsupported = errors.New("value in an encoding that is not served")

// Decode reads a value in any of the encodings that a Set may use.
func Decode(tv *gpb.TypedValue) (Node, error) {
	switch v := tv.GetValue().(type) {
	case *gpb.TypedValue_JsonVal:
		return ParseJSON(v.JsonVal)
	case *gpb.TypedValue_JsonIetfVal:
		return ParseJSON(v.JsonIetfVal)
	case *gpb.TypedValue_LeaflistVal:
		return decodeList(v.LeaflistVal.GetElement())
	case nil:
		return Node{}, errors.New("no value")
	}
	text, err := scalar(tv)
	return Node{Kind: Text, Text: text}, err
}

func scalar(tv *gpb.TypedValue) (string, error) {
	switch v := tv.GetValue().(type) {
	case *gpb.TypedValue_StringVal:
		return v.StringVal, nil
	case *gpb.TypedValue_AsciiVal:
		return v.AsciiVal, nil
	case *gpb.TypedValue_IntVal:
		return strconv.FormatInt(v.IntVal, 10), nil
	case *gpb.TypedValue_UintVal:
		return strconv.FormatUint(v.UintVal, 10), nil
	case *gpb.TypedValue_BoolVal:
		return strconv.FormatBool(v.BoolVal), nil
	case *gpb.TypedValue_DoubleVal:
		return strconv.FormatFloat(v.DoubleVal, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("%w: %T", ErrUnsupported, tv.GetValue())
}

func decodeList(elems []*gpb.TypedValue) (Node, error) {
	n := Node{Kind: List, Items: make([]string, len(elems))}
	for i, e := range elems {
		text, err := scalar(e)
		if err != nil {
			return Node{}, fmt.Errorf("element %d of the list: %w", i+1, err)
		}
		n.Items[i] = text
	}
	return n, nil
}

// ParseJSON reads one JSON document. It is an error when a name occurs twice in
// an object, a list holds anything but scalars, or the nesting is too deep.
func ParseJSON(doc []byte) (Node, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	n, err := parse(d, MaxDepth)
	if err != nil {
		return Node{}, fmt.Errorf("json at byte %d: %w", d.InputOffset(), eof(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Node{}, fmt.Errorf("json at byte %d: more than one value", d.InputOffset())
	}
	return n, nil
}

// eof says in plain words that a document is cut short.
func eof(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("ends too early")
	}
	return err
}

func parse(d *json.Decoder, depth int) (Node, error) {
	t, err := d.Token()
	if err != nil {
		return Node{}, err
	}
	switch t := t.(type) {
	case json.Delim:
		if depth == 0 {
			return Node{}, fmt.Errorf("nested deeper than %d", MaxDepth)
		}
		if t == '{' {
			return parseObject(d, depth)
		}
		return parseList(d, depth)
	case nil:
		return Node{}, nil
	case string:
		return Node{Kind: Text, Text: t}, nil
	}
	return Node{Kind: Text, Text: fmt.Sprint(t)}, nil
}

func parseObject(d *json.Decoder, depth int) (Node, error) {
	n := Node{Kind: Object}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return Node{}, err
		}
		name, _ := t.(string) // the decoder lets nothing else be a name
		member, err := parse(d, depth-1)
		if err != nil {
			return Node{}, fmt.Errorf("%q: %w", name, err)
		}
		n.Members = append(n.Members, Member{Name: name, Node: member})
	}
	if _, err := d.Token(); err != nil {
		return Node{}, err
	}
	slices.SortStableFunc(n.Members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(n.Members); i++ {
		if n.Members[i].Name == n.Members[i-1].Name {
			return Node{}, fmt.Errorf("name %q twice in one object", n.Members[i].Name)
		}
	}
	return n, nil
}

func parseList(d *json.Decoder, depth int) (Node, error) {
	n := Node{Kind: List, Items: []string{}}
	for d.More() {
		item, err := parse(d, depth-1)
		if err != nil {
			return Node{}, err
		}
		if item.Kind != Text {
			return Node{}, fmt.Errorf("a list holds scalars, not %s", item.Kind)
		}
		n.Items = append(n.Items, item.Text)
	}
	_, err := d.Token()
	return n, err
}
