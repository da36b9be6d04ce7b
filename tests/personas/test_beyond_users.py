"""What a user cannot know: how a wish comes out that all the prices decide."""

from typing import Any

import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.model_users import LlmUser, ModelReply
from crab_graph.personas.prompt import compose_prompt
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.wordbook import phrase_book
from crab_graph.text.approvals import requests_booking
from crab_graph.text.utterance import read_message

WISH, FLIGHTS = "cheaper_district", "cheapest_flights"
BOTH = "Harborside or Old Town"
TOLD = "Any preferred district for the hotel?"
RELIES = {text for own in phrase_book().phrases["relies"].values() for text in own}
LEAVES = {text for own in phrase_book().phrases["you_choose"].values() for text in own}
YES = {text for own in phrase_book().phrases["approve"].values() for text in own}


def briefing_settled(what):
    """Return what a user knows whose tables make a district the cheaper one, or a sum the least."""
    domain = find_domain("travel")
    draft = domain.draft(5, {"date_mode": "fixed", "party": 2})
    settled = {WISH: BOTH, "same_district": False, "settled": ((WISH, what),)}
    if isinstance(what, int):
        settled = {FLIGHTS: True, "settled": ((FLIGHTS, what),)}
    request = draft.request.model_copy(update=settled)
    return domain.briefing(domain.slots, domain.facts(request, draft.profile), "T", draft.today)


def rules(district="Old Town", condition="generic"):
    resolved = resolve(parse_condition(condition), 0, "T", 0)
    return RulesUser(briefing_settled(district), resolved, 0)


def answer(*said, district="Old Town"):
    """Return what a user answers to the last of some messages of an agent."""
    user = rules(district)
    state: dict[str, Any] = {}
    messages: list[dict[str, Any]] = []
    for text in ("", TOLD, *said):
        messages += [{"role": "assistant", "content": text}] if text else []
        step = user.step(state, messages)
        state = step.state
        messages.append(step.message)
    return messages[-1]["content"]


@pytest.mark.parametrize(
    "claim",
    (
        "So Old Town is the cheaper one, right?",
        "So Harborside is the cheaper one, right?",
        "I compared all trips: Old Town makes the whole trip cheaper. Is that right?",
        "Just to confirm: you would like to stay in Old Town, as it is the cheaper one. Correct?",
        "The cheaper of the two is Harborside, correct?",
        "To confirm: Old Town comes out less than Harborside. Is that correct?",
        "Harborside or Old Town, whichever is cheaper, and that is Old Town, right?",
    ),
)
@pytest.mark.parametrize("district", ("Old Town", "Harborside"))
def test_a_user_neither_confirms_nor_denies_which_of_two_is_the_cheaper(claim, district):
    assert answer(claim, district=district) in RELIES


@pytest.mark.parametrize(
    "claim",
    (
        "FL-43081 and FL-84317 are the cheapest pair, right?",
        "The two cheapest flights together come to $230.00 per person. Is that correct?",
        "These are the two cheapest flights that fit, right?",
        "So the two flights that cost least together are FL-43081 and FL-84317, correct?",
    ),
)
def test_a_user_neither_confirms_nor_denies_which_two_flights_cost_least(claim):
    assert answer(claim, district=230_00) in RELIES


FLIGHTS_SHOWN = (
    "1. FL-43081, morning, economy, $120.00\n2. FL-43082, morning, economy, $118.00",
    "A) FL-43081 out and FL-84317 back, $230.00 in all\n"
    "B) FL-43082 out and FL-84318 back, $225.00 in all",
)


@pytest.mark.parametrize("shown", FLIGHTS_SHOWN)
def test_a_user_leaves_a_choice_between_flights_to_the_agent(shown):
    said = f"For the flights I have:\n{shown}\nWhich would you prefer?"
    assert answer(said, district=230_00) in LEAVES


