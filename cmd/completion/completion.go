// Package completion completes command lines in bash: inside quotes, too, and where words
// have characters that mean something to bash, as "|" in the names of rows does.
//
// cobra's own script for bash hands an open quote back to the shell, which then finds no
// end of it, and inserts "PORT|Ethernet0" as the beginning of a pipeline; and it needs the
// package bash-completion. Here the program itself takes the line apart. cobra's scripts for
// zsh and fish put the words together for the shell to take apart again, which ends at an
// open quote or a "|": the ones here hand them over as they are. That for PowerShell is
// cobra's.
package completion

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// Add makes "completion bash" of a program print Script, and adds the hidden command that
// the script calls. fresh makes a new command of the program, as one serves a single line.
func Add(root *cobra.Command, fresh func() *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:                answerCommand + " LINE POINT WORDBREAKS",
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.ExactArgs(3),
		ValidArgsFunction:  cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			point, err := strconv.Atoi(args[1])
			if err != nil {
				return fmt.Errorf("point %q: %w", args[1], err)
			}
			return answer(c.Context(), c.OutOrStdout(), fresh, Parse(args[0], point, args[2]))
		},
	})
	root.InitDefaultCompletionCmd()
	for shell, text := range scripts {
		c, _, err := root.Find([]string{"completion", shell})
		if err != nil || c.Name() != shell {
			continue
		}
		if shell == "bash" {
			c.Long = fmt.Sprintf(aboutBash, root.Name())
		}
		c.RunE = func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(c.OutOrStdout(), strings.ReplaceAll(text, "%[1]s", root.Name()))
			return err
		}
	}
}

// scripts are what shells are to read, with %[1]s for the program's name.
var scripts = map[string]string{"bash": script, "zsh": zshScript, "fish": fishScript}

const answerCommand = "__answer"

const aboutBash = `bash prints what has bash (4.4 or later) complete command lines of %[1]s.

For this session:

  source <(%[1]s completion bash)

For every new one, where the package bash-completion is installed:

  %[1]s completion bash > /etc/bash_completion.d/%[1]s
`

// script asks the program, whose first line says what to do with the others.
const script = `# bash completion for %[1]s
_%[1]s_completion() {
    local answer
    mapfile -t answer < <("${1/#\~/$HOME}" ` + answerCommand + ` "$COMP_LINE" "$COMP_POINT" "$COMP_WORDBREAKS" 2>/dev/null)
    COMPREPLY=("${answer[@]:1}")
    compopt -o nosort
    case ${answer[0]} in
    nospace) compopt -o nospace ;;
    files) compopt -o bashdefault -o default ;;
    esac
}
complete -F _%[1]s_completion %[1]s
`

// Script is what bash is to read.
func Script(program string) string { return strings.ReplaceAll(script, "%[1]s", program) }

// answer prints a word for the script, and then what the word at the cursor may become.
func answer(ctx context.Context, out io.Writer, fresh func() *cobra.Command, l Line) error {
	found := candidates(ctx, fresh, l.Words, l.Word)
	for range deepest {
		if l.quote == 0 || !found.partial || len(found.words) != 1 {
			break
		}
		// readline closes the quotes behind a single match: what comes after it is needed.
		next := candidates(ctx, fresh, l.Words, found.words[0])
		if len(next.words) == 0 || len(next.words) == 1 && next.words[0] == found.words[0] {
			break
		}
		found = next
	}
	_, err := io.WriteString(out, found.text(l))
	return err
}

// deepest is how many parts of a word are completed at once.
const deepest = 4

// result is what a word may become.
type result struct {
	words   []string
	partial bool // more may follow without a space
	files   bool // bash is to complete names of files
}

func (r *result) text(l Line) string {
	var b strings.Builder
	switch {
	case r.files && len(r.words) == 0:
		b.WriteString("files\n")
	case r.partial:
		b.WriteString("nospace\n")
	default:
		b.WriteString("words\n")
	}
	for _, w := range r.words {
		if text, ok := l.insertion(w); ok {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// candidates asks cobra.
func candidates(ctx context.Context, fresh func() *cobra.Command, words []string, word string) (r result) {
	var out bytes.Buffer
	cmd := fresh()
	cmd.SetArgs(append(append([]string{cobra.ShellCompNoDescRequestCmd}, words...), word))
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	if err := cmd.ExecuteContext(ctx); err != nil {
		return result{}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := lines[len(lines)-1]
	directive, err := strconv.Atoi(strings.TrimPrefix(last, ":"))
	if err != nil || cobra.ShellCompDirective(directive)&cobra.ShellCompDirectiveError != 0 {
		return result{}
	}
	flag := "" // cobra completes the value of --flag=value alone
	if name, _, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
		flag = name + "="
	}
	for _, w := range lines[:len(lines)-1] {
		if w = flag + w; strings.HasPrefix(w, word) {
			r.words = append(r.words, w)
		}
	}
	r.partial = cobra.ShellCompDirective(directive)&cobra.ShellCompDirectiveNoSpace != 0
	r.files = cobra.ShellCompDirective(directive)&cobra.ShellCompDirectiveNoFileComp == 0
	return r
}
