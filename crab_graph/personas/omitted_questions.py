"""Whether an answer to many questions leaves one of them out, whatever it says to the others."""

from itertools import chain

from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.open_bounds import asks_any_wish, asks_for_more
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.played_clauses import is_check
from crab_graph.personas.pointed_questions import OR
from crab_graph.personas.segments import Segment
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.unwished import asked_in
from crab_graph.personas.wordbook import phrase_book

_MANY = 3


def passes_over(turn: Turn, reply: Decision) -> bool:
    """Tell whether a reply answers some questions of a message, and others of it not at all.

    What asks for anything that is left gets its answer by any fact, and what is played back by a
    word on it. Of few questions only facts are answers: a word may be meant for all. Who says that
    nothing is left leaves nothing out.
    """
    asking = [(one, how) for one, how in turn.reading.clauses if one.is_request and "?" in one.text]
    told = {key for key, _ in reply.told}
    closing = (phrase_book().phrases[one].values() for one in ("nothing_else", "no_more_wish"))
    if not {*reply.parts}.isdisjoint(chain.from_iterable(chain.from_iterable(closing))):
        return False
    if len(asking) < _MANY:
        is_plain = len(reply.parts) == len(told) and not turn.reading.meant
        answered = [_is_open(one) or not how.facts.keys().isdisjoint(told) for one, how in asking]
        return is_plain and any(answered) and not all(answered)
    said = told | {key.removesuffix(" again") for key in reply.declined}
    said |= {*turn.playback.right, *turn.playback.wrong} if turn.playback.is_asked else set()
    said |= {CARD_FACT} if turn.wallet.added is not None else set()
    answered = [_is_answered(turn, one, how, said) for one, how in asking]
    return any(answered) and not all(answered)


def _is_answered(turn: Turn, segment: Segment, how: ClauseFeatures, said: set[str]) -> bool:
    is_checked = is_check(segment) and not OR.search(segment.text)
    if is_checked or _is_open(segment) or segment.says("payment"):
        return True
    asked = {key for key, shows in how.facts.items() if how.names(key)} or {*how.facts}
    return not (asked | {*asked_in(turn, segment)}).isdisjoint(said)


def _is_open(segment: Segment) -> bool:
    text = segment.text
    return segment.says("open", "closing") or asks_any_wish(text) or asks_for_more(text)
