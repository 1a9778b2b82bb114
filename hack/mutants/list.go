package main

// The files that mutants are in.
const (
	diff     = "orchagent/reconcile/diff.go"
	change   = "orchagent/reconcile/change.go"
	plan     = "orchagent/reconcile/plan.go"
	apply    = "orchagent/reconcile/apply.go"
	running  = "orchagent/reconcile/run.go"
	undo     = "orchagent/reconcile/undo.go"
	calls    = "orchagent/reconcile/call.go"
	readback = "orchagent/reconcile/readback.go"
	rec      = "orchagent/reconcile/reconcile.go"
	facets   = "orchagent/graph/facets.go"
	derive   = "orchagent/resolve/derive.go"
	index    = "orchagent/intent/index.go"
	ports    = "orchagent/reconcile/ports.go"
	effect   = "orchagent/resolve/effective.go"
	blame    = "orchagent/resolve/blame.go"
	derived  = "orchagent/derived.go"
	update   = "orchagent/bufmgr/update.go"
	overlay  = "orchagent/bufmgr/overlay.go"
	profiles = "orchagent/bufmgr/generated.go"
	bufIndex = "orchagent/bufmgr/index.go"
	ledger   = "orchagent/bufmgr/ledger.go"
	classes  = "orchagent/bufmgr/classes.go"
	marks    = "orchagent/publish/derived.go"
	pass     = "orchagent/pass.go"
	edit     = "orchagent/state/edit.go"
	resolved = "orchagent/resolve/resolve.go"
	retain   = "orchagent/resolve/retain.go"
	robbing  = "orchagent/resolve/headroom.go"
	changes  = "orchagent/resolve/diff.go"
	retrying = "orchagent/backoff.go"
	transact = "orchagent/transact.go"
	room     = "orchagent/resolve/room.go"
	short    = "orchagent/intent/shortage.go"
	buffers  = "orchagent/bufferorch/bufferorch.go"
	pausing  = "orchagent/pfcorch/pfcorch.go"
	faults   = "orchagent/faults.go"
	refusing = "orchagent/refusal.go"
	lanes    = "orchagent/inventory/plan.go"
)

