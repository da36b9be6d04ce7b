"""Why an episode failed: what separates it from the nearest certified solution (section 4.3).

For analysis only: a verdict rests on the checks alone.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic_core import to_json

from crab_graph.domains.task import SolutionIds
from crab_graph.domains.verification import SlotBooking
from crab_graph.eval.checks import Results
from crab_graph.eval.reading import Episode
from crab_graph.eval.say_do import Deed, say_do_timeline
from crab_graph.generation.constraints import Constraint
from crab_graph.schema import canonical_json
from crab_graph.tools.tool import Owner


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
    """One slot of the nearest solution beside what is booked for it.

    Attributes:
        slot: The slot.
        booked: Ids of what is booked, or `None` where nothing is.
        nearest: Ids of the nearest solution.
        differs: The ids in which the two differ.
        broken: The user's wishes on this slot that the booking breaks, in words.
        found: What became of the part.
        seen_at: Where in the trace a tool's answer first showed all its offers, or `None`.
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
    """Why an episode failed.

    Attributes:
        parts: Each slot, beside the nearest solution.
        between: Broken wishes that tie several slots, in words.
        failing: The failing checks that no difference of the trip explains.
        timeline: What was said, what was done about it, and whether they match.
    """

    parts: tuple[SolutionPart, ...]
    between: tuple[str, ...]
    failing: tuple[str, ...]
    timeline: tuple[Deed, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many parts of the solution came to what."""
        return {str(kind): sum(part.found is kind for part in self.parts) for kind in Found}

    def as_json(self) -> dict[str, Any]:
        """Return the explanation as `grade --json` prints it."""
        return {
            "parts": [
                {**asdict(part), "found": str(part.found), "differs": list(part.differs)}
                | {"broken": list(part.broken)}
                for part in self.parts
            ],
            "between": list(self.between),
            "failing": list(self.failing),
            "counts": self.counts,
            "timeline": [asdict(deed) for deed in self.timeline],
        }


_OF_THE_TRIP = (*(f"D{number:02d}" for number in range(1, 19)), "D25")


def explain(episode: Episode, results: Results) -> Explanation:
    """Return what separates an episode from the nearest certified solution, and what was said."""
    nearest = _nearest(episode)
    seen = _seen(episode, {value for ids in nearest.values() for value in _offers(ids)})
    broken = _broken(episode)
    return Explanation(
        parts=tuple(
            _part(episode, slot, ids, seen, [item for item in broken if item.nodes == (slot,)])
            for slot, ids in nearest.items()
        ),
        between=tuple(_in_words(episode, item) for item in broken if len(item.nodes) > 1),
        failing=tuple(
            check
            for check, result in results.items()
            if result.is_failure and check not in _OF_THE_TRIP
        ),
        timeline=tuple(say_do_timeline(episode)),
    )


def _nearest(episode: Episode) -> SolutionIds:
    """Return the solution that differs in the fewest slots, then ids; the first one of equals."""
    held = {slot: _ids(episode, item) for slot, item in episode.filled.items()}

    def distance(solution: SolutionIds) -> tuple[int, int, str]:
        apart = {slot: _differing(ids, held.get(slot)) for slot, ids in solution.items()}
        slots = sum(bool(names) for names in apart.values())
        return slots, sum(map(len, apart.values())), canonical_json(solution)

    return min(episode.reading.task.solutions, key=distance, default={})


def _ids(episode: Episode, booking: SlotBooking) -> dict[str, str]:
    """Return a booking's properties as solutions write them."""
    show = episode.reading.grading.show_value
    return {name: show(name, value) for name, value in booking.properties.items()}


def _differing(ids: Mapping[str, str], held: Mapping[str, str] | None) -> tuple[str, ...]:
    return tuple(name for name, value in ids.items() if held is None or held.get(name) != value)


def _part(
    episode: Episode,
    slot: str,
    ids: Mapping[str, str],
    seen: Mapping[str, int],
    broken: Iterable[Constraint],
) -> SolutionPart:
    booking = episode.filled.get(slot)
    held = None if booking is None else _ids(episode, booking)
    differs = _differing(ids, held)
    offers = _offers(ids)
    places = [seen[offer] for offer in offers if offer in seen]
    seen_at = max(places) if len(places) == len(offers) else None
    return SolutionPart(
        slot=slot,
        booked=None if held is None else {name: held[name] for name in ids if name in held},
        nearest=ids,
        differs=differs,
        broken=tuple(_in_words(episode, item) for item in broken),
        found=_found(episode, slot, offers, seen_at, is_booked=not differs),
        seen_at=seen_at,
    )


def _found(
    episode: Episode, slot: str, offers: Iterable[str], seen_at: int | None, *, is_booked: bool
) -> Found:
    if is_booked:
        return Found.BOOKED
    wanted = set(offers)
    proposed = [said.offered[slot] for said in episode.dialogue.agent if slot in said.offered]
    if proposed and len(proposed[-1]) == 1 and proposed[-1] <= wanted:
        return Found.LOST
    booking = _booking_tools(episode)
    for call in episode.trajectory.calls:
        tool = call.name if call.owner is Owner.AGENT else ""
        if tool in booking and wanted <= set(_texts(call.arguments)):
            return Found.LOST
    return Found.NEVER_SEARCHED if seen_at is None else Found.PASSED_OVER


def _booking_tools(episode: Episode) -> set[str]:
    """Return the agent's tools that write; a refused one too chose what it names."""
    tools = episode.reading.task.domain.registry().tools(Owner.AGENT)
    return {tool.name for tool in tools if tool.mutates}


def _offers(ids: Mapping[str, str]) -> list[str]:
    """Return what a tool's answer shows of a part; of a stay also the days are its ids."""
    return [value for name, value in ids.items() if name.endswith("_id")]


def _seen(episode: Episode, offers: Iterable[str]) -> dict[str, int]:
    """Return where each offer first stood in an answer to a look-up of the agent."""
    writing = _booking_tools(episode)
    # A search of an answer's text is ten times as fast as a walk through its values.
    missing = {offer: to_json(offer).decode() for offer in offers}
    seen: dict[str, int] = {}
    for call in episode.trajectory.calls:
        if not missing:
            break
        if call.owner is Owner.AGENT and not call.is_error and call.name not in writing:
            for offer in [offer for offer, written in missing.items() if written in call.content]:
                seen[offer] = call.seq
                del missing[offer]
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


def _broken(episode: Episode) -> list[Constraint]:
    filled = set(episode.filled)
    return [
        item
        for check in episode.reading.checks
        for item in check.constraints
        if set(item.nodes) <= filled and not item.holds(episode.values)
    ]


def _in_words(episode: Episode, constraint: Constraint) -> str:
    show = episode.reading.grading.show_value
    said = constraint.sentence or constraint.name.replace("_", " ")
    values = ", ".join(
        f"{node} {name.replace('_', ' ')} {show(name, episode.values[node, name])}"
        for node, name in constraint.refs
    )
    return f"{said}; but {values}"
