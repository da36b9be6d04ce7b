"""How a user answers requests about payment: what it says after it has used its own tools."""

from crab_graph.money import format_dollars
from crab_graph.personas.briefing import Reason
from crab_graph.personas.fact_answers import absence_words, chosen_facts
from crab_graph.personas.own_tools import ADD, APPROVE, CARD_FACT, to_approve
from crab_graph.personas.payment_habits import PaymentHabit
from crab_graph.personas.plan_answers import asks_for_plan, can_approve
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.wording import join_words, word_value


def pay(turn: Turn) -> Decision | None:
    """Say what came of a request about payment; `None` where there was none to answer."""
    reading, wallet = turn.reading, turn.wallet
    if not (reading.asks_wallet or (turn.is_due and wallet.recorded)):
        return None
    is_plan = asks_for_plan(turn) and not wallet.pending
    if is_plan and not (reading.asks_card or reading.asks_method):
        return None
    parts = _payment_words(turn, is_plan=is_plan)
    facts = [fact for fact in chosen_facts(turn) if fact.key != CARD_FACT]
    told = told_as_asked(facts)
    if reading.asks_method or wallet.added is not None or _names_card(turn):
        parts.append(_method_words(turn))
        if CARD_FACT in turn.facts and turn.facts[CARD_FACT].value["card_id"] == wallet.wanted:
            told = ((CARD_FACT, Reason.ASKED), *told)
    parts += [turn.speaker.fact(fact) for fact in facts]
    approved = is_plan and can_approve(turn)
    asks_more = not (is_plan or wallet.pending or wallet.recorded)
    without, declined = absence_words(turn, facts) if asks_more else ([], ())
    parts += without
    if approved:
        parts.append(turn.speaker.phrase("approve"))
    moved = not wallet.called.isdisjoint({APPROVE, ADD})
    is_content = moved and not turn.refused
    owes = bool(_left(turn))
    return Decision(
        tuple(parts),
        told=told,
        declined=declined,
        is_content=is_content,
        moved=moved,
        approved=approved,
        owes=owes,
    )


def _names_card(turn: Turn) -> bool:
    """Tell whether to name the card that it is asked to add: beside payments it was named."""
    is_named = turn.speaker.has_said(turn.wallet.method_id or "")
    return turn.reading.asks_card and not (is_named and turn.wallet.recorded)


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
        has_tried = turn.habit is PaymentHabit.OTHER_CARD and wallet.earlier
        parts += [phrase("card_limit")] if has_tried else []
        parts.append(phrase("added"))
    if _left(turn):
        done = join_words([approval.booking_id for approval in wallet.recorded])
        parts.append(phrase("paid_some", bookings=done))
    elif wallet.recorded:
        parts.append(phrase("paid_rest" if turn.memory.owes else "paid"))
    elif reading.asks_approval and not (parts or reading.asks_method or is_plan):
        parts.append(phrase("paid_before" if wallet.earlier else "nothing_pending"))
    return parts


def _method_words(turn: Turn) -> str:
    card, method_id = turn.wallet.card, turn.wallet.method_id
    words = turn.briefing.lexicon.facts.get(CARD_FACT)
    if card is None or words is None:
        return turn.speaker.phrase("unknown")
    name = word_value(words.form, card, words)
    if method_id is None:
        return turn.speaker.phrase("card_only", card=name)
    return turn.speaker.phrase("method", method=method_id, card=name)
