"""Reads settings files in TOML, with messages that locate a mistake and suggest a fix."""

import tomllib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from openbench.errors import UsageError
from openbench.registry.names import printable


class SettingsTable(BaseModel):
    """A table of a settings file; other keys than its fields are refused."""

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, data: Any) -> Any:
        unknown = [key for key in data if key not in cls.model_fields] if isinstance(data, dict) else []
        if unknown:
            hints = "; ".join(f"unknown key {key!r}{did_you_mean(key, cls.model_fields)}" for key in unknown)
            raise ValueError(f"{hints}. Keys: {', '.join(cls.model_fields)}")
        return data


Settings = TypeVar("Settings", bound=SettingsTable)


def read_settings(path: Path, kind: type[Settings]) -> Settings:
    """Read a file.

    Raises:
        UsageError: It cannot be read, is not valid TOML, or has invalid keys or values.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # of TOML and of UTF-8
        raise UsageError(f"{path} is not valid TOML: {error}.") from error
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise UsageError("\n".join(f"{path}: {fault}." for fault in _faults(error.errors()))) from error


def did_you_mean(given: str, known: Sequence[str] | Any) -> str:
    """Return a hint at a similar name, in brackets, with a leading space; empty if none is close."""
    close = get_close_matches(given.lower(), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _faults(errors: Sequence[Any]) -> Iterator[str]:
    for error in errors:
        where = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in error["loc"]).lstrip(".")
        message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
        received = "" if error["type"] in {"value_error", "missing"} else f"; received {error['input']!r}"
        yield printable(f"{where}: {message}{received}" if where else f"{message}{received}")
