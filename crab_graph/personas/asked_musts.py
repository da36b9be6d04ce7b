"""Questions of how firmly something is wished that was told: whether it is a must."""

import re
from collections.abc import Collection, Sequence

from crab_graph.money import parse_cents
from crab_graph.personas.briefing import DisclosureRecord, UserBriefing
from crab_graph.personas.founded_denials import stands_in
from crab_graph.personas.spoken_sums import find_sums
from crab_graph.personas.stated_values import counts_in, names_value
from crab_graph.personas.wordbook import ValueForm
from crab_graph.text.utterance import visible

_IS_THERE = re.compile(
    r"\b(?:is|are) there (?:an?|any|some)\b"
    r"|\bwhat (?:do|would|are) you (?:wish|want|need|like|prefer|look\w*)\b[^?]*"
    r" and (?:which|what|how)\b"
)
"""Asks for what was not told yet."""
_LEAD = re.compile(
    r"^(?:one|a|just one|last|quick|final)? ?(?:more )?(?:question|thing|check): ", re.I
)
"""What may stand before such a question."""
_IS_FIRM = re.compile(
    r"^(?:(?:and|so|but|ok(?:ay)?|quick (?:one|question|q))[,:]? )*"
    r"(?:is|are|was|should i (?:take|treat|consider|see|regard)|would you (?:say|call)) "
    r"(?:that|this|it|these|those|they)\b(?: as)?"
    r"(?!(?: now)? (?:all|the|your|my) (?:of )?(?:your |the )?"
    r"(?:final|last|only|full|requirements))[^?]{0,30}?"
    r"\b(?:must(?:-have)?s?|hard|strict|firm|nice[- ]to[- ]haves?|guidelines?|ceiling|rule"
    r"|deal-?breakers?|negotiable|flexible|requirements?|preferences?)\b[^?]{0,60}\?",
    re.I,
)
"""Asks of what was just told whether it is a must."""
_IS_VALUE_FIRM = re.compile(
    r"^(?:is|are) (?:the )?\S+(?: \S+){0,3}? "
    r"(?:strict|rigid|negotiable|flexible|a (?:strict|hard|must)"
    r"|must-haves?)\b[^?]{0,40}\?",
    re.I,
)
"""Asks the same of a value."""
_OR_NOT = re.compile(
    r"^(?:(?:and|so|but|a|an|is it a) )*(?:must|nice|hard|strict|firm)\b[^?]{0,30}\bor\b"
    r"[^?]{0,50}\?"
    r"|^(?:(?:and|so|but|also) )*(?:does|must|do) (?:it|that|this|they) (?:really |absolutely )?"
    r"(?:(?:have|need) to )?be\b"
    r"(?! (?:in |on |at |of )?(?:an? |any )?(?:certain|particular|specific))"
    r"[^?]{0,60}\bor\b[^?]*\?"
    r"|^(?:(?:and|so|but|also) )*even if (?:it|that|this|they|those)\b[^?]{0,60}\?",
    re.I,
)
"""The same in fewer words."""
_MUST = (
    r"(?:(?:(?:a|an|the|really|truly|absolutely|strictly) )*(?:firm|hard|strict|real|absolute)?,? ?"
    r"(?:musts?(?:-haves?)?|requirements?|conditions?|firm|strict|non-negotiable|limit|cap|ceiling"
    r"|maximum))"
)
FIRM_OR_NOT = re.compile(
    rf"\b(?:is|are|treat\w*|regard\w*|consider\w*) (?!there\b)"
    rf"(?:(?!\b(?:do|have|would) you\b)[^?]){{0,60}}?\b{_MUST}\b"
    r"[^?]{0,120}? or (?!anything\b)[^?]*\?"
    rf"|\b(?:is|are|as|treat|regard)\b[^?]{{0,60}}?\b(?:a|an|as|firm|strict|hard) {_MUST}\W*\?"
    r"|\A(?:and |so )?must\b[^?]*\bor\b[^?]*\b(?:nice|preference|preferred|optional)\b[^?]*\?"
)
"""Asks whether something is a must, or if less would do."""
FIRM_LIMIT = re.compile(
    r"\b(?:is|are)\b[^?]{0,40}\b(?:firm|hard|strict|absolute|fixed)\b[^?]{0,20}"
    r"\b(?:limits?|max(?:imum)?|minimum|caps?|ceiling|bound)\b[^?]*\?"
)
"""Asks of a number that was told whether it is the most or the least."""
_OF_RULE = re.compile(
    r"\b(?:is|are)\b[^?]{0,30}\b(?:rule|condition|wish|requirement)s?\b[^?]{0,20}"
    r"\b(?:firm|hard|strict|fixed|a must|must-have)\b[^?]*\?"
)
"""Asks of what was just told, by what it is, if it is a must."""
_OR = re.compile(r"\bor\b")
_ALL_FIRM = re.compile(
    r"\bare (?:(?:these|those|they)(?: all)?|all (?:of )?(?:these|those|them|your wishes))"
    r" (?:really |truly )?(?:a )?(?:firm|musts?|fixed|hard|required|non-negotiable)\b[^?]*\?"
)
"""Asks of much at once whether it is a must."""
_OF_THEM = re.compile(r"\b(?:all|any|each|every\w*|which|these|those)\b")
_ITEM = re.compile(r"\s*(?:[-*•–]|\(?\w{1,2}[.):])\s+\S")
"""Begins an item of a list."""
FEW_MEANT = 2
"""So many wishes told at once may be meant by a question that names none."""


