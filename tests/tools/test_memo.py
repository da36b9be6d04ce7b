"""Kept outcomes are those of calls run anew, and are bounded."""

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from crab_graph.tools import memo as memo_module
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.memo import Memo, plain_bytes, plain_value
from crab_graph.tools.registry import Owner, ToolOutcome, ToolRegistry
from crab_graph.tools.tool import ToolCall, ToolType, tool
from tests.tools import builders as b
from tests.tools.test_random_calls import REGISTRY, RELAXED, SEEDS, Call, random_episode

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


def run_anew(ledger: Ledger, call: Call) -> ToolOutcome:
    """Run a call on the same tables, of which nothing is remembered."""
    ledger.world.memo = Memo()
    return REGISTRY.call(ledger, *call)


def reads(ledger: Ledger) -> list[Call]:
    """Return calls that read what an episode wrote."""
    stay = {"check_in": "2027-05-03", "check_out": "2027-05-06"}
    return [
        (Owner.AGENT, "search_available_seats", {"flight_id": b.OUT_EARLY}),
        (Owner.AGENT, "search_available_rooms", {"hotel_id": b.HOTEL, **stay}),
        (Owner.AGENT, "search_attractions_by_city", {"city": "Pittsburgh"}),
        (Owner.AGENT, "get_customer_information", {"customer_id": b.CUSTOMER}),
        (Owner.AGENT, "get_recent_payment_transactions", {"customer_id": b.CUSTOMER}),
        (Owner.USER, "get_my_payment_cards", {}),
        (Owner.USER, "get_my_trip_confirmations", {}),
        (Owner.USER, "get_trip_spending_summary", {}),
        (Owner.USER, "get_recent_card_activity", {}),
    ]


@settings(RELAXED, max_examples=15)
@given(SEEDS)
def test_a_kept_outcome_is_that_of_the_call_run_anew(seed: int) -> None:
    played, fresh = Ledger.fold(b.build_world()), Ledger.fold(b.build_world())
    for call, outcome, _ in random_episode(seed):
        for asked in (call, *reads(played)):
            first, again = REGISTRY.call(played, *asked), REGISTRY.call(played, *asked)
            assert first == again == run_anew(fresh, asked)
        assert REGISTRY.call(played, *call) == outcome
        # The graph writes `seq` into its events, and folds them all anew in each step.
        numbered = [{**event, "seq": number} for number, event in enumerate(outcome.events)]
        played = Ledger.fold(played.world, [*played.events, *numbered])
        fresh = fresh.extended(outcome.events)
        assert played.fingerprint == fresh.fingerprint


@given(PLAIN, PLAIN)
def test_values_have_the_same_bytes_if_they_are_the_same(first: Any, second: Any) -> None:
    is_same = repr(first) == repr(second)
    plain = plain_bytes(first)
    assert plain is not None and (plain == plain_bytes(second)) == is_same
    assert repr(plain_value(plain)) == repr(first)


def test_values_that_are_equal_but_of_another_type_have_other_bytes() -> None:
    values: list[Any] = [1, 1.0, True, "1", b"1", [1], (1,), {"a": 1, "b": 2}, {"b": 2, "a": 1}]
    assert len({plain_bytes(value) for value in values}) == len(values)
    assert plain_bytes({"one": Owner.USER}) is None and plain_bytes(object()) is None


def test_equal_arguments_of_another_type_are_other_calls() -> None:
    ledger = Ledger.fold(b.build_world())
    arguments: list[Any] = [{"limit": 1}, {"limit": True}, {"limit": 1.0}, {"limit": "1"}]
    outcomes = [
        REGISTRY.call(ledger, Owner.USER, "get_recent_card_activity", given) for given in arguments
    ]
    assert [outcome.is_error for outcome in outcomes] == [False, True, True, True]


def test_what_is_done_to_a_result_does_not_change_the_next_one() -> None:
    episode = b.Episode()
    first = episode.agent("list_all_airports")
    first["airports"].clear()
    assert episode.agent("list_all_airports")["airports"]


def test_what_is_done_to_written_events_does_not_change_the_next_ones() -> None:
    ledger = Ledger.fold(b.build_world())
    for _ in range(3):
        outcome = REGISTRY.call(
            ledger, Owner.USER, "add_payment_method_to_platform", {"card_id": b.SMALL_CARD}
        )
        assert outcome.events[0]["row"].pop("card_id") == b.SMALL_CARD


def test_reads_after_a_write_see_it() -> None:
    ledger = Ledger.fold(b.build_world())
    approve: Call = (Owner.USER, "add_payment_method_to_platform", {"card_id": b.SMALL_CARD})
    written = REGISTRY.call(ledger, *approve).events
    cards: Call = (Owner.USER, "get_my_payment_cards", {})
    assert REGISTRY.call(ledger, *cards) != REGISTRY.call(ledger.extended(written), *cards)


def test_registries_with_tools_of_one_name_share_nothing() -> None:
    def registry(answer: str) -> ToolRegistry:
        @tool(owner=Owner.AGENT, type=ToolType.R, category="Test")
        def ask(call: ToolCall) -> dict[str, Any]:
            """Ask."""
            return {"answer": answer}

        return ToolRegistry([ask])

    ledger = Ledger.fold(b.build_world())
    contents = [registry(said).call(ledger, Owner.AGENT, "ask", {}).content for said in "ab"]
    assert contents == ['{"answer":"a"}', '{"answer":"b"}']


def test_what_was_used_last_is_kept_within_the_bounds() -> None:
    memo: Memo[int] = Memo()
    size = memo_module.MAX_BYTES // 100
    memo.keep("used", -1, size)
    for number in range(1000):
        memo.keep(number, number, size)
        assert memo.get("used") == -1
    assert memo.get(999) == 999 and memo.get(0) is None
    assert sum(memo.get(number) is not None for number in range(1000)) <= 100
    memo.keep("huge", 0, memo_module.MAX_BYTES)
    assert memo.get("huge") is None and memo.get(999) == 999


def test_many_small_outcomes_are_bounded_by_number() -> None:
    memo: Memo[int] = Memo()
    for number in range(3 * memo_module.MAX_OUTCOMES):
        memo.keep(number, number, 0)
    kept = [number for number in range(3 * memo_module.MAX_OUTCOMES) if memo.get(number)]
    assert 0 < len(kept) <= memo_module.MAX_OUTCOMES


def test_threads_share_a_memo() -> None:
    memo: Memo[int] = Memo()

    def use(seed: int) -> bool:
        rng = Random(seed)
        numbers = [rng.randrange(2000) for _ in range(20_000)]
        for number in numbers:
            found = memo.get(number)
            if found is None:
                memo.keep(number, -number, 2048)
            elif found != -number:
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(8)))
