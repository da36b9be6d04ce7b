"""What a user does whose card was declined though it bears what is due: another card, or again.

It takes a card of its own that bears all that is left to pay, where it has one, and stays with it:
the one that the agent names, or one that it has not paid with yet, or else one that it paid with
before the one that was declined. A card that was said to bear no more is none of them. Where it has
none there is nothing wrong with the card it paid with, and it wants that tried again.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from crab_graph.money import parse_cents
from crab_graph.personas.failed_cards import asks_retry, named_cards, told_of_limits
from crab_graph.personas.own_tools import APPROVE, CARD_FACT, Wallet
from crab_graph.personas.payment_habits import PaymentHabit, has_mistaken_card
from crab_graph.personas.play_backs import PlayBack
from crab_graph.personas.played_tokens import card_numbers
from crab_graph.personas.pointed_questions import OR
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wording import word_value

_OTHER_CARD = re.compile(
    r"\b(?:another|other|different|second|new|alternative|replacement|back-?up) "
    r"(?:\w+ )?(?:(?:payment|credit|bank|debit) )?"
    r"(?:card|methods?(?: of payment)?|means of payment)\b"
    r"|\b(?:card|visa|mastercard|amex|american express)\b[^?]{0,40}\binstead\b"
    r"|\b(?:card|one) you (?:name|choose|prefer)\b"
)
_REQUIRED = re.compile(r"\b(?:is|are|will be) (?:required|needed|necessary)\b")
_OFFERED = re.compile(
    r"\b[b-d2-4][).:]\s(?:(?:an?|take|use|with) )*\Z"
    r"|\b(?:carry|go|continue|stay|stick|keep|remain)\w*\b[^?]{0,40}\b(?:with|to|on|using)\b"
    r"[^?]{0,40}\bor\b[^?]{0,60}\Z"
)
"""What leads a second answer to choose, or stands beside the card that is there."""
_OF_APPROVAL = re.compile(r"\b(?:did|have) you\b[^?]{0,40}\bapprov\w+[^?]*\?", re.I)
"""What asks which approvals were given."""

_AGAIN = re.compile(r"\b(?:again|re-?try|once more|another (?:try|go))\b")


def with_spare_card(
    wallet: Wallet, reading: Reading, habit: PaymentHabit, said: Sequence[str] = ()
) -> Wallet:
    """Return a wallet out of which the user pays what is left with another card that bears it.

    Where none was declined it pays with the one that it put on the platform or approved last. What
    the agent `said` before this message may tell of a card that it bears no more.
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
    text = reading.utterance.text
    now = told_of_limits([text], wallet.cards, methods)
    is_again = methods[-1] not in now and _asks_again_on(reading, methods[-1])
    if not due or _asks_between(reading, wallet) or is_again:
        return replace(wallet, wanted=wanted)
    capped = told_of_limits([*said, text], wallet.cards, methods)
    is_capped, is_offered = methods[-1] in capped, asks_retry(reading.segments)
    may_retry = is_offered and not is_capped
    if (may_retry and not has_new) or not (is_capped or is_declined(reading)):
        return replace(wallet, wanted=wanted)
    if has_new:
        return replace(wallet, wanted=wanted, is_spare=True)
    # Where it may be tried again there is no need to go back to one that was paid with before.
    tried = {*capped, *(methods if is_offered and not is_capped else methods[-1:])}
    bearing = [
        name
        for name, card in cards.items()
        if "limit" in card and parse_cents(card["limit"]) >= due
    ]
    named = {name for name in bearing if str(cards[name].get("last4")) in text}
    spare = [name for name in bearing if cards[name].get("payment_method_id") not in tried]
    if not spare and not is_offered:
        # Rather than none it takes one that the agent names again and says nothing against now.
        now |= {*methods[-1:]}
        spare = [name for name in named if cards[name].get("payment_method_id") not in now]
    found = min(spare, key=lambda name: (name not in named, name in used), default=None)
    return replace(wallet, wanted=found or wanted, is_spare=found is not None)


def of_spare_card(played: PlayBack, wallet: Wallet, reading: Reading, own: str) -> PlayBack:
    """Return a play-back that tells no card wrongly which the user named in its `own` words.

    It is not the one that it wished first, but took its place.
    """
    named = card_numbers(reading.utterance.text)
    is_own = bool(wallet.earlier and named) and all(number in own for number in named)
    if not is_own or CARD_FACT not in played.wrong:
        return played
    return replace(played, wrong=tuple(key for key in played.wrong if key != CARD_FACT))


