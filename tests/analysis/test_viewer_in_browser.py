"""The served viewer in a real browser: open, filter, jump, compare, live, keyboard, and attacks."""

import json
import re
from urllib.parse import urlsplit

import pytest

import crab_graph as cg
from crab_graph.analysis.viewer.assets import viewer_script, viewer_style
from crab_graph.analysis.viewer.embedding import ShownRun, embed_viewer
from crab_graph.analysis.viewer.library import Library
from crab_graph.analysis.viewer.web import serving
from tests.analysis.conftest import make_failed, make_record
from tests.analysis.in_browser import needs_chromium, watched_page
from tests.analysis.runs_on_disk import append_episodes, write_run

pytest.importorskip("uvicorn")
pytestmark = [pytest.mark.slow, needs_chromium]

NASTY = (
    "</script><script>hacked()</script><img src=x onerror=hacked()><svg onload=hacked()>"
    "<a href='javascript:hacked()'>x</a> \u202eevil\u202c \u2028 &amp; 'quoted\" {{7*7}}"
)
TYPE_AND_OPEN = """text => {
  const search = document.querySelector("input[name=q]");
  search.value = text;
  search.dispatchEvent(new Event("input", { bubbles: true }));
  document.querySelector("#list tbody a").click();
}"""
PAIR = "#compare/0/S1-001.generic.0/0/S1-001.ruse.0"


def foreign(complaints, url):
    """Complaints, and requests that left for another origin."""
    origin = urlsplit(url)[:2]
    return [one for one in complaints if urlsplit(one)[:2] != origin]


@pytest.fixture
def directory(records, tmp_path):
    tasks = ("S1-001", "S2-001", "S3-001")
    return write_run(tmp_path / "evening", records, tasks=tasks)


@pytest.fixture
def page(browser, directory):
    """The viewer of one run, listing its episodes."""
    complaints: list[str] = []
    with serving(Library([directory])) as url:
        opened = watched_page(browser, complaints)
        opened.goto(url)
        wait_for_count(opened, "4 of 4")
        yield opened
        opened.close()
    assert foreign(complaints, url) == []


def outcomes(page):
    return page.locator("#list tbody tr").evaluate_all("rows => rows.map(r => r.dataset.outcome)")


def wait_for_count(page, text):
    # A function to wait for would be a text to evaluate, which the viewer's policy forbids.
    wait_for_text(page, "#count", text)


def wait_for_text(page, selector, text):
    page.locator(selector, has_text=re.compile(f"^{re.escape(text)}")).wait_for()


def test_the_list_opens_with_what_the_run_is(page):
    assert page.title() == "evening"
    assert "4 of 6 episodes finished" in page.locator("#runs").inner_text()
    assert "rule-based user" in page.locator("#runs").inner_text()
    assert outcomes(page) == ["pass", "fail", "pass", "fail"]


def test_filters_narrow_the_list_and_stand_in_the_address(page):
    page.get_by_label("Outcome").select_option("!pass")
    wait_for_count(page, "2 of 4")
    page.get_by_label("Failed check").select_option("F-PT")
    wait_for_count(page, "1 of 4")
    assert page.url.endswith("#episodes?outcome=%21pass&check=F-PT")
    page.reload()
    wait_for_count(page, "1 of 4")
    page.get_by_role("button", name="Clear").click()
    wait_for_count(page, "4 of 4")


def test_the_axes_of_the_domain_are_filters(page):
    options = page.locator("select[name='axis.party'] option")
    assert options.all_inner_texts() == ["any", "1 (4)"]
    page.get_by_label("Dates").select_option("fixed")
    wait_for_count(page, "4 of 4")
    assert page.url.endswith("#episodes?axis.date_mode=fixed")
    page.goto(page.url.replace("fixed", "flexible"))
    page.reload()
    wait_for_count(page, "0 of 4")


def test_a_search_finds_what_was_said(page):
    page.get_by_label("Search").fill("S2-001 hacked")
    wait_for_count(page, "2 of 4")
    page.get_by_label("Search").fill("nobody said this")
    wait_for_count(page, "0 of 4")
    assert page.get_by_text("No episode fits these filters.").is_visible()


def test_an_episode_shows_what_was_said_done_and_held(page):
    page.locator("#list tbody tr").nth(1).get_by_role("link").first.click()
    page.wait_for_selector("#turn-4")
    assert "pay later" in page.locator("#turn-4 .said").inner_text()
    assert "BK-20931177" in page.locator("#turn-4 .written").inner_text()
    held = page.locator("#turn-4 details.held.new")
    assert "1 booking (1 pending), $0.00 paid" in held.locator("summary").inner_text()
    held.locator("summary").click()
    assert "costs $300.00" in held.inner_text()
    assert "fares FA-90177 available −1" in held.inner_text()


def test_the_private_side_is_shown_on_demand(page):
    page.goto(f"{page.url.partition('#')[0]}#episode/0/S1-001.ruse.0")
    page.wait_for_selector("#turn-3")
    assert page.locator("#turn-3 .call").count() == 0
    page.get_by_role("button", name="Show 1 private call of the user").click()
    assert page.locator("#turn-3 .call code").inner_text() == "get_my_payment_cards"


