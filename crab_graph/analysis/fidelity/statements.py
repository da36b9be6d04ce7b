"""What an agent put before a user that was not what the user wants, and what became of it (§3.3).

There are two witnesses. One compares what a message states with the facts, as the rule-based user
does; the other goes by the task's tables: an offer that breaks a wish, of which the message shows
the value that breaks it. Neither knows what the user noticed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from crab_graph.analysis.fidelity.heard_turns import HeardTurn, Lived
from crab_graph.domains.task import Task
from crab_graph.eval.false_yes import says_yes
from crab_graph.eval.reading import read_task
from crab_graph.generation.constraints import Ref, Value
from crab_graph.text.approvals import ActKind, find_acts
from crab_graph.text.mentions import by_slot, disclosed, find_mentions
from crab_graph.text.utterance import read_message

_ID = re.compile(r"(?<![\w-])[A-Z]{2,4}-\d+(?![\w-])")


class Statement(NamedTuple):
    """A message that puts something wrong to the user, the facts it misses, and the answer.

    `seen` are those that its words contradict, `broken` those that its offers break by the tables
    and that it shows.
    """

    turn: HeardTurn
    seen: frozenset[str]
    broken: frozenset[str] = frozenset()

    @property
    def number(self) -> int:
        """The number of the user's turn that answers it."""
        return self.turn.number

    @property
    def missed(self) -> frozenset[str]:
        """Keys of the facts that it misses, by either witness."""
        return self.seen | self.broken


def wrong_plans(lived: Lived) -> Iterator[Statement]:
    """Yield the plans that an agent asks leave to book and that show a wish missed."""
    for one in lived.turns:
        if one.is_opening or not one.reading.asks_booking:
            continue
        broken = _broken_by_tables(one.heard, lived.task)
        found = Statement(one, one.contradicted, broken)
        if found.missed:
            yield found


def false_play_backs(lived: Lived) -> Iterator[Statement]:
    """Yield the recaps of an agent that ask if they are right, and are not."""
    for one in lived.turns:
        if one.is_opening or not one.played.is_asked or one.reading.asks_booking:
            continue
        found = Statement(one, frozenset(one.played.wrong))
        if found.missed:
            yield found


class Objection(NamedTuple):
    """How a user took a wrong plan.

    `is_new` where none of what it misses was put to the user before, all of which the user had told
    by then; `times` is how often the user had said what is wrong with it, `says_what` whether it
    does so now, and `ends` whether it leaves.
    """

    plan: Statement
    is_approved: bool
    is_new: bool
    times: int
    says_what: bool
    ends: bool


def read_objections(lived: Lived) -> Iterator[Objection]:
    """Yield how a user took each wrong plan, one after the other.

    What was approved once stays so, and is not put to it again.
    """
    times: Counter[str] = Counter()
    put: set[str] = set()
    approved: set[str] = set()
    for plan in wrong_plans(lived):
        known = {told.key for one in lived.turns for told in one.told if one.number < plan.number}
        if plan.missed & approved:
            continue
        takes = is_approved(plan, lived.task)
        named = set() if takes else {key for key in plan.missed & known if _names(plan.turn, key)}
        before = max((times[key] for key in plan.missed), default=0)
        is_new = plan.missed <= known and not plan.missed & put
        ends = plan.turn is lived.turns[-1] and lived.gave_up
        yield Objection(plan, takes, is_new, before, bool(named), ends)
        put |= plan.missed
        times.update(named)
        approved |= plan.missed if takes else set()


def _names(one: HeardTurn, key: str) -> bool:
    """Tell whether the user says what it is about: its value, or one that it could have."""
    words, said = one.briefing.lexicon.facts[key], one.said.casefold()
    cues = (*words.cues.values(), *words.asks)
    return bool(one.states(key)) or any(cue.search(said) for cue in cues)


def is_approved(statement: Statement, task: Task) -> bool:
    """Tell whether the answer approves any of what a plan offers, as grading reads it (§2.13)."""
    catalogue = read_task(task).catalogue
    request = read_message(statement.turn.heard)
    offered = by_slot(disclosed(find_mentions(request, catalogue), None), catalogue)
    acts = find_acts(read_message(statement.turn.said), (request, offered), catalogue)
    return any(act.kind is ActKind.APPROVE for act in acts)


def is_affirmed(statement: Statement) -> bool:
    """Tell whether the answer says yes and gives none of the right values."""
    return not statement.turn.states(*statement.missed) and says_yes(statement.turn.said)


def _broken_by_tables(text: str, task: Task) -> frozenset[str]:
    """Return the wishes that the offers in a message break, where it shows the value that does."""
    said = text.casefold()
    broken: set[str] = set()
    for slot, values in _shown_offers(text, task).items():
        for item in task.graph.node_constraints(slot):
            refs = set(item.refs)
            if values.keys() >= refs and not item.holds(values):
                shown = {ref for ref in refs if _shows(said, values[ref])}
                wished = task.domain.grading.wished.items()
                broken |= {key for key, bites in wished if bites & shown}
    return frozenset(broken)


def _shows(said: str, value: Value) -> bool:
    return re.search(rf"(?<!\w){re.escape(str(value).casefold())}(?!\w)", said) is not None


def _shown_offers(text: str, task: Task) -> Mapping[str, Mapping[Ref, Value]]:
    """Return the properties of what a message shows for each slot, by its ids.

    Nothing is known of a slot for which it shows several things, and of a thing of which it shows
    no offer, or several, only what all its offers share.
    """
    named = frozenset(_ID.findall(text.upper()))
    found: dict[str, list[Mapping[Ref, Value]]] = {}
    for kind in task.domain.kinds.values():
        entities, offers = (task.world.tables[table.name] for table in (kind.entity, kind.offer))
        for key in sorted(named & entities.keys()):
            slot = task.domain.grading.slot_of(task.world, task.request, key)
            if slot is not None:
                own = [offers[one] for one in named & offers.keys()]
                own = [offer for offer in own if offer[kind.entity.key] == key]
                values = {one.name: one.value(entities[key]) for one in kind.readings(kind.entity)}
                if len(own) == 1:
                    values |= kind.properties(entities[key], own[0])
                shown = {(slot, name): value for name, value in values.items()}
                found.setdefault(slot, []).append(shown)
    return {slot: shown[0] for slot, shown in found.items() if len(shown) == 1}
