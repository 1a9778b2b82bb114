package completion_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"xon/cmd/completion"
)

const breaks = " \t\n\"'><=;|&(:"

func TestParse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]completion.Line{
		"prog ":                        {},
		"prog get":                     {Word: "get"},
		"prog get ":                    {Words: []string{"get"}},
		"prog get 'PORT|Eth":           {Words: []string{"get"}, Word: "PORT|Eth"},
		`prog get "PORT|Eth`:           {Words: []string{"get"}, Word: "PORT|Eth"},
		`prog get PORT\|Eth`:           {Words: []string{"get"}, Word: "PORT|Eth"},
		`prog get PORT'|'Eth`:          {Words: []string{"get"}, Word: "PORT|Eth"},
		`prog set 'A b|c' x="1 2" y=`:  {Words: []string{"set", "A b|c", "x=1 2"}, Word: "y="},
		`prog get '' `:                 {Words: []string{"get", ""}},
		`A=1 _B='x y' prog get `:       {Words: []string{"get"}},
		"other x | prog get PO":        {Words: []string{"get"}, Word: "PO"},
		"prog get PORT|Eth":            {Word: "Eth"}, // a pipeline, of which Eth is a program
		`prog "a\"b\x`:                 {Word: `a"b\x`},
		"prog get 'Vlan10|10.0.0.0/2é": {Words: []string{"get"}, Word: "Vlan10|10.0.0.0/2é"},
	} {
		got := completion.Parse(line, len([]rune(line)), breaks)
		if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(completion.Line{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%s", line, d)
		}
	}
	if got := completion.Parse("prog get xyz more", 10, breaks); got.Word != "x" || len(got.Words) != 1 {
		t.Errorf("in the middle: %+v", got)
	}
	for _, point := range []int{-1, 0, 1 << 30} { // never a panic
		completion.Parse("prog é", point, breaks)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`prog get 'PORT|Eth" \`, 12)
	f.Fuzz(func(t *testing.T, line string, point int) {
		if got := completion.Parse(line, point, breaks); len(got.Word) > len(line)+2*strings.Count(line, "\\")+2*len([]rune(line)) {
			t.Errorf("%q became %q", line, got.Word)
		}
	})
}

// program has rows with every character that bash minds.
func program() *cobra.Command {
	root := &cobra.Command{Use: "prog", SilenceErrors: true, SilenceUsage: true}
	get := &cobra.Command{Use: "get", Run: func(*cobra.Command, []string) {}}
	get.ValidArgsFunction = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if !strings.Contains(typed, "|") {
			return []string{"PORT|"}, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return []string{"PORT|Ethernet0", "PORT|Ethernet10", "PORT|a b:c=d", `PORT|it's`, "PORT|$x"}, cobra.ShellCompDirectiveNoFileComp
	}
	get.Flags().String("port", "", "")
	_ = get.RegisterFlagCompletionFunc("port", cobra.FixedCompletions([]string{"Ethernet0", "Ethernet4"}, cobra.ShellCompDirectiveNoFileComp))
	file := &cobra.Command{Use: "file", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(get, file)
	completion.Add(root, program)
	return root
}

func complete(t *testing.T, line string) string {
	t.Helper()
	var out bytes.Buffer
	cmd := program()
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"__answer", line, "1000", breaks})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\n", ", ")
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"prog g":                     "words, get",
		"prog get PO":                `nospace, PORT\|`,
		`prog get PORT\|E`:           `words, PORT\|Ethernet0, PORT\|Ethernet10`,
		"prog get 'PO":               "words, PORT|Ethernet0, PORT|Ethernet10, PORT|a b:c=d, PORT|$x",
		"prog get 'PORT|Ethernet1":   "words, PORT|Ethernet10",
		`prog get "PORT|`:            `words, PORT|Ethernet0, PORT|Ethernet10, PORT|a b:c=d, PORT|it's, PORT|\$x`,
		`prog get PORT\|a`:           `words, PORT\|a\ b:c=d`,
		`prog get PORT\|a\ b:`:       "words, c=d",
		`prog get PORT\|a\ b:c=`:     "words, d",
		"prog get 'PORT|a b:c=":      "words, PORT|a b:c=d",
		"prog get --port E":          "words, Ethernet0, Ethernet4",
		"prog get --port=Ethernet4":  "words, Ethernet4",
		"prog get --port='Ethernet4": "words, Ethernet4",
		"prog get --port Vlan":       "words",
		"prog file x":                "files",
		"prog nosuch x":              "files",
	} {
		if got := complete(t, line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	cmd := program()
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"completion", "bash"})
	if err := cmd.ExecuteContext(t.Context()); err != nil || out.String() != completion.Script("prog") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestOtherScripts: those of zsh and fish name the program alone, and evaluate no text: a
// word with a bar would be taken for a pipeline.
func TestOtherScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"zsh", "fish"} {
		var out bytes.Buffer
		cmd := program()
		cmd.SetOut(&out)
		cmd.SetArgs([]string{"completion", shell})
		err := cmd.ExecuteContext(t.Context())
		if s := out.String(); err != nil || !strings.Contains(s, "_prog") || strings.Contains(s, "%[1]s") || strings.Contains(s, "eval") {
			t.Errorf("%s: %v\n%s", shell, err, s)
		}
	}
}
