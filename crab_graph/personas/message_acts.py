"""What a message of the agent does: what it asks to be done, offers, claims and confirms."""

import re
from functools import cached_property

from crab_graph.personas.failed_cards import FAILED
from crab_graph.personas.message_text import ANY_ID, INTENTS, MessageText
from crab_graph.personas.plain_requests import (
    asks_for_approvals,
    asks_for_card,
    asks_for_yes,
    asks_to_give_up,
    assumes,
    holds_off_approvals,
    puts_off_approvals,
    puts_off_card,
)
from crab_graph.personas.wordbook import says

_BOOKING = "bk-"
_METHOD_ID = re.compile(r"\bmethod[- ]ids?\b")
_OF_PAYMENT = frozenset({"bk", "pm", "tx"})
_YES_OR_ELSE = re.compile(
    r"\A\(?a[).] (?:yes|all right|alright|ok(?:ay)?|fine|good|book|approved?|go ahead|right"
    r"|perfect)\b[^?]*\s\(?b[).] "
)
"""Lets choose between a yes and something else."""
_BANK = re.compile(r"\b(?:banks?|funds|issuer)\b")
_EVEN = 0.0
"""The log-odds at which a clause is as likely as not to do something."""
_YES_OPTION = re.compile(
    r"(?:^\W*(?:(?:[a-c]|[1-3])\W{1,3})?|(?:^|[:,;] (?:or )?|\bor )(?:[a-c]|[1-3])[).:] )"
    r"[\"'“]?(?P<yes>yes\b,? (?:please )?)?"
    r"(?:book|reserve|go ahead|do it|approve\w*,? (?:and )?(?:please )?book|(?(yes)all of|book))\b"
)
"""An answer that is offered to choose, and is a yes to a plan."""
_OPTIONS = re.compile(r"(?:[:,;] |\bor )(?:or )?(?:b|2)[).:] ")
"""A second answer that is offered."""
_FIRST_LINE = re.compile(r"\W*(?:a|1)[).:] ")
_SECOND_LINE = re.compile(r"\W*(?:b|2)[).:] ")
"""The first two of some answers that stand in lines of their own."""
_PLACE = {intent: place for place, intent in enumerate(INTENTS)}
_OF_CARD = ("add_card", "card_there")
_OF_PLAN = frozenset({"price_rose", "this_one"})
"""What a message means that asks for a yes to a plan: now that it is dearer, or to this one."""
_OF_REST = "pay_rest"
"""What a message means that asks for payments that are still open."""


