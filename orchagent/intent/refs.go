package intent

import (
	"errors"

	"xon/orchagent/graph"
)

// DynamicModel is what rows wait for that only the dynamic buffer model gives a meaning
// to, and ErrTraditional why they do not have one.
const DynamicModel graph.Missing = "the dynamic buffer model"

// ErrTraditional says that a row needs the other buffer model.
var ErrTraditional = errors.New("the traditional buffer model is in use, and only the dynamic one computes it: " +
	"set buffer_model of DEVICE_METADATA|localhost to dynamic, then xonctl restart buffers")
