"""A small model that looks at all public features at once, cross-validated (design §5)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crab_graph.errors import MissingExtra
from crab_graph.generation.leakage import FloatArray, area_under_curve

FOLDS = 5

TASKS = 400
"""Tasks the model learns from at most."""


class Sample(NamedTuple):
    """Features of one task's rows of a node, ranked within the task to [0, 1]."""

    solutions: FloatArray
    distractors: FloatArray


def cross_validate(samples: Sequence[Sample]) -> list[float]:
    """Return each task's AUC of a model that learned from other tasks.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("the leakage model", "audit") from None
    chosen = samples[:TASKS]
    areas: list[float] = []
    for fold in range(FOLDS):
        training = [one for number, one in enumerate(chosen) if number % FOLDS != fold]
        features = np.concatenate([part for one in training for part in one])
        labels = np.concatenate(
            [[1] * len(one.solutions) + [0] * len(one.distractors) for one in training]
        )
        model = HistGradientBoostingClassifier(
            max_iter=40, max_leaf_nodes=8, class_weight="balanced", random_state=0
        )
        model.fit(features, labels)
        for one in chosen[fold::FOLDS]:
            scores = [model.predict_proba(part)[:, 1:] for part in one]
            areas.append(float(area_under_curve(*scores)[0]))
    return areas


def ranked(solutions: FloatArray, distractors: FloatArray) -> Sample:
    """Return a sample whose features are ranks among the task's rows, ties at their middle."""
    both = np.concatenate([solutions, distractors])
    below = (both[None, :, :] < both[:, None, :]).mean(axis=1)
    above = (both[None, :, :] > both[:, None, :]).mean(axis=1)
    ranks: FloatArray = (1 + below - above) / 2
    return Sample(ranks[: len(solutions)], ranks[len(solutions) :])
