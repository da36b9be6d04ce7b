"""The HTML page: complete in itself, everything escaped, every label where it belongs."""

import json
import re
import zlib
from base64 import b64decode
from html.parser import HTMLParser
from typing import Any

import pytest

from crab_graph.analysis.report.page import render_page, write_page
from crab_graph.analysis.viewer.embedding import embed_json
from crab_graph.analysis.viewer.episode_view import LONGEST_LIST, shorten, view_evidence
from crab_graph.analysis.viewer.exchanges import read_exchanges
from crab_graph.errors import UsageError

NASTY = "</script><script>hacked()</script><!-- <img src=x onerror=hacked()> \u2028 \ud800 &amp;"


class Elements(HTMLParser):
    """Start tags with their attributes, and the text of script elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "script" and self.cdata_elem == "script":
            self.scripts.append(data)


@pytest.fixture
def nasty(records):
    """A run in which everything that somebody else words tries to break out."""
    messages = [
        {"role": "user", "content": NASTY},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "name": NASTY, "arguments": {NASTY: NASTY}}],
        },
        {
            "role": "tool",
            "tool_call_id": "1",
            "content": json.dumps({"error": NASTY, "message": NASTY}),
        },
        {"role": "assistant", "content": NASTY},
    ]
    changes = {
        "messages": messages,
        "agent": f"package:{NASTY}",
        "evidence": {"D01": [{"text": NASTY}]},
        "error": NASTY,
        "primary_failure": NASTY,
    }
    return [records[0].model_copy(update=changes)]


def test_nothing_that_was_said_becomes_markup(nasty, records):
    clean, attacked = (Elements(render_page(run, title="t")) for run in (records[:1], nasty))
    # A long name takes more lines of text in a figure; nothing else is there that was not.
    tags = [[tag for tag, _ in page.tags if tag != "text"] for page in (attacked, clean)]
    assert tags[0] == tags[1]
    assert not any("onerror" in attributes for _, attributes in attacked.tags)


def test_what_was_said_is_still_there_to_the_letter(nasty):
    page = Elements(render_page(nasty, title="t"))
    block = page.scripts[-1]
    view = json.loads(zlib.decompress(b64decode(block)))
    assert view["exchanges"][0]["text"] == NASTY
    assert view["exchanges"][1]["calls"][0]["error"]["message"] == NASTY


def test_embedded_json_cannot_close_its_element():
    text = embed_json({"text": NASTY})
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"text": NASTY}


def test_the_page_can_be_written_whatever_was_said(nasty, tmp_path):
    write_page(tmp_path / "report.html", nasty, title=NASTY)
    assert (tmp_path / "report.html").read_text(encoding="utf-8").endswith("</html>\n")


def test_the_page_loads_nothing(records):
    page = Elements(render_page(records, title="t"))
    links = [
        value or ""
        for _, attributes in page.tags
        for name, value in attributes.items()
        if name in ("src", "href", "action", "srcset")
    ]
    assert [link for link in links if not link.startswith(("#", "data:,"))] == []
    assert not re.search(r"https?://|@import|url\(", render_page(records, title="t"))


def test_the_page_says_which_figures_no_model_stands_behind(records):
    text = render_page(records, title="t")
    assert "rule-based simulator" in text
    assert text.count('<span class="tag">reference</span>') >= 2
    models = [
        record.model_copy(update={"agent_is_reference": False, "user_engine": "llm"})
        for record in records
    ]
    text = render_page(models, title="t")
    assert "rule-based simulator" not in text
    assert '<span class="tag">reference</span>' not in text


def test_a_page_needs_a_directory_to_stand_in(records, tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_page(tmp_path / "missing" / "report.html", records, title="t")
    with pytest.raises(UsageError, match="cannot be written"):
        write_page(tmp_path, records, title="t")


def test_long_lists_and_texts_are_cut_and_say_by_how_much():
    assert shorten({"flights": list(range(LONGEST_LIST + 3))})["flights"][-1] == "… 3 more"
    assert shorten(["x" * 2_000])[0].endswith("(500 more characters)")
    assert shorten(list(range(LONGEST_LIST))) == list(range(LONGEST_LIST))


def test_evidence_points_to_messages_and_to_the_calls_that_wrote_a_row(records):
    exchanges = read_exchanges(records[0].messages, records[0].trace)
    evidence: list[dict[str, Any]] = [
        {"text": "booked at $300.00, not $310.00", "rows": ["bookings/BK-20931177"]},
        {"text": "BK-20931177 unpaid", "rows": ["bookings/BK-20931177"], "message": 4},
    ]
    assert view_evidence(evidence, exchanges) == [
        [
            {"text": "booked at "},
            {"text": "$300.00", "anchor": "turn-2"},
            {"text": ", not $310.00"},
            {"text": " · "},
            {"text": "BK-20931177", "anchor": "call-4"},
        ],
        [
            {"text": "BK-20931177", "anchor": "call-4"},
            {"text": " unpaid"},
            {"text": " · "},
            {"text": "message 4", "anchor": "turn-4"},
        ],
    ]
