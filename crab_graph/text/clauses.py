"""Lines and clauses of one message (§2.2).

An `Utterance` holds the normalised text of a message; every position below is a position in it.
Clauses are split before casefolding, since a full stop ends a clause only before a capital, a
digit, a dollar sign, a quote or a bracket.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from crab_graph.text.normalise import fold, visible

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
