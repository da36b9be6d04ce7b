"""What a user says where the world broke something: it judges by its wishes, and is never stuck."""

import json
import re
from typing import Any

import pytest

from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.declined_cards import with_spare_card
from crab_graph.personas.own_tools import Approval, Booking, Wallet
from crab_graph.personas.payment_habits import PaymentHabit
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.understanding import reading_of
from tests.eval.builders import ANNEX, HOTEL, OUT, Plan, build_task

ASKED = (
    "Please tell me all else: customer id, names, birth dates, all wishes, budget and card.",
    "Any other wish?",
)
PROPOSED = f"{Plan().told}\n\nTrip total: {Plan().total}. Shall I book all of it?"
NOTHING = '{"bookings": [], "cards": []}'


def answer(tell, *, condition="generic"):
    """Return what a user says to a message after it has said all and agreed to a plan."""
    task = build_task()
    user = RulesUser(task.briefing, resolve(parse_condition(condition), 3, task.id, 0), 3)
    messages: list[dict[str, Any]] = []
    state: dict[str, Any] = {}
    for text in (None, *ASKED, PROPOSED, tell):
        messages += [{"role": "assistant", "content": text}] if text else []
        while True:
            step = user.step(state, messages)
            state = step.state
            messages.append(dict(step.message))
            calls = step.message.get("tool_calls", ())
            messages += [
                {"role": "tool", "owner": "user", "tool_call_id": one["id"], "content": NOTHING}
                for one in calls
            ]
            if not calls:
                break
    return messages[-1]["content"]


@pytest.mark.parametrize(
    "tell",
    [
        f"The price of {OUT} has gone up: it now costs $12.00 more. Is that all right with you?",
        "The price I quoted for Juniper Court has expired. It is $18.10 more. Still book it?",
        "The outbound flight was sold. Shall I take FL-10009 (economy, morning) for it instead?",
    ],
)
def test_what_fits_is_taken_in_place_of_what_was_sold_or_was_cheaper(tell):
    said = answer(tell).casefold()
    assert any(word in said for word in ("go ahead", "yes", "fine", "book", "good", "do it"))


@pytest.mark.parametrize(
    ("tell", "wish"),
    [
        ("Juniper Court now costs $600.00 more in total. Is that all right?", "$1,500"),
        (f"{HOTEL} was sold. Shall I take Juniper Court Annex ({ANNEX}, 2 stars)?", "3 stars"),
    ],
)
def test_what_goes_beyond_a_wish_is_objected_to(tell, wish):
    assert wish in answer(tell)


def test_a_rise_within_the_budget_is_none_beyond_it():
    assert "$1,500" not in answer("Juniper Court now costs $100.00 more. Is that all right?")


def test_an_agent_that_asks_to_look_again_may():
    assert "fits" in answer(f"{OUT} was sold while we talked. May I search for another one?")


CARDS = [
    {"card_id": "CD-1001", "brand": "Visa", "last4": "4242", "limit": "9000.00"},
    {"card_id": "CD-1002", "brand": "Amex", "last4": "0031", "limit": "9000.00"},
]
NAMED_CARD = "I charge your Visa ending in 4242. Please approve BK-1 ($300.00) and BK-2 ($80.00)."


