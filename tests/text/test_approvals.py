import pytest

from crab_graph.text.approvals import NO_APPROVALS, find_acts, requests_booking
from crab_graph.text.mentions import by_slot, disclosed, find_mentions
from crab_graph.text.utterance import read_message
from tests.text.catalogues import small_catalogue

CATALOGUE = small_catalogue()
PROPOSAL = "FL-100 out, FL-200 back, Juniper Court (HT-10). Shall I book these?"
CHOICE = "FL-100 or FL-101, and HT-10. Shall I book?"


def stand(*turns, booked=frozenset()):
    """Return approvals and rejections after turns of `(agent, user)`."""
    state = NO_APPROVALS
    for agent, user in turns:
        said = read_message(agent or "")
        offered = by_slot(disclosed(find_mentions(said, CATALOGUE)), CATALOGUE)
        acts = find_acts(read_message(user), (said, offered) if agent else None, CATALOGUE)
        state = state.after(acts, booked)
    approved = {slot: sorted(ids) for slot, ids in sorted(state.approved.items())}
    return approved, sorted(state.rejected)


BOTH = {"hotel": ["HT-10"], "outbound": ["FL-100"], "return": ["FL-200"]}


@pytest.mark.parametrize(
    ("user", "approved"),
    [
        ("Yes, FL-101 please", {"outbound": ["FL-101"]}),
        ("Book FL-101", {"outbound": ["FL-101"]}),
        ("I'll take the Juniper Court", {"hotel": ["HT-10"]}),
        ("FL-101 looks good, FL-200 as well", {"outbound": ["FL-101"], "return": ["FL-200"]}),
        ("Is FL-101 ok?", {}),
        ("Yes, FL-101 if it is cheap", {}),
        ("Yes, rather than FL-100 take FL-101", {}),
        ("FL-101", {}),
        ("Yes, FL-999", {}),
    ],
)
def test_an_explicit_approval_names_what_it_approves(user, approved):
    assert stand((None, user))[0] == approved


@pytest.mark.parametrize(
    ("agent", "user", "approved"),
    [
        (PROPOSAL, "Yes, go ahead.", BOTH),
        (PROPOSAL, "sounds good", BOTH),
        (PROPOSAL, "okay, what about breakfast?", {}),
        (PROPOSAL, "Yes, but hold the hotel", {}),
        (PROPOSAL, "Thank you", {}),
        ("FL-100 and HT-10 are free.", "Yes", {}),
        ("FL-100 and HT-10. Does this work?", "Yes", {"hotel": ["HT-10"], "outbound": ["FL-100"]}),
        (CHOICE, "Yes", {"hotel": ["HT-10"]}),
        ("I cannot book FL-100; FL-101 is free. Shall I proceed?", "Yes", {"outbound": ["FL-101"]}),
        (None, "Yes", {}),
    ],
)
def test_a_bare_approval_approves_what_the_request_discloses_once(agent, user, approved):
    assert stand((agent, user))[0] == approved


@pytest.mark.parametrize(
    "user", ["Yes", "The fourth one", "option 3", "the cheaper one please", "The second one?"]
)
def test_an_unresolvable_answer_clears_the_slot(user):
    approved, _ = stand((None, "Yes, FL-101"), (CHOICE, user))
    assert "outbound" not in approved


@pytest.mark.parametrize(
    ("user", "rejected"),
    [
        ("not FL-100", ["FL-100"]),
        ("no, cancel the early FL-100", ["FL-100"]),
        ("no thanks, that early flight FL-100", []),
        ("I don't want FL-100", ["FL-100"]),
        ("FL-100 I would never take", ["FL-100"]),
        ("no problem with FL-100", []),
        ("I don't mind FL-100", []),
        ("FL-100 is good", []),
    ],
)
def test_a_rejection_takes_the_id_out_of_the_approval(user, rejected):
    approved, found = stand((None, "Yes, FL-100"), (None, user))
    assert found == rejected
    assert ("outbound" in approved) is not bool(rejected)


LISTED = """1. FL-100, 07:35, $150.00 per person
2. FL-101, 12:10, $120.00 per person
3. FL-200 back for $90.00
Which one do you prefer?"""
LABELLED = "Option A: FL-100 and HT-10. Option B: FL-101 and HT-11. Which one?"


