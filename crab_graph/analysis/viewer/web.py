"""The viewer as a web application: a page, its files, and a small JSON interface (extra `serve`).

GET /                          the page
GET /assets/NAME               its modules and style sheets
GET /api/labels                words for outcomes and checks
GET /api/state                 how far each run is, and a version that grows with them
GET /api/episodes?…            a page of the list: filters, `offset`, `limit`
GET /api/episodes/RUN/ID?…     one episode in full, with its neighbours in the list
POST /api/notes/RUN            writes a note, or a change of one; only where notes are asked for

Dialogues stay on this machine: only this page may ask, only GET, only from these hosts. A page from
elsewhere cannot read an answer, for no answer allows another origin. It could try with a name of
its own that it lets point here (DNS rebinding); such a request names that host, and is refused.
What is served may load nothing from anywhere else, and run no script but its own files.

A note is written by our page alone: the request has to come from our own origin, as JSON (which no
form of another page can send), and with a token that only our page holds.
"""

import hmac
import ipaddress
import json
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, NamedTuple

from crab_graph.analysis.viewer.assets import SERVED, read_asset, viewer_labels
from crab_graph.analysis.viewer.library import Library
from crab_graph.errors import CrabGraphError, MissingExtra, UsageError
from crab_graph.runs.notes import LONGEST_LINE, StaleNote

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
except ImportError as error:
    raise MissingExtra("serve", "serve") from error

PAUSE_SECONDS = 1.0
"""How often runs are looked at for new episodes."""

HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_TYPES = {"js": "text/javascript", "css": "text/css"}
_NOTES = "/api/notes/"
_TOKEN = '<meta name="notes-token" content="{}">'
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Listening(NamedTuple):
    """A socket that is bound, and the address to open."""

    socket: socket.socket
    url: str


def build_app(library: Library, host: str, notes: bool = False) -> ASGIApp:
    """Return the application for some runs; requests for another host are refused.

    With `notes` its page may write notes beside them.
    """
    token = secrets.token_urlsafe(32) if notes else ""
    head = _TOKEN.format(token) if notes else ""

    # Plain functions run in threads, so that reading one episode holds up no other request.
    def page(request: Request) -> Response:
        return _text(read_asset("index.html").replace("<!-- notes -->", head), "text/html")

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in SERVED:
            return _json({"error": "no such file"}, 404)
        return _text(read_asset(name), _TYPES[name.rpartition(".")[2]])

    def episode(request: Request) -> Response:
        run, episode_id = request.path_params["run"], request.path_params["episode"]
        view = library.episode(run, episode_id, request.query_params)
        if view is None:
            return _json({"error": library.lack(run, episode_id)}, 404)
        return _json(view)

    async def note(request: Request) -> Response:
        if refused := _forged(request, token):
            return _json({"error": refused}, 403)
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > LONGEST_LINE:
                return _json({"error": "note: it is too long"}, 413)
        fields = _read_fields(body)
        run = request.path_params["run"]
        written = await run_in_threadpool(library.write_note, run, fields)
        if written is None:
            return _json({"error": f"note: no such finished episode in run {run}"}, 404)
        return _json(written.model_dump(mode="json"), 201)

    def refusal(request: Request, error: Exception) -> Response:
        refused = 409 if isinstance(error, StaleNote) else 400
        return _json({"error": str(error)}, refused if isinstance(error, UsageError) else 500)

    def answering(answer: Callable[[Request], Any]) -> Callable[[Request], Response]:
        return lambda request: _json(answer(request))

    routes = [
        Route("/", page),
        Route("/assets/{name}", asset),
        Route("/api/labels", answering(lambda request: viewer_labels(library.cards))),
        Route("/api/state", answering(lambda request: library.state())),
        Route("/api/episodes", answering(lambda request: library.page(request.query_params))),
        Route("/api/episodes/{run:int}/{episode:path}", episode),
    ]
    if notes:
        routes.append(Route(f"{_NOTES}{{run:int}}", note, methods=["POST"]))
    app = Starlette(routes=routes, exception_handlers={CrabGraphError: refusal})
    return _guarded(app, host, notes)


