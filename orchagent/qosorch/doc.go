// Package qosorch derives how packets are classified, served and marked: QoS maps,
// schedulers and WRED profiles, and what ports and queues use of them.
//
// What is not for here: buffers (package bufferorch), pausing (package pfcorch), and how the
// chip nests its scheduler groups (package inventory finds the one that serves each queue).
package qosorch
