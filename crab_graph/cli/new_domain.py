"""`new-domain`: a package to begin a domain with."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, print_json


def new_domain(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What the domain is to be called, as in clinic.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Directory of the package.", show_default="NAME")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the package of a new domain, which generates, runs, grades and audits as it stands.

    Its declaration is an example to be changed: a page of what exists, what a job needs, what users
    want, and the rules between parts.
    """
    from crab_graph.domains.starter import write_package

    directory = out or Path(name)
    files = write_package(name, directory)
    if as_json:
        print_json({"domain": name, "files": [str(path) for path in files]})
        return
    for path in files:
        print(path)
    print(
        f"\nChange {name}_domain.py, and see what it makes:\n"
        f"    pip install -e {directory}\n"
        f"    crab-graph check-domain {name}\n"
        f"    crab-graph generate bench --domain {name} --tasks 20"
    )
