"""The request of a sample."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.tool import ToolInfo

RANKING_KEY = "openbench_ranking"
"""The key of a sample's metadata that holds the continuations that openbench-ranking ranks."""


@dataclass(frozen=True)
class Request:
    """A request as a provider would receive it.

    Attributes:
        model: The model.
        messages: The messages.
        config: The generation settings.
        tools: The tools that the model may call.
        continuations: The continuations to rank, if nothing is generated.
    """

    model: str
    messages: Sequence[ChatMessage]
    config: GenerateConfig
    tools: Sequence[ToolInfo] = ()
    continuations: Sequence[str] = ()


@dataclass(frozen=True)
class Rendered:
    """A sample with its first request.

    Attributes:
        sample: The sample, as in its task.
        request: Its first request; None without one.
        error: The reason why its solver makes no request.
    """

    sample: Sample
    request: Request | None = None
    error: str | None = None
