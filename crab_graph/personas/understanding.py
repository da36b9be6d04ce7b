"""What an agent's free text asks, proposes, offers and claims.

The words come from the domain's lexicon and the shared phrase book; a small linear model
weighs what they come to. A message may do several things at once.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.clause_features import ClauseFeatures, MessageSigns, message_features
from crab_graph.personas.clause_words import ClauseWords
from crab_graph.personas.failed_cards import FAILED
from crab_graph.personas.meanings import meaning_of
from crab_graph.personas.plain_requests import (
    asks_for_approvals,
    asks_for_card,
    asks_for_yes,
    asks_if_complete,
    asks_to_give_up,
    asks_what_else,
    asks_who_else,
    assumes,
    invites_wishes,
    puts_off_approvals,
    puts_off_card,
)
from crab_graph.personas.questions import Segment, read_segments
from crab_graph.personas.reader_model import Numbers, of_message, reader_model
from crab_graph.personas.spelling import speller
from crab_graph.personas.spoken_sums import find_sums
from crab_graph.personas.wordbook import DomainLexicon, says
from crab_graph.text.amounts import find_amounts
from crab_graph.text.utterance import starting_within

PRICE = re.compile(r"[$€£] ?\d|\d ?(?:€|(?:euros?|dollars|bucks|pounds|quid)\b)")
"""What reads like a price, in any currency."""
ANY_ID = re.compile(r"(?<![\w-])[a-z]{2,4}-(?=[a-z]*\d)(?!\d{1,2}[ap]m\b)[0-9a-z]{2,}(?![\w-])")
_REMEMBERED = 8
"""Clauses at the end of the message before that this one may refer to."""
AS_MANY = 2
"""A clause that names more facts than these, and no value, is a list of what is wanted."""
_BOOKING_ID = "bk-"
_METHOD_ID = re.compile(r"\bmethod[- ]ids?\b")
_OF_PAYMENT = frozenset({"bk", "pm", "tx"})
_YES_OR_ELSE = re.compile(
    r"\A\(?a[).] (?:yes|all right|alright|ok(?:ay)?|fine|good|book|approved?|go ahead|right"
    r"|perfect)\b[^?]*\s\(?b[).] "
)
"""Lets choose between a yes and something else."""
_NOT_AT_ALL = -8.0
"""The log-odds below which a fact is not what a question is about, even if nothing else is."""
_FAR = 4.0
"""A difference in log-odds by which one fact is meant, and another only seems to be."""
_BANK = re.compile(r"\b(?:banks?|funds|issuer)\b")
_LISTS = re.compile(r"[,;:()/]|\b(?:like|such as)\b")
"""What a clause has that asks for several things."""
_NAMING = frozenset({"how:cue", "how:hint", "value"})
"""How a clause shows a fact by more than the topic of that."""
_YES_NO = re.compile(
    r"^(?:and |so |then |also |ok(?:ay)?,? )*"
    r"(?:(?:should|must|will|is|are|does) (?:the|your|both|either)\b"
    r"|(?:do|would) you (?:want|like) (?:me|us) to (?:keep|make|look|choose|pick|find|go)\b)"
)
"""Begins a question about something said of an item, which a yes or a no answers."""
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
_THOUGHT_LINE = re.compile(r"^thought:[^\n]*", re.I | re.M)
_THOUGHT = re.compile(
    rf"<think(?:ing)?>.*?</think(?:ing)?>|{_THOUGHT_LINE.pattern}", re.I | re.S | re.M
)
"""What a model thinks aloud; a user does not take it for something said."""
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.I)

ATTENTION = 20_000
"""Characters of a message that a user reads: of a longer one the beginning and the end."""


ACT_NAMES = tuple(
    "is_open_question is_closing asks_booking asks_choice asks_approval asks_card asks_method "
    "claims_done offers_transfer has_transferred is_unable asks_change offers_extra asks_anything "
    "says_wait confirms proposes".split()
)
"""What a message can do: each is a property of its `Reading`."""
INTENTS = tuple(act.removeprefix("is_") for act in ACT_NAMES if act != "asks_anything")
"""The acts that the model tells."""
_ANYTHING = re.compile(
    r"\b(?:anything|any (?:\w+ ){0,2}(?:wish(?:es)?|needs?|requirements?|preferences?|requests?))\b"
)
_PLACE = {intent: place for place, intent in enumerate(INTENTS)}

LIKELY_DONE, LIKELY_ASKED = 0.2, 0.35
"""The probabilities from which on a message is taken to do something, and to ask for a fact."""


_OPEN = frozenset({"go_on", "if_complete"})
"""What a message means that asks for whatever is left to say."""
_OF_CARD = frozenset({"add_card", "card_there"})
_OF_PRICE = "price_rose"
"""What a message means that asks if another price is welcome."""
_OF_NO_WISH = frozenset(
    {
        *(
            *_OPEN,
            *_OF_CARD,
            _OF_PRICE,
            "sold_out",
            "may_search",
            "rest_stays",
            "one_card",
            "choose_by",
        ),
        *("slip", "what_approved", "extra", "one_by_one", "still_there", "book_now", "mail", "who"),
        *("repeat", "give_up", "any_day", "scope", "which_one"),
    }
)
"""What a message means that asks for no wish, unless by its own words."""
_NAMES = frozenset({"how:cue", "value"})
_SPEAKS_OF = _NAMES | {"how:topic"}
"""What a clause shows that is about a fact."""


class Reading:
    """What one message of the agent does; each act is read when it is asked for.

    `before` is the agent's message before it, which questions such as `and on the way back?` need.
    What is only the rest of a message means nothing as a whole.
    """

    def __init__(
        self,
        text: str,
        lexicon: DomainLexicon,
        slots: Sequence[BriefedSlot],
        before: str | None = None,
        *,
        is_rest: bool = False,
    ) -> None:
        self._is_rest = is_rest
        self.said = _said(text, lexicon)
        """What a user reads of it: as it is written, but for slips of the keyboard."""
        self.utterance, self.segments = read_segments(self.said, lexicon)
        self.stated = find_amounts(self.utterance)
        """The amounts it names, with their places."""
        self.lexicon = lexicon
        self._words = self.utterance.text
        self._before = before
        self.prefixes = frozenset(slot.id_prefix.casefold() for slot in slots)
        """What the ids of items begin with, casefolded."""

    @cached_property
    def meant(self) -> str:
        """What the whole of it wants to know, of what is learned of whole messages; else empty."""
        if self._is_rest:
            return ""
        return meaning_of(self.segments, _clause_words(self.lexicon, self.prefixes))

    @cached_property
    def clauses(self) -> Sequence[tuple[Segment, ClauseFeatures]]:
        """Its clauses, each with what it shows."""
        return tuple(zip(self.segments, self.features, strict=True))

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """Keys of the facts it asks for, in its order."""
        return tuple(self._questions)

    @cached_property
    def checked(self) -> tuple[str, ...]:
        """Keys of the facts it wants to have confirmed, in its order."""
        checks = (
            features
            for features, is_check in zip(self.features, self._checks, strict=True)
            if is_check
        )
        found = (key for one in checks for key, how in one.facts.items() if "how:cue" in how)
        checked = dict.fromkeys(key for key in found if key not in self._questions)
        return tuple(checked) or (() if self._questions else self._pressed)

    @cached_property
    def exactly(self) -> tuple[str, ...]:
        """Keys of the facts it asks for or checks that it wants exactly, or for sure."""
        firm = [
            (one.says("exactly") or one.says("firmly")) and not one.says("confirms")
            for one in self.segments
        ]
        if not any(firm):
            return ()
        pairs = zip(self.features, firm, strict=True)
        of_firm = [one for one, is_firm in pairs if is_firm]
        shown = [(key, how) for one in of_firm for key, how in one.facts.items()]
        named = {key for key, how in shown if how & _NAMES}
        named = named or {key for key, how in shown if how & _SPEAKS_OF}
        near = named or {key for one in of_firm for key in one.facts}
        meant = (*self.asked, *self.checked)
        return tuple(key for key in meant if key in near) or (() if named else meant)

    @property
    def _pressed(self) -> tuple[str, ...]:
        """Keys of what a request names that wants something for sure."""
        pairs = zip(self.features, self.segments, strict=True)
        requests = (one for one, part in pairs if part.is_request and part.says("firmly"))
        found = (key for one in requests for key, how in one.facts.items() if "how:cue" in how)
        return tuple(dict.fromkeys(found))

    @cached_property
    def pinned(self) -> tuple[str, ...]:
        """Keys of the facts it wants exact or once more: checked, or asked beside a value."""
        valued = {key for one in self.features for key, how in one.facts.items() if "value" in how}
        asked = (key for key in self.asked if key in valued)
        return tuple(dict.fromkeys([*self.exactly, *self.checked, *asked]))

    @cached_property
    def hinted(self) -> tuple[str, ...]:
        """Keys of the facts that it names without a value, where nothing tells what it does.

        A clause that asks names them, or one that lists several.
        """
        if self.asked or self._is_explained:
            return ()
        found: list[str] = []
        for segment, one in self.clauses:
            named = [k for k, how in one.facts.items() if "how:cue" in how and "value" not in how]
            if segment.is_request or len(named) > AS_MANY:
                found += named
        return tuple(dict.fromkeys(found))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All ids it names, upper case."""
        return tuple(dict.fromkeys(found.upper() for found in ANY_ID.findall(self._words)))

    @cached_property
    def amounts(self) -> tuple[int, ...]:
        """All sums it names, in cents, in any currency."""
        found = [(amount.start, amount.cents) for amount in self.stated]
        found += find_sums(self._words)
        return tuple(dict.fromkeys(cents for _, cents in sorted(found)))

    @cached_property
    def features(self) -> list[ClauseFeatures]:
        """What each clause shows to the model."""
        words = _clause_words(self.lexicon, self.prefixes)
        ids = Counter(name.partition("-")[0] for name in {*ANY_ID.findall(self._words)})
        signs = MessageSigns(ids, len(self.stated), self._is_about_payment, self.prefixes)
        priced = [self._is_priced(segment) for segment in self.segments]
        before = _said(self._before, self.lexicon) if self._before else ""
        last = read_segments(before, self.lexicon)[1][-_REMEMBERED:]
        return message_features(self.segments, signs, priced, words, self.lexicon, last)

    @cached_property
    def _is_about_payment(self) -> bool:
        """Whether it talks of paying, of bookings by id, or of an amount that is of nothing."""
        if says("payment", self._words) or _BOOKING_ID in self._words:
            return True
        names = ANY_ID.search(self._words) or self.lexicon.whole.search(self._words)
        return bool(self.stated) and not (names or self.lexicon.named_slots(self._words))

    def _is_priced(self, segment: Segment) -> bool:
        within = starting_within(self.stated, segment.start, segment.end)
        return any(not amount.is_inert for amount in within) or bool(PRICE.search(segment.text))

    @cached_property
    def _act_scores(self) -> Numbers:
        return reader_model(self.lexicon.learned).act_scores(self.features)

    @cached_property
    def _likely(self) -> frozenset[str]:
        """The intents that it has."""
        if not self.segments:
            return frozenset()
        chances = of_message(self._act_scores)
        return frozenset(
            name for name, chance in zip(INTENTS, chances, strict=True) if chance > LIKELY_DONE
        )

    @cached_property
    def fact_scores(self) -> Numbers:
        """The log-odds with which each clause asks for each fact (rows: clauses)."""
        keys = list(self.lexicon.facts)
        return reader_model(self.lexicon.learned).fact_scores(self.features, keys)

    @cached_property
    def _questions(self) -> dict[str, float]:
        """The facts it asks for, in the order of its clauses, with how likely each is."""
        if not self.segments:
            return {}
        keys, scores = list(self.lexicon.facts), self.fact_scores
        chances = of_message(scores)
        found = [place for place, chance in enumerate(chances) if chance > LIKELY_ASKED]
        found = self._with_topics(found, keys, scores) or self._guess(scores)
        found = [place for place in found if not self._is_beside(place, found, keys, scores)]
        if self.meant in _OF_NO_WISH:
            found = [place for place in found if self._asks_by_name(keys[place])]
        orders = [list(one.facts) for one in self.features]

        def where(place: int) -> tuple[int, int]:
            row, key = int(scores[:, place].argmax()), keys[place]
            return row, orders[row].index(key) if key in orders[row] else len(keys)

        found.sort(key=where)
        return {keys[place]: float(chances[place]) for place in found}

    def _asks_by_name(self, key: str) -> bool:
        """Tell whether a clause that asks names a fact by its own words, and no value of it."""
        return any(
            one.is_request
            and "how:cue" in (shows := how.facts.get(key, ()))
            and "value" not in shows
            for one, how in self.clauses
        )

    def _with_topics(self, found: list[int], keys: list[str], scores: Numbers) -> list[int]:
        """Return places with those of all topics of what asks for any wish about some things."""
        rows = {int(scores[:, place].argmax()) for place in found}
        general = (row for row in rows if _ANYTHING.search(self.segments[row].text))
        topics = {key for row in general for key in self.features[row].topics}
        return [place for place, key in enumerate(keys) if place in found or key in topics]

    def _is_beside(self, place: int, found: list[int], keys: list[str], scores: Numbers) -> bool:
        """Tell whether a clause seems to ask for a fact only since it names what that is of.

        Then it asks far more likely for another by that one's own words, and not for any wish; or
        it is about what no wish is of.
        """
        row = int(scores[:, place].argmax())
        segment, how = self.segments[row], self.features[row].facts.get(keys[place], frozenset())
        if "how:cue" in how:
            return False
        if segment.says("foreign") or (
            self._is_foreign(segment) and not _LISTS.search(segment.text)
        ):
            return True
        if how.isdisjoint(_NAMING) and _is_plain_yes_no(segment):
            return True
        if "how:topic" not in how or segment.says("wishes") or _LISTS.search(segment.text):
            return False
        cued = (one for one in found if "how:cue" in self.features[row].facts.get(keys[one], ()))
        return any(scores[row, one] - scores[row, place] > _FAR for one in cued)

    def _guess(self, scores: Numbers) -> list[int]:
        """Return the places of what a question is likeliest about which nothing explains.

        Scores are the log-odds of each clause and fact. A choice among no items is one, too. It is
        one fact, but for a clause that asks for any wish about some things: then all of these.
        """
        is_bare = self._likely == {"asks_choice"} and not self.ids
        if self._is_explained and not is_bare:
            return []
        facts, last = self.lexicon.facts, self._last_question
        keys, scope = list(facts), last.scope if last is not None else frozenset()
        best, found = _NOT_AT_ALL, list[int]()
        for row, segment in enumerate(self.segments):
            is_asked = segment.is_request and not (segment.is_firm or segment.says("action"))
            is_foreign = self._is_foreign(segment)
            for key, how in self.features[row].facts.items() if is_asked or is_bare else ():
                if "how:ellipsis&again" in how or (is_foreign and "how:cue" not in how):
                    continue
                if how.isdisjoint(_NAMING) and _is_plain_yes_no(segment):
                    continue
                place, slots = keys.index(key), facts[key].slots
                is_other = bool(scope and slots) and scope.isdisjoint(slots)
                if scores[row, place] > best and not is_other:
                    is_general = _ANYTHING.search(segment.text) is not None
                    topics = self.features[row].topics if is_general else ()
                    best = scores[row, place]
                    found = [keys.index(one) for one in topics] if key in topics else [place]
        return found

    def _is_foreign(self, segment: Segment) -> bool:
        """Tell whether a clause is about what no wish is of, such as a telephone number."""
        return segment.says("foreign") or self.lexicon.extras.search(segment.text) is not None

    @cached_property
    def asks_foreign(self) -> bool:
        """Whether it asks for what nobody was told beside a wish, such as a telephone number."""
        return any(one.is_request and one.says("foreign") for one in self.segments)

    @property
    def _asks_foreign_alone(self) -> bool:
        """Whether it asks for nothing else."""
        return self.asks_foreign and all(
            one.says("foreign") for one in self.segments if one.is_request
        )

    @property
    def is_about_approvals(self) -> bool:
        """Whether it asks of approvals that were given."""
        return any(one.is_request and one.says("approval") for one in self.segments)

    @cached_property
    def asks_of_extra(self) -> bool:
        """Whether it asks about something that is sold beside what the facts are about."""
        asking = (one for one in self.segments if one.is_request)
        return any(self.lexicon.extras.search(one.text) for one in asking)

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

    @property
    def _asks_for_any(self) -> bool:
        """Whether a clause that asks names anything that is asked for."""
        return any(
            one.is_request and how.names(key) for one, how in self.clauses for key in self.asked
        )

    @cached_property
    def _last_question(self) -> Segment | None:
        """The last of its clauses that asks."""
        return next((one for one in reversed(self.segments) if one.is_request), None)

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
    def asks_anything(self) -> bool:
        """Whether it asks something at all."""
        return bool(self.asked) or any(s.is_request and not s.says("wait") for s in self.segments)

    @property
    def is_unclear(self) -> bool:
        """Whether it asks something, and nothing that it could be is likely."""
        return self.asks_anything and not (self.asked or self._is_explained)

    @cached_property
    def is_open_question(self) -> bool:
        """Whether it asks for whatever the user has not said yet."""
        if asks_to_give_up(self.segments) or self._asks_foreign_alone:
            return False
        if asks_who_else(self.segments) and self.asked:
            return False
        if "open_question" in self._likely:
            return True
        if (self._asks_more and not self._asks_for_any) or asks_if_complete(self.segments):
            return True
        if self.asks_booking:
            return invites_wishes(self.segments)
        others = self._likely - {"confirms", "asks_change"}
        others -= set() if self.ids or self.proposes else {"asks_choice"}
        return not others and asks_what_else(self.segments)

    @property
    def is_open_by_meaning(self) -> bool:
        """Whether its whole asks for whatever is left to say, and its clauses do not show it."""
        is_shown = self.is_open_question or "closing" in self._likely
        return self.meant in _OPEN and not is_shown

    @cached_property
    def is_closing(self) -> bool:
        """Whether it asks if there is anything else it can help with."""
        return "closing" in self._likely and not (asks_who_else(self.segments) and self.asked)

    @cached_property
    def asks_booking(self) -> bool:
        """Whether it asks if to book what it proposes."""
        is_likely = "asks_booking" in self._likely and not assumes(self.segments)
        if is_likely or self._wants_yes or self.yes_place is not None:
            return True
        return self._offers_yes or self.meant == _OF_PRICE

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
        if self._is_plainly_for_approvals:
            return True
        is_later = _BOOKING_ID not in self._words and puts_off_approvals(self.segments)
        is_about = self._is_about_payment or says("approval", self._words)
        return "asks_approval" in self._likely and is_about and not is_later

    @cached_property
    def asks_card(self) -> bool:
        """Whether it asks the user to put a card on the platform."""
        is_asked = "asks_card" in self._likely or self.card_place is not None
        is_asked = is_asked or self.meant in _OF_CARD
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
        return None if _BOOKING_ID in self._words else asks_for_yes(self.segments)

    @cached_property
    def _is_plainly_for_approvals(self) -> bool:
        return asks_for_approvals(self.segments) is not None

    @property
    def asks_method(self) -> bool:
        """Whether it asks which payment method to use."""
        return "asks_method" in self._likely or self.meant == "which_card"

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


