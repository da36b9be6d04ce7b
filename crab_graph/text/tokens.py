"""The tokens by which a user ends a conversation (rulebook §1); agents cannot use them."""

import re
from enum import StrEnum


class TerminalToken(StrEnum):
    """How a user ends the conversation."""

    STOP = "###STOP###"
    TRANSFER = "###TRANSFER###"
    OUT_OF_SCOPE = "###OUT-OF-SCOPE###"

    @property
    def word(self) -> str:
        """The token without its marks."""
        return self.strip("#")


_MARK = "###"
_TOKEN = re.compile("|".join(re.escape(token) for token in TerminalToken))


def find_token(text: str) -> TerminalToken | None:
    """Return the first terminal token of a text, if it holds one."""
    found = _TOKEN.search(text) if _MARK in text else None
    return TerminalToken(found[0]) if found else None


def without_tokens(text: str) -> str:
    """Return a text without its terminal tokens."""
    return _TOKEN.sub("", text) if _MARK in text else text
