package faults

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"xon/schema/configdb"
)

// blow is something done to the processes.
type blow string

// The blows.
const (
	killAgent   blow = "agent"
	killChip    blow = "chip"
	killRedis   blow = "redis"
	killBoth    blow = "agent+chip"
	killStorage blow = "agent+redis"
	killAll     blow = "all"
	stopAgent   blow = "agent stopped"
	stopChip    blow = "chip stopped"
	stopRedis   blow = "redis stopped"
	killStart   blow = "agent while it starts"
	killSeries  blow = "agent again and again"
	startKill   blow = "chip and redis while the agent starts"
	wipeRedis   blow = "redis with its data"
)

// blows are drawn from; the agent is what is killed most.
var blows = []blow{
	killAgent, killAgent, killAgent, killAgent, killChip, killChip, killRedis, killRedis, killBoth, killStorage, killAll,
	stopAgent, stopChip, stopRedis, killStart, killStart, killSeries, startKill, startKill, wipeRedis,
}

// tally is what a run has done.
type tally struct {
	from        time.Time
	only        blow // what every blow is to be; "": any
	cycles      int
	kills       map[blow]int
	writes      int
	sets        map[string]int
	recoveries  []time.Duration
	rewritten   int // cycles whose last restart wrote something
	transitions int // writes that chips executed
}

func (y *tally) killed() int {
	n := 0
	for b, k := range y.kills {
		if !strings.HasSuffix(string(b), "stopped") {
			n += k
		}
	}
	return n
}

func (y *tally) String() string {
	var kinds []string
	for _, b := range slices.Sorted(maps.Keys(y.kills)) {
		kinds = append(kinds, fmt.Sprintf("%s %d", b, y.kills[b]))
	}
	slices.Sort(y.recoveries)
	middle, worst := time.Duration(0), time.Duration(0)
	if n := len(y.recoveries); n > 0 {
		middle, worst = y.recoveries[n/2], y.recoveries[n-1]
	}
	return fmt.Sprintf("%d cycles, %d kills (%s), %d writes to the database, sets %v, %d writes to chips, recovery %v median %v worst, %d restarts wrote, %v",
		y.cycles, y.killed(), strings.Join(kinds, ", "), y.writes, y.sets, y.transitions,
		middle.Round(time.Millisecond), worst.Round(time.Millisecond), y.rewritten, time.Since(y.from).Round(time.Second))
}

// TestKills: whatever is killed at whatever moment, the end state is that of a fresh
// agent on the same database, no transaction is there in part, no row is lost, and a
// restart with nothing changed writes nothing.
func TestKills(t *testing.T) {
	e := extentOf(t, 6)
	y := &tally{from: time.Now(), only: blow(os.Getenv("XON_BLOW")), kills: map[blow]int{}, sets: map[string]int{}}
	if y.only != "" && !slices.Contains(blows, y.only) {
		t.Fatalf("XON_BLOW=%q: there are %q", y.only, blows)
	}
	defer func() { t.Logf("seed %d: %v", e.seed, y) }()
	shown := time.Now()
	for round := uint64(0); e.more(y.cycles, y.killed()); round++ {
		seed := e.seed + round
		if !t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { runRound(t, seed, y, &e) }) {
			t.Fatalf("again: XON_SEED=%d go test ./test/faults -run TestKills", seed)
		}
		if e.soak() && time.Since(shown) > 10*time.Second {
			shown = time.Now()
			fmt.Fprintln(os.Stderr, y)
		}
	}
}

// cyclesPerRound is how long a site lives.
const cyclesPerRound = 3

func runRound(t *testing.T, seed uint64, y *tally, e *extent) {
	rng := rand.New(rand.NewPCG(seed, 0))
	ports := []int{8, 8, 8, 16, 32, 64}[rng.IntN(6)]
	rows := []func(int) configdb.RawRows{load, derived, computed}[seed%3](ports)
	s := newSite(t, rows)
	s.begin()
	w, l := newWriter(rand.New(rand.NewPCG(seed, 1)), rows), newLedger(s, rand.New(rand.NewPCG(seed, 2)), rows)
	for range cyclesPerRound {
		if !e.more(y.cycles, y.killed()) {
			break
		}
		cycle(s, rng, w, l, y)
	}
	y.sets["ok"] += l.oks
	y.sets["refused"] += l.faults
	y.sets["unanswered"] += l.open
	y.transitions += len(calls(t, s.record))
}

