"""What is scored. This module imports no numpy: Inspect imports the provider, and so this, in every evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass

from openbench.errors import DataError


class RequestError(DataError):
    """A request, or a text, that cannot be scored.

    Attributes:
        request: Its index.
        problem: What is wrong with it.
    """

    def __init__(self, request: int, problem: str) -> None:
        super().__init__(f"request {request}: {problem}")
        self.request, self.problem = request, problem


@dataclass(frozen=True, slots=True)
class Request:
    """A context and the texts to score after it, exactly as they are scored: with their leading space."""

    context: str
    continuations: Sequence[str]
