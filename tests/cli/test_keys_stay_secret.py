"""Keys are found in nothing that any command prints, logs, keeps or exports, failing or not.

A server on the loopback speaks OpenAI's protocol. It says back whatever opened it: in what it
answers, in calls of tools, and in errors, in their bodies and headers.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pytest

from crab_graph.cli.application import COMMANDS
from crab_graph.testing import Answer, FaultyAnswer, ScriptedServer
from tests.cli import keyed_agent
from tests.cli.canaries import HEADER, LOGIN, NAMED, QUERY, SETTING, found_in, in_files
from tests.postgres_server import PASSWORD, postgres_server

ROOT = Path(__file__).resolve().parents[2]
EPISODE, TASK = "S1-001.ruse.0", "S1-001"
KEY = NAMED["OPENAI_API_KEY"]
SENT = {
    "at an address": (KEY, f"me:{LOGIN}", QUERY, HEADER, f"Bearer {KEY}"),
    "of one's own": (KEY, f"Bearer {KEY}"),
    "by provider": (SETTING, LOGIN),
    "azure": (NAMED["AZURE_OPENAI_API_KEY"],),
}
"""With what each model is opened, as the server tells."""

LOGGING = "import logging; logging.basicConfig(level=logging.DEBUG, filename={log!r})"
"""How a user's own program may be set up, as every process of it reads."""


def answer(body):
    """Say back what opened the server, in an answer or an error, as the model's name tells."""
    act, _, way = body["model"].partition("-")
    sent = " ".join(SENT[way.replace("-", " ")])
    if status := {"refusing": 401, "failing": 500}.get(act):
        error = {"message": f"not you, {sent}", "code": "x"}
        return FaultyAnswer(status, {"error": error}, {"X-Echo": sent, "Retry-After": "0.01"})
    calls = sum(message["role"] == "tool" for message in body["messages"])
    used = [("get_customer_information", {"customer_id": sent})]
    return Answer(f"I was opened with {sent}.", () if calls else used)


OPENED = ["--agent", "{talking}", "--engine", "llm", "--user-model", "{talking}"]
BRIEFLY = ["--tasks", "S1", "--max-turns", "4"]
TWICE = ["--conditions", "generic,d1"]
VARIED = ["--vary", "distractors", "--values", "20", "--tasks", "1"]
FAILING = [
    ["run", "{bench}", "--agent", agent, *BRIEFLY, "--out", f"{{home}}/stopped-{number}", *more]
    for number, (agent, *more) in enumerate(
        [
            ("{refusing}",),
            ("{failing}", "--jobs", "2", "--trials", "2"),
            ("{talking}", "--user-model", "{failing}", "--engine", "hybrid"),
            ("{by_provider}",),
            ("{azure}",),
            ("{misspelt}",),
            ("{unknown}",),
            ("{talking}", "--checkpoint", "postgresql://me:{login}@127.0.0.1:9/x"),
        ]
    )
]
WITH_MODELS = {
    "run": [
        ["run", "{bench}", *OPENED, *BRIEFLY, "--out", "{home}/run"],
        [
            "run",
            "{bench}",
            "--agent",
            "tests.cli.keyed_agent:make",
            *BRIEFLY,
            "--out",
            "{home}/own",
        ],
        *FAILING,
    ],
    "resume": [["resume", "{home}/stopped-0"], ["resume", "{home}/stopped-1"]],
    "fork": [
        ["fork", "{home}/run", EPISODE, "--turn", "2", "--agent", one, "--out", f"{{home}}/{name}"]
        for name, one in (("fork", "{talking}"), ("fork-2", "{refusing}"), ("fork-3", "solver"))
    ],
    "pivot": [["pivot", "{home}/run", EPISODE, "--trials", "1"]],
    "ablate": [
        ["ablate", "{bench}", "--agent", one, *TWICE, *BRIEFLY, "--out", f"{{home}}/two-{number}"]
        for number, one in enumerate(("{talking}", "{failing}"))
    ],
    "play": [
        [
            "play",
            "{bench}",
            TASK,
            "--as",
            "user",
            "--agent",
            one,
            "--out",
            f"{{home}}/seat-{number}",
        ]
        for number, one in enumerate(("{talking}", "{refusing}"))
    ],
}
"""Commands that ask a model; each in a process of its own, with the keys in its environment."""

