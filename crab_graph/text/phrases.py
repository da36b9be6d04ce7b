"""Set phrases: admitted errors, offers of a transfer, the closing summary (§2.11, §2.12, §5).

With them the tokens by which a user ends a conversation (§1), which agents cannot use.
"""

import re
from enum import StrEnum
from functools import cache

from crab_graph.text.lexicon import fragment, pattern
from crab_graph.text.utterance import Clause, Utterance


class TerminalToken(StrEnum):
    """How a user ends the conversation."""

    STOP = "###STOP###"
    TRANSFER = "###TRANSFER###"
    OUT_OF_SCOPE = "###OUT-OF-SCOPE###"

    @property
    def word(self) -> str:
        """The token without its marks."""
        return self.strip("#")


_MARK = "###"
_TOKEN = re.compile("|".join(re.escape(token) for token in TerminalToken))


def find_token(text: str) -> TerminalToken | None:
    """Return the first terminal token of a text, if it holds one."""
    found = _TOKEN.search(text) if _MARK in text else None
    return TerminalToken(found[0]) if found else None


def without_tokens(text: str) -> str:
    """Return a text without its terminal tokens."""
    return _TOKEN.sub("", text) if _MARK in text else text


_WORD = r"[^\W_]+(?:['-][^\W_]+)*"


def admits_error(utterance: Utterance) -> bool:
    """Return whether the speaker owns up to a mistake; regret about a wait is none."""
    return any(
        _denied("admission", 1).search(utterance.text, 0, match.start()) is None
        for match in pattern("admission", "phrases").finditer(utterance.text)
    )


def offers_transfer(utterance: Utterance) -> bool:
    """Return whether a clause offers to hand over to a person; a mere referral does not."""
    return any(_offers_transfer(utterance.text, clause) for clause in utterance.clauses)


def is_future(utterance: Utterance, clause: Clause) -> bool:
    """Return whether a clause speaks of what is still to come."""
    return pattern("summary", "future").search(utterance.text, clause.start, clause.end) is not None


def has_summary_cue(utterance: Utterance, has_charged: bool) -> bool:
    """Return whether a message says that something is done.

    Args:
        utterance: The message.
        has_charged: Whether something was charged before, which makes further words count.
    """
    keys = ("cues", "after_charge") if has_charged else ("cues",)
    return any(_is_done(utterance, match) for key in keys for match in _cues(utterance, key))


def _cues(utterance: Utterance, key: str) -> list[re.Match[str]]:
    return list(pattern("summary", key).finditer(utterance.text))


def _is_done(utterance: Utterance, cue: re.Match[str]) -> bool:
    clause = utterance.clause_at(cue.start())
    if is_future(utterance, clause):
        return False
    return _denied("summary", 1).search(utterance.text, clause.start, cue.start()) is None


@cache
def _denied(section: str, between: int) -> re.Pattern[str]:
    """A negator with at most `between` words after it, up to the end of the span."""
    return re.compile(rf"{fragment(section, 'negators')}(?:\W+{_WORD}){{0,{between}}}\W*\Z")


def _offers_transfer(text: str, clause: Clause) -> bool:
    verb = pattern("transfer", "verbs").search(text, clause.start, clause.end)
    if verb is None or not pattern("transfer", "people").search(text, clause.start, clause.end):
        return False
    return pattern("transfer", "negators").search(text, clause.start, verb.start()) is None
