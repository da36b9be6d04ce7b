"""The viewer as a web application on this machine: a page, its files, and a small JSON interface.

GET /                          the page
GET /assets/NAME               its modules and style sheets
GET /api/labels                words for outcomes and checks
GET /api/state                 how far each run is, and a version that grows with them
GET /api/episodes?…            a page of the list: filters, `offset`, `limit`
GET /api/episodes/RUN/ID?…     one episode in full, with its neighbours in the list
"""

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from crab_graph.analysis.viewer.assets import SERVED, read_asset, viewer_labels
from crab_graph.analysis.viewer.guard import Guard
from crab_graph.analysis.viewer.library import Library
from crab_graph.errors import CrabGraphError, MissingExtra, UsageError

if TYPE_CHECKING:
    import uvicorn
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

PAUSE_SECONDS = 1.0
"""How often runs are looked at for new episodes."""

_TYPES = {"js": "text/javascript", "css": "text/css"}


class Listening(NamedTuple):
    """A socket that is bound, and the address to open."""

    socket: socket.socket
    url: str


def build_app(library: Library, host: str) -> "ASGIApp":
    """Return the application for some runs.

    Args:
        library: The runs.
        host: Where it will listen; requests for another host are refused.

    Raises:
        MissingExtra: Starlette is not installed.
    """
    try:
        from starlette.applications import Starlette  # noqa: PLC0415
        from starlette.routing import Route  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("the viewer", "serve") from error

    # Plain functions run in threads, so that reading one episode holds up no other request.
    def page(request: "Request") -> "Response":
        return _text(read_asset("index.html"), "text/html")

    def asset(request: "Request") -> "Response":
        name = request.path_params["name"]
        if name not in SERVED:
            return _json({"error": "no such file"}, 404)
        return _text(read_asset(name), _TYPES[name.rpartition(".")[2]])

    def episode(request: "Request") -> "Response":
        run, episode_id = request.path_params["run"], request.path_params["episode"]
        view = library.episode(run, episode_id, request.query_params)
        if view is None:
            return _json({"error": f"no finished episode '{episode_id}' in run {run}"}, 404)
        return _json(view)

    routes = [
        Route("/", page),
        Route("/assets/{name}", asset),
        Route("/api/labels", _answering(lambda request: viewer_labels())),
        Route("/api/state", _answering(lambda request: library.state())),
        Route("/api/episodes", _answering(lambda request: library.page(request.query_params))),
        Route("/api/episodes/{run:int}/{episode:path}", episode),
    ]
    app = Starlette(routes=routes, exception_handlers={CrabGraphError: _refusal})
    return Guard(app, host)


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


def serve(library: Library, host: str, listening: Listening) -> None:
    """Serve until interrupted, while a thread keeps up with the runs.

    Raises:
        MissingExtra: Starlette or uvicorn is not installed.
    """
    stop = Event()
    server = _server(build_app(library, host))
    library.watch(stop, PAUSE_SECONDS)
    try:
        server.run(sockets=[listening.socket])
    finally:
        stop.set()


@contextmanager
def serving(library: Library, host: str = "127.0.0.1", pause: float = 0.1) -> Iterator[str]:
    """Serve in a thread while the block runs; gives the address."""
    listening = listen(host, 0)
    server = _server(build_app(library, host))
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


def check_installed() -> None:
    """See that what serves is there, before anything is bound or printed.

    Raises:
        MissingExtra: it is not.
    """
    try:
        import starlette  # noqa: F401, PLC0415
        import uvicorn  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingExtra("serve", "serve") from error


def _server(app: "ASGIApp") -> "uvicorn.Server":
    check_installed()
    import uvicorn  # noqa: PLC0415

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def _answering(answer: "Callable[[Request], Any]") -> "Callable[[Request], Response]":
    def endpoint(request: "Request") -> "Response":
        return _json(answer(request))

    return endpoint


def _refusal(request: "Request", error: Exception) -> "Response":
    return _json({"error": str(error)}, 400 if isinstance(error, UsageError) else 500)


def _json(document: Any, status: int = 200) -> "Response":
    # ASCII alone: what was said may hold a lone surrogate, which has no form in UTF-8.
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return _text(text, "application/json", status)


def _text(text: str, media_type: str, status: int = 200) -> "Response":
    from starlette.responses import Response  # noqa: PLC0415

    return Response(text, status_code=status, media_type=media_type)
