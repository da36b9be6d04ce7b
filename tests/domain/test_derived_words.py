"""A user of a domain that words almost nothing is asked, tells, is understood, and objects."""

from dataclasses import replace
from typing import Any

import pytest

from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.declaration import Rule, Wording
from crab_graph.domain.derived_lexicon import briefing, lexicon
from crab_graph.domain.derived_vocabulary import vocabulary
from crab_graph.personas.briefing import Fact, FactLevel, UserBriefing
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.plan_conflicts import contradictions
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.rules_user import RulesUser
from crab_graph.personas.stated_plans import read_plan
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wording import word_fact
from crab_graph.text.approvals import find_acts
from crab_graph.text.mentions import by_slot, disclosed, find_mentions
from crab_graph.text.utterance import read_message
from crab_graph.text.vocabulary import build_catalogue
from tests.domain.practice import PRACTICE

TODAY = "2027-04-20"
BASIC, DETAIL = FactLevel.BASIC, FactLevel.DETAIL
FACTS = (
    Fact("specialty", "cardiology", BASIC),
    Fact("first_visit", ["2027-05-03", "2027-05-05"], BASIC),
    Fact("panel", "blood panel", BASIC),
    Fact("sessions", 4, BASIC),
    Fact("within_days", 6, BASIC),
    Fact("customer_id", "CU-20417", DETAIL),
    Fact("language", "Spanish", DETAIL),
    Fact("gp_time_of_day", "morning", DETAIL, "gp"),
    Fact("lab_time_of_day", "evening", DETAIL, "lab"),
    Fact("district", "Old Town", DETAIL, "lab"),
    Fact("physio_focus", "knee", DETAIL, "physio"),
    Fact("physio_rating", 3, DETAIL, "physio"),
    Fact("lab_date", "2027-05-06", DETAIL, "lab"),
    Fact("same_practice", True, DETAIL),
    Fact("short_wait", True, DETAIL),
    Fact("budget", "900.00", DETAIL),
    Fact("email", "ana.ruiz@example.com", DETAIL),
    Fact("payment_card", {"card_id": "CD-1", "brand": "Visa", "last4": "3045"}, DETAIL),
)
SLOTS = tuple(TaskSlot(one.id, one.kind, one.title) for one in PRACTICE.slots)


def brief(facts: Any = FACTS) -> UserBriefing:
    return briefing(PRACTICE)(SLOTS, facts, "T-1", TODAY)


ASKED = [
    ("Which specialty do you need?", {"specialty"}),
    ("When should the GP appointment be?", {"first_visit"}),
    ("What dates do you have in mind?", {"first_visit"}),
    ("Which panel should be done?", {"panel"}),
    ("How many sessions do you need?", {"sessions"}),
    ("May I have your customer id?", {"customer_id"}),
    ("Do you prefer a language?", {"language"}),
    ("Should the doctor speak English, Spanish or Arabic?", {"language"}),
    ("What time of day should the GP appointment be?", {"gp_time_of_day"}),
    ("And what time for the lab test?", {"lab_time_of_day"}),
    ("What time of day do you prefer?", {"gp_time_of_day", "lab_time_of_day"}),
    ("Is there a district you want for the lab test?", {"district"}),
    ("What should the focus of the physiotherapy be?", {"physio_focus"}),
    ("Is it for your back, your knee or your shoulder?", {"physio_focus"}),
    ("What rating should the course have?", {"physio_rating"}),
    ("On which day should the lab test be?", {"lab_date"}),
    ("Should both be at the same practice?", {"same_practice"}),
    ("How soon after the GP should the test be?", {"short_wait"}),
    ("Do you have a budget?", {"budget"}),
    ("What is your email?", {"email"}),
    ("Which card would you like to use?", {"payment_card"}),
    ("Any preferences for the physiotherapy?", {"physio_focus", "physio_rating", "same_practice"}),
    (
        "What kind of lab test do you have in mind?",
        {"panel"},
    ),
    (
        "Could you share your customer ID, which specialty you need and when the GP visit is?",
        {"customer_id", "specialty", "first_visit"},
    ),
    ("Would mornings or afternoons suit you for the GP?", {"gp_time_of_day"}),
    ("Is there a particular area for the lab?", {"district"}),
    ("How many physiotherapy sessions should I book?", {"sessions"}),
    (
        "Please tell me your preferences:\n\n**GP appointment**\n- Time of day\n\n"
        "**Lab test**\n- Time of day\n- District",
        {"gp_time_of_day", "lab_time_of_day", "district"},
    ),
]


@pytest.mark.parametrize(("text", "keys"), ASKED, ids=[row[0][:50] for row in ASKED])
def test_what_an_agent_asks_is_understood(text, keys):
    known = brief()
    asked = set(Reading(text, known.lexicon, known.slots).asked)
    assert keys <= asked
    assert asked - keys <= ({"short_wait"} if "lab test" in text else set())


def test_every_fact_can_be_asked_for():
    assert set().union(*(keys for _, keys in ASKED)) >= set(lexicon(PRACTICE).facts) - {
        "within_days"
    }


@pytest.mark.parametrize("fact", FACTS, ids=[fact.key for fact in FACTS])
@pytest.mark.parametrize("short", [False, True])
def test_every_wording_of_a_fact_states_it_and_nothing_that_is_another(fact, short):
    words = lexicon(PRACTICE).facts[fact.key]
    for template in words.short if short else words.full:
        text = said(fact, template, short=short)
        found = set(stated_facts(text, brief(), (fact.key,)))
        assert fact.key in found, text
        if not short:
            assert fact.key in stated_facts(text, brief()), text
            assert len(found - {"first_visit", "same_practice", "short_wait"}) < 2, text