class Payer:
    """A user that has agreed to a plan, and whose own tools answer as a wallet does."""

    def __init__(self, seed):
        task = build_task()
        condition = resolve(parse_condition("neutral+d4"), seed, task.id, 0)
        self.user = RulesUser(task.briefing, condition, seed)
        self.habit = self.user._habit
        self.cards = [dict(card, payment_method_id=None) for card in CARDS]
        self.messages, self.state = [], {}

    def say(self, text):
        self.messages.append({"role": "assistant", "content": text})
        while True:
            step = self.user.step(self.state, self.messages)
            self.state = step.state
            self.messages.append(dict(step.message))
            calls = step.message.get("tool_calls", ())
            for one in calls:
                content = json.dumps(self.result(one["name"], one["arguments"]))
                told = {"role": "tool", "owner": "user", "tool_call_id": one["id"]}
                self.messages.append({**told, "content": content})
            if not calls:
                return self.messages[-1]["content"]

    def add_another(self):
        """Agree and name a card, which is declined, and add another one."""
        for text in (*ASKED, PROPOSED, NAMED_CARD):
            self.say(text)
        self.say(
            "That card was declined this time. Have you got another card? Add it and approve BK-1 "
            "($300.00) and BK-2 ($80.00) on it, then tell me which it is."
        )

    def result(self, name, given):
        if name == "add_payment_method_to_platform":
            card = next(one for one in self.cards if one["card_id"] == given["card_id"])
            card["payment_method_id"] = f"PM-{card['last4']}"
            return {name: card[name] for name in card if name != "limit"}
        if name == "record_payment_approval":
            return {"status": "recorded"}
        bookings = [
            {"booking_id": f"BK-{n}", "entity_id": OUT, "status": "pending", "total": total}
            for n, total in ((1, "300.00"), (2, "80.00"))
        ]
        return {"cards": self.cards, "bookings": bookings}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "declined",
    [
        "Your bank bounced both: the card is capped at $200.00 a day. Got another card? Add it and "
        "approve BK-1 ($300.00) and BK-2 ($80.00) on it, then tell me which it is.",
        "I'm afraid 4242 is maxed out for today, so it can't take these two. You'd need a second "
        "card for BK-1 ($300.00) and BK-2 ($80.00). Could you add one?",
        "That card was declined. Do you have a different card you could put on your account?",
    ],
)
def test_the_card_that_takes_the_place_of_one_is_named_as_itself_and_kept(declined, seed):
    payer = Payer(seed)
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    said = payer.say(declined)
    assert "PM-0031" in said and "0031" in said.replace("PM-0031", "") and "4242" not in said
    approve = "Please approve BK-1 ($300.00) and BK-2 ($80.00) with it. Which card is PM-0031?"
    said = payer.say(approve)
    assert "4242" not in said
    made = [call for one in payer.messages for call in one.get("tool_calls", ())]
    paid = [call["arguments"] for call in made if call["name"] == "record_payment_approval"]
    last = {call["booking_id"]: call["payment_method_id"] for call in paid}
    assert last == {"BK-1": "PM-0031", "BK-2": "PM-0031"}


@pytest.mark.parametrize("seed", range(6))
def test_where_the_other_card_is_declined_as_well_the_first_one_is_taken_again(seed):
    payer = Payer(seed)
    payer.add_another()
    said = payer.say(
        "PM-0031 bears only $50.00 a day, so it was declined, too. Could you take another card for "
        "BK-1 ($300.00) and BK-2 ($80.00), and approve them with it?"
    )
    assert "PM-4242" in said and "PM-0031" not in said
    made = [call for one in payer.messages for call in one.get("tool_calls", ())]
    paid = [call["arguments"] for call in made if call["name"] == "record_payment_approval"]
    own = [call["booking_id"] for call in paid if call["payment_method_id"] == "PM-4242"]
    assert sorted(own) == ["BK-1", "BK-2"]


@pytest.mark.parametrize("seed", range(6))
def test_a_limit_asked_about_before_is_none_of_a_card(seed):
    payer = Payer(seed)
    payer.say("You pay with your Visa 4242, noted. Any price limit per part, or may it be refused?")
    payer.add_another()
    said = payer.say(
        "Your Amex ending 0031 bears $100.00 a day, so BK-1 and BK-2 were declined. Your choices: I"
        " try the Visa ending 4242 again, which you approved earlier, or you register another one."
    )
    assert "PM-4242" in said and "PM-0031" not in said


@pytest.mark.parametrize("seed", range(6))
def test_who_was_told_of_two_full_cards_takes_the_one_that_is_named_again(seed):
    payer = Payer(seed)
    payer.add_another()
    payer.say("Visa 4242 hit its daily limit as well. Amex 0031 bears $100.00 a day. Which one?")
    said = payer.say(
        "The Amex ending 0031 is over its daily limit. May I charge both to your Visa ending in "
        "4242 after all? It works again."
    )
    assert "Not that card" not in said and "PM-0031" not in said


@pytest.mark.parametrize("seed", range(6))
def test_one_that_bears_no_more_is_left_though_one_booking_still_fits(seed):
    payer = Payer(seed)
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    payer.say("Thank you. One moment, please.")
    said = payer.say(
        "The Visa ending in 4242 only takes $150.00 a day, so the bank declined BK-1. BK-2 still "
        "fits: please approve BK-2 for $80.00 with PM-4242. The other needs another card, such as "
        "your Amex ending in 0031: tell me which, and approve BK-1 ($300.00) for it."
    )
    assert "PM-0031" in said


