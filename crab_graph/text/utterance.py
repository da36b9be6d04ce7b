"""One message as a reader sees it, in lines and clauses (§2.1, §2.2).

Markup, invisible characters and what is struck out are gone, look-alikes folded. `visible` keeps
case, lines and list markers, which clause splitting needs; `fold` makes one line comparable;
`normalise` is both. There is no stemming, no fuzzy match, no accent or homoglyph folding.

An `Utterance` holds the normalised text of a message; every position below is a position in it.
Clauses are split before casefolding, since a full stop ends a clause only before a capital, a
digit, a dollar sign, a quote or a bracket.

Work is linear in the length of a message, whatever it holds: a clause has a greatest length, what
stands in a span is found by bisection, and of words before or after a place only so many
characters are looked at (`REACH`).
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, wraps
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HIDDEN_ELEMENT = re.compile(r"<(script|style|template)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.I | re.S)
_BREAK = re.compile(r"<(?:br|/p|/li|/div|/tr|/h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_LINK_DEFINITION = re.compile(
    r"^ {0,3}\[[^\]\n]+\]:[ \t]*\S+(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\)))?[ \t]*$", re.M
)
_INVISIBLE = re.compile(
    "[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u207b\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LOOKALIKES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2212", "-"),
    "\u2014": " - ",
}
_LOOKALIKE = re.compile(f"[{''.join(_LOOKALIKES)}]")
_EN_DASH = re.compile(r"(?<=[^\W_])\u2013(?=[^\W_])")
_STRUCK = re.compile(r"~~[^~\n]+~~")
_STRIKE_OR_CODE = re.compile(r"~~|`+")
# A single star between blanks or numbers multiplies; every other star is emphasis. An underscore
# inside a word belongs to it.
_STAR = re.compile(r"((?<=\s)\*(?=\s)|(?<=\d)\*(?=[\d$]))|\*+")
_UNDERSCORE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_MAX_NESTING = 10
"""How often markup that the removal of other markup uncovers is removed in turn."""
_SENTENCES = {"\ufdfa": "\ufdd0", "\ufdfb": "\ufdd1"}
"""Signs that stand for whole sentences, of up to 18 letters, and what is written for them while a
text is normalised, which leaves them as they are."""
_PIECE = re.compile(rf"([^\w\s\x00-\x7f{''.join(_SENTENCES.values())}]{{30}})")
"""As many marks as Unicode's stream-safe form lets stand on a letter (UAX 15)."""

MAX_CLAUSE = 1000
"""Characters of a clause: a longer one is read in pieces of it, cut at a blank if there is one."""
REACH = 150
"""Characters before or after a place in which the few words are looked for that bear on it."""


def visible(text: str) -> str:
    """Return what a reader sees of `text`, with its lines and its case."""
    for _ in range(_MAX_NESTING):
        seen = text
        if not text.isascii():
            seen = _compose(_INVISIBLE.sub("", text))
            seen = _LOOKALIKE.sub(lambda found: _LOOKALIKES[found[0]], seen)
            seen = _EN_DASH.sub("-", seen)
        seen = _HIDDEN_ELEMENT.sub("", _COMMENT.sub("", seen))
        seen = _TAG.sub("", _BREAK.sub("\n", seen))
        seen = _LINK.sub(r"\1", _LINK_DEFINITION.sub("", seen))
        seen = _STRUCK.sub(" ", seen) if "~~" in seen else seen
        if seen == text:
            break
        text = seen
    return text


def _compose(text: str) -> str:
    """Return the NFKC form; marks that crowd on one letter, which it would sort, stay in place."""
    for sign, written in _SENTENCES.items():
        text = text.replace(sign, written)
    text = "".join(unicodedata.normalize("NFKC", piece) for piece in _PIECE.split(text))
    for sign, written in _SENTENCES.items():
        text = text.replace(written, sign)
    return text


def fold(line: str) -> str:
    """Return one visible line without emphasis, casefolded, its whitespace collapsed."""
    line = _STRIKE_OR_CODE.sub("", line) if "~" in line or "`" in line else line
    line = _STAR.sub(lambda star: star[1] or "", line) if "*" in line else line
    line = " ".join((_UNDERSCORE.sub("", line) if "_" in line else line).split())
    return line.casefold() if line.isascii() else _compose(line.casefold())


