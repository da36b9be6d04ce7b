"""Why episodes failed: the paper's Tables 4 and 5, checks, parts and facts missed, and turns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from crab_graph import terms
from crab_graph.analysis import labels
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import (
    Cell,
    Chart,
    Exhibit,
    Head,
    Point,
    captioned,
    count_cell,
    heads,
    interval_text,
    named_heads,
    share_cell,
)
from crab_graph.analysis.report.measures import Measure, estimate, estimate_cells, scored
from crab_graph.analysis.report.study import WHO, Arm, Study
from crab_graph.eval.checks import FailureMode, part_of
from crab_graph.eval.statistics import rests_on
from crab_graph.runs.pivot import Pivot, PivotTurn

_LONGEST = 70


def failure_modes(study: Study) -> Iterator[Exhibit]:
    """Show failure modes with counts and shares: the paper's Tables 4 and 5."""
    yield from _modes(study, "4", ("concrete",))
    yield from _modes(study, "5", ("factuality", "completion"))


def failed_checks(study: Study) -> Iterator[Exhibit]:
    """Show in how many episodes of each arm each check failed."""
    counts = [
        Counter(check for one in scored(arm.records) for check in measures.failed_checks(one))
        for arm in study.arms
    ]
    failed = {check for found in counts for check in found}
    if not failed:
        return
    # Verdicts list checks in their order; the longest one has most of them, if not all.
    verdicts = sorted((list(one.checks) for arm in study.arms for one in arm.records), key=len)
    order = dict.fromkeys(chain.from_iterable(reversed(verdicts)))
    titles = [labels.check_titles(study.runs[arm.run].card) for arm in study.arms]
    # Domains may call different checks by one label: each has a row of its own.
    listed = [
        (check, title)
        for check in order
        if check in failed
        for title in dict.fromkeys(of_arm.get(check, "") for of_arm in titles)
        if any(
            found[check] and of_arm.get(check, "") == title
            for found, of_arm in zip(counts, titles, strict=True)
        )
    ]
    yield captioned(
        "checks",
        columns=(
            *named_heads("check", is_number=False),
            Head("title", "", is_number=False),
            *map(_arm_head, study.arms),
        ),
        rows=[
            (
                Cell(check),
                Cell(title),
                *(
                    count_cell(found[check], arm.where(check=check))
                    if of_arm.get(check, "") == title
                    else Cell("")
                    for arm, found, of_arm in zip(study.arms, counts, titles, strict=True)
                ),
            )
            for check, title in listed
        ],
    )


def missed_parts(study: Study) -> Iterator[Exhibit]:
    """Show what became of the parts of the nearest certified solution."""
    rows = []
    for arm in study.arms:
        explained = [one.explanation for one in scored(arm.records) if one.explanation]
        found = Counter(part["found"] for one in explained for part in one["parts"])
        if explained:
            failed = count_cell(len(explained), arm.where(outcome="!pass"))
            rows.append((*arm.cells(), failed, *(count_cell(found[one]) for one in terms.FOUND)))
    if rows:
        columns = (*WHO, Head("episodes", terms.label("failed")), *heads(terms.FOUND))
        yield captioned("solution-parts", columns, rows)


def fact_fates(study: Study) -> Iterator[Exhibit]:
    """Show how many of the users' facts agents got in time, late or never, or ignored."""
    rows = []
    for arm in study.arms:
        fates = [record.fact_fates for record in scored(arm.records) if record.fact_fates]
        counts = Counter(fate for one in fates for fate in one.values())
        if fates:
            found = (count_cell(counts[fate]) for fate in terms.FATES)
            rows.append((*arm.cells(), count_cell(len(fates)), *found))
    if rows:
        columns = (*WHO, *named_heads("episodes"), *heads(terms.FATES))
        yield captioned("fact-fates", columns, rows)


def user_breaches(study: Study) -> Iterator[Exhibit]:
    """Show what models that play users did wrong, by kind, and what they told beyond bounds."""
    arms = [(arm, [one for one in arm.records if one.user_engine == "llm"]) for arm in study.arms]
    counts = [
        Counter(str(f["kind"]) for one in found for f in one.user_faults) for _, found in arms
    ]
    kinds = sorted({kind for found in counts for kind in found})
    rows = []
    for (arm, found), kinds_found in zip(arms, counts, strict=True):
        if found:
            told = [one.over_disclosed for one in found if one.over_disclosed is not None]
            rows.append(
                (
                    *arm.cells(),
                    count_cell(len(found)),
                    count_cell(sum(one.user_retries for one in found)),
                    *(count_cell(kinds_found[kind]) for kind in kinds),
                    Cell(f"{sum(told) / len(told):.2f}" if told else "–"),
                )
            )
    if rows:
        columns = (
            *WHO,
            *named_heads("episodes"),
            Head("retries", terms.label("asked_again")),
            *heads({kind: kind.replace("_", " ") for kind in kinds}),
            *named_heads("over_disclosed"),
        )
        yield captioned("user-breaches", columns, rows)


