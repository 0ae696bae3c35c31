"""`bench doctor`."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, distribution, version
from itertools import groupby
from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.layout import wrapped
from openbench.errors import FAILED, SUCCESS, UsageError
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.discovery import (
    BENCHMARKS,
    COMMANDS,
    ENGINES,
    EXECUTORS,
    LOADERS,
    STYLES,
    Problem,
    by_name,
    every_plugin,
    registered,
)
from openbench.registry.names import canonical, counted, key_fault
from openbench.registry.plugin_loader import PluginError, load_function, load_only
from openbench.registry.plugin_loader import problem as problem_of
from openbench.registry.resolution import Resolution
from openbench.registry.sources import find_module
from openbench.registry.versions import CORE
from openbench_components.components import ENTRY_POINTS, Kind, load_factory

_METAPACKAGE = "openbench"

# Each import runs in a separate process: it may exit, hang, or affect later imports.
_AT_ONCE, _MOST_SECONDS = 2, 120.0
_IMPORT = """
import sys
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.errors import OpenbenchError
try:
    find_benchmark(Catalog.installed(), sys.argv[1]).task_function()
except OpenbenchError as error:
    sys.exit(str(error))
"""

_Seams = Mapping[str, tuple[AbstractSet[str], Callable[[str], object]]]


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Benchmarks whose tasks are imported as well.")
    ] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Import the tasks of all benchmarks, each in a separate process.")
    ] = False,
    as_json: opt.Json = False,
) -> int:
    """Diagnose the installed plugins, with causes and remedies.

    Exits with 1 if there is a problem.
    """
    from openbench.cli.eval import command as eval_command
    from openbench.cli.executors import load_executor, names_taken
    from openbench.cli.plugin_options import installed_panels, with_panels
    from openbench.cli.plugins import SUBCOMMANDS
    from openbench.run.engine import AUTO, INSPECT, load_engine

    panels, panel_problems = installed_panels(eval_command)
    options = names_taken(with_panels(eval_command, panels))
    taken = {name.removeprefix("--") for name in options if name.startswith("--")}
    seams: _Seams = {
        COMMANDS: (SUBCOMMANDS.keys(), _load_command),
        EXECUTORS: (taken, load_executor),
        ENGINES: ({AUTO, INSPECT}, load_engine),
        LOADERS: ({"py"}, _load_loader),
        STYLES: (set(), lambda name: load_only(f"--style {name}", by_name(STYLES)[name], lambda it: it, "a Style")),
    }
    problems, benchmarks = [*_diagnose(seams), *panel_problems], _chosen(names or [], deep=deep)
    for number, problem in enumerate(_import_tasks(benchmarks), start=1):
        problems += [problem] if problem else []
        if sys.stderr.isatty():
            typer.echo(
                f"\r{number}/{counted(len(benchmarks), 'task')} imported", err=True, nl=number == len(benchmarks)
            )
    problems.sort(key=lambda problem: (problem.distribution, problem.entry_point))
    plugins = {plugin.name: plugin.version for plugin in every_plugin()}
    if as_json:
        opt.echo_json({"core": version(CORE), "plugins": plugins, "problems": [asdict(each) for each in problems]})
    else:
        _write(problems)
        count = counted(len(problems), "problem") if problems else "No problems"
        tasks = (
            f"{counted(len(benchmarks), 'task')} imported" if benchmarks else "no task imported (--deep imports all)"
        )
        typer.echo(f"{count}: {CORE} {version(CORE)} with {counted(len(plugins), 'plugin')}; {tasks}.")
    return FAILED if problems else SUCCESS


def _load_loader(suffix: str) -> object:
    """Load the loader of files with a suffix."""

    def function(it: object) -> object:
        return it if callable(it) else None

    expected = "a function from a path to a module"
    return load_only(f"the loader of .{suffix} files", by_name(LOADERS)[suffix], function, expected)


def _load_command(name: str) -> object:
    from openbench.cli.plugins import OF_OPTIONS, load_plugin_command

    if name.startswith(OF_OPTIONS):
        return load_function(name, by_name(COMMANDS)[name])
    return load_plugin_command(name)


def _chosen(names: Sequence[str], *, deep: bool) -> list[Benchmark]:
    if not (names or deep):
        return []
    catalog = Catalog.installed()
    found = [key for key, each in catalog.resolutions.items() if each.winner and not catalog.group(key)]
    return [find_benchmark(catalog, name) for name in (names or found)]


def _write(problems: Sequence[Problem]) -> None:
    for named, group in groupby(problems, key=lambda problem: problem.distribution):
        typer.secho(named, bold=True, color=sys.stdout.isatty())
        for problem in group:
            for text, indent in ((f"{problem.entry_point}: {problem.message}", 2), (f"{problem.remedy}.", 4)):
                typer.echo("\n".join(wrapped(text, indent)))
        typer.echo()


def _diagnose(seams: _Seams) -> list[Problem]:
    """Return all problems, sorted by distribution.

    The seams are the entry-point groups other than the catalog's, each with its reserved names and a function that
    loads a name or raises `UsageError`.
    """
    found: list[Problem] = []
    try:
        found += _of_catalog(Catalog.installed())
        for kind in ENTRY_POINTS:
            found += _of_components(kind)
    except UsageError as error:
        found.append(Problem("settings", "openbench", str(error), "Correct the settings file"))
    found += [*_of_seams(seams), *_published_package()]
    return sorted(found, key=lambda problem: (problem.distribution, problem.entry_point))


def _import_tasks(benchmarks: Sequence[Benchmark]) -> Iterator[Problem | None]:
    """Import the tasks of benchmarks in child processes, two at a time, and yield their problems, in order."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(_import_task, benchmarks)


