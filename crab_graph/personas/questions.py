"""The clauses of a message, and which facts each of them may ask for."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from crab_graph.personas.clause_slots import SHORT_HEADING, clause_slots, labelled_slot
from crab_graph.personas.segments import Segment
from crab_graph.personas.stated_values import names_slot
from crab_graph.personas.wordbook import (
    Cue,
    DomainLexicon,
    FactWords,
    ValueForm,
    phrase_book,
    says,
)
from crab_graph.text.utterance import Clause, Utterance, read_message

MOST_CLAUSES = 1_000
"""Clauses of a message that a user reads: of one with more the beginning and the end."""
_NEXT = re.compile(
    r"(?<=\w[?!]) +(?=\w)|(?<=[?!)][?!]) +(?=\w)"
    r"|(?<=[a-z] \d)\. +(?=(?:what|which|how|any\w*|when|who)\b)"
    r"|(?P<word>(?<![^\W\d_])(?:[^\W\d_]{3,}|it|ok|so|do|me|us)|\d\d|\))\. +(?=[^\W\d_]{2}|a )"
    r"|(?: *[\U0001f300-\U0001faff\u2639-\u263b\u2705\u270a-\u270d\u2728\u2764]"
    r"|(?<=[\w?!.)]) [:;]-?[)(DP])+ +(?=\w)"
    r"| *\((?=[^()\n]{8,120}\?\))|(?<=\?)\)[,;.]? *"
    r"|(?P<too>, (?=and (?:do|does|is|are|would|should|shall|may|can|could|any)\b[^?\n]{9,160}\?))"
)
"""What parts two questions, calls or sentences, where no capitals do; a smile ends one.

