"""The linear model that tells what a clause does and asks: weights as data, numbers by NumPy.

A message does what one of its clauses does (noisy-or over clauses). The engine's weights know no
domain; those a domain brings for its own facts are added to them. `benchmarks/train_reader.py`
makes both files.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.weight_files import load_arrays, packed, stamp_in, unpacked

Numbers = NDArray[np.float64]

SHARED = "crab_graph.personas/reader.npz"
STEP = 0.05
"""What one unit of a stored weight stands for."""
UNLEARNED = 2.0
"""Log-odds more for a fact without weights of its own that a request has the cues of.

So has what asks the same of a part that it names, as `And for the second leg?`.
"""
_ASKED_BY_CUE = {"how:cue&req", "how:cue&?"}
_ASKED_OF_ANOTHER = {"how:ellipsis&?", "ownslot"}
CANDIDATE = "candidate"
"""The feature that every candidate fact has."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights by feature and column, and what each column starts from."""

    columns: tuple[str, ...]
    rows: Mapping[str, int]
    values: NDArray[np.int8]
    start: Numbers

    def scores(self, features: Iterable[str]) -> Numbers:
        """Return the score of each column, a log-odds, for what has these features."""
        row = self.rows.get
        known = [at for at in map(row, features) if at is not None]
        total: Numbers = self.values[known].sum(axis=0, dtype=np.int64) * STEP + self.start
        return total

    @classmethod
    def of(
        cls, columns: Sequence[str], names: Sequence[str], values: Numbers, start: Numbers
    ) -> Self:
        """Round weights to whole steps, and leave features out that weigh nothing."""
        whole = np.clip(np.rint(values / STEP), -127, 127).astype(np.int8)
        kept = np.flatnonzero(np.any(whole != 0, axis=1)).tolist()
        rows = {names[place]: row for row, place in enumerate(kept)}
        return cls(tuple(columns), rows, whole[kept], np.round(start, 3))

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return what a file keeps of it, by the names of its arrays."""
        return {
            f"{name}_columns": packed(self.columns),
            f"{name}_rows": packed(self.rows),
            f"{name}_values": self.values,
            f"{name}_start": self.start,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Self:
        """Read what a file keeps."""
        rows = {feature: row for row, feature in enumerate(unpacked(arrays[f"{name}_rows"]))}
        columns = tuple(unpacked(arrays[f"{name}_columns"]))
        return cls(columns, rows, arrays[f"{name}_values"], arrays[f"{name}_start"])


@dataclass(frozen=True, slots=True)
class ReaderModel:
    """What was learned: of acts, of candidate facts, and of one domain's own facts."""

    acts: Weights
    facts: Weights
    own: Weights | None

    def act_scores(self, clauses: Sequence[ClauseFeatures]) -> Numbers:
        """Return the log-odds of each clause and act, of shape `(clauses, acts)`."""
        return np.array([self.acts.scores(clause.acts) for clause in clauses])

    def fact_scores(self, clauses: Sequence[ClauseFeatures], keys: Sequence[str]) -> Numbers:
        """Return the log-odds that each clause asks for each fact, of shape `(clauses, keys)`."""
        scores = np.full((len(clauses), len(keys)), -np.inf)
        places = {key: place for place, key in enumerate(keys)}
        own = {} if self.own is None else {k: i for i, k in enumerate(self.own.columns)}
        for row, clause in enumerate(clauses):
            learned = None if self.own is None else self.own.scores(clause.words)
            if learned is not None:
                for key in own.keys() & places.keys():
                    scores[row, places[key]] = learned[own[key]]
            if not clause.facts:
                continue
            shared = float(self.facts.scores(clause.acts)[0])
            for key, features in clause.facts.items():
                base = learned[own[key]] if learned is not None and key in own else self._start
                if key not in own and _is_asked(features):
                    base += UNLEARNED
                local = float(self.facts.scores([CANDIDATE, *features])[0] - self.facts.start[0])
                scores[row, places[key]] = base + shared - self.facts.start[0] + local
        return scores

    @property
    def _start(self) -> float:
        return float(self.facts.start[0])


def _is_asked(features: frozenset[str]) -> bool:
    return not features.isdisjoint(_ASKED_BY_CUE) or features >= _ASKED_OF_ANOTHER


def of_message(scores: Numbers) -> Numbers:
    """Return the probability of each column, given the log-odds of all clauses (noisy-or)."""
    return np.asarray(1 - np.exp(-np.logaddexp(0, scores).sum(axis=0)))


@cache
def reader_model(learned: str = "") -> ReaderModel:
    """Return the shipped model, with a domain's own weights from a file `package/file`.

    Raises:
        UsageError: there is no such file, or it holds no weights; the message names it.
    """
    shared = load_arrays(SHARED)
    own = Weights.from_arrays(load_arrays(learned), "own") if learned else None
    return ReaderModel(
        Weights.from_arrays(shared, "acts"), Weights.from_arrays(shared, "facts"), own
    )


def stamp_of(learned: str = "") -> str:
    """Return what the weights were learned from: a digest of labelled messages, cues and features.

    Raises:
        UsageError: there is no such file, or it holds no weights; the message names it.
    """
    return stamp_in(learned or SHARED)


def spelled_words(learned: str = "") -> tuple[list[str], list[str]]:
    """Return the words of the messages that a model was learned from, and the usual ones of them.

    Raises:
        UsageError: there is no such file, or it holds no words; the message names it.
    """
    held = load_arrays(learned or SHARED)
    known, usual = (unpacked(held[name]) for name in ("words", "usual_words"))
    return known, usual


def save_weights(
    path: IO[bytes],
    weights: Mapping[str, Weights],
    words: tuple[Sequence[str], Sequence[str]],
    stamp: str,
) -> None:
    """Write weights to a file, by name, with the words, and the digest, of what they come from."""
    arrays = {key: one for name, part in weights.items() for key, one in part.arrays(name).items()}
    arrays |= {"words": packed(words[0]), "usual_words": packed(words[1])}
    np.savez_compressed(path, allow_pickle=False, stamp=packed([stamp]), **arrays)
