"""The solver less one skill each: what each dimension of a user takes from an agent.

Each fails under the dimension that calls for the skill it lacks, and passes under the others.
"""

from collections.abc import Iterator

from crab_graph.agents.reference.conversation import Action, Conversation
from crab_graph.agents.reference.desk import Desk
from crab_graph.agents.reference.planning import Plan
from crab_graph.agents.reference.wish_vocabulary import Wishes
from crab_graph.personas.wordbook import ConflictKind

_REFUSALS = 2
"""Refusals after which the stubborn one mends its plan."""
_NOTICED = (ConflictKind.CHOICE, ConflictKind.COUNT)
"""What a user sees at once in a plan that tells it."""


class Literal(Desk):
    """Takes what is said in exact words alone: fails where words need reading (D1).

    What it does not understand it asks for twice more, and then does without.
    """

    infers = False
    most_fruitless = 2


class Hasty(Desk):
    """Asks for nothing that was not mentioned: fails where details wait for a question (D2)."""

    asks = False


class Credulous(Desk):
    """Takes what is said first as it is said, and shows little of a plan: fails under doubt (D3).

    It never pins down or plays back; its plan has ids, names and prices alone, in which nobody sees
    that a wish was another.
    """

    checks = False

    def proposal(self, plan: Plan, conversation: Conversation) -> str:
        """Say ids, names and prices."""
        return self.script.terse(plan)


class Stubborn(Desk):
    """Misses a wish that was told, and at first insists: fails where errors cost more (D4).

    Its first plan misses one wish that was told. Refused, it proposes the same once more; refused
    again, it mends it.
    """

    def find_plan(self, conversation: Conversation, wishes: Wishes) -> Plan | list[Action] | None:
        """Choose a plan with a wish missed, as long as it was not refused twice."""
        if self.refusals(conversation) < _REFUSALS:
            for missed in self._missed(wishes):
                found = super().find_plan(conversation, missed)
                if found is not None:
                    return found
        return super().find_plan(conversation, wishes)

    def improve(self, conversation: Conversation, wishes: Wishes, proposal: str) -> str:
        """Propose the same plan once more."""
        if self.refusals(conversation) < _REFUSALS:
            return proposal
        return super().improve(conversation, wishes, proposal)

    def _missed(self, wishes: Wishes) -> Iterator[Wishes]:
        """Yield the wishes with one as something else: a preference about one part, if any."""
        book = self.handbook
        roles = {want.key for want in book.declaration.wants if want.role}
        words = [book.lexicon.facts[key] for key in (*book.preferences, *book.needed)]
        for one in sorted(words, key=lambda fact: len(fact.slots) != 1):
            if one.key not in wishes or one.key in roles or one.conflict is None:
                continue
            for other in one.others if one.conflict.kind in _NOTICED else ():
                if other != wishes[one.key]:
                    yield {**wishes, one.key: other}
