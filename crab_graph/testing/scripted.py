"""A chat model without a model: it answers from a script, so dialogues can be tested offline."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

ScriptedReply = AIMessage | str | Exception


class ScriptedChatModel(BaseChatModel):
    """A chat model that answers the n-th time with the n-th reply of its script.

    Which reply is next is counted from the model's own messages in what it is handed, not from a
    counter of its own: so one model serves any number of dialogues, and a resumed dialogue goes on
    where it stopped.

        model = ScriptedChatModel(replies=["Where to?", tool_call_reply("list_all_airports")])

    Replies are texts, messages (with tool calls, if need be), or exceptions to raise; `otherwise`
    is what it says when the script has ended.
    """

    replies: Sequence[Any]
    otherwise: str = "I have nothing more to say."
    tool_names: tuple[str, ...] = Field(default=())

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return a copy that remembers the names of its tools."""
        del tool_choice, kwargs
        return self.model_copy(update={"tool_names": tuple(_name(tool) for tool in tools)})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs
        said = sum(isinstance(message, AIMessage) for message in messages)
        reply: ScriptedReply = self.replies[said] if said < len(self.replies) else self.otherwise
        if isinstance(reply, Exception):
            raise reply
        message = AIMessage(content=reply) if isinstance(reply, str) else reply.model_copy()
        return ChatResult(generations=[ChatGeneration(message=message)])


def tool_call_reply(*calls: tuple[str, dict[str, Any]] | str, text: str = "") -> AIMessage:
    """Return a message that calls tools, each by its name, or by its name and arguments."""
    named = [(call, {}) if isinstance(call, str) else call for call in calls]
    tool_calls = [
        ToolCall(name=name, args=arguments, id=f"scripted_{number}", type="tool_call")
        for number, (name, arguments) in enumerate(named)
    ]
    return AIMessage(content=text, tool_calls=tool_calls)


def _name(tool: dict[str, Any] | type | Callable[..., Any] | Any) -> str:
    if isinstance(tool, dict):
        return str(tool.get("function", tool)["name"])
    return str(getattr(tool, "name", None) or tool.__name__)
