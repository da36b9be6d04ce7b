"""What a clause of an agent's message shows of what it does: features for a linear model.

Act features hold no word of the domain: its words stand as kinds (`<slot>`, `<value>`). Those of a
candidate fact say how the clause may ask for it, and what stands around. Word features keep the
words, for what is learned of one domain's facts alone.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from crab_graph.personas.clause_words import ClauseWords, grams, numeral, pieces, stems
from crab_graph.personas.questions import Earlier, FactCandidate, candidates, has_rival
from crab_graph.personas.segments import Segment
from crab_graph.personas.wordbook import DomainLexicon, phrase_book

_NOT_READ = (
    "says_approved says_done says_added agent_words person denied not_stated firm wants_yes foreign"
)
_OF_MESSAGE = (
    "options inability done wait payment transferred offers_human choice open closing"
).split()
_AROUND = 4
_MANY = 3
_HEAD_WORDS = 8
_VERBS = frozenset(
    "is are am was be have has had do does did would will shall should can could may might must "
    "want wants need needs like prefer let's i'm i've i'll you're you've you'd it's that's".split()
)
"""Words without which a clause is a mere list or label."""
_TELLING = frozenset(
    "opens item first last verbless h:req n:req p:req blank filled filled&blanks".split()
)
"""What may make a clause ask for the facts that it names."""
_PARTS = re.compile(r"[,;/&|]|\band\b")


BY_WORDS = frozenset({"how:cue", "how:hint", "value"})
"""What a clause names a fact by, and not its topic alone."""


@dataclass(frozen=True, slots=True)
class ClauseFeatures:
    """The features of one clause: of its acts, of its words, and of each candidate fact's key."""

    acts: frozenset[str]
    words: frozenset[str]
    facts: dict[str, frozenset[str]]
    keys: tuple[str, ...]

    def names(self, key: str) -> bool:
        """Tell whether it names a fact by words, and not its topic alone."""
        return not BY_WORDS.isdisjoint(self.facts.get(key, ()))

    @property
    def topics(self) -> tuple[str, ...]:
        """The facts of the things that it names, where it names no fact by words of its own."""
        is_general = all("how:topic" in how for how in self.facts.values())
        return tuple(self.facts) if is_general else ()


@dataclass(frozen=True, slots=True)
class MessageSigns:
    """What a whole message holds: how many ids of each prefix, amounts, clauses, and requests."""

    ids: Counter[str]
    amounts: int
    is_about_payment: bool
    prefixes: frozenset[str]

    def marks(self, segments: Sequence[Segment], cues: set[str]) -> set[str]:
        """Return the features that all its clauses have."""
        items = [count for prefix, count in self.ids.items() if prefix in self.prefixes]
        clauses = len(segments)
        signs = {
            "item": bool(items),
            "several": any(count > 1 for count in items),
            "many items": sum(items) >= _MANY,
            "money": self.amounts > 0,
            "many money": self.amounts >= _MANY,
            "pay": self.is_about_payment,
            "req": any(segment.is_request for segment in segments),
            "?": any("?" in segment.text for segment in segments),
            "blank": any(_BLANK.search(one.text) for one in segments),
            "? items": sum(one.is_item and "?" in one.text for one in segments) > 1,
            **{prefix: prefix in self.ids for prefix in ("bk", "pm", "tx")},
            **{f"c:{cue}": cue in cues for cue in _OF_MESSAGE},
            f"n{min(clauses, 3 if clauses < 6 else 6)}": True,
        }
        return {f"m:{sign}" for sign, is_there in signs.items() if is_there}


def cues_in(segment: Segment) -> Sequence[str]:
    """Return the names of the shared cues that a clause holds."""
    return _cues_in(segment.plain)


@lru_cache(maxsize=64)
def _cues_in(plain: str) -> Sequence[str]:
    cues = phrase_book().cues.items()
    return [name for name, cue in cues if name not in _SKIPPED and cue.search(plain)]


_BLANK = re.compile(r"(?:\|[\s_?❓❔.]*\||:[\s_?❓❔]*|\.{4,}|\[ ?(?:blank)?\])\s*\Z")
"""The end of a line of a form that is to be filled in."""
_FILLED = re.compile(r"\W*[^|:]+(?:\||: )\s*[^\s|_?❓❔.\[][^|?❓❔]*\|?\s*\Z")
"""A line of a form that is filled in."""
_SKIPPED = frozenset(_NOT_READ.split())


