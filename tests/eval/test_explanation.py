from dataclasses import replace

from crab_graph.eval.explanation import _texts, readings_of
from tests.eval.builders import (
    BACK_NEXT_DAY,
    HOTEL,
    MUSEUM,
    OUT,
    OUT_MIDDAY,
    SHOW,
    SMALL_ROOM,
    Plan,
    Script,
    flight,
    graded,
    hotel,
    right_items,
)

RIGHT = Plan()


def explained(plan):
    explanation = graded(plan).explanation
    assert explanation is not None
    return explanation


def parts(explanation):
    return {part.slot: part for part in explanation.parts}


def test_a_passing_episode_needs_no_explanation():
    assert graded(RIGHT).explanation is None


def test_each_slot_is_held_beside_the_nearest_solution():
    why = explained(RIGHT.swapped(flight("outbound", OUT_MIDDAY)).without("attraction"))
    found = parts(why)
    assert found["outbound"].differs == ("flight_id", "fare_id")
    assert found["outbound"].broken == ("time of day is morning; but outbound time of day midday",)
    assert found["attraction"].booked is None and found["return"].differs == ()
    assert why.counts["booked"] == 2


def test_wishes_that_tie_slots_are_told_with_dates_and_dollars():
    why = explained(RIGHT.swapped(flight("return", BACK_NEXT_DAY)))
    between = " / ".join(why.between)
    assert "return date 2027-05-07" in between
    assert parts(why)["return"].found == "never_searched"


def test_what_was_seen_and_not_taken_was_passed_over():
    script = Script()
    script.call("search_attractions_by_city", city="Pittsburgh")
    script.call("search_hotels_by_city", city="Pittsburgh")
    script.user("###STOP###")
    found = parts(explained(script))
    assert found["attraction"].found == "passed_over" and found["attraction"].seen_at == 1
    # Of the hotel it saw the name, but no room.
    assert found["hotel"].found == "never_searched" and found["hotel"].seen_at is None


def test_what_was_booked_and_given_up_was_lost():
    script = Script()
    booking_id = script.book(flight("outbound", OUT))
    script.call("cancel_flight", booking_id=booking_id)
    script.book(right_items()["attraction"])
    script.user("###STOP###")
    found = parts(explained(script))
    assert found["outbound"].found == "lost" and found["attraction"].found == "booked"


def test_what_was_proposed_alone_and_not_booked_was_lost():
    script = Script()
    script.call("search_attractions_by_city", city="Pittsburgh")
    script.agent(f"Shall I book {MUSEUM}?")
    script.user("###STOP###")
    assert parts(explained(script))["attraction"].found == "lost"
    script.messages[-2]["content"] = f"There are {MUSEUM} and {SHOW}."
    assert parts(explained(script))["attraction"].found == "passed_over"


def test_only_the_agents_own_look_ups_count_as_seen():
    script = Script()
    script.call("book_attraction", customer_id="CU-1", attraction_id=MUSEUM, tickets=2)
    script.user("###STOP###")
    # A refused booking chose it all the same.
    assert parts(explained(script))["attraction"].found == "lost"


def test_the_nearest_solution_is_the_one_that_shares_most():
    why = explained(RIGHT.swapped(hotel(room=SMALL_ROOM)))
    assert parts(why)["hotel"].nearest["hotel_id"] == HOTEL
    assert parts(why)["hotel"].differs == ("room_id",)


def test_claims_stand_beside_acts_with_whether_they_match():
    why = explained(replace(RIGHT, closing="Confirmed, trip total: $1.00."))
    told = [(deed.claim, deed.action) for deed in why.timeline if not deed.match]
    assert told == [("summed up $1.00", "captured $1,010.00 in all")]
    assert why.failing == ("F-PS",)
    quiet = explained(replace(RIGHT, proposal="Shall I book it?", reserved="Please approve."))
    claims = {deed.claim: deed.match for deed in quiet.timeline}
    assert claims["no total was stated"] is None and claims["its name was not told"] is False


def test_a_booking_that_was_rejected_does_not_match():
    why = explained(replace(RIGHT, consent=f"Not {OUT}, but book the rest."))
    told = [deed for deed in why.timeline if deed.claim.startswith("the user rej")]
    assert [(deed.message, deed.match) for deed in told] == [(3, False)]


def test_what_was_approved_or_claimed_and_never_done_does_not_match():
    script = Script()
    script.agent(f"{OUT} and {MUSEUM}, $370.00 in total for the trip. Shall I book both?")
    script.user("Yes, go ahead.")
    script.agent("All set! Everything is confirmed, $370.00 in total.")
    script.user("Thanks. ###STOP###")
    told = [(deed.message, deed.claim, deed.action) for deed in explained(script).timeline]
    everything = ("outbound", "return", "hotel", "attraction")
    undone = f"then {', '.join(f'{slot} not booked' for slot in everything)}"
    assert told == [
        (3, f"said confirmed: {', '.join(everything)}", undone),
        (2, f"the user approved {OUT}", "booked nothing for outbound"),
        (2, f"the user approved {MUSEUM}", "booked nothing for attraction"),
        (3, "summed up $370.00", "captured $0.00 in all"),
    ]
    assert not any(deed.match for deed in explained(script).timeline)


def test_the_explanation_is_json():
    document = graded(RIGHT.without("hotel")).as_json()["explanation"]
    assert document["counts"] == {"booked": 3, "never_searched": 1, "passed_over": 0, "lost": 0}
    assert set(document) == {"parts", "between", "failing", "counts", "timeline", "readings"}


def test_the_explanation_says_how_statements_were_read_and_what_was_tried():
    told = "Everything is confirmed. Total charged: $960.00. Your hotel and museum: $430.00."
    (wrong,) = explained(replace(RIGHT, closing=told)).readings["F-PS"]
    assert wrong["tried"] == [{"what": "what was captured", "amount": "$1,010.00"}]
    said = "The hotel and the museum are reserved too. They make $430.00 in total. Please approve."
    verdict = graded(replace(RIGHT, reserved=said))
    assert verdict.passed and verdict.strict["checks"]["F-PT"] == "fail"
    readings = readings_of(verdict.evidence)
    assert [one["explanation"] for one in readings["F-AP"]] == ["by a yes to what was proposed"] * 4
    (doubted,) = readings["F-PT"]
    assert doubted["explanation"] == "the price of hotel and attraction"


def test_deeply_nested_arguments_do_not_stop_the_explanation():
    nested: list[object] = []
    for _ in range(5_000):
        nested = [nested]
    assert list(_texts({"a": [nested, "x"]})) == ["x"]
