"""What an agent's free text asks, proposes, offers and claims, read without a model.

The words come from the domain's lexicon and the shared phrase book. A message may do several things
at once; each is a field of `Reading`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.questions import (
    Questions,
    Segment,
    facts_in,
    find_questions,
    is_booking_request,
    read_segments,
)
from crab_graph.personas.wordbook import DomainLexicon, ValueForm, says
from crab_graph.text.amounts import find_amounts
from crab_graph.text.phrases import offers_transfer
from crab_graph.text.utterance import Utterance

ANY_ID = re.compile(r"(?<![\w-])[a-z]{2,4}-(?=[a-z]*\d)[0-9a-z]{3,}(?![\w-])")
_BOOKING_ID, _METHOD_ID = "bk-", "pm-"
_PIECES = re.compile(r"[,;:…✅✔—–(]|\band (?=i\b)")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>|^thought:[^\n]*", re.I | re.S | re.M)
"""What a model thinks aloud; a user does not take it for something said."""


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
        done = {name for name in _ACTS if getattr(self, name)} - {"asks_anything"}
        return frozenset(name.removeprefix("is_") for name in done)


_ACTS = tuple(field.name for field in fields(Reading) if field.type is bool)


def understand(text: str, lexicon: DomainLexicon, slots: Sequence[BriefedSlot]) -> Reading:
    """Read one message of the agent."""
    utterance, segments = read_segments(_THOUGHT.sub("", text), lexicon)
    heard = _Heard(utterance, segments, lexicon, slots)
    return Reading(
        asked=tuple(dict.fromkeys([*heard.questions.asked, *heard.card_facts])),
        checked=heard.questions.checked,
        ids=tuple(dict.fromkeys(found.upper() for found in ANY_ID.findall(utterance.text))),
        amounts=tuple(dict.fromkeys(amount.cents for amount in heard.amounts)),
        **{name: getattr(heard, name) for name in _ACTS},
    )


class _Heard:
    """One message as a user hears it; the acts of a `Reading` are its properties."""

    def __init__(
        self,
        utterance: Utterance,
        segments: Sequence[Segment],
        lexicon: DomainLexicon,
        slots: Sequence[BriefedSlot],
    ) -> None:
        self.utterance = utterance
        self.words = utterance.text
        self.amounts = find_amounts(utterance)
        self.segments = segments
        self.lexicon = lexicon
        self.slots = slots
        self.prefixes = {slot.id_prefix.casefold() for slot in slots}
        self.requests = [segment for segment in segments if segment.is_request]
        self.awaited = [s for s in segments if s.is_request or s.says("awaits_user")]

    @cached_property
    def is_about_payment(self) -> bool:
        """Whether it talks of paying, of bookings by id, or of an amount that is of nothing."""
        if says("payment", self.words) or _BOOKING_ID in self.words:
            return True
        names = ANY_ID.search(self.words) or self.lexicon.whole.search(self.words)
        return bool(self.amounts) and not (names or self.lexicon.named_slots(self.words))

    @cached_property
    def questions(self) -> Questions:
        named = [slot.id for slot in self.slots if _names(self.words, {slot.id_prefix.casefold()})]
        return find_questions(
            self.segments,
            [_names(s.text, self.prefixes) or self._is_priced(s) for s in self.segments],
            self._checks,
            self.lexicon,
            is_choice=self.asks_choice,
            about=frozenset(named if len(named) == 1 else ()),
        )

    @property
    def is_open_question(self) -> bool:
        return self.questions.is_open

    @property
    def is_closing(self) -> bool:
        return any(s.says("closing") for s in self.segments)

    @cached_property
    def proposes(self) -> bool:
        items = self.prefixes.union(self.lexicon.parts)
        return any(
            not s.says("inability")
            and (
                _names(s.text, items)
                or (bool(s.named) and self._is_priced(s) and not self.is_about_payment)
            )
            for s in self.segments
        )

    def _is_priced(self, segment: Segment) -> bool:
        return any(
            segment.start <= amount.start < segment.end and not amount.is_inert
            for amount in self.amounts
        )

    @cached_property
    def _checks(self) -> list[bool]:
        """Of each clause, whether it asks if what the agent has noted is right."""
        return [self._is_check(segment) for segment in self.segments]

    def _is_check(self, segment: Segment) -> bool:
        if not segment.is_request or is_booking_request(segment):
            return False
        if self.is_about_payment and segment.says("approval"):
            return False
        if segment.says("confirms") and segment.text.endswith("?"):
            return True
        return segment.says("check") and not self.proposes

    @property
    def confirms(self) -> bool:
        return any(self._checks)

    @cached_property
    def asks_choice(self) -> bool:
        chosen = [s for s in self.segments if s.says("choice") and not _is_no_choice(s)]
        if any(self.proposes or segment.is_request for segment in chosen):
            return True
        questions = [
            s
            for s in self.requests
            if s.text.endswith("?") and not (is_booking_request(s) or _is_no_choice(s))
        ]
        if says("options", self.words) and any(s.says("decide") for s in questions):
            return True
        offers = Counter(found.partition("-")[0] for found in set(ANY_ID.findall(self.words)))
        several = any(offers[prefix] > 1 for prefix in self.prefixes)
        return self.proposes and any(
            s.says("among") and (several or " or " in s.text) for s in questions
        )

    @property
    def asks_booking(self) -> bool:
        return self._asks_to_book and not self._asks_to_yield

    @cached_property
    def _asks_to_book(self) -> bool:
        """Whether it asks to book, or if what it proposes will do."""
        clauses = zip(self.segments, self._checks, strict=True)
        return any(self._is_booking_question(s) for s, is_check in clauses if not is_check)

    def _is_booking_question(self, segment: Segment) -> bool:
        if is_booking_request(segment) and (segment.is_request or segment.says("awaits_user")):
            return True
        if segment.says("green_light") and segment.says("booking_act"):
            return not segment.says("charge_lead")
        is_payment = self.is_about_payment and segment.says("approval")
        if segment.says("booking_other"):
            is_other = is_payment or segment.says("charge_lead")
            return not (is_other or facts_in(segment, self.lexicon))
        return segment.is_request and segment.says("approval") and not is_payment

    @cached_property
    def _asks_to_yield(self) -> bool:
        """Whether it asks if something else would do, having nothing that fits."""
        if not self.is_unable or self.proposes or self.is_about_payment:
            return False
        return self._asks_to_book and not any(is_booking_request(s) for s in self.segments)

    @property
    def asks_change(self) -> bool:
        return self._asks_to_yield or any(
            s.says("alteration") and (s.is_request or s.says("offers_relief"))
            for s in self.segments
        )

    @property
    def asks_approval(self) -> bool:
        return any(self._is_approval_question(segment) for segment in self.segments)

    def _is_approval_question(self, segment: Segment) -> bool:
        is_awaited = segment in self.awaited
        if self.is_about_payment and segment.says("approval"):
            return is_awaited or segment.says("needs_approval")
        if not is_awaited or not segment.says("charge_lead") or _is_no_choice(segment):
            return False
        words = segment.text
        return segment.says("booking_lead") or "confirm" in words or words.endswith("?")

    @property
    def asks_card(self) -> bool:
        return any(s.says("card") and not s.says("method") for s in self.awaited)

    @cached_property
    def asks_method(self) -> bool:
        return any(
            s.says("method", "other_card")
            or (self.is_about_payment and s.says("other_one", "which_to_use"))
            or (_METHOD_ID in self.words and s.says("which_method"))
            for s in self.requests
        )

    @property
    def card_facts(self) -> list[str]:
        """Keys of the facts that tell the card, unless only the id of a method is asked for."""
        if any(s.says("method") and s.says("method_id") for s in self.requests):
            return []
        facts = self.lexicon.facts.items() if self.asks_method else ()
        return [key for key, words in facts if words.form is ValueForm.CARD]

    @property
    def claims_done(self) -> bool:
        pieces = [part.strip() for s in self.segments for part in _PIECES.split(s.text)]
        return any(
            (says("done", part) and not says("not_done", part))
            or (says("held", part) and not says("negated", part) and "?" not in part)
            for part in pieces
        )

    @cached_property
    def is_unable(self) -> bool:
        return any(
            s.says("inability") and not s.says("about_transfer", "not_unable")
            for s in self.segments
        )

    @property
    def offers_transfer(self) -> bool:
        return offers_transfer(self.utterance) or any(
            s.says("offers_human") and s.says("offering") and not s.says("negated", "transferred")
            for s in self.segments
        )

    @cached_property
    def has_transferred(self) -> bool:
        return any(
            s.says("transferred") and not s.says("refused") and not s.text.endswith("?")
            for s in self.segments
        )

    @property
    def offers_extra(self) -> bool:
        return any(self._is_extra_offer(segment) for segment in self.segments)

    def _is_extra_offer(self, segment: Segment) -> bool:
        is_extra = self.lexicon.extras.search(segment.text) is not None
        if segment.says("optional") or (is_extra and segment.says("would_suit")):
            return True
        if not segment.is_request or "?" not in segment.text:
            return False
        taken = ("closing", "open", "choice", "offers_human", "alteration", "search")
        if segment.says(*taken) or is_booking_request(segment):
            return False
        named = segment.named or segment.says("among") or facts_in(segment, self.lexicon)
        return is_extra or (segment.says("extra") and not named)

    @property
    def says_wait(self) -> bool:
        if self.has_transferred or not says("wait", self.words):
            return False
        return all(segment.says("wait") for segment in self.requests)

    @property
    def asks_anything(self) -> bool:
        return any(not segment.says("wait") for segment in self.requests)


def _names(words: str, prefixes: Iterable[str]) -> bool:
    return any(found.partition("-")[0] in prefixes for found in ANY_ID.findall(words))


def _is_no_choice(segment: Segment) -> bool:
    return segment.says("method", "no_need", "which_to_use")
