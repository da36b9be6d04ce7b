"""`crab-graph ablate`: what each factor of the user costs an agent."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph import terms
from crab_graph.cli.options import BenchArgument, DryRunOption, ForceOption
from crab_graph.cli.output import JsonOption, agent_title, console, new_table, own_heads, print_json
from crab_graph.settings import ABLATION, RunSettings, SittingSettings

if TYPE_CHECKING:
    from crab_graph.runs.ablation import Ablation
    from crab_graph.runs.run import Run


def ablate(
    bench: BenchArgument,
    agent: Annotated[
        str, typer.Option(metavar="SPEC", envvar="CRAB_AGENT", help="The agent, as for `run`.")
    ],
    out: Annotated[Path, typer.Option(metavar="RUN", help="Directory of the run.")],
    settings: RunSettings,
    terms: SittingSettings,
    conditions: Annotated[
        str, typer.Option(help="Conditions with commas; the others are compared with the first.")
    ] = ",".join(ABLATION),
    dry_run: DryRunOption = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run the same tasks and trials under several users, and say what each factor costs.

    Differences are to the first condition, per task, with their 95 % interval, the p of a sign-flip
    permutation and the same adjusted by Holm. RUN is an ordinary run: `resume`, `report`
    and `show` work on it, and the same command goes on where an interrupted one stopped.
    """
    from crab_graph.cli.run_output import episode_bar, print_estimate, print_run, read_conditions
    from crab_graph.errors import UsageError
    from crab_graph.runs.ablation import compare_conditions
    from crab_graph.runs.runner import sit
    from crab_graph.runs.sitting import prepare_sitting

    users = read_conditions(conditions, settings)
    if len(users) < 2:
        raise UsageError("an ablation compares two conditions or more: --conditions generic,d2")
    sitting = prepare_sitting(out, bench, agent, users, settings, terms)
    if dry_run:
        print_estimate(sitting, as_json=as_json, force=force)
        return
    with episode_bar(out) as bar:
        result = sit(sitting, bar, force=force)
    if bar.stopped is not None:
        print_run(result, bar, as_json=as_json)
    compared = compare_conditions(result.episodes, result.config.users)
    if as_json:
        about = {"run": str(out), "agent": result.config.agent_name, "user_engine": settings.engine}
        about["toolset"] = result.config.toolset
        print_json({**about, "complete": result.is_complete, **compared.as_json()})
    else:
        _print(compared, result)
    if not result.is_complete:
        raise typer.Exit(1)


def _print(found: "Ablation", run: "Run") -> None:
    from crab_graph.analysis.report.exhibit import interval_text
    from crab_graph.eval.statistics import rests_on
    from crab_graph.runs.ablation import EFFORT, PARTS, PASS

    reference = any(one.agent_is_reference for one in run.episodes)
    label = agent_title(run.config.agent_label, reference)
    heads = ("tasks", "episodes", "rate", "pairs", "difference", "relative_drop")
    table = new_table(
        "user",
        numbers=(*heads, "p", "p_holm"),
        title=f"{label}: {terms.label('pass_at_1')} against {found.reference}",
    )
    for condition, levels in found.levels.items():
        effect = found.effects.get(condition, {}).get(PASS)
        level, cells = levels[PASS], [""] * 5
        if effect is not None:
            one = effect.contrast
            drop = one.relative_drop
            ends = one.interval.ends
            told = "–" if ends is None else " to ".join(f"{100 * end:+.1f}" for end in ends)
            cells = [
                rests_on(one.tasks, effect.pairs, "pair"),
                f"{100 * one.difference:+.1f} ({told})",
                "-" if drop is None else f"{100 * drop + 0.0:.1f} %",
                f"{one.p:.4f}",
                f"{effect.p_holm:.4f}",
            ]
        rate = f"{100 * (level.value or 0):.1f} % ({interval_text(level.ends)})"
        table.add_row(condition, str(level.tasks), str(level.episodes), rate, *cells)
    console().print(table)
    for note in dict.fromkeys(levels[PASS].note for levels in found.levels.values()):
        if note:
            print(f"(–): {note}.")
    title = f"Where it shows: differences to {found.reference}, points and counts an episode"
    effort = own_heads(terms.EFFORT[name] for name in EFFORT)
    where = new_table("user", numbers=(*PARTS, *effort), title=title)
    for condition, effects in found.effects.items():
        cells = []
        for name in (*PARTS, *EFFORT):
            difference = effects[name].contrast.difference
            shown = f"{100 * difference:+.1f}" if name in PARTS else f"{difference:+.2f}"
            cells.append(f"{shown} " if effects[name].is_null else f"{shown}*")
        where.add_row(condition, *cells)
    console().print("", where, "* p ≤ 0.05 after Holm, within the column", "", sep="\n")
    _print_conclusion(found)
    if run.config.user_engine == "rules":
        print("The user was the rule-based simulator, without a language model behind it.")


def _print_conclusion(found: "Ablation") -> None:
    from crab_graph.runs.ablation import PASS

    worst = found.costliest
    among = "single dimension" if found.single else "condition"
    if worst is None:
        print(f"No {among} passes less often than {found.reference}.")
    else:
        places = ", ".join(found.costs_in(worst)) or "no single part"
        effect = found.effects[worst][PASS]
        told = f"{100 * effect.contrast.difference:+.1f} points of pass@1"
        if effect.is_null:
            told += f", which may be chance (p = {effect.p_holm:.2f} after Holm)"
        print(f"The {among} that costs most is {worst}: {told}; it shows in {places}.")
    unsure = [
        detectable
        for effects in found.effects.values()
        if effects[PASS].is_null and (detectable := effects[PASS].detectable)
    ]
    if unsure:
        print(
            "Where p (Holm) is above 0.05, these tasks would find a difference of "
            f"{100 * max(unsure):.0f} points with a power of 80 %."
        )
