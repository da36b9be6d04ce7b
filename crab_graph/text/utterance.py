"""One message as a reader sees it, in lines and clauses (§2.1, §2.2).

Markup and invisible characters are gone, look-alikes folded. `visible` keeps case, lines and list
markers, which clause splitting needs; `fold` makes one line comparable; `normalise` is both. There
is no stemming, no fuzzy match, no accent or homoglyph folding.

An `Utterance` holds the normalised text of a message; every position below is a position in it.
Clauses are split before casefolding, since a full stop ends a clause only before a capital, a
digit, a dollar sign, a quote or a bracket.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HIDDEN_ELEMENT = re.compile(r"<(script|style|template)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.I | re.S)
_BREAK = re.compile(r"<(?:br|/p|/li|/div|/tr|/h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_LINK_DEFINITION = re.compile(
    r"^ {0,3}\[[^\]\n]+\]:[ \t]*\S+(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\)))?[ \t]*$", re.M
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LOOKALIKES = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u201b": "'",
        "\u2032": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u201f": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2212": "-",
        "\u2014": " - ",
    }
)
_EN_DASH = re.compile(r"(?<=[^\W_])\u2013(?=[^\W_])")
_STRIKE_OR_CODE = re.compile(r"~~|`+")
# A single star between blanks or numbers multiplies; every other star is emphasis. An underscore
# inside a word belongs to it.
_STAR = re.compile(r"((?<=\s)\*(?=\s)|(?<=\d)\*(?=[\d$]))|\*+")
_UNDERSCORE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_MAX_NESTING = 10
"""How often markup that the removal of other markup uncovers is removed in turn."""


def visible(text: str) -> str:
    """Return what a reader sees of `text`, with its lines and its case."""
    for _ in range(_MAX_NESTING):
        seen = _visible_once(text)
        if seen == text or not ("<" in seen or "[" in seen or not seen.isascii()):
            return seen
        text = seen
    return text


def fold(line: str) -> str:
    """Return one visible line without emphasis, casefolded, its whitespace collapsed."""
    if "~" in line or "`" in line:
        line = _STRIKE_OR_CODE.sub("", line)
    if "*" in line:
        line = _STAR.sub(lambda star: star[1] or "", line)
    if "_" in line:
        line = _UNDERSCORE.sub("", line)
    folded = " ".join(line.split())
    return folded.lower() if folded.isascii() else _folded_letters(folded)


def normalise(text: str) -> str:
    """Return `text` in the form in which texts are compared."""
    while True:
        normal = fold(visible(text))
        if normal == text:
            return normal
        text = normal


def name_form(normal: str) -> str:
    """Return a normalised text in the form in which names are compared."""
    return " ".join(normal.replace("&", "and").replace(".", "").replace("'", "").split())


def _visible_once(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_LOOKALIKES)
        text = _EN_DASH.sub("-", text)
    if "<" in text:
        text = _HIDDEN_ELEMENT.sub("", _COMMENT.sub("", text))
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if "[" in text:
        text = _LINK.sub(r"\1", _LINK_DEFINITION.sub("", text))
    return text


def _folded_letters(line: str) -> str:
    while True:
        folded = unicodedata.normalize("NFKC", line.casefold())
        if folded == line:
            return folded
        line = folded


_TAB = 4
_BULLET = re.compile(r"(\s*)(?:[-*+•‣◦▪·–]|\(?\d{1,2}[.)])\s+(?=\S)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*(\*\*|__)[^*_]+\1:?\s*$")
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_TABLE_RULE = re.compile(r"[\s|:+-]*")
_STOP = r";|[.!?][*_\"')\]]*(?=\s+[*_]*[A-ZÀ-ÖØ-Þ\d$\"'(\[{])"
_CONJUNCTIONS = ("but", "however", "although", "whereas")
_STOPS = re.compile(_STOP)
_BOUNDARY = re.compile(rf"{_STOP}|(?<!\w)(?=(?i:{'|'.join(_CONJUNCTIONS)})(?!\w))")


class Line(NamedTuple):
    """One line: its span, its depth, and the index of its parent line."""

    start: int
    end: int
    depth: int
    parent: int | None


class Clause(NamedTuple):
    """One clause: its span and the index of its line."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Utterance:
    """One message as it was read; equal texts are read once, so identity serves as equality."""

    text: str
    lines: tuple[Line, ...]
    clauses: tuple[Clause, ...]
    starts: tuple[int, ...]

    def clause_at(self, position: int) -> Clause:
        """Return the clause that holds a position of the text."""
        return self.clauses[max(bisect_right(self.starts, position) - 1, 0)]

    def words(self, clause: Clause) -> str:
        """Return the text of a clause."""
        return self.text[clause.start : clause.end]

    def parent(self, clause: Clause) -> Line | None:
        """Return the parent line of a clause's line."""
        parent = self.lines[clause.line].parent
        return None if parent is None else self.lines[parent]


@lru_cache(maxsize=1024)
def read_message(text: str) -> Utterance:
    """Read one message into lines and clauses."""
    reader = _Reader()
    for raw in visible(text).splitlines():
        reader.read(raw)
    starts = tuple(clause.start for clause in reader.clauses)
    return Utterance(" ".join(reader.parts), tuple(reader.lines), tuple(reader.clauses), starts)


class _Reader:
    """Collects lines and clauses; `above` holds the lines that can still be a parent."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.lines: list[Line] = []
        self.clauses: list[Clause] = []
        self.above: list[tuple[int, int]] = []  # depth and index
        self.is_under_heading = False

    def read(self, raw: str) -> None:
        if not raw.strip():
            if not self.is_under_heading:
                self.above = []
            self.is_under_heading = False
            return
        depth, pieces = _line_form(raw)
        start = self.clauses[-1].end + 1 if self.clauses else 0
        self._add_clauses(start, pieces)
        if self.clauses and self.clauses[-1].line == len(self.lines):
            self.above = [entry for entry in self.above if entry[0] < depth]
            parent = self.above[-1][1] if self.above else None
            self.above.append((depth, len(self.lines)))
            self.lines.append(Line(start, self.clauses[-1].end, depth, parent))
        self.is_under_heading = _HEADING.match(raw) is not None

    def _add_clauses(self, start: int, pieces: list[str]) -> None:
        for piece in pieces:
            words = fold(piece)
            if words:
                self.parts.append(words)
                self.clauses.append(Clause(start, start + len(words), len(self.lines)))
                start += len(words) + 1


def _line_form(raw: str) -> tuple[int, list[str]]:
    """Return the depth of a line and its clauses, without list and heading markers."""
    raw = raw.expandtabs(_TAB)
    quoted = _QUOTE.match(raw)
    if quoted:
        raw = raw[quoted.end() :]
    if raw.count("|") > 1:
        return 0, [] if _TABLE_RULE.fullmatch(raw) else [raw]
    bullet = _BULLET.match(raw)
    if bullet:
        return 1 + len(bullet[1]) // 2, _split(raw[bullet.end() :])
    return 0, _split(raw.lstrip().lstrip("#"))


def _split(body: str) -> list[str]:
    lower = body.lower()
    has_conjunction = any(map(lower.__contains__, _CONJUNCTIONS))
    pieces: list[str] = []
    start = 0
    for match in (_BOUNDARY if has_conjunction else _STOPS).finditer(body):
        pieces.append(body[start : match.end()])
        start = match.end()
    pieces.append(body[start:])
    return pieces
