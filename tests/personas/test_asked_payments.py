"""Which payments a user approves: those that a request is about, by id or by words."""

import pytest

from tests.eval.builders import BACK, HOTEL, OUT
from tests.personas.test_mishaps import ASKED, PROPOSED, Payer


class Clerk(Payer):
    """A user of whose two flights the bookings wait for payment."""

    def result(self, name, given):
        shown = super().result(name, given)
        for row, item in zip(shown.get("bookings", ()), (OUT, BACK), strict=False):
            row |= {"booking_id": f"{row['booking_id']}0", "entity_id": item}
        return shown

    def paid(self):
        made = [call for one in self.messages for call in one.get("tool_calls", ())]
        calls = [call["arguments"] for call in made if call["name"] == "record_payment_approval"]
        return {call["booking_id"] for call in calls}


@pytest.mark.parametrize(
    "asks",
    [
        "Do you approve the hotel at $312.00 and the new total?",
        f"May I book {HOTEL} at that price?",
        "Shall I still book the hotel for that?",
    ],
)
def test_a_new_price_of_what_is_left_is_agreed_to_and_nothing_else_is_paid(asks):
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    said = payer.say(
        "One price has changed. The outbound (BK-10) is booked for $300.00 and the return (BK-20) "
        f"for $80.00, not yet paid. {HOTEL} is not booked: its price expired and is $12.00 more "
        f"now. {asks}"
    ).casefold()
    assert any(word in said for word in ("yes", "go ahead", "book", "do it", "fine"))
    assert not payer.paid()


@pytest.mark.parametrize(
    ("asks", "paid"),
    [
        ("Please approve the payment for the return flight only, for now.", {"BK-20"}),
        ("We begin with the outbound: please approve just that one.", {"BK-10"}),
        ("Please approve the outbound now; the return can wait until tomorrow.", {"BK-10"}),
        ("Please approve BK-20 ($80.00) and the other one.", {"BK-10", "BK-20"}),
        ("Please approve BK-20, $80.00. The others will follow later.", {"BK-20"}),
    ],
)
def test_the_payments_that_are_asked_for_are_approved_and_no_others(asks, paid):
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    payer.say(f"Both are held. {asks}")
    assert payer.paid() == paid


def test_a_card_to_try_again_is_named_beside_the_payments_that_are_approved():
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED, "Please approve BK-10 ($300.00)."):
        payer.say(text)
    said = payer.say(
        "The bank declined BK-10 this time. Shall I try the same card again? And please approve "
        "BK-20, $80.00, with it."
    )
    assert "PM-4242" in said and "BK-20" in said and payer.paid() == {"BK-10", "BK-20"}


@pytest.mark.parametrize(
    "asks",
    ["May I cancel it and rebook it at the same price?", "Shall I cancel it and make it anew?"],
)
def test_a_booking_with_a_slip_may_be_made_anew(asks):
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED, "Please approve BK-10 ($300.00) and BK-20 ($80.00)."):
        payer.say(text)
    said = payer.say(
        f"A name in BK-20 was stored with a slip; nothing is charged. {asks}"
    ).casefold()
    assert any(word in said for word in ("yes", "go ahead", "book", "do it", "fine"))
    assert "keep" not in said


SLIPS = (
    'A name in BK-20 was typed "Ana Riuz": I will cancel it and rebook it, same price.',
    "And the birth date on BK-20 got mistyped as 1990-04-20, so I'll cancel that one and book it"
    " again, same price.",
    "One thing: BK-20 shows the wrong date of birth (1909-04-02) for one of you. I would cancel it"
    " and book the same again.",
    'BK-20 has a typing slip in a name: "Ana Riuz" instead of Ana Ruiz. Nothing has been charged.'
    " I'll cancel that one and book the same seats again.",
)


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("asks", ["All right?", "Is that fine?", "OK with you?"])
def test_a_slip_that_is_put_right_is_no_play_back(slip, asks):
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    said = payer.say(f"Both are held. {slip} {asks}").casefold()
    assert any(word in said for word in ("yes", "go ahead", "book", "do it", "fine"))
    assert "1990" not in said and "ana" not in said and not payer.paid()


@pytest.mark.parametrize("slip", SLIPS)
def test_what_else_is_asked_beside_a_slip_is_answered(slip):
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    payer.say(f"Both are held. {slip} Meanwhile please approve BK-10 ($300.00).")
    assert payer.paid() == {"BK-10"}


def test_what_is_to_be_made_anew_is_not_paid_for():
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    payer.say(
        'Please hold the approval for BK-20: the booking shows the name as "Ana Riuz", a typing '
        "slip, so I will cancel it and book the same again. BK-10 ($300.00) still needs your "
        "approval."
    )
    assert payer.paid() == {"BK-10"}


@pytest.mark.parametrize("offer", ["a) Done, b) other card?", "1) approved, 2) another card?"])
def test_another_card_that_is_only_offered_is_not_put_on_the_platform(offer):
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED, "I charge your Visa ending in 4242. Please approve BK-10."):
        payer.say(text)
    payer.say(f"BK-10 is charged. Last step: please approve BK-20 ($80.00) on that Visa. {offer}")
    made = [call for one in payer.messages for call in one.get("tool_calls", ())]
    assert sum(call["name"] == "add_payment_method_to_platform" for call in made) == 1
    assert payer.paid() == {"BK-10", "BK-20"}


def test_a_card_is_added_at_once_where_only_the_approvals_come_later():
    payer = Clerk(1)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    payer.say("Please add the Visa ending in 4242. The approvals per booking come later.")
    made = [call for one in payer.messages for call in one.get("tool_calls", ())]
    assert any(call["name"] == "add_payment_method_to_platform" for call in made)
