"""Passages of a message compared with a user's wishes: what of them is right, wrong or unknown."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

from crab_graph.personas.briefing import UserBriefing
from crab_graph.personas.founded_denials import PlayedMark, stands_in
from crab_graph.personas.played_choices import NEGATED, PlayedChoices
from crab_graph.personas.played_counts import compared_counts
from crab_graph.personas.played_days import Compared, PlayedDays, asks_with, conflict_slots
from crab_graph.personas.played_joints import played_joints, speaks_of_joint, without_joints
from crab_graph.personas.played_tokens import PlayedTokens
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.stated_people import births_beside, born_on, people_in
from crab_graph.personas.stated_values import ALIKE, fits_day
from crab_graph.personas.stretches import Stretch
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import OF_PERSONS, FactWords, ValueForm

_PAIR = 2
_NO_WISH = re.compile(
    r"\b(?:no|not any|without(?: any)?|don't have (?:a|any)|do not have (?:a|any)|haven't any)"
    r" (?:\w+[ -]){0,3}(?:preferences?|wish(?:es)?|requirements?|requests?|restrictions?|limits?"
    r"|constraints?|budget|priority)\b"
    r"|\b(?:do(?:es)?(?: not|n't)|no) (?:mind|care|matter)\b|\b(?:flexible|indifferent)\b"
    r"|\b(?:all the same|the same to you|immaterial|unimportant|of no importance|irrelevant)\b"
    r"|\bany (?!certain\b|particular\b|special\b|specific\b)\w+(?: \w+){0,2}"
    r" (?:is|are|will be|would be|works?|will do|goes)\b"
    r"|\b(?:open|unlimited) budget\b|\bup to (?:me|us)\b|\bany (?:\w+ ){1,3}(?:will do|is fine)\b"
)
_ANY = re.compile(
    r"\b(?:all|every|each|whichever|whatever) \w+ (?:types?|kinds?|sorts?)"
    r"(?: (?:and|or) \w+ (?:types?|kinds?|sorts?))?\b"
    r"|\bany (?!other\b|more\b|further\b|certain\b|particular\b|special\b|specific\b)"
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
_ALL_BUT = re.compile(
    r"\b(?:any|every|all)(?:thing| \w+)? (?:but|except(?: for)?|other than|apart from|save for)\b"
)
_OR_ANY = re.compile(r"\bor (?:is|are|would|does|do|will) (?:\w+ ){0,2}any\b[^?]*\?")
"""Offers that any will do, as another answer."""
_PARTS = re.compile(r"[,;()]|\s-\s|\bbut\b|\.\s")
_ANY_WISH = re.compile(
    r"\bany (?:\w+ ){1,3}(?:preference|wish|requirement|limit)(?:e?s)?\b(?! (?:is|are|will|would))"
)
"""Asks for a wish, and says not that anything will do."""
_OF_DAY = re.compile(r"\b(?:times?|parts?|hours?) of (?:the )?day\b")
_GREETING = re.compile(r"\bgood (?:morning|afternoon|evening|night|day)\b")
_OTHER = re.compile(r"\b(?:different|any|separate|other|another|mixed|several|doesn't matter)\b")
_SHARED = re.compile(
    r"\b(?:as long as|so long as|provided(?: that)?|if|on condition that)\b[^.;?]{0,70}"
    r"\b(?:both|they|all|the two|same|share\w*|together)\b"
    r"|\b(?:that|which) (?:\w+ ){1,3}shares?\b"
    r"|\b(?:only|just|but)\b[^.;?]{0,60}\b(?:same|share\w*|together)\b"
)
"""Makes of any of some things one for all of them."""
_ADDS = re.compile(r"\W*(?:but|just|only|as long as|so long as|provided)\b")
"""Begins what is added to a statement."""
_UNLIKE = re.compile(r"\b(?:different|differ|unlike|distinct)\b", re.I)
"""Says that things are not to be alike."""
_NEAR = 24
"""Characters behind a statement in which what is added to it stands."""


class PlayedWishes:
    """What is right, wrong and unknown among what passages state, found as they are added.

    `swapped` are facts whose values are told of something else; `said` is what was told instead.
    """

    def __init__(self, reading: Reading, briefing: UserBriefing) -> None:
        self._reading = reading
        self._briefing = briefing
        self._facts: dict[str, Any] = {fact.key: fact.value for fact in briefing.facts}
        self._lexicon = briefing.lexicon
        self._days = PlayedDays(self._facts, briefing, reading.utterance.text)
        self._tokens = PlayedTokens(self._facts, briefing.lexicon, reading)
        self._choices = PlayedChoices(self._facts, briefing.lexicon, reading)
        self._at = Stretch("", 0, 0, 0)
        self.right: set[str] = set()
        self.marks: list[PlayedMark] = []
        self.unknown: set[str] = set()
        self.swapped: set[str] = set()
        self.said: dict[str, str] = {}

    def add(self, passage: Stretch) -> None:
        """Compare all that a passage states."""
        passage = self._at = self._placed(passage)
        text = _GREETING.sub(lambda match: " " * len(match[0]), passage.text)
        text = _ANY_WISH.sub(lambda match: " " * len(match[0]), text)
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
        self._add(self._choices.compare(text, passage))
        self._add(compared_counts(text, passage, self._facts, self._reading))
        for one in self._days.compare(text, passage):
            if one.is_right or not self._is_of_other_day(one.key, passage):
                self._mark(one.key, is_right=one.is_right, said=one.said)
        self._add_flags(text, says_any=says_any)
        self._add(self._tokens.compare(text, passage))

    def _add(self, compared: Iterable[Compared]) -> None:
        for one in compared:
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
        if _OR_ANY.search(segment.text) or _SHARED.search(self._with_addition(passage)):
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
        return speaks_of_joint(text, self._lexicon, self._facts)

    def _add_absent(self, said: str, passage: Stretch, part: str = "") -> None:
        """Compare a statement that there is no wish, in a part that may say more."""
        is_any, part = bool(part), part or said
        about = [said.partition(" ")[2]] if is_any else _absences(part)
        questions = [text for one in about for text in _asked_about(one.strip(" ,.?!:"))]
        meant = []
        for key, words in self._lexicon.facts.items():
            slots = set(words.slots or (words.conflict.slots if words.conflict else ()))
            # That any will do is said of no card, and of nobody's name.
            if words.form is ValueForm.CARD or words.form in OF_PERSONS:
                continue
            if words.form is ValueForm.DATE and _OF_DAY.search(part):
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
            is_flag = self._lexicon.facts[key].form is ValueForm.FLAG
            is_one = is_flag and (self._is_one(said) or self._is_alike_elsewhere(key))
            if key not in free and not (is_one or stands_in(part, key, self._briefing)):
                self._mark(key, is_right=False)

    def _with_addition(self, passage: Stretch) -> str:
        """Return the clause of a passage with what is added to it, as `but the same one`."""
        segments = self._reading.segments[passage.segment : passage.segment + 2]
        return " ".join(one.text for one in segments if one is segments[0] or _ADDS.match(one.text))

    def _is_one(self, said: str) -> bool:
        """Tell whether what is any one is right behind that said to be the same for all."""
        if _SHARED.search(said):
            return True
        text = self._with_addition(self._at)
        _, found, behind = text.partition(said.strip(" ,;.("))
        is_near = ALIKE.search(behind[:_NEAR]) is not None
        return bool(found) and (is_near or _SHARED.search(behind) is not None)

    def _is_alike_elsewhere(self, key: str) -> bool:
        """Tell whether another clause says that what a flag is of is one for all."""
        asks = self._lexicon.facts[key].asks
        others = (one for n, one in enumerate(self._reading.segments) if n != self._at.segment)
        near = (one.text for one in others if any(cue.search(one.text) for cue in asks))
        return any(
            (same := ALIKE.search(t)) and not NEGATED.search(t[: same.start()]) for t in near
        )

    def _is_range(self, key: str) -> bool:
        is_list = isinstance(self._facts.get(key), list)
        return is_list and self._lexicon.facts[key].form is ValueForm.DATE

    def _placed(self, passage: Stretch) -> Stretch:
        """Return a passage as one of those of its slots whose places its clause names."""
        named = self._reading.segments[passage.segment].named
        return replace(passage, slots=passage.slots & named or passage.slots)

    def _with_only_slot(self, passage: Stretch) -> Stretch:
        """Return a passage about nothing in particular as one of the only slot that is named."""
        named = {slot for segment in self._reading.segments for slot in segment.named}
        return replace(passage, slots=passage.slots or frozenset(named if len(named) == 1 else ()))

    def _names_days(self, part: str) -> bool:
        return fits_day(part, []) is not None or bool(find_dates(part, self._briefing.today))

    def _add_flags(self, text: str, *, says_any: bool) -> None:
        for key, words in self._lexicon.facts.items():
            if words.form is not ValueForm.FLAG or words.is_joint or self._is_of_other(words):
                continue
            match = next((found for cue in words.asks if (found := cue.search(text))), None)
            if match is None:
                continue
            near = text[max(0, match.start() - 40) : match.end() + 40]
            before = text[max(0, match.start() - 24) : match.end()]
            if self._is_of_another_pair(words, match.start()):
                self._mark(key, is_right=False)
                continue
            is_unlike = any(map(_UNLIKE.search, words.full))
            if ALIKE.search(near):
                same = ALIKE.search(near)
                is_negated = bool(same and NEGATED.search(near[: same.start()]))
                self._mark(key, is_right=is_negated is is_unlike)
                continue
            if is_unlike and _UNLIKE.search(before):
                self._mark(key, is_right=True)
                continue
            if _SHARED.search(self._with_addition(self._at)):
                self._mark(key, is_right=True)
                continue
            other = _OTHER.search(before)
            if other and (self._is_one(match[0]) or self._is_alike_elsewhere(key)):
                continue
            if other and (says_any or other[0] != "any") and key in self._facts:
                self._mark(key, is_right=False)

    def _is_of_another_pair(self, words: FactWords, place: int) -> bool:
        """Tell whether what stands around a place says of another pair that they are alike."""
        segment = self._reading.segments[self._at.segment]
        text, place = segment.text, self._at.start - segment.start + place
        begin = max((one.end() for one in _PARTS.finditer(text, 0, place)), default=0)
        behind = _PARTS.search(text, place)
        part = text[begin : behind.start() if behind else len(text)]
        own, named = {*conflict_slots(words)}, self._lexicon.named_slots(part)
        is_pair = len(own) == len(named) == _PAIR and len(own & named) == 1
        # A word for both of a kind may mean the one of them.
        is_pair = is_pair and named != self._lexicon.kind_of(named)
        return is_pair and words.key in self._facts and ALIKE.search(part) is not None

    def _is_of_other(self, words: FactWords) -> bool:
        """Tell whether a passage is about the slots of another flag that it names, not its own."""
        segment, slots = self._reading.segments[self._at.segment], self._at.slots
        if slots & set(conflict_slots(words)):
            return False
        flags = (one for one in self._lexicon.facts.values() if one.form is ValueForm.FLAG)
        near = (one for one in flags if slots & set(conflict_slots(one)))
        return any(asks_with(one, segment.text) for one in near)

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
