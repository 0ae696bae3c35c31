"""The executors of `bench eval`: their options, and the checks on what they return.

An executor NAME that a distribution provides adds the flag `--NAME`, short for `--executor NAME`, which costs nothing;
it is loaded, and its own options exist, only once it is chosen.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from openbench.cli.app import built, option_names, parser_of, replacing
from openbench.cli.options import typed
from openbench.cli.plugins import LOCAL, chosen_executor, comes_with, executor_names
from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import REDACTED
from openbench.registry.discovery import EXECUTORS, by_name, perhaps_left_out
from openbench.registry.harnesses import harness_task
from openbench.registry.names import counted
from openbench.registry.plugin_loader import described_error, load_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from openbench.registry.catalog import Catalog
    from openbench.run.executor import Executor, Result
    from openbench.run.plan import Plan
    from openbench.run.run_directory import RunDirectory

ISOLATED = "isolated"
_OURS: Mapping[str, str] = {ISOLATED: "openbench-isolated", "ray": "openbench-ray"}


class Chosen(NamedTuple):
    """The executor that a command line chooses; the local one if `kind` is None."""

    name: str = LOCAL
    kind: type[Executor] | None = None
    options: Any = None

    def make(self, catalog: Catalog, *, display: str) -> Executor:
        """Make the executor."""
        if self.kind is None:
            from openbench.run.executor import InProcess

            return InProcess(catalog, display=display)
        options = {"options": self.options} if self.kind.options else {}
        with _blaming(self.kind):
            return self.kind(catalog, display=display, **options)

    @property
    def arguments(self) -> list[str]:
        """The executor and its options, as `executor_of` takes them; empty for the local one."""
        if self.kind is None:
            return []
        arguments = [self.name]
        for param in parser_of(self.kind.options).params if self.kind.options else ():
            name, value = max(param.opts, key=len), getattr(self.options, param.name)
            if isinstance(value, bool):
                arguments += [name] if value else param.secondary_opts[:1]
                continue
            for each in value if isinstance(value, list | tuple) else [value]:
                if each is not None:
                    arguments += [name, str(each.absolute() if isinstance(each, Path) else each)]
        return arguments


def with_executor(command: Callable[..., Any], arguments: Sequence[str]) -> Callable[..., Any]:
    """Return a command whose parameter `chosen` is replaced by the options of the executor that arguments choose."""
    taken = names_taken(command)
    flags = {f"--{name}": name for name in [*_OURS, *executor_names()] if f"--{name}" not in taken}
    name = chosen_executor(arguments, flags)
    kind = None if name == LOCAL else load_executor(name)
    shown = [flag for flag, of in flags.items() if of in executor_names()]
    added: dict[str, Any] = {f"executor_flag_{number}": _flag(flag) for number, flag in enumerate(shown)}
    if kind and kind.options:
        _check_options(name, kind.options, taken)
        added["executor_options"] = kind.options
    return replacing(command, "chosen", added, lambda values: Chosen(name, kind, values.get("executor_options")))


def _flag(flag: str) -> Any:
    help_ = f"Short for --executor {flag.removeprefix('--')}; with --help, show the options that it adds."
    return Annotated[bool, typer.Option(flag, help=help_, rich_help_panel="Processes", show_envvar=False)]


def names_taken(command: Callable[..., Any]) -> set[str]:
    """Return the option names that executors and their flags (`--NAME`) cannot use."""
    return {"--help", f"--{LOCAL}", *option_names(built(replacing(command, "chosen")))}


def _check_options(name: str, options: type[Any], taken: set[str]) -> None:
    """Check that Typer can build an executor's options, and that no name is taken."""
    try:
        clashes = taken & option_names(parser_of(options))
    except Exception as error:
        fault = described_error(error)
        raise UsageError(f"--executor {name}: its options: {fault}. Report it to its authors.") from error
    if clashes:
        raise UsageError(
            f"--executor {name}: its option {min(clashes)} is one of bench eval. Report it to its authors."
        )


