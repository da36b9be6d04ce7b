"""How a user answers plans: whether one is put to it, and when it says yes."""

import re
from collections import Counter
from collections.abc import Container

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import Fact, Reason
from crab_graph.personas.message_text import ANY_ID
from crab_graph.personas.own_tools import CARD_FACT, named_bookings
from crab_graph.personas.plain_requests import PAYMENTS, offers_to_start
from crab_graph.personas.played_clauses import asks_extras_alone
from crab_graph.personas.played_tokens import card_numbers
from crab_graph.personas.pointed_questions import OR
from crab_graph.personas.stated_values import choices_in
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.wordbook import ValueForm

_TRADE = re.compile(
    r"\b(?:collid\w+|conflicts?|clash\w*|matters? (?:\w+ ){0,2}more|more important|at odds"
    r"|give up|has to give|must give|trade-?offs?|compromise|(?:one|only) catch|in the way"
    r"|the (?:trouble|problem) is|let (?:the|your|go of) (?:\w+ ){0,3}go"
    r"|different (?:\w+ ){0,2}than|too much"
    r"|(?:could|can|did) ?(?:not|n't) find|no (?:other|more) [^.?]{2,40} (?:with|that|left)"
    r"|would you (?:go up to|accept|settle)|easier (?:for you )?to (?:change|give))\b"
)
"""Puts one wish against another."""
_WEIGHS = re.compile(r"\bmore\b")
"""Asks which of two counts for more."""
_OPINION = re.compile(
    r"\b(?:what (?:do |would )?you think|your (?:thoughts|opinion|view|feedback)|thoughts\?"
    r"|(?:reply|answer|type|send|say|write)(?: back)?(?: with)?[ \"'\u201c*]{1,3}"
    r"(?:book|yes|ok|go|confirm|approve\w*)\b"
    r"|(?:reply|answer|type|send|say|write)[^.?!]{0,12}[\"'\u201c]i (?:approve|agree)"
    r"|(?:should|if) (?:any|some)(?:thing| (?:item|part|detail))\b[^.?!]{0,20}"
    r"(?:not (?:be )?(?:to your (?:liking|taste)|as you)|displease|should be (?:altered|changed))"
    r"|how (?:do|does|would) (?:this|that|it|these|those) (?:sound|look|seem|suit))\b",
    re.I,
)
_SUITS = re.compile(
    r"\b(?:does|do|would|will|is|are)\b[^?.]{0,20}\b[A-Z]{2}-\d+\b[^?]{0,90}"
    r"\b(?:work|suit|fit|ok|okay|fine|good|all right|alright)\b[^?]{0,40}\?",
    re.I,
)
_FINE_WITH_YOU = re.compile(
    r"(?:\A|[.!?:;\n] )(?:is (?:that|this|it) )?(?:all )?"
    r"(?:fine|ok(?:ay)?|good|all right|alright) (?:with|by|for) you\b[^?]*\?",
    re.I,
)
"""Asks of what stands before it whether it suits."""
_NEW_PRICE = re.compile(
    r"\b(?:went up|gone up|rose|risen|dearer|now costs?|new price|higher price|expired)\b"
    r"|\$[\d,.]+ (?:more|dearer|higher)\b",
    re.I,
)
_FINE = r"(?:all right|alright|ok(?:ay)?|fine|good|acceptable)"
_STILL_FINE = re.compile(
    rf"\$[\d,.]+[^?]{{0,60}}\b{_FINE}\b[^?]*\?|\b{_FINE}\b[^?]{{0,40}}\$[\d,.]+[^?]*\?", re.I
)
"""Asks if a price suits."""
_IS_AMISS = re.compile(
    r"\bany objections?\b[^?]*\?"
    r"|\b(?:any|some)(?:thing| (?:wish|detail|point)\w*)\b[^?]{0,20}"
    r"\b(?:i|we)(?:.ve| have)? (?:\w+ )?(?:overlooked|missed|forgotten|left out)\b[^?]*\?"
)
"""Asks whether something is amiss with a plan."""
_BOOKING = re.compile(r"\bbk-\d")
_IF_FINE = re.compile(
    r"\b(?:is|would) (?:it|that) (?:be )?(?:all right|alright|ok(?:ay)?|fine|a problem)"
    r"(?: (?:with|for|by) you)? if (?:the|your)\b(?!.*\bbook)"
    r"|\b(?:is|would) an? \w+(?: \w+)?(?: be)? (?:all right|alright|ok(?:ay)?|fine|acceptable)\b"
)
"""Asks if something may be so of what is still to be found."""
_WANTS_YES = ("approval", "booking_lead", "booking_other")


