package publish_test

import (
	"maps"
	"sync"

	"xon/orchagent/report"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/redisdb"
)

// told is what a chip was told, object by object, as syncd would note it: the
// oracle of ASIC_DB, which knows neither agent nor publisher.
type told struct {
	mu    sync.Mutex
	sets  map[sai.OID]redisdb.Fields
	asked map[sai.OID]map[string]bool // attributes that rows asked for once, and that the chip may have had
}

// ask takes up what rows ask for.
func (t *told) ask(r report.Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, attrs := range r.Asked {
		id := r.Handles[k.Object()]
		for _, a := range attrs {
			if t.asked[id] == nil {
				t.asked[id] = map[string]bool{}
			}
			t.asked[id][a.FullName()] = true
		}
	}
}

func tell(chip *vsai.Chip) *told {
	t := &told{sets: map[sai.OID]redisdb.Fields{}, asked: map[sai.OID]map[string]bool{}}
	chip.AfterCall(t.note)
	return t
}

func (t *told) note(c vsai.Call) {
	if c.Status != 0 || c.IsBulk() || !c.Op.Write() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.Op == vsai.OpRemove {
		delete(t.sets, c.Key.OID)
		return
	}
	if t.sets[c.Key.OID] == nil {
		t.sets[c.Key.OID] = redisdb.Fields{}
	}
	for _, a := range c.Attrs {
		t.sets[c.Key.OID][a.FullName()] = a.Format(a.Value)
	}
}

// of returns the attributes of an object that were set; empty for one that the
// chip made and nobody set anything of.
func (t *told) of(id sai.OID) redisdb.Fields {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := maps.Clone(t.sets[id])
	if f == nil {
		f = redisdb.Fields{}
	}
	return f
}
