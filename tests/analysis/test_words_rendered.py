"""A report calls everything by the words of the vocabulary, in whatever form it is read."""

import html
import re
from io import StringIO

import pytest
from rich.console import Console
from rich.table import Table

from crab_graph import terms
from crab_graph.analysis.report.assembly import make_report
from crab_graph.analysis.report.page import render_page
from crab_graph.analysis.report.rendering import as_markdown, print_report
from crab_graph.analysis.report.study import study_records
from tests.analysis.conftest import make_failed, make_record

USERS = ("generic", "d2", "ruse")
NAMED = (terms.LABELS, terms.OUTCOMES, terms.EFFORT, terms.COVERAGE, terms.FOUND, terms.FATES)
PERSONAS = ("terse", "impatient")
DATA = re.compile(
    r"|solver.*|hasty.*|generic.*|d2.*|ruse.*|S\d|k = \d|fixed.*|flexible.*|\d+|false|true",
    re.DOTALL,
)
"""Heads that name no thing of ours: arms, strata, numbers of trials, values of axes."""


def known():
    """Return a pattern of every word of the vocabulary; what stands in braces is filled in."""
    tables = (*NAMED, terms.PARTS, terms.TITLES, terms.HEADINGS, terms.VERDICTS)
    words = [word for table in tables for word in table.values()]
    patterns = (re.sub(r"\\\{\w+\\\}", ".*", re.escape(word)) for word in words)
    return re.compile("|".join(patterns), re.IGNORECASE)


@pytest.fixture(scope="module")
def records():
    return [
        make(
            f"S{1 + number % 2}-00{number}",
            condition=user,
            trial=trial,
            agent=agent,
            persona=PERSONAS[trial],
        )
        for agent, make in (("solver", make_record), ("hasty", make_failed))
        for user in USERS
        for number in (1, 2)
        for trial in (0, 1)
    ]


class Collecting(Console):
    """A console that keeps the heads of the tables it prints."""

    def __init__(self):
        super().__init__(file=StringIO(), width=100)
        self.heads = []

    def print(self, *shown, **settings):
        for one in shown:
            if isinstance(one, Table):
                self.heads += [str(column.header) for column in one.columns]


def of_terminal(records):
    console = Collecting()
    print_report(console, make_report(study_records(records)))
    return console.heads


def of_markdown(records):
    text = as_markdown(make_report(study_records(records)))
    heads = re.findall(r"^\| (.*) \|\n\| [-:| ]+ \|$", text, re.MULTILINE)
    titles = re.findall(r"^## (.*?)(?: \(.* of the paper\))?$", text, re.MULTILINE)
    return [*titles, *(one.replace("\\", "") for head in heads for one in head.split(" | "))]


def of_page(records):
    text = render_page(records, "a run")
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', text)
    titles = re.findall(r"<h[23] [^>]*>(.*?)(?: <small>.*)?</h[23]>", text)
    labels = re.findall(r'data-label="([^"]*)"', text)
    return [html.unescape(one.replace("<br>", " ")) for one in (*heads, *titles, *labels)]


def of_notebook(records):
    text = make_report(study_records(records))._repr_html_()
    return [html.unescape(one) for one in re.findall(r"<th [^>]*>(.*?)</th>", text, re.DOTALL)]


def of_figures(records):
    charts = [one.chart for one in make_report(study_records(records)).exhibits if one.chart]
    return [title for one in charts for title in (one.x_title, one.y_title)]


@pytest.mark.parametrize("form", [of_terminal, of_markdown, of_page, of_notebook, of_figures])
def test_every_head_and_title_is_a_word_of_the_vocabulary(records, form):
    found = form(records)
    words = known()
    assert len(found) > 6
    assert {one for one in found if not (words.fullmatch(one) or DATA.fullmatch(one))} == set()


def test_every_name_in_json_has_its_word(records):
    names = {name for table in NAMED for name in table}
    columns = [
        column
        for one in make_report(study_records(records)).exhibits
        for column in one.columns
        if column.key != column.title and not DATA.fullmatch(column.key)
    ]
    words = known()
    assert columns
    assert {
        one.key for one in columns if one.key not in names and not words.fullmatch(one.title)
    } == set()
