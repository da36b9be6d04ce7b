"""What keeps dialogues on this machine: only this page may ask, only GET, only from these hosts.

A page from elsewhere cannot read an answer, for no answer allows another origin. It could try with
a name of its own that it lets point here (DNS rebinding); such a request names that host, and is
refused. What is served may load nothing from anywhere else, and run no script but its own files.
"""

import ipaddress
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Refuses what is no GET or HEAD for one of our hosts, and adds the headers to every answer."""

    def __init__(self, app: "ASGIApp", host: str) -> None:
        """Stand before an application that listens on a host."""
        self._app = app
        self._host = host

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        from starlette.responses import PlainTextResponse  # noqa: PLC0415

        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: "Message") -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        answer: ASGIApp = self._app
        if not is_our_host(_header(scope, b"host"), self._host):
            text = "This viewer answers to the address it printed, and to no other name.\n"
            answer = PlainTextResponse(text, status_code=421)
        elif scope["method"] not in ("GET", "HEAD"):
            text = "This viewer only shows: GET and HEAD.\n"
            answer = PlainTextResponse(text, status_code=405, headers={"allow": "GET, HEAD"})
        await answer(scope, receive, guarded)


def is_our_host(header: str, bound: str) -> bool:
    """Whether a `Host` header names where we listen.

    On a loopback address these are its names. Where we listen for other machines, any address in
    numbers is ours too, for no name server can point one elsewhere; and the machine's own name.
    """
    name = _without_port(header).casefold()
    if name in (_LOOPBACK_NAMES | {bound.casefold()}):
        return True
    if is_loopback(bound):
        return False
    return _address(name) is not None or name in _own_names()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    address = _address(host)
    return host.casefold() == "localhost" if address is None else address.is_loopback


def _address(name: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address | None":
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _own_names() -> set[str]:
    name = socket.gethostname().casefold()
    return {name, name.partition(".")[0]}


def _without_port(header: str) -> str:
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if header.count(":") == 1 else header


def _header(scope: "Scope", name: bytes) -> str:
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""
