"""The words of travel, read from `lexicon.toml` and `text.toml`."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from crab_graph.domain.contract import TaskSlot
from crab_graph.domains.travel.names import CARRIERS, CITIES, DISTRICTS, read_data, read_text
from crab_graph.personas.briefing import BriefedSlot, Fact, UserBriefing
from crab_graph.personas.wordbook import DomainLexicon, parse_lexicon
from crab_graph.settings import Toolset
from crab_graph.text.vocabulary import TextVocabulary


@cache
def travel_vocabulary() -> TextVocabulary:
    """Return the words of the travel domain."""
    words: dict[str, Any] = {
        name: {key: tuple(one) if isinstance(one, list) else one for key, one in value.items()}
        if isinstance(value, dict)
        else value
        for name, value in read_data("text.toml").items()
        if name != "version"
    }
    for name in ("whole_words", "summary_words", "unit_phrases", "counted_words"):
        words[name] = tuple(words[name])
    for name in ("named_kinds", "item_words"):
        words[name] = frozenset(words[name])
    return TextVocabulary(**words)


SOURCE = "lexicon.toml"


@cache
def travel_lexicon() -> DomainLexicon:
    """Return the words that users of travel tasks understand and say."""
    text = read_text(SOURCE)
    for name, values in (("{carriers}", CARRIERS), ("{districts}", DISTRICTS)):
        words = sorted((re.escape(value.casefold()) for value in values), key=len, reverse=True)
        text = text.replace(f'"{name}"', rf"'\b(?:{'|'.join(words)})\b'")
    document = tomllib.loads(text)
    for key in ("origin", "destination"):
        document["facts"][key]["codes"] = {name: city.code for name, city in CITIES.items()}
    return parse_lexicon(document, SOURCE)


def travel_briefing(
    slots: Iterable[TaskSlot], facts: Sequence[Fact], task_id: str, today: str
) -> UserBriefing:
    """Return what the user of a travel task knows, with the words to say it."""
    prefixes = travel_vocabulary().prefixes
    return UserBriefing(
        facts=tuple(facts),
        lexicon=travel_lexicon(),
        slots=tuple(BriefedSlot(slot.id, prefixes[slot.kind], slot.word) for slot in slots),
        task_id=task_id,
        today=today,
        job="trip",
    )


def travel_policy(today: str, toolset: Toolset = Toolset.PARITY) -> str:
    """Return the agent's policy prompt, which states every duty that is graded."""
    changes = read_text(f"changes_{toolset}.md").rstrip()
    return read_text("policy.md").replace("{today}", today).replace("{changes}", changes)
