"""Small models that look at all features of a row together (design §5).

They learn from some tasks what sets solutions apart and are tried on others. Both see ranks within
the task alone: prices and dates of one task say nothing in another.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from crab_graph.errors import MissingExtra
from crab_graph.generation.features import Features, FloatArray, area_under_curve
from crab_graph.generation.objects import IntArray

MOST_TASKS = 400
"""Tasks a model learns from at most."""

FOLDS = 5

TREES, LEAVES = 30, 8
"""Trees of the boosted model, and leaves of each; more tell no more, and take longer."""

LOOKED_AT = 3
"""Features that are told of, those that a model looks at most."""


class Learner(StrEnum):
    """The models: a logistic regression, and gradient-boosted trees."""

    LINEAR = "model"
    BOOSTED = "boosted"


class Sample(NamedTuple):
    """One task's rows of a node: their features as ranks, and how far these are from the middle.

    The latter lets a linear model see solutions that stand in the midst of the others, or apart.
    """

    names: Sequence[str]
    solutions: FloatArray
    distractors: FloatArray


class Learnt(NamedTuple):
    """Each task's AUC of a model that learned from others, and the features it looks at most."""

    areas: list[float]
    looked_at: list[str]


def rank_within(features: Features, solutions: IntArray, distractors: IntArray) -> Sample:
    """Return a sample of some rows, by their positions: ranks in [0, 1], ties alike."""
    both = features.values[np.concatenate([solutions, distractors])]
    below = (both[None, :, :] < both[:, None, :]).mean(axis=1)
    above = (both[None, :, :] > both[:, None, :]).mean(axis=1)
    balance = below - above
    ranks: FloatArray = np.concatenate([(1 + balance) / 2, np.abs(balance)], axis=1)
    return Sample(features.names, ranks[: len(solutions)], ranks[len(solutions) :])


def cross_validate(learner: Learner, samples: Sequence[Sample]) -> Learnt:
    """Return each task's AUC of a model that learned from other tasks.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    chosen = samples[:MOST_TASKS]
    areas: list[float] = []
    weights: list[FloatArray] = []
    for fold in range(FOLDS):
        model = _model(learner)
        training = [one for number, one in enumerate(chosen) if number % FOLDS != fold]
        features = np.concatenate([part for one in training for part in one[1:]])
        labels = np.concatenate(
            [[1] * len(one.solutions) + [0] * len(one.distractors) for one in training]
        )
        model.fit(features, labels)
        weights.append(np.abs(getattr(model, "coef_", np.zeros((1, features.shape[1])))[0]))
        parts = [part for one in chosen[fold::FOLDS] for part in one[1:]]
        # In one call, as a call takes longer than its rows.
        scores = model.decision_function(np.concatenate(parts))[:, None]
        of_each = np.split(scores, np.cumsum([len(part) for part in parts])[:-1])
        areas += [
            float(area_under_curve(*pair)[0])
            for pair in zip(of_each[::2], of_each[1::2], strict=True)
        ]
    return Learnt(areas, _most(chosen[0].names, np.mean(weights, axis=0)))


def _most(names: Sequence[str], weights: FloatArray) -> list[str]:
    """Return the names of the features with the largest weights, those of both kinds together."""
    of_each = np.maximum(weights[: len(names)], weights[len(names) :])
    order = np.argsort(-of_each, kind="stable")[:LOOKED_AT]
    return [names[place] for place in order if of_each[place] > 0]


def _model(learner: Learner) -> Any:
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("the leakage models", "audit") from None
    if learner is Learner.BOOSTED:
        return HistGradientBoostingClassifier(
            max_iter=TREES, max_leaf_nodes=LEAVES, max_bins=32, early_stopping=False
        )
    # Many rows and few features: Newton's method takes a tenth of the default's time.
    return LogisticRegression(class_weight="balanced", solver="newton-cholesky")
