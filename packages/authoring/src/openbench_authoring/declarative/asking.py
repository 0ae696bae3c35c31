"""Asks the task function of an installed benchmark for its declaration, without reading a row.

Only its task function defines a benchmark. A declared benchmark calls `create_benchmark`, which returns the declaration
instead of a task while it is asked; any other builds its task.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from openbench_authoring.declarative.config import BenchmarkConfig

_asked: ContextVar[bool] = ContextVar("asked", default=False)


class _DeclaredError(BaseException):
    """The answer; no error, and so nothing that a task function may handle."""

    def __init__(self, config: BenchmarkConfig) -> None:
        super().__init__()
        self.config = config


def ask(function: Callable[[], Any]) -> Any:
    """Call a task function with its defaults and return its declaration, or its task if it has none."""
    token = _asked.set(True)
    try:
        return function()
    except _DeclaredError as answer:
        return answer.config
    finally:
        _asked.reset(token)


def answer_if_asked(config: BenchmarkConfig) -> None:
    """Return a declaration if one is requested."""
    if _asked.get():
        raise _DeclaredError(config)
