"""A declaration's metadata."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench_authoring.declarative.config import FILE_TYPES, BenchmarkConfig, is_url
from openbench_authoring.declarative.fields import METADATA_FIELDS
from openbench_authoring.declarative.toml import load_config, resolve

# Of an installed base, what holds for a variant of it as well.
_PASSED_ON = (
    "description",
    "category",
    "tags",
    "homepage",
    "paper",
    "primary_metric",
    "higher_is_better",
    "languages",
    "needs",
)


def toml_metadata(path: str | Path, *, module_path: str, key: str | None = None) -> BenchmarkMetadata:
    """Return the metadata of a benchmark that a package declares in TOML.

    Only the file and its base files are read. Nothing is known here of a base that is an installed benchmark, so the
    file must give its own metadata.

    Args:
        path: The file.
        module_path: The module with the task function, which is named like the benchmark.
        key: The name of the benchmark; by default that of the file.

    Raises:
        UsageError: The declaration is invalid.
    """
    return benchmark_metadata(load_config(path), key or key_of(Path(path)), module_path=module_path)


def key_of(path: Path) -> str:
    """Return the key of the benchmark in a file: the file's name as a Python identifier."""
    name = re.sub(r"\W", "_", path.stem)
    return f"_{name}" if name[:1].isdecimal() else name


def benchmark_metadata(
    config: BenchmarkConfig,
    key: str,
    *,
    module_path: str,
    benchmarks: Mapping[str, BenchmarkConfig] | None = None,
    inherited: BenchmarkMetadata | None = None,
) -> BenchmarkMetadata:
    """Return a declaration's metadata, including that of its bases if they are declarations.

    Args:
        config: The declaration.
        key: The benchmark's key, and its task function's name.
        module_path: The module with the function.
        benchmarks: The package's declarations by key, one of which a base may name.
        inherited: The metadata of the installed benchmark that it is based on.

    Raises:
        UsageError: A base cannot be loaded, or the result is invalid.
    """
    config = resolve(config, benchmarks or {}, where=key)
    stated: dict[str, Any] = {name: value for name, value in config.metadata.items() if name in METADATA_FIELDS}
    licence = stated.pop("licence", None)
    base = {name: getattr(inherited, name) for name in _PASSED_ON} if inherited else {}
    dataset = dataset_source(config, licence) if config.data_source else inherited and inherited.dataset
    common: dict[str, Any] = {"name": key, "description": "", "category": "local", "tags": [], "dataset": dataset}
    where = {"module_path": module_path, "function_name": key}
    return BenchmarkMetadata(**{**common, **base, **stated, **where})


def dataset_source(config: BenchmarkConfig, licence: str | None = None) -> DatasetSource:
    """Return where the rows of a declaration come from. Those of Weave are JSON, with no pin that we check."""
    kind: Any = config.data_type if config.data_type in {"hf", "csv"} else "json"
    return DatasetSource(
        source=data_path(config, config.data_source),
        type=kind,
        config=config.config,
        split=config.split,
        revision=config.revision,
        sha256=config.sha256,
        licence=licence,
    )


def data_path(config: BenchmarkConfig, source: str | Path | None) -> str:
    """Return a readable source: a file's relative path is resolved in the declaration's folder."""
    if config.data_type not in FILE_TYPES or is_url(str(source)):
        return str(source)
    folder, path = config.folder or Path.cwd(), Path(str(source)).expanduser()
    beside, horangis = folder / path, folder.parent / "data" / path  # src/benchmarks/x.py has its rows in src/data
    return os.path.normpath(horangis if not beside.exists() and horangis.exists() else beside)
