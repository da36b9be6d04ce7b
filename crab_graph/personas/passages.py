"""Which part of a message is about what: its layout read into passages with a slot and an item.

A passage is a stretch of a line, or a cell of a table, that is about the same slots. What it is
about is said by its own words or ids, else by what it stands under: the label of its row or column,
the list item or heading above it, the words before it in its paragraph.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from crab_graph.personas.briefing import BriefedSlot
from crab_graph.personas.message_text import ANY_ID
from crab_graph.personas.stretches import Stretch, with_items
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import ConflictKind, DomainLexicon, says
from crab_graph.text.utterance import Line

_OPTION = re.compile(
    r"^\W*(?:the )?(?:(?:option|plan|choice|alternative|package|variant|combination|proposal)"
    r" ?(?:no\.? ?|#)?([a-h]|\d{1,2}|one|two|three|four)\b|([a-h])[.):](?!\w)|(\d)\u20e3)"
)
_NAMES = r"(?:option|plan|choice|alternative|package|variant|combination|proposal)"
_INLINE_OPTION = re.compile(
    rf"^\W*(?:the |and |or )*{_NAMES} ?(?:no\.? ?|#)?([a-h]|\d|one|two|three|four)\b"
    r"(?= ?[:(\u2013\u2014]| -|,? (?:is|has|would|includes|goes)\b)"
)
"""What begins an option in the midst of a line."""
_OPTION_CELL = re.compile(r"^\W*(?:option|plan|no\.?|#)? ?([a-h]|\d)\W*$")
_DIGIT = re.compile(r"\d")
_BREAK = re.compile(r"[;(|]|,(?!\d{3}\b)|:(?!\d\d\b)|\s-\s|\b(?:and|then|with)\b")
"""What parts two stretches; no sign within a sum or a time does."""
_FIRST_WORD = re.compile(r"(?:^|[,;:(]|\band\b)\s*(\w+)")
_WORD_BEHIND = re.compile(r" \(?(\w+)")
_OR = re.compile(r"\b(?:or|alternatively|versus|vs)\b")
_LEADS_BACK = re.compile(r"^\W*(?:it|this|that|they|these|which)\b")
_BOTH = re.compile(r"\b(?:both|all|each|either|every)(?: of)?(?: the| your)? \Z")
_REACH = 24
_SHORT = 8
_LEAD, _HEAD, _COLON, _PLAIN = -11, -3, -1, 0


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    slots: frozenset[str]
    item: str = ""
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the lines below one stand under."""

    level: int
    slots: frozenset[str]
    item: str = ""
    option: str = ""


@dataclass(slots=True)
class _Place:
    """Where in a message the reader is."""

    frames: list[_Frame] = field(default_factory=list)
    is_list: bool = False
    lead: frozenset[str] = frozenset()
    """What the last line was about that led up to others, as to options."""

    def enter(self, level: int) -> None:
        """Leave all that does not reach down to a level."""
        self.frames = [frame for frame in self.frames if frame.level < level]

    def leave_options(self) -> None:
        """Leave all but what the line was about that led up to options."""
        self.frames = [_Frame(_LEAD, self.lead)] if self.lead else []

    @property
    def slots(self) -> frozenset[str]:
        return next((one.slots for one in reversed(self.frames) if one.slots), frozenset())

    @property
    def item(self) -> str:
        return next((one.item for one in reversed(self.frames) if one.item), "")

    @property
    def option(self) -> str:
        return next((one.option for one in reversed(self.frames) if one.option), "")


def read_stretches(
    reading: Reading,
    slots: Sequence[BriefedSlot],
    known: Mapping[str, str],
    *,
    is_list: bool = False,
) -> list[Stretch]:
    """Split a message into stretches; `known` tells the slots of items named before.

    In prose what comes before the first slot that a clause names is about that slot; not so where
    the message is a list of things side by side.
    """
    found = list(_Layout(reading, slots, is_list=is_list).passages())
    return with_items(found, slots, known)


