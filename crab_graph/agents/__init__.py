"""Adapters from what a LangChain user has to what an episode needs, and reference agents."""
