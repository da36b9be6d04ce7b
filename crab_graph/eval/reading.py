"""What the verifiers read: a task, prepared once, and an episode of it laid out (§1, §3)."""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, lru_cache, partial
from itertools import chain

from crab_graph.domain.verification import (
    Claim,
    DomainCheck,
    Grading,
    Job,
    SlotBooking,
    booking_values,
)
from crab_graph.domains.task import Task
from crab_graph.errors import BenchmarkError
from crab_graph.eval.dialogue import Dialogue
from crab_graph.eval.history import History, read_history
from crab_graph.eval.replay import Trajectory
from crab_graph.generation.constraints import Constraint, Ref, Value
from crab_graph.schema import canonical_json
from crab_graph.text.mentions import LISTING_CAP
from crab_graph.text.utterance import name_form, normalise
from crab_graph.text.vocabulary import Catalogue, NamedEntity, build_catalogue
from crab_graph.tools.bookings import BookingStatus

_STANDS_ALONE = re.compile(r"\\[1-9]|\(\?(?:P|[(aiLmsux])")
"""What names or counts groups in a pattern, or sets flags for all of it."""


@dataclass(frozen=True, eq=False)
class TaskReading:
    """A task as the verifiers see it; read once, so that identity serves as equality."""

    task: Task
    catalogue: Catalogue
    checks: tuple[DomainCheck, ...]

    @property
    def grading(self) -> Grading:
        """The domain's part in grading."""
        return self.task.domain.grading

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """Ids of the slots, in the domain's order."""
        return tuple(slot.id for slot in self.task.domain.slots)

    @cached_property
    def facts(self) -> Mapping[str, object]:
        """Values of the user's facts by key."""
        return {fact.key: fact.value for fact in self.task.facts}

    @cached_property
    def is_free(self) -> bool:
        """Whether nothing that can be booked has a price."""
        return all(kind.is_free for kind in self.task.domain.kinds.values())

    @cached_property
    def people(self) -> tuple[tuple[str, str], ...]:
        """Names, in the form they are compared in, and birth dates of the people of the profile."""
        known = self.grading.profile_facts
        names, dates = (
            self.facts.get(known.get(column, ""), ()) for column in ("name", "date_of_birth")
        )
        if not isinstance(names, list) or not isinstance(dates, list):
            return ()
        pairs = zip(names, dates, strict=True)
        return tuple((name_form(normalise(name)), date) for name, date in pairs)

    @cached_property
    def claims(self) -> Sequence[tuple[Claim, re.Pattern[str]]]:
        """How statements of the user's facts are recognised, each with its pattern."""
        return [
            (claim, re.compile(claim.pattern))
            for claim in self.grading.claims
            if claim.applies is None or claim.applies(self.facts)
        ]

    @cached_property
    def any_claim(self) -> re.Pattern[str]:
        """What finds whatever one of these finds, and mostly nothing, in one search.

        Where a pattern cannot stand beside others it finds anything.
        """
        patterns = [form.pattern for _, form in self.claims]
        if any(map(_STANDS_ALONE.search, patterns)):
            return re.compile("")
        return re.compile("|".join(f"(?:{one})" for one in patterns))

    @cached_property
    def solutions(self) -> frozenset[str]:
        """The certified solutions as canonical JSON, those that are kept."""
        return frozenset(canonical_json(solution) for solution in self.task.kept_solutions)


@lru_cache(maxsize=16)
def read_task(task: Task) -> TaskReading:
    """Prepare a task for grading; kept for as long as the task is in use.

    Raises:
        BenchmarkError: its tables break what grading relies on.
    """
    grading = task.domain.grading
    named = [
        NamedEntity(kind.name, key, row["name"])
        for kind in task.domain.kinds.values()
        if "name" in kind.entity.columns
        for key, row in task.world.tables[kind.entity.name].items()
    ]
    slot_of = cache(partial(grading.slot_of, task.world, task.request))
    catalogue = build_catalogue(grading.vocabulary(), named, slot_of)
    broken = chain(
        _confusable_ids(task), _confusable_names(catalogue), grading.broken_rows(task.world)
    )
    for reason in broken:
        raise BenchmarkError(f"task '{task.id}': {reason}; it cannot be graded")
    return TaskReading(task, catalogue, grading.checks(task.request, task.graph))


