"""What was said with doubt and a message asks to be sure of."""

import re
from collections.abc import Iterator, Sequence

from crab_graph.personas.briefing import FactLevel
from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.doubted_days import doubted_days
from crab_graph.personas.fact_scopes import is_apart, is_named
from crab_graph.personas.plan_answers import can_approve
from crab_graph.personas.segments import Segment
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.stated_values import names_value
from crab_graph.personas.turns import Turn, once_a_turn
from crab_graph.personas.wordbook import ValueForm

_NAMING = frozenset({"how:cue", "value"})
_UNSURE = re.compile(
    r"(?:\bnot|n't)(?: \w+){0,2} (?:sure|certain)\b|\bun(?:sure|certain)\b|\bwhether\b"
)
"""What speaks of a doubt asks for what is sure."""
_WHICH_ONE = re.compile(
    r"\bwhich (?:one|number|is it|of (?:these|those|them|the two|the \w+))\b|\bwhich\W*\?"
    r"|\bexactly \d|\bwould \d (?:or \d )?(?:also |do\b|be )"
)
"""Asks which of what was just said is meant."""
_DOUBT = re.compile(
    r"\b(?:i (?:think|believe|guess)|you (?:think|thought|believed?|guess(?:ed)?|weren.t|were not)"
    r"|(?:not|un|wasn.t|isn.t) ?(?:quite |so |entirely )?(?:sure|certain))\b"
)
"""Quotes a doubt, or speaks of one."""
_QUOTED = re.compile(r"[\"“„«]([^\"“”«»?]{4,60})[\"”“»]")
"""Words in quotation marks."""
_ANSWER = re.compile(r"\W*(?:[a-d]|[1-4])[).:]\s")
"""One of several answers that are offered."""


@once_a_turn
def doubted(turn: Turn) -> tuple[str, ...]:
    """Return what the user said with doubt, and a question names, or a value of: it says it surely.

    A plan or a choice is no such question.
    """
    reading, record = turn.reading, turn.memory.record
    words = turn.briefing.lexicon.facts
    doubtful = [*filter(record.is_doubted, turn.facts)]
    is_deal = reading.asks_booking or reading.asks_choice
    if reading.ids or (is_deal and can_approve(turn)):
        return ()
    clauses = turn.reading.clauses
    asked = [
        (one, how)
        for number, (one, how) in enumerate(clauses)
        if one.is_request
        or any(_UNSURE.search(two.text) for two, _ in clauses[number : number + 2])
        or any(two.is_firm for two, _ in clauses[number + 1 : number + 2])
        or _leads_to_options([two.text for two, _ in clauses[number:]])
    ]
    said = turn.speaker.said.casefold()
    quoted = [
        one.text
        for one, _ in clauses
        if one.is_request and (_DOUBT.search(one.text) or _quotes(one.text, said))
    ]
    just_said = record.told_last
    refers = any(one.is_request and _WHICH_ONE.search(one.text) for one, _ in clauses)
    refers = refers and not any(is_named(turn, key) for key in turn.reading.asked if key in words)

    def is_asked(key: str) -> bool:
        own = words[key]
        return any(names_value(text, own) for text in quoted) or any(
            (names_value(one.text, own) and not (one.named and is_apart(turn, key, one)))
            or (
                ("how:cue" in how.facts.get(key, ()) or _is_barely_firm(one, how))
                and not is_apart(turn, key, one)
            )
            for one, how in asked
            if key in how.facts or own.form is ValueForm.COUNT
        )

    meant = {key for key in doubtful if refers and key in just_said}
    meant |= {*_of_doubted_day(turn)}
    found = [key for key in doubtful if key in words and (key in meant or is_asked(key))]
    if not found and reading.meant == "sure":
        # What a message asks to be sure of is what it speaks of, else what was said last.
        basic = {one.key for one in turn.facts.values() if one.level is FactLevel.BASIC}
        named = {key for _, how in clauses for key in how.facts if how.names(key)} - basic
        near = [key for key in doubtful if any(how.names(key) for _, how in clauses)]
        by_topic = [key for key in doubtful if any(key in how.facts for _, how in clauses)]
        found = near or ([] if named else by_topic or [k for k in doubtful if k in just_said])
        found = found or ([] if named or len(doubtful) > 1 else doubtful)
    if not found and reading.amounts and turn.text.rstrip().endswith("?"):
        # A question of another sum settles none that is in doubt.
        found = [k for k in doubtful if k in words and words[k].form is ValueForm.MONEY]
    return tuple(found)


def _quotes(text: str, said: str) -> bool:
    """Tell whether a question has words of the user's own in quotation marks."""
    return any(found[1] in said for found in _QUOTED.finditer(text))


def _of_doubted_day(turn: Turn) -> Iterator[str]:
    """Yield the facts of which a question names the very day that was told with doubt."""
    doubted = doubted_days(turn.memory.record, turn.briefing)
    asking = [one.text for one in turn.reading.segments if one.is_request and "?" in one.text]
    named = {one.iso for text in asking if doubted for one in find_dates(text, turn.briefing.today)}
    yield from (key for day, key in doubted if day in named)


def _is_barely_firm(segment: Segment, how: ClauseFeatures) -> bool:
    """Tell whether a clause asks if something is meant for sure that it only hints at."""
    return segment.is_firm and all(_NAMING.isdisjoint(shows) for shows in how.facts.values())


def _leads_to_options(texts: Sequence[str]) -> bool:
    """Tell whether the first of some clauses stands over answers to choose from."""
    lead, *items = texts[:3]
    return lead.endswith(":") and len(items) > 1 and all(map(_ANSWER.match, items))
