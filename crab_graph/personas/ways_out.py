"""How a user answers who says that nothing meets its wishes, and asks which of them may go.

A task has a plan that meets them all, so none may; what is openly said to miss one is no error.
"""

import re

from crab_graph.personas.plan_answers import is_whole_plan, offered, trades
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.wordbook import ValueForm
from crab_graph.text.phrases import TerminalToken

_SACRIFICES = re.compile(
    r"\b(?:would|could|can|will|do|should|shall) (?:you|we|i) (?:\w+ ){0,2}"
    r"(?:giv\w+ up|drop\w*|do(?:ing)? without|let(?:ting)? go of|sacrific\w+|waiv\w+) "
    r"(?:the|your|on)\b[^?]*\?"
)
"""Asks to do without a wish for the sake of what it offers."""
_FEW = 2
"""Items of which one may be what is no longer to be had."""
_NOTHING_FITS = re.compile(
    r"\bno (?:such |other |single )?(?:plan|combination|option|way)s?\b"
    r"[^.?!\n]{0,120}"
    r"\b(?:exists?|fits?|meets?|stays?|within|left|possible|found|keeps?)\b"
    r"|\b(?:nothing|none) (?:of (?:it|them) |that is left )?(?:fits?|meets?|is left|keeps?)\b"
    r"|\bcannot (?:all |both )?be (?:had|met)\b"
    r"|\bcannot (?:therefore )?(?:complete|meet|fulfil|book) (?:this|all|your|the|it)\b"
    r"|\bcan(?:not|'t) (?:complete|book|do|meet)\b[^.?!\n]{0,30}\b(?:every|all|as (?:it|asked))\b"
    r"|\bevery plan\b[^.\n]{0,80}\b(?:costs? more|is over|exceeds|breaks)\b"
    r"|\bcheapest\b[^.\n]{0,60}\bmeets\b[^\n]{0,60}\b(?:over|above)\b"
    r"|\bexactly one\b[^.\n]{0,40}\b(?:give way|bend|go|change)\b"
    r"|\b(?:can(?:not|.t)|could(?: not|n.t)|did(?: not|n.t)|have(?: not|n.t))"
    r" (?:find|found|see|seen) (?:a|any|one) (?:\w+ )?(?:plan|combination|option|way)\b"
    r"|\b(?:cannot|can.t) (?:therefore )?be (?:had|met|done)\b"
)
"""Says that not all of what is wished can be had."""
_WHICH_GOES = re.compile(
    r"\bwhich\b[^?\n]{0,60}\b(?:accept|choose|bend|give|gives|change|release|drop|prefer)\b"
    r"|\b(?:bend|gives? (?:up|way)|release|let go|what shall i do|live with)\b"
    r"|\b(?:could|can|may|might) (?:the |your )?(?:budget|limit)\b[^?\n]{0,20}"
    r"\b(?:stretch|go up|rise|be raised)\b"
    r"|\b(?:anything|something|which (?:one )?(?:of these )?(?:may|might|can|could))\b[^?\n]{0,12}"
    r"\b(?:give|change)\b|\bwhich\b[^?\n]{0,20}\bsuit you\b"
    r"|\b(?:one|a single|just (?:one|the)) letter\b"
    r"|\b(?:cancel|keep)\b[^?\n]{0,60}\b(?:held|all (?:three|four|five|six|seven)|bookings)\b"
    r"|\b(?:raise|stretch|increase|extend|lift) (?:the |your )?(?:budget|limit|ceiling|cap)\b"
    r"|\bin place of\b[^?\n]{0,30}\?|\byour decision\b|\bno to (?:both|all)\b"
    r"|\b(?:yes, )?i accept (?:the|that|this)\b|\bneither\b"
    r"|\b(?:something|anything) else (?:change|give)\b"
    r"|\bchange (?:something|anything|another wish)\b"
)
"""Asks which wish may go, or what is to become of what meets not all of them."""
_OF_MONEY = re.compile(r"\b(?:budget|limit|ceiling|cap)\b|\$[\d.,]+ (?:be|ok|fine|all right)\b")
"""Asks if more may be spent."""
_GIVES_UP = re.compile(
    r"\b(?:gives? (?:up|way)|giving up|drops?|without|instead of|in place of|except|but not"
    r"|(?:only|one) (?:difference|catch|thing)|(?:over|above) (?:your|the) (?:budget|limit)"
    r"|another wish)\b"
)
"""Says of what is offered that it misses a wish."""


def offers_ways_out(turn: Turn) -> bool:
    """Tell whether a message says that nothing meets all wishes, and asks which of them may go."""
    reading = turn.reading
    text = turn.briefing.lexicon.plain(reading.utterance.text)
    goes_on = turn.memory.insisted and (reading.asks_change or reading.is_unable)
    if _NOTHING_FITS.search(text) is None and not goes_on:
        return False
    if offered(turn) and _GIVES_UP.search(text) is None:
        return False
    asking = [one.text for one in reading.segments if one.is_request or one.is_item]
    return reading.offers_transfer or any(map(_WHICH_GOES.search, asking))


def give_nothing_up(turn: Turn) -> Decision | None:
    """Keep to all wishes where it is said that nothing meets them, and asked which may go."""
    if not offers_ways_out(turn):
        return None
    return on_transfer(turn) if turn.reading.offers_transfer else stand(turn)


def stand(turn: Turn) -> Decision:
    """Return the turn that gives none of the wishes up, nor the budget, where it is asked for."""
    words = turn.briefing.lexicon.facts
    asked = [
        one.text for one in turn.reading.segments if one.is_request and _OF_MONEY.search(one.text)
    ]
    told = turn.memory.record.is_settled
    limits = [
        one
        for key, one in turn.facts.items()
        if asked and key in words and words[key].form is ValueForm.MONEY and told(key)
    ]
    parts = (*map(turn.speaker.fact, limits), turn.speaker.phrase("wishes_stand"))
    return Decision(parts, told=told_as_asked(limits), insisted=True)


def on_transfer(turn: Turn) -> Decision:
    """Return the turn that answers the offer of a human: asked to look again, it takes it."""
    if turn.memory.insisted < turn.behavior.insists:
        return turn.say("insist", insisted=True)
    return turn.say("accept_transfer", token=TerminalToken.TRANSFER)


def stand_firm(turn: Turn) -> Decision | None:
    """Keep to all wishes where a choice is between these, and nothing that is offered fits."""
    reading = turn.reading
    if 0 < len(offered(turn)) <= _FEW and any(
        _SACRIFICES.search(one.text) for one in reading.segments
    ):
        return stand(turn)
    if turn.choice is not None or reading.asks_wallet or turn.conflicts:
        return None
    is_trade = any(trades(turn, one.text) for one in reading.segments)
    is_choice = reading.asks_choice and not is_whole_plan(turn)
    return stand(turn) if is_choice and is_trade else None