@pytest.mark.parametrize("seed", range(6))
def test_of_two_cards_of_one_brand_the_one_that_bears_no_more_is_left(seed):
    payer = Payer(seed)
    for card in payer.cards:
        card["brand"] = "Visa"
    payer.add_another()
    said = payer.say(
        "I am sorry, the bank has declined BK-1: your Visa ending in 0031 bears $150.00 a day, and "
        "this would be more. May I try your Visa ending in 4242, or would you rather add another "
        "card? Please tell me which one it is."
    )
    assert "PM-4242" in said and "PM-0031" not in said


@pytest.mark.parametrize("seed", range(6))
def test_where_the_other_card_may_be_tried_again_it_is(seed):
    payer = Payer(seed)
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    payer.say(
        "That card bears only $50.00 a day, so it was declined. Have you got another card? Add it "
        "and approve BK-1 ($300.00) and BK-2 ($80.00) on it, then tell me which it is."
    )
    said = payer.say(
        "The bank has declined the card this time. Shall I try the same card again, or would you "
        "rather pay with another card?"
    )
    assert "PM-0031" in said and "PM-4242" not in said


@pytest.mark.parametrize("habit", [PaymentHabit.AT_ONCE, PaymentHabit.OTHER_CARD])
def test_a_card_of_its_own_that_was_declined_gives_way_to_one_that_bears_all(habit):
    mine = {"card_id": "CD-1", "payment_method_id": "PM-1", "limit": "900.00"}
    other = {"card_id": "CD-2", "limit": "900.00"}
    due = (Booking("BK-1", OUT, "pending", 100_00),)
    paid = (Approval("BK-1", "PM-1", 100_00),)
    seen = ("", "CD-1", frozenset[str](), (mine, other), due, None, (), paid, ())
    task = build_task()
    told = reading_of("Your card was declined.", task.briefing.lexicon, task.briefing.slots)
    assert with_spare_card(Wallet(*seen), told, habit).wanted == "CD-2"


@pytest.mark.parametrize("seed", range(3))
def test_what_could_not_be_booked_with_the_rest_is_agreed_to_beside_its_payments(seed):
    payer = Payer(seed)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    said = payer.say(
        f"Two are held: please approve BK-1 ($300.00) and BK-2 ($80.00). The price of {HOTEL} went "
        "up before I could book it, it is now $12.00 more. OK to book it?"
    ).casefold()
    assert "approved" in said or "in a moment" in said or "rest" in said
    assert any(word in said for word in ("yes", "go ahead", "book", "do it", "fine"))


@pytest.mark.parametrize(
    "declined",
    [
        "The bank declined BK-1, nothing was charged. Shall I try the same card again, or use the"
        " Amex ending in 0031 (PM-0031)? For that, please approve $300.00 for BK-1 with that card.",
        "How should I charge BK-1, $300.00: the Visa ending in 4242 (PM-4242) once more, or the"
        " Amex ending in 0031 (PM-0031), after your approval with that card?",
    ],
)
def test_of_two_of_its_cards_it_names_the_one_to_be_charged(declined):
    payer = Payer(1)
    payer.cards[1] |= {"payment_method_id": "PM-0031", "limit": "100.00"}
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    said = payer.say(declined)
    assert "PM-4242" in said and "0031" not in said and "ther card" not in said


@pytest.mark.parametrize("seed", range(4))
def test_of_two_cards_of_which_none_was_refused_none_is_to_be_tried_again(seed):
    payer = Payer(seed)
    payer.add_another()
    said = payer.say(
        "PAID\n- BK-1: $300.00 charged to PM-0031. Confirmed.\n\nSTILL PENDING - WHICH CARD?\n"
        "- BK-2: $80.00\n\nOPTIONS\n- A: Visa ending in 4242 (PM-4242), as you approved before\n"
        "- B: the card ending in 0031 (PM-0031); please record a new approval for it\n\nA or B?"
    )
    assert "PM-0031" in said and not re.search(r"\b(?:again|once more)\b", said), said


