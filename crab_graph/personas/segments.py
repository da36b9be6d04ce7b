"""An agent's message as clauses that know what they stand under and which slot they are about."""

import re
from dataclasses import dataclass

from crab_graph.personas.lexicon import DomainLexicon
from crab_graph.text.clauses import Utterance, read_message

_REQUEST = re.compile(
    r"\?[\"')\]]*\s*$|\b(?:please|kindly|let me know|tell me|could you|can you|would you|will you"
    r"|(?:may|might|can|could) (?:i|we) (?:please )?(?:have|get|ask|know|confirm)"
    r"|(?:i|we)(?:'ll| will| would|'d)?(?: still| also| just| first| like to)*"
    r" (?:need|require|know|have to know|am missing|are missing)"
    r"|i'm (?:still )?missing|still missing|provide|share (?:your|the|with)|send me|give me)\b"
)
_OPENS_LIST = re.compile(r":\s*$|\b(?:following|details below)\b")
_SHORT_HEADING = 6


@dataclass(frozen=True, slots=True)
class Segment:
    """One clause, list item or table row of an agent's message.

    Attributes:
        text: Its words, normalised and casefolded.
        start: Where it starts in the utterance.
        end: Where it ends.
        is_request: Whether it asks for something, by its own words or by what it stands under.
        opens_list: Whether a list of what it asks for follows it.
        named: Slots it names itself.
        scope: Slots it is about: those it names, else those of the heading it stands under.
    """

    text: str
    start: int
    end: int
    is_request: bool
    opens_list: bool
    named: frozenset[str]
    scope: frozenset[str]


def read_segments(text: str, lexicon: DomainLexicon) -> tuple[Utterance, list[Segment]]:
    """Split a message into segments."""
    utterance = read_message(text)
    segments: list[Segment] = []
    is_asking, heading = False, frozenset[str]()
    by_line: dict[int, list[tuple[int, int]]] = {}
    for clause in utterance.clauses:
        by_line.setdefault(clause.line, []).append((clause.start, clause.end))
    for number, spans in by_line.items():
        body = utterance.text[spans[0][0] : spans[-1][1]]
        is_item = utterance.lines[number].depth > 0 or body.count("|") > 1
        is_heading = not is_item and _is_heading(body)
        is_listed = is_asking and (is_item or is_heading)
        first = lexicon.named_slots(utterance.text[slice(*spans[0])])
        if not is_item or (first and body.rstrip().endswith(":")):
            heading = first
        for start, end in spans:
            clause_text = utterance.text[start:end]
            named = lexicon.named_slots(clause_text)
            is_request = is_listed or _REQUEST.search(clause_text) is not None
            opens = is_request and clause_text.rstrip().endswith(":")
            scope = named or heading
            segments.append(Segment(clause_text, start, end, is_request, opens, named, scope))
        if not is_item and not is_listed:
            is_asking = _opens_a_list(body)
    return utterance, segments


def _is_heading(body: str) -> bool:
    if body.endswith(":"):
        return True
    return len(body.split()) <= _SHORT_HEADING and body[-1] not in ".!?,"


def _opens_a_list(body: str) -> bool:
    return _REQUEST.search(body) is not None and _OPENS_LIST.search(body) is not None
