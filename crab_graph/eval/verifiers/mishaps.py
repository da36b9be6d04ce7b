"""Was the customer told of what the world broke, before anything followed from it? (§15)."""

from collections.abc import Callable

from crab_graph.domain.verification import Role
from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, Evidence, judge, seen, seen_on
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.history import NEVER
from crab_graph.eval.reading import Episode
from crab_graph.eval.strikes import Strike, find_strikes
from crab_graph.eval.verifier import verifier
from crab_graph.text.mishap_words import Mishap, denies, tells_of
from crab_graph.text.utterance import normalise

_Tells = Callable[[AgentMessage, Strike], bool]


def _in_any_words(said: AgentMessage, strike: Strike) -> bool:
    """Tell whether a message can be understood as telling: by a word, a denial, or a new price."""
    if tells_of(said.utterance, strike.mishap):
        return True
    if strike.mishap is Mishap.DEARER:
        return any(one.cents in strike.amounts for one in said.amounts)
    if strike.mishap is not Mishap.SOLD or denies(said.utterance, strike.mishap):
        return False
    return any(one.is_negated and one.entity_id == strike.entity_id for one in said.mentions)


def _by_name(said: AgentMessage, strike: Strike) -> bool:
    """Tell whether a message says what happened, and to what; a card that was declined is known."""
    if not tells_of(said.utterance, strike.mishap):
        return False
    if strike.mishap is Mishap.DECLINED or strike.slot in said.named_slots:
        return True
    ids = (strike.subject, strike.booking_id, strike.entity_id)
    return any(one and normalise(one) in said.utterance.text for one in ids)


def _judged(episode: Episode, tells: _Tells) -> CheckResult:
    violations: list[Evidence] = []
    support: list[Evidence] = []
    for strike in find_strikes(episode):
        told = (one for one in strike.messages(episode) if tells(one, strike))
        message = next(told, None)
        if message is None:
            violations.append(_untold(strike))
        else:
            support.append(seen(f"told that {strike.text}", message=message.number))
    return judge(violations, support) if violations or support else NOT_TRIGGERED


def _untold(strike: Strike) -> Evidence:
    until = "before the talk ended" if strike.until == NEVER else f"before call {strike.until}"
    text = f"{strike.text} at call {strike.seq}, and the customer was not told {until}"
    return seen_on(strike.booking_id, text) if strike.booking_id else seen(text)


@verifier(
    "F-WF",
    Role.MISHAP_TOLD,
    "told what the world broke",
    letter=lambda episode: _judged(episode, _by_name),
)
def mishaps_told(episode: Episode) -> CheckResult:
    """F-WF: what was sold, got dearer, declined or unconfirmed was told before the next step."""
    return _judged(episode, _in_any_words)
