"""What each factor of the user costs: conditions compared in pairs (paper section 5, Figure 7).

Episodes are paired by task and trial and share their seed: a pair differs in its condition alone.
The figures are per-task differences to the first condition, as rulebook §12 asks. p values are
adjusted by Holm within each measure, over the conditions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from crab_graph import markup
from crab_graph.domain.verification import Part
from crab_graph.errors import UsageError
from crab_graph.eval.intervals import COUNT_BOUNDS, mean_intervals, share_intervals
from crab_graph.eval.statistics import (
    Contrast,
    Estimate,
    compare,
    estimated,
    holm,
    minimal_detectable_effect,
)
from crab_graph.eval.verifiers import part_of_check
from crab_graph.personas.condition import Persona
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import label

if TYPE_CHECKING:
    from crab_graph.runs.run import Run

PASS = "pass_at_1"
PARTS = tuple(map(str, Part))
EFFORT = ("total_tool_calls", "redundant_calls", "call_cancellation", "admitted_errors")
MEASURES = (PASS, *PARTS, *EFFORT)
ALPHA = 0.05

_Pair = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Effect:
    """What one condition changes in one measure, against the reference.

    `p_holm` is p adjusted over the conditions of the ablation; `detectable` the effect that these
    tasks find with 80 % power, to be quoted beside a null result.
    """

    contrast: Contrast
    p_holm: float
    detectable: float | None
    pairs: int

    @property
    def is_null(self) -> bool:
        """Whether the adjusted p leaves it open that there is no difference."""
        return self.p_holm > ALPHA

    def as_json(self) -> dict[str, Any]:
        """Return the effect as `ablate --json` prints it."""
        found = self.contrast
        return {
            "difference": found.difference,
            **found.interval.as_json(),
            "relative_drop": found.relative_drop,
            "p": found.p,
            "p_holm": self.p_holm,
            "minimal_detectable_effect": self.detectable,
            "tasks": found.tasks,
            "pairs": self.pairs,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Ablation:
    """Conditions compared with the first of them: levels and effects by condition and measure.

    `single` are the conditions that are one dimension alone, without a persona; `run` has the
    episodes.
    """

    reference: str
    levels: Mapping[str, Mapping[str, Estimate]]
    effects: Mapping[str, Mapping[str, Effect]]
    single: tuple[str, ...] = ()
    run: "Run | None" = None

    def __repr__(self) -> str:
        """Return the conditions."""
        return f"<Ablation: {', '.join(self.levels)}>"

    @property
    def costliest(self) -> str | None:
        """The single dimension whose drop in pass@1 is largest; any condition without those."""
        single = self.single or tuple(self.effects)
        drops = {name: -self.effects[name][PASS].contrast.difference for name in single}
        worst = max(drops, key=lambda name: drops[name], default=None)
        return worst if worst is not None and drops[worst] > 0 else None

    def costs_in(self, condition: str) -> list[str]:
        """Return the parts of the verdict that a condition lowers, the most first; then efficiency.

        Efficiency is lowered where the agent makes more calls, repeats more or cancels more.
        """
        parts = {name: self.effects[condition][name].contrast.difference for name in PARTS}
        found = sorted((name for name in parts if parts[name] < 0), key=lambda name: parts[name])
        effort = [self.effects[condition][name].contrast.difference for name in EFFORT[:3]]
        return [*found, *(["efficiency"] if max(effort) > 0 else [])]

    def _repr_html_(self) -> str:
        """Return what a notebook shows: pass@1 of each condition against the first."""
        rows = []
        for condition, levels in self.levels.items():
            level, effect = levels[PASS], self.effects.get(condition, {}).get(PASS)
            told = ["", ""]
            if effect is not None:
                ends = effect.contrast.interval.ends
                between = "–" if ends is None else "{:+.0%} to {:+.0%}".format(*ends)
                told = [f"{effect.contrast.difference:+.0%} ({between})", f"{effect.p_holm:.4f}"]
            rate = "–" if level.value is None else f"{level.value:.0%}"
            rows.append((condition, level.tasks, level.episodes, rate, *told))
        names = ("tasks", "episodes", "pass_at_1", "difference", "p_holm")
        numbers = tuple(map(label, names))
        return markup.shown(
            f"pass@1 against {self.reference}",
            markup.table((label("user"), *numbers), rows, numbers=numbers),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the document that `ablate --json` prints."""
        worst = self.costliest
        return {
            "reference": self.reference,
            "costliest": worst,
            "costs_in": self.costs_in(worst) if worst is not None else [],
            "conditions": [
                {
                    "condition": condition,
                    "measures": {name: level.as_json() for name, level in levels.items()},
                    "effects": {
                        name: effect.as_json()
                        for name, effect in self.effects.get(condition, {}).items()
                    },
                    "tasks": levels[PASS].tasks,
                    "episodes": levels[PASS].episodes,
                }
                for condition, levels in self.levels.items()
            ],
        }