def _is_plain_yes_no(segment: Segment) -> bool:
    """Tell whether a clause asks if one thing is so, and for no wishes."""
    is_open = segment.says("wishes", "open", "preference") or _LISTS.search(segment.text)
    return _YES_NO.search(segment.text) is not None and not is_open


_LINE_TO_FILL = re.compile(r"_{3,}(?:[-/.]_+)*")
_DOTS = "....."
_PARAGRAPH = re.compile(
    r"(?m)^([ \t]*)(?:§+ ?\d{1,2}|[A-Z]\.\d{1,2}|\d{1,2}(?:\.[1-9])+)[):]?[ \t]+(?=\S)"
)
"""The numbers of a form's lines, such as `B.2` or `2.3`, which count nothing."""


def _said(text: str, lexicon: DomainLexicon) -> str:
    """Return what a user reads of a message: not what is thought aloud, and so much of it."""
    # Behind the last end of a thought none ends that begins.
    ends = [match.end() for match in _THOUGHT_END.finditer(text)]
    thought = ends[-1] if ends else 0
    said = _THOUGHT.sub("", text[:thought]) + _THOUGHT_LINE.sub("", text[thought:])
    said = _PARAGRAPH.sub(r"\1- ", _LINE_TO_FILL.sub(_DOTS, said))
    if len(said) > ATTENTION:
        said = f"{said[: ATTENTION // 2]}\n{said[-ATTENTION // 2 :]}"
    return speller(lexicon.learned).mended(said)


