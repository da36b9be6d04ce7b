from itertools import product

import pytest

from crab_graph.errors import UsageError
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.condition import (
    DIMENSIONS,
    Dimension,
    Persona,
    ResolvedCondition,
    parse_condition,
    resolve,
)
from crab_graph.personas.fragment_set import load_fragments
from crab_graph.personas.prompt import (
    changed_factors,
    compose_prompt,
    condition_behavior,
    diff_prompts,
)
from tests.travel_words import TRAVEL

BRIEFING = TRAVEL.briefing(
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
    text = compose_prompt(condition("terse", "d2"), fragments=load_fragments(tmp_path)).text
    assert "A person of 4 words." in text
    assert "# How you share it" in text


def test_a_file_adds_a_persona_that_is_like_another_where_it_says_nothing(tmp_path):
    (tmp_path / "persona_anxious.md").write_text("like: terse\nYou worry. {words} words.\n")
    (tmp_path / "d4_anxious.md").write_text("You fear every mistake.\n")
    fragments = load_fragments(tmp_path)
    parsed = parse_condition("anxious+d2+d4", fragments.added)
    resolved = resolve(parsed, 0, "S1-001", 0)
    assert (str(parsed), resolved.persona_name) == ("anxious+d2+d4", "anxious")
    found = {p.factor: p.text for p in compose_prompt(resolved, fragments=fragments).passages}
    assert found["persona"] == "You worry. 4 words."
    assert found["d4"] == "You fear every mistake."
    assert found["disclosure"] == passages("terse", "d2")["disclosure"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("role", "You are {who}.", r"role\.md: unknown placeholder '\{who\}'"),
        ("role", "You are {.", r"role\.md: .*write a brace twice"),
        ("persona_anxious", "You worry.", r"d1_anxious\.md: missing"),
        ("persona_anxious", "like: nobody\nYou worry.", r"must name one of terse, neutral"),
        ("persona_ruse", "Sly.", "'ruse' is taken"),
        ("d2_anxious", "Say little.", "there is no persona 'anxious'"),
        ("d9_terse", "Say little.", r"no dimension 'd9'; known: d1, .*d9_default\.md would add it"),
        ("d9_default", "like: terse\nSay little.", "'like' stands in a persona's own file"),
        ("d9_default", "wordz: 4\nSay little.", "unknown field 'wordz'; known: like, words, short"),
        ("d9_default", "words: few\nSay little.", "'words: few' must be a number from 1"),
        ("d9_default", "short: 2\nSay little.", "'short: 2' must be a share from 0 to 1"),
        ("d9_default", "voice: loud\nSo.", "'voice: loud' must be plain, casual, clipped"),
        ("d9_default", "words: 3\nwords: 4\nSo.", "field 'words' stands twice"),
        ("d9_default", "Mind {shoe_size}.", r"d9_default\.md: unknown placeholder '\{shoe_size\}'"),
        ("typo", "Say little.", "no fragment has that name"),
    ],
)
def test_a_bad_fragment_is_refused_in_one_line_that_names_the_file(tmp_path, name, text, message):
    (tmp_path / f"{name}.md").write_text(text)
    with pytest.raises(UsageError, match=message):
        load_fragments(tmp_path, BRIEFING.lexicon.facts)


def test_a_file_adds_a_dimension_with_a_variant_for_one_persona(tmp_path):
    (tmp_path / "d5_default.md").write_text("# Where you drift\n\nYou stray from {budget}.\n")
    (tmp_path / "d5_terse.md").write_text("You stray in a word.\n")
    fragments = load_fragments(tmp_path, BRIEFING.lexicon.facts)
    for name, said in (("terse+d5", "stray in a word."), ("neutral+d5", "stray from $1,500.00.")):
        settled = resolve(parse_condition(name, fragments.added), 0, "S1-001", 0)
        with_it = compose_prompt(settled, BRIEFING, fragments=fragments)
        without = compose_prompt(condition(settled.persona), BRIEFING)
        assert changed_factors(without, with_it) == ["d5"]
        assert with_it.passages[-1].text.endswith(said)
        assert (str(settled), settled.dimensions) == (name, ("d5",))


def test_an_added_dimension_can_be_mixed_with_every_other_condition(tmp_path):
    (tmp_path / "d5_default.md").write_text("You drift.\n")
    added = load_fragments(tmp_path).added
    names = ("d5", "persona+d5", "ruse+d5", "d1+d4+d5")
    assert [str(parse_condition(name, added)) for name in names] == list(names)


def test_fields_of_an_added_fragment_set_rates(tmp_path):
    (tmp_path / "persona_anxious.md").write_text("like: terse\nwords: 7\npatience: 9\nYou worry.\n")
    (tmp_path / "d5_default.md").write_text("facts_per_answer: 2\nwords: 30\nYou ramble.\n")
    fragments = load_fragments(tmp_path)

    def behavior(name):
        settled = resolve(parse_condition(name, fragments.added), 0, "S1-001", 0)
        return condition_behavior(settled, fragments)

    anxious = behavior("anxious")
    assert (anxious.words, anxious.patience, anxious.short) == (7, 9, 0.55)
    assert behavior("anxious+d5").words == 30
    drifting = behavior("d5")
    assert (drifting.two_levels, drifting.facts_per_answer) == (True, 2)
    assert fragments.texts["d5_default"] == "You ramble.\n"


def test_other_fields_are_another_set_of_fragments(tmp_path):
    hashes = set()
    for words in (5, 6):
        (tmp_path / "d5_default.md").write_text(f"words: {words}\nYou drift.\n")
        hashes.add(load_fragments(tmp_path).sha256)
    assert len(hashes) == 2


def test_a_directory_without_fragments_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no directory with fragments"):
        load_fragments(tmp_path / "nowhere")


def test_every_factor_of_the_ablation_can_be_seen_as_a_diff():
    first, second = (compose_prompt(condition(*parts)) for parts in (("terse",), ("terse", "d1")))
    assert changed_factors(first, second) == ["d1"]
    text = diff_prompts(first, second, ("terse", "terse+d1"))
    removed = [line for line in text.splitlines()[2:] if line.startswith("-")]
    assert text.startswith("--- terse\n+++ terse+d1") and not removed
    assert diff_prompts(first, first, ("a", "b")) == ""