def turning_points(study: Study) -> Iterator[Exhibit]:
    """Show the chance to pass after each message of the episodes that `pivot` forked."""
    found = [(run.name, pivot) for run in study.runs for pivot in run.pivots]
    if not found:
        return
    several = len({name for name, _ in found}) > 1
    rows: list[Sequence[Cell]] = []
    points: list[Point] = []
    for name, pivot in found:
        agent = f"{pivot.agent}{' (reference)' if pivot.agent_is_reference else ''}"
        episode = f"{pivot.episode_id} in {name}" if several else pivot.episode_id
        panel = f"{episode}, {agent}: {terms.OUTCOMES[pivot.outcome]}"
        for turn in pivot.turns:
            rows.append((Cell(episode), *_turn_cells(pivot, turn)))
            # What came of the episode itself is known.
            n = "" if turn is pivot.turns[-1] else rests_on(1, turn.n, "continuation")
            points.append(Point(panel, "", "", str(turn.turn), turn.rate, turn.low, turn.high, n))
    columns = (
        *named_heads("episode", "agent", is_number=False),
        Head("turn", terms.label("message")),
        Head("role", terms.label("by"), is_number=False),
        Head("rate", terms.label("chance")),
        Head("n", terms.label("continuations")),
        *named_heads("change"),
        Head("text", terms.label("said"), is_number=False),
    )
    yield captioned(
        "pivots",
        columns,
        rows,
        chart=Chart("line", terms.label("message"), terms.label("chance"), points),
    )


def _modes(study: Study, number: str, parts: Sequence[str]) -> Iterator[Exhibit]:
    records = scored(study.records)
    counts = Counter(name for record in records for name in record.failures)
    totals = {
        part: sum(counts[mode] for mode in FailureMode if part_of(mode) == part) for part in parts
    }
    rows = [
        _mode_row(study, mode, counts[mode], totals[part])
        for part in parts
        for mode in sorted(FailureMode, key=lambda mode: -counts[mode])
        if part_of(mode) == part and counts[mode]
    ]
    if not rows:
        return
    basis = rests_on(len({record.task_id for record in records}), len(records))
    of_all = terms.label("share_of_episodes").format(basis=basis)
    yield captioned(
        "failures",
        id=f"table-{number}",
        number=number,
        total=sum(totals.values()),
        counted=", ".join(f"{part}: {total}" for part, total in totals.items()),
        columns=(
            *named_heads("mode", "part", is_number=False),
            Head("count", terms.label("episodes")),
            Head("share", terms.label("share_of_modes")),
            Head("of_episodes", of_all),
            *map(_arm_head, study.arms),
        ),
        rows=rows,
    )


def _mode_row(study: Study, mode: FailureMode, count: int, total: int) -> Sequence[Cell]:
    shows = Measure(mode, mode, lambda record: float(mode in record.failures))
    return (
        Cell(terms.words(mode)),
        Cell(terms.label(part_of(mode))),
        count_cell(count, {"mode": str(mode)}),
        share_cell(count / total),
        *estimate_cells(estimate(study.records, [shows]), [shows]),
        *(
            count_cell(
                sum(mode in record.failures for record in scored(arm.records)),
                arm.where(mode=str(mode)),
            )
            for arm in study.arms
        ),
    )


def _arm_head(arm: Arm) -> Head:
    return Head(arm.label, arm.label.replace(" with ", "\n", 1))


def _turn_cells(pivot: Pivot, turn: PivotTurn) -> Sequence[Cell]:
    said = " ".join(turn.text.split())
    shown = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
    change = turn.change
    ends = None if turn.low is None or turn.high is None else (turn.low, turn.high)
    return (
        Cell(pivot.agent, tag="reference" if pivot.agent_is_reference else ""),
        Cell(str(turn.turn), turn.turn, is_strong=turn.turn == pivot.decisive),
        Cell(turn.role or "–", turn.role or "–"),
        Cell(
            f"{turn.rate:.0%}",
            {"value": turn.rate, "low": turn.low, "high": turn.high, "passed": turn.passed},
            note=f"({interval_text(ends)})",
        ),
        count_cell(turn.n),
        Cell("" if change is None else f"{100 * change:+.0f}".replace("-", "−"), change),
        Cell(shown, shown),
    )
