// Package scripts tells stories of a whole agent, with the real programs, a real
// redis-server and a chip process: testdata/*.txtar.
//
// Commands beside those of testscript:
//
//	await CMD [ARG...]        run a program until it succeeds, for 20 s at most
//	await -out RE CMD...      until its output matches too
//	redis DB CMD...           redis-cli on the agent's private database
//	http STATUS RE ADDR PATH  a page, until it has the status and matches; ADDR may be a socket
//	freeze chip|redis, thaw   SIGSTOP to that process, SIGCONT
//	killchip, killredis       SIGKILL to the chip process, to the redis-server
package scripts

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long await tries.
const patience = 20 * time.Second

// bin is the folder of the programs.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "xon-bin-")
	if err == nil {
		bin = dir
		err = run("go", "build", "-o", bin+"/", "xon/cmd/...")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata",
		Setup: setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await": await, "redis": redis, "http": httpGet, "killchip": killChip, "freeze": freeze, "thaw": thaw, "killredis": killRedis,
		},
	})
}

// setup gives each script a state directory with a short name, for unix sockets
// have room for little more than 100 characters.
func setup(env *testscript.Env) error {
	dir, err := os.MkdirTemp("", "xon-")
	if err != nil {
		return err
	}
	tools, err := filepath.Abs("../../bin/tools")
	if err != nil {
		return err
	}
	env.Defer(func() { stopAll(dir) })
	env.Setenv("PATH", bin+string(os.PathListSeparator)+tools+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("XON_DIR", dir)
	env.Setenv("XON_ADDR", "unix:"+filepath.Join(dir, "gnmi.sock"))
	env.Setenv("XON_GNMI", "") // no TCP unless a script asks for it
	env.Setenv("XON_WEB", "")
	env.Setenv("XON_STOP_CHIP", "false")
	ln, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free, for a script that asks for TCP
	if err != nil {
		return err
	}
	env.Setenv("TCP", ln.Addr().String())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	env.Defer(func() { _ = taken.Close() }) // nobody was to connect
	env.Setenv("TAKEN", taken.Addr().String())
	return ln.Close()
}

// stopAll ends what a script left running, and removes its state.
func stopAll(dir string) {
	for _, find := range []func(string) (int, error){chipPID, redisPID} {
		if pid, err := find(dir); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
	_ = os.RemoveAll(dir) // a temporary directory; nothing depends on it
}

func chipPID(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "chip.pid"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

var processID = regexp.MustCompile(`process_id:(\d+)`)

func redisPID(dir string) (int, error) {
	out, err := exec.Command("redis-cli", "-s", socketOf(dir), "info", "server").Output()
	if err != nil {
		return 0, err
	}
	m := processID.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no process id in %q", out)
	}
	return strconv.Atoi(string(m[1]))
}

func socketOf(dir string) string { return filepath.Join(dir, "redis/redis.sock") }

func await(ts *testscript.TestScript, neg bool, args []string) {
	want := regexp.MustCompile("")
	if len(args) > 2 && args[0] == "-out" {
		want, args = regexp.MustCompile("(?m)"+args[1]), args[2:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: await [-out RE] CMD [ARG...]")
	}
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err = ts.Exec(args[0], args[1:]...); err == nil && want.MatchString(ts.ReadFile("stdout")) {
			return
		}
	}
	ts.Fatalf("gave up after %v: %s: %v", patience, strings.Join(args, " "), err)
}

func redis(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("redis-cli", append([]string{"-s", socketOf(ts.Getenv("XON_DIR")), "-n", args[0]}, args[1:]...)...)
	if neg == (err == nil) {
		ts.Fatalf("redis-cli: %v", err)
	}
}

func killChip(ts *testscript.TestScript, _ bool, _ []string) { kill(ts, chipPID) }

func killRedis(ts *testscript.TestScript, _ bool, _ []string) { kill(ts, redisPID) }

// freeze stops the chip process or the redis-server until thaw.
func freeze(ts *testscript.TestScript, neg bool, args []string) {
	find := map[string]func(string) (int, error){"chip": chipPID, "redis": redisPID}
	if neg || len(args) != 1 || find[args[0]] == nil {
		ts.Fatalf("usage: freeze chip|redis")
	}
	pid, err := find[args[0]](ts.Getenv("XON_DIR"))
	ts.Check(err)
	ts.Setenv("FROZEN", strconv.Itoa(pid))
	ts.Check(syscall.Kill(pid, syscall.SIGSTOP))
}

func thaw(ts *testscript.TestScript, _ bool, _ []string) {
	pid, err := strconv.Atoi(ts.Getenv("FROZEN"))
	ts.Check(err)
	ts.Check(syscall.Kill(pid, syscall.SIGCONT))
}

func kill(ts *testscript.TestScript, find func(dir string) (int, error)) {
	pid, err := find(ts.Getenv("XON_DIR"))
	ts.Check(err)
	ts.Check(syscall.Kill(pid, syscall.SIGKILL))
	for deadline := time.Now().Add(patience); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("process %d does not end", pid)
		}
	}
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}
