"""The three nodes of an episode: agent, user and environment (paper section 3.3).

Each superstep adds one message (the environment adds one for each call of a batch), or a whole turn
of an agent that calls tools by itself, with its calls and their results. Nodes never change what
they are handed: they return what is new. A failure of the agent or of a callable user ends the
episode with a status of its own, so that a run goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from contextvars import Context, copy_context
from dataclasses import asdict
from functools import partial
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphBubbleUp

from crab_graph.agents.adapters import Agent, Respond
from crab_graph.agents.reply import Call, Reply
from crab_graph.agents.workplace import at_work
from crab_graph.domains.task import Task
from crab_graph.errors import CrabGraphError, UsageError
from crab_graph.graph.accounts import (
    OutOfTime,
    Spent,
    Tried,
    beside,
    costs_of,
    timed,
    try_step,
    usage_by_party,
    without_took,
)
from crab_graph.graph.journal import Step, current_step, within
from crab_graph.graph.own_memory import memory_kept, memory_of
from crab_graph.graph.own_turn import OwnLines, OwnTurn, Scene
from crab_graph.graph.passing import agent_context, user_context
from crab_graph.graph.person import PERSON, PERSON_AGENT
from crab_graph.graph.state import (
    AgentInput,
    Batch,
    Counts,
    Ending,
    EpisodeState,
    Message,
    Status,
    Turn,
    counts_of,
    ended,
    state_change,
    user_view,
)
from crab_graph.graph.users import Setup, UserReply, UserSide
from crab_graph.graph.view import View
from crab_graph.models.failures import FailureKind, described, kind_of
from crab_graph.models.prices import add_costs
from crab_graph.models.secrets import shortened, without_secrets
from crab_graph.models.usage import PARTIES, Usage, add_usage, totals
from crab_graph.settings import OVERLONG_REPLY, Engine, reply_length
from crab_graph.text.phrases import find_token, without_tokens
from crab_graph.tools.ledger import Event, Ledger
from crab_graph.tools.registry import Owner

Update = dict[str, Any]

_WHOLE = "whole"
"""Where the journal keeps what a whole step came to, beside the answers it was made of."""

_REPLIES: Mapping[str, type[Reply | UserReply]] = {"agent": Reply, "user": UserReply}


class EpisodeNodes:
    """The nodes of one episode, bound to its task's world and tools, its agent and its user."""

    def __init__(
        self,
        task: Task,
        agent: Agent,
        user: UserSide,
        setup: Setup,
        spec: str = "",
        journal: BaseCheckpointSaver[Any] | None = None,
    ) -> None:
        """Bind the nodes.

        A checkpoint with another `spec` is refused; the journal keeps replies that are not sure to
        be repeated.
        """
        self._task = task
        self._tools = task.domain.registry()
        self.view = View(task.policy, "assistant")
        self._respond = _opened(agent, task)
        self._user = user
        self._limits = setup.settings.limits
        self._prices = setup.prices
        self._trusts = setup.trusts
        self._specs = {"agent": agent.name, "user": user.model}
        self._spec = spec
        self._journal = journal
        is_person = agent is PERSON_AGENT
        # In our own context an agent could read the whole state, or jump in it; a person has to.
        self._agent_context = copy_context if is_person else agent_context
        # What says the same when it is asked again needs no journal, and what a person typed rests
        # in the checkpoints.
        repeats = {
            "agent": agent.is_reference or is_person,
            "user": user.engine in {Engine.RULES, PERSON},
        }
        self._sampled = {party for party in PARTIES if not repeats[party]}

    @property
    def asks_models(self) -> bool:
        """Whether somebody may be a model: all but reference agents, rules and people."""
        return bool(self._sampled)

    def agent(self, state: AgentInput) -> Update:
        """Let the agent answer what it has seen."""
        counts = counts_of(state)
        view = self.view.of(state.get("messages", []))
        spent = state.get("spent", {})
        step = self._step("agent")
        turn = self._own_turn(state, step)

        def answer() -> Reply:
            with at_work(turn):
                return self._respond(view)

        tried = self._try("agent", self._agent_context(), answer, spent, step)
        if step is not None and step.is_repeated:
            turn.load()
        own = turn.lines(counts["seq"], counts["agent_calls"])
        if not (tried.usage or usage_by_party(spent)):
            own = own._replace(lines=[without_took(line) for line in own.lines])
        counts = _with_own(counts, own)
        spending = self._spend(spent, "agent", tried.usage, tried.seconds)
        update: Update = {"counts": counts}
        if own.events:
            update["events"] = Batch(lines=own.events)
        if turn.over is not None:
            cut, following = self._stopped(counts, turn)
            lines, update = [*own.lines, *cut], update | following
        elif tried.error is not None:
            # What it called is shown; an episode that is tried again goes on before this step.
            lines, spending = own.lines, self._broken("agent", tried, spent)
        else:
            reply = cast(Reply, tried.value)
            line, following = self._answered(counts, reply, spending.get("spent", spent))
            line = beside(line, tried, self._prices, self._specs["agent"])
            lines, update = [*own.lines, line], update | following
            if reply.memory is not None:
                seq = update["counts"]["seq"]
                kept = memory_kept(seq, self._specs["agent"], reply.memory)
                update["agent_states"] = Batch(lines=[kept])
        return update | spending | {"messages": Batch(lines=lines)}

    def _own_turn(self, state: AgentInput, step: Step | None) -> OwnTurn:
        """Return where the agent works in this step."""
        counts, spent = counts_of(state), state.get("spent", {})
        memory, seen = memory_of(state, self._specs["agent"], trusts=self._trusts)

        def reached(lines: int, errors: int, usage: Usage) -> str | None:
            now = cast(Spent, {**spent, "agent": add_usage(spent.get("agent", {}), usage)})
            tried = {**counts, "seq": counts["seq"] + lines}
            tried["tool_errors"] = counts["tool_errors"] + errors
            return self._reached(cast(Counts, tried), now)

        scene = Scene(
            self._tools,
            self._task.world,
            state.get("events", []),
            reached,
            self._limits.max_reply_characters,
            memory,
            sum(line["seq"] >= seen for line in state.get("messages", ())),
        )
        return OwnTurn(scene, step)

    def _answered(self, counts: Counts, reply: Reply, spent: Spent) -> tuple[Message, Update]:
        """Return the line of what an agent answered at last, and what follows from it."""
        line: Message = {"seq": counts["seq"], "role": "assistant"}
        length = reply_length(reply.text, (call.arguments for call in reply.calls))
        if length > self._limits.max_reply_characters:
            line["content"] = self._cut(reply, length)
            update = self._next(counts, "user", spent, turns=1)
            update |= ended(Status.BUDGET_EXHAUSTED, OVERLONG_REPLY)
        elif not reply.calls:
            line["content"] = without_tokens(reply.text).strip()
            update = self._next(counts, "user", spent, turns=1)
        else:
            calls = _numbered(reply.calls, "call", counts["agent_calls"])
            line |= {"owner": "agent", "content": reply.text, "tool_calls": calls}
            update = self._next(counts, "environment", spent, agent_calls=len(calls))
        return line | ({"own": reply.own} if reply.own else {}), update

    def _stopped(self, counts: Counts, turn: OwnTurn) -> tuple[list[Message], Update]:
        """Return what ends an episode that reached a limit in the middle of a turn."""
        update: Update = {"counts": counts, "turn": "user"}
        lines: list[Message] = []
        if turn.overlong is not None:
            call, length = turn.overlong
            text = self._cut(Reply(calls=(call,)), length)
            lines = [{"seq": counts["seq"], "role": "assistant", "content": text}]
            update = self._next(counts, "user", {}, turns=1)
        return lines, update | ended(Status.BUDGET_EXHAUSTED, cast(str, turn.over))

    def _cut(self, reply: Reply, length: int) -> str:
        """Return what is kept of a reply that is too long, which says so itself."""
        limit = self._limits.max_reply_characters
        said = "" if reply.calls else without_tokens(reply.text[:limit]).strip()
        what = "its calls were not run" if reply.calls else "the rest is cut off"
        why = f"[a reply of {length:,} characters, at most {limit:,} are allowed; {what}]"
        return f"{said}\n\n{why}".strip()

    def user(self, state: EpisodeState) -> Update:
        """Let the user open, answer, use its own tools, or end the talk."""
        before, spent = state.get("user_state", {}), state.get("spent", {})
        view = user_view(state)
        tried = self._try(
            "user", user_context(), lambda: self._user.step(before, view), spent, self._step("user")
        )
        if tried.error is not None:
            return self._broken("user", tried, spent)
        step = cast(UserReply, tried.value)
        spending = self._spend(spent, "user", tried.usage, tried.seconds)
        update = self._spoken(state, step, spending.get("spent", spent))
        channel = "user_messages" if step.calls else "messages"
        (line,) = update[channel]["lines"]
        said = beside(line, tried, self._prices, self._specs["user"])
        return update | spending | {channel: Batch(lines=[said])}

    def put_in(self, state: EpisodeState, party: str, reply: Reply) -> Update:
        """Return what follows when somebody else says or calls this in a party's place."""
        spent = state.get("spent", {})
        if party == "agent":
            line, update = self._answered(counts_of(state), reply, spent)
            return update | {"messages": Batch(lines=[line])}
        before, tell = state.get("user_state", {}), self._user.tell
        after = dict(before)
        if tell is not None and not reply.calls:
            after = tell(before, user_view(state), reply.text)
        return self._spoken(state, UserReply(reply.text, reply.calls, after), spent)

    def _spoken(self, state: EpisodeState, step: UserReply, spent: Spent) -> Update:
        """Return what follows from what the user did."""
        counts = counts_of(state)
        changed = state_change(state.get("user_state", {}), step.state, counts["seq"])
        kept: Update = {"user_state": step.state, "user_states": Batch(lines=changed)}
        if step.calls:
            calls = _numbered(step.calls, "user_call", counts["user_calls"])
            line = {"seq": counts["seq"], "role": "user", "owner": "user"}
            line |= {"content": step.text, "tool_calls": calls}
            update = self._next(counts, "environment", spent, user_calls=len(calls))
            return update | {"user_messages": Batch(lines=[line])} | kept
        line = {"seq": counts["seq"], "role": "user", "content": step.text}
        update = self._next(counts, "agent", spent, turns=1)
        token = find_token(step.text)
        if token is not None:
            update |= ended(Status.ENDED, token.word)
        if "spec" not in state:
            update["spec"] = self._spec
        return update | {"messages": Batch(lines=[line])} | kept

    def environment(self, state: EpisodeState) -> Update:
        """Run the pending calls in the order in which they were listed, on the folded tables."""
        counts = counts_of(state)
        private = state.get("user_messages", [])
        is_private = bool(private) and private[-1]["seq"] == counts["seq"] - 1
        channel, owner = ("user_messages", Owner.USER) if is_private else ("messages", Owner.AGENT)
        # Who looks at its own cards before it says anything leaves no open message yet.
        pending = private[-1] if is_private else state["messages"][-1]
        log = state.get("events", [])
        try:
            lines, events, errors = self._run(pending["tool_calls"], owner, log, counts["seq"])
            if not usage_by_party(state.get("spent", {})):
                lines = [without_took(line) for line in lines]
        except Exception as error:
            return _failed("environment", "environment_error", error)
        update = self._next(
            counts,
            cast(Turn, str(owner)),
            state.get("spent", {}),
            seq=len(lines),
            tool_errors=errors if owner is Owner.AGENT else 0,
        )
        token = find_token(pending["content"]) if owner is Owner.USER else None
        if token is not None:
            update |= ended(Status.ENDED, token.word)  # it waited for the calls of its turn
        return update | {channel: Batch(lines=lines), "events": Batch(lines=events)}

    def _step(self, party: str) -> Step | None:
        """Return where a party's answers are kept; `None` where they are not, or need not be."""
        return current_step(self._journal) if party in self._sampled else None

    def _try(
        self,
        party: str,
        context: Context,
        ask: Callable[[], Any],
        spent: Spent,
        step: Step | None,
    ) -> Tried[Any]:
        """Try a step within what is left of the episode's time.

        Where the same step ran before, to where it had its reply, that is its reply again.
        """
        known = None if step is None else step.recall(_WHOLE)
        if step is not None and known is not None:
            step.is_repeated = True
            usage, took = known.pop("usage"), known.pop("seconds", 0.0)
            calls = tuple(Call(name, arguments) for name, arguments in known.pop("calls"))
            return Tried(_REPLIES[party](calls=calls, **known), None, usage, 0.0, took)

        def answer() -> Any:
            with within(step):
                return ask()

        cap = self._limits.max_seconds
        left = None if cap is None else max(0.0, cap - spent.get("seconds", 0.0))
        tried = try_step(context, answer, left)
        if step is not None and tried.error is None:
            paid = {"usage": tried.usage, "seconds": tried.took}
            step.keep(_WHOLE, asdict(cast(Reply, tried.value)) | paid)
        return tried

    def _spend(self, spent: Spent, party: str, usage: Usage, seconds: float) -> Update:
        """Return the update of what was spent, if anything; time only where it is limited."""
        new: dict[str, Any] = dict(spent)
        if usage:
            new[party] = add_usage(new.get(party, {}), usage)
        if self._limits.max_seconds is not None:
            new["seconds"] = round(new.get("seconds", 0.0) + seconds, 3)
        return {"spent": new} if new != spent else {}

    def _broken(self, party: str, tried: Tried[Any], spent: Spent) -> Update:
        """Return how an episode goes on, or ends, after a step that failed."""
        error = cast(BaseException, tried.error)
        if isinstance(error, CrabGraphError | GraphBubbleUp):
            raise error  # not the episode's business: a full disk, an interrupt
        if party == "agent" and kind_of(error) is FailureKind.CONTEXT_OVERFLOW:
            # Asking again would not help, and it is the agent that let its messages grow.
            spending = self._spend(spent, party, tried.usage, tried.seconds)
            return ended(Status.BUDGET_EXHAUSTED, str(FailureKind.CONTEXT_OVERFLOW)) | spending
        reason = "max_seconds" if isinstance(error, OutOfTime) else f"{party}_error"
        lost = {"spent": {**spent, "lost": {party: dict(tried.usage)}}} if tried.usage else {}
        return _failed("infra", reason, error) | lost

    def _run(
        self, calls: Sequence[Mapping[str, Any]], owner: Owner, log: Sequence[Event], seq: int
    ) -> tuple[list[Message], list[Event], int]:
        ledger = Ledger.fold(self._task.world, log)
        lines: list[Message] = []
        events: list[Event] = []
        errors = 0
        for number, call in enumerate(calls, start=seq):
            run = partial(self._tools.call, ledger, owner, call["name"], call["arguments"])
            outcome, seconds = timed(run)
            written = [{**event, "seq": number} for event in outcome.events]
            ledger = ledger.extended(written)
            events += written
            errors += outcome.is_own_error
            line = {"seq": number, "role": "tool", "owner": str(owner), "tool_call_id": call["id"]}
            lines.append(line | {"content": outcome.content, "took": {"seconds": seconds}})
        return lines, events, errors

    def _next(
        self, counts: Counts, turn: Turn, spent: Spent, *, seq: int = 1, **added: int
    ) -> Update:
        """Return the new numbers, whose turn it is, and whether a limit ends the episode."""
        numbers = cast(dict[str, int], counts)
        new = cast(Counts, {name: n + added.get(name, 0) for name, n in numbers.items()})
        new["seq"] = counts["seq"] + seq
        update: Update = {"counts": new, "turn": turn, "status": str(Status.RUNNING)}
        if turn == "environment":
            return update  # a call written down is also run, or a replay would run it alone
        limit = self._reached(new, spent)
        return update if limit is None else update | ended(Status.BUDGET_EXHAUSTED, limit)

    def _reached(self, counts: Counts, spent: Spent) -> str | None:
        """Return the name of a limit that is reached, if there is one."""
        return self._limits.reached(
            messages=counts["seq"],
            turns=counts["turns"],
            tool_errors=counts["tool_errors"],
            tokens=sum(totals(usage).tokens for usage in usage_by_party(spent).values()),
            cost=self._cost(spent),
        )

    def _cost(self, spent: Spent) -> float:
        """Return what was spent in dollars, where there is a limit to it.

        Raises:
            UsageError: a model's price is missing, so that the limit could not be kept.
        """
        if self._limits.max_cost is None:
            return 0.0
        cost = add_costs(costs_of(spent, self._prices, self._specs))
        if not cost.is_known:
            raise UsageError(
                f"a limit on cost needs the price and the token counts of '{cost.unknown[0]}': "
                "add it to the file of --prices"
            )
        return cost.dollars


