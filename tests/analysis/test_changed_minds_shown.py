"""A change of mind as `show` and the page of an episode tell it: what, where, what counts."""

import io

import pytest
from rich.console import Console

from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.changed_minds import changed_minds, last_word
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.analysis.viewer.screen import print_episode
from crab_graph.domains.generate import generate_benchmark
from crab_graph.runs.run import open_run
from crab_graph.runs.runner import run


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    path = tmp_path_factory.mktemp("changed")
    bench = generate_benchmark(
        path / "bench", 1, seed=5, strata=(1,), distractors=400, changes=True
    )
    run(bench, "solver", ("generic",), out=path / "run")
    (record,) = open_run(path / "run")
    return bench[0], record, Background.of_run(path / "run")


def test_the_turn_says_what_is_wanted_otherwise_and_what_was_before(played):
    task, record, _ = played
    (change,) = task.spec.changes
    (told,) = changed_minds(record)
    assert told.turn == record.metrics["last_word"]["message"]
    (first,) = (fact for fact in record.facts if fact["key"] == change.keys[0])
    assert f"{first['first_wish']['value']} before)" in told.text

    screen = io.StringIO()
    console = Console(file=screen, width=200)
    print_episode(console, record)
    lines = [line.strip() for line in screen.getvalue().splitlines()]
    at = lines.index(told.text)
    assert lines[:at].count(f"{told.turn} user") == 1
    assert f"{told.turn + 1} agent" not in lines[:at]
    assert last_word(record.metrics) in lines


def test_the_page_has_it_at_its_message_and_the_value_that_counts(played):
    task, record, background = played
    view = view_episode(record, background)
    assert view["changed_minds"] == [one._asdict() for one in changed_minds(record)]
    assert view["last_word"].endswith("the changed request counts.")
    shown = {fact["key"]: fact["value"] for fact in view["facts"]}
    after = {fact.key: fact.value for fact in task.changed.facts}
    for key in task.spec.changes[0].keys:
        assert shown[key] == str(after[key])


def test_an_episode_without_a_change_says_nothing_of_one(records):
    view = view_episode(records[0])
    assert view["changed_minds"] == [] and view["last_word"] is None
