"""`crab-graph compact`: the tables of a run in as few files as possible."""

from crab_graph.cli.options import RunArgument
from crab_graph.cli.output import JsonOption, print_json


def compact(run: RunArgument, as_json: JsonOption = False) -> None:
    """Put the tables of a run together: one set of Parquet files for each of its shards.

    `report` and `sql` make these files as they need them, a few episodes at a time while a run goes
    on. The shards, from which everything can be made again, are left alone. It may be done at any
    time, also while the run goes on, and doing it twice does no harm.
    """
    from crab_graph.runs.warehouse import compact_run

    done = compact_run(run)
    if as_json:
        print_json({"run": str(run), **done._asdict()})
        return
    print(
        f"{run}: {done.episodes:,} episodes in {done.after} part{'s' if done.after != 1 else ''} "
        f"(before: {done.before}), {_size(done.bytes)} beside {_size(done.shard_bytes)} of shards"
    )


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
