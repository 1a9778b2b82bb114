package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"xon/sai/vsai/dataplane"
)

// Names is a list of names; h1..h16 is a range of sixteen.
type Names []string

// maxNames is the maximum size of a range.
const maxNames = 4096

var nameRange = regexp.MustCompile(`^(.*?)(\d+)\.\.(.*?)(\d+)$`)

// expand expands ranges.
func (n Names) expand() (Names, error) {
	var out Names
	for _, name := range n {
		m := nameRange.FindStringSubmatch(name)
		if m == nil {
			out = append(out, name)
			continue
		}
		from, err1 := strconv.Atoi(m[2])
		to, err2 := strconv.Atoi(m[4])
		if m[1] != m[3] || err1 != nil || err2 != nil || to < from || to-from >= maxNames {
			return nil, fmt.Errorf("%q: want a range of at most %d names, as in h1..h16", name, maxNames)
		}
		for i := from; i <= to; i++ {
			out = append(out, m[1]+strconv.Itoa(i))
		}
	}
	return out, nil
}

// choose finds a word in a list; the first is the default.
func choose[T ~uint8](into *T, text string, words ...string) error {
	for i, w := range words {
		if w == text {
			*into = T(i)
			return nil
		}
	}
	return fmt.Errorf("%q: want one of %s", text, strings.Join(words, ", "))
}

// Pattern says who sends to whom.
type Pattern uint8

// Patterns.
const (
	Incast      Pattern = iota // all of From to the one of To
	Pairs                      // the first of From to the first of To, and so on
	AllReduce                  // From as a ring: each host sends a part to the next after it has received one
	Permutation                // each of From to a random other one; each receives from one
	AllToAll                   // each of From to all others of From
)

func (p *Pattern) parse(text string) error {
	return choose(p, text, "incast", "pairs", "allreduce", "permutation", "all-to-all")
}

// Control is a flow's congestion control.
type Control uint8

// Kinds of congestion control.
const (
	NoControl Control = iota
	DCQCNCard
	DCQCNPaper
)

func (c *Control) parse(text string) error {
	return choose(c, text, "none", "dcqcn-card", "dcqcn-paper")
}

func (c Control) of(rate uint64) *dataplane.DCQCN {
	switch c {
	case DCQCNCard:
		return dataplane.NICDCQCN(rate)
	case DCQCNPaper:
		return dataplane.PaperDCQCN()
	default:
		return nil
	}
}

// GoBack is where a sender resumes after a loss.
type GoBack uint8

// Values of GoBack.
const (
	GoBackN GoBack = iota
	GoBackZero
)

func (g *GoBack) parse(text string) error { return choose(g, text, "n", "0") }

// Admission is dataplane.Admission as a word.
type Admission uint8

func (a *Admission) parse(text string) error { return choose(a, text, "before", "after", "per-group") }

// Resume says when a stopped group resumes its senders.
type Resume uint8

// ResumeOwn resumes when a packet of the group leaves; otherwise when its pool drains.
const ResumeOwn Resume = 1

func (r *Resume) parse(text string) error { return choose(r, text, "pool", "own") }

// Release says when memory is freed.
type Release uint8

// ReleaseEarly frees memory when transmission starts; otherwise when it ends.
const ReleaseEarly Release = 1

func (r *Release) parse(text string) error { return choose(r, text, "late", "early") }

// Action is what a queue does with its packets during recovery.
type Action uint8

// ActionDrop drops packets; otherwise they are sent.
const ActionDrop Action = 1

func (a *Action) parse(text string) error { return choose(a, text, "forward", "drop") }
