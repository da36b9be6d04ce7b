"""What to know first of some runs: at most three sentences that a person would say aloud.

Who passes most and least, what a user costs most, and how failures begin. Whatever chance explains
is told as that.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from crab_graph import terms
from crab_graph.analysis.report import measures
from crab_graph.analysis.report.comparisons import Comparison, compare_users
from crab_graph.analysis.report.exhibit import interval_text
from crab_graph.analysis.report.study import Arm, Study
from crab_graph.eval.statistics import Estimate, rests_on

_Rated = tuple[Arm, Estimate]


def find(study: Study) -> list[str]:
    """Return the sentences; none where nothing has a verdict."""
    return [*_who_passes(study), *_what_users_cost(study), *_how_failures_begin(study)]


def _who_passes(study: Study) -> Iterator[str]:
    """Name who passes most and least: of agents with the user most of them met, else of users."""
    with_one_user = max(reversed(study.users()), key=len)
    is_of_agents = len(with_one_user) > 1
    rated = _rated(with_one_user if is_of_agents else study.arms)
    if not rated:
        return
    best, least = (end(found.value or 0.0 for _, found in rated) for end in (max, min))
    first, *_ = rated
    if len(rated) == 1:
        arm, found = first
        between = found.basis
        if found.ends is not None:
            between = f"{interval_text(found.ends)}; {found.basis}"
        yield f"{arm.who} passes {found.value:.0%} with the {arm.user} user ({between})."
        return
    bases = dict.fromkeys(found.basis for _, found in rated)
    basis = f" ({next(iter(bases))} each)" if len(bases) == 1 else ""
    is_of_users = len({arm.agent_label for arm, _ in rated}) == 1

    def told(value: float) -> str:
        own = [(arm, found) for arm, found in rated if found.value == value]
        names = [arm.user if is_of_users else _name(arm, is_of_agents) for arm, _ in own]
        verb = f" {'pass' if len(own) > 1 else 'passes'}" if value == best else ""
        end = "most" if value == best else "least"
        share = f"{value:.0%}{'' if basis else f' ({own[0][1].basis})'}"
        if is_of_users:
            return f"{end} with {_joined(names)}, {share}"
        return f"{_joined(names)}{verb} {end}, {share}"

    start = f"With the {first[0].user} user " if is_of_agents else ""
    start = f"{first[0].who} passes " if is_of_users else start
    if best == least:
        whoever = "alike with every user" if is_of_users else "all pass alike"
        yield f"{start}{whoever}: {best:.0%}{basis or f' ({first[1].basis})'}."
    else:
        yield f"{start}{told(best)}, and {told(least)}{basis}."


def _name(arm: Arm, with_one_user: bool) -> str:
    return arm.who if with_one_user else f"{arm.who} with {arm.user}"


def _rated(arms: Sequence[Arm]) -> list[_Rated]:
    found = [(arm, measures.estimate(arm.records, [measures.PASS])[0]) for arm in arms]
    return [(arm, rate) for arm, rate in found if rate.value is not None]


def _joined(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _what_users_cost(study: Study) -> Iterator[str]:
    """Name the user that costs an agent most against its reference, or say that none is seen to."""
    found = [one for arms in study.agents() for one in compare_users(arms, [measures.PASS])]
    if not found:
        return
    if not any(_difference(one) for one in found):
        yield "No user makes a difference to any agent: every task came out alike."
        return
    certain = [one for one in found if not one.pairings[0].is_null]
    worst = min(certain or found, key=_difference)
    contrast, pairs = worst.pairings[0].contrast, worst.pairings[0].pairs
    reference, who = worst.reference.user, worst.reference.who
    ends, basis = contrast.interval.ends, rests_on(contrast.tasks, pairs, "pair")
    between = contrast.interval.note if ends is None else " to ".join(map(_whole, ends))
    points = f"{_whole(contrast.difference)} points against the {reference} user"
    if certain and contrast.difference < 0:
        yield (
            f"The {worst.arm.user} user costs {who} most: {points} on the same tasks "
            f"({between}; {basis})."
        )
        return
    detectable = worst.pairings[0].detectable
    if not detectable and contrast.difference < 0:
        yield (
            f"{contrast.tasks} tasks are too few to tell what a user costs an agent: most it is "
            f"{points}, for {who} with the {worst.arm.user} user ({basis})."
        )
        return
    unseen = f", and less than {100 * detectable:.0f} points would not be" if detectable else ""
    yield f"That a user costs an agent anything is not seen ({basis}{unseen})."


def _whole(difference: float) -> str:
    return f"{100 * difference:.0f}".replace("-", "−")


def _difference(one: Comparison) -> float:
    return one.pairings[0].contrast.difference


def _how_failures_begin(study: Study) -> Iterator[str]:
    failed = [one for one in measures.scored(study.records) if not one.passed]
    counts = Counter(record.primary_failure or "no label" for record in failed)
    for mode, count in counts.most_common(1):
        if len(failed) == 1:
            start = "The one failure begins"
        elif count == len(failed):
            start = f"All {count:,} failures begin"
        else:
            start = f"Of {len(failed):,} failures, {count:,} {'begin' if count > 1 else 'begins'}"
        yield f"{start} with: {terms.words(mode)}."
