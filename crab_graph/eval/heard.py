"""What the user hears in the agent's messages, and what it states in its own (rulebook §10)."""

from collections.abc import Iterable
from functools import lru_cache

from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.reading import Episode
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.play_backs import read_play_back
from crab_graph.personas.recognition import facts_said
from crab_graph.personas.spoken_dates import find_dates
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.turned_plans import turned_right
from crab_graph.personas.understanding import Reading, reading_of
from crab_graph.personas.wordbook import ValueForm
from crab_graph.text.lexicon import pattern


def heard(episode: Episode, request: AgentMessage) -> Reading:
    """Return the reading of a message of the agent, beside the one before it; each is read once."""
    known = _readings(episode)
    if request.number not in known:
        before = episode.dialogue.last_before(request)
        briefing = episode.reading.task.briefing
        said = None if before is None else before.text
        reading = reading_of(request.text, briefing.lexicon, briefing.slots, said)
        known[request.number] = reading
    return known[request.number]


def contradicted(episode: Episode, request: AgentMessage) -> frozenset[str]:
    """Return the facts of which a message plays back or plans another value."""
    briefing, reading = episode.reading.task.briefing, heard(episode, request)
    plan = turned_right(read_plan(reading, briefing.slots), briefing)
    played = read_play_back(reading, briefing, plan.items)
    return frozenset(played.wrong).union(contradictions(plan, briefing))


def stated(episode: Episode, answer: UserMessage, asked: Iterable[str] = ()) -> list[str]:
    """Return the facts that a message of the user states; one that was asked for, by its value."""
    known = _sayings(episode)
    if answer.number not in known:
        known[answer.number] = facts_said(answer.text, episode.reading.task.briefing)
    expected = set(asked)
    return [key for key, is_own in known[answer.number].items() if is_own or key in expected]


def speaks_of(episode: Episode, answer: UserMessage, key: str) -> bool:
    """Tell whether an answer speaks of a fact: names it, or any value of its kind.

    A value that is vague, or told by another one, is told all the same; who says that it will not
    tell tells nothing.
    """
    briefing = episode.reading.task.briefing
    words, text = briefing.lexicon.facts[key], answer.utterance.text
    if pattern("attribution", "evasions").search(text):
        return False
    if any(cue.search(text) for cue in (*words.asks, *words.cues.values())):
        return True
    match words.form:
        case ValueForm.DATE | ValueForm.DATES:
            return bool(find_dates(text, briefing.today))
        case ValueForm.COUNT | ValueForm.MONEY | ValueForm.CARD:
            return any(letter.isdigit() for letter in text)
    return False


@lru_cache(maxsize=1)
def _readings(episode: Episode) -> dict[int, Reading]:
    del episode
    return {}


@lru_cache(maxsize=1)
def _sayings(episode: Episode) -> dict[int, dict[str, bool]]:
    del episode
    return {}
