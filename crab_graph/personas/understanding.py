"""What an agent's free text asks, proposes, offers and claims, read without a model.

The words come from the domain's lexicon and the shared phrase book. A message may do several things
at once; each is a field of `Reading`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crab_graph.personas.acts import ANY_ID, Heard
from crab_graph.personas.lexicon import BriefedSlot, DomainLexicon
from crab_graph.personas.questions import find_questions
from crab_graph.personas.segments import read_segments
from crab_graph.text.amounts import find_amounts

__all__ = ["ANY_ID", "Reading", "understand"]

_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>|^thought:[^\n]*", re.I | re.S | re.M)
"""What a model thinks aloud; a user does not take it for something said."""
_INTENTS = (
    "is_open_question",
    "is_closing",
    "asks_booking",
    "asks_choice",
    "asks_approval",
    "asks_card",
    "asks_method",
    "claims_done",
    "offers_transfer",
    "has_transferred",
    "is_unable",
    "asks_change",
    "offers_extra",
    "says_wait",
    "confirms",
    "proposes",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one message of the agent does.

    Attributes:
        asked: Keys of the facts it asks for, in its order.
        checked: Keys of the facts it wants to have confirmed, in its order.
        is_open_question: It asks for whatever the user has not said yet.
        is_closing: It asks whether there is anything else it can help with.
        asks_booking: It asks whether to book what it proposes.
        asks_choice: It lets the user choose among options.
        asks_approval: It asks the user to approve payments.
        asks_card: It asks the user to put a card on the platform.
        asks_method: It asks which payment method to use.
        claims_done: It says that something is booked, paid or confirmed.
        offers_transfer: It offers a human.
        has_transferred: It says that the conversation is handed over.
        is_unable: It says that it cannot do what is wanted.
        asks_change: It asks the user to give up a wish.
        offers_extra: It offers something beside what the facts are about.
        asks_anything: It asks something at all.
        says_wait: It asks for time.
        confirms: It asks whether what it plays back of the user's wishes is right.
        proposes: It names an item, or one of a slot by its price, be it on offer or booked.
        ids: All ids it names, upper case.
        amounts: All amounts it names, in cents.
    """

    asked: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    is_open_question: bool = False
    is_closing: bool = False
    asks_booking: bool = False
    asks_choice: bool = False
    asks_approval: bool = False
    asks_card: bool = False
    asks_method: bool = False
    claims_done: bool = False
    offers_transfer: bool = False
    has_transferred: bool = False
    is_unable: bool = False
    asks_change: bool = False
    offers_extra: bool = False
    asks_anything: bool = False
    says_wait: bool = False
    confirms: bool = False
    proposes: bool = False
    ids: tuple[str, ...] = ()
    amounts: tuple[int, ...] = ()

    @property
    def asks_wallet(self) -> bool:
        """Whether it wants something that the user's own tools do."""
        return self.asks_approval or self.asks_card or self.asks_method

    @property
    def intents(self) -> frozenset[str]:
        """Names of what it does beside asking for facts, as labelled messages have them."""
        return frozenset(name.removeprefix("is_") for name in _INTENTS if getattr(self, name))


def understand(text: str, lexicon: DomainLexicon, slots: Sequence[BriefedSlot]) -> Reading:
    """Read one message of the agent."""
    utterance, segments = read_segments(_THOUGHT.sub("", text), lexicon)
    heard = Heard(utterance, segments, lexicon, slots)
    questions = find_questions(
        segments,
        heard.offers,
        heard.checks,
        lexicon,
        is_choice=heard.asks_choice,
        about=heard.slot_of_items,
    )
    return Reading(
        asked=tuple(dict.fromkeys([*questions.asked, *heard.card_facts])),
        checked=questions.checked,
        is_open_question=questions.is_open,
        is_closing=heard.any_says("closing"),
        asks_booking=heard.asks_booking and not heard.asks_to_yield,
        asks_choice=heard.asks_choice,
        asks_approval=heard.asks_approval,
        asks_card=heard.asks_card,
        asks_method=heard.asks_method,
        claims_done=heard.claims_done,
        offers_transfer=heard.offers_transfer,
        has_transferred=heard.has_transferred,
        is_unable=heard.is_unable,
        asks_change=heard.asks_change or heard.asks_to_yield,
        offers_extra=heard.offers_extra,
        asks_anything=heard.asks_anything,
        says_wait=heard.says_wait,
        confirms=heard.confirms,
        proposes=heard.proposes,
        ids=tuple(dict.fromkeys(found.upper() for found in ANY_ID.findall(utterance.text))),
        amounts=tuple(dict.fromkeys(amount.cents for amount in find_amounts(utterance))),
    )
