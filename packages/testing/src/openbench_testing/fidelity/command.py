"""The command `bench fidelity`."""

from pathlib import Path
from typing import Annotated

import typer

from openbench.errors import FAILED, SUCCESS, UsageError
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench_testing.conformance.installed import installed
from openbench_testing.fidelity.adapter import find_adapter, project_folder
from openbench_testing.fidelity.measure import interpreter, measure
from openbench_testing.fidelity.report import FILE, agrees, read_sections, section_of, verdict, write_sections

_UNKNOWN = 3  # like an inconclusive gate


def command(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Benchmarks, name@distribution, or groups.")],
    completions: Annotated[
        Path | None,
        typer.Option(metavar="DIR", exists=True, file_okay=False, help="The original's recorded completions."),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(metavar="DIR", exists=True, file_okay=False, help="The original's published scoring code."),
    ] = None,
    python: Annotated[
        str | None, typer.Option(metavar="PROGRAM", help="Interpreter for the original's code; this one by default.")
    ] = None,
) -> int:
    """Show or measure the agreement of a benchmark's verdicts with its original's.

    With --completions and --original, recorded completions are scored by the original's code, in a separate process,
    and by the benchmark. The agreement and every disagreement are written to fidelity.md in the benchmark's project.
    Without them, the command shows fidelity.md, and lists other benchmarks as unknown. The original's code runs with
    your permissions, without a sandbox.

    Exits with 1 if the agreement is below 99.5 % or a disagreement is unexplained, and with 3 if a benchmark's
    agreement is unknown.
    """
    if (completions is None) != (original is None):
        raise UsageError("Set both --completions and --original, or neither.")
    catalog = Catalog.installed()
    groups = [(name, catalog.group(name)) for name in names]
    members = [member for name, group in groups for member in (group.value.benchmarks if group else [name])]
    benchmarks = [find_benchmark(catalog, member) for member in dict.fromkeys(members)]
    found = [_one(catalog, benchmark, completions, original, python) for benchmark in benchmarks]
    if False in found:
        return FAILED
    return SUCCESS if all(found) else _UNKNOWN


def _one(
    catalog: Catalog, benchmark: Benchmark, completions: Path | None, original: Path | None, python: str | None
) -> bool | None:
    file = project_folder(benchmark) / FILE
    sections = read_sections(file)
    if completions and original:
        adapter = find_adapter(benchmark)
        scored = measure(benchmark, adapter, completions, original, interpreter(python))
        sections = {**read_sections(file), benchmark.key: section_of(benchmark, adapter, scored)}
    siblings = [reference.partition("@")[0] for reference in installed(catalog, benchmark.distribution)]
    write_sections(file, sections, siblings)
    section = sections.get(benchmark.key, "")
    typer.echo(f"{benchmark.key}: {verdict(section)}")
    return agrees(section)
