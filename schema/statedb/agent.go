package statedb

// AgentKey is the row in which the agent says how far it is.
const AgentKey = "XON_AGENT|xond"

// AgentRevision is its field with the number of the configuration in force.
const AgentRevision = "revision"
