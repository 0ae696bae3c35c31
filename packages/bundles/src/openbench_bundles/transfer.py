"""`bench data export` and `bench data import`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal as readable_size

from openbench.errors import SUCCESS, DataError
from openbench.registry.names import counted
from openbench_bundles.stored import Everything, Names, chosen_entries, described

if TYPE_CHECKING:
    from collections.abc import Iterator


def export(
    target: Annotated[Path, typer.Argument(metavar="FILE.tar|DIR", help="File or folder to write.")],
    names: Names = None,
    everything: Everything = False,
) -> int:
    """Write stored datasets to a file or a folder.

    Import it with bench data import on a machine without a network to run the benchmarks there.
    """
    from openbench.datasets.store import Store
    from openbench_bundles.bundle import bundle_digest, export_entries

    entries = chosen_entries(Store.here(), names, everything=everything)
    with _disk_errors(f"the export to {target} failed"):
        size = export_entries(entries, target)
    for entry in entries:
        typer.echo(described(entry))
    command = f"bench data import {target.name} --digest {bundle_digest(entries)}"
    typer.echo(f"{counted(len(entries), 'dataset')} in {target}: {readable_size(size)}. Import them with: {command}")
    return SUCCESS


def import_(
    bundle: Annotated[Path, typer.Argument(metavar="FILE.tar|DIR", exists=True, help="The bundle.")],
    digest: Annotated[
        str | None, typer.Option(help="Digest printed by bench data export; bundles with other rows are refused.")
    ] = None,
) -> int:
    """Store datasets from a file or folder that bench data export wrote.

    The whole bundle is checked before anything is changed. A pinned file is checked against its pin. The commit of a
    repository does not identify the rows that someone else stored under it: give the digest unless the bundle is yours.
    """
    from openbench.datasets.store import Store
    from openbench_bundles.bundle import import_entries
    from openbench_bundles.maintenance import clean

    store = Store.here()
    with _disk_errors(f"the import of {bundle} to {store.root} failed"):
        clean(store)
        imported = import_entries(store, bundle, digest=digest)
    for entry in imported.new:
        typer.echo(described(entry))
    known = f"; {len(imported.known)} already stored" if imported.known else ""
    unverified = not digest and any(not entry.manifest.pin.sha256 for entry in imported.new)
    trust = "; without --digest, rows are not verified against their origin" if unverified else ""
    typer.echo(f"{counted(len(imported.new), 'dataset')} imported to {store.root}{known}{trust}")
    return SUCCESS


@contextlib.contextmanager
def _disk_errors(failed: str) -> Iterator[None]:
    """Report disk errors with the attempted operation, since an error while writing names no file.

    Raises:
        DataError: Replaces an `OSError`.
    """
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise DataError(f"{failed}: {error.strerror or error}{where}") from error
