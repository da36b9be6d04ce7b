"""How well sets of labelled messages are read by a model that was trained on all others.

Each set that was written blind is left out in turn, with `phrases` and `turns`, which hold wordings
of them; the lexicon's words stay. A set takes a training (about 40 s); names choose some of them.
"""

import sys
from statistics import fmean
from unittest.mock import patch

from benchmarks import bench_understanding as understanding
from benchmarks import train_reader as training
from crab_graph.personas import understanding as reader
from crab_graph.personas.reader_model import ReaderModel

LEFT_OUT = tuple(name for name in understanding.FIRST if name != "rare_acts")
NOT_APART = {"phrases", "turns"}
KINDS = ("asked", "intents")


def read_untrained(name: str) -> dict[str, understanding.Score]:
    """Score a set with what all sets but it teach."""
    others = [one for one in training.sets() if one != name and one not in NOT_APART]
    model = ReaderModel(*training.train(training.counted(others)))
    with patch.object(reader, "reader_model", lambda learned="": model):
        return dict(understanding.score(understanding.load_half(name)))


def main(names: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    """Return F1 over facts and intents of each set left out, and their means."""
    rows, found = [], []
    for name in names or LEFT_OUT:
        scores = read_untrained(name)
        found.append([scores[kind].ratios()[2] for kind in KINDS])
        rows.append((f"understanding, {name} left out: facts, intents", _figures(found[-1]), ""))
        print(*rows[-1], file=sys.stderr, flush=True)
    means = [fmean(one) for one in zip(*found, strict=True)]
    return [*rows, ("understanding, mean over the sets left out", _figures(means), "≥ 0.90")]


def _figures(ratios: list[float]) -> str:
    return " / ".join(f"{one:.3f}" for one in ratios)


if __name__ == "__main__":
    for row in main(tuple(sys.argv[1:])):
        print(*row, sep="   ", flush=True)
