"""One benchmark that can be run: its metadata, who provides it, and where its files are."""

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from openbench.errors import OpenbenchError, UnknownNameError, UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.catalog import Catalog
from openbench.registry.discovery import PATHS, by_name, perhaps_left_out
from openbench.registry.names import is_path
from openbench.registry.plugin_loader import load_function
from openbench.registry.resolution import Resolution
from openbench.registry.sources import Signature, package_folder, read_signature

T = TypeVar("T")

UNDECLARED = "undeclared"
"""The category of local evals that no `__metadata__` describes."""

_SOURCES = {".j2", ".jinja", ".jinja2", ".md", ".py", ".toml", ".txt", ".yaml", ".yml"}
"""Suffixes of a package's files that define its benchmarks."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as a name or a path resolves to it.

    Attributes:
        key: The name that it registers; for a local eval, its function's name.
        metadata: Its description.
        resolution: Who provides the name and why; None for a local eval.
        path: Where a local eval lies; None for an installed benchmark.
        task: The function of a local eval whose file has several.
    """

    key: str
    metadata: BenchmarkMetadata
    resolution: Resolution | None = None
    path: Path | None = None
    task: str | None = None

    @property
    def distribution(self) -> str | None:
        """The distribution that provides it; None for a local eval."""
        winner = self.resolution.winner if self.resolution else None
        return winner.distribution if winner else None

    @property
    def version(self) -> str | None:
        """The version of that distribution."""
        winner = self.resolution.winner if self.resolution else None
        return winner.version if winner else None

    @property
    def reference(self) -> str:
        """A reference to exactly this benchmark, from anywhere: `name@distribution`, or an absolute `path[@task]`."""
        path = str(self.path.resolve()) if self.path else f"{self.key}@{self.distribution}"
        return f"{path}@{self.task}" if self.task else path

    def signature(self) -> Signature | None:
        """Return the task function's signature, without an import if it is installed; None if it cannot be read."""
        return read_signature(self.metadata.module_path, self.metadata.function_name)

    def samples_directory(self) -> Path | None:
        """Return the folder of sample rows that the package ships for this benchmark; None if it ships none."""
        own = self._own("samples")
        return own if own and own.is_dir() else None

    def goldens_directory(self) -> Path | None:
        """Return the folder of the package's golden prompts, which may not exist; None if the package has no folder."""
        return self._own("goldens")

    def source_files(self) -> dict[str, Path]:
        """Return the files that define it, by their path from its package or its folder, without sample rows."""
        folder = self._folder()
        if folder is None:
            return {}
        return {os.path.relpath(path.resolve(), folder.resolve()): path for path in self._sources(folder)}

    def _folder(self) -> Path | None:
        return package_folder(self.metadata.module_path)

    def _own(self, kind: str) -> Path | None:
        folder = self._folder()
        return folder / kind / self.key.replace("-", "_") if folder else None

    def _sources(self, folder: Path) -> Sequence[Path]:
        """Return the package's files; the rows that it ships may be those of many benchmarks."""
        rows = folder / "samples", folder / "goldens"
        found = sorted(path for path in folder.rglob("*") if path.suffix in _SOURCES)
        return [path for path in found if not any(path.is_relative_to(place) for place in rows)]

    def task_function(self) -> Callable[..., Any]:
        """Import the task function.

        Raises:
            OpenbenchError: The module cannot be imported, or has no such function.
        """
        meta = self.metadata
        try:
            module = importlib.import_module(meta.module_path)
        except ModuleNotFoundError as error:
            raise OpenbenchError(
                f"{self.key}: {meta.module_path} needs the module {error.name!r}, which is not installed. "
                f"Reinstall {self.distribution} with its dependencies."
            ) from error
        except (Exception, SystemExit) as error:
            raise OpenbenchError(
                f"{self.key}: {meta.module_path} of {self.distribution} cannot be imported: "
                f"{type(error).__name__}: {error}"
            ) from error
        function = getattr(module, meta.function_name, None)
        if not callable(function):
            raise OpenbenchError(f"{self.key}: {meta.module_path} has no function {meta.function_name!r}.")
        return function  # type: ignore[no-any-return]


def find_benchmark(catalog: Catalog, reference: str) -> Benchmark:
    """Find the benchmark that a reference means, by the rules of `resolve_reference`, or raise `UsageError`."""
    return resolve_reference(catalog, reference, lambda name: find_installed(catalog, name), find_local)


def resolve_reference(
    catalog: Catalog, reference: str, installed: Callable[[str], T], local_eval: Callable[[Path], T]
) -> T:
    """Decide what a reference means: an installed name comes first, then a path, then a display name.

    `installed` finds what a name or `name@distribution` means, or raises `UnknownNameError`; `local_eval`, a path.
    """
    if not is_path(reference):
        try:
            return installed(reference)
        except UnknownNameError as unknown:
            if not Path(reference).exists() or "@" in reference:
                return installed(catalog.key_shown_as(reference, unknown))
    return local_eval(Path(reference).expanduser())


def find_installed(catalog: Catalog, reference: str) -> Benchmark:
    """Find the benchmark that a name or `name@distribution` means, as `Catalog.find` does."""
    resolution = catalog.find(reference)
    assert resolution.winner is not None  # noqa: S101 - `find` raises where there is none
    return Benchmark(resolution.winner.key, resolution.winner.value, resolution)


def find_local(path: Path) -> Benchmark:
    """Find the local eval at a path, or of a task in it (`file.py@task`)."""
    first, *others = find_locals(path)
    if others:
        known = ", ".join(each.key for each in [first, *others])
        raise UsageError(f"{path} has several tasks: {known}. Name one, as in {path}@{first.key}.")
    return first


def find_locals(path: Path) -> Sequence[Benchmark]:
    """Find all local evals that a path means, by the function that a plugin registers for paths."""
    found = by_name(PATHS).get("evals")
    if not found:
        needed = "openbench-local"
        raise UsageError(f"{path}: evals in files come with {needed}: pip install {needed}{perhaps_left_out()}")
    evals: Sequence[Benchmark] = load_function(str(path), found)(path)
    return evals
