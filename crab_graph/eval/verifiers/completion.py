"""Did the conversation end in the right way? (rulebook §5, paper A.1)."""

from functools import partial

from crab_graph.domain.verification import Role
from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, judge, seen
from crab_graph.eval.reading import Episode, JobState
from crab_graph.eval.verifier import Verifier, verifier
from crab_graph.text.phrases import TerminalToken


@verifier("C-OOS", Role.IN_SCOPE, "not ended as out of scope")
def in_scope(episode: Episode) -> CheckResult:
    """C-OOS: the conversation does not end as out of scope; every task can be solved (§5)."""
    is_out_of_scope = episode.trajectory.token is TerminalToken.OUT_OF_SCOPE
    return judge([seen("the user ended the conversation as out of scope")] * is_out_of_scope)


def _ended(state: JobState, episode: Episode) -> CheckResult:
    """C-FULL, C-PART, C-NONE: with a job in that state it ends with one of some tokens (§5).

    With a job that is partly booked a transfer must have been offered after the last write, too.
    """
    token = episode.trajectory.token
    if episode.state is not state or token is TerminalToken.OUT_OF_SCOPE:
        return NOT_TRIGGERED
    violations = []
    is_transfer = token is TerminalToken.TRANSFER
    if token is None or (is_transfer and state is JobState.NONE):
        ending = f"with {token}" if is_transfer else "without a terminal token"
        violations.append(seen(f"with a job in state '{state}' the conversation ended {ending}"))
    if state is JobState.PARTIAL and not has_final_offer(episode):
        violations.append(seen("no transfer to a human was offered after the last booking write"))
    return judge(violations)


def has_final_offer(episode: Episode) -> bool:
    """Return whether a transfer was offered, or made, after the last booking write."""
    last_write = episode.history.last_write
    return any(seq > last_write for seq in episode.history.transferred_at) or any(
        message.offers_transfer for message in episode.dialogue.agent_after(last_write)
    )


# Which failure mode these show depends on how they fail: see `attribution`.
full, part, none = (
    Verifier(id, role, title, partial(_ended, state))
    for id, role, title, state in (
        ("C-FULL", Role.ENDED_FULL, "ended properly, everything booked", JobState.FULL),
        ("C-PART", Role.ENDED_PARTIAL, "a transfer offered, part booked", JobState.PARTIAL),
        ("C-NONE", Role.ENDED_NONE, "ended properly, nothing booked", JobState.NONE),
    )
)
