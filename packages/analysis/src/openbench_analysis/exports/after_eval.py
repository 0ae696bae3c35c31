"""`bench eval --hub-repo`: uploads the logs of a run when it has ended."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import typer

from openbench.errors import FAILED, SUCCESS, OpenbenchError
from openbench.run.paths import display_path
from openbench.run.plan import Plan
from openbench_analysis.exports.hub import Target, upload
from openbench_analysis.exports.origin import require_runs
from openbench_dryrun.prices import read_prices


def prepare(
    plan: Plan, *, repo: str, private: bool | None, benchmark: str | None, model: str | None
) -> Callable[[Sequence[str]], int]:
    """Check, before a run, that its logs can be uploaded.

    Args:
        plan: What will run.
        repo: The value of `--hub-repo`.
        private: That of `--hub-private`.
        benchmark: That of `--hub-benchmark-name`.
        model: That of `--hub-model-name`.

    Returns:
        A function that uploads the logs at some paths and returns the exit code. If it fails, it writes to stderr how
        to upload them later.

    Raises:
        UsageError: They cannot be uploaded.
    """
    target = Target(repo=repo, private=private, benchmark=benchmark, model=model)
    benchmarks = {job.resolved.key if job.resolved else job.benchmark for job in plan.jobs}
    target.check(benchmarks, {job.model.name for job in plan.jobs})

    def finish(logs: Sequence[str]) -> int:
        try:
            runs, problems = require_runs(logs, read_prices(Path.cwd()))
            typer.echo(f"uploaded to {upload(runs, target).url}", err=True)
        except OpenbenchError as error:
            typer.echo(f"bench: {error}", err=True)
            typer.echo(f"bench: the logs are complete. Upload them with: {_command(logs, target)}", err=True)
            return FAILED
        for problem in problems:
            typer.echo(f"Warning: not uploaded: {problem}", err=True)
        return SUCCESS

    return finish


def _command(logs: Sequence[str], target: Target) -> str:
    """Return the command that uploads logs."""
    options = []
    for field in fields(target):
        value, name = getattr(target, field.name), field.name
        option = f"--hub-{name}-name" if name in {"benchmark", "model"} else f"--hub-{name}"
        if value is not None:
            options += [f"--no-hub-{name}" if value is False else option]
            options += [value] if isinstance(value, str) else []
    return shlex.join(["bench", "export", "hf", *map(display_path, logs), *options])
