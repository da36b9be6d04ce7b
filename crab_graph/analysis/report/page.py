"""The report as one HTML page that needs nothing beside itself: no network, no fonts, no library.

Everything an agent, a user or a tool said goes through Jinja's escaping or, as JSON, through
`embed_json`; the script builds elements from text alone.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2

from crab_graph.analysis.report import labels
from crab_graph.analysis.report.summary import Group, Summary, summarise
from crab_graph.analysis.report.titles import check_titles
from crab_graph.analysis.viewer.episode_view import view_episode
from crab_graph.errors import UsageError
from crab_graph.runs.record import EpisodeRecord
from crab_graph.workers import write_atomically


def render_page(records: Sequence[EpisodeRecord], title: str) -> str:
    """Return the page for some episodes."""
    summary = summarise(records)
    rows = [_row(index, record) for index, record in enumerate(records)]
    return _template().render(
        title=title,
        summary=summary,
        strata=sorted({group.stratum for group in summary.by_stratum}),
        stratum_groups={_key(group): group for group in summary.by_stratum},
        failed_checks=_failed_checks(summary),
        failure_modes=_failure_modes(summary),
        rows=rows,
        has_trials=any(record.trial for record in records),
        tasks=len({record.task_id for record in records}),
        notes=notes_on(summary),
        style=_read("page.css"),
        script=_read("page.js"),
        titles=check_titles(),
        embedded_labels=embed_json({"outcomes": labels.OUTCOMES, "checks": check_titles()}),
        episodes=[embed_json(view_episode(record)) for record in records],
        labels=labels,
    )


def write_page(path: Path, records: Sequence[EpisodeRecord], title: str) -> None:
    """Write the page to a file.

    Raises:
        UsageError: the file's directory does not exist, or the path is one.
    """
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: cannot be written; name a file in a directory that exists")
    # What was said may hold a lone surrogate, which no file can.
    text = render_page(records, title).encode("utf-8", "replace").decode()
    write_atomically(path, text)


def embed_json(value: Any) -> str:
    """Return JSON that is safe inside a script element, and free of U+2028 and lone surrogates."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def notes_on(summary: Summary) -> list[str]:
    """Return what a reader must know before the figures: which of them no model stands behind."""
    notes = []
    if any(group.is_reference for group in summary.overall):
        notes.append(labels.REFERENCE_NOTE)
    if any(group.user_engine == "rules" for group in summary.overall):
        notes.append(labels.RULES_USER_NOTE)
    return notes


def _row(index: int, record: EpisodeRecord) -> dict[str, Any]:
    """Return what the table of episodes shows, and what its filters read."""
    failed = [check for check, verdict in record.checks.items() if verdict == "fail"]
    return {
        "index": index,
        "record": record,
        "failed": failed,
        "turns": sum(
            1
            for message in record.messages
            if message["role"] in ("assistant", "user") and not message.get("tool_calls")
        ),
    }


def _key(group: Group) -> tuple[str, str, str, int | None]:
    return (group.agent, group.user, group.user_engine, group.stratum)


def _failed_checks(summary: Summary) -> list[str]:
    """Return the checks that failed anywhere: concrete, factuality, completion, each by id."""
    failed = {check for group in summary.overall for check in group.failed_checks}
    order = list(labels.PARTS)
    return sorted(failed, key=lambda check: (order.index(check[0]), check))


def _failure_modes(summary: Summary) -> list[str]:
    totals: dict[str, int] = {}
    for group in summary.overall:
        for mode, count in group.failure_modes.items():
            totals[mode] = totals.get(mode, 0) + count
    return sorted(totals, key=lambda mode: (-totals[mode], mode))


def _read(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["percent"] = lambda rate: "–" if rate.value is None else f"{rate.value:.0%}"
    return environment.from_string(_read("page.html"))
