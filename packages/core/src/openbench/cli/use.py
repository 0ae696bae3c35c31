"""`bench use`."""

import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from openbench.cli.shell_completion import complete_names
from openbench.errors import OpenbenchError, UsageError
from openbench.registry.catalog import Catalog
from openbench.registry.names import normalized
from openbench.registry.settings import FILES, TABLE, settings_files


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=complete_names, help="The benchmark.")],
    distribution: Annotated[str | None, typer.Argument(metavar="[DISTRIBUTION]", help="Its provider.")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove NAME's setting.")] = False,
) -> None:
    """Choose a benchmark's provider for this project.

    Writes [tool.openbench.providers] into the nearest openbench.toml or pyproject.toml, from the working directory
    upward; without one, into a new openbench.toml here. The rest of the file is left unchanged.
    """
    if remove == (distribution is not None):
        raise UsageError("Give a DISTRIBUTION, or --remove.")
    here = Path.cwd()  # before plugins are loaded, which may go elsewhere
    catalog = Catalog.installed()
    path = catalog.settings.path or next(settings_files(here), here / FILES[0])
    if distribution is None:
        if normalized(name) not in catalog.settings.choices:
            raise UsageError(f"{name}: no provider is configured{f' in {path}' if catalog.settings.path else ''}.")
        _write(path, name, None)
        typer.echo(f"{name}: removed from {path}")
        return
    chosen = catalog.find(f"{name}@{distribution}").winner
    assert chosen is not None  # noqa: S101 - `find` raises where there is none
    _write(path, chosen.key, chosen.distribution)
    typer.echo(f"{chosen.key}: {chosen}, as {path} now says")


def _write(path: Path, name: str, distribution: str | None) -> None:
    """Set or remove the provider of a name, keeping everything else in the file.

    Raises:
        UsageError: The file is not valid TOML, or has the table in a form that cannot be edited.
    """
    import tomlkit

    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        document = tomlkit.parse(text)
    except ValueError as error:  # invalid UTF-8 and invalid TOML alike
        raise UsageError(f"{path} is not valid TOML: {error}.") from error
    edited = _edited(text, document, name, distribution)
    if _provider(edited, name) != distribution:
        change = f"Write it by hand: {name} = {distribution!r}" if distribution else "Remove it by hand"
        raise UsageError(f"{path} has [{'.'.join(TABLE)}] in a form that cannot be edited. {change}.")
    _replace(path.resolve(), edited.encode("utf-8"))


def _edited(text: str, document: Any, name: str, distribution: str | None) -> str:
    """Return a document with the change; a new table is appended."""
    import tomlkit

    providers = _providers(document)
    if providers is None:
        end = "\r\n" if "\r\n" in text else "\n"
        before = text if not text or text.endswith("\n") else text + end
        entry = tomlkit.item({name: distribution}).as_string().strip()
        return f"{before}{end if before else ''}[{'.'.join(TABLE)}]{end}{entry}{end}"
    same = [key for key in providers if normalized(key) == normalized(name)]
    if distribution is not None:
        providers[same[0] if same else name] = distribution
    else:
        for key in same:
            del providers[key]
        if isinstance(providers, tomlkit.items.Table) and not providers.as_string().strip():
            del document[TABLE[0]][TABLE[1]][TABLE[2]]
    return tomlkit.dumps(document)


def _providers(document: Any) -> Any:
    for name in TABLE:
        if name not in document:
            return None
        document = document[name]
    return document


def _provider(text: str, name: str) -> str | None:
    """Return the provider of a name in a document, which an edit may have made invalid."""
    try:
        providers: dict[str, str] = _providers(tomllib.loads(text)) or {}
    except tomllib.TOMLDecodeError:
        return text
    return {normalized(key): value for key, value in providers.items()}.get(normalized(name))


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, with the permissions that it has."""
    try:
        if not path.exists():
            path.write_bytes(data)
            return
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(data)
            shutil.copymode(path, whole)
            whole.replace(path)
    except OSError as error:
        raise OpenbenchError(f"{path} cannot be written: {error.strerror or error}") from error
