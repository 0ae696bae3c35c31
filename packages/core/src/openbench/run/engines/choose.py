"""Which engine runs a task, and why not another."""

from dataclasses import dataclass

from inspect_ai import Task

from openbench.errors import UsageError
from openbench.registry.discovery import ENGINES, by_name
from openbench.registry.plugin_loader import load_only
from openbench.run.engines import AUTO, check_name
from openbench.run.engines.direct.engine import DirectEngine
from openbench.run.engines.engine import Engine
from openbench.run.engines.inspect import InspectEngine
from openbench.run.plan import Plan
from openbench.tasks.provenance import Provenance, record

OURS: dict[str, type[Engine]] = {"direct": DirectEngine, "inspect": InspectEngine}


@dataclass(frozen=True)
class Choice:
    """An engine by name, and why it is this one."""

    engine: str
    reason: str


class Engines:
    """The engines that there are; each is made when it is first asked."""

    def __init__(self, *, display: str) -> None:
        self._display = display
        self._made: dict[str, Engine] = {}

    def get(self, name: str) -> Engine:
        """Return an engine.

        Raises:
            UsageError: There is none of this name, several distributions bring it, or it cannot be loaded.
        """
        if name not in self._made:
            self._made[name] = load_engine(name)(display=self._display)
        return self._made[name]

    def choose(self, key: str, task: Task, plan: Plan) -> Choice:
        """Choose the engine of a task: the one that the plan names, else the first that does not refuse it.

        The fastest is asked first: `direct`, those that plugins bring by name, and `inspect` last.

        Args:
            key: The benchmark's name.
            task: The task.
            plan: The plan.

        Raises:
            UsageError: The engine that the plan names refuses the task, or all do.
        """
        if plan.engine != AUTO:
            if refusal := self.get(plan.engine).refuses(task, plan):
                raise UsageError(f"{key}: --engine {plan.engine} cannot run it: {refusal}.")
            return Choice(plan.engine, "chosen with --engine")
        refusals: dict[str, str] = {}
        for name in ("direct", *sorted(by_name(ENGINES)), "inspect"):
            refusal = self._refusal(name, task, plan)
            if refusal is None:
                return Choice(name, _reason(refusals) or "the benchmark is static")
            refusals[name] = refusal
        raise UsageError(f"{key}: {refusals['inspect']}.")

    def _refusal(self, name: str, task: Task, plan: Plan) -> str | None:
        """Ask an engine; one of a plugin that cannot be loaded is as good as one that refuses."""
        try:
            engine = self.get(name)
        except UsageError as error:
            return str(error).rstrip(".")
        return engine.refuses(task, plan)


def load_engine(name: str) -> type[Engine]:
    """Load the engine of a name.

    Raises:
        UsageError: There is none of this name, several distributions bring it, it cannot be loaded, or is no engine.
    """
    if name in OURS:
        return OURS[name]
    check_name(name)
    return load_only(f"--engine {name}", by_name(ENGINES)[name], _engine_class, "a subclass of Engine")


def note_engine(task: Task, choice: Choice) -> None:
    """Let the log say which engine ran a task, and why."""
    record(task, engine={"name": choice.engine, "reason": choice.reason})


def note_processes(task: Task, processes: int) -> None:
    """Let the log say how many processes share a task."""
    record(task, engine={**Provenance.of(task).engine, "processes": processes})


def _reason(refusals: dict[str, str]) -> str:
    return "; ".join(f"not {name}: {refusal}" for name, refusal in refusals.items())


def _engine_class(value: object) -> type[Engine] | None:
    return value if isinstance(value, type) and issubclass(value, Engine) else None