def _forged(request: Request, token: str) -> str:
    """Return why a request to write is not our page's, or nothing."""
    headers = request.headers
    if headers.get("origin") != f"http://{headers['host']}":
        return "note: only the page of this address writes notes"
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return "note: only the page of this address writes notes"
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return "note: it is no JSON"
    given = headers.get("x-notes-token", "")
    if not hmac.compare_digest(given.encode(), token.encode()):
        return "note: the viewer was started anew; load its page again"
    return ""


def _read_fields(body: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UsageError("note: it is no JSON object")
    return fields


def _guarded(app: ASGIApp, host: str, notes: bool) -> ASGIApp:
    """Refuse what is not for one of our hosts, or does more than to show, but to write a note.

    The headers are added to every answer.
    """
    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *headers]}
            await send(message)

        answer = app
        writes = notes and scope["method"] == "POST" and scope["path"].startswith(_NOTES)
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not is_our_host(hosts[0].decode("latin-1"), host):
            text = "This viewer answers to the address it printed, and to no other name.\n"
            answer = PlainTextResponse(text, status_code=421)
        elif scope["method"] not in ("GET", "HEAD") and not writes:
            text = "This viewer only shows: GET and HEAD.\n"
            answer = PlainTextResponse(text, status_code=405, headers={"allow": "GET, HEAD"})
        await answer(scope, receive, with_headers)

    return guard


def is_our_host(header: str, bound: str) -> bool:
    """Whether a `Host` header names where we listen.

    On a loopback address these are its names. Where we listen for other machines, any address in
    numbers is ours too, for no name server can point one elsewhere; and the machine's own name.
    """
    name = header.casefold()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.rpartition(":")[0]
    if name in (_LOOPBACK_NAMES | {bound.casefold()}):
        return True
    if is_loopback(bound):
        return False
    own = socket.gethostname().casefold()
    return _address(name) is not None or name in (own, own.partition(".")[0])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    address = _address(host)
    return host.casefold() == "localhost" if address is None else address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def listen(host: str, port: int) -> Listening:
    """Bind a host and a port, 0 for any that is free.

    Raises:
        UsageError: the host is not ours, or the port is taken.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.create_server(address[:2], family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"serve: cannot listen on {host}, port {port}: {reason}; "
            "--port 0 takes a port that is free"
        ) from None
    shown = f"[{host}]" if ":" in host else host
    return Listening(bound, f"http://{shown}:{bound.getsockname()[1]}/")


def serve(library: Library, host: str, listening: Listening, notes: bool = False) -> None:
    """Serve until interrupted, while a thread keeps up with the runs."""
    stop = Event()
    library.watch(stop, PAUSE_SECONDS)
    try:
        _server(library, host, notes).run(sockets=[listening.socket])
    finally:
        stop.set()


@contextmanager
def serving(
    library: Library, host: str = "127.0.0.1", pause: float = 0.1, *, notes: bool = False
) -> Iterator[str]:
    """Serve in a thread while the block runs; gives the address."""
    listening = listen(host, 0)
    server = _server(library, host, notes)
    stop = Event()
    watcher = library.watch(stop, pause)
    # A server in a thread leaves signals to the main one.
    thread = Thread(target=server.run, args=([listening.socket],), daemon=True)
    thread.start()
    try:
        yield listening.url
    finally:
        stop.set()
        server.should_exit = True
        thread.join()
        watcher.join()
        listening.socket.close()


def _server(library: Library, host: str, notes: bool) -> uvicorn.Server:
    config = uvicorn.Config(
        build_app(library, host, notes),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def _json(document: Any, status: int = 200) -> Response:
    # ASCII alone: what was said may hold a lone surrogate, which has no form in UTF-8.
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return _text(text, "application/json", status)


def _text(text: str, media_type: str, status: int = 200) -> Response:
    return Response(text, status_code=status, media_type=media_type)
