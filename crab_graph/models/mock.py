"""The name under which `mock-llm` answers; results that hold it are labelled as no model's."""

from crab_graph.models.usage import Usage

MOCK_MODEL = "crab-graph-mock"


def is_mock(usage: Usage) -> bool:
    """Return whether a model that was asked turned out to be the server without a model."""
    return any(MOCK_MODEL in {model, one.get("answered_by")} for model, one in usage.items())
