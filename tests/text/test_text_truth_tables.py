"""Reading: for each bound and conjunct two texts that differ in it alone, one on each side."""

import pytest

from crab_graph.text.amounts import (
    amount_runs,
    find_amounts,
    has_person_mark,
    has_unit_mark,
    has_whole_mark,
    says_person,
    stated_amounts,
    summed,
)
from crab_graph.text.approvals import NO_APPROVALS, find_acts
from crab_graph.text.mentions import (
    ReferenceForm,
    by_slot,
    disclosed,
    find_mentions,
    find_references,
    references_within,
)
from crab_graph.text.phrases import (
    TerminalToken,
    admits_error,
    find_token,
    has_summary_cue,
    offers_transfer,
    without_tokens,
)
from crab_graph.text.utterance import read_message
from tests.text.catalogues import small_catalogue
from tests.travel_words import VOCABULARY

CATALOGUE = small_catalogue()


def stated(text):
    return [amount.cents for amount in find_amounts(read_message(text)) if not amount.is_inert]


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("The fare is $5.00. Not $6.00.", [500]),
        ("Not $6.00. The fare is $5.00.", [500]),
        ("I said not. $5.00 it is.", [500]),
        ("about around roughly nearly $5.00", []),
        ("around here, the fare about which you asked is $5.00", [500]),
        ("roughly. $5.00", [500]),
        ("about $5.00, around $6.00, nearly $7.00", []),
        ("$5.00 less", []),
        ("$5.00. Less is more.", [500]),
        ("2-$5.00", []),
        ("a-$5.00", [500]),
        ("2 $5.00", [500]),
        ("-$5.00", [500]),
        ("Room 2. -$5.00", [500]),
        ("$5.00-$6.00", []),
        ("$6.00 - $5.00", [600, 500]),
        ("$5.00 - $5.00", [500, 500]),
        ("$5.00 - $6.00", []),
        ("$5.00 to $6.00", []),
        ("$6.00 to $5.00", []),
        ("it drops from $6.00 to $5.00", [500]),
        ("it goes up from $5.00 to $6.00", [600]),
        ("$5.00 or $6.00", [500, 600]),
        ("between $5.00 and $6.00", []),
        ("between these: $5.00 and $6.00", [500, 600]),
        ("It is $5.00.\n$6.00 to $7.00", [500]),
        ("$5.00 to\n$6.00", [500, 600]),
        ("$1.00, $5.00-$6.00, $2.00", [100, 200]),
        ("5 USD", [500]),
        ("USD 5", [500]),
    ],
)
def test_which_amounts_state_a_price(text, cents):
    assert stated(text) == cents


def test_amounts_are_kept_by_clause_and_without_the_inert_ones():
    utterance = read_message("It is $1.00 and $2.00. About $3.00. It is $4.00.")
    found = stated_amounts(utterance, find_amounts(utterance))
    assert [[one.cents for one in held] for held in found.values()] == [[100, 200], [400]]
    assert [utterance.clause_at(one.start).start for one in find_amounts(utterance)] == [
        *(clause.start for clause in (utterance.clauses[0], *utterance.clauses))
    ]


def marks(text, place=0):
    utterance = read_message(text)
    amount = find_amounts(utterance)[place]
    clause = utterance.clause_at(amount.start)
    asked = (utterance.text, clause, amount, VOCABULARY)
    return has_unit_mark(*asked), has_whole_mark(*asked), has_person_mark(*asked)


UNIT, WHOLE, PERSON, NONE = (True, False), (False, True), (True, False, True), (False, False)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is $5.00 each", UNIT),
        ("It is $5.00 per night", UNIT),
        ("It is $5.00/night", UNIT),
        ("It is $5.00 a night", UNIT),
        ("2 x $5.00", UNIT),
        ("2 × $5.00", UNIT),
        ("2 * $5.00", UNIT),
        ("2x $5.00", UNIT),
        ("box $5.00", NONE),
        ("$5.00 x 2", UNIT),
        ("$5.00 x2", UNIT),
        ("$5.00 xl", NONE),
        ("$5.00 * 2", UNIT),
        ("x. $5.00", NONE),
        ("$5.00. x 2", NONE),
        ("$5.00. Each of them.", NONE),
        ("$5.00 for 2 nights", WHOLE),
        ("$5.00 for two nights", WHOLE),
        ("$5.00 for the 2 passengers", WHOLE),
        ("$5.00 total for 2 nights", WHOLE),
        ("$5.00 in total for 2 nights", WHOLE),
        ("$5.00 for nights", NONE),
        ("$5.00. For 2 nights.", NONE),
        ("$5.00", NONE),
    ],
)
def test_what_an_amount_is_marked_as(text, found):
    assert marks(text)[:2] == found


