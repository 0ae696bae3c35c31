"""Options of `bench eval` that other packages provide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from openbench.cli.app import built, option_names, parser_of, replacing
from openbench.errors import SUCCESS
from openbench.registry.discovery import EVAL_OPTIONS, registered
from openbench.registry.plugin_loader import PluginError, load, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from inspect_ai.log import EvalLog

    from openbench.cli.eval_options import Options
    from openbench.registry.discovery import Problem
    from openbench.run.executor import Executor
    from openbench.run.plan import Plan


@dataclass(frozen=True)
class OptionPanel:
    """Options that a package adds to `bench eval`, in a panel of its help.

    A subclass is a frozen dataclass whose annotated fields are the options, registered in the entry-point group
    `openbench.eval_options`. Its methods are called in the order below; by default they do nothing.

    Attributes:
        panel: The heading of its options in the help.
        fixed: Whether a run that is resumed keeps the options that it had.
    """

    panel: ClassVar[str]
    fixed: ClassVar[bool] = True

    def prepare(self, plan: Plan, given: Options) -> Plan:  # noqa: ARG002 - for subclasses
        """Return the plan with the changes that the options make, before anything is built.

        Args:
            plan: The plan.
            given: The other options of the command.

        Raises:
            UsageError: An option is wrong.
        """
        return plan

    def run_instead(self, plan: Plan, executor: Executor, given: Options) -> int | None:
        """Do something in place of the run and return the exit code; return None to let the run start."""

    def on_logs(self, logs: Sequence[EvalLog], run: Path) -> None:
        """Change the logs of a run, whose directory is `run`, before its results are shown."""

    def on_report(self, logs: Sequence[EvalLog]) -> int:  # noqa: ARG002 - for subclasses
        """Do something with the logs after the results are shown, and return the exit code if it is not 0."""
        return SUCCESS


def with_panels(command: Callable[..., Any], panels: Sequence[type[OptionPanel]]) -> Callable[..., Any]:
    """Return a command whose parameter `panels` is replaced by the options of some panels."""
    added = {f"panel_{number}": panel for number, panel in enumerate(panels)}
    return replacing(command, "panels", added, lambda values: list(values.values()))


def installed_panels(command: Callable[..., Any]) -> tuple[list[type[OptionPanel]], list[Problem]]:
    """Return the panels whose options a command can take, and the problems of others."""
    taken = option_names(built(replacing(replacing(command, "panels"), "chosen")))
    panels, problems = [], []
    for entry_point in registered(EVAL_OPTIONS):
        try:
            panel, names = load(entry_point, _with_names, "a subclass of OptionPanel")
        except PluginError as error:
            problems.append(error.problem)
            continue
        if clashes := names & taken:
            problems.append(problem(entry_point, f"bench eval has an option {min(clashes)} already"))
            continue
        taken |= names
        panels.append(panel)
    return panels, problems


def _with_names(value: object) -> tuple[type[OptionPanel], set[str]] | None:
    """Return a panel with the names of its options, or raise what Typer does; None if the value is not a panel."""
    if not (isinstance(value, type) and issubclass(value, OptionPanel)):
        return None
    return value, option_names(parser_of(value))
