"""Conditions as commands take them: read with the personas and dimensions of files."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from crab_graph.settings import Engine, EpisodeSettings

if TYPE_CHECKING:
    from crab_graph.personas.condition import Condition


def read_conditions(
    text: str, settings: EpisodeSettings, persona: str | None = None
) -> "list[Condition]":
    """Return the conditions of a list with commas; say on stderr what its user cannot follow.

    Args:
        text: The list.
        settings: What plays the users, and the directory with fragments of one's own.
        persona: The persona of them all; by default each condition's own.

    Raises:
        UsageError: a condition or a fragment is not known.
    """
    from crab_graph.personas.condition import parse_condition
    from crab_graph.personas.fragment_set import load_fragments

    fragments = load_fragments(None if settings.personas is None else Path(settings.personas))
    conditions = [parse_condition(one, fragments.added) for one in text.split(",")]
    if persona is not None:
        conditions = [one.with_persona(persona, fragments.added) for one in conditions]
    for name in fragments.text_only if settings.engine == Engine.RULES else ():
        if any(name in condition.dimensions for condition in conditions):
            typer.echo(
                f"note: the rule-based user cannot read '{name}', whose files are text alone: give "
                "them fields, or use --engine llm or hybrid",
                err=True,
            )
    return conditions
