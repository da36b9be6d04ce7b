"""Completion checks: did the conversation end in the right way? (rulebook §5, paper A.1)."""

from crab_graph.eval.checks import NOT_TRIGGERED, CheckResult, judge, seen
from crab_graph.eval.episode import Episode, TripState
from crab_graph.text.phrases import offers_transfer
from crab_graph.text.tokens import TerminalToken

_CHECK_OF_STATE = {
    TripState.FULL: "C-FULL",
    TripState.PARTIAL: "C-PART",
    TripState.NONE: "C-NONE",
}
_ENDINGS = {
    TripState.FULL: (TerminalToken.STOP, TerminalToken.TRANSFER),
    TripState.PARTIAL: (TerminalToken.STOP, TerminalToken.TRANSFER),
    TripState.NONE: (TerminalToken.STOP,),
}


def completion_checks(episode: Episode) -> dict[str, CheckResult]:
    """Return the results of the four completion checks."""
    token, state = episode.trajectory.token, episode.state
    results = dict.fromkeys(("C-OOS", *_CHECK_OF_STATE.values()), NOT_TRIGGERED)
    is_out_of_scope = token is TerminalToken.OUT_OF_SCOPE
    told = [seen("the user ended the conversation as out of scope")] if is_out_of_scope else []
    results["C-OOS"] = judge(told)
    if is_out_of_scope:
        return results
    violations = []
    if token not in _ENDINGS[state]:
        ending = "without a terminal token" if token is None else f"with {token}"
        violations.append(seen(f"with a trip in state '{state}' the conversation ended {ending}"))
    if state is TripState.PARTIAL and not has_final_offer(episode):
        violations.append(seen("no transfer to a human was offered after the last booking write"))
    results[_CHECK_OF_STATE[state]] = judge(violations)
    return results


def has_final_offer(episode: Episode) -> bool:
    """Return whether a transfer was offered, or made, after the last booking write."""
    last_write = episode.history.last_write
    if any(seq > last_write for seq in episode.history.transferred_at):
        return True
    messages = episode.dialogue.agent_after(last_write)
    return any(offers_transfer(message.utterance) for message in messages)