def _numbered(calls: Sequence[Call], prefix: str, before: int) -> list[dict[str, Any]]:
    """Give every call an id of our own: those of models repeat, or are drawn at random."""
    return [
        {"id": f"{prefix}_{number}", "name": call.name, "arguments": call.arguments}
        for number, call in enumerate(calls, start=before + 1)
    ]


def _with_own(counts: Counts, own: OwnLines) -> Counts:
    """Return the numbers after the calls that an agent made in place."""
    return Counts(
        seq=counts["seq"] + len(own.lines),
        turns=counts["turns"],
        tool_errors=counts["tool_errors"] + own.errors,
        agent_calls=counts["agent_calls"] + own.calls,
        user_calls=counts["user_calls"],
    )


def _opened(agent: Agent, task: Task) -> Respond:
    """Ready an agent; one whose factory fails does so where it is first asked."""

    def open() -> Respond:
        return agent.open_for(task.domain, lambda: task.kept_solutions)

    tried = try_step(copy_context(), open, None)
    if tried.error is None:
        return cast(Respond, tried.value)
    error = tried.error
    if isinstance(error, CrabGraphError):
        raise error  # it is no agent at all

    def fail(messages: list[BaseMessage]) -> Reply:
        del messages
        raise error

    return fail


def _failed(fault: str, reason: str, error: BaseException) -> Update:
    text = shortened(without_secrets(described(error)))
    return {
        "status": str(Status.INFRA_ERROR),
        "ending": Ending(reason=reason, fault=fault, error=text),
    }
