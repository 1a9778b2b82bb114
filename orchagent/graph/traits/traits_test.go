package traits_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"xon/orchagent/graph/traits"
	"xon/sai"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var classNames = map[traits.Class]string{traits.Capacity: "capacity", traits.Bitmap: "bitmap", traits.Restriction: "restriction"}

// The whole overlay, for review: what it says of every attribute and object type
// of SAI that it says anything of.
func TestOverlay(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	withClass, withOrder := 0, 0
	for _, o := range sai.Objects {
		if traits.Adopted(o.Type) {
			fmt.Fprintf(&b, "%s made by the chip\n", o.Type)
		}
		if traits.ReplaceOf(o.Type) == traits.BreakBeforeMake {
			fmt.Fprintf(&b, "%s break before make\n", o.Type)
		}
		for _, a := range o.Attrs {
			class, order := classNames[traits.ClassOf(a)], traits.Order(a)
			if traits.Offline(a) {
				fmt.Fprintf(&b, "%s offline\n", a.FullName())
			}
			if class != "" {
				withClass++
			}
			if order != 0 {
				withOrder++
			}
			if class != "" || order != 0 {
				fmt.Fprintf(&b, "%s %s order %d\n", a.FullName(), class, order)
			}
		}
	}
	golden := "testdata/overlay.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("(-want +got, -update rewrites):\n%s", d)
	}
	if c, o := traits.Facts(); c != withClass || o != withOrder {
		t.Errorf("the overlay has %d classes and %d orders, attributes of SAI have %d and %d", c, o, withClass, withOrder)
	}
}

// Classes fit the values that they compare.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, o := range sai.Objects {
		for _, a := range o.Attrs {
			ok := true
			switch traits.ClassOf(a) {
			case traits.Capacity:
				ok = a.Kind == sai.KindU32 || a.Kind == sai.KindU64
			case traits.Bitmap:
				ok = a.Kind == sai.KindU8 || a.Kind == sai.KindBool || a == sai.PortAttrGlobalFlowControlMode.AttrMeta
			case traits.Restriction:
				ok = a.Kind == sai.KindEnum
			case traits.Reference:
				ok = a.Kind == sai.KindOID || a.Kind == sai.KindOIDList
			case traits.Plain:
				ok = a.Kind != sai.KindOID && a.Kind != sai.KindOIDList
			}
			if !ok || traits.ClassOf(a) != traits.Reference && traits.ClassOf(a) != traits.Plain && !a.Has(sai.Settable) {
				t.Errorf("%s has the wrong class", a.FullName())
			}
		}
	}
}

// What limits another attribute is taken before it.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, p := range []struct{ first, then *sai.AttrMeta }{
		{sai.WredAttrGreenMaxThreshold.AttrMeta, sai.WredAttrGreenMinThreshold.AttrMeta},
		{sai.BufferPoolAttrSize.AttrMeta, sai.BufferPoolAttrXoffSize.AttrMeta},
		{sai.PortAttrPriorityFlowControlTx.AttrMeta, sai.PortAttrPriorityFlowControlRx.AttrMeta},
		{sai.SchedulerAttrMaxBandwidthRate.AttrMeta, sai.SchedulerAttrMinBandwidthRate.AttrMeta},
	} {
		if traits.Order(p.first) >= traits.Order(p.then) {
			t.Errorf("%s is not before %s", p.first.FullName(), p.then.FullName())
		}
		if mask := p.then == sai.PortAttrPriorityFlowControlRx.AttrMeta; traits.Limits(p.first, p.then) == mask || traits.Limits(p.then, p.first) == mask {
			t.Errorf("%s limits %s: %v", p.first.FullName(), p.then.FullName(), !mask)
		}
	}
	// Attributes of the same order go by id, which puts the mode before both.
	if mode, tx := sai.PortAttrPriorityFlowControlMode, sai.PortAttrPriorityFlowControlTx; traits.Order(mode.AttrMeta) > traits.Order(tx.AttrMeta) || mode.AttrMeta.ID > tx.AttrMeta.ID {
		t.Error("the mode of pausing is not before what is sent")
	}
}