def message_features(
    segments: Sequence[Segment],
    signs: MessageSigns,
    priced: Sequence[bool],
    words: ClauseWords,
    lexicon: DomainLexicon,
    before: Sequence[Segment],
) -> list[ClauseFeatures]:
    """Return the features of the clauses of a message; `before` are those of the one before it.

    Of each clause it is given whether it names a price.
    """
    hits = [cues_in(segment) for segment in segments]
    marks = signs.marks(segments, {cue for found in hits for cue in found})
    earlier = _earlier(before, lexicon)
    last = _neighbour(before[-1], cues_in(before[-1]), "p") | {"before"} if before else set()
    found: list[ClauseFeatures] = []
    head: set[str] = set()
    for place, segment in enumerate(segments):
        around = set(last) if place == 0 else _neighbour(segments[place - 1], hits[place - 1], "p")
        if place + 1 < len(segments):
            around |= _neighbour(segments[place + 1], hits[place + 1], "n")
        around.add("first" if place == 0 else "later")
        around |= {"last"} if place + 1 == len(segments) else set()
        around |= {"priced"} if priced[place] else set()
        if segment.is_item:
            around |= head
        else:
            head = _head(segment, words)
        one = _features(segment, hits[place], marks, around, earlier, words, lexicon)
        found.append(one)
        earlier = _behind(earlier, segment, one.keys)
    return found


def _earlier(before: Sequence[Segment], lexicon: DomainLexicon) -> Earlier:
    """Return what the message before leaves to refer to."""
    earlier = Earlier()
    for segment in before:
        found = _keys(candidates(segment, earlier, lexicon)) if segment.is_request else ()
        earlier = _behind(earlier, segment, found)
    return earlier


def _behind(earlier: Earlier, segment: Segment, keys: Sequence[str]) -> Earlier:
    return Earlier(tuple(keys) or earlier.asked, segment.scope or earlier.slots)


def _neighbour(segment: Segment, hits: Sequence[str], mark: str) -> set[str]:
    found = {f"{mark}:{hit}" for hit in hits} | {f"{mark}:{'?' if '?' in segment.text else '.'}"}
    return found | {f"{mark}:req"} if segment.is_request else found


def _head(segment: Segment, words: ClauseWords) -> set[str]:
    """Return what the items below a clause have of it."""
    last = [words.kind_of(word) for _, _, word in words.tokens(segment.text)[-_HEAD_WORDS:]]
    signs = {f"h:{word}" for word in last}
    return signs | {"h:req" if segment.is_request else "h:no req"}


def _features(
    segment: Segment,
    hits: Sequence[str],
    marks: set[str],
    around: set[str],
    earlier: Earlier,
    reader: ClauseWords,
    lexicon: DomainLexicon,
) -> ClauseFeatures:
    tokens = reader.tokens(segment.text)
    kinds = [reader.kind_of(word) for _, _, word in tokens]
    form = _form(segment, len(kinds))
    form |= {"filled&blanks"} if "filled" in form and "m:blank" in marks else set()
    cues = {f"c:{hit}" for hit in hits}
    paired = sorted(hits)
    pairs = {f"c:{a}&{b}" for at, a in enumerate(paired) for b in paired[at + 1 :]}
    end = "?" if segment.text.endswith("?") else "."
    acts = grams(kinds, 3) | stems(kinds, "s5:") | cues | pairs | form | around
    acts |= {f"{mark}&{end}" for mark in marks}
    found = candidates(segment, earlier, lexicon)
    signs = {sign for sign in form | around if sign in _TELLING or sign.startswith("parts")}
    of_facts = {
        key: frozenset(_of_candidate(one, segment, tokens, kinds, hits, len(found), lexicon))
        | {f"how:{one.how}&{sign}" for sign in signs}
        | ({"told here"} if one.how == "topic" and _is_told(key, found, lexicon) else set())
        | _of_earlier(key, one, segment, earlier, lexicon)
        for key, one in found.items()
    }
    words = _of_words(segment, [numeral(word) for _, _, word in tokens], found, earlier)
    words |= {f"b:{key}" for key in earlier.asked} | cues | form
    words |= {f"{mark}&{end}" for mark in marks}
    return ClauseFeatures(frozenset(acts), frozenset(words), of_facts, _keys(found))


def _is_told(key: str, found: dict[str, FactCandidate], lexicon: DomainLexicon) -> bool:
    """Tell whether a clause names another fact of a topic by itself, as in `name: one, two`."""
    near = {one for topic in lexicon.topics.values() if key in topic.facts for one in topic.facts}
    return any(one.how in {"cue", "hint"} for other, one in found.items() if other in near)


