"""What a user does about a message of the agent: the policy behind the rule-based engine.

Duties come first: object to what contradicts, pay when asked, answer, approve when asked. Only then
come offers, claims and questions that the facts do not answer.
"""

from dataclasses import replace

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import FactLevel, Reason, UserBriefing
from crab_graph.personas.check_answers import check
from crab_graph.personas.clarifying_answers import clarify
from crab_graph.personas.days_of_window import any_of_window
from crab_graph.personas.declined_cards import is_declined, retry
from crab_graph.personas.fact_answers import answer, go_on, name_detail
from crab_graph.personas.later_halves import halves
from crab_graph.personas.meant_answers import answer_meant, thanked
from crab_graph.personas.mishap_answers import keep, see_to_mishap
from crab_graph.personas.objection_answers import objection, objects
from crab_graph.personas.one_card import on_one_card
from crab_graph.personas.option_answers import choose, choose_by_words
from crab_graph.personas.own_tools import CARD_FACT, CARDS, PrivateCall, next_calls
from crab_graph.personas.owned_up import on_owned_up
from crab_graph.personas.payment_answers import added_words, pay, with_dealings
from crab_graph.personas.payment_habits import first_ones
from crab_graph.personas.plan_answers import approve, asks_for_rest
from crab_graph.personas.reactions import react, what_stands
from crab_graph.personas.standing_wishes import rest_stays
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.ways_out import give_nothing_up, stand_firm
from crab_graph.personas.wording import Speaker
from crab_graph.text.phrases import TerminalToken

_DUTIES = (
    rest_stays,
    give_nothing_up,
    choose_by_words,
    objection,
    keep,
    retry,
    go_on,
    clarify,
    on_one_card,
    any_of_window,
    answer_meant,
    check,
    stand_firm,
    choose,
    pay,
    answer,
    see_to_mishap,
    approve,
    what_stands,
    react,
)
"""What a user may do about a message, first things first; each returns `None` to pass it on."""

_WHOLE = frozenset({answer_meant, retry, on_one_card, pay, answer, approve, what_stands, react})
"""Those that have seen to payments and to a plan; behind the others that is left to say."""


def open_dialogue(briefing: UserBriefing, behavior: Behavior, speaker: Speaker) -> Decision:
    """Return the first turn: the basic facts, or everything without two levels."""
    known = {fact.key: fact for fact in briefing.facts}
    facts = [known[key] for key in briefing.ordered_keys()]
    if behavior.two_levels:
        facts = [fact for fact in facts if fact.level is FactLevel.BASIC]
    template = briefing.lexicon.opening_full[0]
    rest = [fact for fact in facts if f"{{{fact.key}}}" not in template]
    rest, later = halves(rest, speaker)
    facts = [fact for fact in facts if fact.key not in later]
    told = tuple((fact.key, Reason.VOLUNTEERED) for fact in facts)
    parts = [speaker.opening(facts), *map(speaker.fact, rest)]
    tail = (speaker.phrase("more_to_come"),) if later else ()
    return Decision(
        tuple(parts), tail=tail, told=told, is_answer=True, is_content=True, later=later
    )


def private_calls(turn: Turn) -> list[PrivateCall]:
    """Return the private calls to make before the user can answer."""
    reading, wallet = turn.reading, turn.wallet
    if CARD_FACT in turn.playback.wrong:
        return []
    if objects(turn):
        may_add = reading.asks_card and not turn.is_due
        return next_calls(reading, wallet, (), only_card=True) if may_add else []
    has_failed = bool(wallet.earlier) and is_declined(reading)
    pays = reading.asks_wallet or turn.is_due or has_failed
    # Once it has paid, it looks for what has come of that, whatever it is asked.
    checks = (reading.claims_done or reading.is_closing or bool(wallet.earlier)) and not pays
    if checks and wallet.confirmations not in wallet.called:
        return [PrivateCall(wallet.confirmations, {})]
    if turn.wrong_total is not None and CARDS in wallet.called:
        return []
    only_card = asks_for_rest(turn)
    calls = next_calls(
        reading,
        wallet,
        turn.refused,
        is_due=turn.is_due,
        only_card=only_card,
        is_declined=has_failed,
    )
    # What is said to be booked it sees for itself, whatever else is asked.
    is_claimed = reading.claims_done or reading.is_closing
    if not calls and is_claimed and wallet.confirmations not in wallet.called:
        return [PrivateCall(wallet.confirmations, {})]
    return first_ones(calls, wallet, turn.habit)


def decide(turn: Turn) -> Decision:
    """Return the turn that answers a message."""
    decision = _decided(turn)
    decision = _with_asides(turn, decision) if turn.asides else decision
    if turn.mended is None or decision.approved or decision.token or objects(turn):
        return decision
    # Who asks for a yes to make a booking anew gets it, beside what else is said.
    if not turn.mended.wants_yes and turn.text.strip():
        return decision
    if decision.is_content:
        return replace(decision, parts=(turn.speaker.phrase("approve"), *decision.parts))
    return turn.say("approve", is_content=True, moved=True)


def _with_asides(turn: Turn, decision: Decision) -> Decision:
    """Return a turn that first answers what is asked by the way, or that where nothing else is."""
    said = tuple(turn.speaker.phrase(one.act, name=one.name) for one in turn.asides)
    is_open = turn.reading.asks_anything or turn.playback.wrong or objects(turn)
    if is_open or decision.token:
        return replace(decision, parts=(*said, *decision.parts))
    return Decision(said, is_answer=True, is_content=True, moved=True)


def _decided(turn: Turn) -> Decision:
    """Return the turn that answers a message, but for bookings that are made anew."""
    reading, wallet = turn.reading, turn.wallet
    if not (turn.text.strip() or turn.clarification or turn.asides):
        return turn.say("nudge")
    if reading.has_transferred:
        return turn.say("transferred", token=TerminalToken.TRANSFER)
    is_over = not reading.asks_wallet or reading.claims_done or reading.is_closing
    is_settled = wallet.bookings and not wallet.pending and is_over
    if owned := on_owned_up(turn):
        return owned
    # Everything wanted is booked and paid, as the user's own bookings show.
    if is_settled and not turn.missing:
        return thanked(turn)
    for duty in _DUTIES:
        decision = duty(turn)
        if decision is not None and (decision.parts or decision.token):
            if duty is give_nothing_up:
                return replace(decision, parts=(*decision.parts, *added_words(turn)))
            return decision if duty in _WHOLE else with_dealings(turn, decision)
    return turn.say("waiting")


def change_mind(turn: Turn, key: str) -> Decision:
    """Return the turn that takes back a first wish, and answers what else was asked."""
    return name_detail(turn, "change_mind", key, Reason.CHANGED, is_content=True, moved=True)


def is_cautious(turn: Turn) -> bool:
    """Tell whether a message wants a yes, a payment or an objection, not answers alone."""
    reading = turn.reading
    wants = reading.asks_booking or reading.asks_wallet or reading.claims_done
    return wants or objects(turn)
