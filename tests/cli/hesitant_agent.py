"""An agent that is interrupted in the middle of its first episode, where it is told to be."""

import os
import signal
from typing import Any

INTERRUPTED = "CRAB_TEST_INTERRUPTED"
"""Variable of the environment that tells it, once."""


def make(tools: Any) -> Any:
    """Return a function that says the same again and again."""
    del tools
    calls = []

    def agent(messages: Any) -> str:
        calls.append(len(messages))
        if len(calls) == 2 and os.environ.pop(INTERRUPTED, ""):
            signal.raise_signal(signal.SIGINT)
        return "One moment."

    return agent
