import asyncio
import copy
import json
from typing import Any

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.errors import ToolCallError, UnknownName
from crab_graph.settings import Toolset
from crab_graph.tools.environment_tools import Answered, Invocation
from crab_graph.tools.registry import (
    Owner,
    ToolCall,
    ToolOutcome,
    ToolRegistry,
    ToolType,
    tool,
)
from crab_graph.tools.user_tools import get_my_payment_cards
from tests.tools.builders import ANA, CUSTOMER, HOTEL, OUT_EARLY, OUT_FARE, ROOM, Episode

TABLE_6 = """
get_customer_information agent R Platform
update_customer agent W Platform
transfer_to_human_agents agent G Platform
list_all_airports agent R Flights
search_flights_by_route agent R Flights
search_available_seats agent R Flights
get_price_airline_booking agent R Flights
book_flight_with_seats agent W Flights
get_flight_booking_details agent R Flights
cancel_flight agent W Flights
search_hotels_by_city agent R Hotels
search_available_rooms agent R Hotels
get_price_hotel_booking agent R Hotels
book_hotel_with_rooms agent W Hotels
search_attractions_by_city agent R Attractions
book_attraction agent W Attractions
get_recent_payment_transactions agent R Payments
get_transaction_details agent R Payments
charge_booking agent W Payments
get_my_payment_cards user R Wallet
set_default_payment_card user W Wallet
get_my_trip_confirmations user R Confirmations
get_trip_spending_summary user R Spending
get_recent_card_activity user R Card_Activity
record_payment_approval user W Approvals
add_payment_method_to_platform user W Platform
"""

REGISTRY = TRAVEL.registry()
EXTENDED = TRAVEL.with_toolset(Toolset.EXTENDED).registry()

EXTENDED_SIGNATURES = {
    "modify_flight_seats": "booking_id seats",
    "cancel_hotel_booking": "booking_id",
    "modify_hotel_booking": "booking_id room_ids check_in check_out guests",
    "cancel_attraction_booking": "booking_id",
    "modify_attraction_booking": "booking_id tickets",
}

SIGNATURES = {
    "get_customer_information": "customer_id? email?",
    "update_customer": "customer_id phone? email? address?",
    "transfer_to_human_agents": "summary",
    "list_all_airports": "",
    "search_flights_by_route": "origin destination date",
    "search_available_seats": "flight_id",
    "get_price_airline_booking": "flight_id seats",
    "book_flight_with_seats": "customer_id flight_id seats",
    "get_flight_booking_details": "booking_id",
    "cancel_flight": "booking_id",
    "search_hotels_by_city": "city check_in? check_out? guests?",
    "search_available_rooms": "hotel_id check_in check_out guests?",
    "get_price_hotel_booking": "hotel_id room_ids check_in check_out",
    "book_hotel_with_rooms": "customer_id hotel_id room_ids check_in check_out guests",
    "search_attractions_by_city": "city date? category? district? time_of_day? max_price?",
    "book_attraction": "customer_id attraction_id tickets",
    "get_recent_payment_transactions": "customer_id limit?",
    "get_transaction_details": "transaction_id",
    "charge_booking": "booking_id payment_method_id",
    "get_my_payment_cards": "",
    "set_default_payment_card": "card_id",
    "get_my_trip_confirmations": "",
    "get_trip_spending_summary": "",
    "get_recent_card_activity": "card_id? limit?",
    "record_payment_approval": "booking_id payment_method_id amount",
    "add_payment_method_to_platform": "card_id",
}


def schemas(registry: ToolRegistry = REGISTRY) -> list[dict[str, Any]]:
    return [*registry.openai_schemas(Owner.AGENT), *registry.openai_schemas(Owner.USER)]


def signatures(registry: ToolRegistry) -> dict[str, str]:
    written = {}
    for schema in (entry["function"] for entry in schemas(registry)):
        required = schema["parameters"].get("required", ())
        names = schema["parameters"]["properties"]
        written[schema["name"]] = " ".join(
            name if name in required else f"{name}?" for name in names
        )
    return written


def test_the_tools_are_those_of_table_6() -> None:
    names = (*REGISTRY.names(Owner.AGENT), *REGISTRY.names(Owner.USER))
    listed = [
        f"{tool.name} {tool.owner} {tool.type} {tool.category.replace(' ', '_')}"
        for tool in map(REGISTRY.get, names)
    ]
    assert listed == TABLE_6.split("\n")[1:-1]


def test_the_arguments_are_those_of_the_contract() -> None:
    assert signatures(REGISTRY) == SIGNATURES


