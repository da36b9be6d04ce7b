"""`crab-graph pivot`: the chance to pass from every turn of an episode, and the decisive one."""

from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph import terms
from crab_graph.cli.options import EpisodeArgument, ForceOption, RunArgument, ask_to_trust
from crab_graph.cli.output import JsonOption, agent_title, console, new_table, print_json
from crab_graph.settings import TrustSettings, WorkSettings

if TYPE_CHECKING:
    from crab_graph.runs.pivot import Pivot

_SHOWN = 58
_WIDTH = 20


def pivot(
    run: RunArgument,
    episode: EpisodeArgument,
    work: WorkSettings,
    trusted: TrustSettings,
    trials: Annotated[int, typer.Option(help="Continuations from each turn.", min=1)] = 8,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fork an episode at every turn, and name the turn that decided it.

    From each visible message on, the same agent and user go on several times; the share that passes
    is the chance to pass from there. Interrupted, the same command goes on; more trials add to
    those that are there.

    Of a run that you did not write it is said what that imports and contacts, and --trust wanted.
    """
    from crab_graph.cli.run_output import episode_bar
    from crab_graph.runs.config import PIVOTS
    from crab_graph.runs.pivot import pivot_episode

    with episode_bar(run / PIVOTS / episode) as bar:
        found = ask_to_trust(
            trusted,
            lambda trust: pivot_episode(
                run, episode, trials, force=force, progress=bar, **vars(work), **vars(trust)
            ),
        )
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)


def _print(found: "Pivot") -> None:
    agent = agent_title(found.agent, found.agent_is_reference)
    outcome = terms.OUTCOMES[found.outcome]
    title = f"{found.episode_id} by {agent}: {outcome}; chance to pass after each message"
    table = new_table("message", "by", "said", title=title)
    for heading in ("", "chance", "interval", "continuations"):
        table.add_column(
            terms.label(heading), justify="left" if not heading else "right", no_wrap=True
        )
    for one in found.turns:
        text = " ".join(one.text.split()) or ("(nothing)" if one.turn else "(the beginning)")
        is_end = one.turn == found.turns[-1].turn
        table.add_row(
            str(one.turn),
            one.role or "",
            text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…",
            f"{'█' * round(one.rate * _WIDTH):<{_WIDTH}}",
            f"{100 * one.rate:.0f} %",
            "(the end)" if is_end else _interval(one.low, one.high),
            "" if is_end else str(one.n),
            style="bold" if one.turn == found.decisive else "",
        )
    console().print(table)
    print(_sentence(found))
    if found.without_verdict:
        print(f"{found.without_verdict} continuations broke down and are left out.")


def _sentence(found: "Pivot") -> str:
    if found.decisive is None:
        return "No message changed the chance towards the outcome."
    by_turn = {one.turn: one for one in found.turns}
    before, after = by_turn[found.decisive - 1], by_turn[found.decisive]
    certainty = "" if found.is_clear else f"; {found.trials} trials leave that uncertain"
    if after.change_low is None or after.change_high is None:
        change = "no interval below 2 continuations"
    else:
        change = f"change {100 * after.change_low:+.0f} to {100 * after.change_high:+.0f} points"
    return (
        f"Decisive: message {found.decisive}, by the "
        f"{'agent' if after.role == 'assistant' else 'user'}: the chance went from "
        f"{100 * before.rate:.0f} to {100 * after.rate:.0f} % "
        f"({change}{certainty})."
    )


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f} %"