CAPPED = (
    "Two went through. BK-1, $300.00, was declined: your Visa bears only $200.00 a day, so it needs"
    " another card. {offer} Please approve $300.00 for BK-1 with the card you choose, and tell me.",
    "I tried again, and the bank says no for the same reason: the Visa's $200.00 a day. {offer}"
    " Approve $300.00 for BK-1 with it and I'll charge it right away.",
    "argh, 4242 wont take BK-1 ($300.00) today, its max is $200.00 a day. {offer} which one?",
)
LOW = "There is also the Mastercard ending in 7529 (PM-7529) on your account; or add a new card."


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("declined", CAPPED)
def test_a_card_that_cannot_bear_what_is_due_is_never_tried_again(declined, seed):
    payer = Payer(seed)
    low = {"card_id": "CD-1003", "brand": "Mastercard", "last4": "7529", "limit": "100.00"}
    payer.cards.append({**low, "payment_method_id": "PM-7529"})
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    said = payer.say(declined.format(offer=LOW))
    assert "PM-0031" in said and "PM-4242" not in said and "7529" not in said


@pytest.mark.parametrize("seed", range(4))
def test_a_card_that_the_agent_names_is_taken_where_it_bears_what_is_due(seed):
    payer = Payer(seed)
    named = {"card_id": "CD-1003", "brand": "Mastercard", "last4": "7529", "limit": "9000.00"}
    payer.cards.append({**named, "payment_method_id": "PM-7529"})
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    said = payer.say(CAPPED[0].format(offer=LOW))
    assert "PM-7529" in said and "0031" not in said and "4242" not in said


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "again",
    [
        "only the flight, $300.00, is unpaid\njust need a yes: retry it on visa 4242?",
        "It was just this time, by the look of it. May I charge the Visa ending in 4242 once more?",
        "The terminal failed, not your card. Shall I run BK-1 a second time? You approved it.",
    ],
)
def test_asked_whether_to_try_a_card_once_more_it_says_so(again, seed):
    payer = Payer(seed)
    payer.cards[1] |= {"limit": "100.00"}
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    said = payer.say(again)
    assert "PM-4242" in said and "approved" not in said.casefold() and "0031" not in said


def test_what_a_card_bears_a_day_is_not_taken_for_the_budget():
    payer = Payer(0)
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    said = payer.say(
        "i get it, but visa 4242 wont take it today: its got $1,622.80 on it already and its max is"
        " $1,750.00 a day, another $300.00 is over. do you add a third card?"
    )
    assert "budget" not in said.casefold() and "PM-0031" in said


@pytest.mark.parametrize(
    "ask",
    ["Shall I leave BK-1 out then, and cancel it?", "Do you want me to cancel the flight instead?"],
)
def test_what_waits_for_its_payment_is_not_given_up(ask):
    payer = Payer(1)
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    said = payer.say(ask)
    assert "No" in said and "keep" in said


def test_of_several_amounts_the_one_that_is_wrong_is_named():
    payer = Payer(1)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    said = payer.say("Please approve BK-1 for $330.00 and BK-2 for $80.00 on your Visa.")
    assert "you said $330.00" in said


@pytest.mark.parametrize(
    "ways",
    [
        "Nothing meets all you want. I see three ways:\n1. raise the budget by $200\n2. take a "
        "2-star hotel\n3. drop the morning\nWhich would you choose?",
        "Two of your wishes collide: the stars and the budget. Which matters more to you?",
        "The cheapest plan I can find that meets everything else is $1,503.10. That's $3.10 over. "
        "Could the budget stretch to that? If not, could anything else give: the stars, the day?",
        "With the cheap seat gone, every plan breaks the limit. If it is firm, which of these may "
        "change?\na. an evening flight out\nb. one night less",
        "Nothing that is left fits all you said: exactly one wish must give way. Which would suit "
        "you?\na) two stars\nb) one night less",
    ],
)
def test_where_nothing_fits_the_wishes_stand(ways):
    said = answer(ways).casefold()
    stands = ("wish", "asked for", "look again", "look once more", "it has to fit")
    assert any(words in said for words in stands)
    assert "whichever" not in said and "choice to you" not in said


