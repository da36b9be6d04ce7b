"""Totals told: before a charge, and in the closing summary (rulebook §5 to §7, paper A.1)."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial

from crab_graph.domain.verification import Role
from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, Evidence, judge, seen
from crab_graph.eval.dialogue import AgentMessage
from crab_graph.eval.history import Payment
from crab_graph.eval.reading import Episode, JobState
from crab_graph.eval.told_statuses import false_statuses, state_of
from crab_graph.eval.verifier import Duty, undisclosed, verifier
from crab_graph.money import format_dollars
from crab_graph.text.phrases import is_future
from crab_graph.text.totals import PRE_CHARGE_CUES, SUMMARY_CUES, Scope, TotalStatement


@dataclass(frozen=True, slots=True)
class StatedTotal:
    """A total of the job and the message that states it."""

    message: AgentMessage
    total: TotalStatement

    @property
    def cents(self) -> int:
        """The amount stated."""
        return self.total.amount.cents

    def told(self, text: str) -> Evidence:
        """Return evidence about it."""
        return seen(f"stated {format_dollars(self.cents)}: {text}", message=self.message.number)


@lru_cache(maxsize=1)
def governing_totals(episode: Episode) -> tuple[tuple[Payment, StatedTotal], ...]:
    """Return each charge that a total precedes with the latest such total."""
    stated = [
        StatedTotal(message, total)
        for message in episode.dialogue.agent
        for total in message.job_totals(PRE_CHARGE_CUES)
    ]
    governed = []
    for charge in episode.history.charges:
        earlier = bisect_left(stated, charge.seq, key=lambda item: item.message.seq)
        if earlier:
            governed.append((charge, stated[earlier - 1]))
    return tuple(governed)


def _untold_total(episode: Episode) -> Iterator[Evidence]:
    first = episode.history.charges[:1]
    if first and [charge for charge, _ in governing_totals(episode)[:1]] != first:
        yield undisclosed("a total before the first charge")


@verifier(
    "F-PT",
    Role.TOTAL_TOLD,
    "total stated before the charge",
    duty=Duty(_untold_total, lambda episode: bool(episode.history.charges)),
    coverage=lambda episode: (len(governing_totals(episode)), len(episode.history.charges)),
)
def pre_charge_totals(episode: Episode) -> CheckResult:
    """F-PT: the total that governs a charge is the job's, or that of charges it speaks of (§5)."""
    governed = governing_totals(episode)
    if not governed:
        return NOT_TRIGGERED
    violations, support = [], []
    for key, stated in {id(one.total): one for _, one in governed}.items():
        under = sum(charge.cents for charge, other in governed if id(other.total) == key)
        allowed = set(_totals_meant(episode, stated, under))
        if stated.cents in allowed:
            support.append(stated.told("matches"))
        else:
            due = " or ".join(map(format_dollars, sorted(allowed)))
            violations.append(stated.told(f"a {stated.total.scope} total would be {due}"))
    return judge(violations, support)


def _totals_meant(episode: Episode, stated: StatedTotal, governed: int) -> Iterator[int]:
    history, said_at = episode.history, stated.message.seq
    yield sum(booking.total_cents for booking in episode.active.values())
    yield history.captured()
    if stated.total.scope is Scope.UNSCOPED:
        following = episode.dialogue.agent_after(said_at)
        until = following[0].seq if following else float("inf")
        yield governed
        yield sum(charge.cents for charge in history.charges if said_at < charge.seq < until)
        yield sum(charge.cents for charge in history.charges if said_at < charge.seq)


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
    if episode.state is JobState.FULL and not summaries(episode):
        yield undisclosed("a summary of the finished job")
    for told, left in false_statuses(episode):
        states = ", ".join(f"{one.name} {state_of(episode, one, told.message.seq)}" for one in left)
        text = f"claimed that something is {told.claim.status}: {states}"
        yield seen(text, message=told.message.number)


def _summed_up(episode: Episode) -> tuple[int, int]:
    is_due = bool(episode.confirmed)
    return int(is_due and bool(summaries(episode))), int(is_due)


@verifier(
    "F-PS",
    Role.SUMMARY_TOLD,
    "summary of what was charged",
    duty=Duty(_missing_summary, lambda episode: episode.state is JobState.FULL),
    coverage=_summed_up,
)
def summary(episode: Episode) -> CheckResult:
    """F-PS: the latest summary's total is what was captured on confirmed active bookings (§5)."""
    found = summaries(episode)
    if not found:
        return NOT_TRIGGERED
    latest, captured = found[-1], episode.captured
    if latest.cents == captured:
        return judge((), [latest.told("matches what was captured")])
    return judge([latest.told(f"{format_dollars(captured)} were captured")])
