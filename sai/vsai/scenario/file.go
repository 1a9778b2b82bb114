package scenario

import "errors"

// File is a scenario as it is written. A field's comment has its default.
type File struct {
	At        Pos
	Name      string     `yaml:"name"`  // by default the file's
	About     string     `yaml:"about"` // for people
	Seed      uint64     `yaml:"seed"`
	Duration  Moment     `yaml:"duration"` // at most; it ends when all that has an end is done
	Whole     bool       `yaml:"whole"`    // it ends with Duration alone
	Engine    Engine     `yaml:"engine"`
	Topology  Topology   `yaml:"topology"`
	Switch    *Setup     `yaml:"switch"` // of switches that say nothing themselves
	Host      Card       `yaml:"host"`   // of hosts that say nothing themselves
	Workloads []Workload `yaml:"workloads"`
	Faults    []Fault    `yaml:"faults"`
	Assert    []Claim    `yaml:"assert"`
}

// Engine is how exact the wire is.
type Engine struct {
	Tick Moment `yaml:"tick"` // times of sending are cut to it; exact by default
	Wire *Size  `yaml:"wire"` // bytes of each frame beside it, 20 by default
}

// Topology is who is joined to whom: one of the shapes, and what is named beside it.
// A switch, host or link of a shape that is named again gets the fields given there.
type Topology struct {
	At        Pos
	Star      *Star      `yaml:"star"`
	LeafSpine *LeafSpine `yaml:"leaf-spine"`
	Ring      *Ring      `yaml:"ring"`
	Switches  []Switch   `yaml:"switches"`
	Hosts     []Host     `yaml:"hosts"`
	Links     []Link     `yaml:"links"`
}

// Star is hosts h1 to hN around the switch sw1, each at the next port.
type Star struct {
	Hosts int `yaml:"hosts"`
	Wires `yaml:",inline"`
}

// LeafSpine is hosts below leaf1 to leafN, each of which is joined to spine1 to spineN.
type LeafSpine struct {
	Leaves int   `yaml:"leaves"`
	Spines int   `yaml:"spines"`
	Hosts  int   `yaml:"hosts"`  // below each leaf
	Uplink Speed `yaml:"uplink"` // rate from leaf to spine; as Rate by default
	Wires  `yaml:",inline"`
}

// Ring is switches sw1 to swN, each joined to the next, with hosts below each.
type Ring struct {
	Switches int `yaml:"switches"`
	Hosts    int `yaml:"hosts"` // below each
	// Clockwise sends everything to the next switch, however long the way. Otherwise it
	// goes the shortest.
	Clockwise bool `yaml:"clockwise"`
	Wires     `yaml:",inline"`
}

// Wires are the links of a shape.
type Wires struct {
	Rate   Speed  `yaml:"rate"`   // by default that of the switch's port by its rows, else 100G
	Delay  Moment `yaml:"delay"`  // one way
	Length Metres `yaml:"length"` // in place of Delay: 5 ns a metre
}

// Switch is a switch.
type Switch struct {
	Name  string `yaml:"-"`
	At    Pos
	Setup `yaml:",inline"`
	// Routes has packets to a host go to these neighbours, and not the shortest way.
	Routes map[string]Names `yaml:"routes"`
}

// Setup is how a switch is configured: by an agent from rows, or by a model.
type Setup struct {
	Chip   string `yaml:"chip"`   // profile of the virtual chip, as spc4,SAI_KEY_DISABLE_PORT_ALPHA=1; by the platform of the rows by default
	Config string `yaml:"config"` // a config_db.json, from the scenario's folder
	Rows   Rows   `yaml:"rows"`   // over those of Config
	Model  *Model `yaml:"model"`  // parameters of the dataplane, without an agent
}

// Rows are rows of CONFIG_DB: TABLE, key, field, over those of Config field by field. A
// row that is null is removed. "*" at the beginning of a key, or as the name of a field,
// is each port that has a link, but for those that stand beside it by name. A port that
// the switch does not have is an error.
type Rows map[string]map[string]map[string]string

