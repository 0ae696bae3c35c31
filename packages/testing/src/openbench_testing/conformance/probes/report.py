"""Writes a probe's findings, for the process that started it."""

import dataclasses
import json
from pathlib import Path
from typing import Any


def write(path: str, found: Any) -> None:
    """Write dataclasses, and dicts and lists of them, as JSON; plugins cannot interfere with their output."""
    Path(path).write_text(json.dumps(found, default=dataclasses.asdict), "utf-8")


def described(error: BaseException) -> str:
    """Return an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
