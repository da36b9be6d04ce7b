"""How people pay who do not do it in one go: some bookings first, or too small a card (D4).

Whether a user does so is drawn once for an episode. It says what it did, and does the rest with its
next turn, or with the right card once the agent tells it that the first one was declined: nothing
of it is lost, and nothing is paid that was not asked for.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from crab_graph.money import parse_cents
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.own_tools import APPROVE, METHOD_ID, PrivateCall, Wallet
from crab_graph.personas.understanding import Reading
from crab_graph.randomness import derive_rng


class PaymentHabit(StrEnum):
    """How a user goes about payments."""

    AT_ONCE = "at_once"
    IN_PARTS = "in_parts"
    OTHER_CARD = "other_card"


def payment_habit(briefing: UserBriefing, behavior: Behavior, seed: int) -> PaymentHabit:
    """Draw how a user pays in an episode."""
    drawn = derive_rng("payment habit", seed, briefing.task_id).random()
    if drawn < behavior.pays_in_parts:
        return PaymentHabit.IN_PARTS
    if drawn < behavior.pays_in_parts + behavior.tries_other_card:
        return PaymentHabit.OTHER_CARD
    return PaymentHabit.AT_ONCE


def with_other_card(wallet: Wallet, reading: Reading) -> Wallet:
    """Return a wallet out of which the user takes a card that does not bear all that is due.

    It takes the right one where the agent names it, where it is on the platform, and ever after it
    has approved anything.
    """
    mine, due = wallet.card, [booking.cents for booking in wallet.pending]
    is_named = any(one.startswith(METHOD_ID) for one in reading.ids)
    if mine is None or not due or wallet.earlier or is_named:
        return wallet
    if mine.get("payment_method_id") or str(mine.get("last4")) in reading.utterance.text:
        return wallet
    limits = {
        card["card_id"]: parse_cents(card["limit"])
        for card in wallet.cards
        if card is not mine and "limit" in card
    }
    lowest = min(limits, key=limits.__getitem__, default=None)
    is_low = lowest is not None and limits[lowest] < sum(due)
    return replace(wallet, wanted=lowest) if is_low else wallet


def has_mistaken_card(wallet: Wallet, habit: PaymentHabit) -> bool:
    """Tell whether all that the user approved so far was on a card that it took by mistake."""
    methods = {approval.payment_method_id for approval in wallet.earlier}
    meant = next((card for card in wallet.cards if card["card_id"] == wallet.wanted), {})
    is_mistaken = bool(methods) and meant.get("payment_method_id") not in methods
    return habit is PaymentHabit.OTHER_CARD and is_mistaken


def is_due(reading: Reading, wallet: Wallet, habit: PaymentHabit, *, owes: bool) -> bool:
    """Tell whether the user pays without being asked to: what it owes, or what was declined."""
    is_declined = habit is PaymentHabit.OTHER_CARD and reading.tells_of_failed_card
    return (owes and not reading.holds_off) or (is_declined and bool(wallet.earlier))


def first_ones(
    calls: Sequence[PrivateCall], wallet: Wallet, habit: PaymentHabit
) -> list[PrivateCall]:
    """Return the approvals that a user makes now who does not make all of them at once."""
    approvals = [call for call in calls if call.name == APPROVE]
    if habit is not PaymentHabit.IN_PARTS or wallet.earlier or len(approvals) < 2:
        return list(calls)
    return approvals[: (len(approvals) + 1) // 2]
