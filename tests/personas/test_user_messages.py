"""Guards let right messages of users through and stop wrong ones (tests/personas/user_messages)."""

import pytest

from tests.personas.user_messages import contexts, judge

HALVES = ("tuning", "held_out")


def test_there_are_200_right_and_200_wrong_messages_of_every_kind():
    for side in ("right", "wrong"):
        assert sum(len(one[side]) for half in HALVES for one in contexts(half)) == 200
    kinds = {kind for half in HALVES for one in contexts(half) for kind, _ in one["wrong"]}
    assert len(kinds) == 13


@pytest.mark.parametrize("half", HALVES)
def test_right_messages_are_let_through_and_wrong_ones_sent_back(half):
    sent_back, missed, _ = judge(half)
    assert not sent_back
    assert len(missed) <= 5, missed
