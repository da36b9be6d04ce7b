"""The words of travel, read from `lexicon.toml` and `text.toml`."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from crab_graph.domains.domain import Slot
from crab_graph.domains.travel.names import CARRIERS, CITIES, DISTRICTS
from crab_graph.personas.briefing import BriefedSlot, UserBriefing
from crab_graph.personas.facts import Fact
from crab_graph.personas.wordbook import DomainLexicon, parse_lexicon
from crab_graph.settings import Toolset
from crab_graph.text.vocabulary import TextVocabulary


@cache
def travel_vocabulary() -> TextVocabulary:
    """Return the words of the travel domain."""
    source = files("crab_graph.domains.travel").joinpath("text.toml").read_text("utf-8")
    words = tomllib.loads(source)
    return TextVocabulary(
        prefixes=words["prefixes"],
        named_kinds=frozenset(words["named_kinds"]),
        booking_prefix=words["booking_prefix"],
        slots=words["slots"],
        slot_words=_tuples(words["slot_words"]),
        group_words=_tuples(words["group_words"]),
        bare_words=_tuples(words["bare_words"]),
        item_words=frozenset(words["item_words"]),
        trip_words=tuple(words["trip_words"]),
        unit_phrases=tuple(words["unit_phrases"]),
        counted_words=tuple(words["counted_words"]),
    )


def _tuples(lists: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in lists.items()}


SOURCE = "lexicon.toml"


@cache
def travel_lexicon() -> DomainLexicon:
    """Return the words that users of travel tasks understand and say."""
    text = _read(SOURCE)
    for name, values in (("{carriers}", CARRIERS), ("{districts}", DISTRICTS)):
        text = text.replace(f'"{name}"', f"'{_any_of(values)}'")
    document = tomllib.loads(text)
    for key in ("origin", "destination"):
        document["facts"][key]["codes"] = {name: city.code for name, city in CITIES.items()}
    return parse_lexicon(document, SOURCE)


def travel_briefing(
    slots: Iterable[Slot], facts: Sequence[Fact], task_id: str, today: str
) -> UserBriefing:
    """Return what the user of a travel task knows, with the words to say it."""
    prefixes = travel_vocabulary().prefixes
    return UserBriefing(
        facts=tuple(facts),
        lexicon=travel_lexicon(),
        slots=tuple(BriefedSlot(slot.id, prefixes[slot.kind], slot.word) for slot in slots),
        task_id=task_id,
        today=today,
    )


def travel_policy(today: str, toolset: Toolset = Toolset.PARITY) -> str:
    """Return the agent's policy prompt, which states every duty that is graded."""
    changes = _read(f"changes_{toolset}.md").rstrip()
    return _read("policy.md").replace("{today}", today).replace("{changes}", changes)


def _any_of(values: Iterable[str]) -> str:
    words = sorted((re.escape(value.casefold()) for value in values), key=len, reverse=True)
    return rf"\b(?:{'|'.join(words)})\b"


@cache
def _read(name: str) -> str:
    return files("crab_graph.domains.travel").joinpath(name).read_text("utf-8")
