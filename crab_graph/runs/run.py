"""A run that can be looked at: its episodes, its rate, and SQL over them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, overload

import duckdb

from crab_graph.domain.card import EARLIER_CARD, DomainCard
from crab_graph.domains.benchmark import Benchmark, load_benchmark
from crab_graph.enclosed import is_beside
from crab_graph.errors import BenchmarkError, RunError, UnknownName, UsageError
from crab_graph.given_values import a_path
from crab_graph.runs.config import CONFIG, RunConfig, RunPath, read_config
from crab_graph.runs.notes import Note, a_draft, read_notes, write_note
from crab_graph.runs.owner import Authorship, authorship_of
from crab_graph.runs.plan import plan_episodes
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run_markup import run_html
from crab_graph.runs.sql import relate_runs
from crab_graph.runs.store import load_records


class Run(Sequence[EpisodeRecord]):
    """The finished episodes of a run, in the order of its plan; `run["S1-001.ruse.0"]` too."""

    def __init__(
        self, directory: Path, config: RunConfig, episodes: Sequence[EpisodeRecord]
    ) -> None:
        """Hold what was read: the latest attempt of each finished episode."""
        self.directory = directory
        self.config = config
        self.episodes = tuple(episodes)

    def __repr__(self) -> str:
        """Return the directory and how far the run is."""
        done = f"{len(self)} of {self.planned} episodes"
        return f"<Run {self.directory}: {done} by {self.config.agent_name}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: who passed, by user."""
        return run_html(self)

    def __fspath__(self) -> str:
        """Return its directory: whatever takes the directory of a run takes the run."""
        return str(self.directory)

    def __len__(self) -> int:
        """Return the number of finished episodes."""
        return len(self.episodes)

    def __iter__(self) -> Iterator[EpisodeRecord]:
        """Yield the finished episodes."""
        return iter(self.episodes)

    @overload
    def __getitem__(self, key: int | str) -> EpisodeRecord: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[EpisodeRecord, ...]: ...

    def __getitem__(self, key: int | str | slice) -> EpisodeRecord | tuple[EpisodeRecord, ...]:
        """Return the episode at a place, or with an id.

        Raises:
            UnknownName: no finished episode has the id.
        """
        if not isinstance(key, int | str | slice):
            raise UsageError(f"an episode is found by its place or its id, not by {key!r}")
        if not isinstance(key, str):
            return self.episodes[key]
        for episode in self.episodes:
            if episode.episode_id == key:
                return episode
        raise UnknownName("episode", key, (episode.episode_id for episode in self.episodes))

    @property
    def planned(self) -> int:
        """How many episodes the run consists of."""
        return self.config.planned

    @property
    def failed(self) -> tuple[EpisodeRecord, ...]:
        """Episodes without a verdict: infra errors."""
        return tuple(one for one in self.episodes if one.outcome == "infra_error")

    @property
    def is_complete(self) -> bool:
        """Whether every planned episode has a verdict."""
        config = self.config
        plan = plan_episodes(config.tasks, config.users, config.trials, config.turns)
        done = {one.episode_id for one in self.episodes}
        return not self.failed and all(one.id in done for one in plan)

    @property
    def pass_at_1(self) -> float | None:
        """The mean over tasks of the share of their episodes with a verdict that passed."""
        shares: dict[str, list[bool]] = {}
        for one in self.episodes:
            if one.outcome != "infra_error":
                shares.setdefault(one.task_id, []).append(one.passed)
        return fmean(map(fmean, shares.values())) if shares else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What people noted on the run's episodes, as it stands now; damaged lines are left out."""
        return read_notes(self.directory)

    def note(self, episode: str, text: str = "", **about: Any) -> Note:
        """Write a note on an episode beside the run, and return it.

        Args:
            episode: The id of the episode.
            text: What it says.
            about: `turn`, the n-th visible message alone; `tags`; `disputed=True`, and `check_id`
                where it is the verdict of one check that is disputed, not the outcome.

        Raises:
            UnknownName: no finished episode has the id.
            UsageError: the note says nothing, or of what the episode does not have.
        """
        draft = a_draft({"episode_id": episode, "text": text, **about})
        return write_note(self.directory, draft, self[episode])

    def change_note(self, note: Note, **changes: Any) -> Note:
        """Write a note anew, with other `text`, `tags` and so on, or `deleted=True`.

        Raises:
            StaleNote: it is another by now; errors as for `note`.
        """
        kept = note.model_dump(exclude={"schema_version", "written", "verdict"})
        return write_note(self.directory, a_draft({**kept, **changes}), self[note.episode_id])

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return a query over the run's tables, as a relation of DuckDB.

        A relation gives its rows as tuples (`fetchall()`), as a data frame (`df()`, with pandas
        installed), or as Arrow, and can be queried further. The tables are in `docs/analytics.md`.
        They are read from the run's directory when this is called; relations that are to be joined
        with each other, of one run or of several, come from `crab_graph.open_tables`.

        Raises:
            UsageError: the query is wrong, or does something else than to read the run.
        """
        return relate_runs([self.directory], query)


def open_run(path: RunPath) -> Run:
    """Open a run's directory, finished or not.

    Raises:
        RunError: there is no run, or it is damaged.
    """
    directory = a_path("a run", path)
    return Run(directory, read_config(directory), load_records(directory))


def may_read(directory: Path, named: str) -> bool:
    """Return whether a path outside of a run, which it names, is read without a question.

    It is for one's own runs; of another only what lies beside it is.
    """
    return is_beside(directory, named) or (
        authorship_of(directory / CONFIG) is not Authorship.FOREIGN
    )


def card_of(directory: Path, config: RunConfig | None = None) -> DomainCard:
    """Return what the domain of a run's tasks calls things.

    That of a run without a card is its benchmark's; where that is gone, little is known.
    """
    config = config or read_config(directory)
    if config.card is not None:
        return config.card
    try:
        return benchmark_of(Run(directory, config, ())).card
    except (RunError, UsageError):
        return EARLIER_CARD


def benchmark_of(run: Run) -> Benchmark:
    """Return the benchmark that a run was made on.

    Raises:
        RunError: it is gone, or is another one now, or is not to be read.
    """
    path = run.directory / run.config.benchmark
    if not may_read(run.directory, run.config.benchmark):
        raise RunError(
            f"{run.directory}: its benchmark is needed for this, and is not read from '{path}': "
            "you did not write this run; put the benchmark beside it"
        )
    try:
        bench = load_benchmark(path)
    except BenchmarkError as error:
        raise RunError(f"{run.directory}: its benchmark is needed for this: {error}") from None
    if bench.sha256 != run.config.benchmark_sha256:
        raise RunError(
            f"{run.directory / CONFIG}: made on other tasks than those in {path} now; "
            "put the benchmark there that it was made on"
        )
    return bench