@pytest.mark.parametrize("claim", ("", "These two flights are the cheapest together. "))
def test_a_user_approves_a_plan_with_whatever_flights(claim):
    flights = "- Outbound flight: FL-43081, economy, $120.00.\n- Return flight: FL-84317, economy."
    assert answer(f"{claim}This plan fits.\n{flights}\n\nShall I book it?", district=1) in YES


@pytest.mark.parametrize("shown", ("Old Town", "Harborside"))
@pytest.mark.parametrize("claim", ("", " {} is the cheaper of the two districts."))
@pytest.mark.parametrize("asks", ("Shall I book it?", "Is that right, and shall I book it?"))
def test_a_user_approves_a_plan_in_either_of_the_two(shown, claim, asks):
    plan = f"- Hotel: Alder Inn (HT-8823), {shown}, 4 stars, $450.00 in all."
    said = f"This plan fits.{claim.format(shown)}\n{plan}\n\n{asks}"
    assert requests_booking(read_message(said))
    assert answer(said) in YES


def test_a_user_objects_to_a_plan_in_a_third():
    plan = "- Hotel: Alder Inn (HT-8823), Hilltop, 4 stars, $450.00 in all."
    assert BOTH in answer(f"This plan fits.\n{plan}\n\nShall I book it?")


CHOICE = (
    "I have two that fit:\n1. Alder Inn (HT-8823), {}, 4 stars, $500.00\n"
    "2. Birch House (HT-1234), {}, 4 stars, $450.00\nWhich one would you like?"
)


def test_a_user_leaves_a_choice_between_offers_of_both_to_the_agent():
    assert answer(CHOICE.format("Old Town", "Harborside")) in LEAVES
    assert answer(CHOICE.format("Harborside", "Old Town")) in LEAVES


def test_a_user_chooses_between_offers_of_one_by_their_prices():
    assert "HT-1234" in answer(CHOICE.format("Old Town", "Old Town"))


def test_a_user_sees_which_of_two_whole_trips_is_the_cheaper():
    trip = "Option {}: FL-43081, FL-84317, {} in {}, AT-24420, total {}."
    one = trip.format("A", "HT-8823", "Old Town", "$1,500.00")
    other = trip.format("B", "HT-1234", "Harborside", "$1,450.00")
    said = f"Two whole trips fit:\n{one}\n{other}\nWhich would you prefer?"
    assert "option B" in answer(said)


SAID = {
    WISH: (
        TOLD,
        "The hotel should be in Harborside or Old Town, whichever makes the trip cheaper.",
        "So Old Town is the cheaper one, right?",
    ),
    FLIGHTS: (
        "Any preferences for the flights?",
        "We want the two flights that cost least together.",
        "These are the two cheapest flights, right?",
    ),
}


def prompts(district):
    """Return the prompt of a user model, and the note to a claim of which is the cheaper."""
    notes = []
    question, said, claim = SAID[WISH if isinstance(district, str) else FLIGHTS]

    def ask(lines):
        notes.append(lines[-1]["content"])
        return ModelReply(said)

    briefing = briefing_settled(district)
    user = LlmUser(rules(district), briefing, ask)
    told = ({"role": "user", "content": "Hello."}, {"role": "assistant", "content": question})
    step = user.step({}, told)
    user.step(step.state, [*told, step.message, {"role": "assistant", "content": claim}])
    resolved = resolve(parse_condition("terse+d2"), 0, "T", 0)
    return compose_prompt(resolved, briefing).text, notes


@pytest.mark.parametrize(
    ("label", "settled"),
    (("cheaper district", ("Old Town", "Harborside")), ("cheapest flights", (211_80, 230_00))),
)
def test_what_the_tables_settle_is_in_no_prompt_of_a_user_model(label, settled):
    one, other = map(prompts, settled)
    assert one == other
    prompt, notes = one
    (line,) = (text for text in prompt.splitlines() if text.startswith(f"- {label}"))
    assert "rely on the agent" in line
    assert label in notes[-1] and "Neither confirm nor deny" in notes[-1]
