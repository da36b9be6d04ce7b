"""Bad words are refused with one line that names the part; weak ones are told."""

from dataclasses import replace

import pytest

from crab_graph.domain.contract import find_domain
from crab_graph.domain.declaration import Want, Wording
from crab_graph.domain.word_checks import word_problems, word_weaknesses
from tests.domain.practice import COURSE, PRACTICE, SLOTS, TEST, WANTS


def worded(key, **words):
    wants = [replace(one, wording=Wording(**words)) if one.key == key else one for one in WANTS]
    return replace(PRACTICE, wants=wants)


PROBLEMS = [
    (worded("panel", ask="(which"), "'panel', wording.ask: '(which' is no regular expression"),
    (replace(PRACTICE, amenities=("[",)), "amenities: '[' is no regular expression"),
    (
        replace(PRACTICE, lexicon={"facts": {"panel": {"form": "colour"}}}),
        "lexicon of domain 'practice': facts.panel.form",
    ),
    (replace(PRACTICE, vocabulary={"colours": ()}), "vocabulary: "),
    (
        replace(PRACTICE, claims=({"key": "panel", "pattern": "{colour}"},)),
        "claims: a pattern names 'colour'",
    ),
    (
        worded("panel", say="A {colour} panel: {value}."),
        "fact 'panel', wording.say: 'A {colour} panel: {value}.' names {colour}; known: {phrase}",
    ),
    (
        worded("panel", say="The usual panel."),
        "fact 'panel', wording.say: 'The usual panel.' does not tell the value; add {value}",
    ),
    (
        replace(PRACTICE, opening_short="GP {first_visit}, {panel}, {specialty}, {within_days}."),
        "opening: 'GP {first_visit}, {panel}, {specialty}, {within_days}.' leaves out {sessions}",
    ),
    (worded("sessions", unit=("1", "many")), "want 'sessions', wording.unit: the plural must hold"),
    (
        worded("language", none="Any language is fine."),
        "fact 'language', wording.none: 'Any language is fine.' can pass for an approval",
    ),
    (
        worded("panel", ask=r"\bdistricts?\b"),
        "'panel' and 'district' are asked for by the same words",
    ),
    (replace(PRACTICE, nobody=()), "'specialist' means a human agent to users; add"),
    (
        replace(PRACTICE, slots=[*SLOTS[:3], replace(SLOTS[3], words=("physio", "lab"))]),
        "slots 'lab' and 'physio': both are called 'lab'",
    ),
    (
        replace(PRACTICE, wants=[*WANTS, Want("cost", (5000,), ("physio.price",))]),
        "want 'cost', on: prices and clock times cannot be said",
    ),
]


@pytest.mark.parametrize(("declaration", "line"), PROBLEMS, ids=[row[1][:40] for row in PROBLEMS])
def test_a_problem_is_one_line_that_names_the_part(declaration, line):
    problems = word_problems(declaration)
    assert [one for one in problems if one.startswith(line)], problems
    assert not any("\n" in one for one in problems)


def test_sound_words_have_no_problem():
    assert word_problems(PRACTICE) == []


def test_what_is_weak_is_told():
    assert any("'short_wait': is told" in one for one in word_weaknesses(PRACTICE))
    unheard = word_weaknesses(worded("district", ask=r"\bneighbourhoods?\b"))
    assert any("'district': 'Which district" in one for one in unheard)
    untold = word_weaknesses(worded("lab_time_of_day", say="Please {phrase}."))
    assert any("'Please in the morning.' is not recognised" in one for one in untold)


def test_a_rule_of_days_says_that_it_is_of_days():
    def weak_of(sentence):
        rules = [
            replace(one, sentence=sentence) if one.name == "test_after_gp" else one
            for one in PRACTICE.rules
        ]
        weak = word_weaknesses(replace(PRACTICE, rules=rules))
        return [one for one in weak if one.startswith("rule 'test_after_gp'")]

    (unclear,) = weak_of("the test is not before the GP")
    assert unclear.endswith("say in it that the day counts")
    assert weak_of("the test is not on a day before that of the GP") == []


def test_an_optional_rule_is_understood_by_words_that_ask_for_it():
    def weak_of(**words):
        rules = [
            replace(one, wording=Wording(**words)) if one.name == "short_wait" else one
            for one in PRACTICE.rules
        ]
        weak = word_weaknesses(replace(PRACTICE, rules=rules))
        return [one for one in weak if one.startswith("'short_wait'")]

    said = "The GP and the specialist should come soon after each other."
    (unheard,) = [one for one in weak_of(say=said) if "not recognised" in one]
    assert unheard.endswith("name its slot in it, and let wording.ask find words of it")
    assert weak_of(say=said, ask=(r"\bsoon after\b", r"matter to you that")) == []


def test_a_value_that_is_a_slot_word_is_weak():
    test = replace(TEST, fields={**TEST.fields, "district": COURSE.fields["focus"]})
    slots = [SLOTS[0], replace(SLOTS[1], offer=test), SLOTS[2]]
    physio = replace(SLOTS[3], words=("physio", "knee"))
    shared = word_weaknesses(replace(PRACTICE, slots=[*slots, physio]))
    assert "'district': 'knee' is also heard as slot 'physio'; add a cue" in shared


@pytest.mark.parametrize("name", ["travel", "clinic", "tour"])
def test_the_domains_that_ship_have_neither_problems_nor_weaknesses_of_words(name):
    declaration = find_domain(name).declaration
    assert declaration is not None
    assert word_problems(declaration) == []
    assert word_weaknesses(declaration) == []