def _asks_again_on(reading: Reading, method: str) -> bool:
    """Tell whether it is asked to approve what is left with the method that was used last."""
    on_it = re.compile(rf"\bapprov\w*\b[^;?!]{{0,60}}\b(?:on|with|using|by|from) {method}\b", re.I)
    return on_it.search(reading.utterance.text) is not None


def retry(turn: Turn) -> Decision | None:
    """Ask for the card to be tried again that was declined; `None` where another one is used."""
    wallet = turn.wallet
    if not wallet.earlier or wallet.added is not None or APPROVE in wallet.called:
        return None
    if wallet.is_spare and wallet.method_id not in {
        one.payment_method_id for one in wallet.earlier
    }:
        return None
    is_open = is_declined(turn.reading) or offers_either_card(turn)
    if not is_open or has_mistaken_card(wallet, turn.habit):
        return None
    is_of_items = turn.choice is not None and not turn.reading.tells_of_failed_card
    if is_of_items or _asks_between(turn.reading, wallet):
        return None
    if _OF_APPROVAL.search(turn.reading.utterance.text) and not turn.reading.tells_of_failed_card:
        return None
    methods = [one.payment_method_id for one in wallet.earlier]
    if not is_declined(turn.reading):
        # Which of two cards it is to be is asked of who was refused neither now.
        return Decision((method_words(turn),), is_answer=True, is_content=True)
    if wallet.method_id in methods and wallet.method_id != methods[-1]:
        return Decision((turn.speaker.phrase("try_again", method=wallet.method_id),))
    if failed_another(turn):
        return None
    method = methods[-1]
    return Decision((turn.speaker.phrase("try_again", method=method),))


def offers_either_card(turn: Turn) -> bool:
    """Tell whether a message names the card that is to be charged and another of the user's."""
    wallet, reading = turn.wallet, turn.reading
    return wallet.method_id in reading.ids and wallet.names_other_card(reading)


def failed_another(turn: Turn) -> bool:
    """Tell whether cards are named, and not the one that is to be charged."""
    card, text = turn.wallet.card, turn.reading.utterance.text.casefold()
    named = named_cards(text, turn.wallet.cards)
    return card is not None and bool(named) and card not in named


def is_declined(reading: Reading) -> bool:
    """Tell whether a card was declined.

    One that is to be tried again, or for which another is asked, was so, too.
    """
    is_told = reading.tells_of_failed_card or asks_retry(reading.segments)
    return is_told or _asks_for_other(reading)


def _asks_for_other(reading: Reading) -> bool:
    """Tell whether a clause asks for another card, and does not only offer one beside an answer."""
    found = (
        (one.text, _OTHER_CARD.search(one.text))
        for one in reading.segments
        if one.is_request or one.is_item or _REQUIRED.search(one.text)
    )
    return any(
        match is not None
        and (reading.tells_of_failed_card or not _OFFERED.search(text[: match.start()]))
        for text, match in found
    )


def _asks_between(reading: Reading, wallet: Wallet) -> bool:
    """Tell whether a clause asks which of two cards to charge, of which none just failed.

    One of them may be one to try again.
    """
    asking = [one.text for one in reading.segments if one.is_request and OR.search(one.text)]
    numbers = [str(card.get("last4")) for card in wallet.cards]
    return not reading.tells_of_failed_card and any(
        sum(number in text for number in numbers) > 1
        and any(
            not _AGAIN.search(one) and any(number in one for number in numbers)
            for one in OR.split(text)
        )
        for text in asking
    )


def method_words(turn: Turn) -> str:
    """Say which card is paid with, by its payment method where it has one."""
    card, method_id = turn.wallet.card, turn.wallet.method_id
    words = turn.briefing.lexicon.facts.get(CARD_FACT)
    if card is None or words is None:
        return turn.speaker.phrase("unknown")
    name = word_value(words.form, card, words)
    if method_id is None:
        return turn.speaker.phrase("card_only", card=name)
    if turn.reading.asks_card and turn.wallet.added is None:
        return turn.speaker.phrase("card_there", method=method_id, card=name)
    return turn.speaker.phrase("method", method=method_id, card=name)
