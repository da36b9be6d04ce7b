"""Keep credentials out of records: only how a model is named is stored, never what opens it."""

import os
import re
from urllib.parse import parse_qsl, urlsplit, urlunsplit

MASK = "***"

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|signature|^sig$|^code$", re.IGNORECASE
)
_SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_][A-Za-z0-9_\-*]{8,}")
_USERINFO = re.compile(r"(?<=://)[^/\s@]+@")
_SHORTEST_SECRET = 8


def without_secrets(text: str) -> str:
    """Return a text in which values of secret environment variables, keys and logins are masked."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST_SECRET and _SECRET_VARIABLE.search(name):
            text = text.replace(value, MASK)
    return _USERINFO.sub(f"{MASK}@", _KEY_SHAPE.sub(MASK, text))


def public_spec(spec: str) -> str:
    """Return a spec as it may be stored: an address with its login and secret parts masked."""
    if "://" not in spec:
        return spec
    parts = urlsplit(spec)
    host = parts.netloc.rpartition("@")
    netloc = f"{MASK}@{host[2]}" if host[1] else parts.netloc
    query = "&".join(
        f"{name}={MASK if _SECRET_NAME.search(name) else value}"
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    return urlunsplit((parts.scheme, netloc, parts.path, query, parts.fragment))
