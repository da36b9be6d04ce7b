from itertools import product

import pytest

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.domains.travel.wording import travel_briefing
from crab_graph.errors import UsageError
from crab_graph.personas.condition import DIMENSIONS, Dimension, Persona, ResolvedCondition
from crab_graph.personas.facts import Fact, FactLevel
from crab_graph.personas.prompt import compose_prompt

BRIEFING = travel_briefing(
    TRAVEL.slots,
    [
        Fact("origin", "Chicago", FactLevel.BASIC),
        Fact("budget", "1500.00", FactLevel.DETAIL),
        Fact("same_carrier", True, FactLevel.DETAIL),
    ],
    "S1-001",
    "2027-01-10",
)


def condition(persona, *dimensions):
    return ResolvedCondition("test", Persona(persona), tuple(Dimension(d) for d in dimensions))


def passages(*parts):
    return {p.factor: p.text for p in compose_prompt(condition(*parts), BRIEFING).passages}


@pytest.mark.parametrize(("persona", "dimension"), list(product(Persona, DIMENSIONS)))
def test_switching_a_dimension_on_changes_its_own_passage_alone(persona, dimension):
    without, with_it = passages(persona), passages(persona, dimension)
    changed = {key for key in without | with_it if without.get(key) != with_it.get(key)}
    assert changed == {"disclosure" if dimension is Dimension.D2 else str(dimension)}


def test_a_persona_adds_its_passage_and_two_level_disclosure():
    without, with_it = passages("none"), passages("terse")
    changed = {key for key in without | with_it if without.get(key) != with_it.get(key)}
    assert changed == {"persona", "disclosure"}


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_every_persona_has_its_own_variant_of_a_dimension(dimension):
    factor = "disclosure" if dimension is Dimension.D2 else str(dimension)
    variants = {passages(persona, dimension)[factor] for persona in Persona}
    assert len(variants) == len(Persona)


def test_the_facts_stand_in_the_prompt_by_level():
    text = compose_prompt(condition("neutral"), BRIEFING).text
    basic, details = text.split("Basic facts:")[1].split("Details:")
    assert "Chicago" in basic
    assert "$1,500.00" in details and "same airline" in details


def test_the_hash_is_that_of_the_text():
    first, again, other = (
        compose_prompt(condition(persona, "d1"), BRIEFING) for persona in ("terse", "terse", "none")
    )
    assert first.sha256 == again.sha256 != other.sha256


def test_a_directory_replaces_single_fragments(tmp_path):
    (tmp_path / "persona_terse.md").write_text("# Who you are\n\nA person of {words} words.\n")
    text = compose_prompt(condition("terse", "d2"), directory=tmp_path).text
    assert "A person of 4 words." in text
    assert "# How you share it" in text


def test_a_fragment_with_an_unknown_placeholder_is_refused(tmp_path):
    (tmp_path / "role.md").write_text("You are {who}.")
    with pytest.raises(UsageError, match=r"role\.md.*who"):
        compose_prompt(condition("none"), directory=tmp_path)