@pytest.mark.parametrize(
    ("text", "is_share"),
    [
        ("$5.00 per person", True),
        ("$5.00/person", True),
        ("$5.00 each", True),
        ("$5.00 pp", True),
        ("$5.00 per night", False),
        ("$5.00. Per person that is fine.", False),
        ("$5.00", False),
    ],
)
def test_what_is_marked_as_the_share_of_a_person(text, is_share):
    assert marks(text)[2] is is_share


def test_a_span_says_person_or_not():
    text = read_message("per person it is more").text
    assert says_person(text, 0, len(text), VOCABULARY)
    assert not says_person(text, len("per person"), len(text), VOCABULARY)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("$1.00", [[100]]),
        ("$1.00, $2.00 and $3.00", [[100, 200, 300]]),
        ("$1.00 + $2.00 plus $3.00", [[100, 200, 300]]),
        ("$1.00 & $2.00", [[100, 200]]),
        ("$1.00 for it and $2.00", [[100], [200]]),
        ("$1.00 and $2.00 for it, $3.00 / $4.00", [[100, 200], [300, 400]]),
        ("$1.00 or $2.00 or $3.00", [[100], [200], [300]]),
        ("$1.00 and $2.00 or $3.00", [[100, 200], [300]]),
    ],
)
def test_runs_of_amounts_are_those_that_only_a_joint_parts(text, runs):
    utterance = read_message(text)
    found = amount_runs(utterance.text, find_amounts(utterance))
    assert [[one.cents for one in run] for run in found] == runs
    for run in found:
        whole = summed(run)
        assert (whole.cents, whole.start, whole.end, whole.is_inert) == (
            *(sum(one.cents for one in run), run[0].start, run[-1].end, False),
        )
    assert amount_runs("", []) == []


# --- mentions and references


def told(text, **more):
    return [
        one.entity_id for one in disclosed(find_mentions(read_message(text), CATALOGUE), **more)
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("I would not book FL-100.", []),
        ("I would not book it, so FL-100 it is.", ["FL-100"]),
        ("I would not book FL-100 until you say so.", ["FL-100"]),
        ("I won't recommend FL-100 or FL-101, but FL-200 is fine.", ["FL-200"]),
        ("I won't recommend FL-100, FL-200 is fine.", ["FL-200"]),
        ("Avoid FL-100.", []),
        ("Avoid the FL-100.", []),
        ("Avoid the late FL-100.", ["FL-100"]),
        ("Avoid. FL-100 is good.", ["FL-100"]),
        ("FL-100 is sold out.", []),
        ("FL-100 of that very day is sold out.", ["FL-100"]),
        ("FL-100 of that day, sold out.", []),
        ("FL-100 and FL-101 are sold out.", []),
        ("FL-100, FL-101 are sold out.", ["FL-100"]),
        ("FL-100. Sold out is the rest.", ["FL-100"]),
        ("FL-100 (not FL-101)", ["FL-100"]),
        ("FL-100 (FL-101 is sold out)", ["FL-100"]),
        ("(avoid FL-101)", []),
        ("(FL-101, instead of) FL-100", ["FL-101", "FL-100"]),
        ("So (FL-101, instead of) FL-100", ["FL-101", "FL-100"]),
        ("So FL-101, instead of FL-100", ["FL-101"]),
        ("FL-100 (sold out is FL-101)", ["FL-100", "FL-101"]),
        ("FL-100 (sold out), FL-101", ["FL-101"]),
        ("not Juniper Court (HT-10)", []),
        ("Juniper Court (HT-10) is sold out", []),
        ("FL-200 (instead of FL-100 or FL-101)", ["FL-200"]),
        ("(FL-101) is nice, not (really) FL-100", ["FL-101"]),
        ("FL-100 (avoid FL-101", ["FL-100"]),
        ("(avoid) FL-100", []),
        ("FL-101 is fine, I would not take the (cheap) FL-100", ["FL-101"]),
        ("(avoid (FL-101) FL-100", ["FL-100"]),
        ("Avoid it and the rest of FL-100, avoid FL-101.", ["FL-100"]),
        ("I won't say so, but FL-100 or avoid FL-101.", ["FL-100"]),
        ("the Riverside Glass Museum and Juniper Court", ["AT-20", "HT-10"]),
        ("Juniper Court Annex and Juniper Court", ["HT-11", "HT-10"]),
        ("Juniper Courts and Juniper Court's", ["HT-10"]),
    ],
)
def test_how_far_a_denial_reaches(text, ids):
    assert told(text) == ids


