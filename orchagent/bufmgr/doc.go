// Package bufmgr turns the buffer rows of CONFIG_DB into those that are to take
// effect, as SONiC's buffermgrd does, but as a pure function of rows and chip.
//
// There are two models. The traditional one looks headroom up by speed and cable
// length and puts profiles and priority groups into CONFIG_DB for every port with
// PFC. The dynamic one computes headroom and the sizes of pools, takes unused ports'
// buffers away, and leaves CONFIG_DB alone. Which one is decided when the manager is
// made: Params.Model.
//
// What is not for here: what a buffer row means for the chip (bufferorch), the order
// of changes (reconcile), where rows are stored and files are found.
package bufmgr
