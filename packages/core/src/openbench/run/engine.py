"""Engines run the samples of jobs.

The built-in engine, `inspect`, calls Inspect's `eval()`, which runs anything. A distribution adds an engine with an
entry point in the group `openbench.engines`: its name is the value of `bench eval --engine`, and it refers to a
subclass of `Engine`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openbench.errors import UsageError
from openbench.registry.discovery import ENGINES, by_name
from openbench.registry.plugin_loader import load_only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model

    from openbench.run.journal import Journal
    from openbench.run.plan import Job, Plan
    from openbench.run.recording import RunRecording
    from openbench.run.run_directory import RunDirectory

AUTO = "auto"
INSPECT = "inspect"
PROCESSES = "processes"
"""The engine that runs Inspect's `eval()` in several processes."""
SUGGESTION_THRESHOLD = 2_000
"""Number of static samples above which a faster engine is suggested."""

_INSPECT_SECONDS, _DIRECT_SECONDS = 0.013, 0.0013  # CPU time per sample, as measured by benchmarks/throughput.py

FAST = {"direct": "openbench-fast", PROCESSES: "openbench-fast"}
"""The packages of engines that errors name when they are not installed."""


@dataclass(frozen=True)
class PreparedJob:
    """A job that is ready to run."""

    job: Job
    task: Task
    engine: str


class Engine(ABC):
    """Runs the samples of tasks."""

    def __init__(self, *, display: str) -> None:
        """Make an engine; `display` is that of `openbench.run.executor.Executor`."""
        self.display = display

    @abstractmethod
    def supports(self, task: Task, plan: Plan) -> Support:
        """Return whether the engine can run a task, without sending a request."""

    def check(self, tasks: Sequence[Task], plan: Plan) -> None:  # noqa: B027 - most engines have nothing to check
        """Check that the engine can run tasks together, before anything is written.

        Raises:
            UsageError: It cannot run them.
        """

    @abstractmethod
    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: RunRecording) -> Mapping[str, EvalLog]:
        """Run the missing samples of supported tasks.

        Args:
            tasks: The tasks, each with its model.
            roles: Models by role.
            recording: The run: its plan and directory, the samples that are complete, and where to report others.

        Returns:
            The complete log of each task, written to the log directory, by job id (`openbench.run.build_job.job_id`).
            A task that was not started because of an interrupt has none.

        Raises:
            OpenbenchError: The tasks could not be started.
        """

    def recover(self, run: RunDirectory, job: str) -> Journal:
        """Return the samples of a job that a run has recorded so far; a resume uses nothing else.

        Args:
            run: The run.
            job: The job's id.

        Raises:
            LogError: The journal cannot be read.
        """
        from openbench.run.journal import read_journal  # noqa: PLC0415 - usage errors should not wait for Inspect

        return read_journal(run, job)


@dataclass(frozen=True)
class Support:
    """Whether an engine supports a task; if not, the reason as a clause without a full stop."""

    refusal: str | None = None

    def __bool__(self) -> bool:
        return self.refusal is None


class Engines:
    """The installed engines, each made on first use."""

    def __init__(self, *, display: str) -> None:
        self._display = display
        self._made: dict[str, Engine] = {}

    def get(self, name: str) -> Engine:
        """Return the engine of a name."""
        if name not in self._made:
            self._made[name] = load_engine(name)(display=self._display)
        return self._made[name]

    def choose(self, task: Task, plan: Plan) -> str:
        """Choose the engine of a task, record it in the task's provenance with the reason, and return its name.

        It is the plan's, or with `auto` the first that supports the task, trying `inspect` last.

        Raises:
            UsageError: No engine runs it.
        """
        from openbench.tasks.provenance import Provenance, record  # noqa: PLC0415 - see `Engine.recover`

        name, reason = self._chosen(Provenance.of(task).benchmark, task, plan)
        record(task, engine={"name": INSPECT if name == PROCESSES else name, "reason": reason})
        return name

    def _chosen(self, key: str, task: Task, plan: Plan) -> tuple[str, str]:
        several = plan.processes is not None and plan.processes > 1
        name = PROCESSES if plan.engine == INSPECT and several else plan.engine
        if name != AUTO:
            if refusal := self.get(name).supports(task, plan).refusal:
                raise UsageError(f"{key}: --engine {plan.engine} cannot run it: {refusal}.")
            return name, "chosen with --engine"
        refusals: dict[str, str] = {}
        for candidate in (*sorted(by_name(ENGINES)), *(() if several else (INSPECT,))):
            refusal = self._refusal(candidate, task, plan)
            if refusal is None:
                reason = "; ".join(f"not {name}: {refusal}" for name, refusal in refusals.items())
                return candidate, reason or "it supports the benchmark"
            refusals[candidate] = refusal
        if several and not refusals:
            check_engine_name(PROCESSES, option="--processes")
        raise UsageError(f"{key}: {list(refusals.values())[-1]}.")

    def _refusal(self, name: str, task: Task, plan: Plan) -> str | None:
        """Return why an engine does not support a task; one that cannot be loaded supports nothing."""
        try:
            engine = self.get(name)
        except UsageError as error:
            return str(error).rstrip(".")
        return engine.supports(task, plan).refusal


def check_engine_name(name: str, *, option: str = "--engine") -> None:
    """Check that an engine exists, without loading it."""
    known = sorted({AUTO, INSPECT} | by_name(ENGINES).keys())
    if name in known:
        return
    if package := FAST.get(name):
        asked = f"{option} {name}" if option == "--engine" else option
        raise UsageError(f"{asked} needs {package}: pip install {package}")
    raise UsageError(f"{option} {name}: no such engine. Known: {', '.join(known)}.")


def load_engine(name: str) -> type[Engine]:
    """Load the engine class of a name."""
    if name == INSPECT:
        from openbench.run.inspect_engine import InspectEngine  # noqa: PLC0415 - that module imports this one

        return InspectEngine
    check_engine_name(name)
    return load_only(f"--engine {name}", by_name(ENGINES)[name], _engine_class, "a subclass of Engine")


def tasks_by_engine(prepared: Sequence[PreparedJob]) -> Mapping[str, list[Task]]:
    """Group the tasks of jobs by engine name."""
    found: dict[str, list[Task]] = {}
    for each in prepared:
        found.setdefault(each.engine, []).append(each.task)
    return found


def engine_suggestion(prepared: Sequence[PreparedJob], plan: Plan) -> str | None:
    """Return a hint to install openbench-fast for a run of many static samples; None if that would not help.

    It compares the CPU time of Inspect's engine and of `direct` on one core, without the requests themselves.
    """
    if plan.engine != AUTO or "direct" in by_name(ENGINES):
        return None
    from openbench.run.identity import planned_count  # noqa: PLC0415 - usage errors should not wait for Inspect
    from openbench.tasks.solvers import is_static, steps_of  # noqa: PLC0415

    static = [each.task for each in prepared if each.engine == INSPECT and all(map(is_static, steps_of(each.task)))]
    count = sum(planned_count(task, plan) for task in static)
    if count <= SUGGESTION_THRESHOLD:
        return None
    slow, quick = (f"{max(1, round(count * each))} s" for each in (_INSPECT_SECONDS, _DIRECT_SECONDS))
    return (
        f"{count:,} static samples take about {slow} besides their requests, and about {quick} with openbench-fast: "
        "pip install openbench-fast"
    )


def _engine_class(value: object) -> type[Engine] | None:
    return value if isinstance(value, type) and issubclass(value, Engine) else None
