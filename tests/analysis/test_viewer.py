"""What the viewer reads: what tables held, a list that grows with its run, filters, searches."""

import json
import re

import pytest

from crab_graph.analysis.viewer.assets import MODULES, read_asset, viewer_script
from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.embedding import ShownRun, embed_viewer
from crab_graph.analysis.viewer.episode_view import shorten, view_episode
from crab_graph.analysis.viewer.exchanges import (
    Holdings,
    RowChange,
    follow_holdings,
    read_exchanges,
)
from crab_graph.analysis.viewer.library import Library, RunIndex
from crab_graph.domains.generate import generate_benchmark
from crab_graph.errors import RunError, UsageError
from crab_graph.runs.run import open_run
from crab_graph.runs.runner import run
from crab_graph.seals import seal_line
from tests.analysis.runs_on_disk import append_episodes, write_run
from tests.editing import write_lines


def opened(key: str, total_cents: int) -> RowChange:
    row = {"kind": "flight", "entity_id": "FL-1", "status": "pending", "total_cents": total_cents}
    return RowChange("bookings", key, "insert", row)


def paid(key: str, booking: str, cents: int, kind: str = "charge") -> RowChange:
    row = {"booking_id": booking, "kind": kind, "amount_cents": cents}
    return RowChange("transactions", key, "insert", row)


# What the tables held


def test_a_booking_is_followed_from_its_opening_to_its_refund():
    held = Holdings().after([opened("BK-1", 30000), opened("BK-2", 1250)])
    assert held.summary == "2 bookings (2 pending), $0.00 paid"
    held = held.after(
        [
            paid("TX-1", "BK-1", 30000),
            RowChange("bookings", "BK-1", "update", {"status": "confirmed"}),
        ]
    )
    assert held.summary == "2 bookings (1 pending), $300.00 paid"
    held = held.after(
        [
            paid("TX-2", "BK-1", 30000, "refund"),
            RowChange("bookings", "BK-1", "update", {"status": "cancelled"}),
        ]
    )
    assert held.summary == "1 booking (1 pending, 1 cancelled), $0.00 paid"
    assert [(one.status, one.paid_cents) for one in held.bookings] == [
        ("cancelled", 0),
        ("pending", 0),
    ]


def test_what_a_booking_takes_stands_under_it_and_stock_comes_back():
    seat = RowChange("seats", "BK-1/1", "insert", {"booking_id": "BK-1", "fare_id": "FA-1"})
    taken = RowChange("fares", "FA-1", "add", {"available": -1})
    held = Holdings().after([opened("BK-1", 100), seat, taken])
    assert held.bookings[0].items == ("fare id FA-1",)
    assert held.stock == {"fares FA-1 available": -1}
    back = RowChange("fares", "FA-1", "add", {"available": 1})
    assert held.after([back]).stock == {}


def test_what_a_changed_booking_takes_no_more_stands_under_it_no_longer():
    first, second = (
        RowChange("seats", "BK-1/1", "insert", {"booking_id": "BK-1", "fare_id": fare})
        for fare in ("FA-1", "FA-2")
    )
    gone = RowChange("seats", "BK-1/1", "remove", first.values)
    priced = RowChange("bookings", "BK-1", "update", {"total_cents": 250})
    held = Holdings().after([opened("BK-1", 100), first, priced, gone, second])
    assert held.bookings[0].items == ("fare id FA-2",)
    assert held.bookings[0].total_cents == 250
    assert held.others == ()


def test_rows_that_belong_to_no_booking_are_held_too():
    held = Holdings().after([RowChange("transfers", "HX-1", "insert", {"summary": "gave up"})])
    assert held.others == ("transfers HX-1 summary gave up",)
    assert held.summary == "nothing booked"


def test_each_turn_says_what_was_held_after_it(records):
    held = follow_holdings(read_exchanges(records[0].messages, records[0].trace))
    assert [item.summary for item in held] == [
        *["nothing booked"] * 3,
        *["1 booking (1 pending), $0.00 paid"] * 2,
    ]


def test_claims_lead_to_the_call_they_are_held_against(records):
    view = view_episode(records[2])
    # Place 4 among messages and calls is the agent's second call, the charge that was refused.
    assert view["deeds"] == [
        {
            "message": 2,
            "claim": "unit price $300.00",
            "call": None,
            "action": "booked [b]BK-20931177[/b]",
            "match": False,
        }
    ]
    first = records[2].explanation["timeline"][0]
    moved = {**records[2].explanation, "timeline": [{**first, "seq": 7}]}
    view = view_episode(records[2].model_copy(update={"explanation": moved}))
    assert view["deeds"][0]["call"] == 4


def test_numbers_that_json_does_not_have_are_shown_as_words():
    assert shorten({"price": float("inf"), "left": [float("nan")]}) == {
        "price": "inf",
        "left": ["nan"],
    }