def test_what_takes_the_place_of_what_was_sold_is_of_the_same_slot():
    said = answer(
        f"Somebody else has just bought the last seats on {OUT}. I only find business now: "
        "FL-10009, business, morning, $460.00. Shall I take it?"
    )
    assert "economy" in said.casefold() and "night" not in said.casefold()


def test_who_asks_for_a_moment_gets_it():
    said = answer("The return flight isn't confirmed yet. I'm checking. Can you wait a minute?")
    assert "asked for" not in said and "fits" not in said


@pytest.mark.parametrize(
    "ask",
    [
        "Let me know what you think.",
        "Reply BOOK to confirm or CHANGE and what to change.",
        "Your thoughts?",
    ],
)
def test_a_whole_plan_is_agreed_to_by_one_that_is_asked_what_it_thinks(ask):
    said = answer(f"{Plan().told}\n\nTrip total: {Plan().total}. {ask}").casefold()
    assert any(word in said for word in ("go ahead", "yes", "book", "do it"))


def test_a_plan_whose_sum_stands_beside_its_name_is_held_against_the_budget():
    assert "$1,500" in answer(f"{Plan().told}\n\nNew plan at $1,812.00. OK?")


def test_whether_all_else_is_as_before_is_answered():
    said = answer("So you want something else now. Is the rest as before?").casefold()
    assert any(word in said for word in ("right", "yes", "correct"))


def test_once_more_on_a_card_is_another_try():
    payer = Payer(1)
    payer.cards[1] |= {"limit": "100.00"}
    for text in (*ASKED, PROPOSED, NAMED_CARD):
        payer.say(text)
    assert "PM-4242" in payer.say("BK-1 bounced ($300.00). once more on 4242?")


def test_before_anything_is_booked_a_card_that_is_not_meant_is_refused():
    said = answer("Your account has no Visa. Could I use the Amex ending in 6700 instead?")
    assert "4242" in said


def test_an_agent_may_go_on_looking():
    said = answer("No plan yet, the system is slow. Shall I keep looking?").casefold()
    assert "look" in said or "find" in said or "see" in said


@pytest.mark.parametrize("seed", range(3))
def test_a_new_price_is_agreed_to_and_nothing_paid_for_it(seed):
    payer = Payer(seed)
    for text in (*ASKED, PROPOSED):
        payer.say(text)
    payer.say("Juniper Court went up a little, by $6.40 a night. Still OK?")
    calls = [call["name"] for one in payer.messages for call in one.get("tool_calls", ())]
    assert "record_payment_approval" not in calls


def test_an_ok_that_will_do_is_given():
    said = answer("Before I book: anything you'd change? If not, a simple OK will do.").casefold()
    assert any(word in said for word in ("go ahead", "yes", "book", "do it"))


@pytest.mark.parametrize(
    "tell",
    [
        f"{OUT} rose and now costs $9,000.00, total $11,000.00. Still book it?",
        f"{OUT} is $9,000.00 now, which makes it $11,000.00 in total. May I book it?",
        "The outbound is now $9,000.00, total $11,000.00. Do you approve it at that price?",
    ],
)
def test_a_total_beside_one_item_that_is_beyond_the_budget_is_objected_to(tell):
    assert "udget" in answer(tell)


@pytest.mark.parametrize("asks", ["Is 4242 a typo?", "I see 1111 only. Is 4242 a mistake?"])
def test_a_card_is_stood_by_that_may_be_a_slip(asks):
    said = answer(asks).casefold()
    assert "4242" in said and ("right" in said or "correct" in said)


@pytest.mark.parametrize(
    "tell",
    [
        "The museum has just sold out. What would you like me to do?",
        "If the museum is sold out in the meantime, what should I do?",
    ],
)
def test_who_asks_what_to_do_about_what_was_sold_is_to_look_again(tell):
    said = answer(tell).casefold()
    assert any(word in said for word in ("look", "another", "else"))


@pytest.mark.parametrize(
    "asks",
    [
        "Your card wasn't accepted. Shall I try it again?",
        "The charge of $300.00 came back: insufficient funds. Shall I try again?",
    ],
)
def test_other_words_for_a_declined_card_are_heard(asks):
    payer = Payer(1)
    for text in (*ASKED, PROPOSED, "Please approve $300.00 for BK-1 and $80.00 for BK-2."):
        payer.say(text)
    assert "PM-4242" in payer.say(asks)
