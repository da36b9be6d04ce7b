"""How a LangChain or OpenAI message says what only our transcripts have a field for."""

USER_NAME = "user"
"""Name of an assistant's message in which the user calls its tools: elsewhere users make none."""

PLACE = "crab_graph_seq"
"""Where a message says, in its `response_metadata`, the how many-th of its episode it is."""
