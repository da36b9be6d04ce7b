"""How a user reacts to offers, refusals, claims, closings and questions its facts do not answer."""

import re

from crab_graph.personas.fact_answers import asks_as_before, promised
from crab_graph.personas.fact_scopes import slots_of
from crab_graph.personas.meant_answers import answer_guessed
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.plain_requests import offers_to_show, offers_to_start
from crab_graph.personas.plan_answers import can_approve
from crab_graph.personas.played_clauses import asks_extras_alone
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.ways_out import on_transfer
from crab_graph.personas.wording import join_words

_EITHER = re.compile(
    r"^(?!.*\b(?:who|what|which|when|where|why|how)\b).*\b(?:prefer|rather)\b.*\bor\b.*\?"
    r"|\b(?:i suppose|i assume|i take it|i guess|i presume)\b.*\?"
)
"""Asks which of two it is to be, or if what it supposes will do."""
_BEGINS_WITH_WHAT = re.compile(
    r"(?:\A|[,;:–] )(?:and |so |then |but |now |also |please )*"
    r"(?:who|whose|what|which|when|where|why|how)\b"
)
"""Asks what no yes answers."""
_AGREED = re.compile(r"\bagreed\b[^?]*\?|\b(?:ok(?:ay)?|fine|all ?right|good)\b[^?]{0,30}\?")
"""Asks for a yes to what was shown."""
_WANTS_YES = re.compile(
    r"\b(?:is|are|was|were|would|will) (?:that|this|it|these|those|they|an?|the)\b[^?]*\?"
    r"|\b(?:ok(?:ay)?|agreed|fine|all ?right)\W*\?"
)
"""Asks whether something is so, or would do."""
_TWO_WAYS = re.compile(r"\b(?:and|the|it|that|one|go|now|later)\b[^?]*,? or \b[^?]*\?")
"""Lets choose between two ways."""
_OR_WAITS = re.compile(r"\bor (?:just )?wait\b")
"""Lets choose between that and time."""
_VIEW = re.compile(
    r"\bwhat (?:do|would|did) you (?:think|say|make) (?:of|about|to)\b[^?]*\?"
    r"|\bhow do you (?:like|find)\b[^?]*\?"
)
"""Asks what the user thinks of something."""
_IS_DONE = re.compile(
    r"\b(?:can|may|shall|should|could) i (?:now )?(?:close|archive|wrap (?:it |this )?up)\b[^?]*\?"
    r"|\bis (?:everything|all|it all)\b[^?]{0,20}"
    r"\b(?:as you|to your|in order|settled|sorted)\b[^?]*\?"
)
"""Asks whether all is done."""
_SAME_FOR = re.compile(
    r"\b(?:(?:does|do|will|would|shall|should|is|are) (?:that|this|it|they|these|the same)\b"
    r"[^?]{0,30}\b(?:hold|apply|go|count|true|valid|the same|same)|(?:and )?(?:the )?same)\b"
    r"[^?]{0,12}\b(?:for|of|to|on|with|as to)\b[^?]*\?"
)
"""Asks whether what was just said holds elsewhere."""
_IS_SLIP = re.compile(r"\b(?:typo|misprint|slip|mix-?up|misread|misreading|mistake)\b[^?]*\?")
"""Asks whether what it names was written by mistake."""
_TOO_DEAR = re.compile(r"\btoo (?:expensive|dear|costly|high|much|steep)\b[^?]*\?")
"""Asks whether a price is beyond what the user would pay."""
_BOTHERS = re.compile(
    r"\b(?:is|would|will|does|do) (?:you |that |this |it |there )?[^?]{0,20}"
    r"\b(?:problem|issue|trouble|deal-?breaker|obstacle|objection|bother|matter"
    r"|(?<!in )mind)\b[^?]*\?"
)
"""Asks whether the user minds something."""
_TAG = re.compile(
    r"\b(?:right|correct|true|yes|yeah|not so|agreed|(?:is|are|do|does)n.t \w+)\W*\?\W*$"
)
_CLAIMS = re.compile(
    r"\byou(?:r|.d|.re|.ll|.ve| both| two)?\b"
    r"(?! (?:said|told|mentioned|asked|wrote|meant|have asked))"
    r"(?:\W+\w+){2,}"
)
"""Says what the user is or wants, in words of its own."""
_TOUCHES = re.compile(r"\b(?:that|this|it|all|everything|these|those|correct\w*|right)\b")
_OF_PRICE = re.compile(
    r"[$€£]|\b(?:price|cost|total|sum|cheap\w*|dear\w*|amounts?|adds? up|fee|rate)s?\b"
)
_CHANGES = re.compile(
    r"\bany(?:thing|one)?\b[^?]{0,30}"
    r"\b(?:chang(?:e|ed|es|ing)|alter\w*|adjust\w*|different\w*|otherwise|correct(?:ed)?)\b[^?]*\?"
    r"|\bsomething\b[^?]{0,20}\b(?:change|alter|adjust)\b[^?]*\?"
    r"|\b(?:further|more|other|any) (?:changes|alterations|amendments|adjustments)\b[^?]*\?"
    r"|\b(?:check|look at|review) anything\b[^?]*\?|\bany objections?\b[^?]*\?"
)
"""Asks if anything of what was shown, or is booked, is to be otherwise."""
_ALL_WELL = re.compile(
    r"\b(?:everything|all|it|they)\b[^?]{0,20}"
    r"\b(?:as (?:it|they) should be|in order|as it was meant|look right)\b[^?]*[?.]"
)
"""Asks whether all is as it should be."""
_CARRIES_ON = re.compile(
    r"\b(?:shall|should|may|can|do) i (?:now |then )?(?:carry|go|continue|move)(?: on)?\b"
    r"(?! (?:search|look|to ))[^?]{0,60}\?"
)
"""Asks if to go on with what it has begun."""
_OF_APPROVALS = re.compile(
    r"\b(?:did|have|had) you (?:already |just |only )?approved?\b[^?]*\?"
    r"|\b(?:what|which)\b[^?]{0,20}\b(?:did|have) you (?:already )?approved?\b[^?]*\?"
)
"""Asks what was approved."""
_GOES_ON = re.compile(
    r"\b(?:next|carry on|go on|continue|then|now|still|remaining|the rest)\b[^.?!]{0,40}"
    r"\b(?:book\w*|reserve\w*|rest|others?|remaining|to do)\b"
    r"|\b(?:i.ll|i will|i.m going to|i am going to|about to|shall i|let me) (?:\w+ ){0,3}"
    r"(?:book|rebook|reserve|look|carry|go on|continue|see to|cancel)\b",
    re.I,
)
"""Says that the agent has not done yet."""
_PAID = re.compile(r"\b(?:paid|charged|confirmed|complete|all (?:done|set))\b", re.I)
"""What says more than that something is held."""


