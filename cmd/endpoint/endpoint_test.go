package endpoint_test

import (
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"

	"xon/cmd/endpoint"
)

func TestNormal(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"":                       "",
		"/run/redis.sock":        "unix:/run/redis.sock",
		"./a.sock":               "unix:" + here + "/a.sock",
		"d/a.sock":               "unix:" + here + "/d/a.sock",
		"unix:d/a.sock":          "unix:" + here + "/d/a.sock",
		"unix:/run/redis.sock":   "unix:/run/redis.sock",
		"unix:///run/redis.sock": "unix:///run/redis.sock",
		"unix:":                  "unix:",
		"localhost:6379":         "localhost:6379",
		"[::1]:6379":             "[::1]:6379",
		"process":                "process",
		"redis://localhost:6379": "redis://localhost:6379",
	} {
		var got string
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		endpoint.Var(f, &got, "at", "/a", "")
		if got != "unix:/a" {
			t.Errorf("the default: %q", got)
		}
		if err := f.Set("at", in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}
