"""What grading needs of a task, prepared once and shared by all its episodes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial

from crab_graph.domains.task import Task
from crab_graph.domains.verification import Claim, DomainCheck, Grading
from crab_graph.eval.guarantees import check_guarantees
from crab_graph.schema import canonical_json
from crab_graph.text.utterance import name_form, normalise
from crab_graph.text.vocabulary import Catalogue, NamedEntity, build_catalogue

KEPT_TASKS = 16


@dataclass(frozen=True, eq=False)
class TaskReading:
    """A task as the verifiers see it; read once, so that identity serves as equality.

    Attributes:
        task: The task.
        catalogue: What a text can mention.
        checks: The checks that constraints decide.
    """

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
    def _cues(self) -> frozenset[str]:
        return frozenset(cue for claim in self.grading.claims for cue in claim.cues)

    def claims_in(self, text: str) -> list[Claim]:
        """Return the claims that a text may make: a cue that several share is looked for once."""
        held = {cue for cue in self._cues if cue in text}
        claims = self.grading.claims
        return [claim for claim in claims if not claim.cues or not held.isdisjoint(claim.cues)]

    @cached_property
    def travellers(self) -> tuple[tuple[str, str], ...]:
        """Names, in the form they are compared in, and birth dates of the profile's travellers."""
        names, dates = self.facts.get("traveller_names", ()), self.facts.get("birth_dates", ())
        if not isinstance(names, list) or not isinstance(dates, list):
            return ()
        pairs = zip(names, dates, strict=True)
        return tuple((name_form(normalise(name)), date) for name, date in pairs)

    @cached_property
    def solutions(self) -> frozenset[str]:
        """The certified solutions as canonical JSON."""
        return frozenset(canonical_json(solution) for solution in self.task.solutions)


@lru_cache(maxsize=KEPT_TASKS)
def read_task(task: Task) -> TaskReading:
    """Prepare a task for grading; kept for as long as the task is in use.

    Raises:
        BenchmarkError: its tables break what grading relies on.
    """
    grading = task.domain.grading
    slot_of = cache(partial(grading.slot_of, task.world, task.request))
    catalogue = build_catalogue(grading.vocabulary(), _named_entities(task), slot_of)
    check_guarantees(task, catalogue)
    return TaskReading(task, catalogue, grading.checks(task.request, task.graph))


def _named_entities(task: Task) -> list[NamedEntity]:
    return [
        NamedEntity(kind, key, row[name_column])
        for kind, (table, name_column) in task.domain.grading.entities.items()
        if name_column is not None
        for key, row in task.world.tables[table].items()
    ]