# The index


@pytest.fixture
def directory(records, tmp_path):
    return write_run(tmp_path / "some-run", records)


def test_a_list_grows_with_its_run_and_reads_only_what_is_new(directory, records):
    index = RunIndex(directory)
    index.refresh()
    before = index.version
    assert len(index.entries()) == 4
    index.refresh()
    assert index.version == before
    append_episodes(directory, [records[0].model_copy(update={"episode_id": "S3-001.x.0"})], 1)
    index.refresh()
    assert (index.version, len(index.entries())) == (before + 1, 5)


def test_a_torn_line_waits_until_it_is_whole(directory, records):
    index = RunIndex(directory)
    record = records[0].model_copy(update={"episode_id": "S3-001.x.0"})
    line = seal_line(record.model_dump_json().encode(), 1)
    shard = directory / "shards" / "part-7.jsonl"
    shard.write_bytes(line[:1000])
    index.refresh()
    assert len(index.entries()) == 4
    with shard.open("ab") as file:
        file.write(line[1000:])
    index.refresh()
    assert len(index.entries()) == 5
    assert index.damaged == []


def test_a_damaged_line_is_named_and_hides_no_other(directory):
    shard = directory / "shards" / "part-3.jsonl"
    shard.write_bytes(b'{"episode_id": 4}\nnot json\n')
    index = RunIndex(directory)
    index.refresh()
    assert len(index.entries()) == 4
    assert [line.partition(": ")[0] for line in index.damaged] == [
        "part-3.jsonl, line 1",
        "part-3.jsonl, line 2",
    ]


def test_a_shard_that_cannot_be_opened_is_named_and_hides_no_other(directory):
    (directory / "shards" / "part-9.jsonl").mkdir()
    index = RunIndex(directory)
    for _ in range(2):
        index.refresh()
    assert len(index.entries()) == 4
    assert index.damaged == ["part-9.jsonl: cannot be read: Is a directory"]


def test_a_shard_that_was_written_anew_is_read_anew(directory, records):
    index = RunIndex(directory)
    index.refresh()
    shard = directory / "shards" / "part-0.jsonl"
    regraded = [
        record.model_copy(update={"outcome": "fail", "passed": False}) for record in records
    ]
    fresh = directory / "fresh"
    write_lines(fresh, [one.model_dump_json() for one in regraded])
    fresh.replace(shard)
    index.refresh()
    assert {entry.row["outcome"] for entry in index.entries()} == {"fail"}
    loaded = index.load("S1-001.generic.0")
    assert loaded is not None and loaded.outcome == "fail"


def test_the_latest_attempt_stands(directory, records):
    again = records[0].model_copy(update={"attempts": 2, "outcome": "infra_error"})
    append_episodes(directory, [again], 1)
    append_episodes(directory, [records[0]], 2)
    index = RunIndex(directory)
    index.refresh()
    row = next(entry.row for entry in index.entries() if entry.row["id"] == again.episode_id)
    assert row["outcome"] == "infra_error"


def test_a_directory_without_a_run_is_refused(tmp_path):
    with pytest.raises(RunError, match="no run"):
        Library([tmp_path])


# Filters, search and pages


def found(library, **given):
    return [row["id"] for row in library.page(given)["rows"]]


@pytest.fixture
def library(directory):
    shown = Library([directory])
    shown.refresh()
    return shown


def test_filters_narrow_the_list(library):
    assert found(library, outcome="!pass") == ["S1-001.ruse.0", "S2-001.ruse.0"]
    assert found(library, check="F-PT") == ["S2-001.ruse.0"]
    assert found(library, mode="missing_entity", stratum="1") == ["S1-001.ruse.0"]
    assert found(library, persona="terse", agent="hasty", user="ruse", task="S2-001") == [
        "S2-001.ruse.0"
    ]
    assert found(library, outcome="pass", check="F-PT") == []


def test_a_search_reads_ids_words_said_and_tools(library):
    assert len(found(library, q="PORTLAND hacked")) == 4
    assert len(found(library, q="book_flight bk-20931177")) == 4
    assert found(library, q="S2-001 hasty") == ["S2-001.ruse.0"]
    assert found(library, q="portland nowhere") == []


def test_a_page_says_how_many_there_are(library):
    page = library.page({"offset": "1", "limit": "2"})
    assert (page["total"], page["found"], len(page["rows"])) == (4, 4, 2)
    assert page["facets"]["outcome"] == {"fail": 2, "pass": 2}
    assert page["facets"]["check"] == {"C-PART": 2, "D02": 2, "D19": 2, "F-PT": 1}
    with pytest.raises(UsageError, match="offset"):
        library.page({"offset": "-1"})
    with pytest.raises(UsageError, match="limit"):
        library.page({"limit": "many"})


