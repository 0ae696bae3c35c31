"""The published import path of the prompt of multiple-choice questions; openbench-compat has its other names."""

from typing import Any

from openbench.registry import compat
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt

__all__ = ["create_dynamic_multiple_choice_prompt"]


def __getattr__(name: str) -> Any:
    return compat.attribute(__name__, name)
