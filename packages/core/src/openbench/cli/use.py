"""`bench use`."""

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from openbench.catalog import Catalog
from openbench.cli.completion import complete_benchmarks
from openbench.errors import OpenbenchError, UsageError
from openbench.names import normalized
from openbench.resolution import Choice, resolve
from openbench.settings import FILES, TABLE, settings_files


@click.command("use")
@click.argument("name", shell_complete=complete_benchmarks)
@click.argument("distribution", required=False)
@click.option("--remove", is_flag=True, help="Take back what was said of NAME.")
def command(name: str, distribution: str | None, remove: bool) -> None:
    """Settle for a project who provides a name.

    Writes [tool.openbench.providers] into the nearest openbench.toml or pyproject.toml, from the working directory
    upward; without one, into a new openbench.toml here. Whatever else the file holds stays as it is.
    """
    catalog = Catalog.installed()
    if remove == (distribution is not None):
        raise UsageError("Give a DISTRIBUTION, or --remove.")
    path = catalog.settings.path or next(settings_files(Path.cwd()), Path.cwd() / FILES[0])
    if distribution is None:
        if normalized(name) not in catalog.settings.choices:
            raise UsageError(f"{name}: nothing is said of it{f' in {path}' if catalog.settings.path else ''}.")
        _write(path, name, None)
        click.echo(f"{name}: taken out of {path}")
        return
    candidates = catalog.candidates(name)
    chosen = resolve(candidates, Choice(distribution, "bench use")).winner if candidates else None
    if chosen is None:
        catalog.explain(f"{name}@{distribution}")  # it says what is wrong
        raise AssertionError
    _write(path, chosen.key, chosen.distribution)
    click.echo(f"{chosen.key}: {chosen}, as {path} now says")


def _write(path: Path, name: str, distribution: str | None) -> None:
    """Set or remove the provider of a name, keeping comments, order and line ends."""
    import tomlkit

    document = tomlkit.parse(path.read_bytes().decode("utf-8")) if path.exists() else tomlkit.document()
    table: Any = document
    for part in TABLE[:-1]:
        if part not in table:
            table.add(part, tomlkit.table(is_super_table=True))
        table = table[part]
    if TABLE[-1] not in table:
        table.add(TABLE[-1], tomlkit.table())
    providers = table[TABLE[-1]]
    for key in [key for key in providers if normalized(key) == normalized(name)]:
        if key != name or distribution is None:
            del providers[key]
    if distribution:
        providers[name] = distribution
    elif not providers.as_string().strip():
        del table[TABLE[-1]]
    _replace(path, tomlkit.dumps(document).encode("utf-8"))


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        mode = path.stat().st_mode if path.exists() else 0o644
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(mode & 0o777)
        Path(name).replace(path)
    except OSError as error:
        raise OpenbenchError(f"{path} cannot be written: {error.strerror or error}") from error
