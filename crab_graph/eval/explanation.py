"""Why an episode failed: what separates it from the nearest certified solution (section 4.3).

For analysis only: a verdict rests on the checks alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic_core import to_json

from crab_graph.domain.verification import Role
from crab_graph.domains.task import SolutionIds
from crab_graph.eval.checks import Evidence, Results
from crab_graph.eval.reading import Episode
from crab_graph.eval.replay import CallStep
from crab_graph.eval.say_do import Deed, say_do_timeline
from crab_graph.eval.verifiers import verifiers_of
from crab_graph.generation.constraints import Constraint
from crab_graph.schema import canonical_json
from crab_graph.tools.registry import Owner
from crab_graph.tools.world_faults import sold_offers


class Found(StrEnum):
    """What became of one part of a solution.

    Chosen is what the agent proposed last as the only one for its slot, or tried to book; what was
    chosen and is not booked in the end was lost.
    """

    BOOKED = "booked"
    NEVER_SEARCHED = "never_searched"
    PASSED_OVER = "passed_over"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class SolutionPart:
    """One slot of the nearest solution beside what is booked for it, by their ids.

    `broken` are the user's wishes on this slot that the booking breaks, in words; `seen_at` is
    where in the trace a tool's answer first showed all its offers.
    """

    slot: str
    booked: Mapping[str, str] | None
    nearest: Mapping[str, str]
    differs: tuple[str, ...]
    broken: tuple[str, ...]
    found: Found
    seen_at: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an episode failed, with broken wishes that tie several slots, in words.

    The `failing` checks are those that no difference of what is booked explains; `readings` are,
    for each check, how statements were read in doubt, or what they were compared with.
    """

    parts: list[SolutionPart]
    between: tuple[str, ...]
    failing: tuple[str, ...]
    timeline: list[Deed]
    readings: Mapping[str, list[Evidence]]

    @property
    def counts(self) -> dict[str, int]:
        """How many parts of the solution came to what."""
        return {str(kind): sum(part.found is kind for part in self.parts) for kind in Found}

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as `grade --json` prints it."""
        return {
            "parts": [
                {
                    **asdict(part),
                    "found": str(part.found),
                    "differs": list(part.differs),
                    "broken": list(part.broken),
                }
                for part in self.parts
            ],
            "between": list(self.between),
            "failing": list(self.failing),
            "counts": self.counts,
            "timeline": [asdict(deed) for deed in self.timeline],
            "readings": dict(self.readings),
        }


_IS_BOOKED = frozenset(
    {
        Role.SLOT_FILLED,
        Role.SURPLUS,
        Role.UNITS,
        Role.PERSON,
        Role.WISH,
        Role.WINDOW,
        Role.EDGE,
        Role.BUDGET,
    }
)
"""Roles of the checks whose failures the differences show."""


def explain(episode: Episode, results: Results) -> Explanation:
    """Return what separates an episode from the nearest certified solution, and what was said."""
    show = episode.reading.grading.show_value
    held = {
        slot: {name: show(name, value) for name, value in booking.properties.items()}
        for slot, booking in episode.filled.items()
    }
    nearest = _nearest(_left(episode), held)
    seen = _seen(episode, {value for ids in nearest.values() for value in _offers(ids)})
    broken = [item for check in episode.reading.checks for item in episode.broken(check)]
    parts = []
    for slot, ids in nearest.items():
        booked, offers = held.get(slot), _offers(ids)
        differs = _differing(ids, booked)
        seen_at = max(seen[one] for one in offers) if seen.keys() >= set(offers) else None
        parts.append(
            SolutionPart(
                slot=slot,
                booked=booked and {name: booked[name] for name in ids if name in booked},
                nearest=ids,
                differs=differs,
                broken=tuple(_in_words(episode, one) for one in broken if one.nodes == (slot,)),
                found=_found(episode, slot, set(offers), seen_at) if differs else Found.BOOKED,
                seen_at=seen_at,
            )
        )
    return Explanation(
        parts=parts,
        between=tuple(_in_words(episode, item) for item in broken if len(item.nodes) > 1),
        failing=tuple(
            one.id
            for one in verifiers_of(episode.reading)
            if results[one.id].is_failure and one.role not in _IS_BOOKED
        ),
        timeline=say_do_timeline(episode),
        readings=readings_of({check: one.evidence for check, one in results.items()}),
    )


def readings_of(
    evidence: Mapping[str, Iterable[Evidence]],
) -> dict[str, list[Evidence]]:
    """Return of each check the evidence that says how something was read, or what was tried."""
    found = {
        check: [one for one in pieces if "explanation" in one or "tried" in one]
        for check, pieces in evidence.items()
    }
    return {check: pieces for check, pieces in found.items() if pieces}


def _left(episode: Episode) -> list[SolutionIds]:
    """Return the certified solutions without what was sold to somebody else."""
    solutions, sold = episode.reading.task.kept_solutions, sold_offers(episode.trajectory.ledger)
    return [one for one in solutions if not any(sold & {*ids.values()} for ids in one.values())]


def _nearest(
    solutions: Iterable[SolutionIds], held: Mapping[str, Mapping[str, str]]
) -> SolutionIds:
    """Return the solution that differs in the fewest slots, then ids; the first one of equals."""

    def distance(solution: SolutionIds) -> tuple[int, int, str]:
        apart = [len(_differing(ids, held.get(slot))) for slot, ids in solution.items()]
        return sum(map(bool, apart)), sum(apart), canonical_json(solution)

    return min(solutions, key=distance, default={})


def _differing(ids: Mapping[str, str], held: Mapping[str, str] | None) -> tuple[str, ...]:
    return tuple(name for name, value in ids.items() if held is None or held.get(name) != value)


def _found(episode: Episode, slot: str, wanted: set[str], seen_at: int | None) -> Found:
    proposed = [said.offered[slot] for said in episode.dialogue.agent if slot in said.offered]
    if proposed and len(proposed[-1]) == 1 and proposed[-1] <= wanted:
        return Found.LOST
    # A refused call too chose what it names.
    if any(wanted <= set(_texts(call.arguments)) for call in _agent_calls(episode, writing=True)):
        return Found.LOST
    return Found.NEVER_SEARCHED if seen_at is None else Found.PASSED_OVER


def _agent_calls(episode: Episode, *, writing: bool) -> Iterator[CallStep]:
    """Yield the agent's calls of tools that write, or of all others."""
    tools = episode.reading.task.domain.registry().tools(Owner.AGENT)
    writers = {tool.name for tool in tools if tool.mutates}
    for call in episode.trajectory.calls:
        if call.owner is Owner.AGENT and (call.name in writers) is writing:
            yield call


def _offers(ids: Mapping[str, str]) -> list[str]:
    """Return what a tool's answer shows of a part; of a stay also the days are its ids."""
    return [value for name, value in ids.items() if name.endswith("_id")]


def _seen(episode: Episode, offers: Iterable[str]) -> dict[str, int]:
    """Return where each offer first stood in an answer to a look-up of the agent."""
    # A search of an answer's text is ten times as fast as a walk through its values.
    written = {offer: to_json(offer).decode() for offer in offers}
    seen: dict[str, int] = {}
    for call in _agent_calls(episode, writing=False):
        for offer in () if call.is_error else written.keys() - seen.keys():
            if written[offer] in call.content:
                seen[offer] = call.seq
    return seen


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, however deep an agent has nested it."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            left += item.values()
        elif isinstance(item, list):
            left += item


def _in_words(episode: Episode, constraint: Constraint) -> str:
    show = episode.reading.grading.show_value
    said = constraint.sentence or constraint.name.replace("_", " ")
    values = ", ".join(
        f"{node} {name.replace('_', ' ')} {show(name, episode.values[node, name])}"
        for node, name in constraint.refs
    )
    return f"{said}; but {values}"