// Model is a switch without an agent.
type Model struct {
	At           Pos
	Cell         Size            `yaml:"cell"` // 1 by default
	CellOverhead Size            `yaml:"cell-overhead"`
	Slices       uint8           `yaml:"slices"`
	Admission    Admission       `yaml:"admission"`     // before, after, per-group
	Resume       Resume          `yaml:"resume"`        // pool, own
	Release      Release         `yaml:"release"`       // late, early
	Buffer       Size            `yaml:"buffer"`        // what all groups share
	HeadroomPool Size            `yaml:"headroom-pool"` // beside it; none by default: each group has its own
	Response     *Moment         `yaml:"response"`      // from a pause frame to the pause; the most of IEEE 802.3 by default
	PauseQuanta  uint16          `yaml:"pause-quanta"`  // 65535 by default
	PauseBytes   Size            `yaml:"pause-bytes"`   // of a pause frame, 64 by default
	NoExpiry     bool            `yaml:"no-expiry"`     // pauses last until they are taken back
	Classes      map[uint8]Class `yaml:"classes"`       // others share all of Buffer and are lossy
}

// Class is what packets of a priority get: a priority group, a queue, flow control.
type Class struct {
	At        Pos
	Reserved  Size      `yaml:"reserved"`
	Alpha     *int8     `yaml:"alpha"`    // exponent of two of a dynamic threshold
	Limit     Size      `yaml:"limit"`    // a static one; all of Buffer by default
	Headroom  Size      `yaml:"headroom"` // after XOFF; 0: the class is lossy
	Xon       Size      `yaml:"xon"`
	XonOffset Size      `yaml:"xon-offset"`
	Queue     Size      `yaml:"queue"` // most that a queue takes; no limit by default
	ECN       *ECN      `yaml:"ecn"`
	Strict    bool      `yaml:"strict"`
	Weight    uint8     `yaml:"weight"` // 1 by default
	MaxRate   Speed     `yaml:"max-rate"`
	Watchdog  *Watchdog `yaml:"watchdog"`
}

// ECN is a marking curve.
type ECN struct {
	Min     Size  `yaml:"min"`
	Max     Size  `yaml:"max"`
	Most    Share `yaml:"most"` // probability at Max
	Dequeue bool  `yaml:"dequeue"`
}

// Watchdog is a queue's deadlock detector.
type Watchdog struct {
	Detect  Moment `yaml:"detect"`
	Recover Moment `yaml:"recover"`
	Action  Action `yaml:"action"` // forward, drop
}

// Host is a host.
type Host struct {
	Name    string `yaml:"-"`
	At      Pos
	Attach  string `yaml:"attach"` // SWITCH or SWITCH/PORT; the next free one by default
	Wires   `yaml:",inline"`
	Loss    Share  `yaml:"loss"`
	Address string `yaml:"address"` // 10.0.x.y by default
	MAC     string `yaml:"mac"`     // 02:00:… by default
	Card    `yaml:",inline"`
}

// Card is a host's network card.
type Card struct {
	AckClass *uint8  `yaml:"ack-class"` // of acknowledgements and CNPs; the flow's by default
	Response *Moment `yaml:"response"`  // from a pause frame to the pause; the most of IEEE 802.3 by default
	NoPFC    *bool   `yaml:"no-pfc"`    // it ignores pause frames; else PFC, or 802.3x if the switch's port has that
}

// Link joins two switches.
type Link struct {
	Name  string `yaml:"-"`
	At    Pos
	Ends  []string `yaml:"ends"` // two of SWITCH or SWITCH/PORT
	Wires `yaml:",inline"`
	Loss  Share `yaml:"loss"`
}

