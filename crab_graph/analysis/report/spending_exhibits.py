"""What episodes took, where it was measured: tokens, money and time, against who passed."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from crab_graph.analysis.report.exhibit import (
    Cell,
    Chart,
    Exhibit,
    Point,
    captioned,
    estimate_cell,
    named_heads,
)
from crab_graph.analysis.report.measures import PASS, estimate
from crab_graph.analysis.report.study import WHO, Arm, Study
from crab_graph.models.usage import PARTIES, totals
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import label

_HEADS = named_heads(
    "pass_at_1",
    "agent_tokens",
    "user_tokens",
    "dollars",
    "dollars_per_pass",
    "agent_seconds",
    "user_seconds",
)
_UNMEASURED = Cell("not measured", None)


def spending(study: Study) -> Iterator[Exhibit]:
    """Show what an episode took in the mean, by arm; nothing where no model was asked."""
    arms = [arm for arm in study.arms if any(one.usage for one in arm.records)]
    if not arms:
        return
    dollars = [_dollars(arm.records) for arm in arms]
    are_priced = all(one is not None for one in dollars)
    rows, points = [], []
    for arm, price in zip(arms, dollars, strict=True):
        (found,) = estimate(arm.records, [PASS])
        tokens = [_tokens(arm.records, party) for party in PARTIES]
        passes = sum(one.passed for one in arm.records)
        a_pass = None if price is None or not passes else price * len(arm.records) / passes
        rows.append(
            (
                *arm.cells(),
                estimate_cell(found, is_share=True, where=arm.where()),
                *(_cell(one, 0) for one in tokens),
                *(_cell(one, 4) for one in (price, a_pass)),
                *(_cell(_seconds(arm.records, party), 1) for party in PARTIES),
            )
        )
        x = price if are_priced else sum(one or 0.0 for one in tokens)
        if found.value is not None and x is not None:
            points += _point(arm, f"{x:.6g}", found.value, found.ends, found.basis)
    what = label("episode_dollars" if are_priced else "episode_tokens")
    chart = Chart("plane", what, PASS.title, points)
    yield captioned("spending", columns=(*WHO, *_HEADS), rows=rows, chart=chart)


def _point(
    arm: Arm, x: str, value: float, ends: tuple[float, float] | None, basis: str
) -> list[Point]:
    low, high = ends or (None, None)
    return [Point("", arm.who, arm.user_label, x, value, low, high, basis, arm.where())]


def _cell(value: float | None, digits: int) -> Cell:
    return _UNMEASURED if value is None else Cell(f"{value:,.{digits}f}", round(value, 6))


def _tokens(records: Sequence[EpisodeRecord], party: str) -> float | None:
    """Return the mean tokens of a party's models; `None` where an answer did not tell them."""
    taken = [totals(one.usage.get(party, {})) for one in records]
    if not any(one.calls for one in taken) or any(one.uncounted for one in taken):
        return None
    return fmean(one.tokens for one in taken)


def _dollars(records: Sequence[EpisodeRecord]) -> float | None:
    costs = [[one.cost.get(party) for party in one.usage] for one in records]
    if not any(costs) or any(None in own for own in costs):
        return None
    return fmean(sum(cost or 0.0 for cost in own) for own in costs)


def _seconds(records: Sequence[EpisodeRecord], party: str) -> float | None:
    measured = [one.seconds[party] for one in records if party in one.seconds]
    asked = sum(bool(one.usage.get(party)) for one in records)
    return fmean(measured) if measured and len(measured) == asked else None
