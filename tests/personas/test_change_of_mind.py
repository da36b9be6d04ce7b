"""A change of mind (D6): the first wish is said, taken back in so many words, and never booked."""

from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from crab_graph.agents.reference import reference_agent
from crab_graph.domains.generate import generate_benchmark
from crab_graph.eval.verdict import grade
from crab_graph.personas.briefing import Fact, first_wish, with_first_wish
from crab_graph.personas.condition import Persona, ResolvedCondition
from crab_graph.personas.fragment_set import built_in_fragments
from crab_graph.personas.prompt import compose_prompt, compose_wording_prompt, condition_behavior
from crab_graph.personas.recognition import told_after
from crab_graph.personas.wording import word_fact
from tests.personas.dialogue import agent_view, briefing_of, talk

D6 = ResolvedCondition("d6", Persona.NONE, ("d6",))
BEHAVIOR = condition_behavior(D6, built_in_fragments())


def wishes(briefing) -> tuple[Fact, Fact]:
    first = first_wish(briefing, BEHAVIOR)
    assert first is not None
    final = briefing.fact(first.key)
    assert final is not None
    return first, final


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    return generate_benchmark(tmp_path_factory.mktemp("change"), 4, seed=9, distractors=300)


@pytest.mark.slow
@pytest.mark.parametrize(("condition", "seed"), [("d6", 0), ("terse+d6", 1), ("ruse+d6", 2)])
def test_the_solver_follows_a_change_of_mind_and_passes(benchmark, condition, seed):
    for task in benchmark if condition == "d6" else benchmark[:2]:
        wish, _ = wishes(briefing_of(task))
        dialogue = talk(task, reference_agent("solver", task.domain), condition, seed)
        verdict = grade(task, dialogue.transcript)
        assert verdict.passed, dialogue.text()
        rows = [row for row in dialogue.user_state["disclosed"] if row["key"] == wish.key]
        first, last = rows
        assert first["value"] == wish.value and first["turn"] < last["turn"]
        assert last == {**last, "key": wish.key, "reason": "changed", "how": "exact"}
        said = dialogue.visible[last["turn"] - 1]["content"].casefold()
        assert "changed my mind" in said or "on second thought" in said
        assert not any("go ahead" in m["content"] for m in dialogue.visible[: last["turn"]])


def test_the_change_is_the_task_s_and_of_one_detail_with_alternatives(benchmark):
    for task in benchmark:
        briefing = briefing_of(task)
        wish, final = wishes(briefing)
        assert wish == first_wish(briefing, BEHAVIOR) and wish == replace(final, value=wish.value)
        assert wish.value != final.value
        assert wish.value in briefing.lexicon.facts[wish.key].others
        assert first_wish(briefing, condition_behavior(D6, built_in_fragments())) == wish
        plain = condition_behavior(ResolvedCondition("generic", Persona.NONE), built_in_fragments())
        assert first_wish(briefing, plain) is None


def test_a_model_is_told_both_wishes_but_not_where_it_only_words_a_draft(benchmark):
    briefing = briefing_of(benchmark[0])
    wish, final = wishes(briefing)
    passage = compose_prompt(D6, briefing).passages[-1]
    for fact in (wish, final):
        assert word_fact(fact, briefing.lexicon, None, short=False) in passage.text
    assert "d6" not in {one.factor for one in compose_wording_prompt(D6).passages}


def test_both_wishes_are_read_from_the_words_of_a_model(benchmark):
    briefing = briefing_of(benchmark[0])
    wish, fact = wishes(briefing)
    assert with_first_wish(briefing, wish).fact(wish.key) == wish
    early, final = (word_fact(one, briefing.lexicon, None, short=False) for one in (wish, fact))
    told = told_after([], early, "Anything else?", 2, briefing, wish)
    told = told_after(told, f"I changed my mind. {final}", "Noted.", 4, briefing, wish)
    found = [(row["turn"], row.get("value"), row["reason"] == "changed") for row in told]
    assert found == [(2, wish.value, False), (4, None, True)]


def test_the_solver_says_so_where_its_plan_still_fits(benchmark):
    dialogue = talk(benchmark[0], reference_agent("solver", benchmark[0].domain), "generic")
    view = agent_view(dialogue)
    plan = next(
        at
        for at, message in enumerate(view)
        if isinstance(message, AIMessage) and "Shall I book all four?" in str(message.content)
    )
    changed = HumanMessage("I changed my mind. I'll pay with my Visa ending in 0007.")
    answer = reference_agent("solver", benchmark[0].domain)([*view[: plan + 1], changed], [])
    assert str(answer).startswith("Noted.") and str(view[plan].content) in str(answer)
