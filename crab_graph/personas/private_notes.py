"""What the next message of a model's user is to be, drawn for it and told to the model (§3.3).

A model keeps no rates in a talk of ten messages: told that "every third" is to be short, none is.
So the rules draw for each message what they would draw for their own, and a private note says what
came out. The model finds the words, and decides what the note leaves open.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.briefing import Fact, FactLevel, Reason, UserBriefing
from crab_graph.personas.check_answers import beyond_asked
from crab_graph.personas.error_reactions import gives_up, shortened, warns
from crab_graph.personas.later_halves import halves
from crab_graph.personas.objection_answers import objects
from crab_graph.personas.own_tools import ADD, APPROVE
from crab_graph.personas.rules_user import Hearing
from crab_graph.personas.sought_facts import new_facts
from crab_graph.personas.turns import Turn
from crab_graph.personas.user_guide import detail_limit, fact_label, user_guide
from crab_graph.personas.wordbook import OF_PERSONS, ValueForm
from crab_graph.personas.wording import Speaker

Draw = Callable[[str], Random]
"""Returns the generator for a purpose within one message."""

_NO_WISHES = OF_PERSONS | {ValueForm.CARD}

_LEAST_WORDS = 4
_SPREAD = (0.6, 1.4)


class Manner(NamedTuple):
    """How a message is to sound, as drawn; `words` is `None` for three words or fewer."""

    words: int | None
    is_polite: bool
    asks: bool
    is_lower: bool
    small_talk: bool
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
        is_lower=happens("lower", behavior.lower),
        small_talk=happens("small talk", behavior.small_talk),
        drifts=happens("drift", behavior.drifts),
    )


def word_opening_note(hearing: Hearing, briefing: UserBriefing) -> str:
    """Return the note for the first message of a chat."""
    behavior, manner = hearing.behavior, draw_manner(hearing.behavior, hearing.draw)
    # The basic facts do not go into three words, whatever was drawn.
    manner = manner._replace(words=manner.words or _LEAST_WORDS, asks=False)
    first = "opens_with_basics" if behavior.two_levels else "opens_with_all"
    told = [
        fact for fact in briefing.facts if fact.level is FactLevel.BASIC or not behavior.two_levels
    ]
    return _note([_line(first), *_saying_lines(told, hearing.speaker), *_manner_lines(manner)])


def word_note(turn: Turn, draw: Draw, *, idle: int, takes_back: bool, order: str = "") -> str:
    """Return the note for the answer to a message of the agent.

    `idle` counts the agent's messages in a row, this one included, that brought nothing new;
    `takes_back` says whether the user changes its mind now; an `order` stands before all else.
    """
    manner = draw_manner(shortened(turn.behavior, turn.memory.errors), draw)
    lines = [*([order] if order else []), *([_line("takes_back")] if takes_back else [])]
    lines += [*_error_lines(turn), *_beyond_lines(turn), *_detail_lines(turn)]
    told = due_facts(turn).now if turn.behavior.two_levels else new_facts(turn)
    lines += _saying_lines([turn.facts[key] for key in told], turn.speaker)
    return _note([*lines, *_manner_lines(manner), *_patience(turn, idle)])


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


class Due(NamedTuple):
    """The details to tell with one message, by key, and those that wait for the next."""

    now: list[str]
    later: list[str]


def due_facts(turn: Turn) -> Due:
    """Return the details to tell: what was left last time, then as many as one answer gives.

    New ones come first, but what is asked for again by itself comes before what an open question
    beside it leaves to say. Under D1 half of it may wait for the next message.
    """
    record = turn.memory.record
    left = [key for key in turn.memory.later if key in turn.facts and not record.has(key)]
    asked = [key for key in turn.reading.asked if _is_due(key, turn)]
    new = [key for key in new_facts(turn) if _is_due(key, turn) and key not in left]
    is_again = bool(asked) and all(map(record.is_settled, asked))
    due = (asked if is_again else new)[: turn.behavior.facts_per_answer]
    facts = [turn.facts[key] for key in due]
    now, later = halves(facts, turn.speaker, are_whole=is_again or turn.reading.asks_booking)
    return Due([*left, *(fact.key for fact in now)], list(later))


def _detail_lines(turn: Turn) -> list[str]:
    """Say which details to tell now, where they wait for a question at all."""
    if not turn.behavior.two_levels:
        return []
    record, due = turn.memory.record, due_facts(turn)
    parts: dict[str, list[str]] = {"tells": [], "pins_down": [], "tells_again": []}
    for key in due.now:
        is_told = record.has(key)
        part = "tells_again" if record.is_settled(key) else "pins_down" if is_told else "tells"
        parts[part].append(fact_label(key))
    lines = [_line(part, facts=", ".join(keys)) for part, keys in parts.items() if keys]
    lines += [_line("more_to_come")] if due.later else []
    return [*(lines or [_line("tells_nothing")]), _line("limit", limit=detail_limit(turn.behavior))]


def _saying_lines(facts: Sequence[Fact], speaker: Speaker) -> list[str]:
    """Say how to put what the user is not sure of (D3), or puts in other words (D1)."""
    lines = []
    for fact in facts:
        saying = speaker.sayings.get(fact.key)
        if saying is not None:
            name = "doubts" if saying.mark else "indirect"
            lines.append(_line(name, fact=fact_label(fact.key), words=speaker.fact(fact)))
    return lines


def _error_lines(turn: Turn) -> list[str]:
    """Say what is drawn about what the agent has got wrong: not seen, hinted at, too much (D4)."""
    lines = []
    if turn.overlooked:
        lines.append(_line("overlooks", facts=", ".join(map(fact_label, turn.overlooked))))
    drawn = drawn_reaction(turn)
    return [*lines, *([] if drawn is None else [_line(drawn[1], facts=fact_label(drawn[0]))])]


def _beyond_lines(turn: Turn) -> list[str]:
    """Say that the user cannot know what a message wants it to confirm."""
    labels = ", ".join(map(fact_label, beyond_asked(turn)))
    return [_line("relies", facts=labels)] if labels else []


def drawn_reaction(turn: Turn) -> tuple[str, str] | None:
    """Return the fact that a message has wrong, and the line that says how the user takes it."""
    record, errors, behavior = turn.memory.record, turn.memory.errors, turn.behavior
    wrong = [key for key in turn.conflicts if record.has(key)] if objects(turn) else []
    if not wrong:
        return None
    key = min(wrong, key=lambda one: record.times(one, Reason.CORRECTED))
    if gives_up(key, behavior, errors):
        return key, "gives_up_on"
    if errors.hinted is None and turn.speaker.happens("hint", 1 - behavior.names_errors):
        return key, "hints"
    return (key, "warns_of") if warns(key, behavior, errors) else None


def _is_due(key: str, turn: Turn) -> bool:
    """Tell whether a fact is a detail to tell: an open question does not ask who somebody is."""
    fact, words = turn.briefing.fact(key), turn.briefing.lexicon.facts.get(key)
    if fact is None:
        return False
    if fact.level is not FactLevel.DETAIL:
        return key in turn.reading.asked
    is_wish = fact.slot is not None or (words is not None and words.form not in _NO_WISHES)
    return is_wish or key in turn.reading.asked


def _manner_lines(manner: Manner) -> list[str]:
    length = _line("short") if manner.words is None else _line("words", words=str(manner.words))
    traits = {
        "lower": manner.is_lower,
        "polite" if manner.is_polite else "not_polite": True,
        "asks" if manner.asks else "asks_nothing": True,
        "small_talk": manner.small_talk,
        "drifts": manner.drifts,
    }
    return [length, *(_line(name) for name, is_drawn in traits.items() if is_drawn)]


def _patience(turn: Turn, idle: int) -> list[str]:
    """Say that the user's patience wears thin; no user leaves without having said so."""
    patience, has_warned = turn.behavior.patience, turn.memory.warned
    if idle >= patience and has_warned:
        return [_line("gives_up", idle=str(idle))]
    is_thin = idle > 0 and idle >= patience - 1
    return [_line("warns", idle=str(idle))] if is_thin and not has_warned else []


def _line(name: str, **values: str) -> str:
    return user_guide().notes[name].format(**values)


def _note(lines: Sequence[str]) -> str:
    return "\n".join([f"({_line('head')}", *(f"- {line}" for line in lines)]) + ")"
