"""Nothing is imported, started or written in a way that Linux alone has."""

import ast
import multiprocessing
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from crab_graph import workers
from crab_graph.workers import process_map, start_method, take_place, write_atomically
from tests.sources import PACKAGE, trees

ROOT = PACKAGE.parent
ELSEWHERE_MISSING = frozenset(
    "fcntl resource pwd grp termios tty pty syslog readline crypt spwd nis posix curses "
    "msvcrt winreg winsound _winapi".split()
)
OF_POSIX = frozenset(
    "fork forkpty getuid geteuid getgid getegid getpgid setpgid setsid killpg mkfifo chown chroot "
    "SIGKILL SIGHUP SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGCHLD alarm setitimer".split()
)
USED_BY_OTHERS = {"posix", "readline", "curses"}  # where they have them
WRITES_TEXT = ("w", "a", "x", "wt", "at")


@cache
def nodes():
    """Return every call, import and attribute of the package, with its module."""
    kinds = (ast.Call, ast.Import, ast.ImportFrom, ast.Attribute)
    return [
        (path.relative_to(ROOT).as_posix(), node)
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, kinds)
    ]


def imported(node):
    if isinstance(node, ast.Import):
        return {one.name.partition(".")[0] for one in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {(node.module or "").partition(".")[0]}
    return set()


def test_no_module_imports_what_another_system_lacks():
    found = {(path, name) for path, node in nodes() for name in imported(node) & ELSEWHERE_MISSING}
    assert not found


def test_no_module_uses_what_another_system_lacks():
    found = {
        (path, node.attr)
        for path, node in nodes()
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("os", "signal")
        and node.attr in OF_POSIX
    }
    assert not found


def mode_of(call):
    """Return the mode in which a call opens a file for text, if it does and writes."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "write_text" and isinstance(call.func, ast.Attribute):
        return "w"
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant)]
    return next((one for one in modes if one in WRITES_TEXT), None) if "open" in name else None


def test_text_is_written_with_the_same_bytes_anywhere():
    found = {
        f"{path}:{node.lineno}"
        for path, node in nodes()
        if isinstance(node, ast.Call) and mode_of(node) is not None
        if not {"encoding", "newline"} <= {one.arg for one in node.keywords}
    }
    assert not found


BLOCKING = """
import importlib, pkgutil, sys
import asyncio, subprocess  # on this system these need some of them
try:
    import psutil
except ImportError:
    pass
BLOCKED = frozenset({blocked!r})
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in BLOCKED:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
for name in BLOCKED:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())
import crab_graph
for module in pkgutil.walk_packages(crab_graph.__path__, "crab_graph."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


@pytest.mark.slow
def test_every_module_can_be_imported_where_there_is_no_posix():
    program = BLOCKING.format(blocked=sorted(ELSEWHERE_MISSING - USED_BY_OTHERS))
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("platform", "asked_for", "expected"),
    [
        ("linux", None, "forkserver"),
        ("linux", "fork", "forkserver"),
        ("linux", "spawn", "spawn"),
        ("darwin", None, "spawn"),
        ("win32", None, "spawn"),
    ],
)
def test_processes_are_never_forked(monkeypatch, platform, asked_for, expected):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda allow_none: asked_for)
    assert start_method() == expected


def double(number):
    return 2 * number


def test_processes_that_are_spawned_do_the_same_work(monkeypatch):
    monkeypatch.setattr(workers, "start_method", lambda: "spawn")
    assert sorted(process_map(double, range(5), 2)) == [0, 2, 4, 6, 8]


def test_a_file_takes_the_place_of_one_that_is_being_read(monkeypatch, tmp_path):
    refusals, replace = [PermissionError(), PermissionError()], Path.replace

    def refusing(self, target):
        if refusals:
            raise refusals.pop()
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(PermissionError):
        write_atomically(tmp_path / "a.txt", "new\n")
    monkeypatch.setattr(workers, "_READERS_ARE_IN_THE_WAY", True)
    write_atomically(tmp_path / "a.txt", "new\n")
    assert not refusals
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"new\n"
    with pytest.raises(FileNotFoundError):
        take_place(tmp_path / "none", tmp_path / "a.txt")
