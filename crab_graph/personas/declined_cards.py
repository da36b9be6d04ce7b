"""What a user does whose card was declined though it bears what is due: another card, or again.

It takes a card of its own that bears all that is left to pay, where it has one; else there is
nothing wrong with the card it paid with, and it wants that tried once more.
"""

from dataclasses import replace

from crab_graph.money import parse_cents
from crab_graph.personas.own_tools import APPROVE, Wallet
from crab_graph.personas.payment_habits import PaymentHabit
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.understanding import Reading


def with_spare_card(wallet: Wallet, reading: Reading, habit: PaymentHabit) -> Wallet:
    """Return a wallet out of which the user pays what is left with another card that bears it."""
    mine, due = wallet.card, sum(booking.cents for booking in wallet.pending)
    if mine is None or not due or not _is_of_own(wallet, reading, habit):
        return wallet
    spare = (
        card["card_id"]
        for card in wallet.cards
        if card is not mine and "limit" in card and parse_cents(card["limit"]) >= due
    )
    return replace(wallet, wanted=next(spare, wallet.wanted))


def retry(turn: Turn) -> Decision | None:
    """Ask for the card to be tried again that was declined; `None` where another one is used."""
    wallet = turn.wallet
    if not _is_of_own(wallet, turn.reading, turn.habit) or APPROVE in wallet.called:
        return None
    method = wallet.earlier[-1].payment_method_id
    return Decision((turn.speaker.phrase("try_again", method=method),))


def _is_of_own(wallet: Wallet, reading: Reading, habit: PaymentHabit) -> bool:
    """Tell whether a card was declined that the user had approved, and did not mistake."""
    methods = {approval.payment_method_id for approval in wallet.earlier}
    is_own = wallet.method_id in methods
    has_mistaken = habit is PaymentHabit.OTHER_CARD and len(methods) < 2 and not is_own
    return reading.tells_of_failed_card and bool(methods) and not has_mistaken
