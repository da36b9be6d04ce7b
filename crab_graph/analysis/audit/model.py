"""A small model that looks at all public features at once, cross-validated (design §5)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crab_graph.errors import MissingExtra
from crab_graph.generation.features import FloatArray, area_under_curve

FOLDS = 5

TASKS = 400
"""Tasks the model learns from at most."""


class Sample(NamedTuple):
    """Features of one task's rows of a node: ranks within the task, and how far from its middle.

    The latter lets a linear model see solutions that stand in the midst of the others, or apart.
    """

    solutions: FloatArray
    distractors: FloatArray


def cross_validate(samples: Sequence[Sample]) -> list[float]:
    """Return each task's AUC of a model that learned from other tasks.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
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
        # Many rows and few features: Newton's method takes a tenth of the default's time.
        model = LogisticRegression(class_weight="balanced", solver="newton-cholesky")
        model.fit(features, labels)
        for one in chosen[fold::FOLDS]:
            scores = [model.decision_function(part)[:, None] for part in one]
            areas.append(float(area_under_curve(*scores)[0]))
    return areas


def ranked(solutions: FloatArray, distractors: FloatArray) -> Sample:
    """Return a sample whose features are ranks among the task's rows, in [0, 1], ties alike."""
    both = np.concatenate([solutions, distractors])
    below = (both[None, :, :] < both[:, None, :]).mean(axis=1)
    above = (both[None, :, :] > both[:, None, :]).mean(axis=1)
    balance = below - above
    ranks: FloatArray = np.concatenate([(1 + balance) / 2, np.abs(balance)], axis=1)
    return Sample(ranks[: len(solutions)], ranks[len(solutions) :])