EXPORTS = [
    ["export", "{home}/run", "--format", one, "--out", f"{{home}}/exported-{one}", *more]
    for one, *more in (("openai", "--rewards"), ("parquet",), ("inspect",), ("langsmith",))
]
OF_TALKS = {
    "report": [["report", "{home}/run", "--html", "{home}/report.html"], ["report", "{home}/own"]],
    "compare": [["compare", "{home}/run", "{home}/stopped-0", "--html", "{home}/compared.html"]],
    "show": [["show", "{home}/run", EPISODE], ["show", "{home}/stopped-0", EPISODE, "--json"]],
    "disputes": [["disputes", "{home}/run", "--markdown", "{home}/disputes.md"]],
    "sql": [
        ["sql", "{home}/run", f"SELECT * FROM {one}"]
        for one in ("episodes", "messages", "tool_calls", "facts")
    ],
    "fidelity": [["fidelity", "{home}/run"]],
    "regrade": [["regrade", "{home}/run"]],
    "compact": [["compact", "{home}/run"]],
    "export": [*EXPORTS, ["export", "{bench}", "--format", "parquet", "--out", "{home}/rows"]],
    "verify": [["verify", "{home}/run"], ["verify", "{home}/stopped-0"], ["verify", "{bench}"]],
    "grade": [["grade", "{bench}", TASK, "{home}/exported-openai"]],
}
"""Commands that read what was kept; in a process that knows no key, so that it can mask none."""

WITHOUT_MODELS = {
    "demo": [["demo", "--out", "{home}/demo"]],
    "generate": [
        ["generate", "{home}/made", "--tasks", "1", "--strata", "1", "--distractors", "20"],
        ["generate", "{home}/made", "--tasks", "2", "--strata", "1"],
    ],
    "certify": [["certify", "{bench}", "--task", TASK]],
    "audit": [["audit", "{bench}", "--only", "generation", "--quick"]],
    "tasks": [["tasks", "{bench}", "--stats"]],
    "task": [["task", "{bench}", TASK, "--solutions"], ["task", "{bench}", "S9"]],
    "sweep": [
        ["sweep", "{bench}", *VARIED, "--out", "{home}/sweep"],
    ],
    "prompt": [["prompt", "ruse", "--task", f"{{bench}}:{TASK}"]],
    "new-domain": [["new-domain", "a_domain", "--out", "{home}/a_domain"]],
    "check-domain": [["check-domain", "travel", "--tasks", "4"]],
}
"""Commands that ask no model, with the keys in the environment all the same."""

LISTENING = {
    "serve": ["serve", "{home}/run", "--port", "0", "--notes", "--json"],
    "mock-llm": ["mock-llm", "--port", "0", "--json"],
}
ALL = (WITH_MODELS, OF_TALKS, WITHOUT_MODELS, LISTENING)


def test_every_command_is_tried_with_keys():
    """A new command stands in one of the tables above."""
    tried = sorted(name for table in ALL for name in table)
    assert tried == sorted(name.replace("_", "-") for name in COMMANDS)
    for lines in (lines for table in ALL[:3] for lines in table.items()):
        assert {line[0] for line in lines[1]} == {lines[0]}


