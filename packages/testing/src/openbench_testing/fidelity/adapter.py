"""A package's description of an original: `fidelity/<benchmark>.py` beside its `pyproject.toml`."""

import runpy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openbench.errors import OpenbenchError, UsageError
from openbench.registry.benchmark import Benchmark
from openbench.registry.sources import package_folder

Record = Mapping[str, Any]
"""A recorded completion: `row` in the source's columns, `completion`, and `model`, its author."""

Verdict = float | Mapping[str, float] | None
"""A score, or several by name; None without one."""

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Adapter:
    """Reads an original's recorded completions, and runs its scoring code.

    It is a module of the package that imports only the standard library, since the original's interpreter may have
    nothing else. It defines:

    Attributes:
        path: The module's file.
        COMPLETIONS: The URL of the completions, with their commit.
        ORIGINAL: The URL of the scoring code, with its commit.
        recorded: `recorded(benchmark, directory)` yields the records (`row`, `completion`, `model`) in a directory.
        original: `original(benchmark, records, code)` returns a verdict for each record: True or False, a number,
            several numbers by the names in the benchmark's scorer, or None. It runs in a separate process; `code` is
            the folder of the original's code.
        explain: `explain(record, original, ours)` returns the reason why two verdicts differ, or "" if unknown.
            Optional.
        TOLERANCE: The maximum difference between equal numbers, for example if the original rounds. Optional.
    """

    path: Path
    COMPLETIONS: str
    ORIGINAL: str
    recorded: Callable[[str, Path], Iterable[Record]]
    original: Callable[[str, Sequence[Record], Path], Iterable[Any]]
    explain: Callable[[Record, Verdict, Verdict], str] = lambda record, original, ours: ""  # noqa: ARG005
    TOLERANCE: float = TOLERANCE


def project_folder(benchmark: Benchmark) -> Path:
    """Return the folder of the project that provides a benchmark, with its `pyproject.toml`.

    Raises:
        UsageError: The benchmark has no project folder, for example because it was installed from a wheel.
    """
    folder = package_folder(benchmark.metadata.module_path)
    if folder and not benchmark.path:
        found = next((each for each in list(folder.parents)[:3] if (each / "pyproject.toml").is_file()), None)
        if found:
            return found
    raise UsageError(
        f"{benchmark.reference} has no project folder for its fidelity.md. Install the package in editable mode from "
        "its repository."
    )


def find_adapter(benchmark: Benchmark) -> Adapter:
    """Load the adapter `fidelity/<benchmark>.py`, or that of its module, `fidelity/<module>.py`, for a family.

    Raises:
        UsageError: The adapter does not exist, or is incomplete.
    """
    folder = project_folder(benchmark) / "fidelity"
    names = (benchmark.key.replace("-", "_"), benchmark.metadata.module_path.rpartition(".")[2])
    path = next((path for name in names if (path := folder / f"{name}.py").is_file()), None)
    if path is None:
        raise UsageError(
            f"{benchmark.key}: the adapter {folder / names[0]}.py does not exist. It reads the original's completions."
        )
    try:
        defined = runpy.run_path(str(path))
    except Exception as error:
        raise OpenbenchError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    known = [name for name in Adapter.__annotations__ if name != "path"]
    try:
        return Adapter(path, **{name: defined[name] for name in known if name in defined})
    except TypeError as error:
        required = ", ".join(name for name in known if name not in {"explain", "TOLERANCE"})
        raise UsageError(f"{path} must define {required}.") from error