class _Layout:
    """The lines of one message, read from top to bottom."""

    def __init__(self, reading: Reading, slots: Sequence[BriefedSlot], *, is_list: bool) -> None:
        self._reading = reading
        self._is_list = is_list
        self._lexicon = reading.lexicon
        self._prefixes: dict[str, frozenset[str]] = {}
        for slot in slots:
            prefix = slot.id_prefix.casefold()
            self._prefixes[prefix] = self._prefixes.get(prefix, frozenset()) | {slot.id}
        self._kinds = {*self._prefixes.values()}
        prefixes = "|".join(map(re.escape, sorted(self._prefixes, key=len, reverse=True)))
        self._ids = re.compile(rf"(?<![\w-])(?:{prefixes})-\d+(?![\w-])")
        self._cues = _slot_cues(self._lexicon, [slot.id for slot in slots])
        conflicts = (words.conflict for words in self._lexicon.facts.values())
        self._names = [
            one.pattern
            for one in conflicts
            if one and one.kind is ConflictKind.SAME and one.pattern
        ]

    def passages(self) -> Iterator[Stretch]:
        """Yield the passages, ids and slots as they stand there."""
        reading = self._reading
        text, lines = reading.utterance.text, reading.utterance.lines
        clauses: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for number, segment in enumerate(reading.segments):
            clause = reading.utterance.clause_at(segment.start)
            clauses[clause.line].append((number, segment.start, segment.end))
        place = _Place()
        numbered = enumerate(lines)
        for is_table, group in groupby(numbered, lambda pair: pair[1].marker == "|"):
            if is_table:
                rows = [(n, row, clauses[n][0][0] if clauses[n] else 0) for n, row in group]
                yield from self._table(text, rows, place)
            else:
                for place_of, one in group:
                    yield from self._line(text, place_of, one, clauses[place_of], place)

    def _line(
        self,
        text: str,
        number: int,
        line: Line,
        clauses: Sequence[tuple[int, int, int]],
        place: _Place,
    ) -> Iterator[Stretch]:
        body = text[line.start : line.end]
        marks_by_clause = [self._marks(text, start, end) for _, start, end in clauses]
        level, own = _entered(line, body, marks_by_clause, place)
        current, item = place.slots, place.item
        first: frozenset[str] = frozenset()
        named, ids = set[str](), set[str]()
        inline = self._inline_options(text, clauses)
        is_led = False
        for (segment, start, end), marks in zip(clauses, marks_by_clause, strict=True):
            if start in inline:
                place.frames[-1] = _Frame(level, frozenset(), option=inline[start])
                current, item = place.slots, place.item
            if self._is_list and not _LEADS_BACK.search(text[start:end]):
                current = place.slots
            for a, b, slots, new in self._portions(text, start, end, marks, current):
                current = slots or current
                if new:
                    item = new
                elif marks and slots != current:
                    item = ""
                named |= slots if any(a <= m.start < b for m in marks) else set()
                ids |= {new} if new else set()
                first = first or slots
                is_loose = bool(new) and is_led and not self._says_slot(marks, current)
                yield Stretch(
                    text[a:b], a, number, segment, current, item, place.option, is_loose=is_loose
                )
            is_led = not any(mark.item for mark in marks) if marks else is_led
        is_lead = body.rstrip().endswith(":") and not own
        if is_lead or not (own or level > _PLAIN):
            place.lead = frozenset(named) if is_lead else frozenset()
        heading = self._heading(level, named, is_lead=is_lead)
        scope = first if level > _PLAIN and first and named else heading
        place.frames[-1] = _Frame(level, scope, ids.pop() if len(ids) == 1 else "", own)

    def _says_slot(self, marks: Sequence[_Mark], slots: frozenset[str]) -> bool:
        """Tell whether a clause itself names the slots that it is about, by words or labels."""
        return any(mark.slots <= slots for mark in marks)

    def _heading(self, level: int, named: Collection[str], *, is_lead: bool) -> frozenset[str]:
        """Return the slots that what stands below a line is about, where it names none.

        A paragraph that tells of several kinds of things, and leads up to no list, is the heading
        of none of them.
        """
        kinds = sum(not own.isdisjoint(named) for own in self._kinds)
        is_none = level == _PLAIN and kinds > 1 and not is_lead
        return frozenset() if is_none else frozenset(named)

    def _inline_options(
        self, text: str, clauses: Sequence[tuple[int, int, int]]
    ) -> Mapping[int, str]:
        """Return where the clauses of a line begin that are each an option, if there are two."""
        spans = ((start, _INLINE_OPTION.search(text[start:end])) for _, start, end in clauses)
        found = {start: match[1] for start, match in spans if match is not None}
        return found if len({*found.values()}) > 1 else {}

    def _portions(
        self, text: str, start: int, end: int, marks: Sequence[_Mark], inherited: frozenset[str]
    ) -> Iterator[tuple[int, int, frozenset[str], str]]:
        """Split a clause where it turns to other slots or items."""
        at, slots, item = start, inherited, ""
        is_own = False
        last = start
        for mark in marks:
            common = slots & mark.slots
            is_other = bool(mark.item and item and mark.item != item)
            if not is_own and not (common and inherited):
                # What comes before the first mark belongs to it, unless it leads back.
                leads_back = inherited and _LEADS_BACK.search(text[start : mark.start])
                if leads_back or self._is_list:
                    cut = _cut(text, last, mark.start)
                    if at < cut < mark.start or (leads_back and at < cut):
                        yield at, cut, slots, item
                        at = cut
                slots = mark.slots
            elif is_other or not common or (mark.is_all and is_own and slots != mark.slots):
                other = _OR.search(text, last, mark.start) if is_other else None
                cut = other.start() if other else _cut(text, last, mark.start)
                cut = (is_other and _bracket_end(text, last, mark.start)) or cut
                if cut > at:
                    yield at, cut, slots, item
                    at = cut
                # `FL-1 or FL-2` are two for one slot, `FL-1 and FL-2` may be of two.
                is_either = common and _OR.search(text, last, mark.start)
                slots, item = (common if is_either else mark.slots), ""
            else:
                slots = common
            is_own = True
            item = mark.item or item
            # Behind a word for a kind stands no more than which one of them is meant.
            last = mark.end if mark.item or len(mark.slots) == 1 else last
        if end > at:
            yield at, end, slots, item

    def _marks(self, text: str, start: int, end: int) -> list[_Mark]:
        """Return where a clause names slots or items, in its order."""
        body = _blanked(text[start:end], self._names)
        found = [
            _Mark(start + match.start(), start + match.end(), frozenset({slot}))
            for slot, cue in self._cues.items()
            for match in cue.finditer(body)
        ]
        for group in self._lexicon.groups:
            for match in group.words.finditer(body):
                is_all = _BOTH.search(body[max(0, match.start() - _REACH) : match.start()])
                place = (start + match.start(), start + match.end())
                found.append(_Mark(*place, frozenset(group.slots), is_all=bool(is_all)))
        for match in self._ids.finditer(body):
            slots = self._prefixes.get(match[0].partition("-")[0])
            if slots:
                label = self._labelled(body[: match.start()])
                label = label or self._named_behind(body, match)
                label = label or self._placed(body, match, slots)
                place = (start + match.start(), start + match.end())
                found.append(_Mark(*place, label & slots or slots, match[0].upper()))
        for match in _FIRST_WORD.finditer(body) if self._is_list else ():
            slots = self._labelled(match[1])
            if slots:
                found.append(_Mark(start + match.start(1), start + match.end(1), slots))
        lead = self._labelled(body.partition(":")[0]) if ":" in body else frozenset()
        if lead:
            found.append(_Mark(start, start, lead))
        return sorted(found, key=lambda mark: mark.start)

    def _labelled(self, before: str) -> frozenset[str]:
        """Return the slots that a label means; few words, as before an id or a colon."""
        label = _BREAK.split(before[-_REACH * 2 :])[-1] if before else ""
        if not label or len(label.split()) > 4:
            return frozenset()
        return frozenset(slot for slot, cue in self._lexicon.labels.items() if cue.search(label))

    def _placed(self, body: str, item: re.Match[str], slots: frozenset[str]) -> frozenset[str]:
        """Return the one of an id's slots whose place its bracket names, or what leads up to it."""
        begin = max((one.end() for one in self._ids.finditer(body, 0, item.start())), default=0)
        lead = body[begin : item.start()]
        is_inside = lead.rfind("(") > lead.rfind(")")
        bracket = body[item.end() :].partition(")")[0] if is_inside else ""
        for words in (bracket, lead):
            there = frozenset(slot for slot in slots if self._lexicon.is_placed(slot, words))
            if there:
                return there
        return frozenset()

    def _named_behind(self, body: str, item: re.Match[str]) -> frozenset[str]:
        """Return the slots that the word right behind an id names, where none does before it."""
        behind = _WORD_BEHIND.match(body, item.end())
        before = _BREAK.split(body[max(0, item.start() - _REACH * 2) : item.start()])[-1]
        if behind is None or any(cue.search(before) for cue in self._cues.values()):
            return frozenset()
        named = {slot for slot, cue in self._cues.items() if cue.search(behind[1])}
        return frozenset(named) or self._labelled(behind[1])

    def _of_label(self, label: str) -> frozenset[str]:
        """Return the slots that a row, a column or a heading names."""
        label = _blanked(label, self._names)
        slots = {slot for slot, cue in self._cues.items() if cue.search(label)}
        slots = slots or {s for s, cue in self._lexicon.labels.items() if cue.search(label)}
        if not slots:
            for group in self._lexicon.groups:
                if group.words.search(label):
                    slots.update(group.slots)
        for match in self._ids.finditer(label):
            by_id = self._prefixes.get(match[0].partition("-")[0], frozenset())
            slots = slots & by_id or set(by_id) or slots
        return frozenset(slots)

    def _table(
        self, text: str, rows: Sequence[tuple[int, Line, int]], place: _Place
    ) -> Iterator[Stretch]:
        """Yield the cells of a table, whichever way it is laid out."""
        place.enter(1)
        place.is_list = True
        cells = [_cells(text, line) for _, line, _ in rows]
        head = [text[a:b] for a, b in cells[0]]
        has_head = len(rows) > 1 and not any(self._ids.search(one) for one in head)
        if has_head and head and cells[1]:
            # Where both rows begin with a slot of their own, the first is no heading.
            first, second = self._of_label(head[0]), self._of_label(text[slice(*cells[1][0])])
            has_head = not (len(first) == len(second) == 1 and first != second)
        columns = [self._of_label(one) for one in head] if has_head else []
        distinct = {one for one in columns[1:] if len(one) == 1}
        options = [match[1] if (match := _OPTION_CELL.search(one)) else "" for one in head]
        by_option = sum(bool(one) for one in options[1:]) > 1
        by_slot = len(distinct) > 1 and not by_option
        before: frozenset[str] = frozenset()
        for (number, _, segment), row in zip(rows, cells, strict=True):
            if not row:
                continue
            labelled = text[slice(*row[0])]
            option = _OPTION_CELL.search(labelled)
            above = before if len(row) <= 2 and before else place.slots
            others = [] if option or by_slot else [text[a:b] for a, b in row[1:]]
            own = frozenset() if option else self._of_row(labelled, others, above)
            if not own and len(row) <= 2:
                own = before
            before = own or before
            ids = {match[0].upper() for a, b in row for match in self._ids.finditer(text[a:b])}
            alone = ids.pop() if not own and len(ids) == 1 else ""
            for column, (a, b) in enumerate(row):
                if column == 0 and has_head and (by_slot or by_option) and not own:
                    continue
                top = columns[column] if column < len(columns) else frozenset()
                slots = (top or own) if by_slot or (option and len(top) > 0) else own
                slots = slots or place.slots
                side = labelled if by_slot or by_option or len(row) <= 2 else ""
                label = side or (head[column] if has_head and column < len(head) else "")
                label = "" if number == rows[0][0] and has_head else label
                chosen = options[column] if by_option and column < len(options) else ""
                chosen = chosen or (option[1] if option else "") or place.option
                empty = Stretch("", a, number, segment, slots, alone, chosen, label)
                yield from self._cell(text, a, b, empty)

    def _of_row(self, label: str, others: Sequence[str], above: frozenset[str]) -> frozenset[str]:
        """Return the slots of a row, by its label, else by the one slot that its cells name.

        A label such as the word for a kind is about the slot that the table is about.
        """
        own = self._of_label(label)
        if not own:
            firm = [one for one in map(self._of_label, others) if len(one) == 1]
            own = firm[0] if firm and len({*firm}) == 1 else frozenset()
        return own & above or own

    def _cell(self, text: str, start: int, end: int, empty: Stretch) -> Iterator[Stretch]:
        marks = self._marks(text, start, end)
        item = empty.item
        for a, b, slots, new in self._portions(text, start, end, marks, empty.slots):
            item = new or item
            firm = slots & empty.slots or slots if empty.slots else slots
            words = text[a:b]
            if empty.label and empty.label not in words:
                words = f"{empty.label}: {words}"
            yield replace(empty, text=words, start=a, slots=firm, item=item)


