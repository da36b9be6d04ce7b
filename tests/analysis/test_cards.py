"""Pages say what a domain says of itself, on its card, and keep two domains apart."""

import json
import zlib
from base64 import b64decode

import pytest
from pydantic import ValidationError

from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.study import StudiedRun, make_study
from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.embedding import ShownRun, embed_viewer
from crab_graph.domain.card import AxisCard, CheckCard, DomainCard
from crab_graph.domains.travel.domain import TRAVEL
from tests.analysis.conftest import make_failed, make_record

CLINIC = DomainCard(
    name="clinic",
    job="visit",
    axes=(AxisCard(name="insurance", title="insurance", values=("basic", "private")),),
    checks=(CheckCard(id="D01", title="appointment booked", role="slot_filled"),),
)


@pytest.fixture(scope="module")
def runs():
    """A run of travel and one of a clinic; in both the check D01 fails on every second task."""
    made = []
    for card, axes in (
        (TRAVEL.card, [{"date_mode": mode, "party": 1} for mode in ("fixed", "flexible")]),
        (CLINIC, [{"insurance": plan} for plan in ("basic", "private")]),
    ):
        failed = make_failed("S2-001", axes=axes[1], checks={"D01": "fail"})
        records = (make_record("S1-001", axes=axes[0]), failed)
        made.append(StudiedRun(card.name, 2, records, card=card))
    return made


def exhibit(report, id):
    (found,) = [one for one in report.exhibits if one.id == id]
    return found


def test_a_check_has_a_row_for_each_domain_that_says_something_else_by_its_label(runs):
    shown = exhibit(make_report(make_study(runs)), "checks")
    rows = [[cell.text for cell in row] for row in shown.rows]
    assert [row[:2] for row in rows] == [
        ["D01", TRAVEL.card.titles["D01"]],
        ["D01", "appointment booked"],
    ]
    assert [row[2:].count("1") for row in rows] == [1, 1]
    assert all(row[2:].count("") == len(row[2:]) / 2 for row in rows)


def test_each_domain_is_compared_over_its_own_first_axis(runs):
    report = make_report(make_study(runs))
    travel, clinic = exhibit(report, "figure-5"), exhibit(report, "figure-5-2")
    assert travel.title == "Fixed against flexible dates (travel)"
    assert clinic.title == "Basic against private insurance (clinic)"
    assert "pass@1 by insurance" in clinic.caption
    assert [head.title for head in clinic.columns][2:] == ["basic", "private"]
    assert all(len(one.rows) == 2 for one in (travel, clinic))


def unpacked(block):
    return json.loads(zlib.decompress(b64decode(block)))


def test_the_viewer_has_the_words_of_each_runs_domain(runs):
    shown = [ShownRun(run.name, run.records, Background(None, run.card)) for run in runs]
    found = embed_viewer(shown)
    labels = json.loads(found.head)["labels"]
    titles = [one["D01"] for one in labels["checks"]]
    assert titles == [TRAVEL.card.titles["D01"], "appointment booked"]
    assert labels["axes"] == {"insurance": "insurance", "date_mode": "dates", "party": "party"}
    heads = [unpacked(block)["head"]["axes"] for block in found.blocks.values()]
    assert heads[0] == [["Dates", "fixed"], ["Party", "1"]]
    assert heads[2] == [["Insurance", "basic"]]


def test_a_task_is_told_by_its_axes():
    dates, party = TRAVEL.card.axes
    assert (dates.phrase("fixed"), party.phrase(2)) == ("fixed dates", "party of 2")
    assert (dates.comparison, party.comparison) == ("Fixed against flexible dates", "By party")


@pytest.mark.parametrize("name", ["a b", 'x"; DROP TABLE episodes; --', "", "Über"])
def test_the_name_of_an_axis_is_an_identifier(name):
    with pytest.raises(ValidationError):
        AxisCard(name=name, title="t", values=(1,))


def test_words_of_a_card_cannot_steer_a_terminal():
    with pytest.raises(ValidationError):
        CheckCard(id="D01", title="\x1b[2J")
