"""The files of a fork: the original's import package under a new name, and a project around it."""

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

from openbench.errors import UsageError
from openbench.registry.benchmark import Benchmark
from openbench.registry.discovery import BENCHMARKS
from openbench.registry.names import normalized
from openbench.registry.sources import package_folder
from openbench_testing.new.names import package_of
from openbench_testing.new.texts import python_literal, toml_literal

_PER_BENCHMARK = ("samples", "goldens")
_PROVIDER = "overriding"


def fork_files(benchmark: Benchmark, distribution: str) -> dict[str, bytes]:
    """Return the contents of a fork's files by their paths.

    Args:
        benchmark: The installed benchmark that the fork overrides.
        distribution: The fork's distribution.

    Raises:
        UsageError: The original is not a separate import package whose metadata can be found.
    """
    package, fork = benchmark.metadata.module_path.partition(".")[0], package_of(distribution)
    folder = package_folder(package)
    original = importlib.metadata.distribution(str(benchmark.distribution))
    if folder is None or not (folder / "__init__.py").is_file():
        raise UsageError(f"{benchmark.key}: {package} of {original.name} is not a package with a folder to copy.")
    files = {f"src/{fork}/{path}": _renamed(path, data, package, fork) for path, data in _copied(folder, benchmark)}
    files[f"src/{fork}/{_PROVIDER}.py"] = _provider(benchmark, original, package, fork).encode()
    files["pyproject.toml"] = _project(benchmark, original, distribution, package, fork).encode()
    files["README.md"] = _readme(benchmark, original, distribution, fork).encode()
    files["CHANGELOG.md"] = f"# Changelog\n\n## 1.0.0 - unreleased\n\n- {_origin(original)}.\n".encode()
    files[f"tests/test_{benchmark.key.replace('-', '_')}.py"] = _test(benchmark, distribution).encode()
    for path in original.files or ():
        if re.match(r"(LICEN[CS]E|COPYING|NOTICE)", path.name, re.IGNORECASE):
            files[path.name] = Path(str(path.locate())).read_bytes()
    return files


def _copied(folder: Path, benchmark: Benchmark) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package, but only the benchmark's own samples and goldens."""
    own = benchmark.key.replace("-", "_")
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        other = len(parts) > 1 and parts[0] in _PER_BENCHMARK and parts[1] != own
        if path.is_file() and "__pycache__" not in parts and not other:
            yield "/".join(parts), path.read_bytes()


def _renamed(path: str, data: bytes, package: str, fork: str) -> bytes:
    if not path.endswith((".py", ".toml", ".md")):
        return data
    return _named(data.decode(), package, fork).encode()


def _named(text: str, package: str, fork: str) -> str:
    return re.sub(rf"\b{re.escape(package)}\b", fork, text)


def _provider(benchmark: Benchmark, original: importlib.metadata.Distribution, package: str, fork: str) -> str:
    """Return the module that the entry point names: the original's metadata, which now overrides the original."""
    for point in original.entry_points.select(group=BENCHMARKS):
        value = point.load()
        found = value() if callable(value) else value
        call = "()" if callable(value) else ""
        key = None
        if isinstance(found, dict):
            key = next((name for name in found if normalized(name) == normalized(benchmark.key)), None)
        elif normalized(point.name) != normalized(benchmark.key):
            continue
        if isinstance(found, dict) and key is None:
            continue
        item = f"[{python_literal(str(key))}]" if key is not None else ""
        module = _named(point.module, package, fork)
        name = point.attr.partition(".")[0]
        return (
            f'"""The benchmark {benchmark.key}, which replaces that of {original.name}."""\n\n'
            "from dataclasses import replace\n\n"
            f"from {module} import {name}\n\n"
            f'BENCHMARK = replace({point.attr}{call}{item}, overrides="{original.name}", builtin=False)\n'
        )
    raise UsageError(f"{benchmark.key}: no entry point of {original.name} provides it.")


def _project(
    benchmark: Benchmark, original: importlib.metadata.Distribution, distribution: str, package: str, fork: str
) -> str:
    needed = [line for line in original.requires or () if not re.search(r";.*\bextra\b", line)]
    lines = "".join(f"  {toml_literal(line)},\n" for line in needed)
    plugins = "".join(
        f'{fork if point.name == package else point.name} = "{_named(point.value, package, fork)}"\n'
        for point in original.entry_points.select(group="inspect_ai")
    )
    inspect = f"[project.entry-points.inspect_ai]\n{plugins}\n" if plugins else ""
    return f"""[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "{distribution}"
version = "1.0.0"
description = {toml_literal(benchmark.metadata.description)}
readme = "README.md"
requires-python = ">=3.11"
classifiers = [
  "Private :: Do Not Upload", # package indexes refuse it; remove this to publish
]
dependencies = [
{lines}]

[project.optional-dependencies]
test = ["openbench-testing>=1.0,<2", "pytest>=8.4"]

[project.entry-points."{BENCHMARKS}"]
{benchmark.key} = "{fork}.{_PROVIDER}:BENCHMARK"

{inspect}[tool.hatch.build.targets.wheel]
packages = ["src/{fork}"]

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "--strict-config", "--strict-markers", "-ra"]
testpaths = ["tests"]
"""


def _origin(original: importlib.metadata.Distribution) -> str:
    return f"Forked from {original.name} {original.version}"


def _readme(benchmark: Benchmark, original: importlib.metadata.Distribution, distribution: str, fork: str) -> str:
    return f"""# {distribution}

{benchmark.metadata.description}.

{_origin(original)}. While it is installed, it replaces that package's `{benchmark.key}`;
`bench describe {benchmark.key} --why` shows it, and `bench eval {benchmark.key}@{original.name}` runs the original.

    pip install -e ".[test]"
    bench eval {benchmark.key} --sample --baseline reference      # offline, no key
    bench check {benchmark.key}
    pytest

The code in `src/{fork}` is the original's; `{_PROVIDER}.py` declares the override. Document here what
differs and why, keep the original's licence terms, and raise the major version whenever scores change.
"""


def _test(benchmark: Benchmark, distribution: str) -> str:
    name = "".join(word.title() for word in re.split(r"[-_]", benchmark.key))
    return f'''"""The fork conforms to openbench's requirements."""

from openbench_testing import BenchmarkConformance


class Test{name}(BenchmarkConformance):
    benchmark = "{benchmark.key}@{distribution}"
'''
