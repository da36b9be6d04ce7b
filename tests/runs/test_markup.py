"""What a notebook shows: every text escaped, whoever said it."""

from html.parser import HTMLParser

import pytest

import crab_graph as cg
from crab_graph import markup

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table></details><iframe src='https://evil.example'></iframe>",
    "javascript:alert(1) <a href='javascript:alert(1)'>pay</a>",
    "&lt;script&gt; \x1b[31m \u202egnp.exe \x00 \ud800 \u2028 $300.00 and $400.00 \\(x^2\\)",
    "<style>*{display:none}</style><!-- ",
)
TAGS = {"div", "p", "b", "table", "caption", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"details", "summary"}


class Seen(HTMLParser):
    """What a browser would make of it: tags, attributes and texts."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.said, self.comments = set(), set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= set(attrs)

    def handle_data(self, data):
        self.said.append(data)

    def handle_comment(self, data):
        self.comments.append(data)


def read(shown):
    seen = Seen()
    shown.encode()  # no lone surrogate
    seen.feed(shown)
    seen.close()
    return seen


def check_harmless(shown):
    seen = read(shown)
    assert seen.tags <= TAGS and not seen.comments
    assert {name for name, _ in seen.attributes} <= {"class", "style"}
    assert not {value for _, value in seen.attributes if "(" in value or "url" in value}
    assert shown.startswith('<div class="tex2jax_ignore mathjax_ignore">')
    told = "".join(seen.said)
    assert not set("\x1b\u202e\x00\u2028") & set(told)
    return told


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_text_wherever_it_stands(text):
    shown = markup.shown(
        text,
        markup.paragraph(text),
        markup.table((text, "n"), [(text, text)], numbers=["n"], title=text),
        markup.folded(text, markup.paragraph(text)),
    )
    told = check_harmless(shown)
    assert told.count(markup.cut(text, 6)[:5]) >= 7 or "\x1b" in text


@pytest.fixture(scope="module")
def said(bench, tmp_path_factory):
    """A run whose agent and user are hostile in word and deed."""

    def agent(messages, tools):
        return HOSTILE[len(messages) % len(HOSTILE)]

    def user(messages, tools):
        turn = len(messages)
        return HOSTILE[turn % len(HOSTILE)] + ("###STOP###" if turn > 16 else "")

    out = tmp_path_factory.mktemp("markup") / "<b>run</b>"
    return cg.run(bench, agent, [user, "generic"], out=out, tasks=["S1"], name="<i>agent</i>")


def test_an_episode_shows_outcome_checks_and_dialogue(said):
    for episode in said:
        told = check_harmless(episode._repr_html_())
        assert f"{episode.episode_id} by <i>agent</i>: {episode.outcome}" in told
        assert "D01" in told and "The dialogue" in told and "<script>alert(1)</script>" in told


def test_a_run_a_benchmark_and_a_task_show_what_they_are(said, bench):
    told = check_harmless(said._repr_html_())
    assert "<b>run</b>" in told and "2 of 2 episodes by <i>agent</i>" in told and "custom" in told
    told = check_harmless(bench._repr_html_())
    assert all(task.id in told for task in bench) and "4 travel tasks" in told
    told = check_harmless(bench[0]._repr_html_())
    assert "upfront" in told and "when asked" in told
    (solution,) = bench[0].solutions
    ids = {value for part in solution.values() for name, value in part.items() if "_id" in name}
    assert ids and not any(one in told for one in ids)


def test_reports_comparisons_and_ablations_show_themselves(said, bench, tmp_path):
    other = cg.run(bench, "silent", "generic", out=tmp_path / "other", tasks=["S1"])
    told = check_harmless(cg.report(said, other)._repr_html_())
    assert "<i>agent</i>" in told
    told = check_harmless(cg.compare(said, other)._repr_html_())
    assert "○" in told and "<i>agent</i>" in told
    found = cg.ablate(bench, "silent", "generic,d1", out=tmp_path / "ablation", tasks="S1")
    assert "pass@1 against generic" in check_harmless(found._repr_html_())
