"""Reads a project's settings: `[tool.openbench]` in its pyproject.toml or openbench.toml.

The table `providers` maps names to the distributions that provide them; `prices` has the prices of models.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from openbench.errors import UsageError
from openbench.registry.names import normalized
from openbench.registry.resolution import Choice

Table = Literal["prices", "providers"]

FILES = ("openbench.toml", "pyproject.toml")
_PARENT = ("tool", "openbench")
TABLE = (*_PARENT, "providers")


class Settings(NamedTuple):
    """The choices of the nearest settings file, by normalized name, and the file's path; without a file, none."""

    path: Path | None = None
    choices: Mapping[str, Choice] = MappingProxyType({})


def read_settings(directory: Path) -> Settings:
    """Read the providers from the nearest file, from a directory upward, that has any."""
    path, content = read_table(directory, "providers")
    return Settings(path, _choices(path, content)) if path else Settings()


def read_table(directory: Path, table: Table) -> tuple[Path | None, Mapping[str, Any]]:
    """Return the nearest file from a directory upward that has a table of `[tool.openbench]`, and the table.

    Raises:
        UsageError: The file is not valid TOML, has an unknown setting, or the table is not a table.
    """
    for path in settings_files(directory):
        content = _read_table(path, table)
        if content is not None:
            return path, content
    return None, {}


def settings_files(directory: Path) -> Iterator[Path]:
    """Yield the files that exist from a directory upward, nearest first."""
    for folder in (directory, *directory.parents):
        for name in FILES:
            if (folder / name).is_file():
                yield folder / name


def _read_table(path: Path, name: Table) -> Mapping[str, Any] | None:
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
        raise UsageError(f"{path} is not valid TOML: {error}.") from error
    if path.name == FILES[0] and name in table:
        raise UsageError(f"{path}: [{name}] is not read. Write {_shown(name)}.")
    for part in (*_PARENT, name):
        if part == name and (unknown := sorted(table.keys() - {*get_args(Table)})):
            raise UsageError(f"{path}: [tool.openbench] has no setting {unknown[0]!r}, only prices and providers.")
        table = table.get(part)
        if table is None:
            return None
        if not isinstance(table, dict):
            raise UsageError(f"{path}: {part!r} of {_shown(name)} is a {type(table).__name__}, not a table.")
    return dict(table)


def _choices(path: Path, content: Mapping[str, Any]) -> Mapping[str, Choice]:
    """Return the choices in a table, by normalized name."""
    written: dict[str, str] = {}
    table = _shown("providers")
    choices = {}
    for name, value in content.items():
        other = written.setdefault(normalized(name), name)
        if other != name:
            raise UsageError(f"{path}: {table} has {other} and {name}, which are one name. Remove one.")
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{path}: {table} has {value!r} for {name}, expected the name of a distribution.")
        choices[normalized(name)] = Choice(value, str(path))
    return choices


def _shown(table: Table) -> str:
    return f"[{'.'.join((*_PARENT, table))}]"
