"""The option that says which tools the agent has, worded alike in every command."""

from typing import Annotated

import typer

from crab_graph.tools.toolset import Toolset

ToolsetOption = Annotated[
    Toolset,
    typer.Option(
        help="The agent's tools: parity for the paper's, extended to cancel and change any booking."
    ),
]
