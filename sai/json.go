package sai

import (
	"errors"
	"fmt"
	"strings"
)

// jsonText parses the JSON of structs in ASIC_DB: objects, arrays, numbers and plain
// strings. Its callers determine the depth, and it rejects strings with a backslash,
// because no name or enum has one.
type jsonText struct{ rest string }

const blanks = " \t\r\n"

// skip skips blanks and c, and reports whether c was there.
func (j *jsonText) skip(c byte) bool {
	if len(j.rest) == 0 || j.rest[0] != c {
		j.rest = strings.TrimLeft(j.rest, blanks)
	}
	if len(j.rest) == 0 || j.rest[0] != c {
		return false
	}
	j.rest = j.rest[1:]
	return true
}

func (j *jsonText) want(c byte) error {
	if !j.skip(c) {
		return fmt.Errorf("%q where JSON wants %q", clip(j.rest), c)
	}
	return nil
}

func (j *jsonText) end() error {
	if strings.Trim(j.rest, blanks) != "" {
		return fmt.Errorf("%q after the end of JSON", clip(j.rest))
	}
	return nil
}

// object reads an object and calls member after each member's name to read the value.
func (j *jsonText) object(member func(name string) error) error {
	return j.sequence('{', '}', func() error {
		if err := j.want('"'); err != nil {
			return err
		}
		name, err := j.text()
		if err != nil {
			return err
		}
		if err := j.want(':'); err != nil {
			return err
		}
		return member(name)
	})
}

// array reads an array, or null, and calls elem to read each element.
func (j *jsonText) array(elem func() error) error {
	j.rest = strings.TrimLeft(j.rest, blanks)
	if rest, ok := strings.CutPrefix(j.rest, "null"); ok {
		j.rest = rest
		return nil
	}
	return j.sequence('[', ']', elem)
}

func (j *jsonText) sequence(open, shut byte, item func() error) error {
	if err := j.want(open); err != nil {
		return err
	}
	if j.skip(shut) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if !j.skip(',') {
			return j.want(shut)
		}
	}
}

// scalar reads a string or a number as text.
func (j *jsonText) scalar() (string, error) {
	if j.skip('"') {
		return j.text()
	}
	n := strings.IndexAny(j.rest, ",]}"+blanks)
	if n < 0 {
		n = len(j.rest)
	}
	word := j.rest[:n]
	j.rest = j.rest[n:]
	return word, nil
}

// text reads the rest of a string including its closing quote.
func (j *jsonText) text() (string, error) {
	n := strings.IndexAny(j.rest, `"\`)
	if n < 0 || j.rest[n] == '\\' {
		return "", errors.New("a JSON string does not end, or has a backslash")
	}
	text := j.rest[:n]
	j.rest = j.rest[n+1:]
	return text, nil
}
