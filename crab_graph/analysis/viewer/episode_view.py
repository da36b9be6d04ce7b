"""One episode as the viewer shows it: JSON values, shortened where a tool answered at length."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from crab_graph import terms
from crab_graph.analysis import labels
from crab_graph.analysis.viewer.background import NOTHING_BEHIND, Background
from crab_graph.analysis.viewer.changed_minds import changed_minds, changes_said, last_word
from crab_graph.analysis.viewer.exchanges import (
    SIGNS,
    Exchange,
    ShownCall,
    calls_of,
    describe_change,
    follow_holdings,
    read_exchanges,
)
from crab_graph.analysis.viewer.spending import view_spending
from crab_graph.domain.card import DomainCard
from crab_graph.eval.verifiers import part_of_check
from crab_graph.runs.notes import Note
from crab_graph.runs.record import EpisodeRecord

LONGEST_LIST = 4
LONGEST_TEXT = 1_500
SEEN = "where it was seen"
"""What leads to the call that first showed a part of the nearest solution."""

_ID = re.compile(r"\b[A-Z]{2}-\d{3,}\b|\$\d[\d,]*(?:\.\d\d)?")


def view_episode(
    record: EpisodeRecord, background: Background = NOTHING_BEHIND, notes: Sequence[Note] = ()
) -> dict[str, Any]:
    """Return all that the viewer reads of an episode, with what the benchmark and notes add."""
    exchanges = read_exchanges(record.messages, record.trace)
    numbers = {call.place: call.number for call in calls_of(exchanges)}
    held: list[dict[str, Any]] = []
    spoken = []
    for exchange, holdings in zip(exchanges, follow_holdings(exchanges), strict=True):
        now = holdings.as_json()
        if not held or held[-1] != now:
            held.append(now)
        spoken.append(
            {
                "speaker": exchange.speaker,
                "turn": exchange.turn,
                "text": exchange.text,
                "calls": [_view_call(call) for call in exchange.calls],
                "held": len(held) - 1,
            }
        )
    errors = [
        {**error, "text": f"{error['code']}: {error['text']}"}
        for error in record.metrics.get("user_errors", ())
    ]
    titles = labels.check_titles(background.card)
    changes = changes_said(record.metrics)
    values = background.fact_values(record.task_id, changes) if record.facts else {}
    return {
        "head": _view_head(record, background.card),
        "exchanges": spoken,
        "held": held,
        "deeds": [
            {
                "message": deed["message"],
                "claim": deed["claim"],
                "call": numbers.get(deed["seq"]),
                "action": deed["action"],
                "match": deed["match"],
            }
            for deed in background.deeds(record)
        ],
        "checks": [
            {
                "id": check,
                "title": titles.get(check, ""),
                "part": str(part_of_check(check)),
                "verdict": str(verdict),
                "evidence": view_evidence(record.evidence.get(check, ()), exchanges),
            }
            for check, verdict in record.checks.items()
        ],
        "user_errors": view_evidence(errors, exchanges),
        "facts": [{**fact, "value": values.get(fact["key"])} for fact in record.facts],
        "changed_minds": [one._asdict() for one in changed_minds(record)],
        "last_word": last_word(record.metrics),
        "notes": [note.model_dump(mode="json", exclude={"schema_version"}) for note in notes],
        "spending": view_spending(record),
        "why": _view_why(record, background.card, exchanges, numbers),
    }


def _view_head(record: EpisodeRecord, card: DomainCard) -> dict[str, Any]:
    persona = f", {record.persona}" if labels.has_drawn_persona(record) else ""
    engine = ", rule-based" if record.user_engine == "rules" else ""
    strict = [name for name, found in record.strict.get("checks", {}).items() if found == "fail"]
    fork, forked_from = record.forked_from, None
    if fork is not None:
        said = f", with “{fork['said']}” said next" if fork.get("said") else ""
        origin = fork.get("episode_id", "another episode")
        forked_from = f"{origin} after message {fork.get('turn')}{said}"
    return {
        "title": f"{record.task_id}: {record.agent_label} with a {record.condition} user",
        "outcome": str(record.outcome),
        "task": record.task_id,
        "agent": record.agent_label,
        "reference": record.agent_is_reference,
        "user": f"{record.condition}{persona}{engine}",
        "trial": record.trial,
        "stratum": record.stratum,
        "axes": [
            [axis.title.capitalize(), str(record.axes[axis.name])]
            for axis in card.axes
            if axis.name in record.axes
        ],
        "ended": record.termination,
        "failure": record.primary_failure,
        "strict": [name for name in strict if record.checks.get(name) != "fail"],
        "fault": record.fault,
        "error": record.error,
        "forked_from": forked_from,
    }


def _view_call(call: ShownCall) -> dict[str, Any]:
    """Return a call without what it does not have: most calls only look something up."""
    view = {
        "number": call.number,
        "owner": call.owner,
        "name": call.name,
        "arguments": shorten(call.arguments),
        "result": shorten(call.result),
        "error": shorten(call.error),
        "changes": [
            {
                "sign": SIGNS[change.op],
                "table": change.table,
                "key": change.key,
                "text": describe_change(change),
            }
            for change in call.changes
        ],
    }
    return {name: value for name, value in view.items() if value not in (None, [])}


def _view_why(
    record: EpisodeRecord,
    card: DomainCard,
    exchanges: Sequence[Exchange],
    numbers: Mapping[int, int],
) -> list[list[dict[str, str]]]:
    """Return what separates a failed episode from the nearest solution, a line a difference."""
    if record.explanation is None:
        return []
    lines = []
    for part in record.explanation["parts"]:
        if not part["differs"]:
            continue
        wanted = " ".join(part["nearest"][name] for name in part["differs"])
        held = part["booked"] or {}
        booked = " ".join(held[name] for name in part["differs"] if name in held) or "nothing"
        broken = "".join(f"; {words}" for words in part["broken"])
        slot, found = card.slot_title(part["slot"]), terms.FOUND[part["found"]]
        text = f"{slot}: {booked}, not {wanted} ({found}){broken}"
        (line,) = view_evidence([{"text": text}], exchanges)
        if part["seen_at"] in numbers:
            where = {"text": SEEN, "anchor": f"call-{numbers[part['seen_at']]}"}
            line += [{"text": " · "}, where]
        lines.append(line)
    between = [{"text": f"together: {words}"} for words in record.explanation["between"]]
    return lines + view_evidence(between, exchanges)


def view_evidence(
    evidence: Sequence[Mapping[str, Any]], exchanges: Sequence[Exchange]
) -> list[list[dict[str, str]]]:
    """Split each piece of evidence into text and links: to messages, to what was written.

    An id or an amount leads to where it occurs first: in a call that wrote it, else in speech.
    """
    anchors: dict[str, str] = {}
    for call in calls_of(exchanges):
        for change in call.changes:
            anchors.setdefault(change.key, f"call-{call.number}")
    for exchange in exchanges:
        for found in _ID.findall(exchange.text):
            anchors.setdefault(found, f"turn-{exchange.turn}")
    return [_link(item, anchors) for item in evidence]


def _link(item: Mapping[str, Any], anchors: Mapping[str, str]) -> list[dict[str, str]]:
    text: str = item["text"]
    pieces: list[dict[str, str]] = []
    end = 0
    for match in _ID.finditer(text):
        if match[0] in anchors:
            pieces.append({"text": text[end : match.start()]})
            pieces.append({"text": match[0], "anchor": anchors[match[0]]})
            end = match.end()
    pieces.append({"text": text[end:]})
    linked = {piece["text"] for piece in pieces if "anchor" in piece}
    for key in (row.partition("/")[2] for row in item.get("rows", ())):
        if key in anchors and key not in linked:
            pieces += [{"text": " · "}, {"text": key, "anchor": anchors[key]}]
    if "message" in item:
        number = item["message"]
        pieces += [{"text": " · "}, {"text": f"message {number}", "anchor": f"turn-{number}"}]
    return [piece for piece in pieces if piece["text"]]


def shorten(value: Any) -> Any:
    """Return a JSON value with long lists and texts cut, saying by how much."""
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value) - LONGEST_TEXT} more characters)"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    if isinstance(value, Mapping):
        return {key: shorten(item) for key, item in value.items()}
    if isinstance(value, list):
        kept = [shorten(item) for item in value[:LONGEST_LIST]]
        more = len(value) - LONGEST_LIST
        return [*kept, f"… {more} more"] if more > 0 else kept
    return value
