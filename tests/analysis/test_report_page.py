"""The report's page: every number leads to its episodes, every figure can be read without eyes."""

import re
import sys
from html.parser import HTMLParser
from urllib.parse import parse_qs

import pytest

from crab_graph.analysis.report import page
from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.study import study_records
from crab_graph.analysis.viewer.listing import FILTERS, count_facets, find_rows, is_wanted, row_of


class Elements(HTMLParser):
    """Start tags with their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(scope="module")
def rendered(request):
    records = request.getfixturevalue("shared_records")
    return page.render_page(records, "a title")


def test_every_link_finds_episodes(rendered, shared_records):
    rows = [row_of(0, dict(record)) for record in shared_records]
    names = {*FILTERS, "axis.date_mode"}
    links = {a["href"] for a in Elements(rendered).all("a") if "#episodes?" in (a["href"] or "")}
    assert len(links) > 10
    for link in links:
        query = {name: one[0] for name, one in parse_qs(link.partition("?")[2]).items()}
        assert set(query) <= names, link
        assert any(is_wanted(row, "", query) for row in rows), link


def test_counts_link_to_as_many_episodes_as_they_say(shared_records):
    rows = [row_of(0, dict(record)) for record in shared_records]
    for exhibit in make_report(study_records(shared_records)).exhibits:
        if exhibit.id in ("table-2", "checks"):
            for cell in (cell for row in exhibit.rows for cell in row):
                if cell.where and isinstance(cell.value, int) and cell.text != "2":
                    found = [row for row in rows if is_wanted(row, "", cell.where)]
                    assert len(found) == cell.value, (exhibit.id, cell)


def test_every_figure_is_told_in_words_and_has_its_numbers_below(rendered):
    elements = Elements(rendered)
    figures = len(elements.all("figure"))
    assert figures >= 2
    assert len(elements.all("figcaption")) == figures
    # The first one's numbers stand in Table 2, which is open.
    folds = [one for one in elements.all("details") if one["class"] == "fold numbers"]
    assert len(folds) == figures - 1
    drawn = [svg for svg in elements.all("svg")]
    assert len(drawn) == 2 * figures
    assert all(svg["aria-hidden"] == "true" for svg in drawn)


def test_headings_and_regions_have_names(rendered):
    elements = Elements(rendered)
    ids = [attributes["id"] for _, attributes in elements.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    for section in elements.all("section"):
        assert section["aria-labelledby"] in ids
    assert len(elements.all("h1")) == 1
    assert all(th.get("scope") in ("col", "row") for th in elements.all("th"))
    anchors = [a["href"][1:] for a in elements.all("a") if re.fullmatch("#[a-z0-9-]+", a["href"])]
    assert set(anchors) <= set(ids)


def test_the_summary_stands_before_all_figures(rendered):
    assert rendered.index('class="findings"') < rendered.index("<nav") < rendered.index("<main")
    assert rendered.index("solver (reference) with generic passes most") < rendered.index("<main")


def test_figures_need_nothing_that_is_not_installed(shared_records, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert "<svg" in page.render_page(shared_records, "t")


def test_the_first_screen_says_what_was_run_and_at_most_three_things(rendered):
    head = rendered[: rendered.index("<main")]
    assert "2 agents × 2 users, 2 tasks, 8 episodes." in head
    assert head.count("<svg") == 2
    assert 1 <= head.count("<li>") - head.count('<li><a href="#') <= 3


def test_rows_can_be_filtered_by_each_axis(shared_records):
    rows = [row_of(0, dict(record)) for record in shared_records]
    assert count_facets(rows)["axis.date_mode"] == {"fixed": 4, "flexible": 4}
    found = [row["task"] for row in rows if is_wanted(row, "", {"axis.date_mode": "flexible"})]
    assert found == ["S2-001"] * 4
    others, facets = find_rows(((row, "") for row in rows), {"axis.date_mode": "flexible"})
    assert [row["task"] for row in others] == found
    # A filter's own values are counted without it, all others within it.
    assert facets["axis.date_mode"] == {"fixed": 4, "flexible": 4}
    assert (facets["stratum"], facets["outcome"]) == ({"1": 0, "2": 4}, {"fail": 2, "pass": 2})
    assert not any(is_wanted(row, "", {"axis.insurance": "basic"}) for row in rows)
