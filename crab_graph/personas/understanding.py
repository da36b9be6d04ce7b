"""What an agent's free text asks, proposes, offers and claims.

The words come from the domain's lexicon and the shared phrase book; a small linear model
weighs what they come to. A message may do several things at once.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.message_acts import MessageActs
from crab_graph.personas.message_text import LIKELY_ASKED
from crab_graph.personas.plain_requests import (
    asks_if_complete,
    asks_to_give_up,
    asks_what_else,
    asks_who_else,
    invites_wishes,
)
from crab_graph.personas.reader_model import Numbers, of_message, reader_model
from crab_graph.personas.segments import Segment
from crab_graph.personas.wordbook import DomainLexicon

AS_MANY = 2
"""A clause that names more facts than these, and no value, is a list of what is wanted."""
_NOT_AT_ALL = -8.0
"""The log-odds below which a fact is not what a question is about, even if nothing else is."""
_FAR = 4.0
"""A difference in log-odds by which one fact is meant, and another only seems to be."""
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
_ANYTHING = re.compile(
    r"\b(?:anything|any (?:\w+ ){0,2}(?:wish(?:es)?|needs?|requirements?|preferences?|requests?))\b"
)
_OPEN = frozenset({"go_on", "if_complete"})
"""What a message means that asks for whatever is left to say."""
_OF_NO_WISH = _OPEN.union(
    ("add_card", "card_there", "price_rose", "sold_out", "may_search", "rest_stays", "one_card"),
    ("choose_by", "slip", "what_approved", "extra", "one_by_one", "still_there", "book_now"),
    ("mail", "who", "repeat", "give_up", "any_day", "scope", "which_one", "either_way", "most"),
    ("pay_rest", "objection", "trade_off", "explain", "like_it", "price_ok", "small_talk"),
    ("price_free", "rule_hours", "rule_scope", "this_one", "same_card"),
)
"""What a message means that asks for no wish, unless by its own words."""
_NAMES = frozenset({"how:cue", "value"})
_SPEAKS_OF = _NAMES | {"how:topic"}
"""What a clause shows that is about a fact."""


class Reading(MessageActs):
    """What one message of the agent does and asks for; read when it is asked for."""

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

    @property
    def _asks_for_any(self) -> bool:
        """Whether a clause that asks names anything that is asked for."""
        return any(
            one.is_request and how.names(key) for one, how in self.clauses for key in self.asked
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
        beside = {"confirms", "asks_change", "asks_card", "asks_method", "says_wait"}
        others = self._likely - beside
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


def _is_plain_yes_no(segment: Segment) -> bool:
    """Tell whether a clause asks if one thing is so, and for no wishes."""
    is_open = segment.says("wishes", "open", "preference") or _LISTS.search(segment.text)
    return _YES_NO.search(segment.text) is not None and not is_open
