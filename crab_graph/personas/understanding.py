"""What an agent's free text asks, proposes, offers and claims, read without a model.

The words come from the domain's lexicon and the shared phrase book. A message may do several things
at once; each is a field of `Reading`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.questions import (
    Segment,
    facts_in,
    find_questions,
    is_booking_request,
    read_segments,
)
from crab_graph.personas.wordbook import DomainLexicon, ValueForm, phrase_book
from crab_graph.text.amounts import find_amounts
from crab_graph.text.phrases import offers_transfer
from crab_graph.text.utterance import Utterance

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


ANY_ID = re.compile(r"(?<![\w-])[a-z]{2,4}-(?=[a-z]*\d)[0-9a-z]{3,}(?![\w-])")
_PIECES = re.compile(r"[,;:…✅✔—–(]|\band (?=i\b)")
_BOOKING_ID, _METHOD_ID = "bk-", "pm-"


def _says(cue: str, words: str) -> bool:
    return phrase_book().says(cue, words)


def _says_any(cues: Iterable[str], words: str) -> bool:
    return any(_says(cue, words) for cue in cues)


class Heard:
    """One message as a user hears it.

    Args:
        utterance: Its text, normalised and casefolded.
        segments: Its clauses.
        lexicon: The domain's words.
        slots: The things the user wants.
    """

    def __init__(
        self,
        utterance: Utterance,
        segments: Sequence[Segment],
        lexicon: DomainLexicon,
        slots: Sequence[BriefedSlot],
    ) -> None:
        self.utterance = utterance
        self.segments = segments
        self.lexicon = lexicon
        self.slots = slots

    def any_says(self, cue: str) -> bool:
        """Tell whether any clause holds a cue."""
        return any(_says(cue, segment.text) for segment in self.segments)

    @cached_property
    def requests(self) -> list[Segment]:
        """The clauses that ask for something."""
        return [segment for segment in self.segments if segment.is_request]

    @cached_property
    def awaited(self) -> list[Segment]:
        """The clauses that ask for something, or say what waits for the user."""
        return [s for s in self.segments if s.is_request or _says("awaits_user", s.text)]

    @cached_property
    def is_about_payment(self) -> bool:
        """Whether it talks of paying, of bookings by id, or of an amount that is of nothing."""
        words = self.utterance.text
        if _says("payment", words) or _BOOKING_ID in words:
            return True
        names = ANY_ID.search(words) or self.lexicon.whole.search(words)
        return bool(find_amounts(self.utterance)) and not (names or self.lexicon.named_slots(words))

    @cached_property
    def slot_of_items(self) -> frozenset[str]:
        """The slot whose items it names, where it is but one."""
        named = frozenset(
            slot.id for slot in self.slots if _names(self.utterance.text, {slot.id_prefix})
        )
        return named if len(named) == 1 else frozenset()

    @cached_property
    def proposes(self) -> bool:
        """Whether it names an item by its id, or one of a slot by its price."""
        return any(
            (
                _names(segment.text, {slot.id_prefix for slot in self.slots}, self.lexicon.parts)
                or (bool(segment.named) and self._is_priced(segment) and not self.is_about_payment)
            )
            and not _says("inability", segment.text)
            for segment in self.segments
        )

    @cached_property
    def offers(self) -> list[bool]:
        """Of each clause, whether it names an item or an exact price."""
        prefixes = {slot.id_prefix for slot in self.slots}
        return [_names(s.text, prefixes) or self._is_priced(s) for s in self.segments]

    def _is_priced(self, segment: Segment) -> bool:
        return any(
            segment.start <= amount.start < segment.end and not amount.is_inert
            for amount in find_amounts(self.utterance)
        )

    @cached_property
    def checks(self) -> list[bool]:
        """Of each clause, whether it asks if what the agent has noted is right."""
        return [self._is_check(segment) for segment in self.segments]

    def _is_check(self, segment: Segment) -> bool:
        words = segment.text
        if not segment.is_request or is_booking_request(words):
            return False
        if self.is_about_payment and _says("approval", words):
            return False
        if _says("confirms", words) and words.endswith("?"):
            return True
        return _says("check", words) and not self.proposes

    @cached_property
    def confirms(self) -> bool:
        """Whether it asks if what it plays back is right."""
        return any(self.checks)

    @cached_property
    def asks_choice(self) -> bool:
        """Whether it lets the user choose among options."""
        chosen = [s for s in self.segments if _says("choice", s.text) and not _is_no_choice(s.text)]
        if any(self.proposes or segment.is_request for segment in chosen):
            return True
        questions = [
            s.text
            for s in self.requests
            if s.text.endswith("?") and not (is_booking_request(s.text) or _is_no_choice(s.text))
        ]
        words = self.utterance.text
        if _says("options", words) and any(_says("decide", one) for one in questions):
            return True
        offers = Counter(found.partition("-")[0] for found in set(ANY_ID.findall(words)))
        several = max((offers[slot.id_prefix.casefold()] for slot in self.slots), default=0) > 1
        return self.proposes and any(
            _says("among", one) and (several or " or " in one) for one in questions
        )

    @cached_property
    def asks_booking(self) -> bool:
        """Whether it asks to book, or if what it proposes will do."""
        return any(
            self._asks_booking(segment)
            for segment, is_check in zip(self.segments, self.checks, strict=True)
            if not is_check
        )

    def _asks_booking(self, segment: Segment) -> bool:
        words = segment.text
        if (segment.is_request or _says("awaits_user", words)) and is_booking_request(words):
            return True
        if _says("green_light", words) and _says("booking_act", words):
            return not _says("charge_lead", words)
        is_payment = self.is_about_payment and _says("approval", words)
        if _says("booking_other", words):
            is_charge = _says("charge_lead", words)
            return not (is_payment or is_charge or facts_in(segment, self.lexicon))
        return segment.is_request and _says("approval", words) and not is_payment

    @cached_property
    def asks_to_yield(self) -> bool:
        """Whether it asks if something else would do, having nothing that fits."""
        if not self.is_unable or self.proposes or self.is_about_payment:
            return False
        return self.asks_booking and not any(is_booking_request(s.text) for s in self.segments)

    @cached_property
    def asks_change(self) -> bool:
        """Whether it asks the user to give up a wish."""
        return any(
            _says("alteration", s.text) and (s.is_request or _says("offers_relief", s.text))
            for s in self.segments
        )

    @cached_property
    def asks_approval(self) -> bool:
        """Whether it asks the user to approve payments."""
        awaited = self.awaited
        return any(self._asks_approval(s, is_awaited=s in awaited) for s in self.segments)

    def _asks_approval(self, segment: Segment, *, is_awaited: bool) -> bool:
        words = segment.text
        if self.is_about_payment and _says("approval", words):
            return is_awaited or _says("needs_approval", words)
        if not is_awaited or not _says("charge_lead", words) or _is_no_choice(words):
            return False
        return _says("booking_lead", words) or "confirm" in words or words.endswith("?")

    @cached_property
    def asks_card(self) -> bool:
        """Whether it asks the user to put a card on the platform."""
        return any(_says("card", s.text) and not _says("method", s.text) for s in self.awaited)

    @cached_property
    def asks_method(self) -> bool:
        """Whether it asks which payment method to use."""
        return any(self._asks_method(segment.text) for segment in self.requests)

    def _asks_method(self, words: str) -> bool:
        if _says_any(("method", "other_card"), words):
            return True
        if self.is_about_payment and _says_any(("other_one", "which_to_use"), words):
            return True
        return _METHOD_ID in self.utterance.text and _says("which_method", words)

    @cached_property
    def card_facts(self) -> list[str]:
        """Keys of the facts that tell the card, unless only the id of a method is asked for."""
        requests = self.requests
        if any(_says("method", s.text) and _says("method_id", s.text) for s in requests):
            return []
        facts = self.lexicon.facts.items() if self.asks_method else ()
        return [key for key, words in facts if words.form is ValueForm.CARD]

    @cached_property
    def claims_done(self) -> bool:
        """Whether it says that something is booked, held, paid or confirmed."""
        pieces = [part for s in self.segments for part in _PIECES.split(s.text)]
        return any(
            (_says("done", part) and not _says("not_done", part))
            or (_says("held", part) and not _says("negated", part) and "?" not in part)
            for part in map(str.strip, pieces)
        )

    @cached_property
    def is_unable(self) -> bool:
        """Whether it says that it cannot do what is wanted."""
        return any(
            _says("inability", s.text) and not _says_any(("about_transfer", "not_unable"), s.text)
            for s in self.segments
        )

    @cached_property
    def offers_transfer(self) -> bool:
        """Whether it offers a human."""
        return offers_transfer(self.utterance) or any(
            _says("offers_human", s.text)
            and _says("offering", s.text)
            and not _says_any(("negated", "transferred"), s.text)
            for s in self.segments
        )

    @cached_property
    def has_transferred(self) -> bool:
        """Whether it says that the conversation is handed over."""
        return any(
            _says("transferred", s.text)
            and not _says("refused", s.text)
            and not s.text.endswith("?")
            for s in self.segments
        )

    @cached_property
    def offers_extra(self) -> bool:
        """Whether it offers something beside what the facts are about."""
        return any(self._offers_extra(segment) for segment in self.segments)

    def _offers_extra(self, segment: Segment) -> bool:
        words = segment.text
        is_extra = self.lexicon.extras.search(words) is not None
        if _says("optional", words) or (is_extra and _says("would_suit", words)):
            return True
        if not segment.is_request or "?" not in words:
            return False
        taken = ("closing", "open", "choice", "offers_human", "alteration", "search")
        if _says_any(taken, words) or is_booking_request(words):
            return False
        named = segment.named or _says("among", words) or facts_in(segment, self.lexicon)
        return is_extra or (_says("extra", words) and not named)

    @cached_property
    def says_wait(self) -> bool:
        """Whether it asks for time, and for nothing else."""
        if self.has_transferred or not _says("wait", self.utterance.text):
            return False
        return all(_says("wait", segment.text) for segment in self.requests)

    @cached_property
    def asks_anything(self) -> bool:
        """Whether it asks something at all."""
        return any(not _says("wait", segment.text) for segment in self.requests)


def _names(words: str, prefixes: Iterable[str], parts: Iterable[str] = ()) -> bool:
    kept = {prefix.casefold() for prefix in (*prefixes, *parts)}
    return any(found.partition("-")[0] in kept for found in ANY_ID.findall(words))


def _is_no_choice(words: str) -> bool:
    return _says_any(("method", "no_need", "which_to_use"), words)
