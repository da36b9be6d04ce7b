"""One dialogue as a LangGraph state machine: state, nodes, routing, checkpoints."""
