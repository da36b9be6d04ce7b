"""Questions of which wish counts for more, or may give way: all of them stand."""

import re

from crab_graph.personas.asides import Aside
from crab_graph.personas.briefing import DisclosureRecord, UserBriefing
from crab_graph.personas.clarifications import sentences_of

_GIVES = (
    r"(?:giv(?:e|ing) up|let(?:ting)? go(?: of)?|drop(?:ping)?|sacrific(?:e|ing)|waiv(?:e|ing)"
    r"|compromis(?:e|ing)(?: on)?|do(?:ing)? without)"
)
_WEIGHS = re.compile(
    r"\b(?:which|what)\b[^?]{0,60}?\b(?:more important|matters? (?:the )?(?:more|most)"
    r"|most important|comes? first|(?:top|first) priority|weighs more)\b[^?]*\bor\b[^?]*\?"
    r"|\bwhat should i (?:then )?(?:hold on to|keep(?: to)?|stick to|put first)\b[^?]*\bor\b[^?]*\?"
    r"|\bif (?:one|some) of (?:them|these|those)\b[^?]{0,20}\b(?:give|go)\b[^?]*\?"
    rf"|\b(?:anything|something|which|what)\b[^?]{{0,40}}\b(?:would|could|can|.d)\b[^?]{{0,30}}"
    rf"\b{_GIVES}\b[^?]*\?"
    rf"|\b(?:would|could) you (?:rather |possibly )?{_GIVES}\b[^?]*\?",
    re.I,
)
"""Asks which of some wishes it is to be, where not all can be met."""
_IF = re.compile(r"\bif\b|\bin case\b|\bor\b", re.I)
_EXAMPLE = re.compile(r"\A\W*(?:for (?:example|instance)|e\.g\.|such as|like)\b[^?]*\Z", re.I)
_OF_PLANS = re.compile(
    r"\bif (?:several|some|a few|many|two|more than one|multiple|different)\b[^?]{0,60}"
    r"\b(?:fit|meet|match|suit|qualify|do|work|satisf\w+)\b",
    re.I,
)
"""Asks by what to choose among plans that meet all wishes."""


def weighed_wishes_in(text: str, briefing: UserBriefing, record: DisclosureRecord) -> Aside | None:
    """Return what a message says beside a question of what may give way; `None` without one.

    It is one before anything is offered.
    """
    del record
    if briefing.offers_in(text):
        return None  # a choice is made among that
    sentences = list(sentences_of(text))
    weighed = {at for at, one in enumerate(sentences) if _WEIGHS.search(one) and _IF.search(one)}
    taken = {at for at in weighed if not _OF_PLANS.search(sentences[at])}
    if not taken:
        return None
    behind = {at + 1 for at in taken} & {*range(len(sentences))}
    taken |= {at for at in behind if _EXAMPLE.match(sentences[at])}
    rest = "".join(one for at, one in enumerate(sentences) if at not in taken).rstrip()
    return Aside(rest, "all_matter")
