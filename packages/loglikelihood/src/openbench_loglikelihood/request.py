"""Requests for scoring. Does not import numpy: Inspect imports the provider, and so this module, in every run."""

from collections.abc import Sequence
from dataclasses import dataclass

from openbench.errors import DataError


class RequestError(DataError):
    """A request, or a text, that cannot be scored.

    Attributes:
        request: Its index.
        problem: The problem, as a sentence.
    """

    def __init__(self, request: int, problem: str) -> None:
        super().__init__(f"request {request}: {problem}")
        self.request, self.problem = request, problem


@dataclass(frozen=True, slots=True)
class Request:
    """A context and the continuations to score, exactly as scored: with their leading space."""

    context: str
    continuations: Sequence[str]
