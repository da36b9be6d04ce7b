"""How a user answers requests about payment: what it says after it has used its own tools."""

import re
from dataclasses import replace

from crab_graph.money import format_dollars
from crab_graph.personas.absences import absence_words, bound_choices
from crab_graph.personas.briefing import Reason
from crab_graph.personas.declined_cards import failed_another, is_declined, method_words
from crab_graph.personas.error_reactions import Reaction
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.fact_scopes import is_named
from crab_graph.personas.failed_cards import asks_retry
from crab_graph.personas.founded_denials import brands_in
from crab_graph.personas.own_tools import ADD, APPROVE, CARD_FACT, CARDS, named_bookings, to_approve
from crab_graph.personas.payment_habits import PaymentHabit
from crab_graph.personas.plan_answers import (
    asks_for_plan,
    asks_for_rest,
    asks_of_price,
    can_approve,
    other_card_words,
    wants_yes,
    yes_act,
)
from crab_graph.personas.played_clauses import is_check
from crab_graph.personas.played_tokens import card_numbers
from crab_graph.personas.pointed_questions import OR
from crab_graph.personas.sought_facts import asks_openly, new_facts
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.wording import join_words

_WHICH = re.compile(
    r"\b(?:which|what|whose|remind|again|once more|repeat)\b.{0,60}"
    r"\b(?:card|method|pay\w*|visa|mastercard|amex|ids?)\b"
    r"|\b(?:card|method|pay\w*)\b.{0,40}\b(?:which|what|again|once more)\b"
)


_ENDS = re.compile(r"(?<![\w$.,:/-])\d{4}(?![\w.,:/-]\d|\d)")
"""The last digits of a card."""


def pay(turn: Turn) -> Decision | None:
    """Say what came of a request about payment; `None` where there was none to answer."""
    reading, wallet = turn.reading, turn.wallet
    if not _is_about_payment(turn):
        return None
    is_plan = asks_for_plan(turn) and not wallet.pending
    if is_plan and not (reading.asks_card or reading.asks_method):
        return None
    is_rest = asks_for_rest(turn)
    paid = _dealings(turn, is_plan=is_plan or is_rest)
    chosen = chosen_facts(turn)
    is_known = turn.memory.record.is_settled
    facts = [
        fact
        for fact in chosen
        if fact.key != CARD_FACT
        # Beside an approval nothing is said again that was not asked for by name.
        and not (reading.asks_approval and is_known(fact.key) and not is_named(turn, fact.key))
    ]
    invited = asks_openly(turn) and not facts
    # What is said of the card takes nothing of what an answer holds.
    facts = chosen_facts(turn, (CARD_FACT,)) if invited else facts
    parts = [*paid.parts, *map(turn.speaker.fact, facts)]
    asks_more = not (is_plan or wallet.pending or wallet.recorded)
    without, declined = absence_words(turn, facts) if asks_more else ([], ())
    if asks_more and not without:
        # What waited for the card is said beside it.
        without, declined = absence_words(turn, chosen)
    if asks_more and not (facts or without) and asks_openly(turn):
        # The card was the last thing to say to who asks if that is all.
        is_all = {*new_facts(turn)} <= {CARD_FACT}
        without = [turn.speaker.phrase("nothing_else")] if is_all else []
    bound = bound_choices(turn) if asks_more else set()
    parts += [turn.speaker.none_certain(bound)] if bound else []
    parts += without
    # What could not be booked with the rest is asked about beside its payments.
    is_left = reading.asks_booking and bool(wallet.pending and turn.missing and reading.ids)
    parts += [turn.speaker.phrase("try_again", method=method) for method in _tried_again(turn)]
    approved = (is_plan or is_left or is_rest or asks_of_price(turn)) and can_approve(turn)
    if approved:
        parts.insert(0 if _is_yes_first(turn) else len(parts), turn.speaker.phrase(yes_act(turn)))
    if not (paid.parts or approved or _tried_again(turn)):
        return None  # nothing is said of payments: what else is asked is answered as ever
    told = (*paid.told, *told_as_asked(facts))
    return replace(paid, parts=tuple(parts), told=told, declined=declined, approved=approved)