def asks_for_plan(turn: Turn) -> bool:
    """Tell whether a message wants a yes to its plan; `approve` may mean that, too."""
    reading = turn.reading
    if reading.asks_booking:
        return not _is_mere_check(turn)
    if _asks_opinion(turn) and not turn.wallet.pending:
        return True
    is_unpaid = reading.asks_approval and not turn.wallet.pending
    is_new = not turn.memory.approved or _offers_anew(turn)
    return is_unpaid and is_new and can_approve(turn)


def wants_yes(turn: Turn) -> bool:
    """Tell whether a message wants a yes to its plan, and one can be given."""
    return asks_for_plan(turn) and can_approve(turn)


def _asks_opinion(turn: Turn) -> bool:
    """Tell whether a message asks what the user thinks of a plan, or whether items suit it."""
    text = turn.reading.utterance.text
    asks_of_whole = is_whole_plan(turn) and _OPINION.search(text)
    suits = _SUITS.search(text) or _FINE_WITH_YOU.search(text)
    return bool(asks_of_whole or (is_one_plan(turn) and suits))


def asks_for_rest(turn: Turn) -> bool:
    """Tell whether what a message wants a yes to is not booked yet, beside what waits for payment.

    `Do you approve the room at its new price?` asks for no payment of what else is booked.
    """
    missing = [slot for slot in turn.briefing.slots if slot.word in turn.missing]
    if not (turn.reading.asks_approval and turn.wallet.pending and missing):
        return False
    slots, starts = {slot.id for slot in missing}, {slot.id_prefix.casefold() for slot in missing}
    asking = [one for one in turn.reading.segments if one.is_request and one.says(*_WANTS_YES)]
    pointing = [one for one in asking if one.named or ANY_ID.search(one.text)]
    beside = [one.text for one in asking if one not in pointing]
    if any(_BOOKING.search(text) or (pointing and PAYMENTS.search(text)) for text in beside):
        return False
    # A new price is of what was not booked at the old one.
    pending = {booking.booking_id for booking in turn.wallet.pending}
    is_of_price = _NEW_PRICE.search(turn.reading.utterance.text) is not None
    is_of_price = is_of_price and pending.isdisjoint(turn.reading.ids)
    return (
        bool(asking)
        and all(one.named <= slots if one.named else _is_of(one.text, starts) for one in pointing)
        and (bool(pointing) or is_of_price)
    )


def asks_of_price(turn: Turn) -> bool:
    """Tell whether a question is if the price suits of what is not booked, beside payments."""
    missing = {slot.id for slot in turn.briefing.slots if slot.word in turn.missing}
    return bool(turn.wallet.pending and missing) and any(
        bool(one.named)
        and one.named <= missing
        and _STILL_FINE.search(one.text) is not None
        and _BOOKING.search(one.text) is None
        for one in turn.reading.segments
        if one.is_request
    )


def _is_of(text: str, starts: Container[str]) -> bool:
    """Tell whether words name items, all of them of kinds whose ids begin so."""
    named = [one.partition("-")[0] for one in ANY_ID.findall(text)]
    return bool(named) and all(one in starts for one in named)


def _is_mere_check(turn: Turn) -> bool:
    """Tell whether a message asks if its notes are right, and names no item and no price."""
    reading, played = turn.reading, turn.playback
    if reading.ids or reading.stated or not (played.is_asked and played.states):
        return False
    return not any(one.says("booking_act") for one in reading.segments)


def offered(turn: Turn) -> list[str]:
    """Return the ids of the items that a message names, by which bookings are not meant."""
    starts = tuple(f"{slot.id_prefix}-" for slot in turn.briefing.slots)
    return [one for one in turn.reading.ids if one.startswith(starts)]


def _offers_anew(turn: Turn) -> bool:
    """Tell whether a message names an item that is not booked, and no booking."""
    booked = {booking.entity_id for booking in turn.wallet.bookings}
    return not named_bookings(turn.reading) and not booked.issuperset(offered(turn))


def is_one_plan(turn: Turn) -> bool:
    """Tell whether a message names items, and of no kind more than are wanted."""
    wanted = Counter(slot.id_prefix for slot in turn.briefing.slots)
    shown = Counter(one.partition("-")[0] for one in offered(turn))
    return bool(shown) and shown <= wanted


