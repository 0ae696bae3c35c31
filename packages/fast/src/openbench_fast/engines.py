"""The engines `direct` and `processes`, which journal samples, and write each log when its job has ended."""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.errors import LogError, UsageError
from openbench.run.build_job import job_id
from openbench.run.engine import INSPECT, PROCESSES, Engine, Support
from openbench.run.inspect_engine import InspectEngine, json_of
from openbench.run.journal import Samples
from openbench.run.logs import move_log, write_log
from openbench.run.paths import absolute, is_remote
from openbench.run.plan import EvalOptions, Plan
from openbench.run.recording import RunRecording
from openbench.run.usage import running_seconds
from openbench.tasks import provenance
from openbench.tasks.provenance import Provenance
from openbench_fast.assemble import assemble
from openbench_fast.direct.runner import DirectRunner
from openbench_fast.direct.supports import why_not_direct
from openbench_fast.gc_tuning import gc_disabled
from openbench_fast.process_count import processes_for
from openbench_fast.process_pool import run_forked
from openbench_fast.recording import HostRecording
from openbench_fast.results import Scoring, scoring_of
from openbench_fast.runner import InspectRunner, Runner


class JournalEngine(Engine):
    """Runs samples in one process or several, and builds the logs from their journals.

    Attributes:
        runner: Runs the samples in each process.
    """

    runner: ClassVar[type[Runner]]

    def check(self, tasks: Sequence[Task], plan: Plan) -> None:
        """Check that tasks can be split across the requested number of processes; see `Engine`."""
        processes_for(self.runner, self.display, tasks, plan)

    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: RunRecording) -> Mapping[str, EvalLog]:
        """Run tasks; see `Engine`."""
        processes = processes_for(self.runner, self.display, tasks, recording.plan)
        runner = self.runner(display=self.display)
        for task in tasks if processes > 1 else ():
            provenance.record(task, engine={**Provenance.of(task).engine, "processes": processes})

        def run(host: HostRecording) -> Mapping[str, EvalLog]:
            if processes > 1:
                return run_forked(runner, tasks, roles, host, processes)
            return runner.run(tasks, roles, host)

        return run_journalled(recording, tasks, run)


class DirectEngine(JournalEngine):
    """Runs static text benchmarks in its own loop."""

    runner = DirectRunner

    def supports(self, task: Task, plan: Plan) -> Support:
        """Refuse tasks that are not static, or that need a feature of Inspect's engine; see `Engine`."""
        return Support(why_not_direct(task, plan, self.display))


class ProcessesEngine(JournalEngine):
    """Runs any benchmark with Inspect's `eval` in several processes."""

    runner = InspectRunner

    def supports(self, task: Task, plan: Plan) -> Support:
        """Refuse tasks that would run in one process; see `Engine`."""
        inspect = InspectEngine(display=self.display).supports(task, replace(plan, processes=None))
        if not inspect:
            return inspect
        if plan.generate.get("batch"):
            return Support("one process collects the requests of batches")
        if plan.processes is None and processes_for(self.runner, self.display, [task], plan) <= 1:
            return Support("one process is enough")
        return Support()


def runner_of(engine: str) -> type[Runner]:
    """Return the runner that runs an engine's samples in another process.

    Raises:
        UsageError: The engine runs its samples in one process.
    """
    runners: dict[str, type[Runner]] = {"direct": DirectRunner, PROCESSES: InspectRunner, INSPECT: InspectRunner}
    if engine not in runners:
        raise UsageError(f"--engine {engine} runs its samples in one process. Use direct or inspect.")
    return runners[engine]


def run_journalled(
    recording: RunRecording, tasks: Sequence[Task], run: Callable[[HostRecording], Mapping[str, EvalLog]]
) -> dict[str, EvalLog]:
    """Run the samples of tasks, and write the logs built from their journals.

    Args:
        recording: The run.
        tasks: Its tasks.
        run: Runs their samples, and returns the header of each job's log, with status and error, by job id.

    Returns:
        The logs, as `openbench.run.engine.Engine.run` returns them.

    Raises:
        LogError: A journal cannot be written or read, or a log cannot be written.
    """
    scoring = {job_id(task): scoring_of(task, recording.plan) for task in tasks}
    with tempfile.TemporaryDirectory() as scratch:
        host = HostRecording(recording, _plan_of_runners(recording, scratch))
        outcomes = run(host)
    if host.failure:
        raise host.failure
    recording.check()
    for task in tasks:  # its samples take as much memory as the scores, which are read next
        task.dataset = MemoryDataset([])
    with gc_disabled():
        return {job: _written(recording, job, outcome, scoring[job]) for job, outcome in outcomes.items()}


def _plan_of_runners(recording: RunRecording, scratch: str) -> Plan:
    """Return the plan for the runners; in a resumed run, the logs that they write go to a temporary directory."""
    if not recording.resumed:
        return recording.plan
    options: EvalOptions = {**recording.plan.options, "log_dir": scratch, "log_samples": True}
    return replace(recording.plan, options=options)


def _written(recording: RunRecording, job: str, outcome: EvalLog, scoring: Scoring) -> EvalLog:
    log = assemble(recording.directory, job, outcome=outcome, scoring=scoring)
    suffix = recording.plan.options.get("log_format", "json")
    log.location = f"{absolute(recording.log_dir)}/{Path(outcome.location).stem}.{suffix}"
    if not recording.keep_samples:
        if Provenance.of(log).seconds is None:
            provenance.record(log, seconds=running_seconds(log.samples or ()))
        log.samples, log.eval.config.log_samples = None, False
    samples: object = log.samples
    try:
        if isinstance(samples, Samples) and suffix == "json":
            _write_parts(json_of(log, samples), log.location)
        else:
            write_log(log, log.location)
    except LogError as error:
        raise recording.unwritable(log.location, error) from error
    return log


def _write_parts(parts: Iterable[bytes], location: str) -> None:
    """Write a log whose samples are not in memory.

    Raises:
        LogError: It cannot be written.
    """
    folder = None if is_remote(location) else str(Path(absolute(location)).parent)
    try:
        with tempfile.TemporaryDirectory(".part", dir=folder) as scratch:
            file = Path(scratch, "log")
            with file.open("wb") as stream:
                stream.writelines(parts)
                stream.flush()
                os.fsync(stream.fileno())
            move_log(str(file), location)
    except OSError as error:
        raise LogError(f"{location} cannot be written: {error.strerror or error}") from error