def normalise(text: str) -> str:
    """Return `text` in the form in which texts are compared."""
    for _ in range(_MAX_NESTING):
        normal = fold(visible(text))
        if normal == text:
            break
        text = normal
    return text


NAME_FORMS = {ord("&"): "and", ord("."): "", ord("'"): ""}
"""What some characters are in the form in which names are compared."""


def name_form(normal: str) -> str:
    """Return a normalised text in the form in which names are compared."""
    return " ".join(normal.translate(NAME_FORMS).split())


_BULLET = re.compile(r"(\s*)(?:[-*+•‣◦▪·–]|\(?\d{1,2}[.)])\s+(?=\S)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*(\*\*|__)[^*_]+\1:?\s*$")
_QUOTE = re.compile(r"\A\s*(?:>\s?)+")
_TABLE_RULE = re.compile(r"[\s|:+-]*")
_TITLES = "|".join(rf"(?<=\b{title}\.)" for title in ("St", "Mt", "Dr", "Mr", "Ms", "Mrs"))
# What can end a clause is looked for by its first character, which the engine does by itself.
_CLAUSE_END = re.compile(
    r"[;.!?bhawBHAW](?:(?<=;)(?!(?<=\d;)\s+(?:and\s+)?\$[\d,.]*\d(?:;|\.?\s*\Z|\.\s| and\s))"
    r"|(?<=[.!?])(?<!i\.e.)(?<!e\.g.)(?<!\.\.\..)(?!(?<=[\s.]\.)\s*(?:\$|USD))"
    rf"(?!(?:{_TITLES})\s[A-Z])"
    r"[*_\"')\]]*(?=\s+[*_]*[A-ZÀ-ÖØ-Þ\d$\"'(\[{])"
    r"|(?<!\w.)(?P<word>(?i:(?<=b)(?<!ything b)ut|(?<=h)owever|(?<=a)lthough|(?<=w)hereas))(?!\w))"
)


class Line(NamedTuple):
    """One line: its span, its depth, and the index of its parent line.

    The marker is what was written before its words, such as `- `, `2. ` or `##`; `|` is that of a
    table's row, `**` that of a line in bold. The indent counts blanks before it; `is_apart` says
    whether it is the first line or follows a blank one.
    """

    start: int
    end: int
    depth: int
    parent: int | None
    marker: str = ""
    indent: int = 0
    is_apart: bool = False


class Clause(NamedTuple):
    """One clause, or a piece of one that is very long: its span and the index of its line."""

    start: int
    end: int
    line: int


class Placed(Protocol):
    """What stands at a place of a text."""

    @property
    def start(self) -> int:
        """Its first character."""


_Placed = TypeVar("_Placed", bound=Placed)
_START = attrgetter("start")


class InOrder(tuple[_Placed, ...]):
    """Items in text order, of which it is asked often where they start."""

    @cached_property
    def starts(self) -> list[int]:
        """Where each of them starts."""
        return list(map(_START, self))


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Utterance:
    """One message as it was read."""

    text: str
    lines: tuple[Line, ...]
    clauses: InOrder[Clause]

    def clause_at(self, position: int) -> Clause:
        """Return the clause that holds a position of the text."""
        return self.clauses[max(bisect_right(self.clauses.starts, position) - 1, 0)]

    def clauses_at(self, positions: Iterable[int]) -> Iterator[Clause]:
        """Yield the clause that holds each position; it is looked for only where it changes."""
        clause = Clause(0, 0, 0)
        for position in positions:
            if not clause.start <= position < clause.end:
                clause = self.clause_at(position)
            yield clause

    def clauses_with(self, form: re.Pattern[str]) -> Iterable[Clause]:
        """Return the clauses in which a pattern may be found: none where the text holds none."""
        spans = (match.span() for match in form.finditer(self.text))
        places = chain.from_iterable((start, end - 1) for start, end in spans)
        return dict.fromkeys(self.clauses_at(places))

    def words(self, clause: Clause) -> str:
        """Return the text of a clause."""
        return self.text[clause.start : clause.end]

    def parent(self, clause: Clause) -> Line | None:
        """Return the parent line of a clause's line."""
        parent = self.lines[clause.line].parent
        return None if parent is None else self.lines[parent]


_Read = TypeVar("_Read")


