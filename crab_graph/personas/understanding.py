"""What an agent's free text asks, proposes, offers and claims, read without a model.

The words come from the domain's lexicon and the shared phrase book. A message may do several things
at once.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
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
from crab_graph.text.utterance import starting_within

ANY_ID = re.compile(r"(?<![\w-])[a-z]{2,4}-(?=[a-z]*\d)[0-9a-z]{3,}(?![\w-])")
_BOOKING_ID, _METHOD_ID = "bk-", "pm-"
_PIECES = re.compile(r"[,;:…✅✔—–(]|\band (?=i\b)")
_THOUGHT_LINE = re.compile(r"^thought:[^\n]*", re.I | re.M)
_THOUGHT = re.compile(
    rf"<think(?:ing)?>.*?</think(?:ing)?>|{_THOUGHT_LINE.pattern}", re.I | re.S | re.M
)
"""What a model thinks aloud; a user does not take it for something said."""
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.I)

ATTENTION = 50_000
"""Characters of a message that a user reads: of a longer one the beginning and the end."""


ACT_NAMES = tuple(
    "is_open_question is_closing asks_booking asks_choice asks_approval asks_card asks_method "
    "claims_done offers_transfer has_transferred is_unable asks_change offers_extra asks_anything "
    "says_wait confirms proposes".split()
)
"""What a message can do: each is a property of its `Reading`."""


class Reading:
    """What one message of the agent does; each act is read when it is asked for."""

    def __init__(self, text: str, lexicon: DomainLexicon, slots: Sequence[BriefedSlot]) -> None:
        self.said = _said(text)
        """What a user reads of it, as it is written."""
        self.utterance, self.segments = read_segments(self.said, lexicon)
        self.stated = find_amounts(self.utterance)
        """The amounts it names, with their places."""
        self.lexicon = lexicon
        self._words = self.utterance.text
        segments = self.segments
        self._slots = slots
        self.prefixes = {slot.id_prefix.casefold() for slot in slots}
        """What the ids of items begin with, casefolded."""
        self._requests = [segment for segment in segments if segment.is_request]

    @cached_property
    def _awaited(self) -> list[Segment]:
        return [segment for segment in self.segments if _is_awaited(segment)]

    @property
    def asked(self) -> tuple[str, ...]:
        """Keys of the facts it asks for, in its order, then those that tell the card."""
        wants_id = any(s.says("method") and s.says("method_id") for s in self._requests)
        facts = self.lexicon.facts.items() if self.asks_method and not wants_id else ()
        of_card = [key for key, words in facts if words.form is ValueForm.CARD]
        return tuple(dict.fromkeys([*self._questions.asked, *of_card]))

    @property
    def checked(self) -> tuple[str, ...]:
        """Keys of the facts it wants to have confirmed, in its order."""
        return self._questions.checked

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All ids it names, upper case."""
        return tuple(dict.fromkeys(found.upper() for found in ANY_ID.findall(self._words)))

    @cached_property
    def amounts(self) -> tuple[int, ...]:
        """All amounts it names, in cents."""
        return tuple(dict.fromkeys(amount.cents for amount in self.stated))

    @cached_property
    def asks_wallet(self) -> bool:
        """Whether it wants something that the user's own tools do."""
        return self.asks_approval or self.asks_card or self.asks_method

    @cached_property
    def _is_about_payment(self) -> bool:
        """Whether it talks of paying, of bookings by id, or of an amount that is of nothing."""
        if says("payment", self._words) or _BOOKING_ID in self._words:
            return True
        names = ANY_ID.search(self._words) or self.lexicon.whole.search(self._words)
        return bool(self.stated) and not (names or self.lexicon.named_slots(self._words))

    @cached_property
    def _questions(self) -> Questions:
        named = [
            slot.id for slot in self._slots if _names(self._words, {slot.id_prefix.casefold()})
        ]
        return find_questions(
            self.segments,
            [_names(s.text, self.prefixes) or self._is_priced(s) for s in self.segments],
            self._checks,
            self.lexicon,
            is_choice=self.asks_choice,
            about=frozenset(named if len(named) == 1 else ()),
        )

    @cached_property
    def is_open_question(self) -> bool:
        """Whether it asks for whatever the user has not said yet."""
        return self._questions.is_open

    @cached_property
    def is_closing(self) -> bool:
        """Whether it asks if there is anything else it can help with."""
        return any(s.says("closing") for s in self.segments)

    @cached_property
    def proposes(self) -> bool:
        """Whether it names an item, or one of a slot by its price, on offer or booked."""
        items = self.prefixes.union(self.lexicon.parts)
        return any(
            not s.says("inability")
            and (
                _names(s.text, items)
                or (bool(s.named) and self._is_priced(s) and not self._is_about_payment)
            )
            for s in self.segments
        )

    def _is_priced(self, segment: Segment) -> bool:
        within = starting_within(self.stated, segment.start, segment.end)
        return any(not amount.is_inert for amount in within)

    @cached_property
    def _checks(self) -> list[bool]:
        """Of each clause, whether it asks if what the agent has noted is right."""
        return [self._is_check(segment) for segment in self.segments]

    def _is_check(self, segment: Segment) -> bool:
        if not segment.is_request or is_booking_request(segment):
            return False
        if self._is_about_payment and segment.says("approval"):
            return False
        if segment.says("confirms") and segment.text.endswith("?"):
            return True
        return segment.says("check") and not self.proposes

    @cached_property
    def confirms(self) -> bool:
        """Whether it asks if what it plays back of the user's wishes is right."""
        return any(self._checks)

    @cached_property
    def asks_choice(self) -> bool:
        """Whether it lets the user choose among options."""
        chosen = [s for s in self.segments if s.says("choice") and not _is_no_choice(s)]
        if any(self.proposes or segment.is_request for segment in chosen):
            return True
        questions = [
            s
            for s in self._requests
            if s.text.endswith("?") and not (is_booking_request(s) or _is_no_choice(s))
        ]
        if says("options", self._words) and any(s.says("decide") for s in questions):
            return True
        offers = Counter(found.partition("-")[0] for found in set(ANY_ID.findall(self._words)))
        several = any(offers[prefix] > 1 for prefix in self.prefixes)
        return self.proposes and any(
            s.says("among") and (several or " or " in s.text) for s in questions
        )

    @cached_property
    def asks_booking(self) -> bool:
        """Whether it asks if to book what it proposes."""
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
        is_payment = self._is_about_payment and segment.says("approval")
        if segment.says("booking_other"):
            is_other = is_payment or segment.says("charge_lead")
            return not (is_other or facts_in(segment, self.lexicon))
        return segment.is_request and segment.says("approval") and not is_payment

    @cached_property
    def _asks_to_yield(self) -> bool:
        """Whether it asks if something else would do, having nothing that fits."""
        if not self.is_unable or self.proposes or self._is_about_payment:
            return False
        return self._asks_to_book and not any(is_booking_request(s) for s in self.segments)

    @cached_property
    def asks_change(self) -> bool:
        """Whether it asks the user to give up a wish."""
        return self._asks_to_yield or any(
            s.says("alteration") and (s.is_request or s.says("offers_relief"))
            for s in self.segments
        )

    @cached_property
    def asks_approval(self) -> bool:
        """Whether it asks the user to approve payments."""
        return any(self._is_approval_question(segment) for segment in self.segments)

    def _is_approval_question(self, segment: Segment) -> bool:
        is_awaited = _is_awaited(segment)
        if self._is_about_payment and segment.says("approval"):
            return is_awaited or segment.says("needs_approval")
        if not is_awaited or not segment.says("charge_lead") or _is_no_choice(segment):
            return False
        words = segment.text
        return segment.says("booking_lead") or "confirm" in words or words.endswith("?")

    @cached_property
    def tells_of_failed_card(self) -> bool:
        """Whether it says that a card was declined, or a charge did not go through."""
        return self._is_about_payment and any(s.says("card_failed") for s in self.segments)

    @cached_property
    def asks_card(self) -> bool:
        """Whether it asks the user to put a card on the platform."""
        return any(self._is_card_request(segment) for segment in self._awaited)

    def _is_card_request(self, segment: Segment) -> bool:
        """Tell whether a clause asks to add a card, which may ask for its id as well."""
        is_about_card = says("payment", self._words)
        if is_about_card and segment.says("adds_card") and not segment.says("action"):
            return True
        return segment.says("card") and not segment.says("method")

    @cached_property
    def asks_method(self) -> bool:
        """Whether it asks which payment method to use."""
        return any(
            s.says("method", "other_card")
            or (self._is_about_payment and s.says("other_one", "which_to_use"))
            or (_METHOD_ID in self._words and s.says("which_method"))
            for s in self._requests
        )

    @cached_property
    def claims_done(self) -> bool:
        """Whether it says that something is booked, paid or confirmed."""
        pieces = [part.strip() for s in self.segments for part in _PIECES.split(s.text)]
        return any(
            (says("done", part) and not says("not_done", part))
            or (says("held", part) and not says("negated", part) and "?" not in part)
            for part in pieces
        )

    @cached_property
    def is_unable(self) -> bool:
        """Whether it says that it cannot do what is wanted."""
        return any(
            s.says("inability") and not s.says("about_transfer", "not_unable")
            for s in self.segments
        )

    @cached_property
    def offers_transfer(self) -> bool:
        """Whether it offers a human."""
        return offers_transfer(self.utterance, self.lexicon.human) or any(
            s.says("offers_human") and s.says("offering") and not s.says("negated", "transferred")
            for s in self.segments
        )

    @cached_property
    def has_transferred(self) -> bool:
        """Whether it says that the conversation is handed over."""
        return any(
            s.says("transferred") and not s.says("refused") and not s.text.endswith("?")
            for s in self.segments
        )

    @cached_property
    def offers_extra(self) -> bool:
        """Whether it offers something beside what the facts are about."""
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

    @cached_property
    def says_wait(self) -> bool:
        """Whether it asks for time."""
        if self.has_transferred or not says("wait", self._words):
            return False
        return all(segment.says("wait") for segment in self._requests)

    @cached_property
    def asks_anything(self) -> bool:
        """Whether it asks something at all."""
        return any(not segment.says("wait") for segment in self._requests)


def _said(text: str) -> str:
    """Return what a user reads of a message: not what is thought aloud, and so much of it."""
    # Behind the last end of a thought none ends that begins.
    ends = [match.end() for match in _THOUGHT_END.finditer(text)]
    thought = ends[-1] if ends else 0
    said = _THOUGHT.sub("", text[:thought]) + _THOUGHT_LINE.sub("", text[thought:])
    if len(said) <= ATTENTION:
        return said
    return f"{said[: ATTENTION // 2]}\n{said[-ATTENTION // 2 :]}"


def _is_awaited(segment: Segment) -> bool:
    return segment.is_request or segment.says("awaits_user")


def _names(words: str, prefixes: Iterable[str]) -> bool:
    return any(found.partition("-")[0] in prefixes for found in ANY_ID.findall(words))


def _is_no_choice(segment: Segment) -> bool:
    return segment.says("method", "no_need", "which_to_use")