So does what begins or ends a question in brackets.
"""
_OPEN_WORD = re.compile(r"\W*(?:(?:and|so|now|then)\b,? )*(?:what|which|how|when|who|where)\b")
"""Begins a question that no yes answers, behind which another may stand in the same sentence."""
_ABBREVIATED = frozenset(
    "mrs approx incl excl dept appt etc min max avg ave arr dep ref tel est vol fig sgt capt prof"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
    " inc ltd corp intl pax pers hrs mins".split()
)
_TICKED = re.compile(r"[✓✔✅☑🟩🟢✗✘❌]|\[[x✓✔]\]")
UNTICKED = re.compile(r"[☐⬜◻◽□▢🔲❓❔🟨🟡]|\[ ?\]")
"""What a line of a checklist begins with, by whether it is settled."""
_ITEM_LABEL = re.compile(r"\W*(?:[a-h1-9][).]\s*)?[^:?!;.]{2,40}:\s*\S")
"""What an item begins with that says what all of it is about."""
_LETTERED = re.compile(r"\(?[a-h][).]\s+\S")
"""What a line begins with that is one of some lettered answers or questions."""
_WH = re.compile(r"(?:and |so |then |also )?(?:what|which|how (?:many|much)|when|where|who)\b")
_SENTENCE_END = re.compile(r"[.?!\n]")
_GAP = re.compile(r"(?:[:|=-]\s*\.{3,}|\.{5,}|\[[\s.]*(?:blank)?\])[\s|]*\Z|\|\s*\|\s*\Z")
"""What a line of a form ends in that is to be filled in: dots, a box, an empty cell."""
_ENDING = 80
"""Characters at the end of a line in which it is looked for."""
_SAME = re.compile(
    r"(?:and |so )?(?:the )?same (?:for|with|on)\b|[^?.]{3,60}\bsame (?:question|here|again)\W*\Z"
)
"""What a question begins with that asks the last one of another part, and offers answers."""
_SUBJECT = re.compile(r"re:? \S")
"""What a line begins with that says what the lines below it are about, as in a letter."""


def read_segments(text: str, lexicon: DomainLexicon) -> tuple[Utterance, Sequence[Segment]]:
    """Split a message into segments."""
    return _finder_of(lexicon).split(text)


def _split(text: str, lexicon: DomainLexicon) -> tuple[Utterance, Sequence[Segment]]:
    utterance = read_message(text)
    segments: list[Segment] = []
    is_asking, heading, section = False, frozenset[str](), frozenset[str]()
    noted, subject = frozenset[str](), frozenset[str]()
    by_line: dict[int, list[tuple[int, int]]] = {}
    for clause in _attended(utterance.clauses):
        by_line.setdefault(clause.line, []).extend(_questions_apart(utterance.text, clause))
    bodies = {n: utterance.text[spans[0][0] : spans[-1][1]] for n, spans in by_line.items()}
    last = max(by_line, default=0)
    for number, spans in by_line.items():
        body = bodies[number]
        is_open = UNTICKED.search(body) is not None and _TICKED.search(body) is None
        is_item = utterance.lines[number].depth > 0 or body.count("|") > 1
        is_item = is_item or _LETTERED.match(body) is not None
        is_item = is_item or is_open or _TICKED.match(body) is not None
        is_short = len(body.split()) <= SHORT_HEADING and body[-1] not in ".!?,"
        is_heading = not is_item and (is_short or body.endswith(":"))
        around = [bodies.get(place, "") for place in (number - 1, number, number + 1)]
        is_label = [len(one.split()) <= SHORT_HEADING and one.endswith(":") for one in around]
        # A line of a form: a label and nothing behind it.
        is_blank = is_label[1] and (is_label[0] or is_label[2])
        is_blank = body.endswith(":") if len(bodies) == 1 else is_blank
        is_blank = (
            is_blank or (is_label[1] and number == last) or _GAP.search(body[-_ENDING:]) is not None
        )
        is_listed = (is_asking and (is_item or is_heading)) or is_blank or is_open
        first = lexicon.named_slots(utterance.text[slice(*spans[0])])
        if not (is_item or is_blank) or (first and body.rstrip().endswith(":")):
            section = first if is_heading and not body.endswith(":") else section
            subject = first if _SUBJECT.match(body) else subject
            heading = first or (section if body.endswith(":") else subject)
            heading = heading or (noted if body.endswith("?") else heading)
        label = first if is_item and _ITEM_LABEL.match(body) else frozenset()
        goes_on = False
        for start, end in spans:
            clause_text = utterance.text[start:end]
            named = clause_slots(clause_text, segments, noted, lexicon)
            is_request = is_listed or says("request", clause_text)
            is_request = is_request or _opens_question(utterance.text, start, end)
            # `Ready for the rest: class; seat; any carrier`
            is_request |= goes_on and len(clause_text.split()) <= SHORT_HEADING
            goes_on = is_request and clause_text.rstrip().endswith(";")
            opens = is_request and clause_text.rstrip().endswith(":")
            named, plain = named or label, lexicon.plain(clause_text)
            asks = is_request, opens, is_item
            segments.append(Segment(clause_text, plain, start, end, *asks, named, named or heading))
        noted = labelled_slot(body, lexicon)
        is_head = body.count("|") > 1 and not is_asking
        if is_head or not (is_item or is_listed):
            is_asking = says("request", body) and says("opens_list", body)
    return utterance, segments


def _opens_question(text: str, start: int, end: int) -> bool:
    """Tell whether a clause begins as a question does that ends behind it."""
    if _WH.match(text, start, end) is None:
        return False
    ends = _SENTENCE_END.search(text, max(start, end - 1))
    return ends is not None and ends[0] == "?"


def _attended(clauses: Sequence[Clause]) -> Sequence[Clause]:
    """Return those clauses of a message that a user reads."""
    half = MOST_CLAUSES // 2
    return clauses if len(clauses) <= MOST_CLAUSES else (*clauses[:half], *clauses[-half:])


def _questions_apart(text: str, clause: Clause) -> Iterator[tuple[int, int]]:
    """Yield the places of a clause's questions: people who write no capitals part them so."""
    start = clause.start
    for match in _NEXT.finditer(text, clause.start, clause.end):
        word = match["word"]
        if match["too"] and not _OPEN_WORD.match(text[start : match.start()]):
            continue
        if word in _ABBREVIATED or (word is None and match.start() <= start):
            continue
        end = match.start() if word is None else match.start() + len(word) + 1
        if start < end:
            yield start, end
        start = match.end()
    if start < clause.end:
        yield start, clause.end


Span = tuple[int, int]
_KEPT = 256
"""Clauses whose cues are kept, since each message is read once more as the one before."""
_KEPT_WHOLE = 8
"""Messages of which the clauses are kept, for the same."""
_MAX_ELLIPSIS, _MOST_ELLIPSIS = 6, 9
_AFTERTHOUGHT = 3


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A fact that a clause may ask for: by a cue, hint, topic, value or ellipsis, and where.

    `cues` are the numbers of the cues that found it, below 0 of hints. It `is_general` where a fact
    of the slot at hand has its cues too, and `is_main` in the main clause.
    """

    key: str
    how: str
    start: int
    end: int
    cues: tuple[int, ...]
    is_general: bool
    is_main: bool
    has_value: bool


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a clause stands behind: the facts last asked for, and the slots last named."""

    asked: Sequence[str] = ()
    slots: frozenset[str] = frozenset()


