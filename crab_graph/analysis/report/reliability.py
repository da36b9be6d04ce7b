"""How reliably tasks are solved in repeated trials: pass^k and pass@k, the paper's Figure 9."""

from collections.abc import Callable

from crab_graph.analysis.report.exhibit import (
    Chart,
    Exhibit,
    Head,
    Point,
    count_cell,
    estimate_cell,
    rows_of,
    text_cell,
)
from crab_graph.analysis.report.measures import scored
from crab_graph.analysis.report.study import Arm, Study
from crab_graph.analysis.report.verdict_exhibits import WHO
from crab_graph.eval.statistics import (
    Estimate,
    Trials,
    bootstrap_interval,
    count_trials,
    pass_at_k,
    pass_hat_k,
)

_KINDS = {"pass^k": pass_hat_k, "pass@k": pass_at_k}


def reliability(study: Study) -> Exhibit | None:
    """Return pass^k and pass@k for each k that every task has trials for."""
    deepest = max((_fewest(_trials(arm)) for arm in study.arms), default=0)
    if deepest < 2:
        return None
    rows, points = [], []
    for arm in study.arms:
        trials = _trials(arm)
        for name, of_trials in _KINDS.items():
            found = {k: _estimate(trials, of_trials, k) for k in range(1, deepest + 1)}
            cells = [estimate_cell(one, is_share=True, where=arm.where()) for one in found.values()]
            tasks = count_cell(len(trials), arm.where())
            rows.append((*arm.cells(), text_cell(name), tasks, *cells))
            points += [
                Point(
                    name,
                    arm.who,
                    arm.user_label,
                    str(k),
                    one.value,
                    one.low,
                    one.high,
                    f"{one.trials} episodes on {one.tasks} tasks",
                    arm.where(),
                )
                for k, one in found.items()
                if one.value is not None
            ]
    return Exhibit(
        id="figure-9",
        paper="Figure 9",
        title="Reliability over repeated trials",
        caption="pass^k: the chance that k trials of a task all pass. pass@k: the chance that one "
        "of them does. k goes as far as every task has trials; nothing is extrapolated.",
        columns=(
            *WHO,
            Head("kind", "", is_number=False),
            Head("tasks", "tasks"),
            *(Head(f"k{k}", f"k = {k}") for k in range(1, deepest + 1)),
        ),
        rows=rows_of(rows),
        chart=Chart(
            "line",
            "k",
            "",
            tuple(points),
            alt="Charts of pass^k, which falls with k, and pass@k, which rises with it. The table "
            "below holds their numbers.",
        ),
    )


def _trials(arm: Arm) -> list[Trials]:
    results: dict[str, list[bool]] = {}
    strata: dict[str, int] = {}
    for record in scored(arm.records):
        results.setdefault(record.task_id, []).append(record.passed)
        strata[record.task_id] = record.stratum
    return count_trials(results, strata)


def _fewest(trials: list[Trials]) -> int:
    return min((one.total for one in trials), default=0)


def _estimate(
    trials: list[Trials], of_trials: Callable[[list[Trials], int], float], k: int
) -> Estimate:
    """Return the mean over tasks; nothing for more trials than every task has."""
    if not 1 <= k <= _fewest(trials):
        return Estimate(None, 0.0, 0.0, 0, 0)
    values = [of_trials([one], k) for one in trials]
    low, high = bootstrap_interval(values, [one.stratum for one in trials])
    total = sum(one.total for one in trials)
    return Estimate(of_trials(trials, k), low, high, len(trials), total)
