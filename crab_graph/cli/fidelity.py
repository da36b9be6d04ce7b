"""`crab-graph fidelity`: how like people the simulated users of runs talk."""

from crab_graph.cli.options import RunArguments
from crab_graph.cli.output import JsonOption, console, new_table, print_json
from crab_graph.errors import RunError

NOTE = (
    "All of these rates are behaviour: how users talk, not whether what they say is plausible. A "
    "change of mind is counted by its words; of the conditions d6 alone asks a user for one."
)
RULES_NOTE = (
    "rules: rule-based, no language model. It draws short, polite, uncertain and question turns at "
    "rates set in one table, so they say nothing of how a model talks; it changes its mind once, "
    "under d6."
)


def fidelity(runs: RunArguments, as_json: JsonOption = False) -> None:
    """Show rates of the users' turns, by persona, beside those of people in published studies.

    The distance is the mean over the five kinds of how far a rate lies from people's, in brackets
    how near and far the 95 % intervals of the rates let it be; --json has those. All of it is about
    how users talk, not about what they want.
    """
    from crab_graph.analysis.fidelity import HUMAN, HUMAN_WORDS, closer_than_generic, measure_users
    from crab_graph.runs.store import load_records

    groups = measure_users(record for run in runs for record in load_records(run))
    if not groups:
        raise RunError(f"{', '.join(map(str, runs))}: no episode is finished yet")
    closer = closer_than_generic(groups)
    notes = [NOTE, RULES_NOTE] if any(one.engine == "rules" for one in groups) else [NOTE]
    if as_json:
        print_json(
            {
                "people": {
                    "rates": {kind: list(found) for kind, found in HUMAN.items()},
                    "words_per_turn": HUMAN_WORDS,
                },
                "groups": [one.as_json() for one in groups],
                "ruse_closer_than_generic": closer,
                "notes": notes,
            }
        )
        return
    shares = [
        f"{100 * low:g}–{100 * high:g} %" if high > low else f"{100 * low:g} %"
        for low, high in HUMAN.values()
    ]
    heads = (
        "tasks",
        "episodes",
        "turns",
        *(kind.replace("_", " ") for kind in HUMAN),
        "words",
        "facts",
    )
    table = new_table("engine", "user", "persona", numbers=(*heads, "distance (95 %)"))
    table.add_row("people", "", "", "", "", "", *shares, f"{HUMAN_WORDS:g}", "", "")
    for one in groups:
        distance = f"{100 * one.distance.value:.1f}"
        if (ends := one.distance.interval.ends) is not None:
            distance += f" ({100 * ends[0]:.1f}–{100 * ends[1]:.1f})"
        counts = (one.tasks, one.episodes, one.turns)
        table.add_row(
            one.engine,
            one.condition,
            one.persona or "all",
            *map(str, counts),
            *(f"{100 * rate.value:.1f} %" for rate in one.rates.values()),
            f"{one.words.value:.1f}",
            f"{one.facts.value:.2f}",
            distance,
        )
    console().print(table)
    for note in dict.fromkeys(one.distance.interval.note for one in groups):
        if note:
            print(f"Without brackets: {note}.")
    for engine, found in closer.items():
        far = [kind.replace("_", " ") for kind, is_closer in found.items() if not is_closer]
        verdict = f"all but {', '.join(far)}" if far else "every rate"
        print(f"{engine}: ruse is as near to people as generic, or nearer, on {verdict}.")
    print(*notes, sep="\n")
