"""What the verifiers rely on in a task's tables, looked at before it is graded (rulebook §1)."""

import re
from collections.abc import Iterator
from itertools import chain

from crab_graph.domains.task import Task
from crab_graph.errors import BenchmarkError
from crab_graph.text.vocabulary import Catalogue

_LEAST_WORDS = 2


def check_guarantees(task: Task, catalogue: Catalogue) -> None:
    """Refuse a task whose ids, names or flights could not be told apart in a dialogue.

    Raises:
        BenchmarkError: a guarantee of the generator is broken; the message says which.
    """
    for reason in _broken(task, catalogue):
        raise BenchmarkError(f"task '{task.id}': {reason}; it cannot be graded")


def _broken(task: Task, catalogue: Catalogue) -> Iterator[str]:
    yield from _confusable_ids(task)
    yield from _confusable_names(catalogue)
    yield from task.domain.grading.broken_rows(task.world)


def _confusable_ids(task: Task) -> Iterator[str]:
    """Ids are a prefix and a number; each kind has its own prefix, other rows have others."""
    grading, vocabulary = task.domain.grading, task.domain.grading.vocabulary()
    prefixes = [*vocabulary.prefixes.values(), vocabulary.booking_prefix]
    if len(set(prefixes)) < len(prefixes):
        yield f"two kinds of ids begin alike: {', '.join(prefixes)}"
    entities = {entity.table for entity in grading.entities.values()}
    for kind, entity in grading.entities.items():
        form = re.compile(rf"{re.escape(vocabulary.prefixes[kind])}-?[0-9]+")
        for key in task.world.tables[entity.table]:
            if form.fullmatch(key) is None:
                yield f"'{key}' is no id of a {kind}"
    for table in {holding.offer_table for holding in grading.holdings} - entities:
        for key in task.world.tables[table]:
            if key.startswith(tuple(vocabulary.prefixes.values())):
                yield f"'{key}' of the table {table} reads like the id of something else"


def _confusable_names(catalogue: Catalogue) -> Iterator[str]:
    """Names have two words at least, and nothing else has them."""
    bearers: dict[str, str] = {}
    for entity in chain.from_iterable(catalogue.names.values()):
        if len(entity.name.split()) < _LEAST_WORDS:
            yield f"the name of {entity.entity_id} has one word"
        if bearers.setdefault(entity.name, entity.entity_id) != entity.entity_id:
            yield f"{bearers[entity.name]} and {entity.entity_id} have one name"
