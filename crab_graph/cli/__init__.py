"""The command line `crab-graph`: typer commands, one file each, without logic of their own."""

from crab_graph.cli.application import app, main

__all__ = ["app", "main"]
