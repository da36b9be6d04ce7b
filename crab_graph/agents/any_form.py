"""Chat models that implement one form of asking alone: plain, awaited or streamed."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import message_chunk_to_message

from crab_graph.agents.event_loop import run_to_end
from crab_graph.models.retrying import RetryingModel, asked_again


def in_any_form(model: BaseChatModel) -> RetryingModel:
    """Return a model object of somebody's, asked in whichever form it has, again if need be."""
    return asked_again(AnyFormModel(model), type(model).__name__)


class AnyFormModel:
    """A chat model that is asked in whichever form it has: `_generate`, `_agenerate`, `_stream`."""

    def __init__(self, model: Any) -> None:
        """Take a chat model, or one with tools bound."""
        self._model = model

    def bind_tools(self, schemas: Sequence[Any]) -> "AnyFormModel":
        """Return the model with tools."""
        return AnyFormModel(self._model.bind_tools(schemas))

    def invoke(self, messages: Any) -> Any:
        """Return the model's answer.

        Raises:
            NotImplementedError: it has none of the forms.
            Exception: whatever it fails with.
        """
        first: NotImplementedError | None = None
        for ask in self._forms():
            try:
                return ask(messages)
            except NotImplementedError as error:
                first = first or error
        raise first or NotImplementedError

    def _forms(self) -> Iterator[Callable[[Any], Any]]:
        yield self._model.invoke
        yield lambda messages: run_to_end(self._model.ainvoke(messages))
        yield lambda messages: message_chunk_to_message(reduce(add, self._model.stream(messages)))
