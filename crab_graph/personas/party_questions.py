"""Questions of who the user is: one of those that all is for, and which of them."""

import re

from crab_graph.personas.asides import Aside
from crab_graph.personas.briefing import DisclosureRecord, UserBriefing
from crab_graph.personas.clarifications import sentences_of
from crab_graph.personas.wordbook import ValueForm

_WHICH = re.compile(
    r"\bwhich (?:one )?of (?:you|the|these|them)\b[^?]{0,30}?"
    r"(?:\b(?:am i|are you|is this|do i)\b|\?)"
    r"|\b(?:who|whom)(?: exactly)? (?:am i|do i have the (?:pleasure|honou?r))\b"
    r"|\b(?:are|is) (?:you|this)\b[^?]{0,20}\bor\b[^?]{0,20}\?",
    re.I,
)
"""Asks who it is that writes; the last only where it names people."""
_TALKS = re.compile(
    r"\b(?:talk|speak|chat|writ|deal|correspond)ing\b|\bare you\b|\bis this\b", re.I
)
_ONE_OF = re.compile(
    r"\bare you\b[^?]{0,40}?\b(?:yourself|one of (?:them|the|these|those)|among (?:them|the|these)"
    r"|part of the (?:party|group)|coming along|included)\b[^?]*\?"
    r"|\b(?:is|are) (?:this|it|these|you booking(?: \w+)?|the bookings?)\b[^?]{0,12}"
    r"\bfor (?:you|yourself|someone else|somebody else|others)\b[^?]*\?",
    re.I,
)
"""Asks whether the user is one of the people."""
_OTHER = re.compile(
    r"\b(?:card|pay\w*|account|prefer|want|happy|sure|flexible|free|fine|price|cost|ok(?:ay)?"
    r"|good|great|acceptable|possible|convenient|alright|plans?)\b",
    re.I,
)
"""What such a question is not about."""


def party_question_in(text: str, briefing: UserBriefing, record: DisclosureRecord) -> Aside | None:
    """Return what a message says beside a question of who the user is; `None` without one.

    Which one it is was asked of names that were told.
    """
    names = names_of(briefing)
    first = [one.split()[0].casefold() for one in names]
    is_told = any(record.has(one.key) for one in briefing.facts if _is_of_names(one.key, briefing))
    sentences, asked = list(sentences_of(text)), dict[int, bool]()
    for number, sentence in enumerate(sentences):
        if "?" not in sentence or _OTHER.search(sentence):
            continue
        low = sentence.casefold()
        named = sum(re.search(rf"\b{re.escape(one)}\b", low) is not None for one in first)
        which = _WHICH.search(sentence)
        if which and _TALKS.search(sentence) and (named > 1 or " or " not in which[0]):
            asked[number] = is_told
        elif _ONE_OF.search(sentence):
            asked[number] = False
    if not asked:
        return None
    rest = "".join(one for number, one in enumerate(sentences) if number not in asked).rstrip()
    return _who_it_is(rest, briefing, by_name=any(asked.values()))


def who_writes(briefing: UserBriefing, record: DisclosureRecord) -> Aside:
    """Return the answer to who it is that writes: by name where the names were told."""
    told = [one.key for one in briefing.facts if record.has(one.key)]
    return _who_it_is("", briefing, by_name=any(_is_of_names(key, briefing) for key in told))


def _who_it_is(rest: str, briefing: UserBriefing, *, by_name: bool) -> Aside:
    if briefing.is_for_one:
        return Aside(rest, "is_for_me")
    first = names_of(briefing)[:1]
    return Aside(rest, "name_is", first[0]) if by_name and first else Aside(rest, "is_one_of_us")


def names_of(briefing: UserBriefing) -> list[str]:
    """Return the names of those that all is for; the user's is the first of them."""
    of_names = (fact for fact in briefing.facts if _is_of_names(fact.key, briefing))
    return [str(name) for fact in of_names for name in fact.value]


def _is_of_names(key: str, briefing: UserBriefing) -> bool:
    words = briefing.lexicon.facts.get(key)
    return words is not None and words.form is ValueForm.NAMES and words.conflict is None