def react(turn: Turn) -> Decision | None:
    """Return the turn that reacts to what a message says beside its questions and requests."""
    reading = turn.reading
    if reading.offers_transfer:
        return on_transfer(turn)
    if reading.asks_foreign and not turn.playback.states:
        return turn.say(_on_foreign(turn))
    if offers_to_show(reading.segments) or offers_to_start(reading.segments):
        return turn.say("waiting" if offers_to_start(reading.segments) else "show_first")
    if reading.asks_of_extra and reading.asks_change:
        return turn.say("fine_with_me")
    if reading.asks_change and not _only_waits(turn):
        return turn.say(_on_change(turn))
    if asks_extras_alone(reading):
        return turn.say("no_extra")
    if reading.confirms or _claims_unknown(turn):
        return turn.say(_on_check(turn), is_answer=True)
    if reading.says_wait or _only_waits(turn):
        return promised(turn) or turn.say("waiting")
    if reading.claims_done or reading.is_closing:
        return _take_stock(turn)
    if reading.is_unable:
        is_agreed = any(_AGREED.search(one.text) for one in reading.segments if one.is_request)
        return turn.say("fine_if_fits") if is_agreed else turn.say("insist", insisted=True)
    if reading.offers_extra or reading.asks_of_extra:
        return turn.say("no_extra")
    if not reading.asks_anything:
        return promised(turn)
    if _asks_of_yes(turn):
        return turn.say("approve", is_content=True, approved=True)
    return _on_unclear(turn)


