"""Cues and phrases that every domain's users share, read once from `phrases.toml`."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random


@dataclass(frozen=True, slots=True)
class PhraseBook:
    """The shared cues and phrases.

    Attributes:
        cues: Patterns over casefolded clauses, by what they tell.
        phrases: Phrases by act and by voice or temper.
    """

    cues: Mapping[str, re.Pattern[str]]
    phrases: Mapping[str, Mapping[str, tuple[str, ...]]]

    def says(self, cue: str, words: str) -> bool:
        """Tell whether a text holds a cue."""
        return self.cues[cue].search(words) is not None

    def without(self, cue: str, words: str) -> str:
        """Return a text without what a cue finds in it."""
        return self.cues[cue].sub("", words).strip()

    def phrase(self, act: str, voice: str, rng: Random) -> str:
        """Draw a phrase for an act; an act that a voice leaves out is empty."""
        by_voice = self.phrases[act]
        choices = by_voice.get(voice, by_voice["plain"])
        return rng.choice(choices) if choices else ""


@cache
def phrase_book() -> PhraseBook:
    """Return the shared phrase book."""
    text = files("crab_graph.personas").joinpath("phrases.toml").read_text("utf-8")
    document = tomllib.loads(text)
    return PhraseBook(
        cues={name: re.compile(cue) for name, cue in document["cues"].items()},
        phrases={
            act: {voice: tuple(choices) for voice, choices in by_voice.items()}
            for act, by_voice in document["phrases"].items()
        },
    )
