"""Grading takes whatever an agent or a transcript throws at it."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from crab_graph.eval.verdict import grade
from crab_graph.tools.registry import Owner
from tests.eval.builders import BACK, HOTEL, MUSEUM, NAMES, OUT, small_task

NAMES_OF_TOOLS = [
    tool.name for owner in Owner for tool in small_task().domain.registry().tools(owner)
]
WORDS = [
    *(
        "Total",
        "$1,010.00",
        "$150.00 per passenger",
        "not",
        "Yes",
        "Shall I book",
        "?",
        ". ",
        "\n- ",
    ),
    *(
        OUT,
        BACK,
        HOTEL,
        MUSEUM,
        *NAMES.values(),
        "flights",
        "trip",
        "=",
        "×",
        "<!--",
        "**",
        "|",
        "\n- ",
    ),
    *("###STOP###", "###TRANSFER###", "my mistake", "human agent", "connect", "if", "BK-1"),
]
TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
CALLS = st.fixed_dictionaries(
    {"name": st.one_of(st.sampled_from(NAMES_OF_TOOLS), TEXTS), "arguments": VALUES}
)


def ended_beside_a_call(token):
    """Return the last message of a user that says nothing but a token."""
    call = {"name": "get_customer_information", "arguments": {}}
    return {"role": "user", "content": f"###{token}###", "tool_calls": [call]}


MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": TEXTS},
    optional={"tool_calls": st.lists(CALLS, min_size=1, max_size=2)},
)


@settings(max_examples=150, deadline=None)
@given(st.lists(MESSAGES, max_size=12))
@example([ended_beside_a_call("STOP")])
@example([ended_beside_a_call("TRANSFER")])
@example([ended_beside_a_call("OUT-OF-SCOPE")])
def test_any_transcript_gets_the_same_verdict_twice(messages):
    first, second = grade(small_task(), messages), grade(small_task(), messages)
    assert json.dumps(first.as_json()) == json.dumps(second.as_json())
    assert not first.passed
