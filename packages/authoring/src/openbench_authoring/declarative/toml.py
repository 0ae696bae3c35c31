"""Declarations in TOML, and bases of any declaration."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openbench.errors import UsageError
from openbench_authoring.declarative.config import BenchmarkConfig, declared, is_url
from openbench_authoring.declarative.fields import field_faults, raise_faults

SUFFIX = ".toml"


def load_config(path: str | Path) -> BenchmarkConfig:
    """Read a declaration and its bases that are files.

    If a base is the name of an installed benchmark, it remains the `base` of the result.

    Args:
        path: The `.toml` file; relative paths in it are relative to its folder.

    Raises:
        UsageError: A file cannot be read, is not TOML, or is an invalid declaration.
    """
    return load_files(path)[0]


def load_files(path: str | Path) -> tuple[BenchmarkConfig, list[Path]]:
    """Read a declaration as `load_config` does, and also return the files that were read, its own first."""
    files: list[Path] = []
    return _resolved(Path(path), {}, [], files), files


def resolve(config: BenchmarkConfig, siblings: Mapping[str, BenchmarkConfig], *, where: str) -> BenchmarkConfig:
    """Return a declaration merged with its bases.

    Args:
        config: The declaration.
        siblings: Declarations that a base may name by key.
        where: Its name in messages.

    Returns:
        A declaration without a base, or with the name of an installed benchmark as base.

    Raises:
        UsageError: A base cannot be loaded, or the result is invalid.
    """
    return _over_base(config, siblings, [where], [])


def _resolved(
    path: Path, siblings: Mapping[str, BenchmarkConfig], chain: list[str], files: list[Path]
) -> BenchmarkConfig:
    path = path.resolve()
    _refuse_circle(chain, str(path))
    files.append(path)
    given = _read(path)
    raise_faults(str(path), field_faults(given))
    config = declared(str(path), _in_folder(given, path.parent))
    return _over_base(config, siblings, [*chain, str(path)], files)


def _over_base(
    config: BenchmarkConfig, siblings: Mapping[str, BenchmarkConfig], chain: list[str], files: list[Path]
) -> BenchmarkConfig:
    base = config.base
    if base is None:
        return config
    if isinstance(base, BenchmarkConfig):
        under = _over_base(base, siblings, [*chain, "its base"], files)
    elif str(base).endswith(SUFFIX):
        under = _resolved((config.folder or Path()) / base, siblings, chain, files)
    elif str(base) in siblings and str(base) != chain[-1]:
        _refuse_circle(chain, str(base))
        under = _over_base(siblings[str(base)], siblings, [*chain, str(base)], files)
    else:
        return config
    return config.over(under, where=chain[-1])


def _refuse_circle(chain: list[str], name: str) -> None:
    if name in chain:
        raise UsageError(f"{' -> '.join([*chain, name])}: each is based on the next. Break the circle.")


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # neither UTF-8 nor TOML errors have a class in common but this
        raise UsageError(f"{path} is not valid TOML: {error}.") from error


def _in_folder(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Let paths start in the folder of the file that names them, whichever declaration is built on it."""
    moved = {**given, "folder": folder}
    for name in ("solver", "scorer"):
        file, at, function = str(given.get(name)).rpartition("@")
        if at and file.endswith(".py"):
            moved[name] = f"{folder / file}@{function}"
    shots = given.get("few_shot")
    if isinstance(shots, Mapping) and isinstance(shots.get("source"), str) and not is_url(shots["source"]):
        moved["few_shot"] = {**shots, "source": str(folder / Path(shots["source"]).expanduser())}
    return moved
