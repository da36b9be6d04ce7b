"""What a user says to what the world broke: it was sold, shall I take another; it costs more now.

What it is offered in its place it judges by its wishes, as any plan, and what it costs by its
budget; where nothing of that stands against it, it says yes, or lets the agent look again.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.plan_answers import can_approve
from crab_graph.personas.plan_conflicts import exceeded
from crab_graph.personas.play_backs import PlayBack
from crab_graph.personas.stated_plans import read_plans
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.understanding import Reading

_SOLD = re.compile(
    r"\b(?:sold|gone|snapped up|taken by|no longer (?:available|there|free|on offer)"
    r"|fully booked|any ?more)\b"
)
_DEARER = re.compile(
    r"\b(?:expired|lapsed|went up|gone up|rose|risen|climbed|jumped|dearer"
    r"|more expensive|increased?|now costs?"
    r"|costs? \$[\d,.]+ more|price (?:has |have )?changed)\b"
)
_LOOK = re.compile(r"\b(?:search|look|find|check|pick|choose|replace)\b[^?]*\?")
_WHAT_THEN = re.compile(
    r"\bwhat (?:should|shall|do|am|would|can) (?:i|we|you)\b[^?]*"
    r"\b(?:do|suggest|propose|like|then)\b[^?]*\?"
)
"""Asks what to do about it."""
_GIVE_UP = re.compile(
    r"\b(?:shall|should|may|can|want|like|rather|prefer|ok|okay)\b[^?.]{0,40}"
    r"\b(?:cancel|drop|release|give (?:it |that )?up|let (?:it |that )?go|leave (?:it |that )?out"
    r"|do without)\b[^?.]*\?",
    re.I,
)
"""Asks whether to give up what waits for payment, as a card was declined."""
_ANEW = re.compile(
    r"\b(?:(?:shall|should|may|can|could) (?:i|we)|ok(?:ay)? (?:if i|to|for me to))\b[^?]{0,60}"
    r"\b(?:re-?book\w*|(?:book|make|reserve)\b[^?]{0,30}\b(?:again|anew|afresh|once more))"
    r"\b[^?]*\?",
    re.I,
)
"""Asks whether to make a booking anew."""
_GOES_ON = re.compile(
    r"(?:\b(?:shall|should|may|can|want me to|like me to|gonna|going to|i will|i would|let me"
    r"|lemme)|\bi'll|\bi'd)\b[^?.]{0,20}"
    r"\b(?:(?:keep|go on|continue) (?:looking|searching|trying)"
    r"|(?:look|search) (?:again|further|on))\b[^?.]*\?",
    re.I,
)
"""Asks whether to look further."""
_TAKE = re.compile(
    r"\b(?:instead|in its place|(?:take|book|reserve|use|have|go (?:for|with|ahead)|proceed)\b"
    r"|still (?:want|book|take)|(?:all right|alright|ok|okay|fine|acceptable|agree\w*)\b)[^?]*\?"
)
_SUM = r"\$(\d[\d,]*(?:\.\d\d)?)"
_MORE = re.compile(
    rf"{_SUM} (?:more|higher|dearer|extra|on top)\b"
    rf"|\b(?:up|rise[sn]?|rose|increased?|higher) by {_SUM}"
)
_LATEST = 4
"""Messages of the agent among which the latest total is looked for."""


def see_to_mishap(turn: Turn) -> Decision | None:
    """Answer what is asked of something that was sold or got dearer; `None` where nothing is."""
    text = turn.reading.utterance.text
    if _GOES_ON.search(text):
        return turn.say("look_again", is_content=True, moved=True)
    is_sold, is_dearer = (form.search(text) is not None for form in (_SOLD, _DEARER))
    if turn.reading.asks_booking or not (is_sold or is_dearer):
        return None
    if _TAKE.search(text) and (is_dearer or turn.reading.ids) and can_approve(turn):
        return turn.say("approve", is_content=True, moved=True)
    is_open = _LOOK.search(text) or (is_sold and _WHAT_THEN.search(text))
    return turn.say("look_again", is_content=True, moved=True) if is_open else None


def keep(turn: Turn) -> Decision | None:
    """Keep what waits for payment, where the agent asks whether to give it up for want of that.

    To have it made anew, since it was stored with a slip, is no giving up.
    """
    is_open = bool(turn.wallet.earlier and turn.wallet.pending)
    text = turn.reading.utterance.text
    if is_open and _ANEW.search(text):
        return turn.say("approve", is_content=True, moved=True)
    asks = is_open and _GIVE_UP.search(text)
    return turn.say("keep", is_content=True) if asks else None


def exceeded_by_more(text: str, said: Sequence[str], briefing: UserBriefing) -> list[str]:
    """Return the keys of the limits beyond which a rise that a message states takes the total.

    The total is the latest that the agent's earlier messages state.
    """
    found = _MORE.search(text.casefold())
    if found is None:
        return []
    more = parse_cents((found[1] or found[2]).replace(",", ""))
    totals = [one for plan in read_plans(said[-_LATEST:], briefing) for one in plan.totals]
    return exceeded(totals[-1] + more, briefing) if totals else []


def without_rise(reading: Reading, playback: PlayBack, briefing: UserBriefing) -> PlayBack:
    """Return what a message plays back, of which no limit is told wrong by what is no such limit.

    The rise of a price is none, nor is what a card bears that failed.
    """
    text = reading.utterance.text.casefold()
    is_of_card = reading.tells_of_failed_card and "budget" not in text
    if not (is_of_card or _DEARER.search(text)):
        return playback
    limits = exceeded(sys.maxsize, briefing)
    return replace(playback, wrong=tuple(key for key in playback.wrong if key not in limits))
