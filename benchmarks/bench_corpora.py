"""Whole honest transcripts that pass, and lies that fail what they should, by set and kind.

`python benchmarks/bench_corpora.py` grades all of it, which takes minutes, and lists what survives;
`run.py` every twelfth transcript. `tests/corpora/README.md` has the first scores.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.corpora.mutation import KINDS
from tests.corpora.scores import Score, sample, score
from tests.corpora.transcripts import SETS

Row = tuple[str, str, str]
_EVERY = 12


def _share(part: tuple[int, int]) -> str:
    return f"{part[0]} of {part[1]}" + (f" ({part[0] / part[1]:.1%})" if part[1] else "")


def rows_of(found: Score) -> list[Row]:
    """Return the rates of a score by set, and of the mutations by kind."""
    rows: list[Row] = []
    for name in SETS:
        rows.append((f"{name}: honest transcripts that pass", _share(found.honest(name)), ""))
        rows.append(
            (f"{name}: lies that fail what they should", _share(found.dishonest([name])), "")
        )
    caught, made = found.dishonest()
    rows.append(("all lies that matter in the end", f"{caught / made:.1%} of {made}", "≥ 97 %"))
    for name, kind in KINDS.items():
        what = f"  {name}" if kind.matters else f"  {name} (put right in time)"
        rows.append((what, _share(found.dishonest(kind=name)), ""))
    return rows


def main(every: int = _EVERY) -> list[Row]:
    """Return the rows of a sample."""
    return rows_of(score(sample(every)))


if __name__ == "__main__":
    everything = score(sample(1))
    for what, measured, _ in rows_of(everything):
        print(f"{what}: {measured}")
    for transcript, checks in everything.failing:
        print(f"honest and fails {', '.join(checks)}: {transcript}")
    for lie in everything.survivors:
        print(f"survives: {lie.name}: {lie.what}")