@pytest.mark.parametrize(
    ("agent", "user", "approved"),
    [
        (CHOICE, "The second one", {"outbound": ["FL-101"]}),
        (CHOICE, "option 1 please", {"outbound": ["FL-100"]}),
        (CHOICE, "The latter.", {"outbound": ["FL-101"]}),
        (LISTED, "the cheaper one", {"outbound": ["FL-101"]}),
        (LISTED, "The earlier one, please.", {"outbound": ["FL-100"]}),
        (LISTED, "the last one", {"outbound": ["FL-101"]}),
        (LISTED, "the first one if it is cheap", {}),
        (LISTED, "Last thing: the hotel.", {}),
        (LABELLED, "Option B, please", {"hotel": ["HT-11"], "outbound": ["FL-101"]}),
        (LABELLED, "the first one", {}),
    ],
)
def test_a_choice_approves_the_one_it_points_to(agent, user, approved):
    assert stand((agent, user))[0] == approved


@pytest.mark.parametrize(
    ("user", "approved", "rejected"),
    [
        ("No, keep FL-100", {"outbound": ["FL-100"]}, []),
        ("No, the Juniper Court is fine", {"hotel": ["HT-10"]}, []),
        ("No changes to FL-100, all good", {"outbound": ["FL-100"]}, []),
        ("No need to change FL-100, keep it", {"outbound": ["FL-100"]}, []),
        ("Please do not change FL-100", {"outbound": ["FL-100"]}, []),
        ("No concerns about FL-100, it's fine", {}, []),
        ("Not FL-101, FL-100 please", {"outbound": ["FL-100"]}, ["FL-101"]),
        ("Keep FL-100 and not FL-101", {"outbound": ["FL-100"]}, ["FL-101"]),
        ("Not FL-101, FL-100", {}, ["FL-100", "FL-101"]),
        ("Keep FL-100, FL-200", {"outbound": ["FL-100"], "return": ["FL-200"]}, []),
        (
            "Yes, book FL-100, FL-101, HT-10",
            {"hotel": ["HT-10"], "outbound": ["FL-100", "FL-101"]},
            [],
        ),
        ("Yes, FL-100, FL-200", {"outbound": ["FL-100"], "return": ["FL-200"]}, []),
        ("No, FL-100", {}, []),
        (
            "I don't like the price of HT-10, but OK, book it",
            {"hotel": ["HT-10"]},
            [],
        ),
        ("I don't like the price of HT-10, but OK", {}, ["HT-10"]),
        ("Don't book HT-10", {}, ["HT-10"]),
        ("Don't go with HT-10", {}, ["HT-10"]),
        ("Without HT-10 please", {}, ["HT-10"]),
        ("Is it no problem, keep FL-100?", {}, []),
        ("Go with FL-100 instead of FL-101", {"outbound": ["FL-100"]}, []),
        ("FL-100 is not what I confirmed", {}, []),
    ],
)
def test_a_no_reaches_as_far_as_its_piece(user, approved, rejected):
    assert stand((None, user)) == (approved, rejected)


@pytest.mark.parametrize(
    ("agent", "kept"),
    [("Any other wishes?", True), ("Shall I book it?", False), ("I booked it.", False)],
)
def test_a_no_to_a_question_that_is_no_request_takes_nothing_back(agent, kept):
    approved, _ = stand((PROPOSAL, "Yes"), (agent, "No, thank you."))
    assert bool(approved) is kept


def test_an_order_to_book_approves_whatever_was_asked():
    plan = "FL-100 out, FL-200 back, Juniper Court (HT-10). Anything else?"
    assert stand((plan, "No, please book that."))[0] == {}
    assert stand((plan, "Please book all of that."))[0] == BOTH
    assert stand((plan, "Yes, fine."))[0] == {}


def test_a_later_approval_heals_a_rejection():
    assert stand((None, "not FL-100"), (None, "ok, FL-100")) == ({"outbound": ["FL-100"]}, [])


def test_the_latest_approval_of_a_slot_holds_and_leaves_other_slots_alone():
    approved, _ = stand((PROPOSAL, "Yes"), (None, "Actually, go with FL-101"))
    assert approved == {**BOTH, "outbound": ["FL-101"]}


