"""The clauses of a message, which facts they ask for, and which they play back to be checked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crab_graph.personas.wordbook import DomainLexicon, phrase_book, says
from crab_graph.text.utterance import Utterance, read_message

_SHORT_HEADING = 6


@dataclass(frozen=True, slots=True)
class Segment:
    """One clause, list item or table row of an agent's message: its words, casefolded, and place.

    It is a request by its own words or by what it stands under; a list of what it asks for may
    follow it. The scope are the slots it names, else those of the heading it stands under; `plain`
    are its words as the shared cues read them.
    """

    text: str
    plain: str
    start: int
    end: int
    is_request: bool
    opens_list: bool
    named: frozenset[str]
    scope: frozenset[str]

    def says(self, *cues: str) -> bool:
        """Tell whether its words hold one of some shared cues."""
        return any(says(cue, self.plain) for cue in cues)


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
        is_short = len(body.split()) <= _SHORT_HEADING and body[-1] not in ".!?,"
        is_heading = not is_item and (is_short or body.endswith(":"))
        around = [bodies.get(place, "") for place in (number - 1, number, number + 1)]
        is_label = [len(one.split()) <= _SHORT_HEADING and one.endswith(":") for one in around]
        # A line of a form: a label and nothing behind it.
        is_blank = is_label[1] and (is_label[0] or is_label[2])
        is_blank = body.endswith(":") if len(bodies) == 1 else is_blank
        is_listed = (is_asking and (is_item or is_heading)) or is_blank
        first = lexicon.named_slots(utterance.text[slice(*spans[0])])
        if not (is_item or is_blank) or (first and body.rstrip().endswith(":")):
            heading = first
        for start, end in spans:
            clause_text = utterance.text[start:end]
            named = lexicon.named_slots(clause_text)
            is_request = is_listed or says("request", clause_text)
            opens = is_request and clause_text.rstrip().endswith(":")
            scope = named or heading
            plain = lexicon.plain(clause_text)
            segments.append(
                Segment(clause_text, plain, start, end, is_request, opens, named, scope)
            )
        is_head = body.count("|") > 1 and not is_asking
        if is_head or not (is_item or is_listed):
            is_asking = says("request", body) and says("opens_list", body)
    return utterance, segments


_MAX_ELLIPSIS = 6
_AFTERTHOUGHT = 3
_MAX_ASKED_WORDS = 60
"""A longer clause that asks nothing by itself is prose, not an item of a list of questions."""


@dataclass(frozen=True, slots=True)
class Questions:
    """Keys of the facts a message asks for and plays back to be confirmed, both in its order.

    An open question asks for whatever the user has not said yet.
    """

    asked: tuple[str, ...]
    is_open: bool
    checked: tuple[str, ...]


def find_questions(
    segments: Sequence[Segment],
    is_proposal: Sequence[bool],
    is_check: Sequence[bool],
    lexicon: DomainLexicon,
    *,
    is_choice: bool,
    about: frozenset[str],
) -> Questions:
    """Find what is asked in the clauses of a message, which may let the user choose among options.

    Of each clause it is given whether it names an item or a price, and whether it plays back what
    the user said; `about` is the slot whose items the message names, where it is but one.
    """
    asked: list[str] = []
    checked: list[str] = []
    is_open = False
    before: list[str] = []
    for segment, proposes, checks in zip(segments, is_proposal, is_check, strict=True):
        if segment.is_request:
            segment = _main_clause(segment, about, lexicon)
        keys = facts_in(segment, lexicon) or _elliptical(segment, before, lexicon)
        if not segment.is_request:
            before = keys or before
        elif checks:
            checked += keys
        elif not _is_skipped(segment, proposes=proposes):
            wishes = segment.says("wishes")
            is_about_all = segment.says("open") and not segment.named
            chooses = is_choice and segment.says("among")
            is_wide = (not keys or (wishes and len(keys) < 2)) and not is_about_all and not chooses
            topics = _topic_facts(segment, lexicon) if is_wide else []
            opens = segment.says("open") and not topics and not segment.opens_list
            opens = opens and (not keys or segment.says("more"))
            if not (keys or topics or opens) and segment.says("anaphor"):
                keys = before
            asked += keys + topics
            is_bare = not (keys or topics or segment.scope) and segment.says("bare_wishes")
            is_open = is_open or opens or is_bare
            before = keys
    return Questions(tuple(dict.fromkeys(asked)), is_open, tuple(dict.fromkeys(checked)))


def _main_clause(segment: Segment, about: frozenset[str], lexicon: DomainLexicon) -> Segment:
    """Return a request without what leads up to it, such as `before I search,`."""
    book = phrase_book()
    words = book.without("subordinate", book.without("not_needed", segment.text))
    last = words.rpartition("...")[2].strip()
    words = last if len(last.split()) > _AFTERTHOUGHT else words
    if not words or words == segment.text:
        return segment if segment.scope else replace(segment, scope=about)
    named = lexicon.named_slots(words)
    plain = lexicon.plain(words)
    return replace(segment, text=words, plain=plain, named=named, scope=named or about)


def facts_in(segment: Segment, lexicon: DomainLexicon) -> list[str]:
    """Return the facts a clause asks for by their cues, in the order of the cues."""
    if segment.says("no_need"):
        return []
    starts = {}
    for key, words in lexicon.facts.items():
        fits = not words.slots or bool(segment.scope & set(words.slots))
        fits = fits or not (segment.scope or words.needs_slot)
        matches = [cue.search(segment.text) for cue in words.asks if fits]
        places = [match.start() for match in matches if match]
        if places:
            starts[key] = min(places)
    # Facts whose cues stand at one place keep the lexicon's order.
    found = sorted(starts, key=starts.__getitem__)
    return [key for key in found if not _is_meant_closer(key, set(found), segment, lexicon)]


def _elliptical(segment: Segment, before: Sequence[str], lexicon: DomainLexicon) -> list[str]:
    """Return what a question such as `and on the way back?` asks: the last one, of another slot."""
    if not segment.is_request or not segment.named or len(segment.text.split()) > _MAX_ELLIPSIS:
        return []
    asked = [lexicon.facts[key] for key in before]
    return [
        key
        for key, words in lexicon.facts.items()
        if segment.named & set(words.slots)
        and any(words.choices and words.choices == one.choices for one in asked)
        and key not in before
    ]


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


def _is_skipped(segment: Segment, *, proposes: bool) -> bool:
    """Tell whether a request is about something else than facts."""
    words = segment.text
    return (
        segment.says("closing", "no_need", "wait")
        or (proposes and not segment.says("preference"))
        or (is_booking_request(segment) and not segment.says("wishes"))
        or (segment.says("alteration") and "flexib" not in words)
        or (len(words.split()) > _MAX_ASKED_WORDS and "?" not in words)
    )


def is_booking_request(segment: Segment) -> bool:
    """Tell whether a clause asks to book, and not to search or to charge."""
    asks = segment.says("booking_lead") and segment.says("booking_act")
    return asks and not segment.says("search", "charge_lead", "keeps", "how_many")


def _topic_facts(segment: Segment, lexicon: DomainLexicon) -> list[str]:
    is_action = segment.says("action") and not segment.says("wishes")
    if is_action or not segment.says("preference"):
        return []
    return [
        key
        for topic in lexicon.topics.values()
        if topic.words.search(segment.text)
        for key in topic.facts
    ]