def candidates(
    segment: Segment, earlier: Earlier, lexicon: DomainLexicon
) -> dict[str, FactCandidate]:
    """Return the facts that a clause may ask for, in their order.

    Facts whose cues stand at one place keep the lexicon's order.
    """
    topical = _topical(segment, lexicon)
    elliptical = _elliptical(segment, earlier.asked, lexicon)
    main = _main_text(segment)
    found: list[FactCandidate] = []
    all_cues = _finder_of(lexicon).find(segment.text)
    for key, words in lexicon.facts.items():
        cues = all_cues.get(key, _NONE)
        fits = _fits(words, segment, earlier.slots, lexicon)
        asked, hinted, valued = cues.asked if fits else [], cues.hinted, cues.valued
        asked = [
            (number, span)
            for number, span in asked
            if not lexicon.is_place_of(segment.named, segment.text[slice(*span)])
            and not (words.asks[number] in words.lent and _is_elsewhere(words, segment, lexicon))
        ]
        if valued is not None and (
            names_slot(segment.text, valued[1], words, lexicon)
            or lexicon.is_place_of(segment.named, segment.text[slice(*valued)])
        ):
            valued = None
        spans = [span for _, span in asked or hinted]
        how = "cue" if asked else "hint" if hinted else ""
        if not how and key in elliptical:
            how, spans = "ellipsis", [(0, len(segment.text))]
        elif not how and key in topical:
            how, spans = "topic", [topical[key]]
        elif not how and valued is not None and fits:
            how, spans = "value", [valued]
        if how:
            start, end = min(spans)
            numbers = (*(at for at, _ in asked), *(-1 - at for at, _ in hinted))
            is_main = segment.text[start:end] in main
            one = FactCandidate(key, how, start, end, numbers, False, is_main, valued is not None)
            found.append(one)
    found = [one for one in found if not _is_of_slots_before(one, found, segment, earlier, lexicon)]
    cued = {one.key for one in found if one.how == "cue"}
    found.sort(key=lambda one: one.start)
    return {
        one.key: replace(one, is_general=True)
        if _is_meant_closer(one.key, cued, segment, lexicon)
        else one
        for one in found
    }


def _is_elsewhere(words: FactWords, segment: Segment, lexicon: DomainLexicon) -> bool:
    """Tell whether a clause is about slots of which a joint wish is none."""
    compared = lexicon.compared(words.key)
    return bool(compared and segment.scope) and segment.scope.isdisjoint(compared)


def _fits(words: FactWords, segment: Segment, last: frozenset[str], lexicon: DomainLexicon) -> bool:
    """Tell whether a clause is about the slots that a fact is about, or about none.

    One that names none may be about those last named; a question is bound to those of what stands
    before it only where a fact of the same kind is about them.
    """
    slots = words.slots or (lexicon.compared(words.key) if words.is_joint else ())
    if not slots or not segment.scope.isdisjoint(slots):
        return True
    is_free = segment.is_request and not (segment.named or segment.is_item)
    if segment.scope and not (is_free and not has_rival(words, segment.scope, lexicon)):
        return False
    return not (words.needs_slot and last.isdisjoint(slots))


def _is_of_slots_before(
    one: FactCandidate,
    found: Sequence[FactCandidate],
    segment: Segment,
    earlier: Earlier,
    lexicon: DomainLexicon,
) -> bool:
    """Tell whether words that name no slot are meant of those last named, and not of a fact's."""
    slots = lexicon.facts[one.key].slots
    is_free = segment.is_request and not (segment.scope or segment.is_item)
    if one.how != "cue" or not (is_free and slots) or not earlier.slots.isdisjoint(slots):
        return False
    beside = (two.key for two in found if two.how == "cue" and two.start == one.start)
    return any(
        not earlier.slots.isdisjoint((*lexicon.facts[key].slots, *lexicon.compared(key)))
        for key in beside
        if key != one.key
    )


def _topical(segment: Segment, lexicon: DomainLexicon) -> dict[str, tuple[int, int]]:
    """Return the facts that the topics of a clause stand for, and where the topic is named."""
    found: dict[str, tuple[int, int]] = {}
    for topic in lexicon.topics.values():
        match = topic.words.search(segment.text)
        if match is not None:
            found = dict.fromkeys(topic.facts, match.span()) | found
    return found


@dataclass(slots=True)
class _FactCues:
    """What of a fact's words a text holds: its cues by number, its hints, and a value; places."""

    asked: list[tuple[int, Span]] = field(default_factory=list)
    hinted: list[tuple[int, Span]] = field(default_factory=list)
    values: list[tuple[int, Span]] = field(default_factory=list)

    @property
    def valued(self) -> Span | None:
        """The place of the first value that has one."""
        return min(self.values)[1] if self.values else None


_NONE = _FactCues()


