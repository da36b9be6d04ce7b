"""What rules tell a model that plays the user: notes for each message, and why one is not sent."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from crab_graph.personas.behavior import Behavior


class UserGuide(BaseModel):
    """The lines of private notes by name, and of breaches by what is wrong, with placeholders.

    `cues` find what a user must not say.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    notes: Mapping[str, str]
    breaches: Mapping[str, str]
    cues: Mapping[str, re.Pattern[str]]

    def says(self, cue: str, words: str) -> bool:
        """Tell whether a casefolded text holds a cue."""
        return self.cues[cue].search(words) is not None


@cache
def user_guide() -> UserGuide:
    """Return the shipped guide."""
    text = files("crab_graph.personas").joinpath("user_guide.toml").read_text("utf-8")
    return UserGuide.model_validate(tomllib.loads(text))


def fact_label(key: str) -> str:
    """Return what a fact is called in prompts and notes."""
    return key.replace("_", " ")


def detail_limit(behavior: Behavior) -> str:
    """Return in words how many details one answer gives."""
    limit = behavior.facts_per_answer
    limits = {None: "all details it asks for", 1: "one detail"}
    return limits.get(limit, f"at most {limit} details")
