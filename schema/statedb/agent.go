package statedb

// AgentKey is the row in which the agent says how far it is.
const AgentKey = "XON_AGENT|xond"

// AgentRevision is its field with the number of the configuration in force.
const AgentRevision = "revision"

// AgentModel and AgentMemory are its fields with what the buffer manager goes by: its model,
// and the packet memory in bytes that another program stated, 0 for none.
const (
	AgentModel  = "buffer_model"
	AgentMemory = "stated_memory"
)
