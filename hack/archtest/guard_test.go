package archtest

import (
	"regexp"
	"strings"
	"testing"
)

// starts are the ways to start a goroutine.
var starts = regexp.MustCompile(`^\s*go |\.Go\(`)

// TestGuarded: a panic in any goroutine would end the agent, so each of orchagent and
// cmd/xond runs under package crash, and says so in the line that starts it.
func TestGuarded(t *testing.T) {
	seen := 0
	eachGoFile(t, func(name string, text []byte) {
		agent := strings.HasPrefix(name, "../../orchagent/") || strings.HasPrefix(name, "../../cmd/xond/")
		if !agent || strings.HasSuffix(name, "_test.go") {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			if !starts.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			seen++
			if !strings.Contains(line, "crash.") {
				t.Errorf("%s:%d starts a goroutine that is not guarded: %s", name, i+1, strings.TrimSpace(line))
			}
		}
	})
	if seen == 0 {
		t.Error("no goroutine was looked at")
	}
}
