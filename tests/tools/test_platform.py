import pytest

from tests.tools.builders import CUSTOMER, MUSEUM, OTHER, Episode


def test_a_customer_is_found_by_id_or_email_with_registered_methods_only() -> None:
    episode = Episode()
    by_id = episode.agent("get_customer_information", customer_id=CUSTOMER)
    assert by_id == episode.agent("get_customer_information", email="ANA@example.com")
    assert by_id["payment_methods"] == []
    method_id = episode.add_card()
    after = episode.agent("get_customer_information", customer_id=CUSTOMER)
    assert after["payment_methods"] == [
        {"payment_method_id": method_id, "brand": "Visa", "last4": "4242"}
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "invalid_arguments"),
        ({"customer_id": "CU-0"}, "unknown_id"),
        ({"email": "nobody@example.com"}, "unknown_id"),
        ({"customer_id": CUSTOMER, "email": "bo@example.com"}, "unknown_id"),
    ],
)
def test_a_customer_that_is_not_there_is_an_error(arguments: dict[str, str], code: str) -> None:
    assert Episode().agent_error("get_customer_information", **arguments)[0] == code


def test_an_update_changes_only_the_fields_given() -> None:
    episode = Episode()
    before = dict(episode.agent("get_customer_information", customer_id=CUSTOMER))
    episode.agent("update_customer", customer_id=CUSTOMER, phone="+1 (312) 555-0142")
    after = episode.agent("get_customer_information", customer_id=CUSTOMER)
    assert after == {**before, "phone": "+1 (312) 555-0142"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"customer_id": CUSTOMER}, "invalid_arguments"),
        ({"customer_id": CUSTOMER, "email": "ana at example.com"}, "invalid_arguments"),
        ({"customer_id": CUSTOMER, "email": "ana@example"}, "invalid_arguments"),
        ({"customer_id": CUSTOMER, "phone": "call me"}, "invalid_arguments"),
        ({"customer_id": CUSTOMER, "phone": "12"}, "invalid_arguments"),
        ({"customer_id": CUSTOMER, "address": ""}, "invalid_arguments"),
        ({"customer_id": CUSTOMER, "name": "Ana"}, "invalid_arguments"),
        ({"customer_id": "CU-0", "phone": "555-0142"}, "unknown_id"),
    ],
)
def test_an_update_that_makes_no_sense_is_an_error(arguments: dict[str, str], code: str) -> None:
    assert Episode().agent_error("update_customer", **arguments)[0] == code


def test_after_a_transfer_the_agent_reads_but_writes_no_more() -> None:
    episode = Episode()
    booking_id, method_id = episode.book_outbound(), episode.add_card()
    assert episode.agent("transfer_to_human_agents", summary="stuck")["status"] == "transferred"
    refused: dict[str, dict[str, object]] = {
        "update_customer": {"customer_id": OTHER, "phone": "555-0142"},
        "book_attraction": {"customer_id": CUSTOMER, "attraction_id": MUSEUM, "tickets": 1},
        "charge_booking": {"booking_id": booking_id, "payment_method_id": method_id},
        "cancel_flight": {"booking_id": booking_id},
        "transfer_to_human_agents": {"summary": "again"},
    }
    for name, arguments in refused.items():
        assert episode.agent_error(name, **arguments)[0] == "conversation_transferred"
    assert episode.agent("get_flight_booking_details", booking_id=booking_id)["status"] == "pending"
    approval = {"booking_id": booking_id, "payment_method_id": method_id, "amount": "300.00"}
    assert episode.user("record_payment_approval", **approval)["status"] == "recorded"
