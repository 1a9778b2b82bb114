package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// ledger is a gNMI client that knows what it was told. All rows of one of its
// transactions carry the same number, and nobody else writes them, so that it can
// tell whether a transaction is in as a whole, or not at all.
type ledger struct {
	*site
	*rand.Rand
	first  configdb.RawRows
	others *writer // of changes that are not followed

	next   int          // the number of the next transaction
	ok     int          // the last that was answered OK
	unsure map[int]bool // answered with an error that says nothing, or not at all, since
	oks    int
	faults int // refused, so nothing was changed
	wrong  error
	open   int // answers that never came
}

func newLedger(s *site, rng *rand.Rand, first configdb.RawRows) *ledger {
	return &ledger{site: s, Rand: rng, first: first, others: newWriter(rng, first), next: 1, unsure: map[int]bool{}}
}

// numbered are the rows of transaction i.
func numbered(i int) configdb.RawRows {
	n := strconv.Itoa(i)
	return configdb.RawRows{
		"SCHEDULER|ledger":      {"type": "DWRR", "weight": "7", "pir": strconv.Itoa(1000000 + i)},
		"WRED_PROFILE|ledger":   {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": n, "green_max_threshold": "9000000", "green_drop_probability": "5"},
		"BUFFER_PROFILE|ledger": {"pool": "egress_lossless_pool", "size": "0", "static_th": n},
		"QUEUE|Ethernet0|7":     {"scheduler": "ledger", "wred_profile": "ledger"},
	}
}

// numberOf reads the number that rows carry; an error if they do not agree.
func numberOf(rows map[string]redisdb.Fields) (int, error) {
	a, b, c := rows["SCHEDULER|ledger"]["pir"], rows["WRED_PROFILE|ledger"]["green_min_threshold"], rows["BUFFER_PROFILE|ledger"]["static_th"]
	if a == "" && b == "" && c == "" {
		return 0, nil
	}
	pir, err := strconv.Atoi(a)
	if err != nil || strconv.Itoa(pir-1000000) != b || b != c {
		return 0, fmt.Errorf("a transaction is there in part: pir %q, threshold %q, limit %q", a, b, c)
	}
	return pir - 1000000, nil
}

// requestOf is transaction i in one of several forms. bad says that it can't be
// carried out.
func (l *ledger) requestOf(i int) (req *gpb.SetRequest, bad bool) {
	rows := numbered(i)
	switch l.IntN(16) {
	case 0: // everything anew, by a file
		all := maps.Clone(l.first)
		maps.Copy(all, rows)
		return file(all, true), false
	case 1: // a file on top
		all := maps.Clone(l.first)
		maps.DeleteFunc(all, func(configdb.RowKey, configdb.Fields) bool { return l.IntN(3) == 0 })
		maps.Copy(all, rows)
		return file(all, false), false
	}
	req = &gpb.SetRequest{}
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		req.Replace = append(req.Replace, client.Update(client.Path("CONFIG_DB", k.Table(), k.Key()), document(rows[k])))
	}
	if bad = l.IntN(6) == 0; bad {
		req.Update = append(req.Update, client.Update(client.Path("CONFIG_DB", "SCHEDULER", "bad"), []byte(`{"weight":"1000"}`)))
	}
	return req, bad
}

// run sends transactions until ctx ends. One that is under way then is waited for.
func (l *ledger) run(ctx context.Context) {
	c := l.dial()
	defer func() { _ = c.Close() }() // nothing was left to send
	for ctx.Err() == nil {
		if _, err := c.Version(ctx); errors.Is(err, client.ErrUnreachable) {
			_ = c.Close()
			wait(ctx, 2*time.Millisecond)
			c = l.dial() // a new one does not wait until it tries again
			continue
		}
		if l.IntN(3) == 0 {
			if req := request(l.others.next()); req != nil {
				_ = l.set(c, req) // whatever comes of it: the end state tells
			}
		} else {
			l.transact(c)
		}
	}
}

// answerTime is how long an answer is waited for.
const answerTime = 3 * time.Second

func (l *ledger) set(c *client.Client, req *gpb.SetRequest) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.Context()), answerTime)
	defer cancel()
	_, err := c.Set(ctx, req, client.SetOptions{})
	return err
}

func (l *ledger) transact(c *client.Client) {
	i := l.next
	l.next++
	req, bad := l.requestOf(i)
	err := l.set(c, req)
	if bad && err == nil {
		l.wrong = fmt.Errorf("transaction %d holds a bad row and was answered OK", i)
	}
	var said *client.Error
	switch {
	case err == nil:
		l.oks++
		l.ok = i
		clear(l.unsure)
	case errors.As(err, &said) && len(said.Faults) > 0:
		l.faults++
	default:
		l.open++
		l.unsure[i] = true
	}
}

// check compares what is in the database with what the client was told. lost says
// that the database lost its data, and went back to what was saved last.
func (l *ledger) check(rows map[string]redisdb.Fields, lost bool) error {
	n, err := numberOf(rows)
	if err := errors.Join(err, l.wrong); err != nil {
		return err
	}
	if older := lost && n < l.ok; n != l.ok && !l.unsure[n] && !older {
		return fmt.Errorf("transaction %d is in force; the last that was answered OK is %d, and without an answer are %v", n, l.ok, slices.Sorted(maps.Keys(l.unsure)))
	}
	l.ok = n
	clear(l.unsure)
	return nil
}

// wait sleeps, or returns when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// traffic is all that writes at the same time.
type traffic struct {
	stop   context.CancelFunc
	wg     sync.WaitGroup
	writes int // made it to the database
}

// drive has a stranger write to the database, and the ledger transact.
func (s *site) drive(w *writer, l *ledger) *traffic {
	ctx, stop := context.WithCancel(s.Context())
	tr := &traffic{stop: stop}
	tr.wg.Go(func() { l.run(ctx) })
	tr.wg.Go(func() {
		for ctx.Err() == nil {
			var b redisdb.Batch
			batch(&b, w.next())
			if s.db.DB(redisdb.ConfigDB).Write(ctx, &b) == nil {
				tr.writes++
			}
			wait(ctx, time.Duration(w.IntN(4))*time.Millisecond)
		}
	})
	return tr
}

// end stops the traffic and waits until it has.
func (tr *traffic) end() {
	tr.stop()
	tr.wg.Wait()
}
