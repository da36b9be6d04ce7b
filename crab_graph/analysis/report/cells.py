"""What the terminal's tables share: whose row it is, and words that cannot steer the terminal."""

import re

from rich.table import Table
from rich.text import Text

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> Text:
    """Return what somebody said as text that can neither style nor steer the terminal."""
    return Text(_CONTROL.sub("�", text))


def agent_name(agent: str, is_reference: bool) -> Text:
    """Return an agent's name, labelled where no model stands behind it."""
    name = plain(agent)
    return name.append(" (reference)", style="dim") if is_reference else name


def titled_table(title: str, *columns: str) -> Table:
    """Return an empty table."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in columns:
        table.add_column(name)
    return table
