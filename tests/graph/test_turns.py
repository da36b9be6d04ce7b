import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest

from crab_graph.graph.turns import taking_turns, waiting


def test_one_goes_on_while_another_waits_and_only_then():
    turn = threading.Lock()
    is_asked, is_answered = threading.Event(), threading.Event()
    seen = []

    def asking():
        with taking_turns(turn):
            seen.append("asked")
            with waiting():
                is_asked.set()
                assert is_answered.wait(10)
            seen.append("answered")

    def answering():
        with taking_turns(turn):
            seen.append("answering")
            is_answered.set()
            seen.append("still in turn")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(asking)
        assert is_asked.wait(10)
        threads.submit(answering).result(10)
        first.result(10)
    assert seen == ["asked", "answering", "still in turn", "answered"]


@pytest.mark.parametrize("place", [nullcontext, waiting])
def test_a_turn_ends_with_an_error(place):
    turn = threading.Lock()
    with pytest.raises(KeyError), taking_turns(turn), place():
        raise KeyError
    assert not turn.locked()


def test_nobody_waits_for_a_turn_where_none_are_taken():
    turn, seen = threading.Lock(), []
    with turn:  # somebody else has theirs
        with waiting():
            seen.append("asked")
        seen.append("answered")
    assert seen == ["asked", "answered"]