def _entered(
    line: Line, body: str, marks: Sequence[Sequence[_Mark]], place: _Place
) -> tuple[int, str]:
    """Enter a line: return its level, and the option that it begins."""
    own = _option_of(body)
    is_head = own and not any(one.item for found in marks for one in found)
    # What is in an option stands in the lines below its name.
    level = min(_level(line, body), _HEAD) if is_head else _level(line, body)
    if level == _PLAIN and line.is_apart and place.is_list:
        # A paragraph behind a list ends the section that its heading opened.
        place.enter(-5)
    if level != _PLAIN or any(marks) or line.is_apart:
        place.enter(level)
    place.is_list = level > _PLAIN
    if own and (level < _PLAIN or place.lead):
        place.leave_options()
    is_part = place.option and not place.option.startswith("#")
    if not (own or is_part) and _DIGIT.search(line.marker):
        own = f"#{line.marker.strip('().')}"
    place.frames.append(_Frame(level, frozenset(), option=own))
    return level, own


def _shared_names(lexicon: DomainLexicon) -> Iterator[re.Pattern[str]]:
    for words in lexicon.facts.values():
        conflict = words.conflict
        if conflict is not None and conflict.kind is ConflictKind.SAME and conflict.pattern:
            yield conflict.pattern


def _blanked(text: str, names: Sequence[re.Pattern[str]]) -> str:
    """Return a text without the names of what slots may share, which may hold a slot's word."""
    for name in names:
        text = name.sub(lambda match: " " * len(match[0]), text)
    return text


