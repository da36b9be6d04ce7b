"""`check-domain`: what a domain's author should mend, and in which order."""

from typing import TYPE_CHECKING, Annotated

import typer

from crab_graph.cli.options import completing
from crab_graph.cli.output import JsonOption, print_json, progress_bar

if TYPE_CHECKING:
    from crab_graph.analysis.audit.review import Review

_HEADS = {
    "words": "What is said",
    "drafts": "Tasks that cannot be drawn",
    "rules": "Wishes and rules",
    "giveaways": "Offers that give themselves away",
    "shortcuts": "Parts that a shortcut solves",
}


def check_domain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Name of an installed domain, or module:attribute of one.",
            autocompletion=completing("crab_graph.domain.contract:DOMAINS.names"),
        ),
    ],
    tasks: Annotated[int, typer.Option(help="Tasks that are drawn to look at.", min=4)] = 40,
    seed: Annotated[int, typer.Option(help="They follow from it.")] = 0,
    distractors: Annotated[
        int, typer.Option(help="Misleading candidates in each of them.", min=0)
    ] = 2000,
    as_json: JsonOption = False,
) -> None:
    """Say what a domain lacks, in the order in which to mend it.

    Looks at its declaration and at tasks drawn of it: wishes that nobody can word, drafts given up,
    rules that never bind, offers that give themselves away, parts that a shortcut solves. Exits
    with 1 where something is to be mended.
    """
    from crab_graph.analysis.audit.review import review_domain
    from crab_graph.domain.loading import load_domain

    domain = load_domain(name)
    with progress_bar("Examining the domain") as progress:
        review = review_domain(domain, tasks, seed=seed, distractors=distractors, progress=progress)
    if as_json:
        findings = [one._asdict() for one in review.findings]
        counts = {"tasks": review.tasks, "drafts": review.drafts}
        print_json({"domain": domain.name, "ok": not findings, **counts, "findings": findings})
    else:
        _print(domain.name, review)
    if review.findings:
        raise typer.Exit(1)


def _print(name: str, review: "Review") -> None:
    looked_at = f"{review.tasks} tasks out of {review.drafts} drafts"
    if not review.tasks:
        looked_at = "its declaration alone, as no tasks could be drawn"
    if not review.findings:
        print(f"{name}: nothing to mend in {looked_at}.")
        return
    area = ""
    for one in review.findings:
        if one.area != area:
            area = one.area
            print(f"{_HEADS[area]}:")
        print(f"- {one.what}; {one.mend}" if one.mend else f"- {one.what}")
    few = "One thing" if len(review.findings) == 1 else f"{len(review.findings)} things"
    print(f"\n{name}: {few} to mend, from the top, in {looked_at}.")
