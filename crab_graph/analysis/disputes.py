"""Verdicts that notes dispute, each with its evidence: what a report on a verifier needs."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crab_graph.analysis.report.rendering import markdown_text
from crab_graph.analysis.viewer.background import Background
from crab_graph.analysis.viewer.episode_view import SEEN, view_episode
from crab_graph.errors import UnknownName
from crab_graph.markup import shown, table
from crab_graph.runs.config import RunPaths, paths_of
from crab_graph.runs.notes import Note
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.run import Run, open_run
from crab_graph.schema import canonical_json
from crab_graph.terms import HEADINGS, label, verdict_word
from crab_graph.workers import write_atomically


@dataclass(frozen=True, slots=True)
class DisputedCheck:
    """A check with its verdicts now, ordinary and strict, and the evidence for the first."""

    id: str
    title: str
    verdict: str
    strict_verdict: str | None
    evidence: tuple[str, ...]

    @property
    def line(self) -> str:
        """The check with its verdicts, in words."""
        strict = f", strictly {verdict_word(self.strict_verdict)}" if self.strict_verdict else ""
        return f"{self.id} {self.title}: {verdict_word(self.verdict)}{strict}"


@dataclass(frozen=True, slots=True)
class Dispute:
    """A note that disputes a verdict, and what the verdict rests on.

    `checks` is the one that it names, or all that failed; `messages` those that the note, the
    evidence and the claims beside deeds point to, with the calls before each.
    """

    run: str
    note: Note
    agent: str
    user: str
    outcome: str
    checks: tuple[DisputedCheck, ...]
    explanation: tuple[str, ...]
    messages: tuple[dict[str, Any], ...]
    made_with: Mapping[str, str | None]

    @property
    def verdict(self) -> str:
        """The verdict that is disputed, as it is now."""
        return self.checks[0].verdict if self.note.check_id and self.checks else self.outcome

    @property
    def title(self) -> str:
        """What is disputed, in a line."""
        note = self.note
        title = self.checks[0].title if note.check_id and self.checks else ""
        what = f"{note.check_id} {title}".strip() if note.check_id else "outcome"
        where = note.episode_id if note.turn is None else f"{note.episode_id}, message {note.turn}"
        before = verdict_word(note.verdict)
        since = f" (then {before})" if note.verdict not in (None, self.verdict) else ""
        return f"{where}: {what}: {verdict_word(self.verdict)}{since}"

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that show it again."""
        return (
            f"crab-graph show {self.run} {self.note.episode_id} --why",
            f"crab-graph regrade {self.run}",
        )

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        fields = {name: getattr(self, name) for name in ("run", "agent", "user", "outcome")}
        return {
            **fields,
            "verdict": self.verdict,
            "note": self.note.model_dump(mode="json", exclude={"schema_version", "deleted"}),
            "checks": [asdict(one) for one in self.checks],
            "explanation": list(self.explanation),
            "messages": list(self.messages),
            "made_with": dict(self.made_with),
            "commands": list(self.commands),
        }


class Disputes(tuple[Dispute, ...]):
    """The disputed verdicts of some runs."""

    __slots__ = ()

    def as_json(self) -> list[dict[str, Any]]:
        """Return them as JSON values."""
        return [one.as_json() for one in self]

    def markdown(self) -> str:
        """Return them as a report on verifiers; nothing that anybody said becomes markup."""
        blocks = ["# Disputed verdicts", f"{len(self)} in all."]
        return "\n\n".join([*blocks, *(line for one in self for line in _markdown(one))]) + "\n"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        rows = [(one.run, one.title, one.note.text) for one in self]
        return shown("Disputed verdicts", table(list(map(label, ("run", "verdict", "note"))), rows))


def disputes(*runs: RunPaths, markdown: str | os.PathLike[str] | None = None) -> Disputes:
    """Return the verdicts that notes beside runs dispute, each with its evidence.

    Args:
        runs: What `run` or `open_run` returned, or directories of runs.
        markdown: Also write them into this file, as a report on verifiers.

    Raises:
        RunError: one is no run, or is damaged.
        UsageError: there is no run.
    """
    opened = list(map(open_run, paths_of(runs)))
    found = Disputes(one for run in opened for one in _of_run(run))
    if markdown is not None:
        write_atomically(Path(markdown), found.markdown())
    return found


def _of_run(run: Run) -> Iterator[Dispute]:
    background = None
    for note in run.notes:
        if not note.disputed:
            continue
        background = background or Background.of_run(run.directory, run.config)
        try:
            record = run[note.episode_id]
        except UnknownName:
            continue  # of a line that somebody wrote by hand
        yield _dispute(run, note, record, background)


