"""The compiled graph of an episode, as those who know LangGraph expect one to behave.

It is run by `invoke`, `stream`, `batch` and their asynchronous twins, on its own or as a node of
another graph. Beside what LangGraph does it looks after four things. How long an episode may be is
a limit of the episode, so a recursion limit that is lower counts for nothing. Handlers are told in
public words what happens (`told`). What comes in is checked: an episode begins with nothing. And
as a node it hands out what a graph of messages can go on with, `NodeOutput`.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManager, CallbackManager
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs, var_child_runnable_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateUpdate
from typing_extensions import override

from crab_graph.errors import UsageError
from crab_graph.graph.put_in import PutIn, translated
from crab_graph.graph.spoken import spoken
from crab_graph.graph.state import EpisodeState, is_finished
from crab_graph.graph.told import EPISODE, EpisodeRun, apart

Judge = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Returns the verdict on an episode whose last state it is given."""

_TASK = "__pregel_task_id"
"""Stands in the settings of a graph that runs as, or in, a node of another one."""


class NodeOutput(dict[str, Any]):
    """What an episode hands to the graph of which it is a node.

    `messages` is what the agent saw and said, as LangChain messages; `status` and `ending` say how
    it came to its end, `verdict` how it was graded. The whole `state` is beside these: it holds
    what only the user knows, and goes into no other state and no trace.
    """

    state: Mapping[str, Any]


class EpisodeGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """One episode as a compiled LangGraph."""

    def __init__(
        self,
        *,
        about: Mapping[str, Any],
        steps: int,
        put_in: PutIn,
        judge: Judge | None = None,
        told: RunnableConfig | None = None,
        **graph: Any,
    ) -> None:
        """Take over a compiled graph.

        `about` says which episode it is, its id under `episode_id`; it takes that many steps at
        most. `told` is what LangGraph is not to know of the config that was bound to it.
        """
        bound: dict[str, Any] = dict(graph.pop("config", None) or {})
        parts = {name: bound.pop(name) for name in _OF_THE_RUN & bound.keys()}
        super().__init__(**graph, config=bound or None)
        self.told = merge_configs(told, cast(RunnableConfig, parts))
        self.about = about
        self.steps = steps
        self.put_in = put_in
        self.judge = judge

    @override
    def stream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> Iterator[Any]:
        """Run it, and yield what happens."""
        config = self._merged(config)
        given = _checked(input, config)
        manager = CallbackManager.configure(*_told(config))
        manager.add_metadata(self._metadata(config), inherit=False)
        run = manager.on_chain_start(None, self._named(), **self._run_named(config))
        episode = EpisodeRun(run)
        chunks = cast(Any, super().stream(given, self._inner(config), **options))
        hand_out, context = self._for_chunks(config, options), copy_context()
        held = apart(episode)
        context.run(held.__enter__)
        try:
            while (chunk := context.run(next, chunks, _END)) is not _END:
                yield hand_out(chunk)
        except BaseException as error:
            context.run(chunks.close)
            run.on_chain_error(error)
            raise
        finally:
            context.run(held.__exit__, None, None, None)
        run.on_chain_end(episode.output)

    @override
    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Run it, and yield what happens."""
        config = self._merged(config)
        given = _checked(input, config)
        manager = AsyncCallbackManager.configure(*_told(config))
        manager.add_metadata(self._metadata(config), inherit=False)
        run = await manager.on_chain_start(None, self._named(), **self._run_named(config))
        episode = EpisodeRun(run.get_sync())
        chunks = cast(Any, super().astream(given, self._inner(config), **options))
        hand_out = self._for_chunks(config, options)
        try:
            while True:
                with apart(episode):
                    chunk = await anext(chunks, _END)
                if chunk is _END:
                    break
                yield hand_out(chunk)
        except BaseException as error:
            with apart(episode):
                await chunks.aclose()
            await run.on_chain_error(error)
            raise
        await run.on_chain_end(episode.output)

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        """Run it, and return the state at its end, or a `NodeOutput`."""
        return self._handed_out(super().invoke(input, config, **options), config, options)

    @override
    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> Any:
        """Run it, and return the state at its end, or a `NodeOutput`."""
        return self._handed_out(await super().ainvoke(input, config, **options), config, options)

    @override
    def get_input_jsonschema(self, config: RunnableConfig | None = None) -> dict[str, Any]:
        """Return the schema of what an episode begins with: nothing."""
        return {"title": "EpisodeInput", "type": "object", "properties": {}}

    @override
    def bulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Put words into an episode, or change its state otherwise (see `put_in`).

        Raises:
            UsageError: it cannot be put in.
        """
        if not supersteps:
            return super().bulk_update_state(config, supersteps)
        for updates in supersteps:
            state = self.get_state(config).values
            config = super().bulk_update_state(config, [translated(state, updates, self.put_in)])
        return config

    @override
    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Put words into an episode, or change its state otherwise.

        Raises:
            UsageError: it cannot be put in.
        """
        if not supersteps:
            return await super().abulk_update_state(config, supersteps)
        for updates in supersteps:
            state = (await self.aget_state(config)).values
            changes = [translated(state, updates, self.put_in)]
            config = await super().abulk_update_state(config, changes)
        return config

    def _merged(self, config: RunnableConfig | None) -> RunnableConfig:
        """Return a config with what is bound to the graph, and with what surrounds its use.

        A thread of its own cuts off the settings around.
        """
        around = var_child_runnable_config.get()
        bound = merge_configs(self.config, self.told)
        if not around or config is around:
            return merge_configs(bound, config)
        if (config or {}).get("configurable", {}).get("thread_id") is not None:
            around = cast(RunnableConfig, {**around, "configurable": {}})
        return merge_configs(around, bound, config)

    def _inner(self, config: RunnableConfig) -> RunnableConfig:
        """Return the config that LangGraph gets: without handlers, and with steps enough."""
        inner = {name: one for name, one in config.items() if name not in _OF_THE_RUN}
        inner["recursion_limit"] = max(self.steps, config.get("recursion_limit", 0))
        return cast(RunnableConfig, inner)

    def _metadata(self, config: RunnableConfig) -> dict[str, Any]:
        """Return what the run of the episode is filed under, and no run inside it."""
        thread = config.get("configurable", {}).get("thread_id")
        return {**self.about} if thread is None else {**self.about, "thread_id": thread}

    def _named(self) -> dict[str, Any]:
        return {EPISODE: self.about[EPISODE]}

    def _run_named(self, config: RunnableConfig) -> dict[str, Any]:
        name = config.get("run_name") or self.about[EPISODE]
        return {"name": name, "run_id": config.get("run_id")}

    def _for_chunks(
        self, config: RunnableConfig, options: Mapping[str, Any]
    ) -> Callable[[Any], Any]:
        """Return how chunks are handed out: those that are a node's output become one."""
        if _is_node(config) and not options.keys() & {"stream_mode", "output_keys", "subgraphs"}:
            return self._node_output
        return lambda chunk: chunk

    def _handed_out(
        self, result: Any, config: RunnableConfig | None, options: Mapping[str, Any]
    ) -> Any:
        if not _is_node(self._merged(config)) or options.keys() & {"stream_mode", "output_keys"}:
            return result
        return self._node_output(result)

    def _node_output(self, state: Any) -> Any:
        if not isinstance(state, dict):
            return state
        output = NodeOutput(messages=spoken(state.get("messages", ())))
        output.state = state
        output |= {name: state[name] for name in ("status", "ending") if name in state}
        if self.judge is not None and is_finished(state):
            output["verdict"] = self.judge(state)
        return output


def _is_node(config: RunnableConfig) -> bool:
    return _TASK in config.get("configurable", {})


def _checked(given: Any, config: RunnableConfig) -> Any:
    """Return with what an episode begins: nothing, or a state that it goes on from.

    As a node it is handed another graph's state, of which it reads nothing.
    """
    if given is None or (isinstance(given, Command) and given.update is None):
        return given
    if isinstance(given, Mapping) and isinstance(given.get("messages"), Mapping):
        return given  # a state of ours, in batches
    if _is_node(config):
        return {}
    is_bare = isinstance(given, Mapping) and not any(map(given.get, EpisodeState.__annotations__))
    if is_bare:
        return {}
    raise UsageError(
        "an episode begins with {}: its own user opens it; "
        "what somebody is to say instead goes in by update_state(config, {'messages': …})"
    )


def _told(config: RunnableConfig) -> tuple[Any, None, bool, Any, None, Any]:
    """Return whom a run of its own tells, with which tags and metadata, as `configure` takes it."""
    callbacks, tags = config.get("callbacks"), config.get("tags")
    return callbacks, None, False, tags, None, config.get("metadata")


_END = object()
_OF_THE_RUN = frozenset({"callbacks", "run_name", "run_id"})
