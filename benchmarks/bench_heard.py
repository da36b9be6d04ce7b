"""One question asked in many ways (`tests/personas/heard`): how many are answered as asked.

Of each set: the messages whose answer is right by what stands in its file, by situation with
`--by-situation`; `--show NAME` prints the others.
"""

import argparse
from collections import Counter

from crab_graph.eval.intervals import exact_interval
from tests.personas.heard import heard, names


def main() -> None:
    """Print the shares of all sets, or the faulty answers of one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--by-situation", action="store_true")
    parser.add_argument("--show", metavar="NAME", choices=names())
    settings = parser.parse_args()
    for name in [settings.show] if settings.show else names():
        found = list(heard(name))
        right = Counter(one.situation for one in found if not one.faults)
        share, low_high = right.total() / len(found), exact_interval(right.total(), len(found))
        low, high, *_ = low_high
        print(f"{name}: {right.total()} of {len(found)} heard, {share:.1%} ({low:.1%}-{high:.1%})")
        all_of = Counter(one.situation for one in found) if settings.by_situation else Counter()
        for situation, count in all_of.items():
            print(f"  {situation}: {right[situation]} of {count}")
        for one in found if settings.show else ():
            if one.faults:
                print(f"\n[{one.situation}] {one.faults}\nagent: {one.text}\nuser:  {one.answer}")


if __name__ == "__main__":
    main()
