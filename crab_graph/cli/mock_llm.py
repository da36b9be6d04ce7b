"""`crab-graph mock-llm`: an OpenAI-compatible server without a model."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.options import DomainOption
from crab_graph.cli.output import JsonOption
from crab_graph.settings import DOMAIN


def mock_llm(
    port: Annotated[
        int, typer.Option(help="Port on the loopback; 0 takes a free one.", min=0, max=65535)
    ] = 8765,
    scripted: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Replies to give in order, as a JSON list; see docs/models.md."
        ),
    ] = None,
    latency: Annotated[
        float, typer.Option(metavar="SECONDS", help="Wait so long before each answer.", min=0)
    ] = 0.0,
    domain: DomainOption = DOMAIN,
    as_json: JsonOption = False,
) -> None:
    """Serve an OpenAI-compatible chat model that is none, to try the way to a model without a key.

    In the agent's seat it plays a reference agent of a domain (`#mock` is the solver, `#hasty` and
    the others answer to their names), in the user's seat it follows the user's prompt. Results made
    with it are labelled. It listens on this machine alone and ends with Ctrl-C.
    """
    from crab_graph.agents.mock_service import open_mock_server, wait_for_interrupt
    from crab_graph.cli.output import print_json_line

    with open_mock_server(port, scripted, latency, domain) as server:
        if as_json:
            print_json_line({"address": server.address, "agent": f"{server.address}#mock"})
        else:
            print(f"A model without a model: {server.address}")
            print("Try it from another terminal:")
            print(
                f"  crab-graph run bench --agent {server.address}#mock --user ruse --engine llm "
                f"--user-model {server.address}#mock --out runs/mock"
            )
            print("Ctrl-C ends it.", flush=True)
        wait_for_interrupt()
    typer.echo("stopped", err=True)