def test_seats_name_a_fare_and_to_book_also_the_passenger() -> None:
    listed = {one["function"]["name"]: one["function"]["parameters"] for one in schemas()}
    for name, needed in (
        ("get_price_airline_booking", ["fare_id"]),
        ("book_flight_with_seats", ["fare_id", "passenger_name", "date_of_birth"]),
    ):
        seat = listed[name]["properties"]["seats"]["items"]
        assert list(seat["properties"]) == ["fare_id", "passenger_name", "date_of_birth"]
        assert seat["required"] == needed


def test_the_extended_toolset_has_all_of_table_6_and_what_cancels_and_changes_bookings() -> None:
    assert signatures(EXTENDED) == {**SIGNATURES, **EXTENDED_SIGNATURES}
    assert all(EXTENDED.get(name).type is ToolType.W for name in EXTENDED_SIGNATURES)
    assert EXTENDED.names(Owner.USER) == REGISTRY.names(Owner.USER)
    assert TRAVEL.registry() is REGISTRY


def test_tools_differ_between_toolsets_only_in_saying_that_they_cannot_be_cancelled() -> None:
    less, more = (
        {one["function"]["name"]: one for one in schemas(registry)}
        for registry in (REGISTRY, EXTENDED)
    )
    differing = {name for name in SIGNATURES if less[name] != more[name]}
    assert differing == {"book_hotel_with_rooms", "book_attraction"}
    for name in differing:
        assert "cannot be cancelled" in REGISTRY.get(name).description
        assert "cancel" not in EXTENDED.get(name).description


@pytest.mark.parametrize("registry", [REGISTRY, EXTENDED])
def test_schemas_are_self_contained_and_built_once(registry: ToolRegistry) -> None:
    text = json.dumps(schemas(registry))
    assert "$ref" not in text
    assert '"null"' not in text
    assert registry.openai_schemas(Owner.AGENT)[0] is registry.openai_schemas(Owner.AGENT)[0]
    assert all(
        "description" in argument
        for schema in schemas(registry)
        for argument in schema["function"]["parameters"]["properties"].values()
    )


def test_a_tool_mutates_if_it_writes_or_transfers() -> None:
    mutating = {tool.name for tool in REGISTRY.tools(Owner.AGENT) if tool.mutates}
    writing = {tool.name for tool in REGISTRY.tools(Owner.AGENT) if tool.type is ToolType.W}
    assert mutating == writing | {"transfer_to_human_agents"}


def test_the_agent_neither_sees_nor_reaches_the_users_tools() -> None:
    episode = Episode()
    shown = json.dumps(REGISTRY.openai_schemas(Owner.AGENT))
    for name in REGISTRY.names(Owner.USER):
        assert name not in shown
        code, message = episode.agent_error(name, card_id="CD-1001")
        assert code == "unknown_tool"
        assert not any(other in message for other in REGISTRY.names(Owner.USER) if other != name)
    assert episode.user_error("charge_booking", booking_id="BK-1")[0] == "unknown_tool"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"hotel_id": HOTEL, "check_in": "2027-05-03"}, "'check_out' is missing"),
        ({"guests": "2"}, "'guests': must be a valid integer, got '2'"),
        ({"guests": True}, "'guests'"),
        ({"guests": 1.5}, "'guests'"),
        ({"check_in": "3 May"}, "'check_in': write dates as YYYY-MM-DD"),
        ({"check_in": "20270503"}, "'check_in'"),
        ({"check_in": "2027-02-30"}, "'check_in'"),
        ({"hotel_id": 7}, "'hotel_id'"),
        ({"hotel_id": None}, "'hotel_id'"),
        ({"floor": 3}, "no argument 'floor'; the tool takes hotel_id, check_in, check_out, guests"),
        ({1: 2}, "'1'"),
        ([], "must be a JSON object"),
        (None, "must be a JSON object"),
        ("{}", "must be a JSON object"),
    ],
)
def test_malformed_arguments_are_refused_by_the_name_of_the_field(
    arguments: Any, named: str
) -> None:
    stay = {"hotel_id": HOTEL, "check_in": "2027-05-03", "check_out": "2027-05-06"}
    if isinstance(arguments, dict) and "missing" not in named:
        arguments = {**stay, **arguments}
    outcome = Episode().call(Owner.AGENT, "search_available_rooms", arguments)
    assert outcome.error is not None
    assert outcome.error["error"] == "invalid_arguments"
    assert named in outcome.error["message"]


@pytest.mark.parametrize("name", [None, 3, "", "book", ["x"]])
def test_an_unknown_tool_is_an_error_that_lists_the_tools(name: Any) -> None:
    outcome = Episode().call(Owner.AGENT, name, {})
    assert outcome.error is not None
    assert outcome.error["error"] == "unknown_tool"
    assert "search_flights_by_route" in outcome.error["message"]


