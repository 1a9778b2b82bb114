package scenario

import "errors"

// File is a scenario file. Comments of fields give their defaults.
type File struct {
	At            Pos
	Name          string      `yaml:"name"`  // by default that of the file
	About         string      `yaml:"about"` // description
	Seed          uint64      `yaml:"seed"`
	Duration      Moment      `yaml:"duration"` // maximum; the run ends earlier when everything finite is done
	FixedDuration bool        `yaml:"whole"`    // always run for Duration
	Engine        Engine      `yaml:"engine"`
	Topology      Topology    `yaml:"topology"`
	Switch        *Setup      `yaml:"switch"` // default for switches
	Host          NIC         `yaml:"host"`   // default for hosts
	Workloads     []Workload  `yaml:"workloads"`
	Faults        []Fault     `yaml:"faults"`
	Assert        []Assertion `yaml:"assert"`
}

// Engine sets the precision of transmission times.
type Engine struct {
	Tick Moment `yaml:"tick"` // transmission times are rounded down to it; exact by default
	Wire *Size  `yaml:"wire"` // extra bytes on the wire per frame, 20 by default
}

// Topology is one of the shapes, and what is added by name. If a switch, host or link
// of a shape is named again, the given fields replace its own.
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

// LeafSpine is hosts below leaf1 to leafN, each of which is connected to spine1 to
// spineN.
type LeafSpine struct {
	Leaves int   `yaml:"leaves"`
	Spines int   `yaml:"spines"`
	Hosts  int   `yaml:"hosts"`  // below each leaf
	Uplink Speed `yaml:"uplink"` // rate between leaf and spine; Rate by default
	Wires  `yaml:",inline"`
}

// Ring is switches sw1 to swN, each connected to the next, with hosts below each.
type Ring struct {
	Switches int `yaml:"switches"`
	Hosts    int `yaml:"hosts"` // below each switch
	// Clockwise routes all packets to the next switch, regardless of distance.
	// Otherwise they take the shortest path.
	Clockwise bool `yaml:"clockwise"`
	Wires     `yaml:",inline"`
}

// Wires are the links of a shape.
type Wires struct {
	Rate   Speed  `yaml:"rate"`   // by default that of the switch port's row, otherwise 100G
	Delay  Moment `yaml:"delay"`  // one way
	Length Metres `yaml:"length"` // instead of Delay: 5 ns per metre
}

// Switch is a switch.
type Switch struct {
	Name  string `yaml:"-"`
	At    Pos
	Setup `yaml:",inline"`
	// Routes lists next hops to hosts, instead of the shortest paths.
	Routes map[string]Names `yaml:"routes"`
}

// Setup is the configuration of a switch: rows for an agent, or a model.
type Setup struct {
	Chip   string `yaml:"chip"`   // virtual chip profile, such as spc4,SAI_KEY_DISABLE_PORT_ALPHA=1; by default from the platform in the rows
	Config string `yaml:"config"` // a config_db.json, relative to the scenario's folder
	Rows   Rows   `yaml:"rows"`   // override those of Config
	Model  *Model `yaml:"model"`  // dataplane parameters, without an agent
}

// Rows are CONFIG_DB rows: TABLE, key, field. They override those of Config field by
// field. A null row is removed. "*" at the start of a key, or as a field name, stands
// for each port that has a link, except for those that are also named explicitly. A
// port that the switch does not have is an error.
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
	Buffer       Size            `yaml:"buffer"`        // shared by all groups
	HeadroomPool Size            `yaml:"headroom-pool"` // in addition to Buffer; none by default: each group has its own
	Response     *Moment         `yaml:"response"`      // from receiving a pause frame to stopping; the maximum of IEEE 802.3 by default
	PauseQuanta  uint16          `yaml:"pause-quanta"`  // 65535 by default
	PauseBytes   Size            `yaml:"pause-bytes"`   // size of a pause frame, 64 by default
	NoExpiry     bool            `yaml:"no-expiry"`     // pauses last until they are resumed
	Classes      map[uint8]Class `yaml:"classes"`       // other classes share all of Buffer and are lossy
}

// Class configures a priority: a priority group, a queue, flow control.
type Class struct {
	At        Pos
	Reserved  Size      `yaml:"reserved"`
	Alpha     *int8     `yaml:"alpha"`    // exponent of two of a dynamic threshold
	Limit     Size      `yaml:"limit"`    // a static threshold; all of Buffer by default
	Headroom  Size      `yaml:"headroom"` // after XOFF; 0: the class is lossy
	Xon       Size      `yaml:"xon"`
	XonOffset Size      `yaml:"xon-offset"`
	Queue     Size      `yaml:"queue"` // queue limit; none by default
	ECN       *ECN      `yaml:"ecn"`
	Strict    bool      `yaml:"strict"`
	Weight    uint8     `yaml:"weight"` // 1 by default
	MaxRate   Speed     `yaml:"max-rate"`
	Watchdog  *Watchdog `yaml:"watchdog"`
}

// ECN is a marking curve.
type ECN struct {
	Min            Size  `yaml:"min"`
	Max            Size  `yaml:"max"`
	MaxProbability Share `yaml:"most"` // marking probability at Max
	Dequeue        bool  `yaml:"dequeue"`
}