def what_stands(turn: Turn) -> Decision | None:
    """Say that what was shown or booked may stay, or what was approved, to who asks for that."""
    asked = [one.text for one in turn.reading.segments if one.is_request]
    if can_approve(turn) and any(map(_CHANGES.search, asked)):
        return turn.say("nothing_to_change", is_content=True, moved=True)
    is_begun = turn.wallet.bookings and turn.missing and not turn.reading.asks_wallet
    if is_begun and any(map(_CARRIES_ON.search, asked)):
        return turn.say("approve", is_content=True, moved=True)
    done = {one.booking_id for one in turn.wallet.earlier}
    is_asked = turn.reading.meant == "what_approved" or any(map(_OF_APPROVALS.search, asked))
    if not (done and is_asked):
        return None
    if turn.missing or any(one.booking_id not in done for one in turn.wallet.pending):
        words = turn.speaker.phrase("paid_these", bookings=join_words(sorted(done)))
        return Decision((words,))
    return turn.say("paid")


def _on_change(turn: Turn) -> str:
    """Return the act that answers who asks to hold a wish less firmly; a price may just be so."""
    asked = (one.text for one in turn.reading.segments if one.is_request)
    named = {
        key
        for one, how in turn.reading.clauses
        if one.is_request and "?" in one.text
        for key, shows in how.facts.items()
        if how.names(key) or ("how:ellipsis" in shows and not turn.reading.amounts)
    }
    is_free = bool(named) and named.isdisjoint(turn.facts) and not turn.reading.ids
    is_free = is_free or (bool(named) and all(_is_of_others(turn, key) for key in named))
    return "fine_with_me" if is_free or any(map(_TOO_DEAR.search, asked)) else "firm"


def _is_of_others(turn: Turn, key: str) -> bool:
    """Tell whether what asks for a wish between parts names two, and not those that it is of."""
    slots = slots_of(turn, key)
    scopes = [
        one.scope
        for one, how in turn.reading.clauses
        if one.is_request and how.names(key) and len(one.scope) > 1
    ]
    return len(slots) > 1 and bool(scopes) and not any(slots <= scope for scope in scopes)


def _on_check(turn: Turn) -> str:
    """Return the act that answers a check of which no wish was read."""
    reading = turn.reading
    if _claims_unknown(turn):
        return "no_extra" if reading.asks_of_extra else "fine_with_me"
    # Of what things cost nobody asks the one who is to pay for them.
    asked = [one.text for one in reading.segments if one.is_request]
    is_of_price = reading.amounts and any(map(_OF_PRICE.search, asked))
    return "relies" if is_of_price and not turn.playback.states else "right"


def _claims_unknown(turn: Turn) -> bool:
    """Tell whether a message takes for granted of the user what no wish of it is of."""
    if turn.playback.states or turn.reading.ids or turn.reading.amounts or turn.wallet.bookings:
        return False
    asking = (_TAG.split(one.text) for one in turn.reading.segments if _TAG.search(one.text))
    return any(_CLAIMS.search(text) and not _TOUCHES.search(text) for text, *_ in asking)


