"""A benchmark to run: its metadata, the distribution that provides it, and its files."""

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
"""The category of local evals without `__metadata__`."""

_SOURCES = {".j2", ".jinja", ".jinja2", ".md", ".py", ".toml", ".txt", ".yaml", ".yml"}
"""Suffixes of the files that define a package's benchmarks."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark, found by its name or its path.

    Attributes:
        key: The name of its entry point; for a local eval, its function's name.
        metadata: Its metadata.
        resolution: The distribution that provides the name, and why; None for a local eval.
        path: The path of a local eval; None for an installed benchmark.
        task: The task function of a local eval, if its file has several.
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
        """An unambiguous reference to the benchmark: `name@distribution`, or an absolute `path[@task]`."""
        path = str(self.path.resolve()) if self.path else f"{self.key}@{self.distribution}"
        return f"{path}@{self.task}" if self.task else path

    def signature(self) -> Signature | None:
        """Return the task function's signature, read without an import; None if it cannot be read."""
        return read_signature(self.metadata.module_path, self.metadata.function_name)

    def samples_directory(self) -> Path | None:
        """Return the folder of sample rows that the package ships for this benchmark; None if it ships none."""
        own = self._own("samples")
        return own if own and own.is_dir() else None

    def goldens_directory(self) -> Path | None:
        """Return the folder of the benchmark's golden prompts, which may not exist; None if it has no package."""
        return self._own("goldens")

    def source_files(self) -> dict[str, Path]:
        """Return the files that define it, by their path relative to its package or folder, without sample rows."""
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
        """Return the package's files, without the sample rows of any benchmark."""
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
    """Find the benchmark for a reference by the rules of `resolve_reference`, or raise `UsageError`."""
    return resolve_reference(catalog, reference, lambda name: find_installed(catalog, name), find_local)


def resolve_reference(
    catalog: Catalog, reference: str, installed: Callable[[str], T], local_eval: Callable[[Path], T]
) -> T:
    """Resolve a reference: to an installed name, else to a path, else to a display name.

    `installed` resolves a name or `name@distribution`, or raises `UnknownNameError`; `local_eval` resolves a path.
    """
    if not is_path(reference):
        try:
            return installed(reference)
        except UnknownNameError as unknown:
            if not Path(reference).exists() or "@" in reference:
                return installed(catalog.key_shown_as(reference, unknown))
    return local_eval(Path(reference).expanduser())


def find_installed(catalog: Catalog, reference: str) -> Benchmark:
    """Find the benchmark for a name or `name@distribution`, as `Catalog.find` does."""
    resolution = catalog.find(reference)
    assert resolution.winner is not None  # noqa: S101 - `find` raises without one
    return Benchmark(resolution.winner.key, resolution.winner.value, resolution)


def find_local(path: Path) -> Benchmark:
    """Find the local eval at a path (`quiz.py`), or that of one task in it (`quiz.py@task`)."""
    first, *others = find_locals(path)
    if others:
        known = ", ".join(each.key for each in [first, *others])
        raise UsageError(f"{path} has several tasks: {known}. Name one, as in {path}@{first.key}.")
    return first


def find_locals(path: Path) -> Sequence[Benchmark]:
    """Find all local evals at a path, with the function that openbench-local registers."""
    found = by_name(PATHS).get("evals")
    if not found:
        needed = "openbench-local"
        raise UsageError(f"{path}: evals in files come with {needed}: pip install {needed}{perhaps_left_out()}")
    evals: Sequence[Benchmark] = load_function(str(path), found)(path)
    return evals
