"""Sums by card and limits of cards are no totals and no prices; false ones are judged as ever."""

import pytest

from crab_graph.domains.task import Task
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.eval.card_amounts import without_those_of_cards
from crab_graph.eval.history import History, Payment
from crab_graph.text.amounts import find_amounts
from crab_graph.text.utterance import read_message
from crab_graph.tools.fault_schedule import WorldFault
from tests.eval.builders import SMALL_CARD, Plan, Script, build_rows, build_task, failing, graded

BY_CARD = "$940.00 on your Visa and $70.00 on your Mastercard."
TWO = ((1, "PM-1", 300_00), (2, "PM-1", 640_00), (3, "PM-2", 70_00))


def of_cards(text, charges=TWO, seq=9, limits=()):
    """Return the dollars of a message, said after or before some charges, that are of cards."""
    paid = [Payment(at, f"TX-{at}", f"BK-{at}", method, cents) for at, method, cents in charges]
    said = read_message(text)
    before = find_amounts(said)
    history = History(charges=paid, limits=frozenset(limits))
    after = without_those_of_cards(said, before, history, seq)
    pairs = zip(before, after, strict=True)
    return [new.cents // 100 for old, new in pairs if new.is_inert and not old.is_inert]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BY_CARD, [940, 70]),
        ("$940.00 was charged to the card ending 4242, $70.00 went to PM-2.", [940, 70]),
        ("In total: $940.00 on 4242, $70.00 on 0031 (the museum).", [940, 70]),
        (f"$1,010.00 in total: {BY_CARD}", [940, 70]),
        (f"Roughly $940.00 on your Visa, or rather {BY_CARD}", [940, 70]),
        (BY_CARD.replace("940", "930"), []),
        (BY_CARD.replace("70", "80"), []),
        ("$940.00 on your Visa.", []),
        (f"{BY_CARD} And $70.00 on your Amex.", []),
        ("$940.00 for flights and hotel, $70.00 for the museum.", []),
        ("$940.00 on your Visa and $70.00 for the museum.", []),
        ("$940.00. On your Visa, that is. And $70.00 on your Mastercard.", []),
    ],
)
def test_a_sum_is_a_card_s_where_each_card_has_its_own(text, found):
    assert of_cards(text) == found


def test_of_one_card_there_is_no_sum_by_card():
    assert of_cards("$370.00 on your Visa.", ((1, "PM-1", 300_00), (2, "PM-1", 70_00))) == []


@pytest.mark.parametrize(("seq", "found"), [(4, [940, 70]), (3, []), (2, [])])
def test_what_was_charged_before_the_message_counts(seq, found):
    assert of_cards(BY_CARD, seq=seq) == found


def test_three_cards_are_as_good_as_two():
    charges = (*TWO, (4, "PM-3", 5_00))
    assert of_cards(f"{BY_CARD[:-1]} and $5.00 on your Amex.", charges) == [940, 70, 5]
    assert of_cards(BY_CARD, charges) == []


def test_a_limit_is_no_price_wherever_it_stands():
    assert of_cards("Your card bears $2,000.00 a day, not $1,900.00.", (), limits=[2_000_00]) == [
        2000
    ]


TOLD = ("F-PT", "F-IP", "F-PS")


def paid_with_two(closing):
    """Return the checks of what was told that fail where the last item is paid with another card.

    The flights and the hotel are $940.00, the tickets $70.00.
    """
    plan = Plan()
    script = Script(build_task())
    script.user("A trip from Chicago to Pittsburgh on 3 May, 3 nights, two of us.")
    script.agent(f"{plan.told}\n\nTrip total: {plan.total}. Shall I book all of it?")
    script.user("Yes, go ahead.")
    booked = [(script.book(item), item) for item in plan.items]
    script.agent(f"All is reserved, {plan.total} in total for the trip. Please approve.")
    methods = [script.add_card(), script.add_card(SMALL_CARD)]
    for booking_id, item in booked:
        method = methods[item.slot == "attraction"]
        script.approve(booking_id, method, item.cents)
    script.user("Cards added and all approved.")
    for booking_id, item in booked:
        script.charge(booking_id, methods[item.slot == "attraction"])
    script.agent(closing)
    script.user("Thanks. ###STOP###")
    return failing(graded(script)) & set(TOLD)


@pytest.mark.parametrize(
    "closing",
    [
        "All is paid and confirmed: $940.00 on your Visa ending in 4242 for the flights and the "
        "hotel, and $70.00 on your Mastercard ending in 5454 for the tickets, so that $1,010.00 "
        "has been charged in total.",
        "all 4 confirmed: $940.00 on the 4242 and $70.00 on the 5454, $1,010.00 in total.",
        "Everything is confirmed. $940.00 was charged to the card ending 4242 and $70.00 went to "
        "that ending 5454. Total charged: $1,010.00.",
    ],
)
def test_sums_by_card_are_no_totals_where_they_are_true(closing):
    assert paid_with_two(closing) == set()


@pytest.mark.parametrize(
    ("right", "wrong"), [("$940.00", "$930.00"), ("$70.00", "$80.00"), ("$1,010.00", "$940.00")]
)
def test_a_false_sum_by_card_or_beside_them_is_found(right, wrong):
    closing = (
        "All is paid and confirmed: $940.00 on your Visa for the flights and the hotel, and $70.00 "
        "on your Mastercard for the tickets. Total charged: $1,010.00."
    )
    assert paid_with_two(closing) == set()
    assert paid_with_two(closing.replace(right, wrong)) != set()


@pytest.mark.parametrize(
    "closing",
    [
        "that worked, all confirmed: $940.00 on visa 4242 (flights, hotel) + $70.00 on mastercard "
        "5454 (museum) = $1,010.00. anything else?",
        "Paid: $940.00 on the 4242 (flights + hotel) + $70.00 on the 5454 (museum) = $1,010.00.",
    ],
)
def test_what_sums_by_card_come_to_is_no_price_of_the_last_item(closing):
    assert paid_with_two(closing) == set()
    for right, wrong in (("= $1,010.00", "= $1,100.00"), ("$940.00 on", "$840.00 on")):
        assert paid_with_two(closing.replace(right, wrong)) != set()


@pytest.mark.parametrize(("stated", "fails"), [("$2,000.00", False), ("$1,900.00", True)])
def test_what_a_card_bears_a_day_is_no_total(stated, fails):
    task = build_task()
    limit = WorldFault(kind="limit", cents=2_000_00)
    spec = task.spec.model_copy(update={"faults": (limit,)})
    reserved = (
        "All is reserved, $1,010.00 in total for the trip. That nearly fills what your card may "
        f"bear in a single day, which in total is {stated}. Please approve."
    )
    verdict = graded(Plan(reserved=reserved), Task(spec, TRAVEL, build_rows))
    assert ("F-PT" in failing(verdict)) is fails


def test_what_a_card_still_bears_is_what_is_left_of_its_limit():
    said = "The Visa can still bear ${} today, and $70.00 is left to pay."
    for text, found in ((said.format("60.00"), [60]), (said.format("90.00"), [])):
        assert of_cards(text, TWO[:2], limits={1000_00}) == found