def test_an_episode_knows_its_neighbours_in_the_list_as_filtered(library):
    whole = library.episode(0, "S1-001.ruse.0", {})
    assert (whole["before"][1], whole["after"][1]) == ("S1-001.generic.0", "S2-001.generic.0")
    failed = library.episode(0, "S1-001.ruse.0", {"outcome": "fail"})
    assert (failed["before"], failed["after"][1]) == (None, "S2-001.ruse.0")
    assert [row["id"] for row in failed["others"]] == ["S1-001.generic.0"]
    assert library.episode(0, "S9-999.x.0", {}) is None
    assert library.episode(7, "S1-001.ruse.0", {}) is None


def test_a_fork_leads_to_what_it_goes_on_from(records, tmp_path):
    lineage = {"run": "a", "episode_id": "S1-001.generic.0", "turn": 3, "said": "Stop."}
    fork = records[2].model_copy(update={"forked_from": lineage})
    directory = write_run(tmp_path / "forks", [fork])
    write_lines(directory / "origin.json", [records[0].model_dump_json()])
    library = Library([directory])
    library.refresh()
    view = library.episode(0, fork.episode_id, {})
    assert view is not None
    assert view["head"]["forked_from"] == (
        "S1-001.generic.0 after message 3, with “Stop.” said next"
    )
    origin = library.episode(0, view["origin"], {})
    assert origin is not None and origin["head"]["agent"] == "solver"
    assert library.page({})["rows"][0]["turn"] == 3


# What stands behind a run


def test_the_benchmark_adds_values_of_facts_and_the_deeds_of_a_success(tmp_path):
    bench = generate_benchmark(tmp_path / "bench", 1, seed=1, strata=(1,))
    out = tmp_path / "run"
    run(bench, "solver", ("generic",), out=out)
    (episode,) = open_run(out)
    assert episode.passed
    background = Background.of_run(out)
    view = view_episode(episode, background)
    facts = {fact["key"]: fact["value"] for fact in view["facts"]}
    known = {fact.key: fact.value for fact in bench[0].facts}
    assert facts["origin"] == known["origin"]
    assert view["deeds"] and all(deed["match"] is not False for deed in view["deeds"])
    assert all(deed["call"] for deed in view["deeds"] if deed["action"].startswith("booked"))
    assert "4 bookings" in view["held"][-1]["summary"]


def test_a_run_whose_benchmark_is_gone_is_shown_without_it(directory, records):
    background = Background.of_run(directory)
    assert background.fact_values("S1-001") == {}
    assert background.deeds(records[0]) == ()


# Inside a page


def test_modules_join_to_one_script_without_imports():
    script = viewer_script()
    assert "import " not in script.replace("important", "")
    assert "export " not in script
    names = [
        line.split("(")[0].split()[-1]
        for module in (*MODULES, "embedded.js")
        for line in read_asset(module).replace("export ", "").splitlines()
        if line.startswith(("function ", "async function ", "const "))
        for line in [line.replace(" =", "(")]
    ]
    assert len(names) > 30
    assert sorted(names) == sorted(set(names))


def test_each_module_comes_after_those_it_imports():
    joined = (*MODULES, "embedded.js")
    for place, module in enumerate(joined):
        imported = re.findall(r'^import .* from "\./(.*)";$', read_asset(module), re.MULTILINE)
        assert set(imported) <= set(joined[:place]), module


def test_no_module_ever_reads_text_as_markup():
    for module in (*MODULES, "embedded.js", "serve.js"):
        text = read_asset(module)
        for sink in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
            assert sink not in text, module


def test_over_its_budget_a_page_keeps_failures_and_a_sample_and_says_what_is_missing(records):
    passed, _, failed, _ = records
    many = [
        one.model_copy(update={"episode_id": f"e{n}", "stratum": 1 + n % 2, "trial": n})
        for n, one in enumerate([passed] * 40 + [failed] * 10)
    ]
    whole = embed_viewer([ShownRun("run", many)])
    assert (len(whole.blocks), whole.left_out) == (50, "")
    size = len(whole.blocks[0]) + 100
    found = embed_viewer([ShownRun("run", many)], (30 * size + 1000) / 1e6)
    kept = set(found.blocks)
    assert set(range(40, 50)) <= kept
    strata = [1 + place % 2 for place in kept if place < 40]
    assert abs(strata.count(1) - strata.count(2)) <= 1
    assert 20 <= len(kept) <= 30
    assert f"holds {len(kept)} of 50 dialogues: all 10 that did not pass" in found.left_out
    head = json.loads(found.head)
    assert len(head["rows"]) == 50
    assert sorted({*head["absent"], *kept}) == list(range(50))
    assert not embed_viewer([ShownRun("run", many)], 0).blocks
