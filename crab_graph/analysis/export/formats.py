"""Which export writes what: a run in any format, a benchmark as a dataset."""

from pathlib import Path

from crab_graph.domains.benchmark import load_benchmark
from crab_graph.domains.manifest import MANIFEST
from crab_graph.errors import RunError, UnknownName, UsageError
from crab_graph.runs.run import open_run

FORMATS = ("openai", "parquet", "inspect", "langsmith")


def export_any(
    source: Path, format: str, out: Path, *, rewards: bool = False, force: bool = False
) -> dict[str, int]:
    """Write a run or a benchmark in a format.

    Args:
        source: Directory of a run or of a benchmark.
        format: One of `FORMATS`; a benchmark is written as `parquet` alone.
        out: The file, or the folder for `parquet`.
        rewards: For `openai`: keep failed episodes too, and attach rewards.
        force: Whether what is there is replaced.

    Returns:
        How many of what were written.

    Raises:
        UnknownName: there is no such format.
        UsageError: the format is none for a benchmark, or the output is there already.
        RunError: no episode of the run is finished yet.
        CrabGraphError: the source cannot be read, or a format needs an extra.
    """
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    if (source / MANIFEST).exists():
        if format != "parquet":
            raise UsageError(
                f"{source}: is a benchmark, which has no episodes; --format parquet writes it"
            )
        from crab_graph.analysis.export.dataset import export_dataset  # noqa: PLC0415

        return export_dataset(load_benchmark(source), out, force=force)
    run = open_run(source)
    if not len(run):
        raise RunError(f"{run.directory}: no episode is finished yet")
    match format:
        case "openai":
            from crab_graph.analysis.export.openai import export_openai  # noqa: PLC0415

            return export_openai(run, out, rewards=rewards, force=force)
        case "inspect":
            from crab_graph.analysis.export.inspect_log import export_inspect  # noqa: PLC0415

            return export_inspect(run, out, force=force)
        case "langsmith":
            from crab_graph.analysis.export.langsmith import export_langsmith  # noqa: PLC0415

            return export_langsmith(run, out, force=force)
        case _:
            from crab_graph.analysis.export.run_dataset import export_tables  # noqa: PLC0415

            return export_tables(run, out, force=force)
