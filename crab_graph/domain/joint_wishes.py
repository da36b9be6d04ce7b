"""Joint wishes: conditions, alternatives and shares, which harder tasks ask for.

They are rules like any other. A request has as many as its level of difficulty says; those that go
together take turns. One takes the place of simpler wishes, one that gives way before a bound counts
only where the tables let both hold, and one for the cheaper of some values, or for the least sum,
is settled by them: where there are several joint wishes one of them is such a one, that for the
least sum before any other, and of such sums the one of the most parts.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from types import SimpleNamespace
from typing import Any

from crab_graph.domain.declaration import TOTAL_BUDGET, Declaration, Rule
from crab_graph.domain.request_types import GIVEN_UP, SETTLED
from crab_graph.domain.requirements import admitted
from crab_graph.domain.tracing import TracedCondition
from crab_graph.errors import UnsatisfiableTask
from crab_graph.randomness import derive_rng

_BUDGET_FIELD = "budget_cents"
_SEVERAL = 2
"""So many joint wishes hold one that the tables settle, if a domain has such."""

_GIVES_WAY = 0.5
"""How often a wish that can give way does."""


def draw_joint(
    declaration: Declaration,
    conditions: Mapping[str, TracedCondition],
    asked: Collection[str],
    count: int,
    seed: int,
) -> tuple[Rule, ...]:
    """Draw so many joint wishes of which none stands in another's place; all, if there are fewer.

    `asked` are the optional edges of the request, on which some depend; `conditions` what the rules
    state, by name.

    Raises:
        UnsatisfiableTask: the domain has not so many that go together with these edges.
    """
    among = [one for one in declaration.joint_rules if count >= _SEVERAL or not one.least]
    rules = [one for one in among if _is_possible(one, conditions, asked)]
    rng = derive_rng(seed, "joint wishes")
    turns = rng.sample(rules, len(rules))
    if count >= _SEVERAL:
        # Which of some values leaves the cheapest trip is often that of what first comes to hand,
        # and what few parts come to is sooner found than what many do.
        turns.sort(key=lambda rule: (not rule.is_settled, -len(rule.least)))
    chosen: list[Rule] = []
    for rule in turns:
        if len(chosen) < count and not any(_clash(rule, other, conditions) for other in chosen):
            chosen.append(rule)
    if len(chosen) < _most_together(among, conditions, count):
        raise UnsatisfiableTask(f"fewer than {count} joint wishes go together")
    if count >= _SEVERAL and any(one.is_settled for one in among) and not chosen[0].is_settled:
        raise UnsatisfiableTask("no wish goes with these edges that the tables settle")
    return tuple(chosen)


def asked_with(
    declaration: Declaration, chosen: Sequence[Rule], fields: Mapping[str, Any], seed: int
) -> Iterator[tuple[str, Any]]:
    """Yield what a request says otherwise that has some joint wishes: their values, and no others.

    `fields` are what it says without them.
    """
    given_up, settled = [], []
    for rule in chosen:
        rng = derive_rng(seed, "joint wish", rule.name)
        suited = rule.suits(SimpleNamespace(**fields)) if rule.suits else ()
        value = rng.choice(suited or rule.values) if rule.values else True
        yield rule.name, value
        yield from (
            (name, False if isinstance(fields[name], bool) else None) for name in rule.instead
        )
        if rule.unless and rng.random() < _GIVES_WAY:
            given_up.append(rule.name)
        if rule.whichever:
            settled.append((rule.name, rng.choice(admitted(declaration, rule, value))))
    if given_up:
        yield GIVEN_UP, tuple(given_up)
    if settled:
        yield SETTLED, tuple(settled)


def _is_possible(
    rule: Rule, conditions: Mapping[str, TracedCondition], asked: Collection[str]
) -> bool:
    """Tell whether a request with some optional edges has what a joint wish speaks of."""
    needs = {rule.unless} if rule.unless else set()
    if rule.is_settled or _BUDGET_FIELD in conditions[rule.name].given:
        needs.add(TOTAL_BUDGET)
    return needs <= set(asked) and not ({*rule.instead} & {TOTAL_BUDGET})


def _most_together(
    rules: Sequence[Rule], conditions: Mapping[str, TracedCondition], count: int
) -> int:
    """Return how many joint wishes, up to so many, a request can have of those of a domain."""
    return max(
        size
        for size in range(min(count, len(rules)) + 1)
        if any(
            not any(_clash(*pair, conditions) for pair in combinations(some, 2))
            for some in combinations(rules, size)
        )
    )


def _clash(one: Rule, other: Rule, conditions: Mapping[str, TracedCondition]) -> bool:
    taken = {one.name, *one.instead} & {other.name, *other.instead}
    if taken or (one.is_settled and other.is_settled):
        return True
    # With either of the values a wish that gives way could be met, and what costs less be others.
    if any(a.is_settled and b.unless for a, b in ((one, other), (other, one))):
        return True
    # What bounds a sum that is the least anyway could hardly be broken by itself.
    read = [{*conditions[rule.name].refs} for rule in (one, other)]
    return bool(one.least or other.least) and not read[0].isdisjoint(read[1])