class MessageActs(MessageText):
    """What one message does; each act is read when it is asked for."""

    @cached_property
    def _is_explained(self) -> bool:
        """Whether what it asks for is known without guessing."""
        structural = self.asks_booking or self.confirms or self._asks_more
        is_explained = bool(self._likely or self.meant) or structural
        return is_explained or ANY_ID.search(self._words) is not None

    @cached_property
    def _asks_more(self) -> bool:
        """Whether it ends in asking for anything else, of no slot, and does nothing else."""
        last = self._last_question
        return last is not None and last.says("open") and not (last.named or self._likely)

    @cached_property
    def _wants_yes(self) -> bool:
        """Whether it asks for a yes: in so many words, or by naming a whole plan and a question."""
        last = self._last_question
        offered = {one.partition("-")[0].casefold() for one in self.ids}
        is_whole = offered >= self.prefixes and offered.isdisjoint(_OF_PAYMENT)
        if last is not None and is_whole and _YES_OR_ELSE.search(last.text):
            return True
        says_yes = any(one.is_request and one.says("wants_yes") for one in self.segments)
        others = self._likely - {"proposes", "offers_extra", "asks_choice"}
        if last is None or others - ({"asks_card"} if says_yes else set()):
            return False
        if says_yes:
            return True
        return is_whole and last.text.endswith("?") and self._likely == {"proposes"}

    @cached_property
    def _checks(self) -> list[bool]:
        """Of each clause, whether it asks if what the agent has noted is right."""
        if not self.confirms:
            return [False] * len(self.segments)
        scores = self._act_scores[:, _PLACE["confirms"]]
        likely = [bool(score > _EVEN or score == scores.max()) for score in scores]
        return [one or segment.is_firm for one, segment in zip(likely, self.segments, strict=True)]

    @cached_property
    def asks_wallet(self) -> bool:
        """Whether it wants something that the user's own tools do."""
        return self.asks_approval or self.asks_card or self.asks_method

    @cached_property
    def tells_of_failed_card(self) -> bool:
        """Whether it says that a card was declined, or a charge did not go through."""
        is_about = self._is_about_payment or _BANK.search(self._words) is not None
        return is_about and any(
            one.says("card_failed") or FAILED.search(one.text) for one in self.segments
        )

    @cached_property
    def asks_booking(self) -> bool:
        """Whether it asks if to book what it proposes."""
        is_likely = "asks_booking" in self._likely and not assumes(self.segments)
        if is_likely or self._wants_yes or self.yes_place is not None:
            return True
        return self._offers_yes or self.meant in _OF_PLAN

    @cached_property
    def _offers_yes(self) -> bool:
        """Whether a yes to a plan is one of the answers that it offers."""
        behind = [*(one.text for one in self.segments[1:]), ""]
        found = (
            (one, after, _YES_OPTION.search(one.text))
            for one, after in zip(self.segments, behind, strict=False)
        )
        return any(
            match["yes"]
            or (self.ids and one.is_request and _OPTIONS.search(one.text))
            or (self.ids and _FIRST_LINE.match(one.text) and _SECOND_LINE.match(after))
            for one, after, match in found
            if match is not None
        )

    @property
    def asks_choice(self) -> bool:
        """Whether it lets the user choose among options."""
        return "asks_choice" in self._likely and not self._offers_yes

    @cached_property
    def asks_approval(self) -> bool:
        """Whether it asks the user to approve payments, and not for a card alone before that."""
        if self._is_plainly_for_approvals or self.meant == _OF_REST:
            return True
        is_later = _BOOKING not in self._words and puts_off_approvals(self.segments)
        is_about = self._is_about_payment or says("approval", self._words)
        return "asks_approval" in self._likely and is_about and not is_later

    @property
    def holds_off(self) -> bool:
        """Whether it asks to approve no payments for now, and for none beside that."""
        return holds_off_approvals(self.segments) and not self.asks_approval

    @cached_property
    def asks_card(self) -> bool:
        """Whether it asks the user to put a card on the platform."""
        is_asked = "asks_card" in self._likely or self.card_place is not None
        is_asked = is_asked or self.means(*_OF_CARD)
        return is_asked and not puts_off_card(self.segments)

    @property
    def asks_method_id(self) -> bool:
        """Whether it asks for the id of a payment method, which a card has on the platform."""
        return self.asks_method and _METHOD_ID.search(self._words) is not None

    @cached_property
    def card_place(self) -> int | None:
        """Where it plainly asks to put a card on the platform, or if one is there."""
        return asks_for_card(self.segments)

    @cached_property
    def yes_place(self) -> int | None:
        """Where it plainly asks for a yes to a plan, and speaks of no booking."""
        return None if _BOOKING in self._words else asks_for_yes(self.segments)

    @cached_property
    def _is_plainly_for_approvals(self) -> bool:
        return asks_for_approvals(self.segments) is not None

    @property
    def asks_method(self) -> bool:
        """Whether it asks which payment method to use."""
        return "asks_method" in self._likely or self.means("which_card")

    @property
    def claims_done(self) -> bool:
        """Whether it says that something is booked, paid or confirmed."""
        return "claims_done" in self._likely

    @property
    def offers_transfer(self) -> bool:
        """Whether it offers a human."""
        return "offers_transfer" in self._likely

    @property
    def has_transferred(self) -> bool:
        """Whether it says that the conversation is handed over."""
        return "has_transferred" in self._likely

    @property
    def is_unable(self) -> bool:
        """Whether it says that it cannot do what is wanted."""
        return "unable" in self._likely

    @property
    def asks_change(self) -> bool:
        """Whether it asks the user to give up a wish."""
        is_asked = "asks_change" in self._likely or self.meant == "give_up"
        return is_asked or asks_to_give_up(self.segments)

    @property
    def offers_extra(self) -> bool:
        """Whether it offers something beside what the facts are about."""
        return "offers_extra" in self._likely or self.meant == "extra"

    @property
    def says_wait(self) -> bool:
        """Whether it asks for time."""
        return "says_wait" in self._likely

    @property
    def confirms(self) -> bool:
        """Whether it asks if what it plays back of the user's wishes is right."""
        return "confirms" in self._likely or any(one.is_firm for one in self.segments)

    @property
    def proposes(self) -> bool:
        """Whether it names an item, or one of a slot by its price, on offer or booked."""
        return "proposes" in self._likely
