"""What an agent says of cards that failed: which it was, and whether it can bear what is due."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crab_graph.personas.segments import Segment

_AGAIN = r"(?:again|anew|once more|(?:one|once) more time|a second time|another time)"
_RETRY = re.compile(
    r"\b(?:retry|retries|retrying|re-?try|re-?run|re-?attempt|repeat the (?:charge|payment)"
    rf"|(?:try|tries|trying|charge|charging|run|running|attempt|put|take|swipe|use)\b.{{0,60}}"
    rf"\b{_AGAIN}|(?:another|a second|second|one more) (?:go|try|attempt|shot)"
    rf"|(?:\d{{4}}|card|visa|mastercard|amex|american express) {_AGAIN}"
    rf"|{_AGAIN} (?:on|with))\b"
)
"""What offers to try a card once more that was declined."""
FAILED = re.compile(
    r"\b(?:(?:won|didn|doesn|don|wouldn|can|couldn)['\u2019]?t (?:\w+ )?"
    r"(?:take|bear|accept|work|cover|carry|hold|let|go (?:through|thru)|(?:be )?(?:charged|used))"
    r"|cannot (?:take|bear|accept|cover|carry|be (?:charged|used))"
    r"|(?:did|does|do|will|would) not (?:work|cover|carry|honou?r)"
    r"|not successful|unsuccessful|(?:says?|said) no|knocked (?:it )?back|no luck"
    r"|(?:(?:is|was)n['\u2019]?t|(?:is|was) not) (?:accepted|honou?red|authori[sz]ed)"
    r"|insufficient (?:funds|balance|credit)|not enough (?:funds|money|credit)"
    r"|refuse|refusal|exceed\w*|over its)\b"
)
"""What says beside the shared cue that a card failed."""
_OFFERS = re.compile(r"\bi (?:\w+ )?(?:suggest|propose|recommend|would|could|can|may)\b|\bi.d\b")
_CAPPED = re.compile(
    r"\b(?:limits?|limited|caps?|capped|max(?:ed)?|maximum|ceiling|bears?"
    r"|(?:a|per|each|this|that|one) day|daily|today)\b"
)
_NOT_CAPPED = re.compile(
    r"\b(?:budget|price limit|within|below|(?:no|any) (?:\w+ )?limit|this time|tomorrow"
    r"|(?:not|rather than|instead of|other than) (?:because of |due to )?(?:a|an|the|its|any)?\b)"
    r"|\b(?:another|other|different|new|second|third) (?:\w+ )?card\b|\bcard that bears\b"
    r"|\bwithout (?:\w+ ){0,2}limit\b"
)
_CLAUSE_ENDS = re.compile(r"[!?;:\n]|\.(?!\d)|,(?!\d)")
_DECLINED = re.compile(
    r"\b(?:declin\w+|reject\w+|refus\w+|failed|bounced|turned down|bears|daily limit"
    r"|(?:its|card.s|day.s|bank.s) (?:\w+ )?limit|limit (?:of|on) (?:the|your|this|that) card)\b"
)
_BRANDS = {"amex": "american express"}
"""Short names of brands."""


def wants_retry(text: str) -> bool:
    """Tell whether words ask for a card to be tried once more."""
    return _RETRY.search(text.casefold()) is not None


def asks_retry(segments: Sequence[Segment]) -> bool:
    """Tell whether a clause asks if a card is to be tried once more, or offers that."""
    return any(
        _RETRY.search(one.text) and (one.is_request or one.is_item or _OFFERS.search(one.text))
        for one in segments
    )


def named_cards(text: str, cards: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the cards that words name, by number or payment method, or else by brand.

    Of two cards of one brand a number tells which is meant.
    """
    exact = [one for one in cards if _says(text, (one.get("last4"), one.get("payment_method_id")))]
    return exact or [one for one in cards if _says(text, _brand_names(one))]


def _brand_names(card: Mapping[str, Any]) -> tuple[str, ...]:
    brand = str(card.get("brand", "")).casefold()
    return (brand, next((one for one, whole in _BRANDS.items() if whole == brand), brand))


def _says(text: str, names: Iterable[Any]) -> bool:
    words = (str(name or "").casefold() for name in names)
    return any(word and re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def told_of_limits(
    messages: Sequence[str], cards: Sequence[Mapping[str, Any]], methods: Sequence[str]
) -> set[str]:
    """Return the payment methods of which messages say that they bear no more, or not so much.

    They are among `methods`, those that were paid with, in order. A clause that names none is about
    the one named last in its message; what only the latest message leaves unnamed is the last one.
    """
    own = [card for card in cards if card.get("payment_method_id") in methods]
    found: set[str] = set()
    for text in messages:
        words = text.casefold()
        if not (FAILED.search(words) or _DECLINED.search(words)):
            continue
        last = methods[-1:] if text is messages[-1] else []
        for clause in _CLAUSE_ENDS.split(words):
            named = [str(one["payment_method_id"]) for one in named_cards(clause, own)]
            if not named and named_cards(clause, cards):
                # It turns to a card that was not paid with.
                last = []
            # Of two of one brand it is still the one that was named by its number.
            last = [one for one in named if one in last] or named or last
            if _CAPPED.search(clause) and not _NOT_CAPPED.search(clause):
                found.update(last)
    return found