def is_whole_plan(turn: Turn) -> bool:
    """Tell whether a message names one item of all that are wanted, and no other."""
    wanted = Counter(slot.id_prefix for slot in turn.briefing.slots)
    return Counter(one.partition("-")[0] for one in offered(turn)) == wanted


def can_approve(turn: Turn) -> bool:
    """Tell whether the agent has named anything that could be booked, or a price."""
    starts = (*(f"{slot.id_prefix}-" for slot in turn.briefing.slots), "$")
    named = turn.memory.seen | turn.memory.fresh(turn.reading)
    words = turn.briefing.lexicon.facts
    # A limit that the user told is no price.
    told = {
        f"${parse_cents(fact.value)}"
        for key, fact in turn.facts.items()
        if key in words and words[key].form is ValueForm.MONEY
    }
    return any(token.startswith(starts) for token in named - told)


def approve(turn: Turn) -> Decision | None:
    """Approve a plan that was shown, or leave a choice to the agent."""
    is_asked = asks_for_plan(turn)
    if turn.reading.asks_choice and not (is_asked and is_one_plan(turn)):
        # Of a plan that it may have as it is, or look further, the user takes the plan.
        is_fine = is_whole_plan(turn) and not turn.wallet.pending
        if is_fine:
            return _yes(turn)
        # Of ways out that it is offered, since nothing fits, none is what it asked for.
        if not (offered(turn) or turn.wallet.pending):
            if meant := _wishes_among(turn):
                words = tuple(map(turn.speaker.fact, meant))
                return Decision(words, told=told_as_asked(meant), is_content=True, insisted=True)
            if _offers_less(turn):
                return turn.say("wishes_stand", insisted=True)
        is_of_extras = not offered(turn) and asks_extras_alone(turn.reading)
        return None if is_of_extras else turn.say("you_choose")
    if not is_asked:
        return None
    if not can_approve(turn):
        if offers_to_start(turn.reading.segments):
            return turn.say("waiting")
        if any(_IF_FINE.search(one.text) for one in turn.reading.segments if one.is_request):
            return turn.say("fine_with_me")
        if turn.reading.meant == "may_search":
            return turn.say("start", is_content=True)
        return turn.say("show_first")
    return _yes(turn)


def _offers_less(turn: Turn) -> bool:
    """Tell whether a choice among no items is between wishes, or for want of what is wished."""
    reading, text = turn.reading, turn.reading.utterance.text.casefold()
    return reading.is_unable or reading.asks_change or trades(turn, text)


def trades(turn: Turn, text: str) -> bool:
    """Tell whether a text puts one wish against another; before any offer none is in the way."""
    found = _TRADE.search(text)
    return found is not None and (can_approve(turn) or _WEIGHS.search(found[0]) is None)


def _wishes_among(turn: Turn) -> list[Fact]:
    """Return the wishes of which a choice among no items names the value beside others."""
    if turn.reading.asks_change or trades(turn, turn.text.casefold()):
        return []
    text, words = turn.reading.utterance.text.casefold(), turn.briefing.lexicon.facts
    choices = [one for one in words if words[one].form is ValueForm.CHOICE and one in turn.facts]
    named = {one: choices_in(text, words[one]) for one in choices}
    return [turn.facts[k] for k, own in named.items() if {str(turn.facts[k].value)} < {*own}]


def _yes(turn: Turn) -> Decision:
    card, told = other_card_words(turn)
    parts = (turn.speaker.phrase(yes_act(turn)), *card)
    return Decision(parts, told=told, is_content=True, approved=True)


def yes_act(turn: Turn) -> str:
    """Return the act that says yes to a plan: where something else is offered, to which of both.

    To whether something is amiss with it a yes would say the contrary.
    """
    asked = [one.text for one in turn.reading.segments if one.is_request]
    if any(_IS_AMISS.search(text) for text in asked):
        return "approve_without_objection"
    return "approve_as_it_is" if any(map(OR.search, asked)) else "approve"


def other_card_words(turn: Turn) -> tuple[list[str], tuple[tuple[str, Reason], ...]]:
    """Say which card is meant, beside a yes, where a plan names another; and what is told so."""
    fact = turn.facts.get(CARD_FACT)
    named = card_numbers(turn.reading.utterance.text)
    # What was approved was paid otherwise with the user's will.
    if turn.wallet.earlier or fact is None or not named or str(fact.value["last4"]) in named:
        return [], ()
    words = [turn.speaker.phrase("pays_otherwise"), turn.speaker.fact(fact)]
    return words, ((CARD_FACT, Reason.CORRECTED),)