def test_evidence_and_claims_lead_to_the_place_they_speak_of(page):
    page.goto(f"{page.url.partition('#')[0]}#episode/0/S1-001.ruse.0")
    page.locator(".checks").get_by_role("link", name="BK-20931177").click()
    assert page.evaluate("document.activeElement.id") == "call-4"
    page.locator(".deeds").get_by_role("link", name="message 2").click()
    assert page.evaluate("document.activeElement.id") == "turn-2"
    assert page.locator("#turn-2 .claims").inner_text().startswith("✗")


def test_two_episodes_stand_side_by_side(page):
    boxes = page.locator("#list .pick")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.locator("#picked").get_by_role("link", name="Compare").click()
    page.wait_for_selector(".differences")
    text = page.locator(".differences").inner_text()
    assert "D19 every booking paid in full" in text and "pass" in text and "fail" in text
    assert "The two dialogues are the same." in page.locator(".parting").inner_text()


def test_what_two_dialogues_share_is_folded(page, directory, records):
    other = [*records[0].messages[:-2], {"role": "assistant", "content": "No."}]
    fork = make_record("S1-001", condition="d1", messages=other)
    append_episodes(directory, [fork], 1)
    wait_for_count(page, "5 of 5")
    page.goto(f"{page.url.partition('#')[0]}#compare/0/S1-001.generic.0/0/S1-001.d1.0")
    page.wait_for_selector(".shared")
    assert "They part at message 4." in page.locator(".parting").inner_text()
    assert "The first 3 messages are the same" in page.locator(".shared > summary").inner_text()
    assert page.locator("#right-turn-4 .said").inner_text() == "No."


def test_an_episode_can_be_compared_from_its_own_page(page):
    page.goto(f"{page.url.partition('#')[0]}#episode/0/S1-001.ruse.0")
    page.get_by_label("Compare with").select_option(index=1)
    page.wait_for_selector(".differences")
    assert "#compare/0/S1-001.ruse.0/0/S1-001.generic.0" in page.url


def test_new_episodes_appear_while_a_run_goes_on(page, directory):
    wait_for_text(page, "#live", "New episodes appear here")
    page.locator("#list tbody a").nth(1).focus()
    append_episodes(directory, [make_failed("S3-001", condition="generic")], 1)
    wait_for_count(page, "5 of 5")
    assert "S3-001" in page.locator("#list").inner_text()
    assert page.evaluate("document.activeElement.closest('tr').dataset.id") == "S1-001.ruse.0"
    assert "5 of 6" in page.locator("#runs").inner_text()


def test_the_keyboard_alone_is_enough(page):
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("hasty")
    wait_for_count(page, "2 of 4")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#episode-title")
    assert page.locator("#episode-title").inner_text().startswith("S2-001")
    assert page.evaluate("document.activeElement.id") == "episode-title"
    page.keyboard.press("k")
    wait_for_text(page, "#episode-title", "S1-001")
    page.keyboard.press("p")
    assert page.locator("#turn-3 .call.private").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector("#around:visible")
    assert page.evaluate("document.activeElement.closest('tr').dataset.id") == "S1-001.ruse.0"
    assert page.locator("#count").inner_text() == "2 of 4"


def test_back_returns_to_the_list_as_it_was(page):
    page.get_by_label("Agent").select_option("hasty")
    wait_for_count(page, "2 of 4")
    page.locator("#list tbody a").first.click()
    page.wait_for_selector("#episode-title")
    page.go_back()
    page.wait_for_selector("#list:visible")
    assert outcomes(page) == ["fail", "fail"]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("place", ["", "#episode/0/S1-001.ruse.0", PAIR])
def test_nothing_is_wider_than_the_screen(page, width, place):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{page.url.partition('#')[0]}{place}")
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_episode_that_is_not_there_is_said_so(browser, directory):
    complaints: list[str] = []
    with serving(Library([directory])) as url:
        opened = watched_page(browser, complaints)
        opened.goto(f"{url}#episode/0/S9-999.x.0")
        opened.wait_for_selector("[role=alert]")
        assert "unknown finished episode" in opened.locator("[role=alert]").inner_text()
        opened.close()