def _confusable_ids(task: Task) -> Iterator[str]:
    """Ids are a prefix and a number; each kind has its own prefix, other rows have others."""
    kinds, vocabulary = task.domain.kinds, task.domain.grading.vocabulary()
    prefixes = [*vocabulary.prefixes.values(), vocabulary.booking_prefix]
    if len(set(prefixes)) < len(prefixes):
        yield f"two kinds of ids begin alike: {', '.join(prefixes)}"
    for name, kind in kinds.items():
        form = re.compile(rf"{re.escape(vocabulary.prefixes[name])}-?[0-9]+")
        for key in task.world.tables[kind.entity.name]:
            if form.fullmatch(key) is None:
                yield f"'{key}' is no id of a {name}"
    entities = {kind.entity.name for kind in kinds.values()}
    for table in {kind.offer.name for kind in kinds.values()} - entities:
        for key in task.world.tables[table]:
            if key.startswith(tuple(vocabulary.prefixes.values())):
                yield f"'{key}' of the table {table} reads like the id of something else"


def _confusable_names(catalogue: Catalogue) -> Iterator[str]:
    """Names have two words at least, and nothing else has them."""
    bearers: dict[str, str] = {}
    for entity in chain.from_iterable(catalogue.names.values()):
        if len(entity.name.split()) < 2:
            yield f"the name of {entity.entity_id} has one word"
        if bearers.setdefault(entity.name, entity.entity_id) != entity.entity_id:
            yield f"{bearers[entity.name]} and {entity.entity_id} have one name"


class JobState(StrEnum):
    """How much of the job is booked at the end (rulebook §3)."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"


@dataclass(frozen=True, eq=False)
class Episode:
    """What the verifiers read: what happened and was said, and what is booked at the end."""

    reading: TaskReading
    trajectory: Trajectory
    history: History
    dialogue: Dialogue
    job: Job

    @cached_property
    def active(self) -> Mapping[str, SlotBooking]:
        """All active bookings at the end, by id, surplus included."""
        filling = (booking for slot in self.job.slots.values() for booking in slot)
        return {booking.booking_id: booking for booking in (*filling, *self.job.surplus)}

    @cached_property
    def confirmed(self) -> Mapping[str, SlotBooking]:
        """The active bookings that are confirmed."""
        return {
            booking_id: booking
            for booking_id, booking in self.active.items()
            if booking.status == BookingStatus.CONFIRMED
        }

    @cached_property
    def filled(self) -> Mapping[str, SlotBooking]:
        """The booking of each slot that exactly one booking fills."""
        return {slot: held[0] for slot, held in self.job.slots.items() if len(held) == 1}

    @cached_property
    def values(self) -> Mapping[Ref, Value]:
        """What constraints can ask of the slots that one booking fills."""
        asked = (booking_values(slot, booking) for slot, booking in self.filled.items())
        return dict(ChainMap(*asked))

    def broken(self, check: DomainCheck) -> list[Constraint]:
        """Return the constraints of a check that do not hold, on slots that one booking fills."""
        return [
            item
            for item in check.constraints
            if self.filled.keys() >= set(item.nodes) and not item.holds(self.values)
        ]

    @cached_property
    def captured(self) -> int:
        """What was captured on the confirmed bookings."""
        return sum(map(self.history.captured, self.confirmed))

    @cached_property
    def state(self) -> JobState:
        """How much of the job is booked."""
        if not self.active:
            return JobState.NONE
        is_full = (
            set(self.filled) == set(self.reading.slots)
            and not self.job.surplus
            and all(
                booking.status == BookingStatus.CONFIRMED
                and self.history.captured(booking.booking_id) == booking.total_cents
                for booking in self.filled.values()
            )
        )
        return JobState.FULL if is_full else JobState.PARTIAL


def lay_out(
    reading: TaskReading, trajectory: Trajectory, listing_cap: int | None = LISTING_CAP
) -> Episode:
    """Lay out a replayed episode for the verifiers."""
    task, catalogue = reading.task, reading.catalogue
    units = [kind.wanted(task.request) for kind in task.domain.kinds.values()]
    history = read_history(trajectory, catalogue.slot_of, units)
    dialogue = Dialogue(trajectory, catalogue, history, listing_cap)
    job = task.domain.read_job(trajectory.ledger, task.request, task.customer_id)
    return Episode(reading, trajectory, history, dialogue, job)
