"""Facts that a message only touches upon while it asks for something else."""

from crab_graph.personas.fact_scopes import is_apart, is_named, names_somebody, slots_of
from crab_graph.personas.stated_values import words_of
from crab_graph.personas.turns import Turn

_NAMING = frozenset({"how:cue", "value"})


def is_elsewhere(turn: Turn, key: str) -> bool:
    """Tell whether clauses only hint at a fact, and each of them is about another slot."""
    named = [(one, how.facts[key]) for one, how in turn.reading.clauses if key in how.facts]
    return bool(named) and all(
        how.isdisjoint(_NAMING) and is_apart(turn, key, one) for one, how in named
    )


def is_told_elsewhere(turn: Turn, key: str) -> bool:
    """Tell whether clauses only hint at what was told for sure, and are about other slots.

    Those about a slot ask for none of where the whole begins and ends.
    """
    is_of_whole = names_somebody(turn, key)
    asking = [(one, how) for one, how in turn.reading.clauses if one.is_request]
    near = [(one, how.facts[key]) for one, how in asking if key in how.facts]
    return (
        bool(near)
        and turn.memory.record.is_settled(key)
        and all(
            how.isdisjoint(_NAMING) and (is_apart(turn, key, one) or (is_of_whole and one.named))
            for one, how in near
        )
    )


def is_mention(turn: Turn, key: str) -> bool:
    """Tell whether clauses name a wish's value only as a word for what they ask another wish of."""
    fact, lexicon = turn.briefing.fact(key), turn.briefing.lexicon
    if fact is None or not any(cue.search(str(fact.value)) for cue in lexicon.slots.values()):
        return False
    asked = {*turn.reading.asked} - {key}
    clauses = turn.reading.clauses
    own = [(one, how) for one, how in clauses if one.is_request and how.names(key)]
    return bool(own) and all(
        "value" in how.facts[key]
        and words_of(one.text, lexicon.facts[key]) == {str(fact.value)}
        and any(other in how.facts and slots_of(turn, other) & one.scope for other in asked)
        for one, how in own
    )


def is_of_noted_joint(turn: Turn, key: str) -> bool:
    """Tell whether what likeliest asks for a fact only notes a joint wish that was told."""
    reading, lexicon = turn.reading, turn.briefing.lexicon
    told = [one for name, one in lexicon.facts.items() if one.is_joint and name in turn.facts]
    told = [one for one in told if turn.memory.record.has(one.key) and one.key != key]
    if not told or key not in lexicon.facts:
        return False
    if any(one.is_request and key in how.facts for one, how in turn.reading.clauses):
        return False
    place = list(lexicon.facts).index(key)
    scores = [float(row[place]) for row in reading.fact_scores]
    likeliest = reading.segments[scores.index(max(scores))].text if scores else ""
    return any(one.about.search(likeliest) for one in told)


def is_joint_elsewhere(turn: Turn, key: str) -> bool:
    """Tell whether what asks is about other slots than a joint wish that is not told yet.

    What only notes something asks for none that it hints at.
    """
    words = turn.briefing.lexicon.facts.get(key)
    if words is None or not words.is_joint or key not in turn.facts:
        return False
    if is_named(turn, key) and key in turn.briefing.lexicon.undecided:
        # By what to choose is asked of the whole, whatever is named beside.
        return False
    asking = [(one, how) for one, how in turn.reading.clauses if one.is_request]
    slots = slots_of(turn, key) | turn.briefing.lexicon.compared(key)
    if not (slots and any(one.named for one, _ in asking)):
        return False
    near = (how for one, how in asking if not one.named or not one.named.isdisjoint(slots))
    return not any(key in how.facts for how in near)
