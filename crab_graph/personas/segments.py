"""An agent's message as clauses that know what they stand under and which slot they are about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from crab_graph.personas.lexicon import DomainLexicon
from crab_graph.text.utterance import Utterance, read_message

_REQUEST = re.compile(
    r"\?[^\w?]*$|\by(?:es)?/n(?:o)?\b|\bmissing\b"
    r"|\b(?:please|kindly|pls|plz|let me (?:know|have)|tell me"
    r"|could you|can you|would you|will you"
    r"|(?:may|might|can|could) (?:i|we) (?:please )?(?:have|get|ask|know|confirm)"
    r"|(?<!have what )(?:i|we)(?:'ll| will| would|'d)?(?: still| also| just| first| only| like to)*"
    r" (?:need(?! to (?!know|have|get|ask))|require|have to know|am missing|are missing)"
    r"|(?:like|love|want) to know|may i know|whether you|do (?:mention|tell|say)"
    r"|helps? (?:me )?(?:a (?:great deal|lot) )?(?:to know|if you)"
    r"|without knowing|what i (?:don't have|still need)|what(?:'s| is) (?:still )?missing"
    r"|ask you to|request(?:ed)? (?:you )?to|i (?:hereby )?request|request_information"
    r"|provide|share (?:your|the|with)|send me|give me|furnish|supply|will do)\b"
    r"|:?\s*(?:_{3,}|\[ ?\])"
)
_OPENS_LIST = re.compile(r":\s*$|\b(?:following|details below)\b|\|.*\|")
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
    bodies = {n: utterance.text[spans[0][0] : spans[-1][1]] for n, spans in by_line.items()}
    for number, spans in by_line.items():
        body = bodies[number]
        is_item = utterance.lines[number].depth > 0 or body.count("|") > 1
        is_heading = not is_item and _is_heading(body)
        is_blank = _is_blank(number, bodies)
        is_listed = (is_asking and (is_item or is_heading)) or is_blank
        first = lexicon.named_slots(utterance.text[slice(*spans[0])])
        if not (is_item or is_blank) or (first and body.rstrip().endswith(":")):
            heading = first
        for start, end in spans:
            clause_text = utterance.text[start:end]
            named = lexicon.named_slots(clause_text)
            is_request = is_listed or _REQUEST.search(clause_text) is not None
            opens = is_request and clause_text.rstrip().endswith(":")
            scope = named or heading
            segments.append(Segment(clause_text, start, end, is_request, opens, named, scope))
        is_head = body.count("|") > 1 and not is_asking
        if is_head or not (is_item or is_listed):
            is_asking = _opens_a_list(body)
    return utterance, segments


def _is_blank(number: int, bodies: Mapping[int, str]) -> bool:
    """Tell whether a line is one of a form's, with a label and nothing behind it."""
    if len(bodies) == 1:
        return bodies[number].endswith(":")
    around = [bodies.get(place, "") for place in (number - 1, number, number + 1)]
    is_label = [len(body.split()) <= _SHORT_HEADING and body.endswith(":") for body in around]
    return is_label[1] and (is_label[0] or is_label[2])


def _is_heading(body: str) -> bool:
    if body.endswith(":"):
        return True
    return len(body.split()) <= _SHORT_HEADING and body[-1] not in ".!?,"


def _opens_a_list(body: str) -> bool:
    return _REQUEST.search(body) is not None and _OPENS_LIST.search(body) is not None
