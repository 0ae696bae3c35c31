"""Scorer archetypes, one a file."""

from typing import Any

from openbench.registry import compat


def __getattr__(name: str) -> Any:
    return compat.attribute(__name__, name)
