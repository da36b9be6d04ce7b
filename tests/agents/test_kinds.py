"""Every kind of agent works, remembers, outlives a kill, is forked, and plays in a notebook."""

import gc

import pytest

from tests.agents.agent_kinds import (
    KINDS,
    PAGE,
    PROPERTIES,
    checked,
    expected,
    model_server,
    table,
)

THEIRS = pytest.mark.filterwarnings("ignore")  # clients nobody closes are not ours to mend
SLOW = [
    pytest.param(
        kind, what, marks=[pytest.mark.slow, *([THEIRS] if KINDS[kind].asks_again else [])]
    )
    for kind in KINDS
    for what in PROPERTIES
    if what != "works" or KINDS[kind].asks_again
]
QUICK = [(kind, "works") for kind in KINDS if not KINDS[kind].asks_again]


@pytest.fixture(scope="module")
def address():
    with model_server() as found:
        yield found


@pytest.mark.parametrize(("kind", "what"), [*QUICK, *SLOW])
def test_a_kind_of_agent_does_what_the_page_says(kind, what, address):
    found = checked(kind, what, address)
    gc.collect()  # what is left open complains here, and not in another test
    assert found == expected(kind, what)


def test_the_page_has_the_table():
    assert table(expected) in PAGE.read_text("utf-8")
