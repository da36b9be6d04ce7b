"""The words of a domain's users, from its declaration: how facts are asked for, said and denied."""

from collections.abc import Callable, Sequence
from functools import cache

from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.declaration import Declaration
from crab_graph.domain.derived_vocabulary import vocabulary
from crab_graph.personas.briefing import BriefedSlot, Fact, UserBriefing
from crab_graph.personas.wordbook import DomainLexicon


@cache
def lexicon(declaration: Declaration) -> DomainLexicon:
    """Return the words that users of a domain's tasks understand and say.

    Raises:
        UsageError: what `Declaration.lexicon` overrides does not fit; the message names the part.
    """
    raise NotImplementedError


def briefing(
    declaration: Declaration,
) -> Callable[[Sequence[TaskSlot], Sequence[Fact], str, str], UserBriefing]:
    """Return what tells a user what it knows, from `(slots, facts, task id, today)`."""

    def brief(
        slots: Sequence[TaskSlot], facts: Sequence[Fact], task_id: str, today: str
    ) -> UserBriefing:
        prefixes = vocabulary(declaration).prefixes
        briefed = tuple(BriefedSlot(slot.id, prefixes[slot.kind], slot.word) for slot in slots)
        known = lexicon(declaration)
        return UserBriefing(tuple(facts), known, briefed, task_id, today, declaration.job)

    return brief
