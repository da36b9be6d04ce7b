"""How well the rule-based user checks: play-backs and plans, right ones and with one wrong detail.

Both are written from the rows of fresh tasks of two domains, in every layout and form that
`tests/personas` has writers for, by seed. Run this file by itself to see each one that is judged
otherwise than it was written.
"""

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from crab_graph import generate_benchmark  # noqa: E402
from crab_graph.domains.task import Task  # noqa: E402
from crab_graph.personas.plan_conflicts import contradictions  # noqa: E402
from crab_graph.personas.play_backs import read_play_back  # noqa: E402
from crab_graph.personas.stated_plans import read_plans  # noqa: E402
from crab_graph.personas.understanding import Reading  # noqa: E402
from tests.personas import plan_writer, recap_writer  # noqa: E402

Row = tuple[str, str, str]
Told = Callable[[str], None]

DOMAINS = ("travel", "clinic")
TASKS = 12
LAYOUTS: Mapping[str, plan_writer.Layout] = {**plan_writer.LAYOUTS, **plan_writer.HELD_OUT}
FORMS = {**recap_writer.FORMS, **recap_writer.HELD_OUT}


def objections(texts: list[str], task: Task) -> list[str]:
    """Return the keys of the details to object to when the last of some messages was heard."""
    return contradictions(read_plans(texts, task.briefing)[-1], task.briefing)


def check_plans(name: str, tasks: list[Task], tell: Told) -> Counter[str]:
    """Count right plans that are approved, and wrong ones of which the wrong detail is named."""
    counts: Counter[str] = Counter()
    for number, task in enumerate(tasks):
        rng = random.Random(f"{name} {number}")
        write = LAYOUTS[name]
        right = write(plan_writer.plan_of(task), plan_writer.Style.drawn(rng))
        counts["right"] += 1
        found = objections(right, task)
        counts["approved"] += not found
        if found:
            tell(f"objects to {found}:\n" + "\n---\n".join(right))
        for plan in plan_writer.wrong_plans(task, rng):
            texts = write(plan, plan_writer.Style.drawn(rng))
            counts["wrong"] += 1
            is_named = plan.wrong in objections(texts, task)
            counts["named"] += is_named
            if not is_named:
                tell(f"does not see {plan.wrong}:\n" + "\n---\n".join(texts))
    return counts


def check_recaps(tasks: list[Task], tell: Told) -> Counter[str]:
    """Count true play-backs that are affirmed, false ones corrected, others said to be no wish."""
    counts: Counter[str] = Counter()
    for number, task in enumerate(tasks):
        rng, briefing = random.Random(f"recaps {number}"), task.briefing
        for recap in _recaps(task, rng):
            read = Reading(recap.text, briefing.lexicon, briefing.slots)
            played = read_play_back(read, briefing)
            kind = "false" if recap.wrong else "no wish" if recap.absent else "true"
            is_met = {
                "true": bool(played.is_asked and played.right) and not played.wrong,
                "false": recap.wrong <= {*played.wrong},
                "no wish": recap.absent <= {*played.unknown} and not played.wrong,
            }[kind]
            counts[kind] += 1
            counts[f"{kind}, met"] += is_met
            if not is_met:
                tell(f"{kind}: {recap.text}\n{played}")
    return counts


def _recaps(task: Task, rng: random.Random) -> Iterator[recap_writer.Recap]:
    yield from recap_writer.recaps(task, rng, FORMS)
    yield from recap_writer.absent_recaps(task, rng, FORMS)


def main(tell: Told = lambda text: None) -> list[Row]:
    """Return a row for each layout and kind of play-back."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for domain in DOMAINS:
            tasks = list(generate_benchmark(Path(folder) / domain, TASKS, domain=domain, seed=11))
            total: Counter[str] = Counter()
            for name in LAYOUTS:
                counts = check_plans(name, tasks, tell)
                total += counts
                rows.append((f"{domain} plans, {name}", _plan_words(counts), ""))
            rows.append((f"{domain}: right plans approved", _share(total, "approved"), "≥ 99 %"))
            rows.append((f"{domain}: wrong details named", _share(total, "named"), "≥ 97 %"))
            recaps = check_recaps(tasks, tell)
            for kind in ("true", "false", "no wish"):
                missed = recaps[kind] - recaps[f"{kind}, met"]
                what = f"{domain}: {kind} play-backs of {recaps[kind]} answered otherwise"
                rows.append((what, str(missed), "≤ 0" if kind != "no wish" else ""))
    return rows


def _plan_words(counts: Counter[str]) -> str:
    return (
        f"{counts['approved']} of {counts['right']} right approved, "
        f"{counts['named']} of {counts['wrong']} wrong named"
    )


def _share(counts: Counter[str], of: str) -> str:
    every = counts["right" if of == "approved" else "wrong"]
    return f"{100 * counts[of] / every:.1f} % of {every}"


if __name__ == "__main__":
    for row in main(lambda text: print(text, end="\n\n")):
        print(*row, sep="  |  ")
