"""The files in which a package stores the prompts of its benchmarks: `goldens/<benchmark>/<template>.txt`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from openbench.errors import OpenbenchError
from openbench.registry.benchmark import Benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.names import canonical
from openbench_testing.conformance.evidence import Goldens

_SUFFIX = ".txt"
# Distinguishes a folder of goldens from other folders with this name.
_TEMPLATES = ("chat.txt", "plain.txt")


def read_goldens(benchmark: Benchmark, catalog: Catalog) -> Goldens:
    """Read a benchmark's stored prompts; line-ending changes by git and editors are ignored.

    Args:
        benchmark: The benchmark.
        catalog: Lists the other benchmarks of its distribution.
    """
    folder = benchmark.goldens_directory()
    if folder is None:
        return Goldens()
    files = {path.name: _read(path) for path in _files(folder)}
    orphans = _orphans(benchmark, folder, catalog) if benchmark.distribution else ()
    return Goldens(folder=f"{folder.parent.name}/{folder.name}", files=files, orphans=orphans)


def write_goldens(benchmark: Benchmark, files: Mapping[str, str]) -> Iterator[str]:
    """Write these files to a benchmark's folder, and remove all other goldens.

    Yields:
        The action for each file that differed: `wrote`, `changed` or `removed`, and its path.

    Raises:
        OpenbenchError: The folder cannot be found, is outside its package, or cannot be written.
    """
    folder = benchmark.goldens_directory()
    if folder is None:
        raise OpenbenchError(f"the module {benchmark.metadata.module_path} has no folder.")
    try:
        before = {path.name: path for path in _files(folder)}
        for path in (*before.values(), *(folder / name for name in files)):
            if not path.resolve().is_relative_to(folder.parent.parent.resolve()):
                raise OpenbenchError(f"{path} is a link to a path outside its package. Remove it.")
        for name, text in files.items():
            if name not in before or before[name].read_bytes() != text.encode():
                folder.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(text.encode())
                yield f"{'changed' if name in before else 'wrote'} {_shown(folder / name)}"
        for name in sorted(before.keys() - files.keys()):
            before[name].unlink()
            yield f"removed {_shown(folder / name)}"
    except OSError as error:
        raise OpenbenchError(
            f"{_shown(folder)} cannot be written: {error.strerror}. "
            "Install the package in editable mode from your own copy."
        ) from error


def _read(path: Path) -> str:
    return path.read_text("utf-8", "backslashreplace").rstrip("\n") + "\n"


def _shown(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(f"*{_SUFFIX}") if path.is_file()) if folder.is_dir() else []


def _orphans(benchmark: Benchmark, folder: Path, catalog: Catalog) -> Sequence[str]:
    """Return the folders with goldens that belong to no benchmark of the distribution."""
    own = {
        candidate.key.replace("-", "_")
        for resolution in catalog.resolutions.values()
        for candidate in resolution.candidates
        if canonical(candidate.distribution) == canonical(benchmark.distribution or "")
    }
    beside = folder.parent.iterdir() if folder.parent.is_dir() else ()
    held = {path.name for path in beside if any((path / name).is_file() for name in _TEMPLATES)}
    return sorted(held - own)
