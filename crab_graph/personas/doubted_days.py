"""A day that was said with doubt and is played back by itself: it is that one, and no other."""

from dataclasses import replace

from crab_graph.personas.briefing import DisclosureRecord, UserBriefing
from crab_graph.personas.play_backs import PlayBack
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.wordbook import ValueForm


def of_doubted_days(played: PlayBack, record: DisclosureRecord, briefing: UserBriefing) -> PlayBack:
    """Return a play-back of which no day is held against another wish than it was told of.

    `March 18, then`, behind a doubtful 18 March for one thing, says nothing of another.
    """
    words = briefing.lexicon.facts
    doubted = {
        one.iso: row["key"]
        for row in record.rows
        if "said" in row and not record.is_settled(row["key"])
        if row["key"] in words and words[row["key"]].form is ValueForm.DATE
        for one in find_dates(row["said"].casefold(), briefing.today)
    }
    meant = {
        key: doubted.get(played.said.get(key, ""), key)
        for key in played.wrong
        if key in words and words[key].form is ValueForm.DATE
    }
    wrong = dict.fromkeys(meant.get(key, key) for key in played.wrong)
    said = {meant.get(key, key): value for key, value in played.said.items()}
    return replace(played, wrong=tuple(wrong), said=said)
