"""`bench eval --hub-repo`: uploads the logs of a run when it has ended."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer
from typer import Option

from openbench.cli.plugin_options import OptionPanel
from openbench.errors import FAILED, SUCCESS, OpenbenchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.log import EvalLog

    from openbench.cli.eval_options import Options
    from openbench.run.plan import Plan
    from openbench_analysis.exports.hub import Target


@dataclass(frozen=True)
class Hub(OptionPanel):
    """Uploads the logs of a run to a dataset of the Hugging Face Hub."""

    panel: ClassVar = "Hugging Face Hub"
    fixed: ClassVar = False
    hub_repo: Annotated[
        str | None,
        Option(metavar="NAME", help="Upload the logs to this dataset, organisation/name, as bench export hf does."),
    ] = None
    hub_private: Annotated[bool | None, Option(help="Require a private dataset; a new one is made as this says.")] = (
        None
    )
    hub_benchmark_name: Annotated[
        str | None, Option(metavar="NAME", help="Name of the benchmark in the dataset, in place of the log's.")
    ] = None
    hub_model_name: Annotated[
        str | None, Option(metavar="NAME", help="Name of the model in the dataset, in place of the log's.")
    ] = None

    def prepare(self, plan: Plan, given: Options) -> Plan:  # noqa: ARG002 - the signature of all panels
        """Check that the logs can be uploaded."""
        if self.hub_repo is None:
            for field in fields(self):
                if getattr(self, field.name) is not None:
                    raise UsageError(f"--{field.name.replace('_', '-')} needs --hub-repo.")
            return plan
        benchmarks = {job.resolved.key if job.resolved else job.benchmark for job in plan.jobs}
        self._target(self.hub_repo).check(benchmarks, {job.model.name for job in plan.jobs})
        return plan

    def on_report(self, logs: Sequence[EvalLog]) -> int:
        """Upload the logs; if that fails, write to stderr how to upload them later."""
        if self.hub_repo is None:
            return SUCCESS
        from openbench_analysis.exports.hub import upload
        from openbench_analysis.exports.origin import require_runs
        from openbench_dryrun.prices import read_prices

        paths, target = [log.location for log in logs], self._target(self.hub_repo)
        try:
            runs, problems = require_runs(paths, read_prices(Path.cwd()))
            typer.echo(f"uploaded to {upload(runs, target).url}", err=True)
        except OpenbenchError as error:
            typer.echo(f"bench: {error}", err=True)
            typer.echo(f"bench: the logs are complete. Upload them with: {_command(paths, target)}", err=True)
            return FAILED
        for problem in problems:
            typer.echo(f"Warning: not uploaded: {problem}", err=True)
        return SUCCESS

    def _target(self, repo: str) -> Target:
        from openbench_analysis.exports.hub import Target

        return Target(repo=repo, private=self.hub_private, benchmark=self.hub_benchmark_name, model=self.hub_model_name)


def _command(logs: Sequence[str], target: Target) -> str:
    """Return the command that uploads logs."""
    from openbench.run.paths import display_path

    options = []
    for field in fields(target):
        value, name = getattr(target, field.name), field.name
        option = f"--hub-{name}-name" if name in {"benchmark", "model"} else f"--hub-{name}"
        if value is not None:
            options += [f"--no-hub-{name}" if value is False else option]
            options += [value] if isinstance(value, str) else []
    return shlex.join(["bench", "export", "hf", *map(display_path, logs), *options])
