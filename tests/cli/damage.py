"""What can happen to a file, and how a call ends that reads it."""

import contextlib
import io
import json
import re
import shutil
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from crab_graph.cli import main
from crab_graph.errors import CrabGraphError

SECONDS = 10
PLACES = 50
DEEP = "[" * 100_000
HUGE = "7" * 5_000
MANY = "7" * 18
KINDS: dict[str, Any] = {"null": None, "text": "x", "list": [[{}]], "object": {"a": []}, "no": -1}
VALUES = {*KINDS, "many", "infinite"}
WRITTEN = {"huge": HUGE, "many": MANY, "infinite": "1e999", "deep": DEEP}

Way = list[str] | Callable[[], object]


class Damage(NamedTuple):
    """What a file holds after damage of some kind, and where in it that came to pass."""

    kind: str
    where: str
    content: bytes


class Outcome(NamedTuple):
    """How a call ended: its exit code (`None` for a traceback), what it said, how long it took."""

    status: int | None
    said: str
    seconds: float


def of_bytes(whole: bytes) -> Iterator[Damage]:
    """Yield damages of any file as a whole."""
    yield Damage("empty", "", b"")
    yield Damage("truncated", "", whole[: len(whole) // 2])
    yield Damage("another encoding", "", whole.decode("utf-8", "ignore").encode("utf-16"))
    yield Damage("noise", "", bytes(range(256)) * 40)
    yield Damage("zeros", "", bytes(len(whole)))


def of_bits(whole: bytes) -> Iterator[Damage]:
    """Yield the file with one bit flipped, at places all over it."""
    for number in range(PLACES):
        place, bit = len(whole) * number // PLACES, number % 8
        flipped = bytearray(whole)
        flipped[place] ^= 1 << bit
        yield Damage("bit", f"{bit} of byte {place}", bytes(flipped))


def of_fields(whole: bytes) -> Iterator[Damage]:
    """Yield damages of the fields of a JSON document, or of the first of several lines of it.

    Its checksum is taken away with its version: whoever changes it on purpose does that.
    """
    fields, rest = _first_document(whole)
    for name in ("seal", "line"):
        fields.pop(name, None)
    if fields.get("schema_version") == 2:
        fields["schema_version"] = 1
    for name, value in fields.items():
        others = {key: one for key, one in fields.items() if key != name}
        yield Damage("without", name, json.dumps(others).encode() + rest)
        for kind, other in KINDS.items():
            if value != other:
                yield Damage(kind, name, json.dumps({**fields, name: other}).encode() + rest)
        for kind, written in WRITTEN.items():
            text = json.dumps({**fields, name: "@"}).replace('"@"', written)
            yield Damage(kind, name, text.encode() + rest)


def of_documents(whole: bytes) -> Iterator[Damage]:
    """Yield damages of a whole JSON document, or of the first of several lines."""
    fields, rest = _first_document(whole)
    found = {
        "nested": DEEP,
        "a list": "[]",
        "a number": HUGE,
        "another version": json.dumps({**fields, "schema_version": 99}),
        "no version": json.dumps({k: v for k, v in fields.items() if k != "schema_version"}),
        "without checksum": json.dumps({k: v for k, v in fields.items() if k != "seal"}),
    }
    for kind, text in found.items():
        yield Damage(kind, "", text.encode() + rest)


def of_texts(whole: bytes) -> Iterator[Damage]:
    """Yield damages of a text in which numbers may stand."""
    text = whole.decode()
    yield Damage("nested", "", DEEP.encode())
    yield Damage("a number", "", HUGE.encode())
    for kind, written in WRITTEN.items():
        for found in list(re.finditer(r"\d[\d.-]*", text))[:PLACES]:
            changed = f"{text[: found.start()]}{written}{text[found.end() :]}"
            yield Damage(kind, f"character {found.start()}", changed.encode())
    lines = text.splitlines(keepends=True)
    for number in range(min(len(lines), PLACES)):
        kept = "".join(lines[:number] + lines[number + 1 :])
        yield Damage("without", f"line {number + 1}", kept.encode())


def _first_document(whole: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the fields of a document, or of the first line, and what follows it."""
    first, mark, rest = whole.partition(b"\n") if whole.startswith(b'{"') else (whole, b"", b"")
    return json.loads(first), mark + rest


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(f"took more than {3 * SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(3 * SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def call(way: Way) -> Outcome:
    """Run a command line, or a function that a `CrabGraphError` may end."""
    begun, out, err = time.process_time(), io.StringIO(), io.StringIO()
    status: int | None
    try:
        with _in_time(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            if isinstance(way, list):
                status = main(way)
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    way()
                status = 0
    except CrabGraphError as error:
        status = 2
        err.write(f"crab-graph: {error}")
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else None
    except BaseException:
        status = None
        err.write(traceback.format_exc())
    return Outcome(status, err.getvalue(), time.process_time() - begun)


def fresh(source: Path | None, place: Path) -> None:
    """Put a copy of a file or a folder in a place, or an empty folder."""
    shutil.rmtree(place, ignore_errors=True)
    if source is None:
        place.mkdir()
    elif source.is_dir():
        shutil.copytree(source, place)
    else:
        shutil.copyfile(source, place)
