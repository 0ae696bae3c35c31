"""Engines run the samples of jobs.

Core's own, `inspect`, is Inspect's `eval()`, which runs anything. A distribution adds one through the entry-point group
`openbench.engines`: the entry point's name is what `bench eval --engine` takes, and names a subclass of `Engine`.
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
"""The engine that runs Inspect's in several processes."""
SUGGESTION_THRESHOLD = 2_000
"""Static samples of a run from which another engine is suggested."""

_INSPECT_SECONDS, _DIRECT_SECONDS = 0.013, 0.0013  # of CPU for each sample, as benchmarks/throughput.py measures them

FAST = {"direct": "openbench-fast", PROCESSES: "openbench-fast"}
"""Engines of another package of ours, which an error names where that is not installed."""


@dataclass(frozen=True)
class PreparedJob:
    """A job that is ready to run.

    Attributes:
        job: The job of the plan.
        task: Its task, as `openbench.run.build_job.build_job` makes it; its metadata hold its id in the run.
        engine: The name of its engine.
    """

    job: Job
    task: Task
    engine: str


class Engine(ABC):
    """Runs the samples of tasks."""

    def __init__(self, *, display: str) -> None:
        """Make an engine.

        Args:
            display: How progress is shown, as `openbench.run.executor.Executor` has it.
        """
        self.display = display

    @abstractmethod
    def supports(self, task: Task, plan: Plan) -> Support:
        """Return whether it can run a task, and if not, why; no model is asked anything."""

    def check(self, tasks: Sequence[Task], plan: Plan) -> None:  # noqa: B027 - most have nothing to check
        """Check that it can run tasks together, before anything is written.

        Raises:
            UsageError: It cannot.
        """

    @abstractmethod
    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: RunRecording) -> Mapping[str, EvalLog]:
        """Run what is missing of tasks that it supports.

        Args:
            tasks: The tasks, each with its model.
            roles: Models by role.
            recording: The run: its plan and directory, which samples are there already, and where it reports others.

        Returns:
            By the id of its job (`openbench.run.build_job.job_id`) the log of each task, whole and written to the log
            directory. A task that an interrupt kept from starting has none.

        Raises:
            OpenbenchError: The tasks could not be started.
        """

    def recover(self, run: RunDirectory, job: str) -> Journal:
        """Return what a run has recorded of a job so far; all that a resume knows of it.

        Args:
            run: The directory of the run.
            job: The id of the job.

        Raises:
            LogError: What is recorded cannot be read.
        """
        from openbench.run.journal import read_journal  # noqa: PLC0415 - a mistake is answered without importing Inspect

        return read_journal(run, job)


@dataclass(frozen=True)
class Support:
    """Whether an engine supports a task.

    Attributes:
        refusal: Why it does not, as a clause without a full stop; None if it does.
    """

    refusal: str | None = None

    def __bool__(self) -> bool:
        return self.refusal is None


@dataclass(frozen=True)
class EngineChoice:
    """An engine by name, and why it was chosen."""

    engine: str
    reason: str


class Engines:
    """The engines that are installed; each is made when it is first used."""

    def __init__(self, *, display: str) -> None:
        self._display = display
        self._made: dict[str, Engine] = {}

    def get(self, name: str) -> Engine:
        """Return an engine.

        Raises:
            UsageError: No distribution provides it, several do, or it cannot be loaded.
        """
        if name not in self._made:
            self._made[name] = load_engine(name)(display=self._display)
        return self._made[name]

    def choose(self, key: str, task: Task, plan: Plan) -> EngineChoice:
        """Choose the engine of a task: the one that the plan names, else the first that supports it, `inspect` last.

        Args:
            key: The benchmark's name.
            task: The task.
            plan: The plan.

        Raises:
            UsageError: The engine that the plan names does not support the task, or none does.
        """
        several = plan.processes is not None and plan.processes > 1
        name = PROCESSES if plan.engine == INSPECT and several else plan.engine
        if name != AUTO:
            if refusal := self.get(name).supports(task, plan).refusal:
                raise UsageError(f"{key}: --engine {plan.engine} cannot run it: {refusal}.")
            return EngineChoice(name, "chosen with --engine")
        refusals: dict[str, str] = {}
        for candidate in (*sorted(by_name(ENGINES)), *(() if several else (INSPECT,))):
            refusal = self._refusal(candidate, task, plan)
            if refusal is None:
                reason = "; ".join(f"not {name}: {refusal}" for name, refusal in refusals.items())
                return EngineChoice(candidate, reason or "it supports the benchmark")
            refusals[candidate] = refusal
        if several and not refusals:
            check_engine_name(PROCESSES, option="--processes")
        raise UsageError(f"{key}: {list(refusals.values())[-1]}.")

    def _refusal(self, name: str, task: Task, plan: Plan) -> str | None:
        """Return why an engine does not support a task; one that cannot be loaded supports none."""
        try:
            engine = self.get(name)
        except UsageError as error:
            return str(error).rstrip(".")
        return engine.supports(task, plan).refusal


def check_engine_name(name: str, *, option: str = "--engine") -> None:
    """Check that there is an engine of a name; nothing is loaded.

    Raises:
        UsageError: There is none.
    """
    known = sorted({AUTO, INSPECT} | by_name(ENGINES).keys())
    if name in known:
        return
    if package := FAST.get(name):
        asked = f"{option} {name}" if option == "--engine" else option
        raise UsageError(f"{asked} needs {package}: pip install {package}")
    raise UsageError(f"{option} {name}: there is no such engine. Known: {', '.join(known)}.")


def load_engine(name: str) -> type[Engine]:
    """Load the engine of a name.

    Raises:
        UsageError: No distribution provides it, several do, it cannot be loaded, or it is not an engine.
    """
    if name == INSPECT:
        from openbench.run.inspect_engine import InspectEngine  # noqa: PLC0415 - that module imports this one

        return InspectEngine
    check_engine_name(name)
    return load_only(f"--engine {name}", by_name(ENGINES)[name], _engine_class, "a subclass of Engine")


def tasks_by_engine(prepared: Sequence[PreparedJob]) -> Mapping[str, list[Task]]:
    """Return the tasks of jobs by the names of their engines."""
    found: dict[str, list[Task]] = {}
    for each in prepared:
        found.setdefault(each.engine, []).append(each.task)
    return found


def engine_suggestion(prepared: Sequence[PreparedJob], plan: Plan) -> str | None:
    """Return what to install for a run of many static samples; None if that would not help.

    The times are those of Inspect's engine and of `direct`, beside the requests themselves, on one core.
    """
    if plan.engine != AUTO or "direct" in by_name(ENGINES):
        return None
    from openbench.run.sample_keys import planned_count  # noqa: PLC0415 - a mistake is answered without importing Inspect
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


def record_engine(task: Task, choice: EngineChoice) -> None:
    """Record in a task's provenance which engine runs it, and why."""
    from openbench.tasks.provenance import record  # noqa: PLC0415 - a mistake is answered without importing Inspect

    record(task, engine={"name": INSPECT if choice.engine == PROCESSES else choice.engine, "reason": choice.reason})


def _engine_class(value: object) -> type[Engine] | None:
    return value if isinstance(value, type) and issubclass(value, Engine) else None
