"""Totals told: before a charge, and in the closing summary (rulebook §5 to §7, paper A.1)."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from itertools import chain
from typing import NamedTuple

from crab_graph.domain.verification import Role
from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, Evidence, judge, seen
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.explained_totals import (
    Quantity,
    StatedTotal,
    distinct,
    explanations,
    inconsistent,
    is_of_booked,
    is_rival,
    paid,
    running,
    speaks_of_another,
    states_its_own,
)
from crab_graph.eval.history import NEVER, Payment
from crab_graph.eval.loose_amounts import false_amounts
from crab_graph.eval.reading import Episode, JobState
from crab_graph.eval.told_statuses import false_statuses, state_of
from crab_graph.eval.verifier import Duty, undisclosed, verifier
from crab_graph.money import format_dollars
from crab_graph.text.item_groups import charged_lists
from crab_graph.text.phrases import is_future
from crab_graph.text.total_cues import ALL_CUES, PRE_CHARGE_CUES, SUMMARY_CUES, CueFamily
from crab_graph.text.total_scopes import Scope
from crab_graph.text.totals import TotalStatement


class Governance(NamedTuple):
    """Which total governs each charge that one precedes, and what was explained otherwise."""

    governed: tuple[tuple[Payment, StatedTotal], ...]
    explained: tuple[Evidence, ...]


def governing_totals(episode: Episode) -> tuple[tuple[Payment, StatedTotal], ...]:
    """Return each charge that a total precedes with the latest such total, in doubt a sound one."""
    return _governance(episode, in_doubt=True).governed


@lru_cache(maxsize=2)
def _governance(episode: Episode, *, in_doubt: bool) -> Governance:
    """Go back from the last total to the first, each with the charges that no later one governs."""
    stated = [
        StatedTotal(message, total)
        for message in episode.dialogue.agent
        for total in message.totals(PRE_CHARGE_CUES)
        if not total.is_void and (total.is_of_all or (in_doubt and _is_new_total(episode, total)))
    ]
    left = list(episode.history.charges)
    governed: list[tuple[Payment, StatedTotal]] = []
    explained: list[Evidence] = []
    for one in reversed(stated):
        first = bisect_left(left, one.message.seq, key=lambda charge: charge.seq)
        own = left[first:]
        if not own:
            continue
        reason = _explanation(episode, one, own) if in_doubt else None
        if reason is None:
            governed += ((charge, one) for charge in reversed(own))
            del left[first:]
        else:
            explained.append(one.explained(reason))
        if not left:
            break
    return Governance(tuple(reversed(governed)), tuple(reversed(explained)))


def _is_new_total(episode: Episode, total: TotalStatement) -> bool:
    """Tell whether a total behind the prices of some items is that of all that is booked.

    So it is where one price has changed: `unchanged: HT-1 $360.00. new total $1,010.00`.
    """
    booked = sum(one.total_cents for one in episode.active.values())
    return total.is_loose and not total.is_share and total.amount.cents == booked


def _explanation(
    episode: Episode, stated: StatedTotal, governed: Sequence[Payment]
) -> Quantity | None:
    """Return what a total that would fail may be instead: of the whole job one of another plan."""
    if not (stated.total.is_of_all and stated.is_consistent):
        return None
    meant = distinct(_totals_meant(episode, stated, sum(charge.cents for charge in governed)))
    if stated.cents in (one.cents for one in meant):
        return None
    is_open = stated.total.scope is Scope.UNSCOPED
    if (is_rival(stated) or (is_open and speaks_of_another(stated))) and states_its_own(stated):
        return Quantity("the total of an alternative", stated.cents)
    if not is_open:
        return None
    tried = distinct((*meant, *explanations(episode, stated)))
    return next((one for one in tried if one.cents == stated.cents), None)


def _untold_total(episode: Episode) -> Iterator[Evidence]:
    first = episode.history.charges[:1]
    governed = _governance(episode, in_doubt=False).governed[:1]
    if [charge for charge, _ in governed] != first:
        yield undisclosed("a total before the first charge")


def _judge_charges(episode: Episode, *, in_doubt: bool) -> CheckResult:
    """Judge each total that governs charges, once, and every running one where it stands."""
    found = _governance(episode, in_doubt=in_doubt)
    violations, support = list(_false_running(episode)), list(found.explained)
    for key, stated in {id(one.total): one for _, one in found.governed}.items():
        under = sum(charge.cents for charge, one in found.governed if id(one.total) == key)
        meant = distinct(_totals_meant(episode, stated, under))
        if not stated.is_consistent:
            violations.append(inconsistent(stated))
            continue
        if stated.cents in {one.cents for one in meant}:
            support.append(stated.told("matches"))
            continue
        is_open = stated.total.scope is Scope.UNSCOPED
        tried = distinct((*meant, *explanations(episode, stated))) if is_open else meant
        article = "an" if is_open else "a"
        due = " or ".join(format_dollars(one.cents) for one in meant)
        said = f"{article} {stated.total.scope} total would be {due}"
        violations.append(stated.unexplained(said, tried))
    if not found.governed and not violations:
        return NOT_TRIGGERED._replace(evidence=tuple(support))
    return judge(violations, support)


@verifier(
    "F-PT",
    Role.TOTAL_TOLD,
    "total stated before the charge",
    duty=Duty(_untold_total, lambda episode: bool(episode.history.charges)),
    coverage=lambda episode: (len(governing_totals(episode)), len(episode.history.charges)),
    letter=partial(_judge_charges, in_doubt=False),
)
def pre_charge_totals(episode: Episode) -> CheckResult:
    """F-PT: the total that governs a charge is the job's, or that of charges it speaks of (§5)."""
    return _judge_charges(episode, in_doubt=True)