def added_words(turn: Turn) -> tuple[str, ...]:
    """Say that a card was added, and which payment method that is, where it was just now."""
    if turn.wallet.added is None:
        return ()
    return turn.speaker.phrase("added"), method_words(turn)


def with_dealings(turn: Turn, decision: Decision) -> Decision:
    """Return a turn with what it leaves open: what came of payments, and the yes to a plan.

    A turn that only affirms what is played back gives way to what was done.
    """
    is_yes = not (turn.conflicts or turn.playback.wrong or decision.approved or turn.wallet.pending)
    has_looked = CARDS in turn.wallet.called
    paid = _dealings(turn, is_plan=True) if has_looked and _is_about_payment(turn) else None
    has_named = any(key == CARD_FACT for key, _ in decision.told) and turn.wallet.method_id is None
    is_hint = decision.reaction is not None and decision.reaction[1] is Reaction.HINTED
    if has_named or (is_hint and turn.wallet.added is None):
        paid = None
    if paid is not None and paid.parts and not decision.token:
        is_bare = turn.choice is None and not (turn.conflicts or turn.playback.wrong)
        is_bare = is_bare and paid.moved and len(decision.parts) == 1 and not _asks_if_right(turn)
        # What was said with doubt and is said surely now is no mere yes.
        is_doubted = turn.memory.record.is_doubted
        is_bare = is_bare and not any(is_doubted(key) for key, _ in decision.told)
        decision = replace(
            decision,
            parts=paid.parts if is_bare else tuple(dict.fromkeys((*decision.parts, *paid.parts))),
            told=(*decision.told, *paid.told),
            moved=decision.moved or paid.moved,
            owes=paid.owes,
            is_answer=decision.is_answer and not is_bare,
        )
    if is_yes and turn.choice is None and wants_yes(turn):
        is_named = any(key == CARD_FACT for key, _ in decision.told)
        card, told = ([], ()) if is_named or paid is not None else other_card_words(turn)
        parts = (*decision.parts, turn.speaker.phrase(yes_act(turn)), *card)
        told = (*decision.told, *told)
        decision = replace(decision, parts=parts, told=told, approved=True)
    return decision


def _asks_if_right(turn: Turn) -> bool:
    """Tell whether a question by itself asks if all that was noted is right."""
    return turn.playback.states and any(
        one.text.rstrip().endswith("?") and is_check(one) and not one.says("payment")
        for one in turn.reading.segments
    )


def _is_about_payment(turn: Turn) -> bool:
    """Tell whether anything is to be said of payments: it was asked for, or done.

    What an agent says that is done asks for nothing where nothing waits.
    """
    reading, wallet = turn.reading, turn.wallet
    is_over = (reading.claims_done or reading.is_closing) and bool(wallet.earlier)
    is_over = is_over and not (wallet.is_spare and wallet.pending)
    has_done = bool(wallet.recorded) or wallet.added is not None
    if is_over and not has_done and not (turn.refused or wallet.errors):
        asks = reading.asks_card or reading.asks_method or bool(to_approve(reading, wallet))
        return reading.asks_wallet and asks
    is_spare = wallet.is_spare and bool(wallet.pending)
    return reading.asks_wallet or is_spare or (turn.is_due and bool(wallet.recorded))


def _dealings(turn: Turn, *, is_plan: bool) -> Decision:
    """Return what came of a request about payment, and the payment method where it is wanted."""
    parts = _payment_words(turn, is_plan=is_plan)
    told: tuple[tuple[str, Reason], ...] = ()
    if _names_method(turn):
        parts.append(method_words(_as_approved(turn)))
        if CARD_FACT in turn.facts and turn.facts[CARD_FACT].value["card_id"] == turn.wallet.wanted:
            told = ((CARD_FACT, Reason.ASKED),)
    moved = not turn.wallet.called.isdisjoint({APPROVE, ADD})
    return Decision(
        tuple(parts),
        told=told,
        is_content=moved and not turn.refused,
        moved=moved,
        owes=bool(_left(turn)),
    )


