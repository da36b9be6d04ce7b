from collections import Counter

import pytest

from crab_graph.errors import UnknownName, UsageError
from crab_graph.personas.behavior import behavior_of
from crab_graph.personas.condition import (
    ABLATION,
    DIMENSIONS,
    PERSONAS,
    Condition,
    Dimension,
    Persona,
    parse_condition,
    resolve,
)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("generic", Condition(Persona.NONE)),
        ("persona", Condition(None)),
        ("ruse", Condition(None, DIMENSIONS)),
        ("d2", Condition(Persona.NONE, (Dimension.D2,))),
        ("terse+d4+d2", Condition(Persona.TERSE, (Dimension.D2, Dimension.D4))),
        ("Impatient", Condition(Persona.IMPATIENT)),
        ("d1+d2+d3+d4", Condition(Persona.NONE, DIMENSIONS)),
        ("persona+d1", Condition(None, (Dimension.D1,))),
    ],
)
def test_conditions_are_read(text, condition):
    assert parse_condition(text) == condition


@pytest.mark.parametrize("name", [*ABLATION, "terse+d2+d4", "persona+d1", "d1+d2+d3+d4"])
def test_the_name_of_a_condition_reads_back(name):
    assert str(parse_condition(name)) == name


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("d9", UnknownName),
        ("ters", UnknownName),
        ("", UnknownName),
        ("terse+neutral", UsageError),
        ("d1+d1", UsageError),
        ("ruse+d1", UsageError),
        ("generic+terse", UsageError),
        ("terse+nobody", UnknownName),
    ],
)
def test_other_texts_are_refused_in_one_line(text, error):
    with pytest.raises(error) as caught:
        parse_condition(text)
    assert "\n" not in str(caught.value)


def test_ruse_and_persona_meet_the_same_person():
    for trial in range(20):
        drawn = [resolve(parse_condition(c), 7, "S1-001", trial) for c in ("persona", "ruse")]
        assert drawn[0].persona is drawn[1].persona


def test_personas_are_drawn_uniformly():
    ruse = parse_condition("ruse")
    drawn = Counter(resolve(ruse, 0, f"S1-{n:03d}", 0).persona for n in range(600))
    assert set(drawn) == set(PERSONAS)
    assert min(drawn.values()) > 160


def test_a_fixed_persona_is_not_drawn():
    fixed = parse_condition("ruse").with_persona("terse")
    assert resolve(fixed, 0, "S1-001", 0).persona is Persona.TERSE
    with pytest.raises(UnknownName):
        fixed.with_persona("cheerful")


def test_two_levels_come_with_a_persona_or_with_d2():
    levels = {
        name: behavior_of(resolve(parse_condition(name), 0, "S1-001", 0)).two_levels
        for name in ABLATION
    }
    assert levels == {
        "generic": False,
        "persona": True,
        "d1": False,
        "d2": True,
        "d3": False,
        "d4": False,
        "ruse": True,
    }


def test_a_dimension_changes_its_own_component_alone():
    def behaviour(name):
        return behavior_of(resolve(parse_condition(name), 0, "S1-001", 0))

    components = {
        "d1": "words short polite questions voice indirect spreads lower small_talk drifts jargon",
        "d2": "two_levels facts_per_answer",
        "d3": "doubts slips uncertain asks_back which_first manner changes_mind",
        "d4": "overlooks names_errors shortens refusals temper patience insists most_questions "
        "pays_in_parts tries_other_card",
    }
    for name, changed in components.items():
        one, generic = behaviour(name), behaviour("generic")
        for component in components.values():
            same = all(getattr(one, part) == getattr(generic, part) for part in component.split())
            assert same == (component != changed)