def is_true_total(episode: Episode, stated: StatedTotal, governed: int) -> bool:
    """Tell whether a total that governs charges of so many cents together is true."""
    meant = _totals_meant(episode, stated, governed)
    is_open = stated.total.scope is Scope.UNSCOPED
    told = chain(meant, explanations(episode, stated) if is_open else ())
    return stated.is_consistent and any(one.cents == stated.cents for one in told)


def _totals_meant(
    episode: Episode, stated: StatedTotal, governed: int | None = None
) -> Iterator[Quantity]:
    history, said_at = episode.history, stated.message.seq
    yield Quantity("all that is booked", sum(one.total_cents for one in episode.active.values()))
    yield Quantity("all that was paid", history.captured())
    if stated.total.scope is Scope.UNSCOPED:
        until = next((one.seq for one in episode.dialogue.agent_after(said_at)), NEVER)
        later = [charge for charge in history.charges if said_at < charge.seq]
        if governed is not None:
            yield Quantity("the charges it governs", governed)
        if later:
            next_ones = sum(charge.cents for charge in later if charge.seq < until)
            yield Quantity("the charges before the next message", next_ones)
            yield Quantity("the charges after it", sum(charge.cents for charge in later))


def _false_running(episode: Episode) -> Iterator[Evidence]:
    """Yield each running total of the job that nothing explains, where anything was charged."""
    for message in episode.dialogue.agent if episode.history.charges else ():
        if not is_of_booked(episode, message):
            continue
        growing = chain(*(message.growing_totals(cues) for cues in (PRE_CHARGE_CUES, ALL_CUES)))
        for total in {one.amount: one for one in growing if one.is_of_all}.values():
            stated = StatedTotal(message, total)
            if total.family is CueFamily.CHARGED and not _is_alone(message, total):
                continue
            tried = distinct(_running_meant(episode, stated))
            if stated.cents not in {one.cents for one in tried}:
                yield stated.unexplained("no running total comes to that", tried)


def _running_meant(episode: Episode, stated: StatedTotal) -> Iterator[Quantity]:
    """Yield what a running total may be; what was paid until now is that alone."""
    if stated.total.family is CueFamily.CHARGED:
        yield from paid(episode, stated.message)
    else:
        yield from running(episode, stated)
        yield from _totals_meant(episode, stated)


def _is_alone(message: AgentMessage, total: TotalStatement) -> bool:
    """Tell whether no other amount stands in a total's clause, which the words could be about."""
    start, end, _ = total.clause
    return not any(start <= one.start < end for one in message.amounts if one != total.amount)


@lru_cache(maxsize=1)
def summaries(episode: Episode) -> tuple[StatedTotal, ...]:
    """Return the totals of the visible messages that sum up after the last booking write."""
    if not episode.history.writes:
        return ()
    after = episode.dialogue.agent_after(episode.history.last_write)
    return tuple(stated for message in after for stated in summed_up(episode, message))


