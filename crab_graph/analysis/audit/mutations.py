"""The mutation matrix: each operator on passing episodes, and what its edit flips (§13)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crab_graph.analysis.audit.booking_mutations import booking_mutations
from crab_graph.analysis.audit.money_mutations import money_mutations
from crab_graph.analysis.audit.neutral_changes import NEUTRAL
from crab_graph.analysis.audit.telling import Operator, Telling, Unplayable, perfect
from crab_graph.analysis.audit.text_mutations import text_mutations
from crab_graph.domains.task import Task
from crab_graph.eval.reading import read_task
from crab_graph.eval.verdict import Verdict
from crab_graph.eval.verifiers import ids_of


def mutations_of(task: Task) -> tuple[Operator, ...]:
    """Return the mutations of a task's domain: which they are follows from what it declares."""
    return (*booking_mutations(task), *money_mutations(task), *text_mutations(task))


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What one operator, or one on top of another (`M×N`), did to one task."""

    task_id: str
    name: str
    expected: frozenset[str]
    """The checks that must flip."""
    flips: frozenset[str] | None
    """The checks that did; `None` where the task lacks what the operator needs."""
    note: str = ""
    """What else was off."""

    @property
    def is_skipped(self) -> bool:
        """Whether the task lacked the slack."""
        return self.flips is None

    @property
    def is_composed(self) -> bool:
        """Whether a neutral operator came on top."""
        return "×" in self.name

    @property
    def ok(self) -> bool:
        """Whether exactly the expected checks flipped."""
        return self.is_skipped or (self.flips == self.expected and not self.note)

    def told(self) -> str:
        """Return what is off, in a line."""
        flips = ", ".join(sorted(self.flips or ())) or "nothing"
        expected = ", ".join(sorted(self.expected)) or "nothing"
        return f"{self.task_id} {self.name}: {flips} flipped for {expected}. {self.note}".strip()


def matrix(task: Task, operators: Sequence[Operator] | None = None) -> Iterator[MatrixCell]:
    """Yield what each operator, by default every one, does to a task's first solution."""
    chosen = (*mutations_of(task), *NEUTRAL) if operators is None else operators
    return _cells(task, ([operator] for operator in chosen))


def compositions(task: Task, pairs: Iterable[tuple[Operator, Operator]]) -> Iterator[MatrixCell]:
    """Yield what a mutation does with a neutral operator on top."""
    # The one that starts from another solution goes first.
    ordered = (sorted(pair, key=lambda one: one.id != "N07") for pair in pairs)
    return _cells(task, ordered)


def _cells(task: Task, rows: Iterable[Sequence[Operator]]) -> Iterator[MatrixCell]:
    """Apply operators one after another to an episode that passes, and grade what comes of it."""
    base = perfect(task, task.solutions[0])
    before = _failing(base.grade())  # none, unless all is lost
    for operators in rows:
        changed: Telling | None = base
        for operator in operators:
            changed = None if changed is None else operator.edit(changed)
        name = "×".join(operator.id for operator in operators)
        named = frozenset[str]().union(*(operator.flips for operator in operators))
        expected = ids_of(read_task(task), named)
        try:
            verdict = None if changed is None else changed.grade()
        except Unplayable:
            verdict = None
        if verdict is None:
            yield MatrixCell(task.id, name, expected, None)
            continue
        note = f"{', '.join(sorted(before))} failed before." if before else ""
        if verdict.fault == "environment":
            note += "The verdict contradicts the certificate."
        yield MatrixCell(task.id, name, expected, _failing(verdict) - before, note)


def _failing(verdict: Verdict) -> frozenset[str]:
    return frozenset(check for check, said in verdict.checks.items() if said == "fail")