@pytest.mark.parametrize(("number", "shown"), [(1, 1), (9, 9), (10, 10), (11, 0)])
def test_ten_of_a_kind_are_disclosed_and_eleven_are_not(number, shown):
    text = ", ".join(f"FL-{300 + at}" for at in range(number))
    assert len(told(text)) == shown
    assert len(told(text, cap=None)) == number
    assert told(f"{text}, HT-10")[shown:] == ["HT-10"]
    assert len(told(f"{text}, FL-300")) == (shown + 1 if shown else 0)


def test_what_is_denied_counts_for_the_cap_and_is_not_disclosed():
    ten = ", ".join(f"FL-{300 + at}" for at in range(10))
    assert told(f"{ten}. Avoid FL-400.") == []
    assert told("FL-300. Avoid FL-400.", cap=1) == []
    assert told("FL-300. Avoid FL-400.", cap=2) == ["FL-300"]


def test_ids_and_names_are_sorted_by_the_slots_they_fit():
    found = by_slot(
        find_mentions(read_message("FL-100, FL-101, HT-10, FL-999"), CATALOGUE), CATALOGUE
    )
    assert found == {"outbound": frozenset({"FL-100", "FL-101"}), "hotel": frozenset({"HT-10"})}


@pytest.mark.parametrize(
    "text",
    [
        "St. Mary's Tour & Show",
        "St. Mary's Tour and Show",
        "the St Marys Tour & Show.",
        "A & B. Then C's D & St. Mary's Tour & Show, E & F",
        "St. Mary's Tour & Show & St. Mary's Tour and Show",
    ],
)
def test_a_name_stands_where_it_is_written(text):
    said = read_message(text)
    found = find_mentions(said, CATALOGUE)
    assert len(found) == text.count("Show")
    for one in found:
        words = said.text[one.start : one.end]
        assert words.startswith("st") and words.endswith("show")


def references(text):
    utterance = read_message(text)
    mentions = find_mentions(utterance, CATALOGUE)
    slots = {"BK-1": "outbound", "BK-2": None}
    return utterance.text, find_references(utterance, mentions, CATALOGUE, slots)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FL-100", [(ReferenceForm.ENTITY, ("outbound",), "FL-100", "")]),
        ("FL-999", []),
        ("BK-1", [(ReferenceForm.BOOKING, ("outbound",), "BK-1", "")]),
        ("BK-2", []),
        ("BK-3", []),
        ("Juniper Court", [(ReferenceForm.ENTITY, ("hotel",), "HT-10", "")]),
        ("the hotel", [(ReferenceForm.SLOT_WORD, ("hotel",), "", "hotel")]),
        ("the flights", [(ReferenceForm.GROUP_WORD, ("outbound", "return"), "", "flights")]),
        ("the flight", [(ReferenceForm.BARE_WORD, ("outbound", "return"), "", "flight")]),
        ("the trip", [(ReferenceForm.WHOLE_WORD, (), "", "trip")]),
        ("Riverside Glass Museum", [(ReferenceForm.ENTITY, ("attraction",), "AT-20", "")]),
        (
            "the museum, Riverside Glass Museum",
            [
                (ReferenceForm.SLOT_WORD, ("attraction",), "", "museum"),
                (ReferenceForm.ENTITY, ("attraction",), "AT-20", ""),
            ],
        ),
    ],
)
def test_what_words_refer_to(text, found):
    assert [(one.form, one.slots, one.id, one.word) for one in references(text)[1]] == found


def test_references_within_a_span_lie_in_it_with_both_ends():
    text, found = references("FL-100 and the hotel")
    ids = [one.word or one.id for one in found]
    assert ids == ["FL-100", "hotel"]
    assert len(references_within(found, 0, len(text))) == 2
    assert len(references_within(found, 0, len(text) - 1)) == 1
    assert len(references_within(found, 0, len("fl-100"))) == 1
    assert len(references_within(found, 1, len(text))) == 1


# --- set phrases


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("Bye ###STOP###", TerminalToken.STOP),
        ("###TRANSFER### ###STOP###", TerminalToken.TRANSFER),
        ("###OUT-OF-SCOPE###", TerminalToken.OUT_OF_SCOPE),
        ("##STOP##", None),
        ("STOP", None),
    ],
)
def test_the_first_token_counts_and_is_taken_out(text, token):
    assert find_token(text) is token
    assert "###" not in without_tokens(text)
    assert token is None or (token.word in token and not token.word.startswith("#"))