HEARD_AT_ONCE = 16
"""Readings of which is kept what else was worked out of them: a decision asks for it many times."""
_KEPT = 256
"""Readings of a process: those of some twenty episodes, at a tenth of a megabyte each."""


class _Lexicon:
    """A lexicon as a key, for it has no hash of its own."""

    def __init__(self, words: DomainLexicon) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lexicon) and self.words is other.words

    def __hash__(self) -> int:
        return id(self.words)


def reading_of(
    text: str,
    lexicon: DomainLexicon,
    slots: Sequence[BriefedSlot],
    before: str | None = None,
    *,
    is_rest: bool = False,
) -> Reading:
    """Return the reading of a message; the same for its user as for who grades the episode next.

    Nothing of it but when it is worked out depends on who asks.
    """
    return _reading(text, _Lexicon(lexicon), tuple(slots), before, is_rest)


@lru_cache(maxsize=_KEPT)
def _reading(
    text: str, lexicon: _Lexicon, slots: tuple[BriefedSlot, ...], before: str | None, is_rest: bool
) -> Reading:
    return Reading(text, lexicon.words, slots, before, is_rest=is_rest)


def features_of(
    text: str, lexicon: DomainLexicon, slots: Sequence[BriefedSlot], before: str | None = None
) -> list[ClauseFeatures]:
    """Return what the clauses of a message show to the model."""
    return Reading(text, lexicon, slots, before).features or [_NOTHING]


_NOTHING = ClauseFeatures(frozenset(), frozenset(), {}, ())


_WORDS: dict[tuple[int, frozenset[str]], tuple[DomainLexicon, ClauseWords]] = {}


def _clause_words(lexicon: DomainLexicon, prefixes: frozenset[str]) -> ClauseWords:
    """Return the reader of a domain's clauses, one for each lexicon that is in use."""
    known = _WORDS.get((id(lexicon), prefixes))
    if known is None:
        known = _WORDS[id(lexicon), prefixes] = lexicon, ClauseWords(lexicon, prefixes)
    return known[1]
