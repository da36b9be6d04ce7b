"""The episodes of runs with all that tells whether their users kept to their conditions."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from crab_graph.analysis.fidelity.heard_turns import Lived, live_through
from crab_graph.errors import CrabGraphError
from crab_graph.personas.behavior import Behavior
from crab_graph.personas.condition import Persona, ResolvedCondition
from crab_graph.personas.fragment_set import Fragments, built_in_fragments, load_fragments
from crab_graph.personas.prompt import condition_behavior
from crab_graph.runs.config import RunConfig, read_config
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, benchmark_of, may_read
from crab_graph.runs.store import load_records


class Played(NamedTuple):
    """The finished episodes of runs, those whose tasks can be read, and what is not known."""

    records: list[EpisodeRecord]
    lived: list[Lived]
    notes: list[str]


def load_played(runs: Iterable[Path]) -> Played:
    """Read the finished episodes of runs; those that broke down say nothing of their users.

    Raises:
        RunError: there is no run, it is damaged, or nothing of it is finished.
    """
    found = Played([], [], [])
    for run in runs:
        config = read_config(run)
        records = [record for record in load_records(run) if record.outcome != "infra_error"]
        found.records.extend(records)
        try:
            tasks = benchmark_of(Run(run, config, ()))
            fragments = _fragments(run, config)
        except CrabGraphError as error:
            found.notes.append(f"{run}: only how users talk is measured: {error}")
            continue
        if fragments is None:
            found.notes.append(f"{run}: what users were set to do is not known: other fragments")
        for record in records:
            task = tasks[record.task_id].with_toolset(record.toolset)
            found.lived.append(live_through(record, task, _behavior(record, fragments)))
    return found


def _fragments(run: Path, config: RunConfig) -> Fragments | None:
    """Return the fragments that a run was made with, `None` where those there now are others."""
    if config.personas is None:
        return built_in_fragments()
    if not may_read(run, str(config.personas)):
        return None
    try:
        found = load_fragments(run / config.personas)
    except CrabGraphError:
        return None
    return found if found.sha256 == config.personas_sha256 else None


def _behavior(record: EpisodeRecord, fragments: Fragments | None) -> Behavior | None:
    """Return how the user of an episode was set to behave; nothing sets a callable or a person."""
    if fragments is None or record.user_engine in {"python", "person"}:
        return None
    added = fragments.added.personas.get(record.persona)
    if added is None and record.persona not in set(Persona):
        return None
    persona, own = (Persona(record.persona), None) if added is None else (added, record.persona)
    condition = ResolvedCondition(record.condition, persona, record.dimensions, own)
    return condition_behavior(condition, fragments)