def test_a_key_is_found_in_whatever_form_it_is_kept(tmp_path):
    with zipfile.ZipFile(tmp_path / "one.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x", f"{KEY} " * 9)
    duckdb.execute(f"COPY (SELECT repeat('{KEY}', 9) AS x) TO '{tmp_path / 'two.parquet'}'")
    with duckdb.connect(str(tmp_path / "three.duckdb")) as connection:
        connection.execute("CREATE TABLE x AS SELECT ? AS y FROM range(9000)", [KEY])
    for number in range(3):
        (tmp_path / f"{number}.txt").write_bytes(b64encode(b"x" * number + KEY.encode() + b"yz"))
    (tmp_path / "none.txt").write_text("canary")
    found = {name for name, secret in in_files(tmp_path) if secret == KEY}
    assert found == {"one.zip", "two.parquet", "three.duckdb", "0.txt", "1.txt", "2.txt"}


class Trial:
    """A folder in which commands are run; all that they say is looked at."""

    def __init__(self, home: Path, bench: Path, server: ScriptedServer) -> None:
        self.home = home
        self.leaks: list[tuple[str, str, list[str]]] = []
        address = server.address.replace("://", f"://me:{quote(LOGIN, safe='')}@")
        headers = quote(json.dumps({"X-Login": HEADER}), safe="")
        hidden = f"api_key={quote(QUERY, safe='')}"
        more = f"?default_headers={headers}&max_retries=1"
        setting = f"api_key={quote(SETTING, safe='')}"
        self._places = {
            **{
                one: f"{address}?{hidden}#{one}-at-an-address{more}"
                for one in ("talking", "refusing", "failing")
            },
            "by_provider": f"openai:refusing-by-provider?base_url={quote(address)}&{setting}",
            "azure": f"azure_openai:refusing-azure?azure_endpoint={server.address}&api_version=1",
            "misspelt": f"{address}?{hidden}#talking{more}&temperature=hot&{setting}",
            "unknown": f"openai:gpt-5?nonsense=1&{setting}",
            "login": quote(LOGIN, safe=""),
            "home": str(home),
            "bench": str(bench),
        }
        site = home.parent / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(LOGGING.format(log=str(home / "debug.log")))
        kept = {one: os.environ[one] for one in ("PATH", "CRAB_STATE", "CRAB_CONFIG")}
        self._bare = {**kept, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
        self._keyed = {**self._bare, **NAMED, keyed_agent.ADDRESS: server.address}
        self._keyed |= {"OPENAI_LOG": "debug", "PYTHONASYNCIODEBUG": "1", "CRAB_DEBUG": "1"}

    def begin(self, line: list[str], *, keyed: bool = True) -> "subprocess.Popen[str]":
        """Begin a command, with `--debug`, which shows tracebacks whole."""
        words = [one.format(**self._places) for one in line]
        return subprocess.Popen(
            [sys.executable, "-m", "crab_graph", "--debug", *words],
            cwd=self.home,
            env=self._keyed if keyed else self._bare,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, line: list[str], *, keyed: bool = True) -> str:
        """Run a command to its end, and look at what it said; return that."""
        begun = self.begin(line, keyed=keyed)
        said = "\n".join(begun.communicate("Hello.\n/quit\n", timeout=600))
        assert begun.returncode in (0, 1, 2), said
        self.look(line, said)
        return said

    @contextmanager
    def listening(self, line: list[str], *, keyed: bool = True) -> Iterator[dict[str, Any]]:
        """Begin a command that listens; yield what it says first, and end it as Ctrl-C does."""
        with self.begin(line, keyed=keyed) as begun:
            assert begun.stdout is not None
            first = begun.stdout.readline()
            try:
                yield json.loads(first)
            finally:
                begun.send_signal(signal.SIGINT)
                self.look(line, first + "".join(begun.communicate(timeout=60)))

    def look(self, line: list[str], said: str) -> None:
        """Remember which secrets a command said."""
        for secret in found_in(said.encode()):
            lines = [one for one in said.splitlines() if found_in(one.encode())]
            self.leaks.append((" ".join(line), secret, lines[:1]))


@pytest.fixture(scope="module")
def server():
    with ScriptedServer(answer, whole_request=True) as server:
        yield server


@pytest.fixture
def trial(bench, tmp_path, server):
    (tmp_path / "home").mkdir()
    return Trial(tmp_path / "home", bench.directory, server)


@pytest.mark.slow
def test_no_command_lets_a_key_be_seen(trial, server):
    for line in (line for lines in WITH_MODELS.values() for line in lines):
        trial.run(line)
    assert KEY in " ".join(server.keys) and set(server.user_agents) <= {
        f"crab-graph/{version('crab-graph')}",
        *(one for one in server.user_agents if one.startswith("OpenAI/Python")),
    }
    assert trial.leaks == [] and in_files(trial.home) == []
    for line in (line for lines in OF_TALKS.values() for line in lines):
        trial.run(line, keyed=False)
    for line in (line for lines in WITHOUT_MODELS.values() for line in lines):
        trial.run(line)
    _look_at_pages(trial)
    _ask_a_mock(trial)
    assert trial.leaks == [] and in_files(trial.home) == []
    logged = (trial.home / "debug.log").read_text(encoding="utf-8").splitlines()
    (told,) = {"***" in line for line in logged if "x-echo" in line.lower()}
    assert told


def _look_at_pages(trial):
    """Read all that the viewer has."""
    line = LISTENING["serve"]
    with trial.listening(line, keyed=False) as said:
        url = said["url"].rstrip("/")
        _wait_for_episodes(f"{url}/api/state")
        paths = ("/api/labels", "/api/state", "/api/episodes", f"/api/episodes/0/{EPISODE}")
        for path in ("/", *paths, "/api/nothing"):
            page = _fetched(f"{url}{path}")
            trial.look([*line, path], page)
            assert EPISODE in page or path not in paths[2:]


def _wait_for_episodes(address):
    """Episodes are read while the first pages are served already."""
    latest = time.monotonic() + 60
    while not json.loads(urllib.request.urlopen(address).read())["runs"][0]["finished"]:
        assert time.monotonic() < latest
        time.sleep(0.05)


def _ask_a_mock(trial):
    """Send our own server a key, and a request that it refuses."""
    line = LISTENING["mock-llm"]
    with trial.listening(line) as said:
        for body in ({"model": "mock", "messages": [{"role": "user", "content": "Hi"}]}, {}):
            asked = urllib.request.Request(
                f"{said['address']}/chat/completions?api_key={quote(QUERY, safe='')}",
                json.dumps(body).encode(),
                {"Authorization": f"Bearer {KEY}", "X-Login": HEADER},
            )
            trial.look(line, _fetched(asked))


def _fetched(asked):
    """Return what a server answers, also where it refuses."""
    try:
        with urllib.request.urlopen(asked, timeout=60) as page:
            return f"{page.headers} {page.read().decode()}"
    except urllib.error.HTTPError as refused:
        with refused:
            return f"{refused.headers} {refused.read().decode()}"


@pytest.mark.slow
def test_no_row_of_a_database_holds_a_key(trial):
    psycopg = pytest.importorskip("psycopg")
    with postgres_server() as (address, _):
        for number, agent in enumerate(("{talking}", "{refusing}", "tests.cli.keyed_agent:make")):
            out = ["--out", f"{{home}}/run-{number}", "--checkpoint", address]
            said = trial.run(["run", "{bench}", "--agent", agent, *BRIEFLY, *out])
            assert PASSWORD not in said
        with psycopg.connect(address) as connection:
            named = connection.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
            )
            for (name,) in named.fetchall():
                rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
                assert rows or "migrations" not in name
                cells = [
                    one if isinstance(one, bytes) else str(one).encode() for r in rows for one in r
                ]
                assert found_in(b"\n".join(cells)) == []
    assert trial.leaks == [] and in_files(trial.home) == []
