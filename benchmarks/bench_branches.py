"""What models said of the user's answers to many messages from one place (`tests/talks/branches`).

Of each talk: the answers that were judged, how many were wrong or absurd then, and how many of
these are answered otherwise by now. What is said now nobody has judged: `--show NAME` prints it.
"""

import argparse

from benchmarks.bench_talks import FAULTY, reading_of
from crab_graph.eval.intervals import exact_interval
from tests.talks.branched import branches_of, names


def main() -> None:
    """Print the counts of all talks, or the faulty answers of some."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--show", metavar="NAME", action="append", default=[], choices=names())
    shown = parser.parse_args().show
    faulty = judged = 0
    for name in shown or names():
        found = branches_of(name)
        wrong = [one for one in found if reading_of(one.said_of_it) in FAULTY]
        other = sum(one.now != one.then for one in wrong)
        faulty, judged = faulty + len(wrong), judged + len(found)
        print(f"{name}: {len(wrong)} of {len(found)} wrong or absurd, {other} answered otherwise")
        for one in wrong if shown else ():
            print(f"\n{one.place} {one.said_of_it}\nagent: {one.text}\nthen:  {one.then}")
            print(f"now:   {one.now}")
    low, high, *_ = exact_interval(faulty, judged)
    print(f"all: {faulty} of {judged}, {faulty / judged:.1%} ({low:.1%}-{high:.1%})")


if __name__ == "__main__":
    main()
