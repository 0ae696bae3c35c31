"""`bench eval --logfile`: names the log of a run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from typer import Option

from openbench.cli.plugin_options import OptionPanel
from openbench.errors import LogError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.log import EvalLog

    from openbench.cli.eval_options import Options
    from openbench.run.plan import Plan


@dataclass(frozen=True)
class Logfile(OptionPanel):
    """Names the log of a run of one benchmark and model."""

    panel: ClassVar = "Logs"
    fixed: ClassVar = False
    logfile: Annotated[
        str | None,
        Option(
            envvar="BENCH_OUTPUT",
            metavar="FILE",
            help="Name of the log of a single benchmark and model, ending in .eval or .json; in --log-dir if given. "
            "Variable: BENCH_OUTPUT.",
        ),
    ] = None

    def prepare(self, plan: Plan, given: Options) -> Plan:
        """Set the log's format and directory to those of the name."""
        name, log_dir, log_format = self.logfile, given.log_dir, plan.options.get("log_format")
        if name is None:
            return plan
        from openbench.run.paths import absolute, normalize_location, parent

        log, suffix = normalize_location(name), Path(name).suffix
        if len(plan.jobs) != 1:
            raise UsageError(f"--logfile names one log, but there are {len(plan.jobs)} runs. Use --log-dir.")
        if suffix not in {".eval", ".json"} or f".{log_format or suffix[1:]}" != suffix:
            raise UsageError(f"--logfile {name}: the name must end in .eval or .json, as --log-format says.")
        if log_dir and Path(log).name == log:
            log = f"{log_dir.rstrip('/')}/{log}"
        elif log_dir and absolute(parent(log)) != absolute(log_dir):
            raise UsageError(f"--logfile {name} is not in --log-dir {log_dir}. Give its name alone, or no --log-dir.")
        _check_free(log, plan.resume)
        log_format = "eval" if suffix == ".eval" else "json"
        return replace(plan, options={**plan.options, "log_format": log_format, "log_dir": parent(log)})

    def on_logs(self, logs: Sequence[EvalLog], run: Path) -> None:
        """Rename the log in its directory, and record its new location."""
        if self.logfile is None:
            return
        from openbench.run.logs import move_log
        from openbench.run.paths import parent
        from openbench.run.run_directory import RunDirectory
        from openbench.tasks.provenance import Provenance

        for log in logs:
            to = f"{parent(log.location)}/{Path(self.logfile).name}"
            if log.location == to:
                return
            move_log(log.location, to)
            log.location = to
            if run.is_dir() and (job := Provenance.of(log).job):
                directory = RunDirectory.open(run)
                with directory.locked():
                    directory.add_logs({job: to})


def _check_free(location: str, run: str | None) -> None:
    """Check that a log would overwrite nothing, except the log of the run that is resumed."""
    from openbench.run.logs import exists, read_log
    from openbench.run.paths import absolute
    from openbench.tasks.provenance import Provenance

    if not exists(location):
        return
    there = "a file that is not a log"
    with suppress(LogError, UsageError):
        own = Provenance.of(read_log(location, header_only=True)).run
        if own and run and Path(own).name == Path(absolute(run)).name:
            return
        there = "the log of another run"
    raise UsageError(f"--logfile {location}: {there} would be overwritten. Use another name, or remove it.")
