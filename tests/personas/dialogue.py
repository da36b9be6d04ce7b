"""A small dialogue without a graph: agent, tools and user take turns over a folded ledger."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from crab_graph.domains.task import Task
from crab_graph.personas.condition import parse_condition, resolve
from crab_graph.personas.rules_user import RulesUser
from crab_graph.tools.ledger import Ledger
from crab_graph.tools.registry import Owner

Agent = Callable[[list[BaseMessage], list[Any]], AIMessage | str]
MAX_STEPS = 200


@dataclass
class Dialogue:
    task: Task
    ledger: Ledger
    transcript: list[dict[str, Any]] = field(default_factory=list)
    user_state: dict[str, Any] = field(default_factory=dict)

    @property
    def visible(self) -> list[dict[str, Any]]:
        return [
            m
            for m in self.transcript
            if m["role"] in {"user", "assistant"} and "tool_calls" not in m
        ]

    @property
    def ending(self) -> str:
        text = self.visible[-1]["content"]
        return text.rsplit("###", 2)[-2] if text.endswith("###") else ""

    def text(self) -> str:
        lines = []
        for message in self.transcript:
            calls = " ".join(
                f"{c['name']}({c['arguments']})" for c in message.get("tool_calls", ())
            )
            lines.append(f"{message['role']:9} {message.get('content', '')[:1500]} {calls[:300]}")
        return "\n".join(lines)


def briefing_of(task: Task):
    return task.briefing


def talk(
    task: Task,
    agent: Agent,
    condition: str = "generic",
    seed: int = 0,
    opening: str | None = None,
) -> Dialogue:
    """Let an agent and a rule-based user talk until the user ends it.

    `opening` replaces the first turn.
    """
    resolved = resolve(parse_condition(condition), seed, task.id, 0)
    user = RulesUser(briefing_of(task), resolved, seed)
    dialogue = Dialogue(task, Ledger.fold(task.world, []))
    turn = "user"
    for _ in range(MAX_STEPS):
        if turn == "user":
            step = user.step(dialogue.user_state, _user_view(dialogue.transcript))
            dialogue.user_state = step.state
            message = dict(step.message)
            if opening is not None and not dialogue.transcript:
                message["content"] = opening
        else:
            message = _from_agent(agent(agent_view(dialogue), []))
        dialogue.transcript.append(message)
        if message.get("tool_calls"):
            _run(dialogue, message)
        elif dialogue.ending:
            return dialogue
        else:
            turn = "agent" if turn == "user" else "user"
    return dialogue


def _run(dialogue: Dialogue, message: dict[str, Any]) -> None:
    registry = dialogue.task.domain.registry()
    for call in message["tool_calls"]:
        outcome = registry.call(
            dialogue.ledger, Owner(message["owner"]), call["name"], call["arguments"]
        )
        seq = len(dialogue.transcript)
        dialogue.ledger = dialogue.ledger.extended([{**e, "seq": seq} for e in outcome.events])
        dialogue.transcript.append(
            {
                "role": "tool",
                "owner": message["owner"],
                "tool_call_id": call["id"],
                "content": outcome.content,
            }
        )


def _from_agent(answer: AIMessage | str) -> dict[str, Any]:
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer}
    if not answer.tool_calls:
        return {"role": "assistant", "content": str(answer.content)}
    calls = [
        {"id": call["id"], "name": call["name"], "arguments": call["args"]}
        for call in answer.tool_calls
    ]
    return {"role": "assistant", "owner": "agent", "content": "", "tool_calls": calls}


def _user_view(transcript: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message for message in transcript if message.get("owner") != "agent"]


def agent_view(dialogue: Dialogue) -> list[BaseMessage]:
    view: list[BaseMessage] = [SystemMessage(dialogue.task.policy)]
    for message in dialogue.transcript:
        if message.get("owner") == "user":
            continue
        if message["role"] == "tool":
            view.append(ToolMessage(message["content"], tool_call_id=message["tool_call_id"]))
        elif message["role"] == "user":
            view.append(HumanMessage(message["content"]))
        else:
            calls = [
                {"id": c["id"], "name": c["name"], "args": c["arguments"]}
                for c in message.get("tool_calls", ())
            ]
            view.append(AIMessage(message["content"], tool_calls=calls))
    return view
