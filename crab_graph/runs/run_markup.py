"""What a notebook shows of a run: who passed.

A `Run` imports this module, so it does not import that.
"""

from statistics import fmean
from typing import Any

from crab_graph import markup
from crab_graph.eval.intervals import share_intervals
from crab_graph.eval.statistics import Estimate, estimated
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import OUTCOMES, label

_PLAYERS = {"rules": "the rule-based simulator, no language model"}


def run_html(run: Any) -> str:
    """Return who passed, by user."""
    rows = []
    for user in run.config.users:
        own = [one for one in run if one.condition == user]
        found = _rate([one for one in own if one.has_verdict])
        rate = "–" if found.value is None else f"{found.value:.0%}"
        ends = "–" if found.ends is None else "{:.0%} to {:.0%}".format(*found.ends)
        counts = (sum(one.outcome == outcome for one in own) for outcome in OUTCOMES)
        rows.append((user, found.tasks, len(own), rate, ends, *counts))
    names = ("tasks", "episodes", "pass_at_1", "interval")
    counted = (*map(label, names), *OUTCOMES.values())
    reference = any(one.agent_is_reference for one in run)
    agent = f"{run.config.agent_label}{' (reference agent, no LLM)' if reference else ''}"
    done = f"{len(run):,} of {run.planned:,} episodes"
    engine = run.config.user_engine
    return markup.shown(
        f"{run.directory}: {done} by {agent}",
        markup.table((label("user"), *counted), rows, numbers=counted),
        markup.paragraph(f"The users were played by: {_PLAYERS.get(engine, engine)}."),
    )


def _rate(episodes: list[EpisodeRecord]) -> Estimate:
    """Return pass@1 of episodes with a verdict: the mean over tasks."""
    if not episodes:
        return Estimate()
    tasks: dict[str, list[EpisodeRecord]] = {}
    for one in episodes:
        tasks.setdefault(one.task_id, []).append(one)
    shares = [fmean(one.passed for one in own) for own in tasks.values()]
    strata = [own[0].stratum for own in tasks.values()]
    (interval,) = share_intervals([shares], strata, len(episodes))
    return estimated(fmean(shares), interval, len(tasks), len(episodes))
