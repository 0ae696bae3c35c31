"""The update of `bench check --update-goldens`, made before the checks."""

from collections.abc import Iterator

import typer

from openbench.errors import OpenbenchError
from openbench.registry.benchmark import Benchmark
from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.goldens import write_goldens
from openbench_testing.conformance.rules.prompts import unrendered


def keep_prompts(benchmark: Benchmark, evidence: Evidence, *, to_stderr: bool) -> bool:
    """Store a benchmark's current prompts as its goldens, and report the changed files.

    Args:
        benchmark: The benchmark.
        evidence: Its evidence.
        to_stderr: Whether to write to stderr, because stdout is used for other output.

    Returns:
        Whether it succeeded; if not, the reason is on stderr.
    """
    message = f"{benchmark.reference}: its goldens are unchanged"
    try:
        for change in _written(benchmark, evidence):
            typer.echo(change, err=to_stderr)
            message = ""
    except OpenbenchError as error:
        typer.echo(f"bench: {benchmark.reference}: its goldens cannot be written: {error}", err=True)
        return False
    if message:
        typer.echo(message, err=to_stderr)
    return True


def _written(benchmark: Benchmark, evidence: Evidence) -> Iterator[str]:
    if why := unrendered(evidence):
        raise OpenbenchError(why)
    yield from write_goldens(benchmark, evidence.prompts.files)
