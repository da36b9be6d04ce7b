"""Set phrases: admitted errors, offers of a transfer, the closing summary (§2.11, §2.12, §5).

With them the tokens by which a user ends a conversation (§1), which agents cannot use.
"""

import re
from enum import StrEnum
from functools import cache, partial

from crab_graph.text.lexicon import WORD, alternatives, fragment, pattern
from crab_graph.text.utterance import REACH, Clause, Utterance
from crab_graph.text.vocabulary import HumanWords, TextVocabulary

# A negator with one word after it at most, up to the end of the span.
_NOT_ADMITTED = re.compile(rf"{fragment('admission', 'negators')}(?:\W+{WORD}){{0,1}}\W*\Z")
_NOT_DONE = re.compile(rf"{fragment('summary', 'negators')}(?:\W+{WORD}){{0,1}}\W*\Z")


_NEVER = re.compile("(?!)")


@cache
def _announcing(vocabulary: TextVocabulary) -> re.Pattern[str]:
    words = vocabulary.summary_words
    return re.compile(alternatives(map(re.escape, words))) if words else _NEVER


class TerminalToken(StrEnum):
    """How a user ends the conversation."""

    STOP = "###STOP###"
    TRANSFER = "###TRANSFER###"
    OUT_OF_SCOPE = "###OUT-OF-SCOPE###"

    @property
    def word(self) -> str:
        """The token without its marks."""
        return self.strip("#")


_TOKEN = re.compile("|".join(re.escape(token) for token in TerminalToken))


def find_token(text: str) -> TerminalToken | None:
    """Return the first terminal token of a text, if it holds one."""
    found = _TOKEN.search(text)
    return TerminalToken(found[0]) if found else None


def without_tokens(text: str) -> str:
    """Return a text without its terminal tokens."""
    return _TOKEN.sub("", text)


def admits_error(utterance: Utterance) -> bool:
    """Return whether the speaker owns up to a mistake; regret about a wait is none."""
    return any(
        not _is_denied(utterance, _NOT_ADMITTED, match.start())
        for match in pattern("admission", "phrases").finditer(utterance.text)
    )


def _is_denied(utterance: Utterance, denial: re.Pattern[str], place: int) -> bool:
    """Tell whether a denial stands just before a place, in the same clause."""
    reach = max(utterance.clause_at(place).start, place - REACH)
    return denial.search(utterance.text, reach, place) is not None


def offers_transfer(utterance: Utterance, human: HumanWords) -> bool:
    """Return whether a clause offers to hand over to a person; a mere referral does not.

    `human` are the domain's words for one.
    """
    for words in map(human.read, map(utterance.words, utterance.clauses)):
        verb = pattern("transfer", "verbs").search(words)
        if (
            verb is not None
            and pattern("transfer", "people").search(words)
            and not pattern("transfer", "negators").search(words, 0, verb.start())
        ):
            return True
    return False


def is_future(utterance: Utterance, clause: Clause) -> bool:
    """Return whether a clause speaks of what is still to come."""
    return pattern("summary", "future").search(utterance.text, clause.start, clause.end) is not None


def has_summary_cue(utterance: Utterance, vocabulary: TextVocabulary, has_charged: bool) -> bool:
    """Return whether a message says that something is done; more words do after a charge."""
    cues = [pattern("summary", "cues"), pattern("totals", "charged")]
    if has_charged:
        cues += [pattern("summary", "after_charge"), _announcing(vocabulary)]
    future = cache(partial(is_future, utterance))
    for form in cues:
        for cue in form.finditer(utterance.text):
            is_denied = _is_denied(utterance, _NOT_DONE, cue.start())
            if not is_denied and not future(utterance.clause_at(cue.start())):
                return True
    return False