def _of_earlier(
    key: str, one: FactCandidate, segment: Segment, earlier: Earlier, lexicon: DomainLexicon
) -> set[str]:
    """Return whether what went before was about a candidate fact or its slots."""
    words = lexicon.facts[key]
    slots = words.slots
    signs = {
        "again": one.how == "ellipsis" and key in earlier.asked,
        "earlier slot": not (segment.scope or earlier.slots.isdisjoint(slots)),
        "other slot": bool(slots and not segment.scope and earlier.slots.isdisjoint(slots)),
        "in scope": not segment.scope.isdisjoint(slots),
        "rival": has_rival(words, segment.scope, lexicon),
    }
    return {f"how:{one.how}&{sign}" for sign, is_there in signs.items() if is_there}


def _keys(found: dict[str, FactCandidate]) -> tuple[str, ...]:
    return tuple(key for key, one in found.items() if one.how in {"cue", "hint", "ellipsis"})


def _form(segment: Segment, length: int) -> set[str]:
    """Return the features of a clause's form: where it stands, how it ends, how long it is."""
    ends = "?end" if segment.text.endswith("?") else "?in" if "?" in segment.text else "no?"
    parts = min(len(_PARTS.findall(segment.text)), _MANY + 1)
    signs = {
        "req": segment.is_request,
        "opens": segment.opens_list,
        "item": segment.is_item,
        "row": segment.text.count("|") > 1,
        "blank": bool(_BLANK.search(segment.text)),
        "filled": bool(_FILLED.match(segment.text)),
        "named": bool(segment.named),
        "scoped": bool(segment.scope) and not segment.named,
        ends: True,
        f"len{min(length // 4, 6)}": True,
        f"parts{parts}": True,
        "verbless": _VERBS.isdisjoint(segment.text.split()),
    }
    return {sign for sign, is_there in signs.items() if is_there}


def _asking(segment: Segment) -> str:
    return "req" if segment.is_request else "?" if "?" in segment.text else "no"


def _of_words(
    segment: Segment, raw: Sequence[str], found: dict[str, FactCandidate], earlier: Earlier
) -> set[str]:
    """Return the features that keep the domain's words."""
    asking = _asking(segment)
    words = grams(raw, 2, "w:") | stems(raw, "w5:") | pieces(raw, "w4:")
    for key, one in found.items():
        words |= {f"{one.how}:{key}", f"{one.how}:{key}&{asking}"}
        words |= {f"i:{key}:{number}" for number in one.cues}
        words |= {f"v:{key}", f"v:{key}&{asking}"} if one.has_value else set()
    for slot in segment.named:
        words |= {f"sl:{slot}", f"sl:{slot}&{asking}"}
    words |= {f"sc:{slot}" for slot in segment.scope - segment.named}
    return words if segment.scope else words | {f"sl:earlier {slot}" for slot in earlier.slots}


def _of_candidate(
    one: FactCandidate,
    segment: Segment,
    tokens: Sequence[tuple[int, int, str]],
    kinds: Sequence[str],
    hits: Sequence[str],
    others: int,
    lexicon: DomainLexicon,
) -> set[str]:
    """Return how a clause may ask for a fact: by what, in what form, among what words."""
    how, words = f"how:{one.how}", lexicon.facts[one.key]
    found = {how, f"form:{words.form}", f"{how}&{_asking(segment)}", f"nc{min(others, 4)}"}
    found |= {f"{how}&{'?' if segment.text.endswith('?') else '.'}", f"cnt{min(len(one.cues), 3)}"}
    found |= {f"{how}&c:{hit}" for hit in hits}
    found |= {"closer"} if one.is_general else set()
    found.add("main" if one.is_main else "sub")
    found |= {"ownslot"} if segment.named & set(words.slots) else set()
    found |= {"value"} if one.has_value else set()
    inside = [at for at, (a, b, _) in enumerate(tokens) if b > one.start and a < one.end]
    if not inside:
        return found
    low, high = inside[0], inside[-1]
    before = [kinds[at] if at >= 0 else "^" for at in range(low - _AROUND, low)]
    behind = [kinds[at] if at < len(kinds) else "$" for at in range(high + 1, high + 1 + _AROUND)]
    for size in (1, 2, 3):
        found |= {f"b{size}:{' '.join(before[-size:])}", f"a{size}:{' '.join(behind[:size])}"}
    found |= {f"ba:{before[-1]}_{behind[0]}", *(f"B:{word}" for word in before)}
    found |= {f"A:{word}" for word in behind} | {f"I:{kinds[at]}" for at in inside}
    valued = {"<value>", "<n>", "<date>", "<money>"}
    return found | ({"valafter"} if valued & {*kinds[high + 1 : high + 6]} else set())
