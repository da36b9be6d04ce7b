"""Errors of a user that says yes to what is not so (rulebook §10, U8)."""

import re
from collections.abc import Iterator

from crab_graph.eval.blame import UserError
from crab_graph.eval.dialogue import AgentMessage, UserMessage
from crab_graph.eval.heard import heard, stated
from crab_graph.eval.reading import Episode
from crab_graph.eval.user_facts import UserConduct, covered_checks, read_told
from crab_graph.personas.briefing import Fact
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.play_backs import read_play_back
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.turned_plans import turned_right
from crab_graph.text.approvals import ActKind

_AFFIRMS = re.compile(
    r"\b(?:yes|yep|yeah|correct|right|exactly|indeed|that's it|sounds good|all good|fine|perfect)\b"
)
_DENIES = re.compile(r"\b(?:no|not|wrong|incorrect|isn't|n't|actually|wait|should be|but)\b")


def says_yes(text: str) -> bool:
    """Tell whether an answer says yes, and nothing against it."""
    said = text.casefold()
    return _AFFIRMS.search(said) is not None and _DENIES.search(said) is None


def false_yeses(episode: Episode, conduct: UserConduct | None) -> Iterator[UserError]:
    """U8: yes to a play-back or plan with another value than the profile's, which it never gave.

    One that gave the right value in time is not at fault, nor is one that may overlook errors: with
    the latter the yes explains nothing. What it gave its record tells, or else its words.
    """
    facts = {one.key: one for one in episode.reading.task.facts}
    ungiven = set(facts)
    for request, answer in episode.dialogue.answers:
        for key in sorted(ungiven & _affirmed(episode, request, answer)):
            ungiven.discard(key)
            if last_booked_at(episode, facts[key].slot) < answer.seq or _states(episode, key):
                continue
            if is_given_in_time(episode, facts[key], conduct):
                continue
            may_overlook = conduct is not None and conduct.overlooks
            covers = frozenset() if may_overlook else covered_checks(episode, key)
            yield UserError("U8", answer.number, f"said yes to another value for {key}", covers)


def last_booked_at(episode: Episode, slot: str | None) -> int:
    """Return when a slot, or anything, was booked for the last time; 0 where it never was."""
    made = (one.made_at for one in episode.history.bookings if slot in {None, one.slot})
    return max(made, default=0)


def is_given_in_time(episode: Episode, fact: Fact, conduct: UserConduct | None) -> bool:
    """Tell whether a fact was given as it is before what it is about was booked."""
    settled = read_told(episode) if conduct is None else conduct.settled
    given, until = settled.get(fact.key), last_booked_at(episode, fact.slot)
    if given is not None and not until:
        return True
    return any(one.number == given and one.seq < until for one in episode.dialogue.user)


def _states(episode: Episode, key: str) -> bool:
    """Tell whether the user's own words give a fact as it is, whatever its record says."""
    return any(key in stated(episode, one) for one in episode.dialogue.user)


def _affirmed(episode: Episode, request: AgentMessage, answer: UserMessage) -> frozenset[str]:
    """Return the facts of which an answer affirms another value: of a plan or a play-back."""
    takes = any(act.kind is ActKind.APPROVE for act in answer.acts)
    if not (takes or says_yes(answer.text)):
        return frozenset()
    briefing = episode.reading.task.briefing
    reading = heard(episode, request)
    plan = turned_right(read_plan(reading, briefing.slots), briefing)
    wrong = set(contradictions(plan, briefing)) if takes else set()
    if says_yes(answer.text):
        played = read_play_back(reading, briefing, plan.items)
        wrong |= {*played.wrong} if played.is_asked else set()
    # Beside a value that was played back a bare one is meant for what that was about.
    return frozenset(wrong.difference(stated(episode, answer, {*reading.asked, *wrong})))
