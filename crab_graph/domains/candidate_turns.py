"""Whose turn it is: the level and the value of each axis of every candidate, and who is chosen.

Candidates of a stratum that are as many apart as it has tasks are of one level and alike on the
domain's first axis; they compete for one place (paper A.3).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from crab_graph.domain.contract import find_domain
from crab_graph.domains.benchmark import Recipe
from crab_graph.domains.construction import OVERSAMPLE, CandidatePlan, GivenUp, Scouted
from crab_graph.domains.ladder import OPEN_DAYS
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Value
from crab_graph.generation.difficulty import Candidate, select


class _Turn(NamedTuple):
    """What a candidate is to be; `place` is what those have in common who compete."""

    level: int
    values: dict[str, Value]
    place: tuple[Value, ...]


def plan_candidates(recipe: Recipe, seed: int) -> Iterator[CandidatePlan]:
    """Yield the candidates to scout; levels, and the values of each axis, take turns."""
    for stratum, candidates in candidate_numbers(recipe).items():
        for number in range(candidates):
            turn = _turn(recipe, stratum, number)
            yield CandidatePlan(
                domain=recipe.domain,
                stratum=stratum,
                number=number,
                axes=turn.values,
                distractors=recipe.distractors,
                benchmark_seed=seed,
                paper=recipe.paper,
                level=turn.level,
                changes=recipe.changes,
            )


def candidate_numbers(recipe: Recipe) -> dict[int, int]:
    """Return how many candidates are scouted for each stratum.

    Without repair nothing is chosen: the ablation is to show what the algorithms make.
    """
    chosen = recipe.paper is None or recipe.paper.repair
    shares = _shares(recipe).items()
    return {stratum: wanted * (OVERSAMPLE if chosen else 1) for stratum, wanted in shares}


def is_lacking(recipe: Recipe, given_up: Sequence[GivenUp]) -> bool:
    """Tell whether more candidates were given up than can be spared, of those who compete.

    Half of those that are more than the tasks wanted can: that does not depend on which comes last.
    """
    numbers, shares = candidate_numbers(recipe), _shares(recipe)
    lost = Counter((one.stratum, _turn(recipe, one.stratum, one.number).place) for one in given_up)

    def in_place(stratum: int, place: tuple[Value, ...], most: int) -> int:
        return sum(_turn(recipe, stratum, number).place == place for number in range(most))

    return any(
        lost_here
        > (in_place(stratum, place, numbers[stratum]) - in_place(stratum, place, shares[stratum]))
        // 2
        for (stratum, place), lost_here in lost.items()
    )


def choose(
    scouted: Mapping[tuple[int, int], Scouted], stratum: int, recipe: Recipe
) -> list[Scouted]:
    """Choose the tasks of a stratum from its candidates, those of a place among themselves.

    Raises:
        UnsatisfiableTask: too few of them differ.
    """
    turns = [_turn(recipe, stratum, number) for number in range(_shares(recipe)[stratum])]
    order = [turn.place for turn in turns]
    alike: dict[tuple[Value, ...], list[Candidate]] = {place: [] for place in order}
    for (own, number), one in scouted.items():
        if own == stratum:
            alike[_turn(recipe, stratum, number).place].append(one.candidate)
    chosen: dict[tuple[Value, ...], list[Scouted]] = {}
    for place, candidates in alike.items():
        wanted = order.count(place)
        found = select(candidates, wanted)
        if len(found) < wanted:
            raise UnsatisfiableTask(
                f"stratum {stratum} has {len(found)} distinct tasks where "
                f"{wanted} are wanted; use another seed"
            )
        chosen[place] = [scouted[stratum, candidate.number] for candidate in found]
    return [chosen[place].pop(0) for place in order]


def _shares(recipe: Recipe) -> dict[int, int]:
    """Return the number of tasks of each stratum."""
    share, rest = divmod(recipe.tasks, len(recipe.strata))
    return {stratum: share + (order < rest) for order, stratum in enumerate(recipe.strata)}


def _turn(recipe: Recipe, stratum: int, number: int) -> _Turn:
    """Return a candidate's level and values; each moves on when those before it are round.

    Where a level leaves the days open the axis of windows stays at its widest.
    """
    levels, axes = recipe.levels, find_domain(recipe.domain).axes
    place, stride = number % _shares(recipe)[stratum], len(levels)
    level = levels[(place + stratum - 1) % len(levels)]
    values: dict[str, Value] = {}
    for axis in axes:
        values[axis.name] = axis.values[(place // stride + stratum - 1) % len(axis.values)]
        place, stride = number, stride * len(axis.values)
        if level in OPEN_DAYS and axis.widest is not None:
            values[axis.name] = axis.widest
    return _Turn(level, values, (level, *list(values.values())[:1]))
