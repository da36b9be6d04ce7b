"""What a notebook shows of an episode: how it came out, and the dialogue.

An `EpisodeRecord` imports this module, so it does not import that.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crab_graph import markup
from crab_graph.terms import FAULTS, OUTCOMES, label, words

MOST_CHARACTERS = 2000
MOST_OF_A_RESULT = 400
MOST_EVIDENCE = 3


def episode_html(episode: Any) -> str:
    """Return how an episode came out, and its dialogue."""
    fault = f", fault: {FAULTS[episode.fault]}" if episode.fault else ""
    first = (
        f", {label('first_failure')}: {words(episode.primary_failure)}"
        if episode.primary_failure
        else ""
    )
    agent = f"{episode.agent_label}{' (reference)' if episode.agent_is_reference else ''}"
    failed = [name for name, verdict in episode.checks.items() if verdict == "fail"]
    rows = [(name, _evidence(episode.evidence.get(name, ()))) for name in failed]
    error = markup.paragraph(f"error: {episode.error}") if episode.error else ""
    return markup.shown(
        f"{episode.episode_id} by {agent}: {OUTCOMES[episode.outcome]}{fault}{first}",
        error,
        markup.table((label("failed_check"), label("why")), rows) if rows else "",
        markup.folded(
            f"The dialogue, {len(episode.messages)} messages",
            markup.table(("", "", label("said_or_done")), _dialogue(episode.messages)),
        ),
    )


def _evidence(pieces: Sequence[Mapping[str, Any]]) -> str:
    told = [str(piece.get("text", "")) for piece in pieces[:MOST_EVIDENCE]]
    more = len(pieces) - len(told)
    return "\n".join([*told, *([f"… and {more} more"] if more else [])])


def _dialogue(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[object, str, str]]:
    """Yield each message: its turn if it is visible, whose it is, and what it holds."""
    turn = 0
    for line in messages:
        owner = line.get("owner") or ("user" if line["role"] == "user" else "agent")
        calls = line.get("tool_calls") or ()
        if calls:
            for call in calls:
                asked = f"{call['name']}({call['arguments']})"
                yield "", f"{owner} calls", markup.cut(asked, MOST_CHARACTERS)
        elif line["role"] == "tool":
            yield "", f"to {owner}", markup.cut(line.get("content") or "", MOST_OF_A_RESULT)
        else:
            turn += 1
            yield turn, owner, markup.cut(line.get("content") or "", MOST_CHARACTERS)
