"""From a spec such as `openai:gpt-…` to a chat model."""
