"""What an episode took, for its page and a terminal: steps that asked a model, messages, tools."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from crab_graph import terms
from crab_graph.analysis.labels import plain, titled_table
from crab_graph.models.usage import PARTIES
from crab_graph.runs.record import EpisodeRecord
from crab_graph.runs.step_costs import Reread, called_names, rereads, step_rows, tool_seconds

Row = Mapping[str, Any]

NOT_MEASURED = "Tokens, money and time: not measured, as no model was asked."


class _Answer(NamedTuple):
    """A call that was answered: its number, who made it for which message, and what it took."""

    number: int
    party: str
    name: str
    turn: int
    is_in_place: bool
    seconds: float | None
    read: Reread | None


def view_spending(record: EpisodeRecord) -> dict[str, Any] | None:
    """Return what the page shows; `None` where nothing was measured, as no model was asked."""
    if not record.usage:
        return None
    steps = step_rows(record)
    answers = list(_answers(record, steps))
    return {
        "lines": [*_lines(steps, answers)],
        "strip": [*_strip(steps, answers)],
        "turns": {str(turn): said for turn, said in _turns(steps, answers)},
        "tools": _tools(answers),
    }


def print_spending(console: Console, record: EpisodeRecord) -> None:
    """Print what an episode took, and each tool in it."""
    shown = view_spending(record)
    if shown is None:
        console.print(Text(f"\n{NOT_MEASURED}", style="dim"))
        return
    console.print(Text(f"\n{terms.HEADINGS['took']}", style="bold"))
    for line in shown["lines"]:
        console.print(plain(f"  {line}"))
    if not shown["tools"]:
        return
    table = titled_table("", "tool", "calls", "time", "tokens_in_all", "reread_dollars", "dearest")
    for tool in shown["tools"]:
        dearest = tool["dearest"]
        told = "–" if dearest is None else f"call {dearest['call']}: {dearest['said']}"
        told_cells = (tool[name] for name in ("calls", "time", "tokens", "dollars"))
        table.add_row(plain(tool["name"]), *map(str, told_cells), told)
    for column in table.columns[1:5]:
        column.justify = "right"
    console.print(table)


def turn_spending(record: EpisodeRecord, turn: int) -> str | None:
    """Return what one message took, in words; `None` where that was not measured."""
    shown = view_spending(record)
    return None if shown is None else shown["turns"].get(str(turn))


def turn_costs(record: EpisodeRecord, turn: int) -> dict[str, Any] | None:
    """Return what one message took: its steps that asked a model, and the calls before it.

    `None` where nothing was measured, as no model was asked. Seconds of a call are `None` where
    it was not timed; tokens, an estimate, are those of its answer, read once.
    """
    if not record.usage:
        return None
    steps = step_rows(record)
    return {
        "steps": [step for step in steps if step["turn"] == turn],
        "calls": [
            {
                "call": one.number,
                "party": one.party,
                "name": one.name,
                "seconds": one.seconds,
                "tokens": None if one.read is None else one.read.tokens,
            }
            for one in _answers(record, steps)
            if one.turn == turn
        ],
    }


def _answers(record: EpisodeRecord, steps: Sequence[Row]) -> Iterator[_Answer]:
    """Yield every answered call; one that was made in place has no step of its own before it."""
    with_steps = {step["number"] for step in steps}
    found = zip(called_names(record), tool_seconds(record), rereads(record), strict=True)
    asked: dict[str, tuple[int, str]] = {}
    turn = number = 0
    is_in_place = False
    for place, message in enumerate(record.messages, start=1):
        is_said = message["role"] != "tool" and not message.get("tool_calls")
        turn += is_said
        for call in message.get("tool_calls") or ():
            is_in_place = message["role"] == "assistant" and place not in with_steps
            number += 1
            asked[call["id"]] = number, message["role"]
        if message["role"] == "tool":
            name, seconds, read = next(found)
            at, role = asked.get(message["tool_call_id"], (number, "assistant"))
            party = "agent" if role == "assistant" else "user"
            yield _Answer(at, party, name, turn + 1, is_in_place, seconds, read)


def _lines(steps: Sequence[Row], answers: Sequence[_Answer]) -> Iterator[str]:
    """Yield what each party took, and the tools."""
    if not steps:
        yield "Steps: not measured by the version of crab-graph that played it."
    for party in PARTIES if steps else ():
        own = [step for step in steps if step["party"] == party]
        if not own:
            yield f"{party.capitalize()}: not measured, as it asked no model."
            continue
        calls = _plural(_sum(own, "calls"), "model call")
        yield f"{party.capitalize()}: {_plural(len(own), 'step')}, {calls}, {_told(own)}."
    timed = [one.seconds for one in answers if one.seconds is not None]
    if not timed:
        yield "Tools: time not measured."
        return
    rest = len(answers) - len(timed)
    left_out = f", {_plural(rest, 'call')} not measured" if rest else ""
    yield f"Tools: {_plural(len(timed), 'call')}, {_time(sum(timed))}{left_out}."


def _strip(steps: Sequence[Row], answers: Sequence[_Answer]) -> Iterator[dict[str, Any]]:
    """Yield marks in order: the steps, and the calls that were run between two of them."""
    waits: dict[int, list[float]] = {}
    for one in answers:
        if one.seconds is not None and not one.is_in_place:
            waits.setdefault(one.turn, []).append(one.seconds)
    for step in steps:
        says = f"{step['party']}, message {step['turn']}: {_told([step])}"
        yield {"kind": step["party"], "seconds": step["seconds"], "says": says}
        if step is _last_of(steps, step["turn"]) and (took := waits.pop(step["turn"], None)):
            says = (
                f"tools, message {step['turn']}: {_plural(len(took), 'call')}, {_time(sum(took))}"
            )
            yield {"kind": "tools", "seconds": round(sum(took), 6), "says": says}


def _last_of(steps: Sequence[Row], turn: int) -> Row:
    return [step for step in steps if step["turn"] == turn][-1]


def _turns(steps: Sequence[Row], answers: Sequence[_Answer]) -> Iterator[tuple[int, str]]:
    """Yield what was taken for each message: by steps, and by tools."""
    for turn in sorted({*(step["turn"] for step in steps), *(one.turn for one in answers)}):
        own = [step for step in steps if step["turn"] == turn]
        timed = [one.seconds for one in answers if one.turn == turn and one.seconds is not None]
        tools = [f"{_plural(len(timed), 'tool call')} {_time(sum(timed))}"] if timed else []
        if own or tools:
            yield turn, "; ".join([*([_told(own)] if own else []), *tools])


def _tools(answers: Sequence[_Answer]) -> list[dict[str, Any]]:
    """Return a row for each tool, the one first whose answers were read most."""
    by_name: dict[str, list[_Answer]] = {}
    for one in answers:
        by_name.setdefault(one.name, []).append(one)

    def weight(own: Sequence[_Answer]) -> tuple[int, float]:
        tokens = sum(one.read.in_all for one in own if one.read)
        return -tokens, -sum(one.seconds or 0.0 for one in own)

    ordered = sorted(by_name.items(), key=lambda item: weight(item[1]))
    return [{"name": name, **_tool(own)} for name, own in ordered]


def _tool(answers: Sequence[_Answer]) -> dict[str, Any]:
    timed = [one.seconds for one in answers if one.seconds is not None]
    read = [(one.read, one.number) for one in answers if one.read is not None]
    dollars = [one.dollars for one, _ in read if one.dollars is not None]
    dearest = None
    if read:
        most, number = max(read, key=lambda found: found[0].in_all)
        later = _plural(most.reads, "later step")
        dearest = {"call": number, "said": f"{most.tokens:,} tokens, read by {later}"}
    return {
        "calls": len(answers),
        "time": _time(sum(timed)) if timed else "–",
        "tokens": f"{sum(one.in_all for one, _ in read):,}" if read else "–",
        "dollars": _dollars(sum(dollars)) if read and len(dollars) == len(read) else "–",
        "dearest": dearest,
    }


def _told(steps: Sequence[Row]) -> str:
    """Return time, tokens and money of steps in words."""
    time = _time(sum(step["seconds"] for step in steps))
    money = "cost not known"
    if all(step["dollars"] is not None for step in steps):
        money = _dollars(sum(step["dollars"] for step in steps))
    return f"{time}, {_tokens(steps)}, {money}"


def _tokens(steps: Sequence[Row]) -> str:
    uncounted = _sum(steps, "uncounted_calls")
    if uncounted == _sum(steps, "calls"):
        return "tokens not measured"
    cached = _sum(steps, "cached_tokens")
    told = (
        f"{_sum(steps, 'input_tokens'):,} tokens read{f' ({cached:,} cached)' if cached else ''}, "
        f"{_sum(steps, 'output_tokens'):,} written"
    )
    return f"{told}, {_plural(uncounted, 'answer')} not counted" if uncounted else told


def _sum(rows: Sequence[Row], name: str) -> int:
    return sum(row[name] for row in rows)


def _time(seconds: float) -> str:
    if seconds >= 100:
        return f"{seconds:,.0f} s"
    if seconds >= 0.1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.1f} ms" if seconds >= 0.0001 else "<0.1 ms"


def _dollars(dollars: float) -> str:
    return f"${dollars:,.4f}" if dollars >= 0.0001 or not dollars else "<$0.0001"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
