"""Arms compared in pairs, task by task: what a user costs, and which agent does better."""

from collections.abc import Callable, Sequence

from crab_graph.analysis.report import measures
from crab_graph.analysis.report.exhibit import Cell, Exhibit, Head, points_text, text_cell
from crab_graph.analysis.report.study import REFERENCE_USER, Arm, Study
from crab_graph.analysis.report.verdict_exhibits import WORK

NOTE = (
    "p: sign-flip permutations over tasks, in brackets adjusted by Holm over the comparisons of "
    "the family. Where nothing is found, a difference smaller than the detectable one (80 % "
    "power) may still be there; “no spread” says that every task came out alike, which tells "
    "nothing of that. Measures that are zero throughout are left out."
)
_LEAST_P = 0.001
VERDICTS = (measures.PASS, measures.CONCRETE, measures.ABSTRACT)

_COLUMNS = (
    Head("measure", "measure", is_number=False),
    Head("tasks", "tasks"),
    Head("pairs", "pairs"),
    Head("first", "from"),
    Head("second", "to"),
    Head("difference", "difference (95 %)"),
    Head("relative_drop", "relative drop Δ"),
    Head("p", "p (Holm)"),
    Head("detectable", "detectable"),
)


def users_compared(study: Study) -> list[Exhibit]:
    """Return each agent's users against its reference: the Δ of the paper's Tables 2 and 3."""
    families = [
        _against_reference(arms, lambda arm: arm.user == REFERENCE_USER) for arms in study.agents()
    ]
    return _exhibits(
        families,
        ids=("table-2-users", "table-3-users"),
        titles=("What a user costs: verdicts", "What a user costs: communication and efficiency"),
        papers=("Table 2, Δ", "Table 3, Δ"),
        caption="Each kind of user against the first, on the same tasks, trials and seeds.",
        heads=(Head("agent", "agent", is_number=False), Head("user", "user", is_number=False)),
        words=lambda first, second: (
            Cell(
                second.agent_label,
                second.agent_label,
                tag="reference" if second.is_reference else "",
            ),
            text_cell(f"{second.user_label} after {first.user}"),
        ),
    )


def agents_compared(study: Study) -> list[Exhibit]:
    """Return the agents against the first one, under each kind of user."""
    families = [_against_reference(arms, lambda arm: False) for arms in study.users()]
    return _exhibits(
        families,
        ids=("agents", "agents-work"),
        titles=("Agents compared: verdicts", "Agents compared: communication and efficiency"),
        papers=("", ""),
        caption="Each agent against the first, with the same user on the same tasks, trials and "
        "seeds.",
        heads=(Head("user", "user", is_number=False), Head("agent", "agent", is_number=False)),
        words=lambda first, second: (
            Cell(second.user_label, second.user),
            Cell(
                f"{second.agent_label} after {first.agent_label}",
                second.agent_label,
                tag="reference" if second.is_reference and first.is_reference else "",
            ),
        ),
    )


def difference_cells(one: measures.Pairing, first: Arm, second: Arm) -> tuple[Cell, ...]:
    """Return the cells of a comparison of two arms, from the name of its measure on."""
    share, contrast = one.measure.is_share, one.contrast
    low, high = points_text(contrast.low, share), points_text(contrast.high, share)
    drop = contrast.relative_drop
    detectable = one.detectable if one.is_null else None
    return (
        text_cell(one.measure.title),
        Cell(str(contrast.tasks), contrast.tasks),
        Cell(str(one.pairs), one.pairs),
        _level(one.first, share, first),
        _level(one.second, share, second),
        Cell(
            points_text(contrast.difference, share),
            {
                "value": contrast.difference,
                "low": contrast.low,
                "high": contrast.high,
                "is_null": one.is_null,
            },
            note=f"({low} to {high})",
            is_strong=not one.is_null,
        ),
        # What the paper prints: the change relative to the reference, a drop with a minus.
        Cell("–" if drop is None else f"{-drop:+.0%}".replace("-", "−"), drop),
        Cell(
            _p_text(contrast.p),
            {"p": contrast.p, "holm": one.p_holm, "mcnemar": one.p_mcnemar},
            note=f"({_p_text(one.p_holm)})",
        ),
        _detectable(detectable, share),
    )


def _level(value: float, is_share: bool, arm: Arm) -> Cell:
    return Cell(f"{value:.0%}" if is_share else f"{value:.2f}", value, where=arm.where())


def _p_text(p: float) -> str:
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.3f}"


def _is_told(one: measures.Pairing) -> bool:
    """Return whether there is anything to tell: verdicts always, the rest where it occurred."""
    return one.measure in VERDICTS or one.first != 0 or one.second != 0


def _detectable(value: float | None, is_share: bool) -> Cell:
    """Return the effect that could have been found; without spread in it nothing is known."""
    if value is None:
        return Cell("", None)
    if value == 0:
        return Cell("no spread", 0.0)
    return Cell(f"{100 * value:.1f}" if is_share else f"{value:.2f}", value)


_Comparison = tuple[Arm, Arm, list[measures.Pairing]]


def _against_reference(
    arms: Sequence[Arm], is_reference: Callable[[Arm], bool]
) -> list[_Comparison]:
    """Compare arms with a reference among them: a family, within which p is adjusted."""
    reference = next(filter(is_reference, arms), arms[0])
    wanted = (*VERDICTS, *WORK)
    found = [
        (arm, pairings)
        for arm in arms
        if arm is not reference
        and (pairings := measures.pair(reference.records, arm.records, wanted))
    ]
    adjusted = measures.adjust([pairings for _, pairings in found])
    return [(reference, arm, own) for (arm, _), own in zip(found, adjusted, strict=True)]


def _exhibits(
    families: Sequence[Sequence[_Comparison]],
    *,
    ids: tuple[str, str],
    titles: tuple[str, str],
    papers: tuple[str, str],
    caption: str,
    heads: tuple[Head, Head],
    words: Callable[[Arm, Arm], tuple[Cell, Cell]],
) -> list[Exhibit]:
    """Return one exhibit for verdicts and one for the work; none where nothing is paired."""
    comparisons = [one for family in families for one in family]
    if not comparisons:
        return []
    return [
        Exhibit(
            id=id,
            paper=paper,
            title=title,
            caption=f"{caption} Differences of shares are in percentage points.",
            columns=(*heads, *_COLUMNS),
            rows=tuple(
                (*words(first, second), *difference_cells(one, first, second))
                for first, second, pairings in comparisons
                for one in pairings
                if (one.measure in VERDICTS) == (id == ids[0]) and _is_told(one)
            ),
            notes=(NOTE,),
        )
        for id, title, paper in zip(ids, titles, papers, strict=True)
    ]
