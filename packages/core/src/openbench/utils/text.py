"""The published import path of the prompts of multiple-choice benchmarks."""

from typing import Any

from openbench.registry import compat
from openbench.tasks.prompts import (
    ANSWER_PATTERN_MULTIPLE_CHOICE,
    MULTIPLE_CHOICE_PROMPT_TEMPLATE,
    SIMPLE_EVALS_SYSTEM_MESSAGE,
    create_dynamic_multiple_choice_prompt,
)

__all__ = [
    "ANSWER_PATTERN_MULTIPLE_CHOICE",
    "MULTIPLE_CHOICE_PROMPT_TEMPLATE",
    "SIMPLE_EVALS_SYSTEM_MESSAGE",
    "create_dynamic_multiple_choice_prompt",
]


def __getattr__(name: str) -> Any:
    return compat.attribute(__name__, name)