def compare_conditions(
    records: Sequence[EpisodeRecord], conditions: Sequence[str], seed: int = 0
) -> Ablation:
    """Compare conditions with the first of them.

    Episodes without a verdict are left out, with their pairs.

    Raises:
        UsageError: there are fewer than two conditions, or one shares no pair with the reference.
    """
    if len(conditions) < 2:
        raise UsageError("an ablation compares two conditions or more")
    reference = conditions[0]
    scored = {
        condition: {
            (record.task_id, record.trial): record
            for record in records
            if record.condition == condition and record.outcome != "infra_error"
        }
        for condition in conditions
    }
    missing = [one for one in conditions if not scored[one].keys() & scored[reference].keys()]
    if missing:
        raise UsageError(f"condition '{missing[0]}' shares no graded episode with '{reference}'")
    effects: dict[str, dict[str, Effect]] = {name: {} for name in conditions[1:]}
    for measure in MEASURES:
        found = {
            name: _contrast(scored[reference], scored[name], measure, seed) for name in effects
        }
        adjusted = holm({name: contrast.p for name, (contrast, _, _) in found.items()})
        for name, (contrast, detectable, pairs) in found.items():
            effects[name][measure] = Effect(contrast, adjusted[name], detectable, pairs)
    levels = {
        name: {measure: _level(scored[name], measure, seed) for measure in MEASURES}
        for name in conditions
    }
    single = tuple(
        name
        for name in effects
        if all(
            one.persona == Persona.NONE and len(one.dimensions) == 1
            for one in scored[name].values()
        )
    )
    return Ablation(reference, levels, effects, single)


def _measured(measure: str) -> Callable[[EpisodeRecord], float]:
    """Return how a measure is read from an episode."""
    if measure == PASS:
        return lambda record: float(record.passed)
    if measure in PARTS:
        return lambda record: float(
            all(
                verdict != "fail" or part_of_check(check) != measure
                for check, verdict in record.checks.items()
            )
        )
    return lambda record: float(record.metrics.get(measure, 0))


def _contrast(
    first: Mapping[_Pair, EpisodeRecord],
    second: Mapping[_Pair, EpisodeRecord],
    measure: str,
    seed: int,
) -> tuple[Contrast, float | None, int]:
    pairs = sorted(first.keys() & second.keys())
    before, strata = _by_task(first, pairs, _measured(measure))
    after, _ = _by_task(second, pairs, _measured(measure))
    differences = [late - early for early, late in zip(before, after, strict=True)]
    of_shares = None if measure in EFFORT else len(pairs)
    contrast = compare(before, after, strata, of_shares, seed=seed)
    return contrast, minimal_detectable_effect(differences), len(pairs)


def _level(episodes: Mapping[_Pair, EpisodeRecord], measure: str, seed: int) -> Estimate:
    means, strata = _by_task(episodes, sorted(episodes), _measured(measure))
    if measure in EFFORT:
        (interval,) = mean_intervals([means], strata, bounds=COUNT_BOUNDS, seed=seed)
    else:
        (interval,) = share_intervals([means], strata, len(episodes), seed=seed)
    return estimated(fmean(means), interval, len(means), len(episodes))


def _by_task(
    episodes: Mapping[_Pair, EpisodeRecord],
    pairs: Sequence[_Pair],
    value: Callable[[EpisodeRecord], float],
) -> tuple[list[float], list[int]]:
    """Return the mean over the trials of each task, and the stratum of each."""
    values: dict[str, list[float]] = {}
    strata: dict[str, int] = {}
    for pair in pairs:
        record = episodes[pair]
        values.setdefault(record.task_id, []).append(value(record))
        strata[record.task_id] = record.stratum
    return [fmean(values[task_id]) for task_id in values], [strata[task_id] for task_id in values]