class _CueFinder:
    """Finds the words of all facts of a lexicon in a text, and those that facts share once.

    The last texts are kept.
    """

    def __init__(self, lexicon: DomainLexicon) -> None:
        self.lexicon = lexicon
        users: dict[Cue, list[tuple[str, str, int]]] = {}
        for key, words in lexicon.facts.items():
            for part, cues in (
                ("asked", words.asks),
                ("hinted", words.hints),
                ("values", tuple(words.cues.values())),
            ):
                for number, cue in enumerate(cues):
                    users.setdefault(cue, []).append((key, part, number))
        self._users = [(cue.search, tuple(of)) for cue, of in users.items()]
        self.find = lru_cache(maxsize=_KEPT)(self._find)
        self.split = lru_cache(maxsize=_KEPT_WHOLE)(lambda text: _split(text, lexicon))

    def _find(self, text: str) -> dict[str, _FactCues]:
        found: dict[str, _FactCues] = {}
        hits = [(match.span(), of) for search, of in self._users if (match := search(text))]
        for span, users in hits:
            for key, part, number in users:
                getattr(found.setdefault(key, _FactCues()), part).append((number, span))
        for cues in found.values():
            cues.asked.sort()
            cues.hinted.sort()
        return found


_FINDERS: dict[int, _CueFinder] = {}


def _finder_of(lexicon: DomainLexicon) -> _CueFinder:
    """Return what finds the facts' words in a text: one for each lexicon that is in use."""
    known = _FINDERS.get(id(lexicon))
    if known is None:
        known = _FINDERS[id(lexicon)] = _CueFinder(lexicon)
    return known


def _main_text(segment: Segment) -> str:
    """Return the text of a clause without what leads up to a request, as `before I search,`."""
    book = phrase_book()
    words = book.without("subordinate", book.without("not_needed", segment.text))
    last = words.rpartition("...")[2].strip()
    return (last if len(last.split()) > _AFTERTHOUGHT else words) or segment.text


def _elliptical(segment: Segment, before: Sequence[str], lexicon: DomainLexicon) -> list[str]:
    """Return what a question such as `and on the way back?` asks: the last one, of another slot.

    One that names no slot, as `and hers?`, may ask the last ones once more.
    """
    is_same = _SAME.match(segment.text) is not None
    length = 1 if is_same else len(segment.text.split())
    if not before or length > _MOST_ELLIPSIS:
        return []
    if length > _MAX_ELLIPSIS and any(
        one.asked for one in _finder_of(lexicon).find(segment.text).values()
    ):
        return []
    named = segment.named or {
        slot for slot, label in lexicon.labels.items() if label.search(segment.text)
    }
    asked = [lexicon.facts[key] for key in before]
    others = [
        key
        for key, words in lexicon.facts.items()
        if named & set(words.slots)
        and any(is_alike(words, one) for one in asked)
        and key not in before
    ]
    if others or segment.is_item:
        return others
    return [key for key in before if not named or named & set(lexicon.facts[key].slots)]


def segment_before(segments: Sequence[Segment], segment: Segment) -> Segment | None:
    """Return the clause of a message right before one of its clauses; `None` before the first."""
    place = bisect_left(segments, segment.start, key=lambda one: one.start)
    return segments[place - 1] if place else None


def is_alike(words: FactWords, other: FactWords) -> bool:
    """Tell whether two facts are of one kind: choices with a value in common, or two dates."""
    return words.form is other.form and (
        not words.choices.keys().isdisjoint(other.choices) or words.form is ValueForm.DATE
    )


def _is_meant_closer(key: str, found: set[str], segment: Segment, lexicon: DomainLexicon) -> bool:
    """Tell whether a general fact was found only since one of the slot at hand has its cues."""
    words = lexicon.facts[key]
    return not words.slots and any(
        other.needs_slot
        and other.form is words.form
        and segment.scope >= set(other.slots)
        and not (words.conflict and segment.scope & set(words.conflict.slots))
        for other in (lexicon.facts[name] for name in found - {key})
    )


def has_rival(words: FactWords, scope: frozenset[str], lexicon: DomainLexicon) -> bool:
    """Tell whether what is about some slots is not about a fact, which has its like among those."""
    if not words.slots or not scope or not scope.isdisjoint(words.slots):
        return False
    if any(
        one.slots and not scope.isdisjoint(one.slots) and is_alike(words, one)
        for one in lexicon.facts.values()
    ):
        return True
    # What nobody wants of those slots is asked for in the same words.
    beside = (one for one in lexicon.unwished.values() if not scope.isdisjoint(one.slots))
    return any(not {*words.asks}.isdisjoint(one.asks) for one in beside)