def _as_approved(turn: Turn) -> Turn:
    """Return a turn that pays with the card by which all that is left was approved before.

    What is approved now, or with no one card, it pays as it is.
    """
    wallet = turn.wallet
    due = {one.booking_id for one in wallet.pending}
    approved = {one.booking_id: one.payment_method_id for one in wallet.earlier}
    methods = {method for booking, method in approved.items() if booking in due}
    has_moved = wallet.recorded or wallet.added is not None or wallet.is_spare
    if has_moved or not due <= approved.keys():
        return turn
    held = (card["card_id"] for card in wallet.cards if card.get("payment_method_id") in methods)
    card = next(held, wallet.wanted) if len(methods) == 1 else wallet.wanted
    return replace(turn, wallet=replace(wallet, wanted=card))


def _is_yes_first(turn: Turn) -> bool:
    """Tell whether a yes is asked for before a card."""
    yes, card = turn.reading.yes_place, turn.reading.card_place
    return yes is not None and card is not None and yes < card


def _tried_again(turn: Turn) -> list[str]:
    """Return the method to try again for what was approved before, beside what is now; or none."""
    wallet = turn.wallet
    approved = {one.payment_method_id for one in wallet.earlier}
    is_same = bool(wallet.recorded) and wallet.method_id in approved
    before, now = ({one.booking_id for one in own} for own in (wallet.earlier, wallet.recorded))
    is_left = any(one.booking_id in before - now for one in wallet.pending)
    is_open = is_same and is_left and not wallet.is_spare and asks_retry(turn.reading.segments)
    return [str(wallet.method_id)] if is_open else []


def _names_method(turn: Turn) -> bool:
    """Tell whether to name the payment method: it is new, or asked for, and not named by both.

    An agent that names it itself has it; one that asks to add it once more does not see it.
    """
    reading, wallet = turn.reading, turn.wallet
    if wallet.added is not None:
        return True
    if _tried_again(turn):
        # What is to be tried again is named there.
        return False
    method = wallet.method_id
    is_said = method is None or turn.speaker.has_said(method)
    if wallet.earlier and is_declined(reading) and failed_another(turn):
        return True
    if wallet.is_spare and method is not None:
        # An agent that still speaks of the other card has not heard of this one.
        return not (is_said and method in reading.ids)
    is_known = is_said and wallet.method_id in reading.ids
    if reading.asks_method and (_asks_which(turn) or not (is_known or is_said)):
        return True
    if reading.asks_approval and wallet.earlier and _asks_between_cards(turn):
        return True
    if wallet.earlier and any(map(_ASKS_IF_ON.search, (one.text for one in reading.segments))):
        return True
    return (reading.asks_card and not is_said) or (reading.card_place is not None and not is_known)


_ASKS_IF_ON = re.compile(
    r"\b(?:did|have|has|are|is|was|were)\b[^?]{0,40}\b(?:approv\w*|recorded)\b[^?]{0,90}"
    r"\b(?:with|on|for|by|using) (?:the |your |my )?(?:pm-|visa|mastercard|american|amex|card)"
    r"[^?]*\?"
)
"""Asks if what was approved was so with the card that it names."""


def _asks_which(turn: Turn) -> bool:
    """Tell whether a clause asks which card or method to take, in so many words."""
    return any(_WHICH.search(one.text) for one in turn.reading.segments if one.is_request)


def _asks_between_cards(turn: Turn) -> bool:
    """Tell whether a question names cards and an alternative, as of which an approval is."""
    asked = " ".join(one.text for one in turn.reading.segments if one.is_request)
    named = {*card_numbers(asked), *brands_in(asked)}
    return OR.search(asked) is not None and max(len(named), len({*_ENDS.findall(asked)})) > 1


