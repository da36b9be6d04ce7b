"""Runs compared, as one HTML page: every task in every arm, and two dialogues side by side.

It holds the viewer as a report does. Each pip stands for a trial and leads to its dialogue beside
that of the arm it is compared with.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from crab_graph.analysis.comparison.arm_pairs import ArmPair, TaskStanding
from crab_graph.analysis.comparison.run_comparison import RunComparison, compare_runs
from crab_graph.analysis.report.exhibit import points_text
from crab_graph.analysis.report.measures import Pairing
from crab_graph.analysis.report.page_file import (
    check_budget,
    check_place,
    fill_page,
    packed_runs,
    read_text,
    write_text,
)
from crab_graph.analysis.report.study import Arm
from crab_graph.analysis.viewer.embedding import BUDGET
from crab_graph.runs.config import RunPaths, paths_of
from crab_graph.runs.record import EpisodeRecord
from crab_graph.terms import OUTCOMES

Cell = Sequence[EpisodeRecord]

_CHANGED = (TaskStanding.FIXED, TaskStanding.BROKEN, TaskStanding.FLAKY)


class Pip(NamedTuple):
    """A trial in the grid: how it came out, what is said of it, and where it leads."""

    outcome: str
    says: str
    href: str


def compare(
    *runs: RunPaths, html: str | os.PathLike[str] | None = None, html_budget: float = BUDGET
) -> RunComparison:
    """Compare runs with the first of them, task by task.

    Args:
        runs: Two or more: what `run` or `open_run` returned, or directories of runs.
        html: Also write one page that needs nothing beside itself, to this file.
        html_budget: Megabytes that the page may weigh. Over it dialogues are left out, last those
            of tasks that one arm passed and the other did not, and the page says which.

    Raises:
        RunError: one is no run, or is damaged, or no episode of any has ended.
        UsageError: there are fewer than two, or they share no task or no kind of user; or the page
            cannot be written there.
    """
    directories = paths_of(runs)
    check_budget(html_budget)
    if html is not None:
        check_place(Path(html))
    found = compare_runs(directories)
    if html is not None:
        page = fill_page(
            read_text("comparison.html", __package__),
            packed_runs(found.study, directories),
            html_budget,
            title=found.title,
            style=read_text("comparison.css", __package__),
            script=read_text("comparison.js", __package__),
            first=_moved(found),
            outcomes=OUTCOMES,
            **_values(found),
        )
        write_text(Path(html), page)
    return found


def _moved(found: RunComparison) -> set[tuple[int, str]]:
    """Return run and id of the episodes that one arm passed, and the other did not."""
    return {
        (arm.run, one.episode_id)
        for pair in found.pairs
        for both in pair.matched()
        if both[0].passed != both[1].passed
        for arm, one in zip(pair.arms, both, strict=True)
    }


def _values(found: RunComparison) -> dict[str, Any]:
    """Return what the template shows beside the viewer."""
    return {
        "lead": found.lead,
        "pairs": [_pair(pair) for pair in found.pairs],
        "groups": _groups(found.arms),
        "arms": [
            {
                "label": f"{arm.who}, {arm.user}",
                "pairs": [place for place, one in enumerate(found.pairs) if arm in one.arms],
            }
            for arm in found.arms
        ],
        "rows": list(_rows(found)),
        "standings": list(map(str, TaskStanding)),
    }


def _groups(arms: Sequence[Arm]) -> list[tuple[str, list[tuple[int, str]]]]:
    """Return who stands over which columns of the grid: places and users."""
    by_agent = groupby(enumerate(arms), lambda one: (one[1].run, one[1].who))
    return [(who, [(place, arm.user) for place, arm in own]) for (_, who), own in by_agent]


def _rows(found: RunComparison) -> Iterator[dict[str, Any]]:
    """Yield a row of the grid for each task."""
    partners = [_partner(found, arm) for arm in found.arms]
    standings = found.standings
    for task, cells in found.cells.items():
        pips = [
            [_pip(arm, one, partner, () if other is None else cells[other]) for one in own]
            for arm, own, (other, partner) in zip(found.arms, cells, partners, strict=True)
        ]
        stands = list(dict.fromkeys(filter(None, standings[task])))
        changed = [one for one in stands if one in _CHANGED]
        shown = stands if len(stands) == 1 else changed
        yield {"task": task, "standings": standings[task], "shown": shown, "cells": pips}


def _partner(found: RunComparison, arm: Arm) -> tuple[int | None, Arm | None]:
    """Return the arm that an arm is compared with, the first of many, and its place before it."""
    for pair in found.pairs:
        if arm in pair.arms:
            partner = pair.reference if pair.arm is arm else pair.arm
            return found.arms.index(partner), partner
    return None, None


def _pip(own: Arm, episode: EpisodeRecord, partner: Arm | None, others: Cell) -> Pip:
    """Return an episode as a pip; the reference stands on the left."""
    other = next((one for one in others if one.trial == episode.trial), None)
    says = f"{episode.episode_id}, {own.who}: {OUTCOMES[episode.outcome]}"
    if other is None or partner is None:
        return Pip(episode.outcome, says, f"#episode/{_key(own, episode)}")
    sides = [(own, episode), (partner, other)]
    if partner.run < own.run:
        sides.reverse()
    href = f"#compare/{'/'.join(_key(*side) for side in sides)}"
    return Pip(episode.outcome, f"{says}; {partner.who}: {OUTCOMES[other.outcome]}", href)


def _key(arm: Arm, episode: EpisodeRecord) -> str:
    return f"{arm.run}/{quote(episode.episode_id, safe='')}"


def _pair(pair: ArmPair) -> dict[str, Any]:
    """Return what became of an arm's tasks, and what else differs."""

    def link(episode_id: str) -> dict[str, str]:
        ((was, now),) = pair.partners(episode_id)
        href = f"#compare/{_key(pair.reference, was)}/{_key(pair.arm, now)}"
        return {"text": f"{now.task_id} {now.trial}", "href": href}

    return {
        "title": pair.title,
        "counts": pair.counts,
        "pass": _difference(pair.differences[0]) if pair.differences else None,
        "checks": [
            {
                "id": one.check_id,
                "title": one.title,
                "fixed": list(map(link, one.fixed)),
                "broken": list(map(link, one.broken)),
            }
            for one in pair.checks
        ],
        "differences": [
            *(_difference(one) for one in pair.differences if _occurred(one)),
            *(
                {**_difference(one), "measure": f"{one.measure.title}, {part}"}
                for part, one in pair.parts
            ),
        ],
    }


def _occurred(found: Pairing) -> bool:
    return found.measure.is_share or found.first != 0 or found.second != 0


def _difference(found: Pairing) -> dict[str, Any]:
    """Return a paired difference as words, and as places on a scale from -1 to 1 if of shares."""
    share, ends = found.measure.is_share, found.contrast.interval.ends
    levels = (f"{one:.0%}" if share else f"{one:.2f}" for one in (found.first, found.second))
    before, after = levels
    return {
        "measure": found.measure.title,
        "before": before,
        "after": after,
        "difference": points_text(found.contrast.difference, share),
        "interval": "–" if ends is None else " to ".join(points_text(end, share) for end in ends),
        "places": [found.contrast.difference, *(ends or ())] if share else None,
        "p": f"{found.contrast.p:.4f}",
        "p_holm": f"{found.p_holm:.4f}",
        "pairs": found.pairs,
        "tasks": found.contrast.tasks,
    }