var mutants = []mutant{
	// Order.
	{name: "order: dependencies first when giving up", file: plan, old: "if a.Phase != Build {\n\t\t\trank = -rank\n\t\t}", new: ""},
	{name: "order: rank before phase", file: plan, old: "cmp.Compare(a.Phase, b.Phase), rank,", new: "rank, cmp.Compare(a.Phase, b.Phase),"},
	{name: "order: attributes given up like taken", file: plan, old: "if p != Build {\n\t\t\torder = -order\n\t\t}", new: "_ = p"},
	{name: "order: attributes taken in any order", file: plan, old: "return order\n", new: "_ = order\n\t\treturn 0\n"},
	{name: "order: a stale mask comes into effect", file: apply, old: " || moot(n, before.AttrMeta) && !moot(n.With(a), before.AttrMeta)", new: ""},
	{name: "order: a limit that failed limits nothing", file: apply, old: "return traits.Limits(", new: "return false && traits.Limits("},
	{name: "order: parts go before what they are parts of is let go", file: change, old: "phase = d.givingUpPhase(whole)", new: "_ = whole"},
	{name: "order: a route before its group is complete", file: facets, old: "if !to.eachMember(yield) {", new: "if to == k && !to.eachMember(yield) {"},
	{name: "order: a bitmap moves at once, early", file: change, old: "return graph.Uint(old.Num() & now.Num())", new: "return now"},
	{name: "order: a bitmap moves at once, late", file: change, old: "return graph.Uint(old.Num() | now.Num())", new: "return now", same: "nothing rests on a node with a bitmap, PFC, so that it never gives up in cleanup"},
	{name: "order: a profile trims in release, whoever uses it", file: change, old: "return graph.Uint(min(old.Num(), now.Num()))\n\tcase c == traits.Capacity", new: "return now\n\tcase c == traits.Capacity"},
	{name: "order: a capacity grows in release", file: change, old: "case c == traits.Capacity:\n\t\treturn graph.Uint(min(old.Num(), now.Num()))", new: "case c == traits.Capacity:\n\t\treturn now"},
	{name: "order: a capacity shrinks in build", file: change, old: "case c == traits.Capacity:\n\t\treturn graph.Uint(max(old.Num(), now.Num()))", new: "case c == traits.Capacity:\n\t\treturn now"},
	{name: "order: a reference is cleared in build", file: change, old: "case c == traits.Reference && now.IsNull():\n\t\treturn now\n", new: ""},
	{name: "order: a reference is cleared before cleanup", file: change, old: "case c == traits.Reference && now.IsNull():\n\t\treturn old\n", new: "", same: "of the nodes that others rest on and that hold references, profiles hold create-only ones, and priority groups and queues a single one: without it the node is gone"},
	{name: "order: what is in use shrinks in release", file: change, old: "phase = Cleanup\n", new: "phase = Release\n"},
	{name: "order: cleanup does not reach through", file: change, old: "return (want == nil || givesUp(want, have)) && d.givingUpPhase(dep) == Cleanup", new: "return false"},
	{name: "order: a rebuilt user counts as moving", file: change, old: "case d.rebuild[dep]:\n\t\treturn false\n", new: ""},
	{name: "order: a replaced user does not count", file: change, old: "case d.replace[dep], want != nil && movesAway(want, have, k):", new: "case want != nil && movesAway(want, have, k):"},
	{name: "order: PFC does not rest on headroom", file: facets, old: "case k.Type == sai.ObjectTypePort && k.Facet == PFC:\n\t\tpausedGroups", new: "case false:\n\t\tpausedGroups"},
	{name: "order: a port comes up with the rest", file: diff, old: "case k.Last():", new: "case false:"},

	// What has to be made anew.
	{name: "replace: does not carry on to dependents", file: diff, old: "case refersCreateOnly(want, k):\n\t\t\td.markReplace(dep)\n", new: "", same: "the only create-only references are those to pools, which are rebuilt, and to ports, which the chip makes"},
	{name: "replace: what can't coexist does", file: diff, old: "if traits.ReplaceOf(k.Type) == traits.BreakBeforeMake {", new: "if traits.ReplaceOf(k.Type) == traits.BreakBeforeMake && false {"},
	{name: "replace: a rebuild does not reach dependents", file: diff, old: "for dep := range d.actual.dependents(k) {\n\t\td.markRebuild(dep)\n\t}", new: ""},
	{name: "replace: references stay with the old object", file: change, old: "if p.old == p.now && (refersAny(p.now, d.replace) || !have.Has(p.AttrMeta)) {", new: "if p.old == p.now && !have.Has(p.AttrMeta) {"},
	{name: "replace: create-only is set in place", file: diff, old: "if p.Has(sai.CreateOnly) && p.old != p.now {", new: "if p.Has(sai.CreateOnly) && p.old != p.old {"},
	{name: "replace: disruptive is hitless", file: diff, old: "case opt.Disruptive:", new: "case opt.Disruptive && createOnlyDiffers(want, have):"},
	{name: "replace: a set without default is taken for one", file: change, old: "if p.old == p.now && (refersAny(p.now, d.replace) || !have.Has(p.AttrMeta)) {", new: "if p.old == p.now && refersAny(p.now, d.replace) {"},
	{name: "replace: users are not kept up", file: "orchagent/reconcile/belief.go", old: "if b.users != nil {\n\t\tb.link(n)\n\t}", new: ""},

	// Undo.
	{name: "undo: in the order of doing", file: undo, old: "range slices.Backward(r.journal)", new: "range slices.All(r.journal)"},
	{name: "undo: entries in the order of doing", file: undo, old: "\t\tslices.Reverse(batch)\n", new: ""},
	{name: "undo: attributes in the order of doing", file: undo, old: "range slices.Backward(d.wrote)", new: "range slices.All(d.wrote)", same: "the number of the call that carries an attribute says when it is written, not its place in the list"},
	{name: "undo: calls in the order of doing", file: undo, old: "call: calls - 1 - d.fates[i].call", new: "call: d.fates[i].call"},
	{name: "undo: a replaced object does not get its name back", file: undo, old: "moved[old] = batch[i].Key", new: "_ = moved"},
	{name: "undo: what was half done stays", file: apply, old: "r.journal = append(r.journal, batch)\n}\n\n// wrote updates", new: "if !r.over() {\n\t\tr.journal = append(r.journal, batch)\n\t}\n}\n\n// wrote updates"},
	{name: "undo: goes on where the chip refuses", file: undo, old: "if len(batch) > 0 && !r.undo(batch) {\n\t\t\treturn false\n\t\t}", new: "if len(batch) > 0 {\n\t\t\tr.undo(batch)\n\t\t}"},
	{name: "undo: not for the database", file: "orchagent/trace.go", old: "res := a.rec.Undo()", new: "res := reconcile.Result{}"},
	{name: "undo: forgets what was left to do", file: transact, old: "\ta.pass.failed, a.pass.leftover = t.failed, t.leftover\n", new: "\ta.pass.failed = nil\n"},
	{name: "undo: forgets what it could not undo", file: transact, old: "if a.pass.stateUnknown || a.pass.unsettled || a.bound != a.cur.Device || a.halted > 0 {\n\t\ta.converge()\n\t}", new: "if a.pass.stateUnknown {\n\t\ta.readback()\n\t}"},
	{name: "undo: rows stay", file: transact, old: "a.become(t.base)\n\ta.resolve(a.edit())\n\ta.pass", new: "a.resolve(a.edit())\n\ta.pass"},
	{name: "undo: refusals stay", file: transact, old: "a.become(t.base)\n\ta.resolve(a.edit())\n\ta.pass", new: "a.become(t.base)\n\te := a.edit()\n\te.Refused = t.next.State.Refused\n\ta.resolve(e)\n\ta.pass"},

	// Blocking.
	{name: "block: reaches one level", file: running, old: "if on, found = r.unmet(dep); found {\n\t\t\treturn on, true\n\t\t}", new: ""},
	{name: "block: nothing", file: running, old: "if r.res.Failed[dep] != nil {\n\t\t\treturn dep, true\n\t\t}", new: ""},
	{name: "block: what is still in use is not held", file: running, old: "if r.held[s.Key] {", new: "if false {"},
	{name: "block: holding reaches one level", file: running, old: "r.held[dep] = true\n\t\t\tr.hold(dep)", new: "r.held[dep] = true"},
	{name: "block: a port comes up half made", file: running, old: "if admin, ok := k.Readies(); ok {", new: "if admin, ok := k.Readies(); ok && false {"},
	{name: "block: a failed node goes on", file: running, old: "if r.res.Failed[s.Key] != nil {\n\t\treturn &Failure{On: s.Key, Err: ErrBlocked}\n\t}", new: ""},

	// Adoption.
	{name: "adopt: the chip's own objects are strangers", file: readback, old: "first := known[mark] != b.sw.ID.OID()", new: "first := false"},
	{name: "adopt: the chip's own values are reset", file: change, old: "return v, ok && !refersOwn(a.Value)", new: "return v, ok"},
	{name: "adopt: strangers are the chip's own", file: readback, old: "k = unnamedKey(t, id)", new: "k = ownKey(t, id)"},
	{name: "adopt: names are not kept", file: apply, old: "\tr.saveNames(batch, moved)\n}\n\n// made", new: "}\n\n// made"},
	{name: "adopt: the reconciler does not learn a port's new name", file: pass, old: "a.rec.Rebind(r.Adopted)", new: "_ = r.Adopted"},
	{name: "adopt: what rests is forgotten by a rename", file: rec, old: "\tr.rename(to)\n\tmaps.Copy", new: "\tmaps.Copy"},

	// Comparing what was touched alone.
	{name: "touched: what failed is forgotten", file: rec, old: "\tr.open = r.among(desired, changed)\n", new: ""},
	{name: "touched: after a rename", file: rec, old: "r.shared, r.whole, r.last = nil, true, nil", new: "r.shared, r.last = nil, nil"},

	// Derivation in shards.
	{name: "shard: a port's view is not looked at", file: derive, old: "p != nil && p.view == v {", new: "p != nil {"},
	{name: "shard: pools are not read", file: "orchagent/bufferorch/bufferorch.go", old: `"BUFFER_POOL", "BUFFER_PROFILE", "CABLE_LENGTH"`, new: `"BUFFER_PROFILE", "CABLE_LENGTH"`},
	{name: "shard: the global map is not read", file: "orchagent/qosorch/maps.go", old: `append(configdb.MapTables[:], "PORT_QOS_MAP|global")`, new: `configdb.MapTables[:]`},
	{name: "shard: out of force makes no difference", file: index, old: "x.s.Rows.Has(table, key) == s.Rows.Has(table, key) && x.out[k] == out[k]", new: "x.s.Rows.Has(table, key) == s.Rows.Has(table, key)"},
	{name: "shard: headroom is not looked at", file: index, old: "profiles && v.headroom(rows.BufferProfiles) != v.Headroom || ", new: ""},
	{name: "shard: what is gone stays", file: changes, old: "\t\t\tdelete(g, o.Key)\n", new: ""},
	{name: "shard: referrers are not looked at", file: index, old: "if len(flipped) > 0 {\n\t\tx.addReferrers(flipped, rows)\n\t}", new: ""},

	// Acceptance.
	{name: "accept: what is stuck", file: pass, old: "(blocked[k] == nil || partly(blocked[k])) && a.cur.Rows.Get(k) == rec.Row", new: "a.cur.Rows.Get(k) == rec.Row"},
	{name: "accept: what is out of force", file: pass, old: " == rec.Row && !a.cur.Out[k] {", new: " == rec.Row {"},
	{name: "accept: removed rows for ever", file: pass, old: "changes[k] = state.Version{}\n", new: ""},
	{name: "accept: competitors do not hear of it", file: resolved, old: "if Contested[k.Table()] {\n\t\t\tw.changed[k] = true\n\t\t}", new: ""},
	{name: "accept: equal rows are other rows", file: edit, old: "r.Row = applied.Row // equal rows are the same row", new: "_ = applied"},
	{name: "accept: a removed row goes although it is referred to", file: retain, old: "if w.State.Removed.Len() == 0 {", new: "if true {"},
	{name: "accept: a bad input takes headroom along", file: robbing, old: "if r.State.ModelName() != configdb.Dynamic || row == nil", new: "if true || row == nil"},
	{name: "accept: another model or other files take headroom along", file: robbing, old: "if lost := r.robbed(next); len(lost) > 0 {", new: "if lost := r.robbed(next); len(lost) > 0 && false {"},
	{name: "accept: stated memory takes pools along", file: robbing, old: "if next.Effective.Rows.BufferPools[name] == nil || next.Out[pool.ID] {", new: "if false {"},
	{name: "restart: the model of before does not count", file: "orchagent/terms.go", old: "if t == nil {", new: "if true {"},
	{name: "accept: a derived row has no last applied version", file: edit, old: "Fields: f, Whole: f, Row: row", new: "Fields: f, Row: row"},
	{name: "retry: other rows bring retries forward", file: retrying, old: "if a.backoff.at.IsZero() || len(is) > 0", new: "if true || len(is) > 0"},
	{name: "offline: a port stays up", file: "orchagent/reconcile/diff.go", old: "if gate, attr, ok := d.inUse(&s); ok {", new: "if gate, attr, ok := d.inUse(&s); ok && false {"},
	{name: "offline: a port comes up although its change failed", file: running, old: "if r.set([]*Step{change}); r.res.Failed[change.Key] != nil {", new: "if r.set([]*Step{change}); r.over() {"},
	{name: "accept: a bad row takes the good one along", file: resolved, old: "return applied != nil && applied != w.rows.Get(k) &&", new: "return false && applied != nil &&"},

	// Bulk.
	{name: "bulk: mixed types", file: running, old: " && a.Verb == b.Verb && a.Key.Type == b.Key.Type", new: " && a.Verb == b.Verb"},
	{name: "bulk: mixed verbs", file: running, old: " && a.Verb == b.Verb && a.Key.Type == b.Key.Type", new: " && a.Key.Type == b.Key.Type"},
	{name: "bulk: mixed ranks", file: running, old: "a.Rank == b.Rank && ", new: ""},
	{name: "bulk: more than 64", file: running, old: "for n < len(p) && n < maxBatch &&", new: "for n < len(p) &&"},
	{name: "bulk: a call that failed as a whole succeeded", file: calls, old: "\tfor i := range st {\n\t\tst[i] = all\n\t}\n\treturn st", new: "\treturn st"},
	{name: "bulk: no bulk call, no write", file: calls, old: "if !unsupported(all, st) {", new: "if unsupported(all, st); true {"},
	{name: "bulk: attributes of one object together", file: apply, old: "s.fate[i].call = i\n", new: "s.fate[i].call = 0\n"},
	{name: "bulk: goes on after a failure", file: calls, old: "st[i] != 0 && stop {", new: "false {"},
	{name: "bulk: a chip that went away", file: calls, old: "r.res.Dirty = r.res.Dirty || slices.Contains(st, sai.StatusUninitialized)", new: "_ = slices.Contains[[]sai.Status]"},

	// Leftovers.
	{name: "leftover: ends a transaction", file: running, old: "if r.leftover(k) && !r.res.Dirty {", new: "if false {"},
	{name: "leftover: takes a name that is taken", file: diff, old: "if d.actual.nodes[old] == nil && d.desired[old] == nil && !d.freed[old] {", new: "if d.desired[old] == nil && !d.freed[old] {"},
	{name: "leftover: ends a call", file: apply, old: "case r.leftover(s.Key):\n\t\t\tleftover", new: "case false:\n\t\t\tleftover"},
	{name: "leftover: is not tried again", file: pass, old: "a.pass.failed, a.pass.leftover, a.pass.stateUnknown = res.Failed, len(res.Leftover) > 0, res.Dirty", new: "a.pass.failed, a.pass.leftover, a.pass.stateUnknown = res.Failed, false, res.Dirty"},

	// The agent.
	{name: "agent: writes before the first load", file: transact, old: "if a.rec == nil {\n\t\treturn nil, ErrNotLoaded\n\t}", new: "if a.cur == nil {\n\t\treturn nil, ErrNotLoaded\n\t}"},
	{name: "agent: forgets that it does not know", file: pass, old: "blocked: a.pass.blocked, stateUnknown: a.pass.stateUnknown}", new: "blocked: a.pass.blocked}"},
	{name: "agent: goes on although it does not know", file: transact, old: "len(t.bystanders) > 0 && !a.pass.stateUnknown {", new: "len(t.bystanders) > 0 {"},
	{name: "agent: what is in a transaction's way stays there", file: transact, old: "if !a.catchUp(ctx, failed) {", new: "if true {"},
	{name: "agent: commits before the chip", file: transact, old: "if !res.RolledBack && !res.Held && !res.Dirty {", new: "if !res.Held && !res.Dirty {"},

	// Ports that come and go.
	{name: "port: its parts come before it", file: diff, old: "case k.First():\n\t\treturn firstRank\n", new: ""},
	{name: "port: its parts do not rest on it", file: facets, old: "if port, ok := k.Port(); ok && !yield(port) {", new: "if port, ok := k.Port(); ok && false && !yield(port) {"},
	{name: "port: made although one of its lanes is taken", file: running, old: "if on, ok := r.inTheWay(s); ok {", new: "if on, ok := r.inTheWay(s); ok && false {"},
	{name: "port: what comes along is not looked for", file: apply, old: "\t\tr.populate(batch)\n", new: ""},
	{name: "port: what went along is still known", file: ports, old: "\t\t\tr.forget(k)\n\t\t\tdelete(r.handles, k)\n", new: ""},
	{name: "port: one that nobody ever wanted is removed", file: change, old: "return n.Key.Spare() || n.Adopted()", new: "return n.Adopted()"},

	// Effective rows.
	{name: "effect: a new device makes no new parameters", file: effect, old: "before.device == dev && ", new: ""},
	{name: "effect: rows of the model before stay", file: resolved, old: "for k := range before.Rows.Diff(w.Effective.Rows) {", new: "for _, k := range w.Effective.Changed {"},
	{name: "effect: an origin in force is blamed", file: blame, old: "return place + 2*n + 2", new: "return place"},
	{name: "effect: an origin that can't go back is blamed", file: blame, old: "return place + n + 1", new: "return place"},
	{name: "effect: an origin that changed is not blamed", file: blame, old: "if o := r.changedSource(c.Key); o.Key != \"\" {\n\t\treturn o\n\t}", new: ""},
	{name: "effect: a refusal does not need the origins", file: blame, old: "needs[o] = r.State.Choose(o)\n", new: "_ = o\n"},
	{name: "effect: what the chip has goes for a change that failed", file: refusing, old: "if a.hasBefore(k, b) {", new: "if false {"},
	{name: "derived: rows of a port that stays wait for it", file: retain, old: "x.State.Removed.Has(k) && !x.follows(row, k) {", new: "x.State.Removed.Has(k) {"},
	{name: "ports: lanes in the order of the row", file: lanes, old: "slices.Sorted(slices.Values(row.Lanes))", new: "row.Lanes"},

	// What finds no room.
	{name: "room: PFC stays on without headroom", file: pausing, old: "v.Stormed|v.NoRoom()", new: "v.Stormed"},
	{name: "room: old headroom counts as none", file: room, old: "x.Lossless = x.Lossless || on.", new: "x.Lossless = false && on."},
	{name: "room: what old headroom rests on goes", file: buffers, old: "\taddRests(s, b)\n", new: ""},
	{name: "room: a row is refused for a group", file: pass, old: "short := a.lackRoom(e)", new: "short := false"},
	{name: "room: groups ask for a profile that can't be made", file: room, old: "if p == nil || p.Has != nil {", new: "if p == nil || p != nil {"},
	{name: "room: a shortage outlives what was wanted", file: short, old: "x.Profile != row.Profile || ", new: ""},
	{name: "room: a shortage moves to another port", file: short, old: " || x.Port != v.ID", new: ""},
	{name: "room: a view keeps its shortages", file: index, old: " || !v.sameShortages(b.s.Short)", new: ""},
	{name: "room: a retry does not ask", file: pass, old: "\te.Short = nil\n", new: ""},
	{name: "room: another pool does not count", file: room, old: " || r.Rows.BufferPools[now.Pool] != x.Pool", new: ""},
	{name: "room: another version of a profile does not count", file: room, old: "now == nil || now != x.Wanted && !maps.Equal(configdb.Format(now), configdb.Format(x.Wanted)) || ", new: ""},
	{name: "room: a transaction asks in vain", file: faults, old: "append(faults, t.shortFaults()...)", new: "faults"},
	{name: "room: groups with room lose it to a bad version", file: pass, old: "(blocked[k] == nil || partly(blocked[k])) && a.cur.Rows.Get(k) == rec.Row", new: "blocked[k] == nil && a.cur.Rows.Get(k) == rec.Row"},
	{name: "room: a profile in use takes its inputs along", file: room, old: "return has(k) != nil && b.Key != \"\" && r.State.Applied.Has(b.Key) && !r.unchanged(b.Candidate)", new: "return has(k) != nil && b.Key != \"\""},

	// Derived rows.
	{name: "derived: somebody's row is written over", file: changes, old: "case rec != nil && (rec.Row == row || !r.State.StillDerived[k]):", new: "case rec != nil && rec.Row == row:"},
	{name: "derived: removed by request", file: derived, old: "return f == nil && s.StillDerived[k]", new: "return false"},
	{name: "derived: written before it is marked", file: marks, old: "\tif err := p.state.Write(ctx, &begin); err != nil {\n\t\treturn err\n\t}\n\ttheirs, err := p.commitDerived(ctx, change)\n", new: "\ttheirs, err := p.commitDerived(ctx, change)\n\tif err := p.state.Write(ctx, &begin); err != nil {\n\t\treturn err\n\t}\n"},

	// The buffer manager, step by step.
	{name: "bufmgr: users of a profile are not looked at", file: update, old: "\t\t\tu.takeProfile(k)\n", new: ""},
	{name: "bufmgr: a cable changes nothing", file: update, old: "u.in.Rows.CableLengths, port)", new: "u.in.Rows.CableLengths, func(string) {})"},
	{name: "bufmgr: what all ports share changes nothing", file: update, old: "u.common, u.all = c, true", new: "u.common = c"},
	{name: "bufmgr: classes of a port stay counted", file: classes, old: "c.book.count(c.book.classes[port], -1)", new: "_ = port"},
	{name: "bufmgr: a map changes nothing", file: ledger, old: "case mapTables[table]:", new: "case false:"},
	{name: "bufmgr: a port fills its own queue", file: classes, old: "f = f.without(kind.group)", new: "_ = f.without"},
	{name: "bufmgr: the next manager counts classes for the one before", file: ledger, old: "kinds: maps.Clone(l.kinds)", new: "kinds: l.kinds"},
	{name: "bufmgr: sharers of a row are not looked at", file: update, old: "if len(configdb.PortsOf(row)) > 1 {", new: "if false {"},
	{name: "bufmgr: the next manager changes the profiles of the one before", file: profiles, old: "g.users = maps.Clone(was.users)", new: "_ = maps.Clone(was.users)"},
	{name: "bufmgr: the next manager changes the effective rows of the one before", file: overlay, old: "entries: maps.Clone(o.entries)", new: "entries: o.entries"},
	{name: "bufmgr: the next manager changes which rows name a port for the one before", file: bufIndex, old: "return slices.Delete(slices.Clone(rows), i, i+1)", new: "return slices.Delete(rows, i, i+1)"},
	{name: "bufmgr: an output changes after it was given", file: overlay, old: "a.origins, a.ownOrigins = cloned(a.origins), true", new: "if a.origins == nil {\n\t\t\t\ta.origins = cloned(a.origins)\n\t\t\t}"},
	{name: "bufmgr: origins of what is gone stay", file: overlay, old: "\t\t\ta.put(k, &entry{})\n", new: ""},
	{name: "bufmgr: equal rows are other rows", file: overlay, old: "reflect.DeepEqual(old, row) {\n\t\treturn old", new: "reflect.DeepEqual(old, row) {\n\t\treturn row"},
}
