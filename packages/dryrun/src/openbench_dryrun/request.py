"""What a sample would ask of a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.tool import ToolInfo

RANKING_KEY = "openbench_ranking"
"""The key of a sample's metadata that holds what openbench-ranking ranks."""


@dataclass(frozen=True)
class Request:
    """A request as a provider would get it.

    Attributes:
        model: The model.
        messages: The messages.
        config: How the model is to generate.
        tools: The tools that it may call.
        continuations: What is ranked, where nothing is generated.
    """

    model: str
    messages: Sequence[ChatMessage]
    config: GenerateConfig
    tools: Sequence[ToolInfo] = ()
    continuations: Sequence[str] = ()


@dataclass(frozen=True)
class Rendered:
    """What a sample comes to.

    Attributes:
        sample: The sample, as its task has it.
        request: Its first request; None if it makes none.
        error: What kept its solver from a request.
    """

    sample: Sample
    request: Request | None = None
    error: str | None = None