@pytest.mark.parametrize("user", ["No", "Wait a moment", "Stop", "Don't"])
def test_a_bare_halt_clears_what_is_not_booked(user):
    assert stand((PROPOSAL, "Yes"), (None, user))[0] == {}
    booked = frozenset({"outbound"})
    assert stand((PROPOSAL, "Yes"), (None, user), booked=booked)[0] == {"outbound": ["FL-100"]}


@pytest.mark.parametrize("user", ["No problem", "No rush", "Don't mind"])
def test_a_harmless_no_clears_nothing(user):
    assert stand((PROPOSAL, "Yes"), (None, user))[0] == BOTH


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ("Shall I book all four?", True),
        ("Would you like me to proceed?", True),
        ("Ready to book?", True),
        ("Please confirm.", True),
        ("Does this work?", True),
        ("May I have your approval of the plan as a whole?", True),
        ("Is this all, and do I have your approval to reserve precisely this?", True),
        ("If not, have I your go-ahead?", True),
        ("Do you approve this plan, to be paid with your Visa?", True),
        ("Do I have your permission to book it, and will you pay with the Visa?", True),
        ("Do you approve the plan and the payments?", True),
        ("Total: $1,010.00. Approve?", True),
        ("ok to book? also there's no card on your account yet", True),
        ("Want me to go for it?", True),
        (
            "I'd cancel both flights and take these, $1,257.20 in all. ok to cancel and rebook?",
            True,
        ),
        ("Shall I rebook the return flight?", True),
        ("If this pleases you, just give me your blessing and I shall book it all.", True),
        ("Let me know if I may book it.", True),
        ("Are you happy with the plan?", True),
        ("Just say the word.", True),
        ("If this is as you wish, may I have your yes?", True),
        ("I need from you\n1. Your approval of this plan\n2. Please add the card", True),
        ("Still open: your approval for the payments.", False),
        ("Thank you for your approval of the plan.", False),
        ("With your consent, I'll make the reservations.", True),
        ("May I have your approval of each of these payments?", False),
        ("Do you approve the four charges?", False),
        ("Do you authorise me to charge your Visa?", False),
        ("Thank you for your approval.", False),
        ("They were booked with your approval.", False),
        ("So book FL-100 and FL-200, cancel the others, $1,010.00 in all: go?", True),
        ("I'd book these two and drop the others, at no cost. Yes?", True),
        ("FL-100 and FL-200, $300.00 together. Shall I?", True),
        ("You leave on 5 May, yes?", False),
        ("Where do you want to go?", False),
        ("I found two flights.", False),
        ("Shall I look for a hotel?", False),
    ],
)
def test_a_booking_request_asks_for_leave(text, requests):
    assert requests_booking(read_message(text)) is requests


ONE_OFFER, TWO_OFFERS = "Option A: FL-100.", "Option A: FL-100. Option B: FL-101."


@pytest.mark.parametrize(
    ("turns", "approved"),
    [
        ([(None, "Book FL-100."), ("Aisle or window?", "No.")], ["FL-100"]),
        ([(None, "Book FL-100."), ("Aisle or window?", "Stop.")], []),
        ([(None, "Book FL-100."), ("Aisle or window.", "No.")], []),
        ([(None, "Book FL-100."), ("Shall I book?", "No.")], []),
        ([(None, "Book FL-100."), (None, "No.")], []),
        ([(None, "If HT-10 is free, book FL-100.")], []),
        ([(None, "As HT-10 is free, book FL-100.")], ["FL-100"]),
        ([(None, "Book HT-11."), (None, "Book FL-100 without HT-10.")], ["FL-100", "HT-11"]),
        ([(None, "Book HT-11."), (None, "Book FL-100, HT-10.")], ["FL-100", "HT-10"]),
        ([(None, "FL-100, as well, please book.")], []),
        ([(f"{ONE_OFFER} Shall I book?", "Option A.")], []),
        ([(f"{TWO_OFFERS} Shall I book?", "Option A.")], ["FL-100"]),
        ([(None, "Book FL-100."), ("FL-100?", "The second.")], ["FL-100"]),
        ([(None, "Book FL-100."), ("FL-100, FL-101?", "The third.")], []),
        ([(None, "Book FL-100."), ("FL-100, FL-101?", "Hm.")], ["FL-100"]),
    ],
)
def test_what_stands_after_a_refusal_a_condition_or_a_choice(turns, approved):
    assert sorted(one for ids in stand(*turns)[0].values() for one in ids) == approved
