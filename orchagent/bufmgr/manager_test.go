package bufmgr_test

import "testing"

// TestRowOfAnotherModel: a row that plays no part in the dynamic model comes alone,
// and changes later together with one that does.
func TestRowOfAnotherModel(t *testing.T) {
	r := newRig(t, virtual(t), vsRows(2))
	r.change(rows{"PORT_QOS_MAP|Ethernet200": {"pfc_enable": "3"}})
	r.change(rows{"PORT_QOS_MAP|Ethernet200": nil, "BUFFER_PG|Ethernet0|0": nil})
}
