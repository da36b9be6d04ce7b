"""What an agent plays back of a user's wishes, compared with them fact by fact (design §8).

A message plays back where it asks whether something is right, or says what was noted. What it
states is right, wrong, or about something on which the user has no wish; what it leaves out is no
error. That there is no wish is a statement, too.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.founded_denials import (
    PlayedMark,
    founded,
    stands_in,
)
from crab_graph.personas.passages import read_stretches
from crab_graph.personas.plan_conflicts import lead_words
from crab_graph.personas.played_clauses import (
    asks_check,
    asks_extras_alone,
    asks_of_value,
    played_clauses,
)
from crab_graph.personas.played_days import SEPARATOR, PlayedDays, asks_with, conflict_slots
from crab_graph.personas.played_joints import claimed_outcomes, played_joints, without_joints
from crab_graph.personas.played_routes import against_route, route_of
from crab_graph.personas.played_tokens import PlayedTokens
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.stated_people import births_beside, born_on, people_in
from crab_graph.personas.stated_values import (
    ALIKE,
    choices_in,
    counts_in,
    fits_day,
    number_of,
)
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import ConflictKind, DomainLexicon, FactWords, ValueForm

_NO_WISH = re.compile(
    r"\b(?:no|not any|without(?: any)?|don't have (?:a|any)|do not have (?:a|any)|haven't any)"
    r" (?:\w+[ -]){0,3}(?:preferences?|wish(?:es)?|requirements?|requests?|restrictions?|limits?"
    r"|constraints?|budget|priority)\b"
    r"|\b(?:do(?:es)?(?: not|n't)|no) (?:mind|care|matter)\b|\b(?:flexible|indifferent)\b"
    r"|\b(?:all the same|the same to you|immaterial|unimportant|of no importance|irrelevant)\b"
    r"|\bany \w+(?: \w+){0,2} (?:is|are|will be|would be|works?|will do|goes)\b"
    r"|\b(?:open|unlimited) budget\b|\bup to (?:me|us)\b|\bany (?:\w+ ){1,3}(?:will do|is fine)\b"
)
_ANY = re.compile(
    r"\b(?:all|every|each|whichever|whatever) \w+ (?:types?|kinds?|sorts?)"
    r"(?: (?:and|or) \w+ (?:types?|kinds?|sorts?))?\b"
    r"|\bany (?!other\b|more\b|further\b)"
    r"(?!.{0,40}\b(?:you|u)(?: (?:might|may|would|do))? (?:need|want|like|prefer|require|have)\b)"
    r"\w+(?: of (?:the )?\w+)?(?: \w+)?(?! ?\?)\b"
)
_SUITS = re.compile(
    r"\b(?:agreeable|acceptable|fine|ok(?:ay)?|suits?|works?|will do|would do|goes|right|correct)\b"
)
"""In a question it makes of `any …` one whether that is so, not which it should be."""
_OPENS_WITH_ANY = re.compile(r"\W*(?:and |plus )?any\b")
_GOES_ON = re.compile(r"\W*(?:and|plus|as well as|along with|also|or|then) ")
_ABOUT = re.compile(r"\b(?:for|about|on|of|regarding|concerning|as to|with|in) (?:the |your |a )?")
_NEGATED = re.compile(
    r"\b(?:not|no|n't|neither|nor|without|never|avoid(?:ing)?|except(?: for)?|excluding"
    r"|(?:other|rather) than|instead of)(?:[ /]\w+){0,3}[ /*_'\"(-]*\Z"
)
_ALL_BUT = re.compile(
    r"\b(?:any|every|all)(?:thing| \w+)? (?:but|except(?: for)?|other than|apart from|save for)\b"
)
_OR_ANY = re.compile(r"\bor (?:is|are|would|does|do|will) (?:\w+ ){0,2}any\b[^?]*\?")
"""Offers that any will do, as another answer."""
_PARTS = re.compile(r"[,;()]|\s-\s|\bbut\b|\.\s")
_GREETING = re.compile(r"\bgood (?:morning|afternoon|evening|night|day)\b")
_TO = re.compile(r"(?:\s*\([a-z]{2,4}\))?\s*(?:to|→|->|–|—|-|>|⇄|↔|⇒|=>|/)\s*")
_BOTH = re.compile(r"\b(?:both|all|each|every|either)\b")
_OTHER = re.compile(r"\b(?:different|any|separate|other|another|mixed|several|doesn't matter)\b")
_IS_IT = re.compile(
    r"\b(?:is|are|was|were) (?:it|that|they|this|these) (?:\w+ )?(\d{1,2})\b(?![.,:/-]?\d)[^?\d]*\?"
)
"""Asks if a number is the one."""
_EXACTLY = re.compile(
    r"\b(?:exactly|precisely|no more(?: and no less)? than|at most|up to)\b (?:\w+ )?\d"
    r"|\b\d[^,.;\d]{0,12}\b(?:exactly|precisely|only|no more|at most|max(?:imum)?"
    r"|or (?:less|fewer|below|lower))\b"
)
"""Makes of a bound the one number that will do."""
_SHARED = re.compile(
    r"\b(?:as long as|so long as|provided(?: that)?|if|on condition that)\b[^.;?]{0,40}"
    r"\b(?:both|they|all|the two|same|share\w*|together)\b"
)
"""Makes of any of some things one for all of them."""
_FEW = 2
_NEAR = 24
"""Characters behind a statement in which what is added to it stands."""
_CAN = r"(?! (?:can|could|may|might|must|have|know|will|need|see|are able)\b)"
_ALONE = re.compile(
    rf"\bjust (?:you|me)\b{_CAN}|\bonly you\b{_CAN}|\bsolo\b"
    r"|\bjust one(?= person\b| ?(?:[,.;!?]|\Z))"
    r"|\b(?:you|you're|travel\w*|fly\w*|go|going|goes) (?:all )?(?:alone|by yourself|on your own)\b"
)


_AND_OTHERS = re.compile(
    r"\byou(?:rself)? (?:and|plus|with) (\w+) (?:others?|more|companions?|friends?|fellow)\b"
)
"""Says how many come with one."""


@dataclass(frozen=True, slots=True)
class PlayBack:
    """What a message plays back, by the keys of facts.

    `is_asked` says whether it wants to be told if that is right; `unknown` are what the user has
    no wish on; `said` is what was said instead, as written, where it is one value; `mixed` are told
    both rightly and otherwise. `questioned` are those of which it only asks if they are so, one or
    two at once. Of those that are `beyond` the user it says how they come out, which prices decide.
    """

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    is_asked: bool = False
    said: Mapping[str, str] = field(default_factory=dict)
    mixed: tuple[str, ...] = ()
    questioned: frozenset[str] = frozenset()
    beyond: tuple[str, ...] = ()

    @property
    def states(self) -> bool:
        """Whether it states anything."""
        return bool(self.right or self.wrong or self.unknown or self.mixed or self.beyond)


def read_play_back(
    reading: Reading,
    briefing: UserBriefing,
    known: Mapping[str, str] | None = None,
    untold: Collection[str] = (),
) -> PlayBack:
    """Compare what a message plays back with what the user wants in the end.

    Items of earlier messages are `known`, with their slots. A joint wish that is still `untold` was
    never heard: what sounds like it in part is of something else, or only touches upon it where
    nothing is asked.
    """
    chosen = played_clauses(reading)
    claimed = claimed_outcomes(reading, briefing.lexicon, {one.key: 0 for one in briefing.facts})
    beyond, asks_beyond = _beyond(claimed, chosen, reading)
    beyond = [key for key in beyond if key not in untold]
    if not chosen:
        return PlayBack(is_asked=bool(beyond), beyond=tuple(beyond))
    comparison = _Comparison(reading, briefing)
    for one in read_stretches(reading, briefing.slots, known or {}, is_list=True):
        if one.segment in chosen:
            comparison.add(one)
    confirms = reading.confirms and not asks_extras_alone(reading)
    asks = confirms or any(asks_check(reading, n) for n in chosen)
    comparison.add_joints(chosen, untold if asks else briefing.lexicon.facts)
    comparison.add_people(chosen)
    order = [*briefing.ordered_keys(), *briefing.lexicon.facts]
    denied, left_open, mixed = founded(comparison.marks, reading, briefing)
    # That all dates are named makes none of them right that stands beside another's name.
    denied |= comparison.swapped
    mixed -= comparison.swapped
    wrong = tuple(dict.fromkeys(key for key in order if key in denied))
    stated = comparison.right - denied - left_open - mixed
    right = tuple(dict.fromkeys(key for key in order if key in stated))
    unknown = tuple(dict.fromkeys(key for key in order if key in comparison.unknown))
    questioned, mentioned = _questioned(comparison.marks, reading, briefing)
    right = tuple(key for key in right if key not in mentioned)
    told_twice = tuple(dict.fromkeys(key for key in order if key in mixed))
    is_asked = asks or not questioned.isdisjoint({*right, *wrong})
    is_asked = is_asked or asks_beyond
    left = tuple(key for key in beyond if key not in wrong)
    return PlayBack(right, wrong, unknown, is_asked, comparison.said, told_twice, questioned, left)


def _beyond(
    claimed: Mapping[str, Sequence[int]], chosen: Collection[int], reading: Reading
) -> tuple[list[str], bool]:
    """Return the wishes of which a message says how they come out, and whether it asks if so.

    A clause that names an item plays no wish back; it may ask if that is what the wish comes to.
    """
    asked = {n for own in claimed.values() for n in own if asks_check(reading, n)}
    found = [key for key, own in claimed.items() if not asked.union(chosen).isdisjoint(own)]
    return found, bool(asked)


def _questioned(
    marks: Sequence[PlayedMark], reading: Reading, briefing: UserBriefing
) -> tuple[frozenset[str], frozenset[str]]:
    """Return what is told only in questions whether that is so, each of one thing or two.

    And what such questions only mention, as they name the slot by it that they are about.
    """
    by_clause: dict[int, set[str]] = {}
    for one in marks:
        by_clause.setdefault(one.segment, set()).add(one.key)
    asking, mentioned = set(), set()
    for number, keys in by_clause.items():
        nouns = {key for key in keys if _names_slot(key, briefing)}
        cued = {k for k, how in reading.features[number].facts.items() if "how:cue" in how}
        meant = keys - nouns or (frozenset() if cued - keys else keys)
        if len(meant) <= _FEW and _asks_if(reading, number):
            asking.add(number)
            mentioned |= keys - meant
    noted = {one.key for one in marks if one.segment not in asking}
    questioned = {one.key for one in marks} - noted - mentioned
    return frozenset(questioned), frozenset(mentioned - noted - questioned)


def _names_slot(key: str, briefing: UserBriefing) -> bool:
    """Tell whether the value that a user wants of a fact is a word for a slot."""
    fact, slots = briefing.fact(key), briefing.lexicon.slots
    is_choice = fact is not None and str(fact.value) in briefing.lexicon.facts[key].cues
    return is_choice and any(cue.search(str(fact.value)) for cue in slots.values() if fact)


def _asks_if(reading: Reading, number: int) -> bool:
    text = reading.segments[number].text.rstrip()
    is_question = text.endswith("?") and asks_check(reading, number)
    return is_question or asks_of_value(reading, number)


class _Comparison:
    """What is right, wrong and unknown among what passages state."""

    def __init__(self, reading: Reading, briefing: UserBriefing) -> None:
        self._reading = reading
        self._briefing = briefing
        self._facts: dict[str, Any] = {fact.key: fact.value for fact in briefing.facts}
        self._lexicon = briefing.lexicon
        self._days = PlayedDays(self._facts, briefing, reading.utterance.text)
        self._tokens = PlayedTokens(self._facts, briefing.lexicon, reading)
        self._at = Stretch("", 0, 0, 0)
        self.right: set[str] = set()
        self.marks: list[PlayedMark] = []
        self.unknown: set[str] = set()
        self.swapped: set[str] = set()
        self.said: dict[str, str] = {}

    def add(self, passage: Stretch) -> None:
        """Compare all that a passage states."""
        self._at = passage
        text = _GREETING.sub(lambda match: " " * len(match[0]), passage.text)
        text = _ALL_BUT.sub(lambda match: "not".rjust(len(match[0])), text)
        text = self._without_joints(text, passage)
        start = 0
        for end in [*(match.start() for match in _PARTS.finditer(text)), len(text)]:
            part = text[start:end]
            if _NO_WISH.search(part):
                self._add_absent(part, passage)
                if not self._names_days(part):
                    text = text[:start] + " " * len(part) + text[end:]
            start = end
        says_any = self._may_say_any(passage, text)
        if says_any:
            for free in _ANY.finditer(text):
                self._add_absent(free[0], self._with_only_slot(passage), part=text)
        self._add_choices(text, passage)
        self._add_counts(text, passage)
        for one in self._days.compare(text, passage):
            if one.is_right or not self._is_of_other_day(one.key, passage):
                self._mark(one.key, is_right=one.is_right, said=one.said)
        self._add_flags(text, says_any=says_any)
        for one in self._tokens.compare(text, passage):
            self.swapped |= {one.key} if one.is_surely_wrong else set()
            self._mark(one.key, is_right=one.is_right, said=one.said)

    def _is_of_other_day(self, key: str, passage: Stretch) -> bool:
        """Tell whether the clause of a passage names another day than a fact's."""
        facts, named = self._lexicon.facts, self._reading.features[passage.segment].facts
        dated = {
            k for k, how in named.items() if facts[k].form is ValueForm.DATE and "how:cue" in how
        }
        scope = self._reading.segments[passage.segment].scope
        dated = {k for k in dated if not scope.isdisjoint(facts[k].slots)} or dated
        return bool(dated) and key not in dated and facts[key].form is ValueForm.DATE

    def _without_joints(self, text: str, passage: Stretch) -> str:
        """Blank what a passage says of joint wishes, which may begin or end beyond it."""
        segment = self._reading.segments[passage.segment]
        said = self._reading.utterance.text[segment.start : segment.end]
        clean = without_joints(said, self._lexicon, self._facts)
        at = passage.start - segment.start
        pairs = zip(text, said[at:], clean[at:], strict=False)
        blanked = "".join(one if old == new else " " for one, old, new in pairs)
        return without_joints(blanked + text[len(blanked) :], self._lexicon, self._facts)

    def _may_say_any(self, passage: Stretch, text: str) -> bool:
        """Tell whether `any …` in a passage says that all will do, and does not ask for it.

        The last of a list of what is asked for, as `… and any budget`, asks for it, too.
        """
        segments = self._reading.segments
        segment = segments[passage.segment]
        if _OR_ANY.search(segment.text) or _SHARED.search(segment.text):
            return False
        if _SUITS.search(segment.text):
            return True
        before = segments[max(0, passage.segment - 2) : passage.segment]
        goes_on = _GOES_ON.match(text) is not None and any(one.is_request for one in before)
        asks = segment.is_request or segment.text.rstrip().endswith("?")
        return not (asks or goes_on)

    def _mark(self, key: str, *, is_right: bool, said: str = "") -> None:
        if key not in self._facts:
            # Words of a joint wish of the user's own say nothing of another.
            if not self._speaks_of_joint():
                self.unknown.add(key)
            return
        self.marks.append(PlayedMark(key, is_right, self._at.slots, self._at.segment))
        if is_right:
            self.right.add(key)
        else:
            self.said.setdefault(key, said)

    def _speaks_of_joint(self) -> bool:
        text = self._reading.segments[self._at.segment].text
        joint = (self._lexicon.facts[key] for key in self._facts if key in self._lexicon.facts)
        return any(words.is_joint and words.about.search(text) for words in joint)

    def _add_absent(self, said: str, passage: Stretch, part: str = "") -> None:
        """Compare a statement that there is no wish, in a part that may say more."""
        is_any, part = bool(part), part or said
        about = [said.partition(" ")[2]] if is_any else _absences(part)
        questions = [text for one in about for text in _asked_about(one.strip(" ,.?!:"))]
        meant = []
        for key, words in self._lexicon.facts.items():
            slots = set(words.slots or (words.conflict.slots if words.conflict else ()))
            if words.form is ValueForm.CARD:
                continue
            if is_any and not passage.slots and (words.hours or words.form is ValueForm.DATE):
                continue
            if slots and passage.slots.isdisjoint(slots) and (passage.slots or words.needs_slot):
                continue
            # A rule takes the place of other wishes, which may well be free.
            is_rule = words.is_joint and words.form is ValueForm.FLAG
            cues = [cue for cue in words.asks if not (is_rule and cue in words.lent)]
            if any(cue.search(text) for cue in cues for text in questions):
                meant.append(key)
        unwished = self._lexicon.unwished.values()
        of_parts = {one.spares for one in unwished if any(cue.search(part) for cue in one.asks)}
        meant = [key for key in meant if key not in of_parts]
        # Within its bounds a range is as free as is said.
        free = {k for k in meant if k not in self._facts or self._is_range(k)}
        self.right |= free
        if free and (is_any or _OPENS_WITH_ANY.match(said)):
            # Words that can be meant of what is free are.
            return
        for key in meant:
            is_one = self._lexicon.facts[key].form is ValueForm.FLAG and self._is_one(said)
            if key not in free and not (is_one or stands_in(part, key, self._briefing)):
                self._mark(key, is_right=False)

    def _is_one(self, said: str) -> bool:
        """Tell whether what is any one is right behind that said to be the same for all."""
        text = self._reading.segments[self._at.segment].text
        _, found, behind = text.partition(said.strip(" ,;.("))
        return bool(found) and ALIKE.search(behind[:_NEAR]) is not None

    def _is_range(self, key: str) -> bool:
        is_list = isinstance(self._facts.get(key), list)
        return is_list and self._lexicon.facts[key].form is ValueForm.DATE

    def _with_only_slot(self, passage: Stretch) -> Stretch:
        """Return a passage about nothing in particular as one of the only slot that is named."""
        named = {slot for segment in self._reading.segments for slot in segment.named}
        return replace(passage, slots=passage.slots or frozenset(named if len(named) == 1 else ()))

    def _names_days(self, part: str) -> bool:
        return fits_day(part, []) is not None or bool(find_dates(part, self._briefing.today))

    def _add_choices(self, text: str, passage: Stretch) -> None:
        """Compare values that have words, each with the facts that could have them."""
        found: dict[str, list[tuple[str, bool]]] = {}
        plain = self._without_counts(text)
        text = self._without_routes(text, passage)
        for key, words in self._lexicon.facts.items():
            if words.cues and words.conflict is not None:
                if words.hours and passage.slots.isdisjoint(words.conflict.slots or words.slots):
                    continue
                clean = plain if words.hours else text
                for value in sorted(choices_in(clean, words)):
                    cue = words.cues.get(value)
                    match = cue.search(clean) if cue else None
                    is_negated = match is not None and bool(_NEGATED.search(clean[: match.start()]))
                    found.setdefault(value, []).append((key, is_negated))
        for value, keys in found.items():
            self._add_value(value, keys, text, passage)
        for key, value in self._facts.items():
            ruled_out = {one for one, keys in found.items() if (key, True) in keys}
            if ruled_out and ruled_out == self._lexicon.facts[key].cues.keys() - {str(value)}:
                self._mark(key, is_right=True)

    def _add_value(
        self, value: str, keys: Sequence[tuple[str, bool]], text: str, passage: Stretch
    ) -> None:
        fitting = self._in_scope([key for key, _ in keys], value, text, passage)
        is_negated = any(negated for _, negated in keys)
        mine = [key for key in fitting if key in self._facts]
        if is_negated:
            # What a joint wish rules out of some things it does not deny of all.
            for key in [] if self._speaks_of_joint() else mine:
                if str(self._facts[key]) == value:
                    self._mark(key, is_right=False)
            return
        equal = [key for key in mine if str(self._facts[key]) == value]
        apart = {self._lexicon.facts[key].slots for key in fitting}
        equal = equal or self._reversed(mine, value, passage)
        strict = len(apart) > 1 and len(passage.slots) > 1 and _BOTH.search(text)
        if strict:
            for key in fitting:
                self._mark(key, is_right=str(self._facts.get(key)) == value, said=value)
        elif equal:
            for key in equal:
                self._mark(key, is_right=True)
        elif mine:
            self._mark(mine[0], is_right=False, said=value)
        elif fitting:
            self._mark(fitting[0], is_right=False, said=value)

    def _reversed(self, keys: Sequence[str], value: str, passage: Stretch) -> list[str]:
        """Return the fact that a value is that of where it is told of the last of two slots.

        On the way back things are the other way round: where it starts is where one wanted to go.
        """
        facts = self._lexicon.facts
        slots = {conflict_slots(facts[key])[:2] for key in keys if not facts[key].hours}
        backs = {pair[1] for pair in map(tuple, slots) if len(pair) > 1}
        if len(passage.slots) != 1 or not passage.slots <= backs:
            return []
        return [
            key
            for key, words in facts.items()
            if key in self._facts
            and any(words.choices == facts[one].choices for one in keys)
            and words.cues.keys() & {value}
            and str(self._facts[key]) == value
        ]

    def _in_scope(self, keys: Sequence[str], value: str, text: str, passage: Stretch) -> list[str]:
        """Return the facts that a value can be meant of where it stands."""
        if len(keys) == 1:
            return list(keys)
        facts = self._lexicon.facts
        match = facts[keys[0]].cues[value].search(text) if value in facts[keys[0]].cues else None
        if match is not None and not facts[keys[0]].hours:
            part = SEPARATOR.split(text[: match.start()])[-1]
            before = part.split()[-4:]
            led = [key for key in keys if {*before[-1:]} & lead_words(facts[key])]
            led = led or [k for k in keys if asks_with(facts[k], f"where {' '.join(before)}")]
            if led and len(led) < len(keys):
                return led
        slots = {key: set(facts[key].slots or conflict_slots(facts[key])) for key in keys}
        if passage.slots:
            near = [key for key in keys if slots[key] & passage.slots]
            return near
        return list(keys)

    def _without_routes(self, text: str, passage: Stretch) -> str:
        """Compare `A to B` with where one starts and where one goes; return the text without."""
        facts = self._lexicon.facts
        places = [key for key, words in facts.items() if words.cues and not words.hours]
        route = route_of(facts, places, self._facts)
        if route:
            wrong, text = against_route(text, route, self._facts, facts)
            for key in wrong:
                self.swapped.add(key)
                self._mark(key, is_right=False, said="")
            return text
        for target in [key for key in places if "to" in lead_words(facts[key])]:
            start = next(
                (
                    key
                    for key in places
                    if key != target and facts[key].cues.keys() == facts[target].cues.keys()
                ),
                "",
            )
            if not start or not {start, target} <= self._facts.keys():
                continue
            first, last = (facts[target].cues[str(self._facts[key])] for key in (start, target))
            is_known = _route(self._reading.utterance.text, first, last) is not None
            is_back = passage.slot in conflict_slots(facts[target])[1:]
            for found, is_right in (
                (_route(text, first, last), True),
                (_route(text, last, first), is_known or is_back),
            ):
                if found is not None:
                    self._mark(start, is_right=is_right)
                    self._mark(target, is_right=is_right)
                    text = text[: found[0]] + " " * (found[1] - found[0]) + text[found[1] :]
            others = facts[target].cues.items()
            for value, cue in others:
                # The one end is right, so that the other is told of the same way.
                if value != str(self._facts[target]) and _route(text, first, cue):
                    self._mark(target, is_right=False, said=value)
                elif value != str(self._facts[start]) and _route(text, cue, last):
                    self._mark(start, is_right=False, said=value)
        return text

    def _without_counts(self, text: str) -> str:
        def blank(match: re.Match[str]) -> str:
            is_count = any(number_of(one) is not None for one in match.groups() if one)
            return " " * len(match[0]) if is_count else match[0]

        for words in self._lexicon.facts.values():
            if words.form is ValueForm.COUNT and words.conflict and words.conflict.pattern:
                text = words.conflict.pattern.sub(blank, text)
        return text

    def _add_counts(self, text: str, passage: Stretch) -> None:
        for key, words in self._lexicon.facts.items():
            if words.form is not ValueForm.COUNT or words.conflict is None:
                continue
            counts = counts_in(text, words.conflict) or _loose_counts(text, words, self._lexicon)
            counts = counts or _labelled_counts(text, key) or self._asked_count(text, key, passage)
            is_bound = words.conflict.kind is ConflictKind.AT_LEAST and len(counts) == 1
            is_exact = is_bound and _EXACTLY.search(text) is not None
            for count in counts:
                mine = self._facts.get(key)
                self._mark(key, is_right=mine == count and not is_exact, said=str(count))

    def _asked_count(self, text: str, key: str, passage: Stretch) -> list[int]:
        """Return the number of which a clause that is about one count asks if it is that."""
        found = _IS_IT.search(text)
        named = self._reading.features[passage.segment].facts
        cued = [one for one, how in named.items() if "how:cue" in how]
        return [int(found[1])] if found and cued == [key] else []

    def _add_flags(self, text: str, *, says_any: bool) -> None:
        for key, words in self._lexicon.facts.items():
            if words.form is not ValueForm.FLAG or words.is_joint or self._is_of_other(words):
                continue
            match = next((found for cue in words.asks if (found := cue.search(text))), None)
            if match is None:
                continue
            near = text[max(0, match.start() - 40) : match.end() + 40]
            before = text[max(0, match.start() - 24) : match.end()]
            if ALIKE.search(near):
                same = ALIKE.search(near)
                is_negated = bool(same and _NEGATED.search(near[: same.start()]))
                self._mark(key, is_right=not is_negated)
                continue
            if _SHARED.search(self._reading.segments[self._at.segment].text):
                self._mark(key, is_right=True)
                continue
            other = _OTHER.search(before)
            if other and self._is_one(match[0]):
                continue
            if other and (says_any or other[0] != "any") and key in self._facts:
                self._mark(key, is_right=False)

    def _is_of_other(self, words: FactWords) -> bool:
        """Tell whether a passage is about the slots of another flag that it names, not its own."""
        if self._at.slots & set(conflict_slots(words)):
            return False
        flags = (one for one in self._lexicon.facts.values() if one.form is ValueForm.FLAG)
        near = (one for one in flags if self._at.slots & set(conflict_slots(one)))
        clause = self._reading.segments[self._at.segment].text
        return any(asks_with(one, clause) for one in near)

    def add_joints(self, chosen: set[int], untold: Collection[str]) -> None:
        """Compare the joint wishes that are told, whole or not."""
        for one in played_joints(self._reading, chosen, self._lexicon, self._facts):
            is_rule = self._lexicon.facts[one.key].form is ValueForm.FLAG
            text = self._reading.segments[one.segment].text
            if not one.is_right and is_rule and find_dates(text, self._briefing.today):
                # What is on some days is no rule.
                continue
            if one.is_right or one.key not in untold:
                self._at = Stretch("", 0, 0, one.segment)
                self._mark(one.key, is_right=one.is_right)

    def add_people(self, chosen: set[int]) -> None:
        """Compare the people that are named, and their dates of birth."""
        self._at = Stretch("", 0, 0, 0)
        segments = [self._reading.segments[n] for n in sorted(chosen)]
        names = next((k for k, w in self._lexicon.facts.items() if w.form is ValueForm.NAMES), "")
        births = next((k for k, w in self._lexicon.facts.items() if w.form is ValueForm.DATES), "")
        known = [str(name) for name in self._facts.get(names, ())]
        born = dict(zip(map(str.casefold, known), self._facts.get(births, ()), strict=False))
        today = self._briefing.today
        for one in people_in(self._reading.said, known, self._lexicon, today) if names else ():
            self._mark(names, is_right=one.name.casefold() in born, said=one.name)
            if one.born and one.name.casefold() in born:
                self._mark(births, is_right=born[one.name.casefold()] == one.born, said=one.born)
        own = births_beside(self._reading.said, known, today) if births and names else ()
        for name, day in own:
            if born.get(name.casefold()) not in {None, day}:
                self.swapped.add(births)
                self._mark(births, is_right=False, said=day)
        texts = [segment.text for segment in segments]
        for day in born_on(texts, today) if births else ():
            self._mark(births, is_right=day in born.values(), said=day)