def test_optional_arguments_may_be_null() -> None:
    result = Episode().agent("search_attractions_by_city", city="Denver", date=None, category=None)
    assert len(result["attractions"]["rows"]) == 1


def test_every_outcome_can_be_written_whatever_was_sent() -> None:
    episode = Episode()
    for value in ("\ud800", "x" * 10_000, 10**5000, {"deep": [1, {"a": None}]}):
        outcome = episode.call(Owner.AGENT, "search_available_seats", {"flight_id": value})
        assert len(outcome.content.encode()) < 500


def test_arguments_and_tables_are_not_shared_with_the_caller() -> None:
    episode = Episode()
    seats = [{"fare_id": OUT_FARE, **ANA}]
    rooms = [ROOM]
    flight = {"customer_id": CUSTOMER, "flight_id": OUT_EARLY, "seats": seats}
    stay = {"check_in": "2027-05-03", "check_out": "2027-05-06", "guests": 1}
    hotel = {"customer_id": CUSTOMER, "hotel_id": HOTEL, "room_ids": rooms, **stay}
    before = copy.deepcopy((flight, hotel))
    results = [
        episode.agent("book_flight_with_seats", **flight),
        episode.agent("book_hotel_with_rooms", **hotel),
        episode.agent("list_all_airports"),
        episode.user("add_payment_method_to_platform", card_id="CD-1001"),
        episode.agent("update_customer", customer_id=CUSTOMER, phone="555-0142"),
    ]
    assert (flight, hotel) == before
    tables = {
        name: copy.deepcopy(episode.ledger.rows(name)) for name in episode.ledger.world.tables
    }
    events = copy.deepcopy(episode.ledger.events)
    for result in results:
        for value in list(result.values()):
            if isinstance(value, list | dict):
                value.clear()
        result.clear()
    assert tables == {name: episode.ledger.rows(name) for name in tables}
    assert events == episode.ledger.events


def test_langchain_tools_show_the_schemas_and_refuse_to_run() -> None:
    tools = REGISTRY.langchain_tools(Owner.AGENT)
    assert [convert_to_openai_tool(tool) for tool in tools] == REGISTRY.openai_schemas(Owner.AGENT)
    assert tools[0] is REGISTRY.langchain_tools(Owner.AGENT)[0]
    with pytest.raises(RuntimeError, match="tools work in a turn of the agent"):
        tools[0].invoke({})


def test_langchain_tools_hand_malformed_arguments_to_whoever_answers() -> None:
    invoked: list[Invocation] = []

    def answer(invocation: Invocation) -> Answered:
        invoked.append(invocation)
        return Answered("no", is_error=len(invoked) == 2)

    tools = {tool.name: tool for tool in REGISTRY.langchain_tools(Owner.AGENT, answer)}
    book = tools["book_attraction"]
    call = {"type": "tool_call", "id": "c1", "name": book.name, "args": {"tickets": "two"}}
    assert book.invoke({"tickets": "two"}) == "no"
    refused, told = book.invoke(call), asyncio.run(book.ainvoke(call))
    assert [(one.content, one.status, one.tool_call_id) for one in (refused, told)] == [
        ("no", "error", "c1"),
        ("no", "success", "c1"),
    ]
    assert invoked == [
        Invocation("book_attraction", {"tickets": "two"}, id, may_wait)
        for id, may_wait in ((None, True), ("c1", True), ("c1", False))
    ]


def test_what_a_call_wrote_before_it_was_refused_is_dropped() -> None:
    @tool(owner=Owner.AGENT, type=ToolType.W, category="Test")
    def write_and_refuse(call: ToolCall) -> dict[str, Any]:
        """Write, then refuse."""
        call.insert("transfers", "HX-1", {"transfer_id": "HX-1", "summary": ""})
        raise ToolCallError("unknown_id", "no")

    outcome = ToolRegistry([write_and_refuse]).call(
        Episode().ledger, Owner.AGENT, "write_and_refuse", {}
    )
    assert outcome == ToolOutcome('{"error":"unknown_id","message":"no"}', is_error=True)


def test_a_tool_must_describe_its_arguments() -> None:
    def greet(call: ToolCall, name: str) -> dict[str, Any]:
        """Greet."""
        return {}

    with pytest.raises(TypeError, match="'greet' does not describe 'name'"):
        tool(owner=Owner.AGENT, type=ToolType.R, category="Test")(greet)


def test_tool_names_are_unique_and_unknown_ones_are_named() -> None:
    with pytest.raises(ValueError, match="share a name"):
        ToolRegistry([get_my_payment_cards, get_my_payment_cards])
    with pytest.raises(UnknownName, match="did you mean cancel_flight"):
        REGISTRY.get("cancel_flights")
