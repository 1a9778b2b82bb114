package meta_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"xon/sai"
	"xon/sai/meta"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var classNames = map[meta.Class]string{meta.Capacity: "capacity", meta.Bitmap: "bitmap", meta.Restriction: "restriction"}

// The whole overlay, for review: what it says of every attribute and object type
// of SAI that it says anything of.
func TestOverlay(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	withClass, withOrder := 0, 0
	for _, o := range sai.Objects {
		if meta.Adopted(o.Type) {
			fmt.Fprintf(&b, "%s made by the chip\n", o.Type)
		}
		if meta.ReplaceOf(o.Type) == meta.BreakBeforeMake {
			fmt.Fprintf(&b, "%s break before make\n", o.Type)
		}
		for _, a := range o.Attrs {
			class, order := classNames[meta.ClassOf(a)], meta.Order(a)
			if meta.Offline(a) {
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
	if c, o := meta.Facts(); c != withClass || o != withOrder {
		t.Errorf("the overlay has %d classes and %d orders, attributes of SAI have %d and %d", c, o, withClass, withOrder)
	}
}

// Classes fit the values that they compare.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, o := range sai.Objects {
		for _, a := range o.Attrs {
			ok := true
			switch meta.ClassOf(a) {
			case meta.Capacity:
				ok = a.Kind == sai.KindU32 || a.Kind == sai.KindU64
			case meta.Bitmap:
				ok = a.Kind == sai.KindU8 || a.Kind == sai.KindBool || a == sai.PortAttrGlobalFlowControlMode.AttrMeta
			case meta.Restriction:
				ok = a.Kind == sai.KindEnum
			case meta.Reference:
				ok = a.Kind == sai.KindOID || a.Kind == sai.KindOIDList
			case meta.Plain:
				ok = a.Kind != sai.KindOID && a.Kind != sai.KindOIDList
			}
			if !ok || meta.ClassOf(a) != meta.Reference && meta.ClassOf(a) != meta.Plain && !a.Has(sai.Settable) {
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
		if meta.Order(p.first) >= meta.Order(p.then) {
			t.Errorf("%s is not before %s", p.first.FullName(), p.then.FullName())
		}
		if mask := p.then == sai.PortAttrPriorityFlowControlRx.AttrMeta; meta.Limits(p.first, p.then) == mask || meta.Limits(p.then, p.first) == mask {
			t.Errorf("%s limits %s: %v", p.first.FullName(), p.then.FullName(), !mask)
		}
	}
	// Attributes of the same order go by id, which puts the mode before both.
	if mode, tx := sai.PortAttrPriorityFlowControlMode, sai.PortAttrPriorityFlowControlTx; meta.Order(mode.AttrMeta) > meta.Order(tx.AttrMeta) || mode.AttrMeta.ID > tx.AttrMeta.ID {
		t.Error("the mode of pausing is not before what is sent")
	}
}
