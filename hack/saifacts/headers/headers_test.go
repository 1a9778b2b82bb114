package headers_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xon/hack/saifacts/headers"
)

func parseOne(text string) error {
	_, err := headers.Parse([]headers.File{{Name: "sai.h", Text: text}})
	return err
}

// doubling defines macros each of which has the one before it twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("#define A0 1\n")
	for i := range n {
		fmt.Fprintf(&b, "#define A%d A%d+A%d\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "#define SAI_A A%d\n", n)
	return b.String()
}

// What the reader does not understand is an error that says where.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"comment", "\n/* never ends", "sai.h:2: a comment does not end"},
		{"directive", "#frobnicate x", "directive not understood: #frobnicate"},
		{"condition", "#if A > 3\n#endif", "condition not understood: #if A > 3"},
		{"condition without a name", "#ifdef\n#endif", "condition not understood"},
		{"open condition", "#ifdef A", "sai.h: an #if does not end"},
		{"else", "#else", "#else without an #if"},
		{"endif", "#endif", "#endif without an #if"},
		{"define", "#define", "#define without a name"},
		{"define parameters", "#define A(x", "the parameters do not end"},
		{"macro of itself", "#define SAI_A SAI_A", "nest too deep"},
		{"macros of macros", doubling(40), "expressions are too long"},
		{"macro without arguments", "#define SAI_F(x) x\n#define SAI_A SAI_F", "want arguments for SAI_F"},
		{"macro with too many", "#define SAI_F(x) x\n#define SAI_A SAI_F(1,2)", "SAI_F wants 1 arguments"},
		{"macro arguments", "#define SAI_F(x) x\n#define SAI_A SAI_F(1", "arguments of SAI_F do not end"},
		{"unknown name", "#define SAI_A B", "#define SAI_A: unknown name B"},
		{"number", "#define SAI_A 0xg", "invalid syntax"},
		{"rest of an expression", "#define SAI_A 1 2", "expression not understood: 1 2"},
		{"brackets", "#define SAI_A (1", "closing bracket"},
		{"short expression", "#define SAI_A 1 +", "ends too early"},
		{"typedef", "typedef int32_t", "unexpected end of the headers: want a name"},
		{"typedef name", "typedef int32_t 3;", "want a name"},
		{"semicolon", "typedef int32_t sai_a_t int", `sai.h:1: near "int": want ";"`},
		{"variable", "int x;", `near ";": want "("`},
		{"array bound", "typedef uint8_t sai_a_t[N];", "unknown name N"},
		{"array", "typedef uint8_t sai_a_t[3", "expression does not end"},
		{"huge array", "typedef struct _sai_a_t { char a[0x7fffffff]; } sai_a_t;", "has no size"},
		{"negative array", "typedef struct _sai_a_t { char a[-1]; } sai_a_t;", "has no size"},
		{"enum", "typedef enum _sai_a_t { SAI_A_B = 3", "expression does not end"},
		{"enum value", "typedef enum _sai_a_t { SAI_A_B = X } sai_a_t;", "SAI_A_B: unknown name X"},
		{"enum name", "typedef enum _sai_a_t { SAI_A_B };", `want a name`},
		{"bit field", "typedef struct _sai_a_t { int x : 3; } sai_a_t;", `near ":": want ";"`},
		{"unknown type", "typedef struct _sai_a_t { sai_b_t b; } sai_a_t;", `a_t.b: unknown type "b_t"`},
		{"struct in itself", "typedef struct _sai_a_t { sai_b_t b; } sai_a_t; typedef struct _sai_b_t { sai_a_t a; } sai_b_t;", "holds itself"},
		{"scalar of itself", "typedef sai_b_t sai_a_t; typedef sai_a_t sai_b_t; typedef struct _sai_c_t { sai_a_t a; } sai_c_t;", "holds itself"},
		{"function pointer", "typedef void (sai_f_fn)(void);", `want "*"`},
		{"parameters", "void sai_f(int a", "want"},
		{"parameter array", "void sai_f(int a[", `want "]"`},
		{"flag", "typedef enum _sai_object_type_t { SAI_OBJECT_TYPE_A } sai_object_type_t; typedef enum _sai_a_attr_t { /** @flags SOMETIMES */ SAI_A_ATTR_X } sai_a_attr_t;", `SAI_A_ATTR_X: flag "SOMETIMES" is not known`},
		{"range", "typedef enum _sai_object_type_t { SAI_OBJECT_TYPE_A } sai_object_type_t; typedef enum _sai_a_attr_t { /** @range N */ SAI_A_ATTR_X } sai_a_attr_t;", "SAI_A_ATTR_X: range: unknown name N"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := parseOne(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %q", err, c.want)
			}
		})
	}
}

func TestNoHeaders(t *testing.T) {
	t.Parallel()
	if _, err := headers.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no *.h in") {
		t.Errorf("error %v", err)
	}
}

// No text makes the reader panic or run on, and what it reads can be written.
func FuzzParse(f *testing.F) {
	names, err := filepath.Glob("../testdata/inc/*.h")
	if err != nil || len(names) == 0 {
		f.Fatalf("no headers: %v", err)
	}
	for _, n := range names {
		text, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := headers.Parse([]headers.File{{Name: "sai.h", Text: text}})
		if err != nil {
			return
		}
		if err := x.Write(io.Discard); err != nil {
			t.Error(err)
		}
	})
}