def load_executor(name: str) -> type[Executor]:
    """Load the executor of a name."""
    from openbench.run.executor import Executor

    what, found = f"--executor {name}", by_name(EXECUTORS).get(name)
    if found:

        def fits(it: object) -> type[Executor] | None:
            return it if isinstance(it, type) and issubclass(it, Executor) else None

        return load_only(what, found, fits, "a subclass of Executor")
    if name in _OURS:
        raise UsageError(comes_with(what, _OURS[name]))
    known = ", ".join([LOCAL, *executor_names()])
    raise UsageError(f"{what}: there is no such executor. Installed: {known}{perhaps_left_out()}.")


def executor_again(
    ctx: typer.Context, chosen: Chosen, directory: RunDirectory, catalog: Catalog, *, trust: bool, display: str
) -> tuple[Executor, list[str]]:
    """Make the executor of a resumed run: the chosen one, else that of the run.

    Returns:
        The executor, and its `Chosen.arguments`.
    """
    from openbench.run import trust as trusting

    own, plans = chosen.arguments, directory.plans()
    for plan in plans:
        trusting.check(trusting.named_by(plan), str(directory.path), trust=trust)
    if not own and typed(ctx, "executor"):
        own = [LOCAL]
    before = list(plans[-1].executor)
    name, *arguments = (before if own in ([], before[:1]) else own) or [LOCAL]
    if any(REDACTED in argument for argument in arguments):
        raise UsageError(f"--executor {name}: one of its options contained a secret, which was not kept. Repeat them.")
    executor = executor_of(name, catalog, arguments, display=display)
    return executor, [] if name == LOCAL else [name, *arguments]


def executor_of(name: str, catalog: Catalog, arguments: Sequence[str], *, display: str = "line") -> Executor:
    """Make an executor as `bench eval --executor NAME ARGUMENTS` does, for another command."""
    return _chosen(name, arguments).make(catalog, display=display)


def _chosen(name: str, arguments: Sequence[str] = ()) -> Chosen:
    kind, options = None if name == LOCAL else load_executor(name), None
    if kind and kind.options:
        try:
            options = parser_of(kind.options)(list(arguments), prog_name=name, standalone_mode=False)
        except typer.TyperException as error:
            raise UsageError(f"--executor {name}: {error.format_message()}") from error
    return Chosen(name, kind, options)


def for_harnesses(ctx: typer.Context, chosen: Chosen, names: Sequence[str]) -> Chosen:
    """Return the executor `isolated` if a harness's task is named and no executor is chosen, else the chosen one."""
    default = chosen.kind is None and not typed(ctx, "executor")
    return _chosen(ISOLATED) if default and any(map(harness_task, names)) else chosen


def execute(executor: Executor, plan: Plan) -> Sequence[Result]:
    """Run a plan, and check the results of a plugin's executor."""
    from openbench.run.inspect_eval import stdout_to_stderr
    from openbench.run.trust import remember

    remember(plan)
    if type(executor).__module__.startswith("openbench.run."):
        return executor.execute(plan)
    with _blaming(type(executor)), stdout_to_stderr():
        results = executor.execute(plan)
        count = len(results)
    if count != len(plan.jobs):
        raise OpenbenchError(
            f"{_named(type(executor))} returned {counted(count, 'result')} for {counted(len(plan.jobs), 'job')}."
        )
    return results


@contextlib.contextmanager
def _blaming(executor: type[Executor]) -> Iterator[None]:
    """Turn unexpected exceptions of an executor into an error that names it."""
    try:
        yield
    except OpenbenchError:
        raise
    except (Exception, SystemExit) as error:
        fault = described_error(error)
        raise OpenbenchError(f"{_named(executor)} failed: {fault}. Report it to its authors.") from error


def _named(executor: type[Executor]) -> str:
    return f"the executor {executor.__module__}:{executor.__qualname__}"
