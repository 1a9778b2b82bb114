package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Check is what was found out about one thing that has to be in order.
type Check struct {
	Name   string `json:"name"` // in a few words: "chip", "database"
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"` // what is wrong, or worth knowing
}

// healthPatience is how long an examination may take: what does not answer by then
// is not well.
const healthPatience = 2 * time.Second

// health answers 200 if every check is OK, 503 if one is not; either way with all
// of them:
//
//	{"ok": false, "checks": [{"name": "chip", "ok": false, "detail": "not connected"}, …]}
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	var checks []Check
	if s.cfg.Health != nil {
		ctx, cancel := context.WithTimeout(r.Context(), healthPatience)
		defer cancel()
		checks = s.cfg.Health(ctx)
	}
	ok, code := true, http.StatusOK
	for _, c := range checks {
		ok = ok && c.OK
	}
	if !ok {
		code = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(map[string]any{"ok": ok, "checks": checks}) // the client may have gone
}
