"""Did the conversation end in the right way? (rulebook §5, paper A.1)."""

from functools import partial

from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, FailureMode, judge, seen
from crab_graph.eval.reading import Episode, TripState
from crab_graph.eval.verifier import Verifier, verifier
from crab_graph.text.phrases import TerminalToken, offers_transfer


@verifier("C-OOS", "not ended as out of scope", FailureMode.OUT_OF_SCOPE)
def in_scope(episode: Episode) -> CheckResult:
    """C-OOS: the conversation does not end as out of scope; every task can be solved (§5)."""
    is_out_of_scope = episode.trajectory.token is TerminalToken.OUT_OF_SCOPE
    return judge([seen("the user ended the conversation as out of scope")] * is_out_of_scope)


def _ended(state: TripState, episode: Episode) -> CheckResult:
    """C-FULL, C-PART, C-NONE: with a trip in that state it ends with one of some tokens (§5).

    With a trip that is partly booked a transfer must have been offered after the last write, too.
    """
    token = episode.trajectory.token
    if episode.state is not state or token is TerminalToken.OUT_OF_SCOPE:
        return NOT_TRIGGERED
    violations = []
    is_transfer = token is TerminalToken.TRANSFER
    if token is None or (is_transfer and state is TripState.NONE):
        ending = f"with {token}" if is_transfer else "without a terminal token"
        violations.append(seen(f"with a trip in state '{state}' the conversation ended {ending}"))
    if state is TripState.PARTIAL and not has_final_offer(episode):
        violations.append(seen("no transfer to a human was offered after the last booking write"))
    return judge(violations)


def has_final_offer(episode: Episode) -> bool:
    """Return whether a transfer was offered, or made, after the last booking write."""
    last_write = episode.history.last_write
    return any(seq > last_write for seq in episode.history.transferred_at) or any(
        offers_transfer(message.utterance) for message in episode.dialogue.agent_after(last_write)
    )


# Which failure mode these show depends on how they fail: see `attribution`.
full = Verifier("C-FULL", "ended properly, everything booked", partial(_ended, TripState.FULL))
part = Verifier("C-PART", "a transfer offered, part booked", partial(_ended, TripState.PARTIAL))
none = Verifier("C-NONE", "ended properly, nothing booked", partial(_ended, TripState.NONE))