def summed_up(episode: Episode, message: AgentMessage) -> list[StatedTotal]:
    """Return the totals of a message, where it says that something is done."""
    said = message.utterance
    has_charged = any(charge.seq < message.seq for charge in episode.history.charges)
    is_summary = message.is_summary(has_charged=has_charged)
    totals = message.job_totals(SUMMARY_CUES) if is_summary else ()
    future = cache(partial(is_future, said))
    return [StatedTotal(message, one) for one in totals if not future(one.clause)]


def _missing_summary(episode: Episode) -> Iterator[Evidence]:
    """Yield what strict grading finds wrong: no summary, and claims never corrected (§6)."""
    if episode.state is JobState.FULL and not (summaries(episode) or _sums_up_items(episode)):
        yield undisclosed("a summary of the finished job")
    for told, left in false_statuses(episode):
        states = ", ".join(f"{one.name} {state_of(episode, one, told.message.seq)}" for one in left)
        text = f"claimed that something is {told.claim.status}: {states}"
        yield seen(text, message=told.message.number)


def _sums_up_items(episode: Episode) -> bool:
    """Tell whether a total behind its items, of which F-IP is the judge, is what was captured."""
    return any(
        total.is_loose and not total.is_void and total.amount.cents == episode.captured
        for message in episode.dialogue.agent_after(episode.history.last_write)
        if message.is_summary(has_charged=True)
        for total in message.slot_totals(SUMMARY_CUES)
    )


def _summed_up(episode: Episode) -> tuple[int, int]:
    is_due = bool(episode.confirmed)
    return int(is_due and bool(summaries(episode))), int(is_due)


def _false_lists(
    episode: Episode, message: AgentMessage, *, may_be_parts: bool = False
) -> Iterator[Evidence]:
    """Yield each amount that a message lists as charged more often than it was.

    Where no total stands beside a list it may be of sums, which come to what was charged.
    """
    charges = Counter(one.cents for one in episode.history.charges)
    for run in charged_lists(message.utterance, message.amounts, message.references):
        if may_be_parts and sum(one.cents for one in run) == episode.captured:
            continue
        for cents, times in Counter(amount.cents for amount in run).items():
            if times > charges[cents]:
                said = f"listed {format_dollars(cents)} as charged"
                text = f"{said}, {times} times: {charges[cents]} charges come to that"
                yield seen(text, message=message.number)


def _untold_sums(episode: Episode) -> Iterator[Evidence]:
    """Yield what is false in messages that state no total by which they could be judged."""
    if episode.history.charges:
        for message in episode.dialogue.agent_after(episode.history.last_write):
            yield from _false_lists(episode, message, may_be_parts=True)


def _judge_summary(episode: Episode, *, in_doubt: bool) -> CheckResult:
    """Judge the latest summary, in doubt the latest that is nothing else but one."""
    captured = Quantity("what was captured", episode.captured)
    explained: list[Evidence] = []
    for stated in reversed(summaries(episode)):
        if not stated.is_consistent:
            return judge([inconsistent(stated)])
        if stated.cents == captured.cents:
            matching = [stated.told("matches what was captured"), *explained]
            return judge(
                [*_false_lists(episode, stated.message), *false_amounts(episode)], matching
            )
        is_open = in_doubt and stated.total.scope is Scope.UNSCOPED
        tried = distinct((captured, *(explanations(episode, stated) if is_open else ())))
        reason = next((one for one in tried if one.cents == stated.cents), None)
        if reason is None:
            said = f"{format_dollars(captured.cents)} were captured"
            return judge([stated.unexplained(said, tried)])
        explained.append(stated.explained(reason))
    false = [*_untold_sums(episode), *false_amounts(episode)]
    return judge(false) if false else NOT_TRIGGERED._replace(evidence=tuple(explained))


@verifier(
    "F-PS",
    Role.SUMMARY_TOLD,
    "summary of what was charged",
    duty=Duty(_missing_summary, lambda episode: episode.state is JobState.FULL),
    coverage=_summed_up,
    letter=partial(_judge_summary, in_doubt=False),
)
def summary(episode: Episode) -> CheckResult:
    """F-PS: the latest summary's total is what was captured on confirmed active bookings (§5)."""
    return _judge_summary(episode, in_doubt=True)
