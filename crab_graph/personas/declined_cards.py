"""What a user does whose card was declined though it bears what is due: another card, or again.

It takes a card of its own that bears all that is left to pay, where it has one, and stays with it:
one that it has not paid with yet, or else one that it paid with before the one that was declined.
Where it has none there is nothing wrong with the card it paid with, and it wants that tried again.
"""

import re
from dataclasses import replace

from crab_graph.money import parse_cents
from crab_graph.personas.own_tools import APPROVE, Wallet
from crab_graph.personas.payment_habits import PaymentHabit, has_mistaken_card
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.understanding import Reading

_OTHER_CARD = re.compile(
    r"\b(?:another|other|different|second|new|alternative|replacement|back-?up) "
    r"(?:\w+ )?(?:(?:payment|credit|bank|debit) )?"
    r"(?:card|methods?(?: of payment)?|means of payment)\b"
)

_AGAIN = re.compile(r"\b(?:again|once more|another (?:go|try)|retry)\b")
"""What offers to try a card once more that was declined."""

_NUMBER = re.compile(r"(?<![\w$.,-])\d{4}(?![\w-]|[.,]\d)")
"""The last figures of a card."""


def with_spare_card(wallet: Wallet, reading: Reading, habit: PaymentHabit) -> Wallet:
    """Return a wallet out of which the user pays what is left with another card that bears it.

    Where none was declined it pays with the one that it put on the platform or approved last.
    """
    if not wallet.earlier or has_mistaken_card(wallet, habit):
        return wallet
    methods = [approval.payment_method_id for approval in wallet.earlier]
    cards = {card["card_id"]: card for card in wallet.cards}
    used = {name for name, card in cards.items() if card.get("payment_method_id") in methods}
    last = (name for name in used if cards[name]["payment_method_id"] == methods[-1])
    has_new = wallet.latest is not None and wallet.latest not in used
    wanted = wallet.latest if has_new else next(last, wallet.wanted)
    due = sum(booking.cents for booking in wallet.pending)
    if due and not has_new and is_declined(reading):
        # Where it may be tried again there is no need to go back to one that was paid with before.
        is_offered = any(_AGAIN.search(one.text) for one in reading.segments)
        tried = methods if is_offered else methods[-1:]
        spare = [
            name
            for name, card in cards.items()
            if card.get("payment_method_id") not in tried
            and "limit" in card
            and parse_cents(card["limit"]) >= due
        ]
        wanted = min(spare, key=lambda name: name in used, default=wanted)
    return replace(wallet, wanted=wanted)


def retry(turn: Turn) -> Decision | None:
    """Ask for the card to be tried again that was declined; `None` where another one is used."""
    wallet = turn.wallet
    if not wallet.earlier or wallet.added is not None or APPROVE in wallet.called:
        return None
    is_open = is_declined(turn.reading) or offers_either_card(turn)
    if not is_open or has_mistaken_card(wallet, turn.habit):
        return None
    methods = [one.payment_method_id for one in wallet.earlier]
    if wallet.method_id in methods and wallet.method_id != methods[-1]:
        return Decision((turn.speaker.phrase("try_again", method=wallet.method_id),))
    if _failed_another(turn):
        return None
    method = methods[-1]
    return Decision((turn.speaker.phrase("try_again", method=method),))


def offers_either_card(turn: Turn) -> bool:
    """Tell whether a message names the card that is to be charged and another of the user's."""
    wallet, reading = turn.wallet, turn.reading
    return wallet.method_id in reading.ids and wallet.names_other_card(reading)


def _failed_another(turn: Turn) -> bool:
    """Tell whether the card that failed is named, and is not the one that is to be charged."""
    card = turn.wallet.card
    failed = [one.text for one in turn.reading.segments if one.says("card_failed")]
    named = {number for text in failed for number in _NUMBER.findall(text)}
    return card is not None and bool(named) and str(card["last4"]) not in named


def is_declined(reading: Reading) -> bool:
    """Tell whether a card was declined, or another one is asked for, which says the same."""
    if reading.tells_of_failed_card:
        return True
    return any(one.is_request and _OTHER_CARD.search(one.text) for one in reading.segments)