def once(read: Callable[[Utterance], _Read]) -> Callable[[Utterance], _Read]:
    """Keep what is read of an utterance for as long as that is in use."""
    known: WeakKeyDictionary[Utterance, _Read] = WeakKeyDictionary()

    @wraps(read)
    def kept(utterance: Utterance) -> _Read:
        if utterance not in known:
            known[utterance] = read(utterance)
        return known[utterance]

    return kept


def starting_within(items: Sequence[_Placed], start: int, end: int) -> Sequence[_Placed]:
    """Return those of some items, which are in text order, that start in a span."""
    if isinstance(items, InOrder):
        first = bisect_left(items.starts, start)
        return items[first : bisect_left(items.starts, end, first)]
    first = bisect_left(items, start, key=_START)
    return items[first : bisect_left(items, end, first, key=_START)]


def read_message(text: str) -> Utterance:
    """Read one message into lines and clauses."""
    parts: list[str] = []
    lines: list[Line] = []
    clauses: list[Clause] = []
    above: list[tuple[int, int]] = []  # depth and index of lines that can still be a parent
    is_under_heading, is_apart = False, True
    end = 0
    line_form = cache(_line_form)  # the same line may stand there very often
    for raw in visible(text).splitlines():
        form = line_form(raw)
        if form is None:
            above = above if is_under_heading else []
            is_under_heading, is_apart = False, True
            continue
        is_under_heading, depth = form.is_heading, form.depth
        if form.words:
            number = len(lines)
            clauses += [Clause(end + a, end + b, number) for a, b in form.spans]
            while above and above[-1][0] >= depth:
                above.pop()
            parent = above[-1][1] if above else None
            above.append((depth, number))
            last = end + len(form.words)
            lines.append(Line(end, last, depth, parent, form.marker, form.indent, is_apart))
            parts.append(form.words)
            end, is_apart = last + 1, False
    return Utterance(" ".join(parts), tuple(lines), InOrder(clauses))


class _LineForm(NamedTuple):
    """How a line is written: its depth, its marker and indent, its words, the spans of clauses."""

    depth: int
    marker: str
    indent: int
    is_heading: bool
    words: str
    spans: tuple[tuple[int, int], ...]


def _line_form(raw: str) -> _LineForm | None:
    """Read how a line is written; nothing of a blank one."""
    raw = raw.expandtabs(4)
    words = raw.lstrip()
    if not words:
        return None
    if words[0].isalpha() and "|" not in words:
        return _LineForm(0, "", len(raw) - len(words), False, *_clauses(_split(words)))
    is_heading = _HEADING.match(raw) is not None
    raw = _QUOTE.sub("", raw) if ">" in raw else raw
    words = raw.lstrip()
    indent = len(raw) - len(words)
    if raw.count("|") > 1:
        pieces = [] if _TABLE_RULE.fullmatch(raw) else [raw]
        return _LineForm(0, "|", indent, is_heading, *_clauses(pieces))
    bullet = _BULLET.match(raw)
    if bullet:
        marker, pieces = raw[indent : bullet.end()].strip(), _split(raw[bullet.end() :])
        depth = 1 + len(bullet[1]) // 2
        return _LineForm(depth, marker, indent, is_heading, *_clauses(pieces))
    body = words.lstrip("#")
    marker = words[: len(words) - len(body)] or ("**" if _HEADING.match(raw) else "")
    return _LineForm(0, marker, indent, is_heading, *_clauses(_split(body)))


def _clauses(pieces: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the words of a line in these pieces, and the spans of its clauses in them."""
    folded = [words for words in map(fold, pieces) if words]
    if len(folded) == 1 and len(folded[0]) <= MAX_CLAUSE:
        return folded[0], ((0, len(folded[0])),)
    spans: list[tuple[int, int]] = []
    end = 0
    for words in folded:
        spans += ((end + a, end + b) for a, b in _cut(words))
        end += len(words) + 1
    return " ".join(folded), tuple(spans)


def _cut(words: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a clause's pieces, which is one but for a very long clause."""
    start = 0
    while len(words) - start > MAX_CLAUSE:
        blank = words.rfind(" ", start + 1, start + MAX_CLAUSE + 1)
        end = start + MAX_CLAUSE if blank < 0 else blank
        yield start, end
        start = end if blank < 0 else end + 1
    yield start, len(words)


def _split(body: str) -> list[str]:
    ends = [
        match.end() if match["word"] is None else match.start()
        for match in _CLAUSE_END.finditer(body)
    ]
    return [body[start:end] for start, end in pairwise([0, *ends, len(body)])] if ends else [body]
