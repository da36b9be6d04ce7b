"""A verifier is one thing in one place: a rule with a role, a citation and a verdict."""

import inspect
import re
from functools import partial

import pytest

from crab_graph.analysis.labels import check_titles
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.eval import verifiers
from crab_graph.eval.reading import read_task
from crab_graph.eval.verifiers import shared_verifiers, verifiers_of
from tests.eval.builders import Plan, graded, small_task

ADDED = """
from crab_graph.domain.verification import Role
from crab_graph.eval.checks import judge, seen
from crab_graph.eval.verifier import Duty, undisclosed, verifier


def _unthanked(episode):
    if not any("thank" in message.text.lower() for message in episode.dialogue.agent):
        yield undisclosed("thanks")


@verifier(
    "F-HI", Role.PLAN_APPROVED, "greets",
    duty=Duty(_unthanked, lambda episode: True), coverage=lambda episode: (1, 1),
)
def greets(episode):
    \"\"\"F-HI: the agent says hello (none of the rulebook's).\"\"\"
    said = any("hello" in message.text.lower() for message in episode.dialogue.agent)
    return judge([] if said else [seen("it did not greet")])
"""


def test_every_verifier_has_an_id_of_its_own_and_cites_its_rule():
    found = verifiers_of(read_task(small_task()))
    ids = [one.id for one in found]
    assert len(ids) == len(set(ids)) == 42
    for one in found:
        judge = one.judge.func if isinstance(one.judge, partial) else one.judge
        cited = (inspect.getdoc(judge) or "").partition(":")[0]
        ranges = re.findall(r"(\S+) to (\S+?)(?:,|$)", cited)
        is_cited = f"`{one.role}`" in cited or one.id in cited
        is_cited |= any(first <= one.id <= last for first, last in ranges)
        assert is_cited and "§" in (judge.__doc__ or ""), one.id
        assert check_titles(TRAVEL.card)[one.id]


@pytest.fixture
def added(tmp_path, monkeypatch):
    (tmp_path / "greeting.py").write_text(ADDED)
    monkeypatch.setattr(verifiers, "__path__", [*verifiers.__path__, str(tmp_path)])
    shared_verifiers.cache_clear()
    yield
    monkeypatch.undo()
    shared_verifiers.cache_clear()


def test_a_verifier_is_added_by_one_file(added):
    verdict = graded(Plan())
    assert verdict.checks["F-HI"] == "fail" and not verdict.passed
    assert verdict.failures == ["plan_deviation"]
    assert verdict.evidence["F-HI"] == [{"text": "it did not greet"}]
    assert [one["text"] for one in graded(Plan()).evidence["F-HI"]] == ["it did not greet"]
    assert verdict.metrics["coverage"]["F-HI"] == {"covered": 1, "opportunities": 1}
    assert check_titles(TRAVEL.card)["F-HI"] == "greets"
    polite = graded(Plan(closing="Hello! All is confirmed, $1,010.00 in total."))
    assert polite.passed and polite.strict["checks"]["F-HI"] == "fail"


def test_what_was_added_is_gone_again():
    assert "F-HI" not in graded(Plan()).checks