def _dispute(run: Run, note: Note, record: EpisodeRecord, background: Background) -> Dispute:
    view = view_episode(record, background)
    strict = record.strict.get("checks", {})
    checks = tuple(
        DisputedCheck(
            id=one["id"],
            title=one["title"],
            verdict=one["verdict"],
            strict_verdict=strict.get(one["id"]),
            evidence=tuple(map(_joined, one["evidence"])),
        )
        for one in view["checks"]
        if (one["id"] == note.check_id if note.check_id else one["verdict"] == "fail")
    )
    return Dispute(
        run=str(run.directory),
        note=note,
        agent=record.agent_label,
        user=view["head"]["user"],
        outcome=str(record.outcome),
        checks=checks,
        explanation=tuple(map(_joined, view["why"])),
        messages=tuple(_messages(view, note, checks)),
        made_with={
            "crab-graph": run.config.versions.get("crab-graph"),
            "verifiers": record.stamp.get("verifier"),
            "benchmark": run.config.benchmark_sha256,
        },
    )


def _joined(pieces: Sequence[Mapping[str, str]]) -> str:
    """Return what the viewer shows with links as text, which says where they lead."""
    return "".join(
        f"seen in call {piece['anchor'].removeprefix('call-')}"
        if piece["text"] == SEEN
        else piece["text"]
        for piece in pieces
    )


def _messages(
    view: Mapping[str, Any], note: Note, checks: Sequence[DisputedCheck]
) -> Iterator[dict[str, Any]]:
    """Yield the messages that somebody who judges the verdict has to read, with claims and deeds.

    They are those that are pointed to, each with the one it answers; the last two if none is.
    """
    exchanges = [one for one in view["exchanges"] if one["turn"] is not None]
    anchors = {f"turn-{one['turn']}": one["turn"] for one in exchanges}
    anchors |= {f"call-{call['number']}": one["turn"] for one in exchanges for call in one["calls"]}
    linked = (
        anchors.get(piece.get("anchor", ""))
        for one in view["checks"]
        if one["id"] in {check.id for check in checks}
        for pieces in one["evidence"]
        for piece in pieces
    )
    pointed = {turn for turn in (note.turn, *linked) if turn is not None}
    turns = {near for turn in pointed for near in (turn - 1, turn)} or {
        one["turn"] for one in exchanges[-2:]
    }
    for one in exchanges:
        if one["turn"] in turns:
            claims = [deed for deed in view["deeds"] if deed["message"] == one["turn"]]
            yield {
                **{name: one[name] for name in ("turn", "speaker", "text", "calls")},
                "claims": [
                    {name: deed[name] for name in ("claim", "action", "match")} for deed in claims
                ],
            }


def lines_of(call: Mapping[str, Any]) -> list[str]:
    """Return a call, its answer and what it wrote, a line each."""
    answer = call.get("error", call.get("result"))
    asked = f"{call['name']}({canonical_json(call['arguments'])})"
    return [
        f"call {call['number']} by the {call['owner']}: {asked}",
        f"→ {canonical_json(answer)}",
        *(f"{one['sign']} {one['key']} {one['text']}" for one in call.get("changes", ())),
    ]


_AGREES = {True: "borne out", False: "contradicted", None: "nothing was said"}


def claim_line(claim: Mapping[str, Any]) -> str:
    """Return what was said beside what was done about it."""
    return f"said: {claim['claim']}; done: {claim['action']} ({_AGREES[claim['match']]})"


def _markdown(one: Dispute) -> Iterator[str]:
    """Yield the paragraphs of a dispute."""
    note = one.note
    yield f"## {markdown_text(one.title)}"
    yield f"{markdown_text(one.agent)} with {markdown_text(one.user)}, in {markdown_text(one.run)}."
    yield _quoted(note.text or "(no words)")
    if note.tags:
        yield f"Tags: {markdown_text(', '.join(note.tags))}"
    for check in one.checks:
        lines = [f"- {markdown_text(line)}" for line in check.evidence]
        lines = lines or ["No evidence is kept."]
        yield "\n".join([f"### {markdown_text(check.line)}", "", *lines])
    if one.explanation:
        lines = [f"- {markdown_text(line)}" for line in one.explanation]
        yield "\n".join([f"### {HEADINGS['why']}", "", *lines])
    yield f"### {HEADINGS['dialogue']}"
    for message in one.messages:
        lines = [line for call in message["calls"] for line in lines_of(call)]
        lines += map(claim_line, message["claims"])
        yield f"**{message['speaker'].capitalize()}, message {message['turn']}**"
        yield _quoted(message["text"] or "(empty)")
        if lines:
            yield "\n".join(f"- {markdown_text(line)}" for line in lines)
    made = ", ".join(f"{name} {value or 'unknown'}" for name, value in one.made_with.items())
    yield f"Made with: {markdown_text(made)}"
    yield "\n".join(f"- {markdown_text(command)}" for command in one.commands)


def _quoted(text: str) -> str:
    return "\n".join(f"> {markdown_text(line)}" for line in text.splitlines() or [""])
