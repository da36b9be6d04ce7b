"""How a user answers when it may choose: which option it takes, and what else was asked."""

from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.turns import Decision, Turn, told_as_asked


def choose(turn: Turn) -> Decision | None:
    """Return the turn that takes one of some options; `None` where there is none to take."""
    choice = turn.choice
    if choice is None:
        return None
    others = chosen_facts(turn, turn.choices) if turn.reading.asked else []
    named = choice.as_words(by_price=turn.behavior.indirect > 0)
    words = turn.speaker.phrase("choose", choice=named)
    return Decision(
        (words, *map(turn.speaker.fact, others)),
        told=told_as_asked(others),
        is_content=True,
        moved=True,
        approved=choice.slots >= {slot.id for slot in turn.briefing.slots},
    )
