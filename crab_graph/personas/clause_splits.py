"""The clauses of a message: where each begins and ends, and what it stands under."""

import re
from collections.abc import Iterator, Mapping, Sequence

from crab_graph.personas.clause_slots import SHORT_HEADING, clause_slots, labelled_slot
from crab_graph.personas.segments import Segment
from crab_graph.personas.wordbook import DomainLexicon, says
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
_ASKS_WISH = re.compile(
    r", and (?:also )?(?:do|would|did) you (?:\w+ )?(?:prefer|like|want|wish|need|mind|have)\b"
)
"""Begins a question of its own behind one that a yes answers."""
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
_WH = re.compile(
    r"(?:and |so |then |also )?(?:what|which|how (?:many|much|long|often|soon)|when|where|who)\b"
)
_SENTENCE_END = re.compile(r"[.?!\n]")
_GAP = re.compile(r"(?:[:|=-]\s*\.{3,}|\.{5,}|\[[\s.]*(?:blank)?\])[\s|]*\Z|\|\s*\|\s*\Z")
"""What a line of a form ends in that is to be filled in: dots, a box, an empty cell."""
_ENDING = 80
"""Characters at the end of a line in which it is looked for."""
_SUBJECT = re.compile(r"re:? \S")
"""What a line begins with that says what the lines below it are about, as in a letter."""
_OF_NOTES = re.compile(
    r"\W*(?:(?:so|now|then|great|thanks|thank you|ok(?:ay)?),? )*here(?:.s| is| are) "
    r"(?:what (?:i|we)(?:.ve| have)?\b|how i (?:read|understand)|(?:my|the|your|a) (?:\w+ )?"
    r"(?:notes?|recap|summary|wishes)\b)"
)
"""What a line begins with below which stands what was noted, whatever else it announces."""


def split_message(text: str, lexicon: DomainLexicon) -> tuple[Utterance, Sequence[Segment]]:
    """Split a message into its clauses, items and rows, each with what it is about."""
    utterance = read_message(text)
    segments: list[Segment] = []
    is_asking, heading, section = False, frozenset[str](), frozenset[str]()
    noted, subject = frozenset[str](), frozenset[str]()
    by_line: dict[int, list[tuple[int, int]]] = {}
    for clause in _attended(utterance.clauses):
        by_line.setdefault(clause.line, []).extend(_questions_apart(utterance.text, clause))
    bodies = {n: utterance.text[spans[0][0] : spans[-1][1]] for n, spans in by_line.items()}
    for number, spans in by_line.items():
        body = bodies[number]
        is_open = UNTICKED.search(body) is not None and _TICKED.search(body) is None
        is_item = is_open or utterance.lines[number].depth > 0 or _is_item(body)
        is_short = len(body.split()) <= SHORT_HEADING and body[-1] not in ".!?,"
        is_heading = not is_item and (is_short or body.endswith(":"))
        is_blank = _is_blank(bodies, number)
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
            is_request |= goes_on and _is_next_point(clause_text)
            goes_on = is_request and clause_text.rstrip().endswith(";")
            opens = is_request and clause_text.rstrip().endswith(":")
            named, plain = named or label, lexicon.plain(clause_text)
            asks = is_request, opens, is_item
            segments.append(Segment(clause_text, plain, start, end, *asks, named, named or heading))
        noted = labelled_slot(body, lexicon)
        is_head = body.count("|") > 1 and not is_asking
        if is_head or not (is_item or is_listed):
            is_asking = says("request", body) and says("opens_list", body)
            is_asking = is_asking and not _OF_NOTES.match(utterance.text[slice(*spans[-1])])
    return utterance, segments


def _is_blank(bodies: Mapping[int, str], number: int) -> bool:
    """Tell whether a line is one of a form: a label and nothing behind it, or a gap."""
    body = bodies[number]
    around = [bodies.get(place, "") for place in (number - 1, number, number + 1)]
    is_label = [len(one.split()) <= SHORT_HEADING and one.endswith(":") for one in around]
    is_last = number == max(bodies)
    is_bare = is_label[1] and (is_label[0] or is_label[2])
    is_bare = body.endswith(":") if len(bodies) == 1 else is_bare
    return is_bare or (is_label[1] and is_last) or _GAP.search(body[-_ENDING:]) is not None


def _is_item(body: str) -> bool:
    """Tell whether a line is a row, a lettered item or a box of a list."""
    marks = (_LETTERED.match(body), _TICKED.match(body))
    return body.count("|") > 1 or any(mark is not None for mark in marks)


def _is_next_point(clause: str) -> bool:
    """Tell whether a clause may go on with what is asked for, as in `Your class; seat; carrier`."""
    words = clause.split()
    return len(words) <= SHORT_HEADING and words[0] != "and"


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
        is_open = _OPEN_WORD.match(text[start : match.start()])
        if match["too"] and not (is_open or _ASKS_WISH.match(text, match.start())):
            continue
        if word in _ABBREVIATED or (word is None and match.start() <= start):
            continue
        end = match.start() if word is None else match.start() + len(word) + 1
        if start < end:
            yield start, end
        start = match.end()
    if start < clause.end:
        yield start, clause.end
