"""D4: a user overlooks some errors, corrects the others, warns, grows shorter and gives up."""

from dataclasses import replace

import pytest

from crab_graph.personas.behavior import Behavior
from crab_graph.personas.error_reactions import ErrorRecord, Reaction, shortened
from tests.personas.test_rules_user import PLAN, Chat

WRONG = PLAN.replace("4 stars", "3 stars")


def chat_about(plan, condition, seed):
    chat = Chat(condition, seed)
    chat.say()
    chat.say("How many stars should the hotel have?")
    chat.say("Just to be sure: how many stars exactly?")
    return chat, chat.say(plan)


def reactions(chat):
    return [(row["key"], row["act"]) for row in chat.state.get("errors", ())]


@pytest.mark.parametrize("condition", ["generic", "d1", "d2", "d3", "terse", "impatient"])
def test_without_d4_a_wrong_detail_is_seen_and_a_second_time_corrected_again(condition):
    for seed in range(4):
        chat, _ = chat_about(WRONG, condition, seed)
        again = chat.say(WRONG)
        assert reactions(chat) == [("hotel_stars", "corrected")] * 2
        assert "###" not in again
        assert "###" not in chat.say(PLAN.replace("FL-48213", "FL-48214"))


@pytest.mark.parametrize("condition", ["d4", "terse+d4", "neutral+d4", "impatient+d4"])
def test_under_d4_a_repeated_error_ends_the_talk_after_a_warning(condition):
    seen = set()
    for seed in range(16):
        chat, answer = chat_about(WRONG, condition, seed)
        first = reactions(chat)[0][1]
        seen.add(first)
        if first == Reaction.OVERLOOKED:
            assert "###" not in answer and not chat.told("corrected")
            continue
        if first == Reaction.HINTED:
            assert not chat.told("corrected")
            answer = chat.say("I am sorry. What is wrong with it?")
            assert chat.told("corrected") == ["hotel_stars"]
            continue
        assert chat.told("corrected") == ["hotel_stars"]
        end = chat.say(WRONG)
        assert end.endswith("###STOP###") and len(end.split()) > 1
        assert reactions(chat)[-1] == ("hotel_stars", "gave_up")
    assert Reaction.CORRECTED in seen and (len(seen) > 1 or condition == "neutral+d4")


def test_what_is_played_back_is_never_overlooked():
    recap = "So you want a hotel of at least 5 stars, is that right?"
    for seed in range(12):
        chat, _ = chat_about(recap, "impatient+d4", seed)
        assert ("hotel_stars", "overlooked") not in reactions(chat)


def test_a_user_grows_shorter_with_each_error():
    behavior = replace(Behavior(), shortens=0.5)
    errors = ErrorRecord()
    before = behavior
    for turn in (3, 5, 7):
        errors = errors.with_reaction("hotel_stars", turn, Reaction.CORRECTED)
        after = shortened(behavior, errors)
        assert (after.words, after.polite) < (before.words, before.polite)
        assert after.short > before.short
        before = after