@pytest.mark.parametrize(
    ("text", "admits"),
    [
        ("My mistake.", True),
        ("That was my mistake.", True),
        ("That was not my mistake.", False),
        ("That was not at all my mistake.", True),
        ("That was not really my mistake.", False),
        ("Sorry for the wait.", False),
    ],
)
def test_who_owns_up(text, admits):
    assert admits_error(read_message(text)) is admits


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("I can transfer you to a human agent.", True),
        ("I can transfer you.", False),
        ("A human agent can help.", False),
        ("I cannot transfer you to a human agent.", False),
        ("I can transfer you to a human agent who cannot wait.", True),
        ("I can transfer you. A human agent helps.", False),
        ("Hello. I can connect you with a representative.", True),
    ],
)
def test_who_offers_a_transfer(text, offers):
    assert offers_transfer(read_message(text), VOCABULARY.human) is offers


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("All is confirmed.", True, True),
        ("All is booked.", False, True),
        ("Here is the itinerary.", False, True),
        ("All is not confirmed.", False, False),
        ("All is not yet confirmed.", False, False),
        ("All will be confirmed.", False, False),
        ("All is not booked. All is confirmed.", True, True),
        ("All will be booked. All is confirmed.", True, True),
        ("Hello.", False, False),
    ],
)
def test_what_says_that_something_is_done(text, before, after):
    said = read_message(text)
    assert has_summary_cue(said, VOCABULARY, has_charged=False) is before
    assert has_summary_cue(said, VOCABULARY, has_charged=True) is after


# --- approvals


def approvals(text, before=""):
    """What a user's message approves and rejects, in answer to what is said before."""
    said = read_message(before)
    offered = by_slot(disclosed(find_mentions(said, CATALOGUE)), CATALOGUE)
    acts = find_acts(read_message(text), (said, offered) if before else None, CATALOGUE)
    state = NO_APPROVALS.after(acts)
    approved = sorted(one for ids in state.approved.values() for one in ids)
    return approved, sorted(state.rejected)


@pytest.mark.parametrize(
    ("text", "approved", "rejected"),
    [
        ("FL-100, HT-10, book them.", ["FL-100", "HT-10"], []),
        ("FL-100 and HT-10. Book them.", ["FL-100", "HT-10"], []),
        ("Yes, FL-100, HT-10.", ["FL-100", "HT-10"], []),
        ("Yes, FL-100 and HT-10?", [], []),
        ("Yes, FL-100 if HT-10 is free.", [], []),
        ("Not FL-100, HT-10.", [], ["FL-100", "HT-10"]),
        ("Not FL-100, FL-101 please.", ["FL-101"], ["FL-100"]),
        ("No, keep FL-100.", ["FL-100"], []),
        ("No, FL-100 is fine.", ["FL-100"], []),
        ("No changes to FL-100, all good.", ["FL-100"], []),
        ("Don't book HT-10.", [], ["HT-10"]),
        ("Don't go with HT-10.", [], ["HT-10"]),
        ("Without HT-10 please.", [], ["HT-10"]),
        ("I don't like the price of HT-10, but OK, book it.", ["HT-10"], []),
        ("Book FL-100, not FL-101.", ["FL-100"], ["FL-101"]),
        ("Book FL-101 rather than FL-100.", ["FL-101"], []),
        ("FL-100 is nice.", [], []),
        ("I don't mind FL-100.", [], []),
        ("No problem, book FL-100.", ["FL-100"], []),
        ("Book FL-100. No, book FL-101.", ["FL-101"], []),
        ("Don't book FL-100. Book FL-100.", ["FL-100"], []),
        ("Book FL-100. Don't book FL-100.", [], ["FL-100"]),
        ("FL-100 please", ["FL-100"], []),
        ("FL-100, please", ["FL-100"], []),
        ("Please FL-100", [], []),
    ],
)
def test_what_a_user_approves_and_rejects(text, approved, rejected):
    assert approvals(text) == (approved, rejected)


ONE = "FL-100 and HT-10. Shall I book it?"
TWO = "FL-100 or FL-101, and HT-10. Shall I book it?"


@pytest.mark.parametrize(
    ("before", "text", "approved"),
    [
        (ONE, "Yes.", ["FL-100", "HT-10"]),
        (ONE, "Yes?", []),
        (ONE, "Yes, but wait.", []),
        (ONE, "Hm.", []),
        ("FL-100 and HT-10.", "Yes.", []),
        (TWO, "Yes.", ["HT-10"]),
        (TWO, "The first one.", ["FL-100"]),
        (TWO, "The second one.", ["FL-101"]),
        (TWO, "The second one?", []),
        (ONE, "No.", []),
    ],
)
def test_what_a_message_without_a_name_approves(before, text, approved):
    assert approvals(text, before)[0] == approved