def write_embedded(directory, records):
    """A page that holds the viewer and its episodes, and nothing else."""
    found = embed_viewer([ShownRun("t", records)])
    blocks = "".join(
        f'<script type="text/plain" class="episode-data" data-place="{place}">{one}</script>'
        for place, one in found.blocks.items()
    )
    path = directory / "page.html"
    path.write_text(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>
        <link rel="icon" href="data:,"><style>{viewer_style()}</style>
        <div id="report" class="sheet"><div id="viewer-list"></div></div>
        <article id="episode" class="sheet" hidden></article>
        <script type="application/json" id="viewer-data">{found.head}</script>{blocks}
        <script type="text/plain" id="viewer-texts">{found.texts}</script>
        <script type="module">{viewer_script()}</script></html>""",
        encoding="utf-8",
    )
    return path


def nasty_record():
    """An episode in which everything that somebody else words tries to break out."""
    said = [
        {"role": "user", "content": NASTY},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "name": NASTY, "arguments": {NASTY: NASTY}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": json.dumps({"error": NASTY})},
        {"role": "assistant", "content": NASTY},
    ]
    event = {"op": "insert", "table": NASTY, "key": NASTY, "row": {NASTY: NASTY}}
    fact = {"key": NASTY, "slot": None, "level": NASTY, "turn": 1, "reason": NASTY}
    return make_failed(
        agent=NASTY,
        persona=NASTY,
        messages=said,
        trace=({"seq": 1, "owner": "agent", "name": NASTY, "error": None, "events": [event]},),
        evidence={"D19": [{"text": NASTY, "rows": [NASTY]}]},
        facts=(fact,),
        error=NASTY,
        primary_failure=NASTY,
        failures=(NASTY,),
        metrics={"user_errors": [{"code": NASTY, "message": 1, "text": NASTY}]},
    )


def check_nothing_ran(opened, complaints):
    opened.locator("#list tbody a").first.click()
    opened.wait_for_selector("#turn-2")
    opened.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    text = opened.evaluate("document.body.textContent")
    assert text.count("<script>hacked()</script>") > 8
    assert opened.locator("img, svg, [onerror], [onload], a[href^='javascript']").count() == 0
    assert not [one for one in complaints if "hacked" in one]


def test_nothing_that_was_said_becomes_markup_or_script(browser, tmp_path):
    """Agent, user and tool text, names, keys, evidence: served, and inside a page."""
    record = nasty_record()
    directory = write_run(tmp_path / "run", [record])
    complaints: list[str] = []
    with serving(Library([directory])) as url:
        opened = watched_page(browser, complaints)
        opened.goto(url)
        check_nothing_ran(opened, complaints)
        opened.close()
        assert foreign(complaints, url) == []
    complaints.clear()
    path = write_embedded(tmp_path, [record])
    opened = watched_page(browser, complaints)
    opened.goto(path.as_uri())
    check_nothing_ran(opened, complaints)
    opened.close()
    assert complaints == [path.as_uri()]


def test_the_page_in_a_file_filters_as_the_server_does(browser, records, directory, tmp_path):
    path = write_embedded(tmp_path, records)
    queries = [
        "outcome=!pass",
        "check=F-PT",
        "mode=missing_entity&stratum=1",
        "persona=terse&agent=hasty",
        "q=PORTLAND+hacked",
        "q=book_flight+bk-20931177",
        "q=portland+nowhere",
    ]
    library = Library([directory])
    library.refresh()
    opened = watched_page(browser, [])
    opened.goto(path.as_uri())
    for query in queries:
        opened.goto(f"{path.as_uri()}#episodes?{query}")
        expected = library.page(
            dict(pair.split("=") for pair in query.replace("+", " ").split("&"))
        )
        wait_for_count(opened, f"{expected['found']} of {expected['total']}")
        listed = opened.locator("#list tbody tr").evaluate_all(
            "rows => rows.map(r => r.dataset.id)"
        )
        if "limit" not in query:
            assert sorted(listed) == sorted(row["id"] for row in expected["rows"]), query
    opened.close()


def test_notes_are_written_changed_and_deleted_and_stay_text(browser, directory):
    complaints: list[str] = []
    with serving(Library([directory]), notes=True) as url:
        page = watched_page(browser, complaints)
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}#episode/0/S2-001.generic.0")
        page.click("[data-note-add='2']")
        page.keyboard.type("p, j and k are letters here; ")
        page.keyboard.insert_text(NASTY)
        page.fill(".note-form [name=tags]", "reading, to discuss")
        page.check("text=Verdict disputed")
        page.select_option(".note-form select", "D19")
        page.keyboard.press("Escape")  # what is typed is not lost
        page.click(".note-form >> text=Save")
        note = page.locator("#turn-2 .person")
        note.wait_for()
        assert page.evaluate("document.activeElement.dataset.noteAdd") == "2"
        assert NASTY in note.inner_text()
        assert "Verdict disputed: D19" in note.inner_text()
        assert page.locator(".person img, .person a, .person script, .person svg").count() == 0
        beside = cg.open_run(directory)
        beside.change_note(beside.notes[0], text="changed elsewhere")
        note.locator("text=Change").click()
        page.fill(".note-form textarea", "mine")
        page.click(".note-form >> text=Save")
        page.wait_for_selector(".note-form [role=alert]:has-text('changed or deleted meanwhile')")
        assert "changed elsewhere" in note.inner_text()
        assert page.input_value(".note-form textarea") == "mine"
        page.click(".note-form >> text=Cancel")
        page.click("text=All episodes")
        page.select_option("select[name=tag]", "disputed")
        wait_for_count(page, "1 of 4")
        # The row is opened before what was typed has changed the list.
        page.evaluate(TYPE_AND_OPEN, "changed elsewhere discuss")
        note.locator("text=Delete").click()
        note.wait_for(state="detached")
        page.close()
        assert cg.open_run(directory).notes == ()
    # A conflict is no failure of the page, though a browser notes it.
    assert [one for one in foreign(complaints, url) if "409" not in one] == []