def _route(text: str, first: re.Pattern[str], last: re.Pattern[str]) -> tuple[int, int] | None:
    """Return where one value stands with another behind it and a word or sign for `to` between."""
    for match in first.finditer(text):
        for other in last.finditer(text, match.end()):
            if _TO.fullmatch(text[match.end() : other.start()]):
                return match.start(), other.end()
            break
    return None


def _absences(part: str) -> list[str]:
    """Return the words by which a statement that there is no wish may name what it is about."""
    named = _NO_WISH.search(part)
    about = [_NO_WISH.sub(" ", part), *_ABOUT.split(part)[1:]]
    return [*about, named[0]] if named else about


def _asked_about(noun: str) -> Iterator[str]:
    """Yield questions about what a statement says that there is no wish on."""
    if noun:
        yield noun
        yield f"which {noun}"
        yield f"{noun} preference"
        yield f"how much budget {noun}" if "budget" in noun else noun
        yield "what time of day" if noun.startswith("time") else noun


def _loose_counts(text: str, words: FactWords, lexicon: DomainLexicon) -> list[int]:
    """Return numbers before the unit of a count, as people put them."""
    unit = words.many.partition("{n}")[2].strip()
    is_people = unit == "people"
    people = rf"{lexicon.people.pattern}|adults|ppl|folks"
    nouns = people if is_people else re.escape(unit.rstrip("s")) + "s?"
    counted = rf"(?<!\d-)\b(\w+)\+?[- ](?:adult |full )?(?:{nouns})\b"
    found = re.findall(counted, text) if unit else []
    numbers = [number for number in map(number_of, found) if number is not None]
    if not numbers and is_people:
        beside = [number_of(one) for one in _AND_OTHERS.findall(text)]
        numbers = [1 + number for number in beside if number is not None]
    if not numbers and is_people and _ALONE.search(text):
        return [1]
    return numbers


def _labelled_counts(text: str, key: str) -> list[int]:
    """Return numbers behind a fact's own name, as in a list of labels."""
    label = re.escape(key.replace("_", " "))
    said = r"(?:you (?:said|told me|mentioned|thought of|wanted|gave) |is |are )?"
    found = re.findall(rf"\b{label}(?:\W{{1,3}}| is | are ){said}(\w+)\b", text)
    return [number for number in map(number_of, found) if number is not None]
