"""Generating a benchmark: scout candidates, choose the best, build and certify them (paper A.3)."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import Unpack

from crab_graph.domain.contract import find_domain
from crab_graph.domains.benchmark import (
    DATABASE,
    MANIFEST,
    Benchmark,
    Manifest,
    Recipe,
    Selection,
    load_benchmark,
)
from crab_graph.domains.candidate_turns import (
    candidate_numbers,
    choose,
    is_lacking,
    plan_candidates,
)
from crab_graph.domains.construction import (
    GivenUp,
    Scouted,
    TaskPlan,
    finish_task,
    try_scout,
    without_numbers,
)
from crab_graph.domains.fault_drawing import fault_kinds
from crab_graph.domains.ladder import LADDER
from crab_graph.domains.private import (
    Opening,
    default_opening,
    draw_opening,
    find_opening,
    write_opening,
)
from crab_graph.domains.workbench import Workbench, clear, is_finished, open_workbench
from crab_graph.errors import (
    BenchmarkError,
    TooLargeToEnumerate,
    UnsatisfiableTask,
    UsageError,
)
from crab_graph.generation.csp import Sampling
from crab_graph.generation.paper import ATTEMPTS, RATIO, PaperParameters
from crab_graph.settings import (
    About,
    GenerationKeywords,
    GenerationSettings,
    PaperSettings,
    value_of,
)
from crab_graph.workers import process_map, write_atomically

Progress = Callable[[int, int], None]
"""Called with the steps done and the steps there are: candidates scouted, then tasks built."""

MAX_TASKS = 1_000_000
MAX_DISTRACTORS = 20_000
MAX_ATTEMPTS = 10_000


def generate_benchmark(
    path: str | Path,
    tasks: int = 200,
    *,
    paper: PaperParameters | None = None,
    jobs: int | None = 1,
    force: bool = False,
    private: bool = False,
    opening: str | Path | None = None,
    progress: Progress | None = None,
    **settings: Unpack[GenerationKeywords],
) -> Benchmark:
    """Generate a certified benchmark in a directory, or finish one that was begun there.

    Args:
        path: Directory of the benchmark.
        tasks: Number of tasks, split evenly over the strata, lower ones first.
        paper: Parameters of the paper's algorithms, where they are at hand as a value; else
            `method="paper"` and the like say it.
        jobs: Number of processes; `None` is one a core, where there is work for them.
        force: Replace a benchmark that was made with other settings.
        private: Draw the seed from a secret, to which the manifest commits (`domains.private`).
        opening: File that holds, or will hold, the secret; beside the directory by default.
        progress: Told of every step that is done.
        settings: What else is made: fields of `GenerationSettings` and `PaperSettings` in
            `crab_graph.settings`. The same seed gives the same rows.

    Raises:
        UsageError: an argument is out of range.
        UnknownName: there is no such domain or setting.
        BenchmarkError: the directory holds something else, or a benchmark with other settings.
        UnsatisfiableTask: a task could not be built with so many distractors.
    """
    given = {"tasks": tasks, **settings}
    wanted = value_of(GenerationSettings, given, PaperSettings)
    paper = paper or paper_parameters(value_of(PaperSettings, given, GenerationSettings))
    recipe, drawn_from = recipe_of(wanted, paper), wanted.seed
    About(low=1).check("jobs", jobs)
    directory = Path(path)
    if private or opening is not None:
        announced = announce(recipe, directory, opening, force=force)
        recipe, drawn_from = announced.settings, announced.seed
    if force:
        clear(directory)
    return regenerate(directory, recipe, drawn_from, jobs, progress)


def paper_parameters(
    asked: PaperSettings, named: Callable[[str], str] = str
) -> PaperParameters | None:
    """Return the parameters of the paper's algorithms, or `None` where these are not the method.

    Raises:
        UsageError: something of the paper's algorithms was given to the fast path; the message has
            it as it is `named`.
    """
    if asked.method == "fast":
        given = [one.name for one in fields(asked) if getattr(asked, one.name) != one.default]
        if given:
            raise UsageError(
                f"{' and '.join(map(named, given))}: only with {named('method')} paper"
            )
        return None
    return PaperParameters(
        attempts=ATTEMPTS if asked.attempts is None else asked.attempts,
        ratio=RATIO if asked.rho is None else asked.rho,
        sampling=Sampling(asked.sampling or Sampling.SHUFFLE),
        repair=not asked.no_repair,
    )


def recipe_of(wanted: GenerationSettings, paper: PaperParameters | None = None) -> Recipe:
    """Return what a benchmark's manifest is to say of its making.

    Raises:
        UsageError: a setting is out of range.
        UnknownName: there is no such domain.
    """
    find_domain(wanted.domain)
    strata = tuple(sorted(set(wanted.strata)))
    if not strata or not set(strata) <= {1, 2, 3, 4}:
        given = ", ".join(map(str, wanted.strata)) or "none"
        raise UsageError(f"strata must be among 1, 2, 3 and 4, not {given}")
    if not len(strata) <= wanted.tasks <= MAX_TASKS:
        raise UsageError(
            f"tasks must be between {len(strata)} (one a stratum) and {MAX_TASKS:,}, "
            f"not {wanted.tasks}"
        )
    levels = tuple(sorted(set(wanted.level)))
    if not levels or not set(levels) <= set(LADDER):
        given = ", ".join(map(str, wanted.level)) or "none"
        raise UsageError(f"level must be among {min(LADDER)} to {max(LADDER)}, not {given}")
    joint = [level for level in levels if [*LADDER[level].kinds] == ["joint"]]
    if joint and not find_domain(wanted.domain).declaration.joint_rules:
        raise UsageError(
            f"level {joint[0]}: domain '{wanted.domain}' declares no joint wishes; "
            "give some of its rules `joint=True`"
        )
    kinds = fault_kinds(wanted.fault_kinds)
    if wanted.fault_kinds and not (wanted.faults or any(LADDER[one].faults for one in levels)):
        raise UsageError("fault_kinds: no task has faults without --faults, or a level with some")
    if wanted.fees and not find_domain(wanted.domain).may_leave_fees_out:
        raise UsageError(
            f"fees: no tool of domain '{wanted.domain}' prices what its lists show; "
            "name one in `Tools(price=...)`, or leave --fees out"
        )
    if wanted.distractors > MAX_DISTRACTORS:
        raise UsageError(
            f"distractors must be between 0 and {MAX_DISTRACTORS:,}, not {wanted.distractors}"
        )
    if paper is not None and not 1 <= paper.attempts <= MAX_ATTEMPTS:
        raise UsageError(
            f"the attempt multiplier must be between 1 and {MAX_ATTEMPTS:,}, not {paper.attempts}"
        )
    if paper is not None and not 0 < paper.ratio <= 1:
        raise UsageError(f"rho must be above 0 and at most 1, not {paper.ratio}")
    return Recipe(
        domain=wanted.domain,
        seed=wanted.seed,
        tasks=wanted.tasks,
        strata=strata,
        distractors=wanted.distractors,
        paper=paper,
        levels=levels,
        faults=wanted.faults,
        changes=wanted.changes,
        fees=wanted.fees,
        fault_kinds=kinds,
    )


def announce(
    recipe: Recipe, directory: Path, opening: str | Path | None, *, force: bool = False
) -> Opening:
    """Return the opening of a private split, drawn and written where there is none yet.

    Raises:
        UsageError: a seed was given.
        BenchmarkError: the opening is another benchmark's, or missing for one that was begun.
    """
    if recipe.seed:
        raise UsageError("a private split draws its own seed; leave out the seed")
    path = default_opening(directory) if opening is None else Path(opening)
    found = find_opening(path, directory, recipe)
    if found is not None:
        return found
    drawn = draw_opening(recipe)
    if not force:
        if (directory / DATABASE).exists():
            raise BenchmarkError(
                f"{directory}: was begun already, and its opening is not at {path}; "
                "say where it is with `opening=`, or use `force=True`"
            )
        is_finished(directory, drawn.settings)  # refuses what is no benchmark's directory
    write_opening(path, drawn)
    return drawn


def regenerate(
    directory: Path,
    recipe: Recipe,
    seed: int,
    jobs: int | None,
    progress: Progress | None = None,
) -> Benchmark:
    """Generate the benchmark of a recipe from a seed, or finish it.

    Raises:
        BenchmarkError: the directory holds something else, or a benchmark with other settings.
        UnsatisfiableTask: a task could not be built.
    """
    if is_finished(directory, recipe):
        return load_benchmark(directory)
    steps = count(1)
    total = recipe.tasks + sum(candidate_numbers(recipe).values())
    # A process takes about as long to start as 40 steps take.
    processes = jobs or min(os.cpu_count() or 1, 1 + total // 40)

    def advance() -> None:
        if progress is not None:
            progress(next(steps), total)

    with open_workbench(directory, recipe) as bench:
        scouted = _scout_all(bench, recipe, seed, processes, advance)
        chosen = {stratum: choose(scouted, stratum, recipe) for stratum in recipe.strata}
        plans = [
            task_plan(f"S{stratum}-{number:03d}", recipe, one)
            for stratum, own in chosen.items()
            for number, one in enumerate(own, start=1)
        ]
        _build_all(bench, plans, processes, advance)
        entries = bench.entries()
    manifest = Manifest(
        settings=recipe,
        card=find_domain(recipe.domain).card,
        versions=stamped_versions(recipe.domain),
        selection=tuple(_selection(scouted, stratum, chosen[stratum]) for stratum in chosen),
        tasks=tuple(entries[plan.id] for plan in plans),
    )
    write_atomically(directory / MANIFEST, manifest.to_json())
    return load_benchmark(directory)


def task_plan(task_id: str, recipe: Recipe, chosen: Scouted) -> TaskPlan:
    """Return what a chosen candidate is built from, under the id it gets."""
    kept = (recipe.domain, recipe.distractors, chosen, recipe.paper)
    return TaskPlan(task_id, *kept, recipe.faults, recipe.fault_kinds, recipe.changes, recipe.fees)


def _scout_all(
    bench: Workbench, recipe: Recipe, seed: int, jobs: int, advance: Callable[[], None]
) -> Mapping[tuple[int, int], Scouted]:
    scouted = bench.scouted()
    for _ in scouted:
        advance()
    done, plans = frozenset(scouted), plan_candidates(recipe, seed)
    missing = (plan for plan in plans if (plan.stratum, plan.number) not in done)
    given_up: list[GivenUp] = []
    for one in process_map(try_scout, missing, jobs):
        if isinstance(one, GivenUp):
            given_up.append(one)
            if is_lacking(recipe, given_up):
                raise UnsatisfiableTask(one.why)
        else:
            bench.keep_scouted(one)
            scouted[one.stratum, one.candidate.number] = one
        advance()
    return scouted


def _build_all(
    bench: Workbench, plans: Sequence[TaskPlan], jobs: int, advance: Callable[[], None]
) -> None:
    done = bench.entries()
    for _ in done:
        advance()
    missing = (plan for plan in plans if plan.id not in done)
    for built in process_map(finish_task, missing, jobs):
        bench.keep_task(built)
        advance()


def _selection(
    scouted: Mapping[tuple[int, int], Scouted], stratum: int, chosen: Sequence[Scouted]
) -> Selection:
    own = [one for one in scouted.values() if one.stratum == stratum]
    reasons = Counter(without_numbers(reason) for one in own for reason in one.rejected)
    return Selection(
        stratum=stratum,
        candidates=len(own),
        chosen=len(chosen),
        solved_by_shortcut=sum(bool(one.candidate.shortcuts) for one in own),
        duplicates=len(own) - len({one.candidate.content for one in own}),
        rejected=dict(sorted(reasons.items())),
        too_large=reasons[str(TooLargeToEnumerate())],
    )


def stamped_versions(domain: str) -> dict[str, str]:
    """Return the versions of what decides a benchmark's rows, that of the task set first."""
    stamped = {f"{domain} tasks": str(find_domain(domain).card.version)}
    for name in ("crab-graph", "duckdb", "numpy", "python-constraint2"):
        try:
            stamped[name] = version(name)
        except PackageNotFoundError:
            stamped[name] = "not installed"
    return stamped


def parse_strata(items: Sequence[str]) -> tuple[int, ...]:
    """Return the strata that words such as `1` or `S2` name.

    Raises:
        UsageError: one is no number.
    """
    try:
        return tuple(int(item.strip().upper().removeprefix("S")) for item in items)
    except ValueError:
        asked = ",".join(items)
        raise UsageError(
            f"--strata takes numbers from 1 to 4, such as 1,2, not '{asked}'"
        ) from None
