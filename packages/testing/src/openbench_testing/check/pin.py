"""The update of `bench check --update-pin`, made before the checks."""

import hashlib
from dataclasses import replace
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from openbench.errors import DataError, OpenbenchError, UsageError
from openbench.metadata import DatasetSource
from openbench.registry.benchmark import Benchmark


def update_pin(benchmark: Benchmark) -> tuple[Benchmark, str]:
    """Pin the rows of a benchmark to its source's current state: a Hub dataset's newest commit, or a file's sha256.

    Every occurrence of the old pin in the benchmark's package is replaced.

    Returns:
        The benchmark with the new pin, and a one-line report.

    Raises:
        UsageError: The benchmark has no pin to replace, or its files do not contain it.
        OpenbenchError: The source cannot be read, or a file cannot be written.
    """
    source = benchmark.metadata.dataset
    if source is None:
        raise UsageError(f"{benchmark.reference}: its metadata has no dataset to pin.")
    field = "revision" if source.type == "hf" else "sha256"
    old, new = getattr(source, field), _newest(source)
    if not old:
        raise UsageError(f'{benchmark.reference}: {source.source} has no pin yet. Add {field}="{new}" to its source.')
    if old == new:
        return benchmark, f"{benchmark.reference}: the pin of {source.source} is up to date: {field} {old}"
    holding = [path for path in benchmark.source_files().values() if old in path.read_text("utf-8")]
    if not holding:
        raise UsageError(
            f"{benchmark.reference}: no file of its package contains the pin {old}. Set {field} {new} yourself."
        )
    for path in holding:
        try:
            path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
            # Python mistakes bytecode with the same second and size for that of the new source.
            Path(cache_from_source(str(path))).unlink(missing_ok=True)
        except OSError as error:
            raise OpenbenchError(
                f"{path} cannot be written: {error.strerror}. Install the package in editable mode from your own copy."
            ) from error
    update: dict[str, Any] = {field: new}
    pinned = replace(benchmark.metadata, dataset=replace(source, **update))
    where = ", ".join(path.name for path in holding)
    changed = f"{benchmark.reference}: {field} of {source.source} in {where}: {old} is now {new}"
    return replace(benchmark, metadata=pinned), f"{changed}. If scores change, raise the major version."


def _newest(source: DatasetSource) -> str:
    """Return the current commit of a Hub dataset, or the digest of a file."""
    if source.type != "hf":
        from openbench.datasets.fetch import read_file  # noqa: PLC0415 - slow to import

        return hashlib.sha256(read_file(source.source, sha256=None, fs_options={})).hexdigest()
    from huggingface_hub import HfApi  # noqa: PLC0415
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415

    try:
        return str(HfApi().dataset_info(source.source).sha)
    except (HfHubHTTPError, OSError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"the newest commit of {source.source} cannot be read from the Hub: {reason}") from error