// Watchdog is the deadlock detector of a queue.
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
	NIC     `yaml:",inline"`
}

// NIC is the network card of a host.
type NIC struct {
	AckClass *uint8  `yaml:"ack-class"` // of acknowledgements and CNPs; the flow's by default
	Response *Moment `yaml:"response"`  // from receiving a pause frame to stopping; the maximum of IEEE 802.3 by default
	NoPFC    *bool   `yaml:"no-pfc"`    // ignore pause frames; otherwise PFC, or 802.3x if the switch port uses that
}

// Link connects two switches.
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
	Bytes   Size    `yaml:"bytes"`   // of a flow; for all-reduce, the size of the data to reduce. None: endless
	Class   *uint8  `yaml:"class"`   // priority, 3 by default
	DSCP    *uint8  `yaml:"dscp"`    // by default what the configuration maps to Class, otherwise 8 × Class
	Control Control `yaml:"control"` // none, dcqcn-card, dcqcn-paper
	DCQCN   *DCQCN  `yaml:"dcqcn"`   // override the parameters of Control
	ECN     *bool   `yaml:"ecn"`     // ECN-capable: switches mark packets instead of dropping them early; true by default, as for RoCE
	Rate    Speed   `yaml:"rate"`    // maximum
	Start   Moment  `yaml:"start"`
	Stop    Moment  `yaml:"stop"`   // of endless flows
	Jitter  Moment  `yaml:"jitter"` // maximum of a random delay of each start
	// Every repeats the flows, Times times or until the end. On gives them the bytes
	// that they send at their rate in that time.
	Every     Moment  `yaml:"every"`
	Times     int     `yaml:"times"`
	On        Moment  `yaml:"on"`
	Steps     int     `yaml:"steps"`   // of all-reduce; 2(n−1) by default
	Payload   Size    `yaml:"payload"` // per packet, 1024 by default
	Headers   Size    `yaml:"headers"` // header bytes per packet, 62 by default
	AckBytes  Size    `yaml:"ack-bytes"`
	AckEvery  int     `yaml:"ack-every"`  // packets
	EchoMarks bool    `yaml:"echo-marks"` // report marks in acknowledgements instead of CNPs
	CNPEvery  Moment  `yaml:"cnp-every"`  // 50 µs by default, 0 with dcqcn-card
	Timeout   *Moment `yaml:"timeout"`    // time without progress before retransmission, 4 ms by default; 0: never
	GoBack    GoBack  `yaml:"go-back"`    // n: resend from the lost packet; 0: from the beginning
	TTL       uint8   `yaml:"ttl"`        // 64 by default
}

// DCQCN holds the parameters of a reaction point. Defaults are those of Control:
// dcqcn-card as in NICs, dcqcn-paper as in Zhu et al., SIGCOMM 2015.
type DCQCN struct {
	G         *Share  `yaml:"g"`          // gain of α; 1/256 (0.390625%)
	AlphaTime *Moment `yaml:"alpha-time"` // interval without a CNP after which α decreases; NICs 1us, 55us
	CutTime   *Moment `yaml:"cut-time"`   // only dcqcn-card: minimum interval between rate cuts; 4us
	RiseTime  *Moment `yaml:"rise-time"`  // interval between rate increases; NICs 300us, 55us
	RiseBytes *Size   `yaml:"rise-bytes"` // bytes between rate increases; 0: by time only, as in NICs; 10MB
	Steps     *int    `yaml:"steps"`      // increases that only return to the rate before the cut; NICs 1, 5
	Add       *Speed  `yaml:"add"`        // per additive increase; NICs 5 Mb/s per 25 Gb/s, 40M
	AddFast   *Speed  `yaml:"add-fast"`   // per hyper increase; NICs 50 Mb/s per 25 Gb/s, 400M
	MinRate   *Speed  `yaml:"least"`      // lower bound of the rate; NICs 1G, 10M
}

// Fault is a fault or a change while packets are sent. It has one of the fields besides
// the times.
type Fault struct {
	At    Pos
	When  Moment  `yaml:"at"`
	Until *Moment `yaml:"until"` // for all but Set; never ends by default
	// Storm makes a host request pauses of Classes continuously, as a broken NIC does,
	// or one whose receiver is too slow.
	Storm   string  `yaml:"storm"`
	Classes []uint8 `yaml:"classes"` // 3 by default
	Every   Moment  `yaml:"every"`   // interval between its frames; by default before the pause expires
	// LinkDown cuts the link between two nodes. Reroute is the delay until other
	// switches use other paths; by default they never do.
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

// Detour is a route of a switch to a host through a neighbour.
type Detour struct {
	Switch string `yaml:"switch"`
	To     string `yaml:"to"`
	Via    Names  `yaml:"via"`
}

// Change writes rows while packets are sent.
type Change struct {
	Switch string `yaml:"switch"`
	Rows   Rows   `yaml:"rows"`
}

// Assertion is a condition such as "drops == 0".
type Assertion struct {
	At   Pos
	Text string
}

func (c *Assertion) parse(text string) error {
	if c.Text = text; text == "" {
		return errors.New("nothing is asserted")
	}
	return nil
}
