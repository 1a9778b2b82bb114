package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// gap is between two columns.
const gap = "  "

// widthOf is how many columns of text a terminal has; 0: w is none.
func widthOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// grid is a table laid out: its texts, first the names of the columns.
type grid struct {
	lines  [][]string
	widths []int
	right  []bool // columns of numbers
}

func (t *table) grid() *grid {
	g := &grid{widths: make([]int, len(t.columns)), right: make([]bool, len(t.columns))}
	var names []string
	for i, c := range t.columns {
		names = append(names, heading(c))
		g.right[i] = t.numeric(i)
	}
	g.lines = append(g.lines, names)
	for _, row := range t.rows {
		var line []string
		for _, cell := range row {
			line = append(line, cellText(cell))
		}
		g.lines = append(g.lines, line)
	}
	for _, line := range g.lines {
		for i, text := range line {
			g.widths[i] = max(g.widths[i], width(text))
		}
	}
	return g
}

// columnsTo writes the table for a terminal of a width; 0: of any.
func (t *table) columnsTo(b *strings.Builder, terminal int) {
	g := t.grid()
	for i, part := range g.parts(t.keys, terminal) {
		if i > 0 {
			b.WriteString("\n")
		}
		g.write(b, part)
	}
}

// parts says which columns stand beside each other: all, if they fit.
func (g *grid) parts(keys, terminal int) [][]int {
	var parts [][]int
	var part []int
	used := 0
	for i, w := range g.widths {
		if keys > 0 && terminal > 0 && len(part) > keys && used+w > terminal {
			parts, used = append(parts, part), 0
			part = nil
			for k := range keys {
				part = append(part, k)
				used += g.widths[k] + len(gap)
			}
		}
		part = append(part, i)
		used += w + len(gap)
	}
	return append(parts, part)
}

func (g *grid) write(b *strings.Builder, columns []int) {
	for _, line := range g.lines {
		var s strings.Builder
		for _, i := range columns {
			pad := strings.Repeat(" ", g.widths[i]-width(line[i]))
			if g.right[i] {
				s.WriteString(pad + line[i])
			} else {
				s.WriteString(line[i] + pad)
			}
			s.WriteString(gap)
		}
		b.WriteString(strings.TrimRight(s.String(), " ") + "\n")
	}
}