// Workload is a group of flows.
type Workload struct {
	Name    string `yaml:"-"`
	At      Pos
	Pattern Pattern `yaml:"pattern"`
	From    Names   `yaml:"from"` // hosts; all by default
	To      Names   `yaml:"to"`
	Bytes   Size    `yaml:"bytes"`   // of a flow; of the whole of what a ring reduces. None: without end
	Class   *uint8  `yaml:"class"`   // priority, 3 by default
	DSCP    *uint8  `yaml:"dscp"`    // by default what the configuration maps to Class, else 8 × Class
	Control Control `yaml:"control"` // none, dcqcn-card, dcqcn-paper
	DCQCN   *DCQCN  `yaml:"dcqcn"`   // parameters of Control, in place of its own
	ECN     *bool   `yaml:"ecn"`     // ECN-capable, so that switches mark packets and do not drop them early; true by default, as RoCE is
	Rate    Speed   `yaml:"rate"`    // at most
	Start   Moment  `yaml:"start"`
	Stop    Moment  `yaml:"stop"`   // of flows without end
	Jitter  Moment  `yaml:"jitter"` // flows start by chance, so much later at most
	// Every repeats the flows, Times times or to the end. On gives them the bytes that
	// their rate sends in that time.
	Every     Moment  `yaml:"every"`
	Times     int     `yaml:"times"`
	On        Moment  `yaml:"on"`
	Steps     int     `yaml:"steps"`   // of a ring; 2(n−1) by default
	Payload   Size    `yaml:"payload"` // of a packet, 1024 by default
	Headers   Size    `yaml:"headers"` // of a packet beside, 62 by default
	AckBytes  Size    `yaml:"ack-bytes"`
	AckEvery  int     `yaml:"ack-every"`  // packets
	EchoMarks bool    `yaml:"echo-marks"` // acknowledgements tell of marks, in place of CNPs
	CNPEvery  Moment  `yaml:"cnp-every"`  // 50 µs by default, 0 with dcqcn-card
	Timeout   *Moment `yaml:"timeout"`    // without progress until it is sent again, 4 ms by default; 0: never
	GoBack    GoBack  `yaml:"go-back"`    // n: from what is missing; 0: from the beginning
	TTL       uint8   `yaml:"ttl"`        // 64 by default
}

// DCQCN is the parameters of a reaction point. What is not given is as Control has it:
// dcqcn-card as network cards do, dcqcn-paper as Zhu et al., SIGCOMM 2015, have it.
type DCQCN struct {
	G         *Share  `yaml:"g"`          // gain of α; 1/256 (0.390625%)
	AlphaTime *Moment `yaml:"alpha-time"` // α falls every so long without a CNP; 1us of cards, 55us
	CutTime   *Moment `yaml:"cut-time"`   // of dcqcn-card alone: the rate is cut at most every so long; 4us
	RiseTime  *Moment `yaml:"rise-time"`  // the rate rises every so long; 300us of cards, 55us
	RiseBytes *Size   `yaml:"rise-bytes"` // and every so many bytes; 0: by time alone, as cards do; 10MB
	Steps     *int    `yaml:"steps"`      // rises that only go back to the rate before the cut; 1 of cards, 5
	Add       *Speed  `yaml:"add"`        // of a rise beyond it; 5 Mb/s per 25 Gb/s of cards, 40M
	AddFast   *Speed  `yaml:"add-fast"`   // of later ones; 50 Mb/s per 25 Gb/s of cards, 400M
	Least     *Speed  `yaml:"least"`      // the rate never falls below it; 1G of cards, 10M
}

// Fault is something that goes wrong, or is changed, while packets move. It has one of
// the fields beside the times.
type Fault struct {
	At    Pos
	When  Moment  `yaml:"at"`
	Until *Moment `yaml:"until"` // of all but Set; for good by default
	// Storm has a host ask for pauses of Classes without end, as a broken card does, or
	// one whose receiver does not keep up.
	Storm   string  `yaml:"storm"`
	Classes []uint8 `yaml:"classes"` // 3 by default
	Every   Moment  `yaml:"every"`   // between its frames; by default as each would expire
	// LinkDown cuts the link between two nodes. Reroute is how long others go on
	// sending that way; for good by default.
	LinkDown []string `yaml:"link-down"`
	Reroute  *Moment  `yaml:"reroute"`
	Loss     *Loss    `yaml:"loss"`
	TxOff    string   `yaml:"tx-off"` // SWITCH/PORT or a host: it sends nothing
	Route    *Detour  `yaml:"route"`
	Set      *Change  `yaml:"set"`
}

// Loss is a link that loses frames.
type Loss struct {
	Link        []string `yaml:"link"`
	Probability Share    `yaml:"probability"`
}

// Detour has packets to a host leave a switch towards a neighbour.
type Detour struct {
	Switch string `yaml:"switch"`
	To     string `yaml:"to"`
	Via    Names  `yaml:"via"`
}

// Change is rows that are written while packets move.
type Change struct {
	Switch string `yaml:"switch"`
	Rows   Rows   `yaml:"rows"`
}

// Claim is what is to hold, as in "drops == 0".
type Claim struct {
	At   Pos
	Text string
}

func (c *Claim) parse(text string) error {
	if c.Text = text; text == "" {
		return errors.New("nothing is asserted")
	}
	return nil
}
