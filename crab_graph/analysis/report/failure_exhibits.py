"""Why episodes failed: the paper's Tables 4 and 5, every check, and parts of a solution missed."""

from collections import Counter
from collections.abc import Callable, Sequence

from crab_graph.analysis.report import labels
from crab_graph.analysis.report.exhibit import (
    Cell,
    Exhibit,
    Head,
    count_cell,
    estimate_cell,
    rows_of,
    share_cell,
    text_cell,
)
from crab_graph.analysis.report.failures import solution_parts
from crab_graph.analysis.report.labels import check_titles
from crab_graph.analysis.report.measures import Measure, estimate, scored
from crab_graph.analysis.report.study import Arm, Study
from crab_graph.analysis.report.verdict_exhibits import WHO
from crab_graph.eval.checks import FailureMode, part_of
from crab_graph.runs.record import EpisodeRecord


def failure_modes(study: Study) -> list[Exhibit]:
    """Return failure modes with counts and shares: the paper's Tables 4 and 5."""
    return [
        *_modes(study, "table-4", "Table 4", "Concrete failures", ("concrete",)),
        *_modes(study, "table-5", "Table 5", "Abstract failures", ("factuality", "completion")),
    ]


def failed_checks(study: Study) -> Exhibit | None:
    """Return in how many episodes of each arm each check failed."""
    counts = {arm.label: _failed(arm) for arm in study.arms}
    failed = {check for found in counts.values() for check in found}
    if not failed:
        return None
    order = list(labels.PARTS)
    titles = check_titles()
    return Exhibit(
        id="checks",
        title="Every check that failed",
        caption="In how many episodes.",
        columns=(
            Head("check", "check", is_number=False),
            Head("title", "", is_number=False),
            *_arm_columns(study),
        ),
        rows=rows_of(
            [
                (
                    text_cell(check),
                    text_cell(titles.get(check, "")),
                    *(
                        count_cell(counts[arm.label][check], arm.where(check=check))
                        for arm in study.arms
                    ),
                )
                for check in sorted(failed, key=lambda one: (order.index(one[0]), one))
            ]
        ),
    )


def missed_parts(study: Study) -> Exhibit | None:
    """Return what became of the parts of the nearest certified solution."""
    rows = [
        (
            *arm.cells(),
            count_cell(found["episodes"], arm.where(outcome="!pass")),
            *(count_cell(found[name]) for name in labels.FOUND),
        )
        for arm in study.arms
        if (found := solution_parts(scored(arm.records)))["episodes"]
    ]
    if not rows:
        return None
    return Exhibit(
        id="solution-parts",
        title="How near the failures came",
        caption="Each failed episode beside the certified solution that is nearest to it: which of "
        "its parts were booked, never came up in a search, were seen and passed over, or were "
        "chosen and lost.",
        columns=(
            *WHO,
            Head("episodes", "failed"),
            *(Head(name, title) for name, title in labels.FOUND.items()),
        ),
        rows=rows_of(rows),
    )


def _modes(study: Study, id: str, paper: str, title: str, parts: Sequence[str]) -> list[Exhibit]:
    records = scored(study.records)
    counts = Counter(name for record in records for name in record.failures)
    rows: list[tuple[Cell, ...]] = []
    totals = []
    for part in parts:
        modes = [mode for mode in FailureMode if part_of(mode) == part and counts[mode]]
        total = sum(counts[mode] for mode in modes)
        totals.append((part, total))
        rows += [
            (
                text_cell(labels.words(mode)),
                text_cell(part),
                count_cell(counts[mode], {"mode": str(mode)}),
                share_cell(counts[mode] / total),
                estimate_cell(
                    estimate(records, [Measure(str(mode), "", _shows(str(mode)))])[0],
                    is_share=True,
                ),
                *(
                    count_cell(
                        sum(str(mode) in record.failures for record in scored(arm.records)),
                        arm.where(mode=str(mode)),
                    )
                    for arm in study.arms
                ),
            )
            for mode in sorted(modes, key=lambda mode: -counts[mode])
        ]
    if not rows:
        return []
    counted = ", ".join(f"{part}: {total}" for part, total in totals)
    return [
        Exhibit(
            id=id,
            paper=paper,
            title=f"{title} ({sum(total for _, total in totals)})",
            caption=f"{counted}. An episode counts once for each mode it shows. The share is of "
            "all modes of the part; beside it the share of all episodes with a verdict, with its "
            "interval.",
            columns=(
                Head("mode", "mode", is_number=False),
                Head("part", "part", is_number=False),
                Head("count", "count"),
                Head("share", "share"),
                Head("of_episodes", "of episodes (95 %)"),
                *_arm_columns(study),
            ),
            rows=rows_of(rows),
        )
    ]


def _arm_columns(study: Study) -> list[Head]:
    return [Head(arm.label, arm.heading) for arm in study.arms]


def _failed(arm: Arm) -> Counter[str]:
    return Counter(
        check
        for record in scored(arm.records)
        for check, verdict in record.checks.items()
        if verdict == "fail"
    )


def _shows(mode: str) -> Callable[[EpisodeRecord], float]:
    return lambda record: float(mode in record.failures)
