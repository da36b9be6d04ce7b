"""The viewer's server: what it answers, and what it refuses."""

import json
import re
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crab_graph.analysis.viewer.assets import SERVED
from crab_graph.analysis.viewer.library import Library
from crab_graph.analysis.viewer.web import is_loopback, is_our_host, listen, serving
from crab_graph.cli import main
from crab_graph.errors import UsageError
from tests.analysis.conftest import make_failed, make_record
from tests.analysis.runs_on_disk import write_run

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

NASTY = "</script><script>hacked()</script><img src=x onerror=hacked()> \u202e\u2028\x00 &amp;"


class Answer(NamedTuple):
    status: int
    headers: Any
    text: str


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    records = [
        make_record("S1-001"),
        make_failed("S2-001", agent=f"package:{NASTY}"),
    ]
    directory = write_run(tmp_path_factory.mktemp("runs") / "one", records)
    library = Library([directory])
    library.refresh()
    with serving(library) as url:
        yield url


def ask(url: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    asked = urllib.request.Request(url, body, method=method, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return Answer(answer.status, answer.headers, answer.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read().decode())


def test_the_page_and_its_files_are_served_under_a_strict_policy(address):
    for path in ("", "api/state", "api/labels", *(f"assets/{name}" for name in SERVED)):
        answer = ask(address + path)
        assert answer.status == 200, path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["access-control-allow-origin"] is None


def test_the_page_holds_no_script_of_its_own_and_loads_nothing_from_elsewhere(address):
    page = ask(address).text
    assert page.count("<script") == page.count('<script type="module" src="assets/') == 1
    assert "://" not in page and "style=" not in page


@pytest.mark.parametrize("name", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_a_request_for_another_host_is_refused(address, name):
    answer = ask(f"{address}api/state", Host=name)
    assert answer.status in (400, 421)
    assert "runs" not in answer.text


def test_a_request_for_this_machine_is_answered_whatever_port_it_came_by(address):
    for name in ("localhost", "localhost:9999", "127.0.0.1", "[::1]:80", "LOCALHOST"):
        assert ask(f"{address}api/state", Host=name).status == 200, name


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_written(address, method):
    answer = ask(f"{address}api/state", method, Origin="http://evil.example")
    assert answer.status == 405
    assert answer.headers["access-control-allow-origin"] is None


def test_head_is_answered(address):
    assert ask(address, "HEAD").status == 200


def test_other_paths_lead_nowhere(address):
    for path in (
        "assets/../server.py",
        "assets/index.html",
        "run.json",
        "api",
        "api/episodes/0/no",
    ):
        assert ask(address + path).status == 404, path
    assert "unknown finished episode" in ask(f"{address}api/episodes/0/no").text
    assert "did you mean S1-001.generic.0" in ask(f"{address}api/episodes/0/S1-01.generic.0").text
    assert "there is none in this run" in ask(f"{address}api/episodes/7/S1-001.generic.0").text


def test_a_bad_number_is_explained(address):
    answer = ask(f"{address}api/episodes?limit=all")
    assert answer.status == 400
    assert json.loads(answer.text) == {"error": "limit: 'all' is no whole number"}


def test_what_was_said_comes_as_ascii_json_to_the_letter(tmp_path):
    said = [
        {"role": "user", "content": NASTY},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "name": NASTY, "arguments": {NASTY: [NASTY]}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": json.dumps({"error": NASTY})},
        {"role": "assistant", "content": NASTY},
    ]
    record = make_record(messages=said, trace=(), error="x")
    directory = write_run(tmp_path / "run", [record])
    library = Library([directory])
    library.refresh()
    with serving(library) as url:
        answer = ask(f"{url}api/episodes/0/S1-001.generic.0")
    assert answer.status == 200, answer.text
    assert answer.text.isascii()
    view = json.loads(answer.text)
    assert [exchange["text"] for exchange in view["exchanges"]] == [NASTY, NASTY]
    assert view["exchanges"][1]["calls"][0]["arguments"] == {NASTY: [NASTY]}


def test_only_loopback_names_are_ours_on_a_loopback_address():
    assert not is_our_host("192.168.0.7:8765", "127.0.0.1")
    assert is_our_host("127.0.0.1:8765", "127.0.0.1")
    assert is_our_host("[::1]:8765", "::1")
    assert is_loopback("localhost") and is_loopback("127.0.0.2") and is_loopback("::1")
    assert not is_loopback("0.0.0.0") and not is_loopback("example.org")


def test_elsewhere_addresses_in_numbers_and_the_machines_own_name_are_ours():
    assert is_our_host("192.168.0.7:8765", "0.0.0.0")
    assert is_our_host(socket.gethostname(), "0.0.0.0")
    assert not is_our_host("evil.example:8765", "0.0.0.0")
    assert not is_our_host("", "0.0.0.0")


def test_a_taken_port_is_one_clear_line():
    taken = listen("127.0.0.1", 0)
    with taken.socket:
        port = taken.socket.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1, port {port}"):
            listen("127.0.0.1", port)


def test_a_host_that_is_not_ours_is_one_clear_line():
    with pytest.raises(UsageError, match=r"cannot listen on 192\.0\.2\.1"):
        listen("192.0.2.1", 0)


@pytest.fixture(scope="module")
def noted(tmp_path_factory):
    """A run whose page may write notes: its file of notes, the address, and what our page sends."""
    directory = write_run(tmp_path_factory.mktemp("noted") / "run", [make_failed("S2-001")])
    library = Library([directory])
    library.refresh()
    with serving(library, notes=True) as url:
        (token,) = re.findall('name="notes-token" content="([^"]{40,})"', ask(url).text)
        sent = {
            "Origin": url.rstrip("/"),
            "Content-Type": "application/json; charset=utf-8",
            "X-Notes-Token": token,
            "Sec-Fetch-Site": "same-origin",
        }
        yield directory / "notes.jsonl", url, sent


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def post(url: str, note: Any, headers: dict[str, str]) -> Answer:
    return ask(f"{url}api/notes/0", "POST", json.dumps(note).encode(), **headers)


def test_our_own_page_writes_changes_and_finds_notes(noted):
    path, url, sent = noted
    note = {"episode_id": "S2-001.generic.0", "turn": 2, "text": NASTY, "tags": ["odd"]}
    written = post(url, {**note, "disputed": True, "check_id": "D19"}, sent)
    assert written.status == 201, written.text
    kept = json.loads(written.text)
    assert (kept["verdict"], kept["revision"]) == ("fail", 1)
    for given in ("q=%3C/SCRIPT%3E+ODD", "tag=disputed", "tag=odd", "tag=noted"):
        page = json.loads(ask(f"{url}api/episodes?{given}").text)
        assert page["found"] == 1 and page["rows"][0]["tags"] == ["noted", "disputed", "odd"]
    view = json.loads(ask(f"{url}api/episodes/0/S2-001.generic.0").text)
    assert [(one["text"], one["turn"]) for one in view["notes"]] == [(NASTY.strip(), 2)]
    change = {**note, "id": kept["id"], "revision": 1}
    assert post(url, change, sent).status == 201
    assert post(url, change, sent).status == 409  # somebody else's change came between
    assert post(url, {**change, "revision": 2, "deleted": True}, sent).status == 201
    assert json.loads(ask(f"{url}api/episodes?tag=noted").text)["found"] == 0
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Content-Type": "text/plain"}, 403),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 403),
        ({"X-Notes-Token": "x"}, 403),
        ({"X-Notes-Token": "é"}, 403),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
    ],
)
def test_no_other_page_writes_a_note(noted, headers, status):
    path, url, sent = noted
    before = size(path)
    answer = post(url, {"episode_id": "S2-001.generic.0", "text": "x"}, {**sent, **headers})
    assert answer.status == status, answer.text
    assert answer.headers["access-control-allow-origin"] is None
    assert size(path) == before


def test_what_is_no_note_is_refused_with_a_reason(noted):
    path, url, sent = noted
    before, note = size(path), {"episode_id": "S2-001.generic.0", "text": "x"}
    for given, status in (
        ([], 400),
        ({**note, "turn": "one"}, 400),
        ({**note, "episode_id": "S9-001.generic.0"}, 404),
        ({**note, "text": "x" * 70_000}, 413),
    ):
        answer = post(url, given, sent)
        assert answer.status == status and "note" in json.loads(answer.text)["error"]
    assert ask(f"{url}api/notes/0", "DELETE", **sent).status == 405
    assert ask(f"{url}api/notes/0", "OPTIONS", Origin="http://evil.example").status == 405
    assert ask(f"{url}api/notes/7", "POST", json.dumps(note).encode(), **sent).status == 404
    assert size(path) == before


def test_without_being_asked_for_notes_nothing_is_written(address):
    assert "notes-token" not in ask(address).text
    assert ask(f"{address}api/notes/0", "POST", b"{}").status == 405


def test_notes_are_for_this_machine_alone_unless_told(tmp_path, capsys):
    directory = write_run(tmp_path / "run", [make_failed("S2-001")])
    assert main(["serve", str(directory), "--notes", "--host", "0.0.0.0", "--port", "0"]) == 2
    told = capsys.readouterr().err
    assert "`--notes` on 0.0.0.0" in told and "--shared-notes" in told