def _import_task(benchmark: Benchmark) -> Problem | None:
    command = [sys.executable, "-c", _IMPORT, benchmark.reference]
    try:
        done = subprocess.run(  # noqa: S603 - this Python
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"importing its task timed out after {_MOST_SECONDS:.0f} s"
    else:
        if done.returncode == 0:
            return None
        message = (
            done.stderr.strip().splitlines() or [f"importing its task exited Python with code {done.returncode}"]
        )[-1]
    provider = benchmark.distribution or benchmark.reference
    remedy = f"Reinstall {provider} with its dependencies, or report it to its authors"
    return Problem(provider, benchmark.key, message, remedy, loaded=True)


def _of_catalog(catalog: Catalog) -> Iterator[Problem]:
    yield from catalog.problems
    here = {found.distribution for found in registered(BENCHMARKS)}
    for resolution in catalog.resolutions.values():
        yield from _of_resolution(resolution, here)
    for name, choice in catalog.settings.choices.items():
        if not catalog.candidates(name):
            message = f"{choice.where} chooses it for {name}, which no distribution provides"
            yield Problem(choice.distribution, name, message, f"Install it: pip install {choice.distribution}")
    for group in catalog.groups.values():
        if nested := [member for member in group.value.benchmarks if catalog.group(member)]:
            message = f"members are suites, but a suite may contain only benchmarks: {', '.join(nested)}"
            yield Problem(group.distribution, group.key, message, f"Report it to the authors of {group.distribution}")
        elif missing := catalog.missing(group):
            message = f"members are not installed, so the suite has no score: {', '.join(missing)}"
            yield Problem(group.distribution, group.key, message, "Install the packages that provide them", loaded=True)


def _of_components(kind: Kind) -> Iterator[Problem]:
    """Load the scorers or solvers of plugins; names may be shared."""
    for found in registered(ENTRY_POINTS[kind]):
        try:
            if fault := key_fault(found.name):
                yield problem_of(found, f"the name {found.name!r:.60} {fault}")
            else:
                load_factory(kind, found)
        except PluginError as error:
            yield error.problem


def _of_resolution(resolution: Resolution, here: AbstractSet[str]) -> Iterator[Problem]:
    """Yield the problems of a name's candidates; `here` are the distributions that register benchmarks."""
    if resolution.winner is None:
        first, names = resolution.candidates[0].distribution, ", ".join(map(str, resolution.candidates))
        remedy = f"Choose one: bench use {resolution.key} {first}"
        yield Problem(first, resolution.key, f"{resolution.why}: {names}", remedy)
    there = {canonical(candidate.distribution) for candidate in resolution.candidates}
    for candidate in resolution.candidates:
        meta, report = candidate.value, f"Report it to the authors of {candidate.distribution}"
        if meta.overrides and canonical(meta.overrides) in here - there:
            message = f"declares that it overrides {meta.overrides}, which has no benchmark of this name"
            yield Problem(candidate.distribution, candidate.key, message, report, loaded=True)
        if find_module(meta.module_path) is None:
            message = f"names the module {meta.module_path!r}, which does not exist"
            yield Problem(candidate.distribution, candidate.key, message, report, loaded=True)


def _of_seams(seams: _Seams) -> Iterator[Problem]:
    """Load everything else that plugins provide, since a command loads only what it uses."""
    for group, (reserved, load) in seams.items():
        first: dict[str, str] = {}
        for found in registered(group):
            other = CORE if found.name in reserved else first.setdefault(found.name, found.distribution)
            if other != found.distribution:
                message = f"{other} also registers {found.name!r} in {group}"
                yield Problem(found.distribution, found.name, message, "Uninstall one of the two")
                continue
            try:
                load(found.name)
            except UsageError as error:
                yield Problem(found.distribution, found.name, str(error), "Uninstall it if you do not need it")


def _published_package() -> Iterator[Problem]:
    """Warn about the older package that was published as openbench: its modules overlap with the kernel's."""
    try:
        installed = distribution(_METAPACKAGE)
    except PackageNotFoundError:
        return
    files = [str(file) for file in installed.files or () if str(file).startswith("openbench/")]
    if files:
        yield Problem(
            f"{_METAPACKAGE} {installed.version}",
            "files",
            f"{len(files)} of its files, such as {files[0]}, have the same paths as files of {CORE} and overwrite them",
            f"Run: pip uninstall openbench; pip install --force-reinstall --no-deps {CORE}; pip install 'openbench>=1'",
        )
