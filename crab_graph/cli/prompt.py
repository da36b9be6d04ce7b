"""`crab-graph prompt`: what a model that plays the user is told."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crab_graph.cli.options import DomainOption
from crab_graph.cli.output import JsonOption, print_json
from crab_graph.errors import UsageError
from crab_graph.settings import DOMAIN

if TYPE_CHECKING:
    from crab_graph.domains.task import Task
    from crab_graph.personas.condition import ResolvedCondition
    from crab_graph.personas.prompt import Prompt


def prompt(
    condition: Annotated[
        str, typer.Argument(metavar="COND", help="generic, persona, ruse, d1, terse+d2+d4, …")
    ],
    task: Annotated[
        str | None,
        typer.Option(metavar="BENCH:ID", help="Fill in what the user of a task knows; or --bench."),
    ] = None,
    bench: Annotated[
        Path | None, typer.Option(metavar="BENCH", help="Directory of the benchmark of --task ID.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option(metavar="COND2", help="Show what another condition changes.")
    ] = None,
    persona: Annotated[
        str | None, typer.Option(help="The persona, where the condition would draw one.")
    ] = None,
    personas: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Fragments of your own; see the docs.")
    ] = None,
    domain: DomainOption = DOMAIN,
    seed: Annotated[int, typer.Option(help="Seed that a persona is drawn with.")] = 0,
    trial: Annotated[int, typer.Option(help="Trial that a persona is drawn for.", min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """Print the prompt of a condition, or what one factor changes.

    A condition that draws its persona draws the one that a run with this seed meets in this trial.
    """
    from crab_graph.domain.contract import find_domain
    from crab_graph.personas.condition import parse_condition, resolve
    from crab_graph.personas.fragment_set import load_fragments
    from crab_graph.personas.prompt import changed_factors, compose_prompt, diff_prompts

    shown = _task(task, bench)
    briefing = None if shown is None else shown.briefing
    # Fragments may name facts of the domain.
    fact_keys = (find_domain(domain) if shown is None else shown.domain).fact_keys
    fragments = load_fragments(personas, list(fact_keys))

    def composed(text: str) -> tuple["ResolvedCondition", "Prompt"]:
        parsed = parse_condition(text, fragments.added)
        if persona is not None:
            parsed = parsed.with_persona(persona, fragments.added)
        settled = resolve(parsed, seed, "" if shown is None else shown.id, trial)
        return settled, compose_prompt(settled, briefing, fragments=fragments)

    first, text = composed(condition)
    document = _document(first, text)
    if diff is None:
        printed = text.text
    else:
        second, other = composed(diff)
        printed = diff_prompts(text, other, (str(first), str(second)))
        changed = changed_factors(text, other)
        document["diff"] = {**_document(second, other), "changed": changed, "unified": printed}
        printed = printed or f"{first} and {second} have the same prompt\n"
    if as_json:
        print_json(document)
    else:
        typer.echo(printed, nl=False)


def _document(condition: "ResolvedCondition", prompt: "Prompt") -> dict[str, Any]:
    return {
        "condition": str(condition),
        "persona": condition.persona_name,
        "dimensions": list(condition.dimensions),
        "sha256": prompt.sha256,
        "prompt": prompt.text,
        "passages": [asdict(one) for one in prompt.passages],
    }


def _task(name: str | None, bench: Path | None) -> "Task | None":
    from crab_graph.domains.benchmark import load_benchmark

    if name is None and bench is None:
        return None
    directory, _, task_id = (name or "").rpartition(":")
    if bench is None and directory:
        return load_benchmark(Path(directory))[task_id]
    if name is None or bench is None:
        raise UsageError("name a task as --task BENCH:ID, or with --bench BENCH --task ID")
    return load_benchmark(bench)[name]
