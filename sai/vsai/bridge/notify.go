package bridge

import (
	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// notify sends SAI notifications for port and queue observations.
func (d *Device) notify(o dataplane.Observation) {
	s := &d.slots[o.Port.Index()]
	if s.port == 0 {
		return
	}
	switch o.Kind {
	case dataplane.SeenLink:
		d.chip.SetCarrier(s.port, o.On)
	case dataplane.SeenDeadlock:
		n := sai.QueueDeadlockNotificationData{QueueID: s.queues[o.Class], Event: sai.QueuePFCDeadlockEventTypeDetected}
		if !o.On {
			n.Event = sai.QueuePFCDeadlockEventTypeRecovered
		}
		d.chip.Post(sai.Notification{NotifyMeta: sai.OnQueuePFCDeadlock, Data: sai.Bytes(n)})
	default: // SAI has no notification for it
	}
}