def said(fact, template, *, short):
    words = lexicon(PRACTICE).facts[fact.key]
    only = words.model_copy(update={"short" if short else "full": (template,)})
    known = lexicon(PRACTICE).model_copy(update={"facts": {fact.key: only}})
    return word_fact(fact, known, None, short=short)


def test_no_statement_can_pass_for_an_approval():
    catalogue = build_catalogue(vocabulary(PRACTICE), [], {"DR-1": "gp"}.get)
    before = read_message("The GP appointment is DR-1 for $35.00. Shall I book it?")
    offered = by_slot(disclosed(find_mentions(before, catalogue)), catalogue)
    for fact in FACTS:
        words = lexicon(PRACTICE).facts[fact.key]
        for template in (*words.full, *words.short, *words.none):
            text = said(fact, template, short=False)
            assert find_acts(read_message(text), (before, offered), catalogue) == (), text


WRONG = [
    ("Specialist consultation: DR-20001, neurology, $90.00.", {"specialty"}),
    ("Specialist consultation: DR-20001, cardiology, $90.00.", set()),
    ("The GP appointment DR-20002 is on 9 May 2027.", {"first_visit"}),
    ("The GP appointment DR-20002 is on 4 May 2027 at 09:30.", set()),
    ("The GP appointment DR-20002 is at 14:00.", {"gp_time_of_day"}),
    ("The lab test LB-10001 is imaging, on 6 May 2027, in Old Town.", {"panel"}),
    (
        "The lab test LB-10001 is a blood panel on 5 May 2027 in Riverside.",
        {"district", "lab_date"},
    ),
    ("GP appointment: DR-20002, who speaks Arabic.", {"language"}),
    ("Physiotherapy course: PH-30001, 3 sessions for the knee.", {"sessions"}),
    ("Physiotherapy course: PH-30001, for the back.", {"physio_focus"}),
    ("Physiotherapy course: PH-30001, rating 2.", {"physio_rating"}),
    ("Physiotherapy course: PH-30001, rating 5.", set()),
    (
        "Specialist consultation: DR-20001 at Cedar Medical.\n"
        "Physiotherapy course: PH-30001 at Summit Care.",
        {"same_practice"},
    ),
    ("The total for everything is $950.00.", {"budget"}),
]


@pytest.mark.parametrize(("text", "keys"), WRONG, ids=[row[0][:60] for row in WRONG])
def test_a_user_sees_what_contradicts_its_wishes(text, keys):
    known = brief()
    assert (
        set(
            contradictions(read_plan(Reading(text, known.lexicon, known.slots), known.slots), known)
        )
        == keys
    )


def answer(text: str) -> str:
    user = RulesUser(brief(), resolve(parse_condition("generic"), 1, "T-1", 0), 1)
    opening = user.step({}, [])
    messages = [opening.message, {"role": "assistant", "content": text}]
    return str(user.step(opening.state, messages).message["content"])


def test_a_user_opens_answers_and_objects():
    user = RulesUser(brief(), resolve(parse_condition("generic"), 1, "T-1", 0), 1)
    opening = user.step({}, []).message["content"]
    assert "cardiology" in opening and "4 sessions" in opening and "within 6 days" in opening
    assert "Spanish" in answer("Which language should the doctor speak?")
    assert "cardiology" in answer("Specialist consultation: DR-20001, neurology. Shall I book it?")


def test_a_specialist_is_no_human_agent_here():
    known = brief()
    text = "After the lab results the specialist takes over."
    assert not Reading(text, known.lexicon, known.slots).has_transferred
    handed = "A colleague has taken over this conversation."
    assert Reading(handed, known.lexicon, known.slots).has_transferred


def test_what_an_author_gives_takes_the_place_of_what_is_derived():
    given = {
        "facts": {"language": {"full": ["Somebody who speaks {value}."], "asks+": [r"\btongue\b"]}},
        "topics": {"gp": False},
    }
    words = lexicon(replace(PRACTICE, lexicon=given))
    assert words.facts["language"].full == ("Somebody who speaks {value}.",)
    assert words.facts["language"].short == lexicon(PRACTICE).facts["language"].short
    assert len(words.facts["language"].asks) == len(lexicon(PRACTICE).facts["language"].asks) + 1
    assert "gp" not in words.topics and "lab" in words.topics


def test_one_pattern_may_be_given_as_a_plain_text():
    def told(several):
        worded = {"parts": r"\bharbour\b", "clarify": r"\bwhy\b", "outcome": r"\bis cheaper\b"}
        cheaper = Rule(
            "cheaper_district",
            lambda lab: (lab.district == "Harbour") | (lab.district == "Old Town"),
            "the test is in the cheaper of two districts",
            joint=True,
            whichever="lab.district",
            wording=Wording("The cheaper of Harbour and Old Town.", **several(worded)),
        )
        human = several({"human": r"\bmatrons?\b", "nobody": r"\bspecialists?\b"})
        amenities = several({"amenities": "parking"})
        declaration = replace(PRACTICE, rules=(*PRACTICE.rules, cheaper), **human, **amenities)
        facts = (*FACTS, Fact("cheaper_district", True, DETAIL))
        known = briefing(declaration)(SLOTS, facts, "T-1", TODAY).lexicon
        (undecided,) = known.undecided.values()
        return known.facts["cheaper_district"], undecided.claims, known.human, known.extras

    plain = told(lambda texts: texts)
    assert plain == told(lambda texts: {name: (text,) for name, text in texts.items()})
    assert [cue.pattern for cue in plain[1]] == [r"\bis cheaper\b"]