def asked_firm(
    pieces: Sequence[str],
    number: int,
    last: Collection[str],
    briefing: UserBriefing,
    record: DisclosureRecord,
) -> list[str] | None:
    """Return the wishes of which a piece of a message asks if they are musts; else `None`.

    They are conditions that it names, or what was told `last`; none by name where that was much.
    """
    facts = briefing.lexicon.facts
    if _is_of_item(pieces, number, last, briefing):
        return None
    asked = _LEAD.sub("", visible(pieces[number]).strip())
    low = asked.casefold()
    if _IS_THERE.search(low) or is_of_no_wish(low, briefing):
        return None
    if _ALL_FIRM.search(low):
        return []
    are_few = len(last) <= FEW_MEANT
    last = [] if is_of_other_parts(low, last, briefing) else last
    flags = _flags_held(low, record, briefing)
    if not flags and are_few and _OF_RULE.search(low):
        return list(last)
    if flags is not None:
        return flags
    named = any(names_value(low, facts[key]) for key in last)
    choices = [key for key in last if facts[key].form is ValueForm.CHOICE]
    if any(names_value(low, facts[k]) and not stands_in(low, k, briefing) for k in choices):
        # Another value than was told is none to be firm about.
        return None
    # What names a value of another wish asks of that, and behind a question it is of what is asked.
    is_of_others = any(names_value(low, one) for key, one in facts.items() if key not in last)
    is_of_last = (named or not is_of_others) and not (number and "?" in pieces[number - 1])
    is_firm = is_of_last and (_IS_FIRM.search(asked) or _OR_NOT.search(asked))
    if last and (is_firm or (named and _IS_VALUE_FIRM.search(asked))):
        return list(last) if are_few else []
    return None


def _is_of_item(
    pieces: Sequence[str], number: int, last: Collection[str], briefing: UserBriefing
) -> bool:
    """Tell whether a piece ends an item of a list that is of nothing that was told `last`."""
    first = number
    while first and not pieces[first - 1].endswith("\n"):
        first -= 1
    item = "".join(pieces[first:number])
    if not _ITEM.match(item):
        return False
    facts = briefing.lexicon.facts
    return not any(names_value(visible(item).casefold(), facts[key]) for key in last)


def counts_named(low: str, briefing: UserBriefing) -> list[str]:
    """Return the numbers of things that a piece names rightly, by figure or word."""
    facts = briefing.lexicon.facts
    return [
        one.key
        for one in briefing.facts
        if one.key in facts and facts[one.key].form is ValueForm.COUNT
        if (conflict := facts[one.key].conflict) is not None
        if one.value in counts_in(low, conflict)
    ]


def is_of_no_wish(low: str, briefing: UserBriefing) -> bool:
    """Tell whether a piece asks for what no wish is of, of a part that it names."""
    named = frozenset[str]() if "$" in low else briefing.lexicon.named_slots(low)
    return any(
        bool(words.slots) and not named.isdisjoint(words.slots)
        for words in briefing.lexicon.unwished.values()
        if any(cue.search(low) for cue in words.asks)
    )


def is_of_other_parts(low: str, last: Collection[str], briefing: UserBriefing) -> bool:
    """Tell whether a piece names parts of which nothing was told `last`."""
    conflicts = [briefing.lexicon.facts[key].conflict for key in last]
    slots = {slot for one in conflicts if one is not None for slot in one.slots}
    named = briefing.lexicon.named_slots(low)
    return bool(named and slots) and all(conflicts) and named.isdisjoint(slots)


def _flags_held(asked: str, record: DisclosureRecord, briefing: UserBriefing) -> list[str] | None:
    """Return the conditions of which a piece asks if they are musts; `None` if it does not.

    Where it asks so of several wishes, it names none.
    """
    if FIRM_OR_NOT.search(asked) is None:
        return None
    lexicon = briefing.lexicon
    facts = {one.key: one for one in briefing.facts}
    free = (words for key, words in lexicon.facts.items() if key not in facts)
    if any(names_value(asked, words) for words in free):
        return None
    known = [key for key in facts if record.has(key)]
    flags = [key for key in known if lexicon.facts[key].form is ValueForm.FLAG]
    # Whether a sum is the most gets a yes, where no other answer is offered.
    sums = [key for key in known if lexicon.facts[key].form is ValueForm.MONEY]
    told = {cents for _, cents in find_sums(asked)} if _OR.search(asked) else set()
    found = [key for key in flags if any(cue.search(asked) for cue in lexicon.facts[key].asks)]
    found += [key for key in sums if parse_cents(str(facts[key].value)) in told]
    found = [key for key in found if record.is_settled(key)]
    others = (key for key in known if key not in {*flags, *sums})
    values = [key for key in others if names_value(asked, lexicon.facts[key])]
    if found and not values:
        return found
    if len(values) == 1 and not found and record.is_settled(values[0]):
        return values if stands_in(asked, values[0], briefing) else None
    is_of_several = len(found) + len(values) > 1 or (not values and len(known) > 1)
    return [] if is_of_several and _OF_THEM.search(asked) else None
