package vsai

import (
	"fmt"
	"maps"
	"slices"

	"xon/sai"
)

// names are the names that an agent gives to objects.
type names struct {
	ids map[string]sai.OID
	of  map[sai.OID][]string
}

// Names implements sai.Names.
func (c *Chip) Names() (map[string]sai.OID, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make(map[string]sai.OID, len(c.names.ids))
	maps.Copy(out, c.names.ids)
	return out, nil
}

// SetNames implements sai.Names. If a name is for an object that does not exist, it
// returns an error and changes nothing.
func (c *Chip) SetNames(put map[string]sai.OID, gone []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, id := range put {
		if c.byID(id) == nil {
			return fmt.Errorf("name %q: no object %v: %w", name, id, sai.StatusInvalidObjectID)
		}
	}
	for _, name := range gone {
		c.names.drop(name)
	}
	for name, id := range put {
		c.names.drop(name)
		c.names.set(name, id)
	}
	return nil
}

func (n *names) set(name string, id sai.OID) {
	if n.ids == nil {
		n.ids, n.of = map[string]sai.OID{}, map[sai.OID][]string{}
	}
	n.ids[name] = id
	n.of[id] = append(n.of[id], name)
}

func (n *names) drop(name string) {
	id, ok := n.ids[name]
	if !ok {
		return
	}
	delete(n.ids, name)
	n.of[id] = slices.DeleteFunc(n.of[id], func(s string) bool { return s == name })
	if len(n.of[id]) == 0 {
		delete(n.of, id)
	}
}

// forget removes all names of an object.
func (n *names) forget(id sai.OID) {
	for _, name := range n.of[id] {
		delete(n.ids, name)
	}
	delete(n.of, id)
}
