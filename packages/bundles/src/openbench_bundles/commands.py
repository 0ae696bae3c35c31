"""`bench data export` and `bench data import`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from openbench.cli.completion import complete_benchmarks
from openbench.cli.data import chosen_entries, counted_datasets, described, readable_size
from openbench.errors import SUCCESS, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@click.command("export")
@click.argument("target", metavar="FILE.tar|DIR", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME|KEY]...", shell_complete=complete_benchmarks)
@click.option("--all", "everything", is_flag=True, help="Export everything instead of naming benchmarks or keys.")
def export(target: Path, names: Sequence[str], everything: bool) -> int:
    """Write stored datasets to a file or a folder.

    Once bench data import has read it on a machine without a network, the benchmarks run there.
    """
    from openbench.datasets.store import Store
    from openbench_bundles.bundle import bundle_digest, export_entries

    entries = chosen_entries(Store.here(), names, everything=everything)
    with _disk_errors(f"the export to {target} failed"):
        size = export_entries(entries, target)
    for entry in entries:
        click.echo(described(entry))
    command = f"bench data import {target.name} --digest {bundle_digest(entries)}"
    click.echo(f"{counted_datasets(entries)} in {target}: {readable_size(size)}. Import them with: {command}")
    return SUCCESS


@click.command("import")
@click.argument("bundle", metavar="FILE.tar|DIR", type=click.Path(path_type=Path, exists=True))
@click.option("--digest", help="Digest printed by bench data export; bundles with other rows are refused.")
def import_(bundle: Path, digest: str | None) -> int:
    """Store datasets from a file or folder that bench data export wrote.

    The whole bundle is checked before anything is changed. A pinned file is checked against its pin. The commit of a
    repository does not identify the rows that someone else stored under it: give the digest unless the bundle is yours.
    """
    from openbench.datasets.store import Store
    from openbench_bundles.bundle import import_entries

    store = Store.here()
    with _disk_errors(f"the import of {bundle} to {store.root} failed"):
        store.clean()
        imported = import_entries(store, bundle, digest=digest)
    for entry in imported.new:
        click.echo(described(entry))
    known = f"; {len(imported.known)} already stored" if imported.known else ""
    unverified = not digest and any(not entry.manifest.pin.sha256 for entry in imported.new)
    trust = "; without --digest, rows are not verified against their origin" if unverified else ""
    click.echo(f"{counted_datasets(imported.new)} imported to {store.root}{known}{trust}")
    return SUCCESS


@contextlib.contextmanager
def _disk_errors(failed: str) -> Iterator[None]:
    """Report errors of the disk with what was attempted: an error while writing names no file.

    Raises:
        DataError: In place of an `OSError`.
    """
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise DataError(f"{failed}: {error.strerror or error}{where}") from error
