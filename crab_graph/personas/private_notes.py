"""What the next message of a model's user is to be, drawn for it and told to the model (§3.3).

A model keeps no rates in a talk of ten messages: told that "every third" is to be short, none is.
So the rules draw for each message what they would draw for their own, and a private note says what
came out. The model finds the words, and decides what the note leaves open.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import FactLevel, UserBriefing
from crab_graph.personas.fact_answers import new_facts
from crab_graph.personas.own_tools import ADD, APPROVE
from crab_graph.personas.rules_user import Hearing
from crab_graph.personas.turns import Turn
from crab_graph.personas.user_guide import detail_limit, fact_label, user_guide
from crab_graph.personas.wordbook import ValueForm
from crab_graph.personas.wording import Speaker

Draw = Callable[[str], Random]
"""Returns the generator for a purpose within one message."""

_OF_PERSONS = frozenset({ValueForm.TEXT, ValueForm.NAMES, ValueForm.DATES, ValueForm.CARD})
"""Forms of facts that say who somebody is, not what is wanted."""

_LEAST_WORDS = 4
_SPREAD = (0.6, 1.4)


class Manner(NamedTuple):
    """How a message is to sound, as drawn; `words` is `None` for three words or fewer."""

    words: int | None
    is_polite: bool
    asks: bool
    drifts: bool


def draw_manner(behavior: Behavior, draw: Draw) -> Manner:
    """Draw how one message is to sound, each trait at its rate, as the rules do for their own."""

    def happens(purpose: str, rate: float) -> bool:
        return rate > 0 and draw(purpose).random() < rate

    words = round(behavior.words * draw("words").uniform(*_SPREAD))
    return Manner(
        words=None if happens("short", behavior.short) else max(_LEAST_WORDS, words),
        is_polite=happens("polite", behavior.polite),
        asks=happens("question", behavior.questions),
        drifts=happens("drift", behavior.drifts),
    )


def word_opening_note(hearing: Hearing, briefing: UserBriefing) -> str:
    """Return the note for the first message of a chat."""
    behavior, manner = hearing.behavior, draw_manner(hearing.behavior, hearing.draw)
    # The basic facts do not go into three words, whatever was drawn.
    manner = manner._replace(words=manner.words or _LEAST_WORDS, asks=False)
    first = "opens_with_basics" if behavior.two_levels else "opens_with_all"
    told = [
        fact.key
        for fact in briefing.facts
        if fact.level is FactLevel.BASIC or not behavior.two_levels
    ]
    return _note([_line(first), *_doubt_lines(told, hearing.speaker), *_manner_lines(manner)])


def word_note(turn: Turn, draw: Draw, *, idle: int, takes_back: bool) -> str:
    """Return the note for the answer to a message of the agent.

    `idle` counts the agent's messages in a row, this one included, that brought nothing new;
    `takes_back` says whether the user changes its mind now.
    """
    lines = [_line("takes_back")] if takes_back else []
    lines += _detail_lines(turn)
    lines += _doubt_lines(_told_now(turn), turn.speaker)
    lines += _manner_lines(draw_manner(turn.behavior, draw))
    return _note([*lines, *_patience(turn.behavior, idle)])


def idle_messages(hearing: Hearing) -> int:
    """Return how many of the agent's messages in a row, the last one included, were idle."""
    turn = hearing.turn
    return turn.memory.idle + 1 if turn is not None and _is_idle(turn) else 0


def _is_idle(turn: Turn) -> bool:
    """Tell whether a message brings nothing new: nothing named, asked or done for the first time.

    A question whose answer is still untold is new, whatever its words.
    """
    record = turn.memory.record
    is_new = any(not record.has(key) for key in new_facts(turn))
    has_acted = not turn.wallet.called.isdisjoint({APPROVE, ADD})
    return not (is_new or has_acted or turn.memory.fresh(turn.reading))


def due_facts(turn: Turn) -> list[str]:
    """Return the keys of the details to tell now: new ones first, and as many as one answer gives.

    What is asked for again by itself comes before what an open question beside it leaves to say.
    """
    record = turn.memory.record
    asked = [key for key in turn.reading.asked if _is_due(key, turn)]
    new = [key for key in new_facts(turn) if _is_due(key, turn)]
    is_again = bool(asked) and all(map(record.is_settled, asked))
    return (asked if is_again else new)[: turn.behavior.facts_per_answer]


def _detail_lines(turn: Turn) -> list[str]:
    """Say which details to tell now, where they wait for a question at all."""
    if not turn.behavior.two_levels:
        return []
    record = turn.memory.record
    parts: dict[str, list[str]] = {"tells": [], "pins_down": [], "tells_again": []}
    for key in due_facts(turn):
        is_told = record.has(key)
        part = "tells_again" if record.is_settled(key) else "pins_down" if is_told else "tells"
        parts[part].append(fact_label(key))
    lines = [_line(part, facts=", ".join(keys)) for part, keys in parts.items() if keys]
    return [*(lines or [_line("tells_nothing")]), _line("limit", limit=detail_limit(turn.behavior))]


def _doubt_lines(keys: Sequence[str], speaker: Speaker) -> list[str]:
    """Say how to put what the user is not sure of when it first tells it (D3)."""
    sayings = {key: speaker.sayings[key] for key in keys if key in speaker.sayings}
    return [
        _line("doubts", fact=fact_label(key), words=saying.words) for key, saying in sayings.items()
    ]


def _told_now(turn: Turn) -> list[str]:
    """Return the keys of the facts that the answer may give for the first time."""
    return due_facts(turn) if turn.behavior.two_levels else new_facts(turn)


def _is_due(key: str, turn: Turn) -> bool:
    """Tell whether a fact is a detail to tell: an open question does not ask who somebody is."""
    fact, words = turn.briefing.fact(key), turn.briefing.lexicon.facts.get(key)
    if fact is None or fact.level is not FactLevel.DETAIL:
        return False
    is_wish = fact.slot is not None or (words is not None and words.form not in _OF_PERSONS)
    return is_wish or key in turn.reading.asked


def _manner_lines(manner: Manner) -> list[str]:
    length = _line("short") if manner.words is None else _line("words", words=str(manner.words))
    traits = {
        "polite" if manner.is_polite else "not_polite": True,
        "asks" if manner.asks else "asks_nothing": True,
        "drifts": manner.drifts,
    }
    return [length, *(_line(name) for name, is_drawn in traits.items() if is_drawn)]


def _patience(behavior: Behavior, idle: int) -> list[str]:
    if idle >= behavior.patience:
        return [_line("gives_up", idle=str(idle))]
    is_last = idle == behavior.patience - 1 and idle > 0
    return [_line("warns", idle=str(idle))] if is_last else []


def _line(name: str, **values: str) -> str:
    return user_guide().notes[name].format(**values)


def _note(lines: Sequence[str]) -> str:
    return "\n".join([f"({_line('head')}", *(f"- {line}" for line in lines)]) + ")"