def _slot_cues(lexicon: DomainLexicon, slots: Sequence[str]) -> dict[str, re.Pattern[str]]:
    return {slot: cue for slot, cue in lexicon.slots.items() if slot in slots}


def _option_of(body: str) -> str:
    """Return the number or letter of the option that a line begins; empty where it begins none."""
    option = _OPTION.search(body)
    return next(filter(None, option.groups()), "") if option else ""


def _level(line: Line, body: str) -> int:
    """Return how deep a line stands: headings above all, then what is plain, then list items."""
    if line.marker.startswith("#"):
        return -10 + len(line.marker)
    if line.marker == "**":
        return _HEAD
    if line.marker:
        return 1 + line.indent // 2
    is_short = len(body.split()) <= _SHORT and body[-1:] not in ".!?,"
    is_bare = not ANY_ID.search(body) and "," not in body and ": " not in body
    is_label = body.endswith(":") or (is_short and is_bare)
    if line.indent >= 2:
        return 1 + line.indent // 2
    return _COLON if is_label and is_short else _PLAIN


def _bracket_end(text: str, start: int, end: int) -> int:
    """Return where the bracket of an id ends, where that of the next one opens; 0 where not.

    What stands between them leads up to the next: `Abbey Inn (HT-1, $80.00), the Elm (HT-2)`.
    """
    close = text.find(")", start, end)
    is_next = text[:end].rstrip().endswith("(") and "(" not in text[start:close]
    return close + 1 if close > start and is_next else 0


def _cut(text: str, start: int, end: int) -> int:
    """Return where the words begin that lead up to a mark."""
    cuts = [match.start() for match in _BREAK.finditer(text, start, end)]
    return cuts[-1] + 1 if cuts else end


def _cells(text: str, line: Line) -> list[tuple[int, int]]:
    """Return the spans of the cells of a row, empty ones too."""
    spans, start = [], line.start
    for place in [i for i in range(line.start, line.end) if text[i] == "|"] + [line.end]:
        spans.append((start, place))
        start = place + 1
    trimmed = []
    for a, b in spans:
        words = text[a:b]
        left = len(words) - len(words.lstrip())
        trimmed.append((a + left, max(a + left, b - (len(words) - len(words.rstrip())))))
    if trimmed and trimmed[0][0] >= trimmed[0][1]:
        trimmed = trimmed[1:]
    if trimmed and trimmed[-1][0] >= trimmed[-1][1]:
        trimmed = trimmed[:-1]
    return trimmed


def is_denied(words: str) -> bool:
    """Tell whether a stretch between commas says of what it names that it is not so."""
    return says("denied", words)
