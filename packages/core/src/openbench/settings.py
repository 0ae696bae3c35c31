"""Reads what a project says of openbench: `[tool.openbench]` in its pyproject.toml or openbench.toml."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openbench.errors import UsageError
from openbench.names import normalized
from openbench.resolution import Choice

FILES = ("openbench.toml", "pyproject.toml")
TABLE = ("tool", "openbench", "providers")


@dataclass(frozen=True)
class Settings:
    """What the nearest file says.

    Attributes:
        path: The file; None if there is none.
        choices: Who provides a name, by the name's normalized form.
    """

    path: Path | None = None
    choices: Mapping[str, Choice] = field(default_factory=dict)


def read_settings(directory: Path) -> Settings:
    """Read the nearest file, from a directory upward, that has the table `[tool.openbench.providers]`.

    Raises:
        UsageError: The file is no TOML, or the table does not hold names of distributions.
    """
    for path in settings_files(directory):
        providers = _providers(path)
        if providers is not None:
            _check_distinct(path, providers)
            choices = {
                normalized(name): Choice(_text(path, name, value), str(path)) for name, value in providers.items()
            }
            return Settings(path, choices)
    return Settings()


def settings_files(directory: Path) -> Iterator[Path]:
    """Yield the files that exist from a directory upward, nearest first."""
    for folder in (directory, *directory.parents):
        for name in FILES:
            if (folder / name).is_file():
                yield folder / name


def _providers(path: Path) -> Mapping[str, Any] | None:
    """Return the table of a file; None if it has none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    if b"openbench" not in data and path.name != FILES[0]:
        return None
    import tomllib  # noqa: PLC0415 - most directories have nothing to parse

    try:
        table: Any = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no TOML: {error}.") from error
    if path.name == FILES[0] and "providers" in table:
        raise UsageError(f"{path}: [providers] has no meaning. Write [{'.'.join(TABLE)}].")
    for name in TABLE:
        table = table.get(name)
        if table is None:
            return None
        if not isinstance(table, dict):
            raise UsageError(f"{path}: {name!r} of [{'.'.join(TABLE)}] is a {type(table).__name__}, not a table.")
    return dict(table)


def _check_distinct(path: Path, names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(normalized(name), name)
        if other != name:
            raise UsageError(f"{path}: [{'.'.join(TABLE)}] has {other} and {name}, which are one name. Take one out.")


def _text(path: Path, name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(
            f"{path}: [{'.'.join(TABLE)}] has {value!r} for {name}, where the name of a distribution is expected."
        )
    return value
