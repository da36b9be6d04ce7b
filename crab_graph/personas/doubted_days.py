"""Days that were said with doubt, as an agent speaks of them."""

import re
from dataclasses import replace

from crab_graph.personas.briefing import DisclosureRecord, How, UserBriefing
from crab_graph.personas.play_backs import PlayBack
from crab_graph.personas.spoken_dates import MONTHS, find_dates
from crab_graph.personas.wordbook import ValueForm

_PART = re.compile(rf"\b(?P<part>\w+) (?P<month>{'|'.join(MONTHS)})\b", re.I)
"""A part of a month."""


def vague_days_named(text: str, record: DisclosureRecord, briefing: UserBriefing) -> str:
    """Return a message in which days that were told vaguely stand as what they are days of.

    `Is late October certain?` asks for the day, and for no time of it.
    """
    words = briefing.lexicon.facts
    for row in record.rows:
        key = row["key"]
        is_day = key in words and words[key].form is ValueForm.DATE
        if row.get("how") != How.VAGUE or record.is_settled(key) or not is_day:
            continue
        if told := _PART.search(row["said"]):
            month = rf"{told['month'][:3]}(?:{told['month'][3:]}|\.)?"
            vague = rf"\b(?:in )?{told['part']}[- –]+{month}\b"
            text = re.sub(vague, key.replace("_", " "), text, flags=re.I)
    return text


def doubted_days(record: DisclosureRecord, briefing: UserBriefing) -> list[tuple[str, str]]:
    """Return the days that were told with doubt, ISO, each with the fact that it was told for."""
    words = briefing.lexicon.facts
    return [
        (one.iso, row["key"])
        for row in record.rows
        if "said" in row and not record.is_settled(row["key"])
        if row["key"] in words and words[row["key"]].form is ValueForm.DATE
        for one in find_dates(row["said"].casefold(), briefing.today)
    ]


def of_doubted_days(played: PlayBack, record: DisclosureRecord, briefing: UserBriefing) -> PlayBack:
    """Return a play-back of which no day is held against another wish than it was told of.

    `March 18, then`, behind a doubtful 18 March for one thing, says nothing of another.
    """
    words, doubted = briefing.lexicon.facts, dict(doubted_days(record, briefing))
    meant = {
        key: doubted.get(played.said.get(key, ""), key)
        for key in played.wrong
        if key in words and words[key].form is ValueForm.DATE
    }
    wrong = dict.fromkeys(meant.get(key, key) for key in played.wrong)
    said = {meant.get(key, key): value for key, value in played.said.items()}
    return replace(played, wrong=tuple(wrong), said=said)
