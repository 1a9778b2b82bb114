package bufferorch

import (
	"errors"
	"fmt"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/schema/configdb"
	"xon/schema/platform"
)

// unchecked says that sizes are compared with nothing, because the chip does not report
// its packet memory. Nothing is said of SONiC's virtual switch, which never does.
type unchecked struct{ sw platform.Switch }

// memoryOf finds out whether sizes are compared with the chip; nil if they are, or if
// there is nothing to say of it.
func memoryOf(s *intent.Snapshot) *unchecked {
	row := s.Rows.DeviceMetadata["localhost"]
	if s.Device.MMUBytes > 0 || row == nil {
		return nil
	}
	sw := platform.Of(row.Platform, row.HWSKU)
	if sw.Virtual {
		return nil
	}
	return &unchecked{sw}
}

// metadata warns of a platform of which the chip is a guess.
func (u *unchecked) metadata(row *configdb.DeviceMetadata, b *graph.Builder) {
	if u.sw.Known() {
		return
	}
	b.Warn(row.ID, "platform", fmt.Errorf("%q is not known, and what chip it has: sizes are not checked; start with --profile CLASS if it is one of %s",
		row.Platform, strings.Join(platform.Classes(), ", ")))
}

// pool warns that a pool's size is compared with nothing.
func (u *unchecked) pool(row *configdb.BufferPool, b *graph.Builder) {
	b.Warn(row.ID, "size", errors.New(u.why()+": whether the chip has room for the pool is not checked"))
}

func (u *unchecked) why() string {
	switch {
	case !u.sw.Known():
		return "the platform is not known, nor its packet memory"
	case u.sw.Memory() != "":
		return "packet memory not published" + u.sw.Memory()
	}
	return "the chip does not report its packet memory"
}
