"""What is weak about a domain, found on tasks drawn of it, in the order in which to mend it.

A domain can be right in itself and make poor tasks: wishes that nobody can word, rules that never
bind, offers that give themselves away, parts that the cheapest offer fills. What is looked at is
what the audit of a benchmark looks at (`giveaways`), on a few tasks, and told in the words of a
declaration.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import groupby
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crab_graph.analysis.audit.giveaways import generation_gates
from crab_graph.analysis.audit.heard_denials import misheard_denials
from crab_graph.domain.contract import Domain, Draft, TaskSlot
from crab_graph.domain.declaration import TOTAL_BUDGET, Declaration, Rule
from crab_graph.domain.idle_bounds import idle_bounds
from crab_graph.domain.loading import load_domain
from crab_graph.domain.word_checks import word_problems, word_weaknesses
from crab_graph.domains.benchmark import Benchmark
from crab_graph.domains.construction import draw_draft, without_numbers
from crab_graph.domains.generate import generate_benchmark
from crab_graph.domains.ladder import LADDER
from crab_graph.domains.substance import TaskOffers, read_offers
from crab_graph.domains.task import Task
from crab_graph.errors import UnsatisfiableTask
from crab_graph.generation.constraints import Ref
from crab_graph.generation.shortcuts import PRICE
from crab_graph.randomness import derive_array_rng, derive_seed
from crab_graph.settings import GenerationSettings

AREAS = ("words", "drafts", "rules", "giveaways", "shortcuts")
"""What is looked at, in the order in which it is mended."""

DRAFTS_REJECTED = 0.5
"""Share of drafts from which on so many are given up that tasks are no fair sample of requests."""

NEARLY_ALL = 0.95
"""Share of combinations from which on a rule that holds of them excludes nothing."""

SOLVED = 0.5
"""Share of tasks from which on a part is too easy: the wishes alone, or the price, decide it."""

COMBINATIONS = 2000
"""Combinations of offers by which it is told what a rule excludes."""

REQUESTS = 100
"""Requests drawn to see which rules bind."""

_MOST_REASONS, _LEAST_SHARE = 3, 0.2
"""So many reasons are told why drafts are given up, if they are a share like this of them."""

_NAMED_EDGE = re.compile(r"^edge '(.+)' has too few near misses$")


class Weakness(NamedTuple):
    """Something to mend: where, what is wrong, and what to do."""

    area: str
    what: str
    mend: str


class Review(NamedTuple):
    """What was looked at: how many tasks, out of how many drafts, and what was found."""

    tasks: int
    drafts: int
    findings: tuple[Weakness, ...]


class RuleUse(NamedTuple):
    """How requests use a rule: in how many of them it stands, and in how many it binds.

    Where what is wished decides it, a rule stands and does not bind.
    """

    asked: int
    active: int


class EasyPart(Enum):
    """By what a part of a task can be filled rightly without a look at the others."""

    NOT = auto()
    DECIDED = auto()
    CHEAPEST = auto()


def review_domain(
    domain: Domain | str,
    tasks: int = 40,
    *,
    seed: int = 0,
    distractors: int = GenerationSettings.distractors,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Review:
    """Return what is weak about a domain, in the order in which to mend it.

    It is one that can be found by its name, or `module:attribute`; so many tasks are drawn of it
    to look at. `progress` is told of every step of generating and examining them.

    Raises:
        UnknownName: there is no such domain.
        DeclarationError: what is declared cannot be right.
    """
    if isinstance(domain, str):
        domain = load_domain(domain)
    findings = [*_of_declaration(domain)]
    with TemporaryDirectory(prefix="crab-graph-review-") as folder:
        try:
            bench = generate_benchmark(
                Path(folder) / "bench",
                tasks,
                domain=domain.name,
                seed=seed,
                distractors=distractors,
                progress=progress,
            )
        except UnsatisfiableTask as error:
            mend = f"{_mend_drafts(str(error))}; or generate with fewer --distractors"
            return Review(0, 0, _in_order([*findings, Weakness("drafts", str(error), mend)]))
        findings += [*_of_drafts(bench), *_of_joint_wishes(domain, seed)]
        findings += [*_of_tasks(domain, bench), *_of_gates(bench)]
        drafts = _drafts(bench)
    return Review(tasks, drafts, _in_order(findings))


def _in_order(findings: Iterable[Weakness]) -> tuple[Weakness, ...]:
    """Return what was found in the order in which it is mended."""
    return tuple(sorted(findings, key=lambda one: AREAS.index(one.area)))


_OF_DECLARATION: Sequence[tuple[str, Callable[[Declaration], Iterable[str]]]] = (
    ("words", word_problems),
    ("words", word_weaknesses),
    ("words", misheard_denials),
    ("rules", idle_bounds),
)


def _of_declaration(domain: Domain) -> Iterator[Weakness]:
    """Yield what can be told without a task."""
    if domain.declaration is None:
        return
    for area, find in _OF_DECLARATION:
        for line in find(domain.declaration):
            what, _, mend = line.partition("; ")
            yield Weakness(area, what, mend)


def _drafts(bench: Benchmark) -> int:
    own = bench.manifest.selection
    return sum(one.candidates + sum(one.rejected.values()) for one in own)


def _rejected(bench: Benchmark) -> Counter[str]:
    """Return how many drafts were given up for each reason, all strata together."""
    return sum((Counter(one.rejected) for one in bench.manifest.selection), Counter[str]())


_MEND_DRAFTS = {
    "have no common solution": "loosen rules between slots, or give the fields that they read more "
    "values",
    "too few objects": "let every request wish for something of that slot, and give its fields "
    "more values",
    "too few near misses": "make that rule stricter, or loosen the others, so that more offers "
    "break it alone",
    "no edge constraint is active": "let a rule between slots bind in every request",
    "too few edge constraints are active": "let more rules between slots bind in every request",
    "leave a node alone": "let a rule or the budget tie that slot to another in every request",
    "too few objects fit": "give the fields that rules compare more values",
    "too few distractors break an edge": "make rules between slots stricter",
}


def _mend_drafts(reason: str) -> str:
    """Return what to do about the reason for which drafts are given up."""
    found = (mend for words, mend in _MEND_DRAFTS.items() if words in reason)
    return next(found, "loosen what it names, or give the fields it reads more values")


def _given_up(drafts: int, reasons: Counter[str], where: str = "") -> Iterator[Weakness]:
    """Yield why so many drafts are given up, if they are too many, with what to do about each."""
    if reasons.total() <= DRAFTS_REJECTED * drafts:
        return
    told = f"{where}{reasons.total()} of {drafts} drafts were given up, more than half"
    for reason, count in reasons.most_common(_MOST_REASONS):
        if count >= _LEAST_SHARE * reasons.total():
            yield Weakness("drafts", f"{told}; {count} since {reason}", _mend_drafts(reason))


def _of_joint_wishes(domain: Domain, seed: int) -> Iterator[Weakness]:
    """Yield the joint wishes that no draft gets, and for which levels too few can be drawn."""
    declared = domain.declaration
    if declared is None or not declared.joint_rules:
        return
    drawn = Counter[str]()
    for joint, group in groupby(sorted(LADDER, key=_joint_of), key=_joint_of):
        if not joint:
            continue
        reasons = Counter[str]()
        levels = sorted(group)
        for draft in _drafts_of(domain, REQUESTS, seed, levels[0], reasons):
            drawn.update(one.name for one in declared.joint_rules if _asks_for(draft, one))
        named = " and ".join(map(str, levels))
        yield from _given_up(REQUESTS, reasons, f"with the joint wishes of level {named} ")
    for rule in declared.joint_rules:
        if not (drawn[rule.name] or rule.is_settled):
            what = f"joint wish '{rule.name}': no draft that could be drawn has it"
            yield Weakness("rules", what, "let more offers fit it, or ask for less by its values")


def _joint_of(level: int) -> int:
    return LADDER[level].joint


def _asks_for(draft: Draft, rule: Rule) -> bool:
    return bool(getattr(draft.request, rule.name))


def _drafts_of(
    domain: Domain, requests: int, seed: int, level: int, reasons: Counter[str]
) -> Iterator[Draft]:
    """Yield those of so many drafts of a level that can be drawn, and count why others cannot."""
    for number in range(requests):
        values = {axis.name: axis.values[number % len(axis.values)] for axis in domain.axes}
        try:
            yield draw_draft(domain, derive_seed(seed, "review", number), values, level)
        except UnsatisfiableTask as error:
            reasons[without_numbers(str(error))] += 1


def _of_drafts(bench: Benchmark) -> Iterator[Weakness]:
    drafts = _drafts(bench)
    yield from _given_up(drafts, _rejected(bench))
    candidates = sum(one.candidates for one in bench.manifest.selection)
    doubles = sum(one.duplicates for one in bench.manifest.selection)
    if doubles > DRAFTS_REJECTED * candidates:
        yield Weakness(
            "drafts",
            f"{doubles} of {candidates} drafts were like another",
            "give wishes and fields more values",
        )


def _of_tasks(domain: Domain, bench: Benchmark) -> Iterator[Weakness]:
    """Yield what the offers of the tasks show of rules and parts."""
    held: dict[str, list[float]] = {}
    parts: dict[str, list[EasyPart]] = {slot.id: [] for slot in domain.slots}
    with bench.reading() as connection:
        for task in bench:
            offers = read_offers(connection, domain, task.graph, task.id)
            for name, share in _held(task, offers).items():
                held.setdefault(name, []).append(share)
            for slot in domain.slots:
                parts[slot.id].append(_how_easy(domain, slot, task, offers))
    yield from _of_rules(domain, bench, held)
    yield from _of_parts(parts)


def _held(task: Task, offers: TaskOffers) -> dict[str, float]:
    """Return of each edge that binds the share of random combinations of which it holds."""
    rng = derive_array_rng("review", task.id)
    drawn = {
        node: rows[rng.randint(0, len(rows), COMBINATIONS)] for node, rows in offers.valid.items()
    }

    def value(ref: Ref) -> NDArray[Any]:
        return offers.objects[ref[0]][ref[1]][drawn[ref[0]]]

    edges = (edge for edge in offers.folded.edges if edge.name in task.spec.active_edges)
    return {edge.name: float(np.mean(edge.evaluate(value))) for edge in edges}


def count_uses(domain: Domain, requests: int, seed: int) -> dict[str, RuleUse]:
    """Return how drawn requests use each rule; what no request asks for is left out."""
    asked, active = Counter[str](), Counter[str]()
    for draft in _drafts_of(domain, requests, seed, 1, Counter()):
        asked.update(edge.name for edge in domain.build_graph(draft.request).edge_constraints)
        active.update(draft.folded.active_edges)
    return {name: RuleUse(asked[name], active[name]) for name in asked}


def _how_easy(domain: Domain, slot: TaskSlot, task: Task, offers: TaskOffers) -> EasyPart:
    columns, rows = offers.objects[slot.id], offers.valid[slot.id]
    key = domain.kinds[slot.kind].offer.key
    solved = {solution[slot.id][key] for solution in task.kept_solutions}
    fits = np.isin(columns[key][rows].astype(str), list(solved))
    if fits.all():
        return EasyPart.DECIDED
    is_cheap = PRICE in columns and bool(fits[columns[PRICE][rows].argmin()])
    return EasyPart.CHEAPEST if is_cheap else EasyPart.NOT


def _of_rules(
    domain: Domain, bench: Benchmark, held: Mapping[str, Sequence[float]]
) -> Iterator[Weakness]:
    drafts, uses = _drafts(bench), count_uses(domain, REQUESTS, bench.manifest.settings.seed or 0)
    lacking = Counter[str]()
    for reason, count in _rejected(bench).items():
        if match := _NAMED_EDGE.match(reason):
            lacking[match[1]] += count
    for name in _rule_names(domain, uses):
        use, shares = uses.get(name, RuleUse(0, 0)), held.get(name, ())
        if not use.asked:
            what, mend = f"none of {REQUESTS} requests asks for it", "raise its odds"
        elif not use.active:
            what = f"it binds in none of the {use.asked} requests that have it: wishes decide it"
            mend = "let it read a field that no wish settles, or leave it out"
        elif shares and fmean(shares) > NEARLY_ALL:
            what = f"it holds of {fmean(shares):.0%} of all combinations: it excludes next to none"
            mend = "make it stricter, or leave it out"
        elif lacking[name] > DRAFTS_REJECTED * drafts:
            what = f"{lacking[name]} of {drafts} drafts had too few offers that break it alone"
            mend = "make it stricter, or let no other rule follow from it"
        else:
            continue
        yield Weakness("rules", f"rule '{name}': {what}", mend)


def _rule_names(domain: Domain, uses: Mapping[str, RuleUse]) -> list[str]:
    declared = domain.declaration
    names = [*uses]
    if declared is not None:
        # The requests looked at have no joint wishes: levels of the ladder ask for these.
        names = [rule.name for rule in declared.rules if not rule.joint]
        names += [] if declared.budget is None else [TOTAL_BUDGET]
    return names


_EASY = {
    EasyPart.DECIDED: (
        "whatever meets the wishes is right",
        "let a rule read a field of it that no wish settles",
    ),
    EasyPart.CHEAPEST: (
        "the cheapest offer that meets the wishes is right",
        "let a rule read what tells its offers apart beside their price",
    ),
}


def _of_parts(parts: Mapping[str, Sequence[EasyPart]]) -> Iterator[Weakness]:
    for slot, found in parts.items():
        for easy, (what, mend) in _EASY.items():
            share = found.count(easy) / len(found)
            if share > SOLVED:
                told = f"slot '{slot}': in {share:.0%} of {len(found)} tasks {what}"
                yield Weakness("shortcuts", told, mend)


MEND_GATES = {
    "certified": ("drafts", "tell of it as a bug: the same rule counts otherwise on the tables"),
    "shortcut": ("shortcuts", "add a rule between parts, or let one be stricter"),
    "near_misses": ("rules", "let each rule exclude something that no other rule does"),
    "substance": ("rules", "let rules tie each slot, and give fields more values that fit"),
}
"""Area, and what to mend, by the kind of the gate that fails; leaks name their feature."""


def _of_gates(bench: Benchmark) -> Iterator[Weakness]:
    """Yield the gates of the audit's generation half that fail on these tasks."""
    for gate in generation_gates(bench):
        kind, *rest = gate.id.split(".", 3)
        measured = f"{gate.value:.2f}, not {gate.gate}"
        if gate.ok:
            continue
        if kind != "leak":
            area, mend = MEND_GATES[kind]
            yield Weakness(area, f"{gate.id} is {measured}", mend)
            continue
        scope, slot, feature = rest
        others = "the others" if scope == "all" else "the others that meet the wishes"
        yield Weakness(
            "giveaways",
            f"slot '{slot}': {feature} tells its solutions from {others} (AUC {measured})",
            "let rules bound what it is about from both sides, or give it more values",
        )
