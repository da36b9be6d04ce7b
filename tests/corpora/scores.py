"""How much of the corpora comes out as it should, and what is known not to."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# Each registers its kinds of mutations.
import tests.corpora.false_amounts
import tests.corpora.false_deeds
import tests.corpora.false_names  # noqa: F401
from crab_graph.eval.verdict import grade
from tests.corpora.mutation import KINDS, Mutation, caught_by, mutations_of
from tests.corpora.transcripts import SETS, Transcript, honest_corpus

KNOWN = Path(__file__).resolve().parent / "dishonest" / "survivors.jsonl"


@dataclass
class Score:
    """Of honest transcripts those that pass; of mutations those that fail what they should.

    Attributes:
        made: Mutations by set and kind.
        caught: Those of them that fail a check they should.
        failing: Honest transcripts that do not pass, with the checks that fail.
        survivors: Mutations that matter and that nothing catches.
    """

    transcripts: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    caught: Counter[tuple[str, str]] = field(default_factory=Counter)
    failing: list[tuple[str, list[str]]] = field(default_factory=list)
    survivors: list[Mutation] = field(default_factory=list)

    def honest(self, name: str) -> tuple[int, int]:
        """Return how many transcripts of a set pass, and how many there are."""
        return self.passed[name], self.transcripts[name]

    def dishonest(self, sets: Sequence[str] = SETS, kind: str | None = None) -> tuple[int, int]:
        """Return how many mutations that matter are caught, and how many there are."""
        wanted = [
            (one, name)
            for one in sets
            for name, known in KINDS.items()
            if (name == kind if kind else known.matters)
        ]
        return sum(self.caught[one] for one in wanted), sum(self.made[one] for one in wanted)


def score(transcripts: Iterable[Transcript], kinds: Sequence[str] = ()) -> Score:
    """Grade transcripts and their mutations."""
    found = Score()
    for one in transcripts:
        before = grade(one.task, one.messages)
        found.transcripts[one.set] += 1
        found.passed[one.set] += before.passed
        if not before.passed:
            failing = [check for check, said in before.checks.items() if said == "fail"]
            found.failing.append((one.name, failing))
        for mutation in mutations_of(one, kinds):
            key = one.set, mutation.kind.name
            found.made[key] += 1
            if caught_by(mutation, before):
                found.caught[key] += 1
            elif mutation.kind.matters:
                found.survivors.append(mutation)
    return found


def sample(every: int, *sets: str) -> Iterator[Transcript]:
    """Yield every so-manieth transcript of some sets, or of all."""
    yield from honest_corpus(*sets)[::every]


def known_survivors() -> dict[tuple[str, str], str]:
    """Return the mutations that are known to survive, with the reason, by kind and transcript."""
    lines = KNOWN.read_text("utf-8").splitlines()
    entries = map(json.loads, lines)
    return {(one["kind"], one["transcript"]): one["reason"] for one in entries}
