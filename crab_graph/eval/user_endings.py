"""Errors of the user in how it ends a conversation (rulebook §10, U4 and U5)."""

from collections import Counter
from collections.abc import Iterator

from crab_graph.domain.verification import Role
from crab_graph.eval.blame import UserError
from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.heard import contradicted, heard
from crab_graph.eval.reading import Episode, JobState
from crab_graph.eval.user_facts import UserConduct, read_told
from crab_graph.eval.user_payments import calls_between
from crab_graph.personas.behavior import least_patience
from crab_graph.personas.memory import news
from crab_graph.personas.patience import idle_after
from crab_graph.text.approvals import ActKind
from crab_graph.text.lexicon import pattern
from crab_graph.text.phrases import TerminalToken
from crab_graph.text.utterance import Utterance

UNFINISHED = frozenset({Role.SLOT_FILLED, Role.PAID, Role.ENDED_PARTIAL, Role.ENDED_NONE})
"""What a conversation that ended too early explains."""

_FIRST_TURNS = 2


def ending_errors(episode: Episode, conduct: UserConduct | None) -> Iterator[UserError]:
    """Yield the errors in how the user ended: U4 and U5."""
    yield from _premature_end(episode, conduct)
    yield from _wrong_token(episode)


def _premature_end(episode: Episode, conduct: UserConduct | None) -> Iterator[UserError]:
    """U4: the user ends in its first two turns, or when the agent asks something that moves on.

    Never is it one after an agent at its wits' end, nor when the patience of its condition had run
    out.
    """
    is_ended = episode.trajectory.token in (TerminalToken.STOP, TerminalToken.TRANSFER)
    users = episode.dialogue.user
    # One can end without a word, beside a call.
    if not (is_ended and users) or episode.state is JobState.FULL:
        return
    ending, before = users[-1], episode.dialogue.agent_before(users[-1].seq)
    if before and _gives_up(episode, before[-1]):
        return
    is_early = len(users) <= _FIRST_TURNS
    if not (is_early or (before and _asks_anew(episode, before))):
        return
    if _is_at_its_limit(episode, conduct):
        return
    yield UserError("U4", ending.number, "ended while asked to go on", UNFINISHED)


def _gives_up(episode: Episode, last: AgentMessage) -> bool:
    """Return whether the agent's last message tells of an inability, or hands over."""
    said = pattern("attribution", "binding").sub(" ", last.utterance.text)
    is_unable = pattern("attribution", "inability").search(said) is not None
    return is_unable or last.offers_transfer or bool(episode.history.transferred_at)


def _asks_anew(episode: Episode, before: list[AgentMessage]) -> bool:
    """Return whether the last of some messages asks what was not asked in the same words before.

    After a booking write it may ask the same again: that is of something else.
    """
    last, earlier = before[-1], before[:-1]
    since = earlier[-1].seq if earlier else 0
    asked = set(_requests(last.utterance))
    if heard(episode, last).claims_done:
        more = pattern("attribution", "more")
        asked = {words for words in asked if not more.search(words)}
    if not any(since < write < last.seq for write in episode.history.writes):
        asked.difference_update(*(_requests(one.utterance) for one in earlier))
    return bool(asked)


def _requests(utterance: Utterance) -> Iterator[str]:
    """Yield the clauses that ask for something but the end of the talk."""
    please, closings = pattern("attribution", "please"), pattern("attribution", "closings")
    for words in map(utterance.words, utterance.clauses):
        if ("?" in words or please.search(words)) and not closings.search(words):
            yield words.strip()


def _is_at_its_limit(episode: Episode, conduct: UserConduct | None) -> bool:
    """Return whether the user's patience had run out, with silence or with errors (D4).

    Of an unknown condition it is that of the least patient user.
    """
    patience = least_patience() if conduct is None or not conduct.patience else conduct.patience
    if _idle_turns(episode, conduct) >= patience:
        return True
    if conduct is not None and not conduct.overlooks:
        return False
    return (conduct is not None and conduct.gave_up) or _repeats_an_error(episode)


def _repeats_an_error(episode: Episode) -> bool:
    """Tell whether the agent's last message tells a value wrongly that it told so before."""
    told = [contradicted(episode, request) for request, _ in episode.dialogue.answers]
    times = Counter(key for keys in told for key in keys)
    return any(times[key] > 1 for keys in told[-1:] for key in keys)


def _idle_turns(episode: Episode, conduct: UserConduct | None) -> int:
    """Return how many turns without progress the user had behind it, as it counts them itself."""
    told = read_told(episode) if conduct is None else conduct.told
    seen: frozenset[str] = frozenset()
    idle = 0
    for request, answer in episode.dialogue.answers:
        brought = news(heard(episode, request))
        is_told = answer.number in told.values()
        moved = bool(brought - seen) or is_told or _acts(episode, request, answer)
        idle = idle_after(idle, moved=moved, asked_back="?" in answer.text)
        seen |= brought
    return idle


def _acts(episode: Episode, request: AgentMessage, answer: UserMessage) -> bool:
    """Return whether there was a booking, charge, payment or approval around an answer."""
    earlier = episode.dialogue.last_before(request)
    since = 0 if earlier is None else earlier.seq
    return (
        any(since < write < request.seq for write in episode.history.writes)
        or any(call.events for call in calls_between(episode, request, answer))
        or any(act.kind is ActKind.APPROVE for act in answer.acts)
    )


def _wrong_token(episode: Episode) -> Iterator[UserError]:
    """U5: out of scope, or a transfer that was neither offered nor made.

    The window of `ended_partial` is too narrow here: any offer may have led to the token.
    """
    token, user = episode.trajectory.token, episode.dialogue.user
    number = user[-1].number if user else 0
    if token is TerminalToken.OUT_OF_SCOPE:
        yield UserError("U5", number, "every task is in scope", frozenset({Role.IN_SCOPE}))
    elif token is TerminalToken.TRANSFER and not (
        episode.history.transferred_at
        or any(message.offers_transfer for message in episode.dialogue.agent)
    ):
        covers = frozenset({Role.ENDED_PARTIAL, Role.ENDED_NONE})
        yield UserError("U5", number, "a transfer was neither offered nor made", covers)
