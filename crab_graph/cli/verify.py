"""`crab-graph verify`: every checksum of a benchmark or a run, and the one hash to publish."""

from pathlib import Path
from typing import Annotated

import typer

from crab_graph.cli.output import JsonOption, console, new_table, print_json


def verify(
    source: Annotated[
        Path,
        typer.Argument(metavar="RUN|BENCH", help="Directory of a run or a benchmark."),
    ],
    expect: Annotated[
        str | None,
        typer.Option(metavar="SHA256", help="The hash that was published: is it this one?"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare every checksum of a run or a benchmark, and print the one hash to publish.

    Exits with 1 where something was changed, or has no checksum because an earlier version wrote
    it. The hash is that of the whole folder: whoever publishes or signs it lets everybody tell with
    `--expect` whether a copy is the same. Nothing outside the folder is read.
    """
    from crab_graph.analysis.seal_check import SealState
    from crab_graph.analysis.seal_check import verify as verify_folder

    found = verify_folder(source)
    is_expected = expect is None or expect.strip().lower() == found.sha256
    if as_json:
        print_json({**found.as_json(), "ok": found.ok and is_expected, "expected": expect})
    else:
        table = new_table("what", "", last=("checksum", ""))
        for one in found.seals:
            table.add_row(one.what, str(one.state), (one.sha256 or "")[:16], one.note)
        console().print(table)
        wrong = [one for one in found.seals if one.state is not SealState.OK]
        print(
            f"{len(found.seals)} compared, {len(wrong)} changed or without a checksum."
            if wrong
            else f"{len(found.seals)} compared, all as they were written."
        )
        if found.sha256 is not None:
            print(f"hash to publish: {found.sha256}")
        if not is_expected:
            print(f"This is not what was published: {expect}")
    if not (found.ok and is_expected):
        raise typer.Exit(1)