def _on_unclear(turn: Turn) -> Decision:
    """Return the turn that reacts to a question that no fact answers."""
    if asks_as_before(turn):
        return turn.say("right", is_answer=True)
    if card := _card_meant(turn):
        return card
    reading = turn.reading
    asked = [one.text for one in reading.segments if one.is_request]
    if turn.wallet.earlier and any(map(_IS_DONE.search, asked)):
        return _take_stock(turn)
    if any(map(_ALL_WELL.search, asked)):
        return turn.say("right", is_answer=True)
    if any(_BOTHERS.search(text) or _VIEW.search(text) for text in asked):
        return turn.say("fine_with_me")
    if any(map(_EITHER.search, asked)):
        return turn.say("fine_with_me")
    if _is_the_same(turn):
        return turn.say("right", is_answer=True)
    named = [
        key for _, how in reading.clauses for key, shows in how.facts.items() if "how:cue" in shows
    ]
    if known := [turn.facts[key] for key in reading.asked if key in turn.facts and key in named]:
        return turn.tell(known[:1])
    if guessed := answer_guessed(turn):
        return guessed
    if any(map(_TWO_WAYS.search, asked)):
        return turn.say("fine_with_me")
    if not any(map(_BEGINS_WITH_WHAT.search, asked)):
        is_yes = any(map(_WANTS_YES.search, asked))
        return turn.say("fine_if_fits" if is_yes else "fine_with_me")
    if turn.memory.asked_back < turn.behavior.asks_back:
        return turn.say("what_meant", asked_back=True)
    return turn.say("unknown")


def _is_the_same(turn: Turn) -> bool:
    """Tell whether it is asked of a slot if what was just told holds there, and all of it does."""
    told = [slots_of(turn, key) for key in turn.memory.record.told_last]
    named = [
        one.named for one in turn.reading.segments if one.is_request and _SAME_FOR.search(one.text)
    ]
    return bool(told and named) and all(slots and slots <= one for slots in named for one in told)


def _card_meant(turn: Turn) -> Decision | None:
    """Say that the card is meant of whose number is asked whether it was written by mistake."""
    fact = turn.facts.get(CARD_FACT)
    asked = [one.text for one in turn.reading.segments if one.is_request]
    if fact is None or not any(
        _IS_SLIP.search(text) and str(fact.value["last4"]) in text for text in asked
    ):
        return None
    parts = (turn.speaker.phrase("nothing_wrong"), turn.speaker.fact(fact))
    return Decision(parts, told=told_as_asked([fact]), is_answer=True, is_content=True)


def _only_waits(turn: Turn) -> bool:
    """Tell whether the one thing that a message asks for is time."""
    asked = [one for one in turn.reading.segments if one.is_request]
    offers = any(_OR_WAITS.search(one.text) for one in asked)
    waits = (one.says("wait") and not one.says("alteration") for one in asked)
    return bool(asked) and not offers and all(waits)


def _on_foreign(turn: Turn) -> str:
    """Return the act that answers a question about what no wish is of."""
    if turn.reading.is_about_approvals:
        return "nothing_pending"
    is_counted = any(one.says("how_many") for one in turn.reading.segments)
    return "fine_with_me" if is_counted else "not_at_hand"


def _asks_of_yes(turn: Turn) -> bool:
    """Tell whether a message asks what the user's yes to a plan meant, and puts no other to it."""
    is_late = not turn.memory.approved or turn.wallet.bookings or turn.reading.ids
    return not is_late and any(one.says("booking_act") for one in turn.reading.segments)


def _take_stock(turn: Turn) -> Decision:
    """Say what is missing or unpaid where the agent claims to be done."""
    missing = list(dict.fromkeys(turn.missing))
    if missing and (turn.mended is not None or _GOES_ON.search(turn.text)):
        return turn.say("waiting")
    pending = [booking.booking_id for booking in turn.wallet.pending]
    if missing:
        act = "missing_many" if len(missing) > 1 else "missing"
        words = turn.speaker.phrase(act, things=join_words(missing))
    elif pending and not (turn.wallet.earlier or _PAID.search(turn.text)):
        words = turn.speaker.phrase("next_step")
    elif pending:
        words = turn.speaker.phrase("unpaid", bookings=join_words(pending))
    else:
        words = turn.speaker.phrase("waiting")
    return Decision((words,))
