"""Scorer archetypes, one a file."""

from typing import Any

from openbench.registry import compat

GRADER_ROLE = "grader"
"""The role of the model that grades."""


def __getattr__(name: str) -> Any:
    return compat.attribute(__name__, name)