// cycle writes, strikes, and checks.
func cycle(s *site, rng *rand.Rand, w *writer, l *ledger, y *tally) {
	s.Helper()
	traffic := s.drive(w, l)
	pause(rng, 150)
	var done []blow
	for range 1 + rng.IntN(3) {
		b := blows[rng.IntN(len(blows))]
		if y.only != "" {
			b = y.only
		}
		done = append(done, b)
		y.kills[b] += s.strike(b, rng)
		pause(rng, 80)
	}
	traffic.end()
	y.writes += traffic.writes
	y.cycles++
	out, err := s.checkAll()
	if err == nil {
		err = l.check(s.rows(), slices.Contains(done, wipeRedis))
	}
	if err != nil {
		s.Fatalf("after %v, %d cycles: %v\n%s", done, y.cycles, err, s.tail())
	}
	y.recoveries = append(y.recoveries, out.recovered)
	if out.writes > 0 {
		y.rewritten++
	}
}

// pause sleeps for up to so many milliseconds.
func pause(rng *rand.Rand, most int) {
	time.Sleep(time.Duration(rng.IntN(most*1000)) * time.Microsecond)
}

// seriesKills is how often a series kills the agent, at any moment of its start, its
// load and what it does afterwards.
const seriesKills = 20

// strike does something to the processes, and returns how often it did. An agent that
// was killed is started again.
func (s *site) strike(b blow, rng *rand.Rand) int {
	s.Helper()
	switch b { //nolint:exhaustive // the others are lists of what to kill
	case killSeries:
		for range seriesKills {
			pause(rng, 400)
			s.agent.kill()
			s.start()
		}
		return seriesKills
	case killStart:
		for range 1 + rng.IntN(3) {
			s.agent.kill()
			s.start()
			pause(rng, 120)
		}
		s.agent.kill()
		s.start()
		return 1
	case startKill:
		s.agent.kill()
		s.start()
		for range 1 + rng.IntN(3) {
			pause(rng, 80)
			kill(listener([]string{s.chip, s.redis}[rng.IntN(2)]))
		}
		return 1
	case wipeRedis:
		s.wipe()
		return 1
	case stopAgent, stopChip, stopRedis:
		s.freeze(b, rng)
		return 1
	}
	name := string(b)
	if b == killAll {
		name = "agent+chip+redis"
	}
	for _, part := range strings.Split(name, "+") {
		switch part {
		case "agent":
			s.agent.kill()
		case "chip":
			kill(listener(s.chip))
		case "redis":
			kill(listener(s.redis))
		}
		pause(rng, 5)
	}
	if s.agent.ended() {
		pause(rng, 60)
		s.start()
	}
	return 1
}

func kill(pid int) {
	if pid > 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
}

// wipe kills the redis-server and removes its data. The agent is stopped meanwhile,
// as it would start another one at once.
func (s *site) wipe() {
	s.Helper()
	agent := s.agent.cmd.Process
	_ = agent.Signal(syscall.SIGSTOP) // it may have ended
	kill(listener(s.redis))
	eventually(s, "end the redis-server", func() error {
		if listener(s.redis) > 0 {
			return errors.New("it still answers")
		}
		// Redis 6 has one file, later ones a directory.
		return errors.Join(os.RemoveAll(filepath.Join(s.state, "redis/appendonlydir")), os.RemoveAll(filepath.Join(s.state, "redis/appendonly.aof")))
	})
	_ = agent.Signal(syscall.SIGCONT)
}

// freeze stops a process for a while.
func (s *site) freeze(b blow, rng *rand.Rand) {
	pid := s.agent.cmd.Process.Pid
	switch b {
	case stopChip:
		pid = listener(s.chip)
	case stopRedis:
		pid = listener(s.redis)
	default:
	}
	if pid == 0 {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
	pause(rng, 700)
	_ = syscall.Kill(pid, syscall.SIGCONT)
}
