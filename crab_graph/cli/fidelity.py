"""`crab-graph fidelity`: how like people the simulated users of runs are, and what they did."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from crab_graph.cli.options import RunArguments
from crab_graph.cli.output import JsonOption, console, new_table, own_heads, print_json
from crab_graph.terms import label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crab_graph.analysis.fidelity.manipulation import ManipulationCheck
    from crab_graph.analysis.fidelity.published import Figure, Rate
    from crab_graph.analysis.fidelity.turn_rates import Fidelity

NONE_KNOWN = "none known"
FIGURES_A_TABLE = 6


def fidelity(runs: RunArguments, as_json: JsonOption = False) -> None:
    """Show how users talked and what they did, beside what was set and what people do.

    Rates of turns come by persona; the distance is the mean over the five kinds of how far a rate
    lies from people's, in brackets how near and far the 95 % intervals let it be. Then it says of
    each condition whether it took. --json has all intervals. Exits with 1 where one did not.
    """
    from crab_graph.analysis.fidelity.user_study import study_users

    found = study_users(*runs)
    if as_json:
        print_json(found.as_json())
    else:
        _print_rates(found.groups)
        _print_checks(found.checks)
        print(*found.notes, sep="\n")
    if not found.ok:
        raise typer.Exit(1)


def _print_rates(groups: "Sequence[Fidelity]") -> None:
    from crab_graph.analysis.fidelity.published import people_rates
    from crab_graph.analysis.fidelity.turn_rates import HUMAN, HUMAN_WORDS, closer_than_generic

    heads = ("tasks", "episodes", "messages", *HUMAN, "words", "facts", "distance")
    table = new_table("engine", "user", "persona", numbers=heads)
    shares = [_range(people_rates()[kind], is_share=True) for kind in HUMAN]
    table.add_row("people", "", "", "", "", "", *shares, f"{HUMAN_WORDS:g}", "", "")
    for one in groups:
        distance = f"{100 * one.distance.value:.1f}"
        if (ends := one.distance.interval.ends) is not None:
            distance += f" ({100 * ends[0]:.1f}–{100 * ends[1]:.1f})"
        table.add_row(
            one.engine,
            one.condition,
            one.persona or "all",
            *map(str, (one.tasks, one.episodes, one.turns)),
            *(f"{100 * rate.value:.1f} %" for rate in one.rates.values()),
            f"{one.words.value:.1f}",
            f"{one.facts.value:.2f}",
            distance,
        )
    console().print(table)
    for note in dict.fromkeys(one.distance.interval.note for one in groups):
        if note:
            print(f"Without brackets: {note}.")
    for engine, found in closer_than_generic(groups).items():
        far = [label(kind) for kind, is_closer in found.items() if not is_closer]
        verdict = f"all but {', '.join(far)}" if far else "every rate"
        print(f"{engine}: ruse is as near to people as generic, or nearer, on {verdict}.")


def _print_checks(checks: "Sequence[ManipulationCheck]") -> None:
    """Print what was measured of each condition over what was set, and which gates failed."""
    from crab_graph.analysis.fidelity.manipulation import GateState
    from crab_graph.analysis.fidelity.published import figures
    from crab_graph.analysis.fidelity.user_study import people_sources

    rows: dict[tuple[str, str], dict[str, ManipulationCheck]] = {}
    for check in checks:
        rows.setdefault((check.engine, check.condition), {})[check.figure.key] = check
    every = list(figures().values())
    for first in range(0, len(every) if rows else 0, FIGURES_A_TABLE):
        console().print("", _check_table(rows, every[first : first + FIGURES_A_TABLE]), sep="\n")
    if not rows:
        return
    for source in people_sources():
        print(f"People: {source}; where nothing is published it says '{NONE_KNOWN}'.")
    print("Set: by hand, in fields of a condition. Measured: from transcript, record and tables.")
    counts = {gate: sum(check.gate is gate for check in checks) for gate in GateState}
    print("Gates: " + ", ".join(f"{count} {gate}" for gate, count in counts.items()) + ".")
    for check in checks:
        if check.gate is GateState.FAILED:
            print(f"✗ {check.engine}, {check.condition}: {_failure(check)}")


def _check_table(
    rows: "Mapping[tuple[str, str], Mapping[str, ManipulationCheck]]", shown: "Sequence[Figure]"
) -> Any:
    from crab_graph.analysis.fidelity.manipulation import GateState

    table = new_table("engine", "user", "", numbers=own_heads(figure.label for figure in shown))
    published = [
        NONE_KNOWN if one.people is None else _range(one.people, is_share=one.is_share)
        for one in shown
    ]
    table.add_row("people", "", "published", *published)
    for (engine, condition), found in rows.items():
        checks = [found[figure.key] for figure in shown]
        measured = [
            _number(check) + (" ✗" if check.gate is GateState.FAILED else "") for check in checks
        ]
        table.add_row(engine, condition, "measured", *measured)
        table.add_row("", "", "set", *map(_setting, checks), style="dim")
    return table


def _number(check: "ManipulationCheck") -> str:
    if check.measured is None:
        return "–"
    value = check.measured.value
    return f"{100 * value:.1f} %" if check.figure.is_share else f"{value:.1f}"


def _setting(check: "ManipulationCheck") -> str:
    """Return the fields that set a figure, such as `2` or `doubts 2, uncertain 0.09`."""
    said = {name: "/".join(map(_value, values)) for name, values in check.set_to.items()}
    if list(said) == [check.figure.key]:
        return said[check.figure.key]
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in said.items())


def _value(value: bool | float | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "all" if value is None else f"{value:g}"


def _failure(check: "ManipulationCheck") -> str:
    band, about = check.band, f"{check.figure.label} {_number(check)} of {check.cases}"
    if band is None:
        return about
    if band.is_of_each:
        return f"{about}, of which {100 * check.breaches:.1f} % are not as set: {_setting(check)}"
    scale, unit = (100, " %") if check.figure.is_share else (1, "")
    return f"{about}, expected {scale * band.low:.3g} to {scale * band.high:.3g}{unit}"


def _range(rate: "Rate", *, is_share: bool) -> str:
    scale, unit = (100, " %") if is_share else (1, "")
    ends = dict.fromkeys(f"{scale * end:g}" for end in (rate.low, rate.high))
    return "–".join(ends) + unit
