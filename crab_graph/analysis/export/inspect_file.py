"""The export to Inspect, whose library is loaded when a log is written (extra `inspect`)."""

import os
from pathlib import Path

from crab_graph.analysis.export.exporters import Exporter
from crab_graph.errors import MissingExtra, UsageError
from crab_graph.runs.run import Run
from crab_graph.workers import take_place

_SUFFIXES = {".eval": "eval", ".json": "json"}


def export_inspect(run: Run, out: Path) -> dict[str, int]:
    """Write a run as an Inspect log: `.eval`, or `.json` for Inspect's text form.

    Raises:
        UsageError: the name ends otherwise.
        MissingExtra: Inspect is not installed.
        RunError: the run's benchmark is not what it was.
    """
    if out.suffix not in _SUFFIXES:
        raise UsageError(f"{out}: an Inspect log ends in {' or '.join(_SUFFIXES)}")
    try:
        from inspect_ai import log  # noqa: PLC0415  (an extra)

        from crab_graph.analysis.export.inspect_log import inspect_log  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("the export to Inspect", "inspect") from None
    unfinished = out.with_name(f".{os.getpid()}.{out.name}")  # its suffix decides the form
    try:
        log.write_eval_log(inspect_log(run), str(unfinished), format=_SUFFIXES[out.suffix])
        take_place(unfinished, out)
    finally:
        unfinished.unlink(missing_ok=True)
    return {"samples": len(run)}


INSPECT = Exporter(export_inspect)
