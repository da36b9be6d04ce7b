"""Which slots a clause is about by its own words, or by those of the clauses before it."""

import re
from collections.abc import Sequence

from crab_graph.personas.segments import Segment
from crab_graph.personas.wordbook import DomainLexicon

SHORT_HEADING = 6
"""Words that a heading or a label has at most."""
_SEVERAL = 2
_WITHIN = re.compile(r"\b(?:any(?:\s+\w+){1,3}\s+)between\b[^,.;?]{1,40}\band\b[^,.;?]{1,30}")
"""`any moment between the first and the second`: when something may be, not what it is."""

_ASIDE = re.compile(r"\([^()]*\)")

_IT = re.compile(
    r"\b(?:for|of|about|on) it\b"
    r"|\b(?:wish(?:es)?|preferences?|anything|else|prefer|like|want|need) (?:\w+ )?there\b"
    r"|\b(?:wished|wanted|needed|preferred) there\b"
)

_ELSEWHERE = 5
"""Words of a question such as `And in Paris?`, which asks the last one of a part elsewhere."""

_OF_BOTH = re.compile(r"\b(?:either|each|both)(?: (?:of them|one))?(?: of these)?\W*\Z")
"""Asks for the same of what the last two clauses are about."""

_ORDINAL_ONE = re.compile(r"\b(?:the|your) (first|second|third|last|middle)(?: one\b|\W*\Z)")
"""Means one of some parts by its number."""

_OF_THE_TWO = re.compile(r"\b(?:each|both|either) (?:of )?(?:the|those|these) two\b")


_LABEL = 3
"""Words of a label such as `In Paris`, or of a lead such as `And for Paris, ...`."""


def clause_slots(
    text: str, before: Sequence[Segment], noted: frozenset[str], lexicon: DomainLexicon
) -> frozenset[str]:
    """Return the slots that a casefolded clause names, or means by what stands before it.

    `noted` is what the line before it notes something of.
    """
    named = _named_slots(text, lexicon) or _meant_by_it(text, before)
    named = _narrowed(named, text, noted, before, lexicon)
    return named or _like_before(text, before, lexicon) or _at_label(text, lexicon)


def _at_label(text: str, lexicon: DomainLexicon) -> frozenset[str]:
    """Return the slots of the place that is the label of a question, as `Paris: which hour?`."""
    label, colon, _ = text.partition(":")
    is_label = bool(colon) and "?" in text and len(label.split()) <= _LABEL
    return frozenset(slot for slot in lexicon.places if is_label and lexicon.is_placed(slot, label))


def labelled_slot(body: str, lexicon: DomainLexicon) -> frozenset[str]:
    """Return the one slot of which a line notes something, as `First visit: any hour`."""
    label, colon, note = body.partition(":")
    is_note = (
        bool(colon and note.strip()) and "?" not in body and len(label.split()) <= SHORT_HEADING
    )
    named = lexicon.named_slots(label) if is_note else frozenset[str]()
    return named if len(named) == 1 else frozenset()


def _narrowed(
    named: frozenset[str],
    text: str,
    noted: frozenset[str],
    before: Sequence[Segment],
    lexicon: DomainLexicon,
) -> frozenset[str]:
    """Return those of several slots named by their kind alone that stand before a question.

    They are the one that the line before notes, or the one of the place that `And in Paris?` names.
    """
    cues = (*lexicon.slots.values(), *lexicon.places.values())
    if len(named) < _SEVERAL or "?" not in text or any(cue.search(text) for cue in cues):
        return named
    last = before[-1].text if before else ""
    is_place = last.endswith("?") and len(last.split()) <= SHORT_HEADING
    there = {slot for slot, cue in lexicon.places.items() if is_place and cue.search(last)}
    for own in (noted, named & there):
        if len(own) == 1 and own < named:
            return frozenset(own)
    return named


def _like_before(text: str, before: Sequence[Segment], lexicon: DomainLexicon) -> frozenset[str]:
    """Return the slots that a clause without a word for one is about, as those before it are.

    They are of the kind of the last one, at the place that it names, or the last two of a kind.
    """
    last = before[-1].named if before else frozenset[str]()
    kind = lexicon.kind_of(last)
    ordinal = _ORDINAL_ONE.search(text)
    if last and ordinal is not None:
        called = {slot: f"{ordinal[1]} {slot.rpartition('_')[2]}" for slot in kind}
        meant = frozenset(one for one in kind if lexicon.slots[one].search(called[one]))
        return meant if len(meant) == 1 else frozenset()
    if not kind or len(last) != 1 or "?" not in text:
        return frozenset()
    if _OF_THE_TWO.search(text) and len(kind) == _SEVERAL:
        return kind
    if _OF_BOTH.search(text) and len(before) > 1 and before[-2].named < kind:
        return before[-2].named | last
    lead, comma, _ = text.partition(",")
    where = lead if comma and len(lead.split()) <= _LABEL else text
    if len(where.split()) > _ELSEWHERE:
        return frozenset()
    there = frozenset(slot for slot in kind if lexicon.is_placed(slot, where))
    return there if len(there) == 1 else frozenset()


def _meant_by_it(text: str, before: Sequence[Segment]) -> frozenset[str]:
    """Return the one slot of the clause before that a clause means by `it`; mostly none."""
    named = before[-1].named if before and _IT.search(text) else frozenset[str]()
    return named if len(named) == 1 else frozenset()


def _named_slots(text: str, lexicon: DomainLexicon) -> frozenset[str]:
    """Return the slots that a clause is about: of what stands in brackets where nothing else is."""
    spoken = _WITHIN.sub(" ", text)
    return lexicon.named_slots(_ASIDE.sub(" ", spoken)) or lexicon.named_slots(spoken)
