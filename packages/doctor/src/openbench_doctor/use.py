"""`bench use`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from openbench.cli.completion import complete_names
from openbench.errors import OpenbenchError, UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.names import normalized
from openbench.registry.settings import FILES, TABLE, settings_files


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=complete_names, help="Name of the benchmark.")],
    distribution: Annotated[
        str | None, typer.Argument(metavar="[DISTRIBUTION]", help="Distribution that provides it.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the setting of NAME.")] = False,
) -> None:
    """Choose a benchmark's provider for this project.

    Writes [tool.openbench.providers] to the nearest openbench.toml or pyproject.toml, from the working directory
    upward, or to a new openbench.toml. The rest of the file is left unchanged.
    """
    if remove == (distribution is not None):
        raise UsageError("Give a DISTRIBUTION, or --remove.")
    here = Path.cwd()  # before plugins are loaded, which may change it
    catalog = Catalog.installed()
    path = catalog.settings.path or next(settings_files(here), here / FILES[0])
    if distribution is None:
        if normalized(name) not in catalog.settings.choices:
            raise UsageError(f"{name}: no provider is configured{f' in {path}' if catalog.settings.path else ''}.")
        _write(path, name, None)
        typer.echo(f"{name}: removed from {path}")
        return
    chosen = catalog.find(f"{name}@{distribution}").winner
    assert chosen is not None  # noqa: S101 - `find` raises an error if there is none
    _write(path, chosen.key, chosen.distribution)
    typer.echo(f"{chosen.key}: {chosen} (written to {path})")


def _write(path: Path, name: str, distribution: str | None) -> None:
    """Set or remove the provider of a name, keeping everything else in the file."""
    import tomlkit

    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8")) if path.exists() else tomlkit.document()
    except ValueError as error:  # invalid UTF-8 and invalid TOML alike
        raise UsageError(f"{path} is not valid TOML: {error}.") from error
    providers: Any = document
    for part in TABLE:
        if part not in providers:
            inline = isinstance(providers, tomlkit.items.InlineTable)
            providers[part] = {} if inline else tomlkit.table(is_super_table=part != TABLE[-1])
        providers = providers[part]
        if not hasattr(providers, "keys"):
            raise UsageError(f"{path}: {part} is not a table, so [{'.'.join(TABLE)}] cannot be written.")
    same = [key for key in providers if normalized(key) == normalized(name)]
    if distribution is not None:
        providers[same[0] if same else name] = distribution
    else:
        for key in same:
            del providers[key]
    try:
        path.write_bytes(tomlkit.dumps(document).encode("utf-8"))
    except OSError as error:
        raise OpenbenchError(f"{path} cannot be written: {error.strerror or error}") from error