def _left(turn: Turn) -> list[str]:
    """Return the bookings asked for whose payments the user approves with its next turn."""
    wallet, habit = turn.wallet, turn.habit
    if habit is not PaymentHabit.IN_PARTS or wallet.earlier or not wallet.recorded:
        return []
    done = {approval.booking_id for approval in wallet.recorded}
    done |= {refusal.booking_id for refusal in turn.refused}
    names = (booking.booking_id for booking in to_approve(turn.reading, wallet))
    return [name for name in names if name not in done]


def _payment_words(turn: Turn, *, is_plan: bool) -> list[str]:
    """Say what was refused, what failed, and what was done."""
    reading, wallet, phrase = turn.reading, turn.wallet, turn.speaker.phrase
    if turn.wrong_total is not None:
        due = format_dollars(sum(booking.cents for booking in wallet.pending))
        return [phrase("refuse_total", due=due, stated=format_dollars(turn.wrong_total))]
    parts = [
        phrase(
            "refuse_amount",
            booking=refusal.booking_id,
            due=format_dollars(refusal.due),
            stated=format_dollars(refusal.stated),
        )
        for refusal in turn.refused
    ]
    parts += [phrase("tool_failed", reason=reason) for reason in wallet.errors[:1]]
    if wallet.added is not None:
        parts += [phrase("card_limit")] if _corrects_card(turn) else []
        parts.append(phrase("added"))
    if _left(turn):
        done = join_words([approval.booking_id for approval in wallet.recorded])
        parts.append(phrase("paid_some", bookings=done))
    elif wallet.recorded and (not _is_all(turn) or _is_moved(turn)):
        done = join_words([approval.booking_id for approval in wallet.recorded])
        parts.append(phrase("paid_these", bookings=done))
    elif wallet.recorded:
        parts.append(phrase("paid_rest" if turn.memory.owes else "paid"))
    elif reading.asks_approval and not is_plan:
        parts += _nothing_paid(turn, is_silent=bool(parts))
    return parts


def _corrects_card(turn: Turn) -> bool:
    """Tell whether the user takes its right card now, after another one."""
    mine, wallet = turn.briefing.fact(CARD_FACT), turn.wallet
    is_right = mine is not None and mine.value["card_id"] == wallet.wanted
    return turn.habit is PaymentHabit.OTHER_CARD and bool(wallet.earlier) and is_right


def _is_moved(turn: Turn) -> bool:
    """Tell whether what was approved before is so now with another card."""
    before = {one.booking_id: one.payment_method_id for one in turn.wallet.earlier}
    return any(
        one.booking_id in before and before[one.booking_id] != one.payment_method_id
        for one in turn.wallet.recorded
    )


def _is_all(turn: Turn) -> bool:
    """Tell whether all that is wanted is booked, and what waits for payment is approved."""
    wallet = turn.wallet
    done = {one.booking_id for one in (*wallet.recorded, *wallet.earlier)}
    is_left = any(booking.booking_id not in done for booking in wallet.pending)
    return not (is_left or turn.refused or turn.missing)


def _nothing_paid(turn: Turn, *, is_silent: bool) -> list[str]:
    """Say why nothing is approved now that was asked for; `is_silent` where that is said."""
    wallet, phrase = turn.wallet, turn.speaker.phrase
    mine = {booking.booking_id for booking in wallet.bookings}
    named = named_bookings(turn.reading)
    if named and wallet.withdrawn.issuperset(named):
        return []
    unknown = [one for one in named if one not in mine]
    if unknown and wallet.bookings:
        return [phrase("unknown_booking", bookings=join_words(unknown))]
    if is_silent:
        return []
    if wallet.earlier:
        return [phrase("paid_before")]
    if turn.reading.asks_method:
        return []
    # Before anything is booked a card may be named to which the user says no.
    other, _ = other_card_words(turn)
    is_yes = turn.memory.approved and not turn.wallet.bookings
    return other or [phrase("approve" if is_yes else "nothing_pending")]
