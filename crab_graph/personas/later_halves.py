"""One message's worth said over two turns: the second half comes with the next turn (D1)."""

from collections.abc import Sequence
from dataclasses import replace

from crab_graph.personas.briefing import Fact, Reason
from crab_graph.personas.turns import Decision, Turn
from crab_graph.personas.wording import Speaker


def halves(
    facts: Sequence[Fact], speaker: Speaker, *, are_whole: bool = False
) -> tuple[list[Fact], tuple[str, ...]]:
    """Return the facts to say now, and the keys of those to say with the next turn; often none."""
    half = (len(facts) + 1) // 2
    if are_whole or half == len(facts) or not speaker.spreads():
        return list(facts), ()
    return list(facts[:half]), tuple(fact.key for fact in facts[half:])


def with_later_half(turn: Turn) -> tuple[Turn, Decision]:
    """Return a turn that has said what the last one left, and the decision that says it.

    It says so whatever the agent has said in between, and before it answers that.
    """
    facts = [turn.facts[key] for key in turn.memory.later if key in turn.facts]
    told = tuple((fact.key, Reason.VOLUNTEERED) for fact in facts)
    said = Decision(tuple(map(turn.speaker.fact, facts)), told=told)
    return replace(turn, said=turn.memory.later), said


def said_before(reply: Decision, said: Decision, *, is_asked: bool) -> Decision:
    """Return a decision that says something else first.

    What it would only say to say something, it does not say then; nothing is left to say to one who
    ends the talk.
    """
    if not said.parts or reply.token:
        return reply
    does = reply.told or reply.is_answer or reply.is_content or reply.moved or reply.insisted
    parts = reply.parts if does or is_asked else ()
    # What the answer says by itself, such as the card that was added, is not said twice.
    answered = {key for key, _ in reply.told}
    first = [
        (words, one)
        for words, one in zip(said.parts, said.told, strict=True)
        if one[0] not in answered
    ]
    told = (*(one for _, one in first), *reply.told)
    kept = [words for words, _ in first]
    # A correction comes first, lest it seem to be of what was left to say.
    corrects = any(reason is Reason.CORRECTED for _, reason in reply.told)
    parts = (*parts, *kept) if corrects else (*kept, *parts)
    return replace(reply, parts=parts, told=told, is_answer=not is_asked)
