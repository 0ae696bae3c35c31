"""The executors of `bench eval` and `bench eval-retry`: their options, and the checks on what they return.

An executor NAME that a distribution provides adds the flag `--NAME`, short for `--executor NAME`, which costs nothing;
it is loaded, and its own options exist, only once it is chosen.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from openbench.cli.app import fields_as_parameters, with_fields
from openbench.cli.options import typed
from openbench.cli.plugins import EXECUTORS_OF_OURS, LOCAL, chosen_executor, executor_names, load_executor
from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import REDACTED
from openbench.registry.names import counted
from openbench.registry.plugin_loader import described_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from openbench.registry.catalog import Catalog
    from openbench.run.executor import Executor, Result
    from openbench.run.plan import Plan
    from openbench.run.run_directory import RunDirectory

_PANEL = "Processes"
_DISPLAY = "line"


class Chosen(NamedTuple):
    """The executor that a command line chooses; without a class, it is the local one."""

    name: str = LOCAL
    kind: type[Executor] | None = None
    options: Any = None

    def make(self, catalog: Catalog, *, display: str) -> Executor:
        """Make the executor.

        Raises:
            OpenbenchError: A plugin's executor fails in its own code.
        """
        if self.kind is None:
            from openbench.run.in_process import InProcess

            return InProcess(catalog, display=display)
        options = {"options": self.options} if self.kind.options else {}
        try:
            return self.kind(catalog, display=display, **options)
        except OpenbenchError:
            raise
        except (Exception, SystemExit) as error:
            raise _fault(self.kind, error) from error

    @property
    def arguments(self) -> list[str]:
        """The executor and its options, as `executor_of` takes them; empty for the local one."""
        if self.kind is None:
            return []
        own = fields(self.kind.options) if self.kind.options else ()
        return [self.name, *(part for each in own for part in self._typed(each.name, getattr(self.options, each.name)))]

    def _typed(self, name: str, value: Any) -> list[str]:
        """Return an option and its value as a command line has them, whatever directory it is typed in."""
        declared = _declared(self.kind and self.kind.options)[name]
        if isinstance(value, bool):
            on, off = declared.partition("/")[::2]
            return [on] if value else [off] * bool(off)
        values = value if isinstance(value, list | tuple) else [value]
        return [
            part
            for each in values
            if each is not None
            for part in (declared, str(each.absolute() if isinstance(each, Path) else each))
        ]


def with_executor(command: Callable[..., Any], arguments: Sequence[str]) -> Callable[..., Any]:
    """Return a command whose parameter `chosen` is replaced by the options of the executor that arguments choose."""
    command = with_fields(command)
    own = [each for each in inspect.signature(command).parameters.values() if each.name != "chosen"]
    taken = option_names(command)
    flags = {f"--{name}": name for name in [*EXECUTORS_OF_OURS, *executor_names()] if f"--{name}" not in taken}
    name = chosen_executor(arguments, flags)
    kind = None if name == LOCAL else _checked(name, load_executor(name), taken, {each.name for each in own})
    added = fields_as_parameters(kind.options) if kind and kind.options else []
    shown = [_flag(flag, of) for flag, of in flags.items() if of in executor_names()]

    @functools.wraps(command)
    def called(**values: Any) -> Any:
        for flag in shown:
            del values[flag.name]
        options = {each.name: values.pop(each.name) for each in added}
        made = kind.options(**options) if kind and kind.options else None
        return command(chosen=Chosen(name, kind, made), **values)

    called.__signature__ = inspect.Signature([*own, *shown, *added])  # type: ignore[attr-defined]
    return called


def option_names(command: Callable[..., Any]) -> set[str]:
    """Return the names of a command's options, such as `--limit` and `-T`."""
    annotations = {each.name: each.annotation for each in inspect.signature(with_fields(command)).parameters.values()}
    declared = (name for text in _declarations(annotations).values() for name in text)
    return {"--help", *(part for name in declared for part in name.split("/"))}


def reserved_names(command: Callable[..., Any]) -> set[str]:
    """Return the names that no executor can have, since a command has options of these names."""
    return {LOCAL, *(name.removeprefix("--") for name in option_names(command))}


def executor_again(
    ctx: typer.Context, chosen: Chosen, directory: RunDirectory, catalog: Catalog, *, trust: bool, display: str
) -> tuple[Executor, list[str]]:
    """Make the executor of a run that is resumed: the one that is chosen, else that of the run.

    Args:
        ctx: The command line.
        chosen: The executor that it chooses.
        directory: The run, whose plans have what `Chosen.arguments` was when it began.
        catalog: What is installed here.
        trust: Whether names that the run brings are trusted.
        display: How progress is shown.

    Returns:
        The executor, and its `Chosen.arguments`.

    Raises:
        UsageError: It is not installed, one of its options was not kept, as a secret, or the run names what the user
            has not.
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


def executor_of(name: str, catalog: Catalog, arguments: Sequence[str], *, display: str = _DISPLAY) -> Executor:
    """Make an executor as `bench eval --executor NAME ARGUMENTS` does, for another command.

    Raises:
        UsageError: There is none of this name, it is not installed, or it does not take the arguments.
    """
    kind = None if name == LOCAL else load_executor(name)
    if kind is None or kind.options is None:
        return Chosen(name, kind).make(catalog, display=display)
    made: list[Any] = []

    def parse(options: Any) -> None:
        made.append(options)

    parse.__annotations__["options"] = kind.options
    parser = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    parser.command()(with_fields(parse))
    try:
        parser(list(arguments), prog_name=name, standalone_mode=False)
    except typer.TyperException as error:
        raise UsageError(f"--executor {name}: {error.format_message()}") from error
    return Chosen(name, kind, made[0]).make(catalog, display=display)


def execute(executor: Executor, plan: Plan) -> Sequence[Result]:
    """Run a plan, and hold an executor to what it promises.

    Raises:
        OpenbenchError: A plugin's executor fails in its own code, or does not return a result for each job.
    """
    from openbench.run.inspect_eval import stdout_to_stderr
    from openbench.run.trust import remember

    remember(plan)
    if type(executor).__module__.startswith("openbench.run."):
        return executor.execute(plan)
    try:
        with stdout_to_stderr():
            results = executor.execute(plan)
        count = len(results)
    except OpenbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise _fault(type(executor), error) from error
    if count != len(plan.jobs):
        raise OpenbenchError(
            f"{_named(type(executor))} returned {counted(count, 'result')} for {counted(len(plan.jobs), 'job')}."
        )
    return results


def _fault(executor: type[Executor], error: BaseException) -> OpenbenchError:
    return OpenbenchError(f"{_named(executor)} failed: {described_error(error)}. Report it to its authors.")


def _named(executor: type[Executor]) -> str:
    return f"the executor {executor.__module__}:{executor.__qualname__}"


def _flag(flag: str, name: str) -> inspect.Parameter:
    help_ = f"Short for --executor {name}; with --help, show the options that it adds."
    annotation = Annotated[bool, typer.Option(flag, help=help_, rich_help_panel=_PANEL)]
    identifier = f"executor_flag_{''.join(char if char.isalnum() else '_' for char in name)}"
    return inspect.Parameter(identifier, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)


def _declarations(annotations: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the names that annotated options declare, or those that Typer makes of a parameter's name."""
    found = {}
    for name, annotation in annotations.items():
        kind, *infos = get_args(annotation) or (annotation,)
        infos = [info for info in infos if isinstance(info, OptionInfo)]
        names = [part for info in infos for part in (info.default, *(info.param_decls or ())) if isinstance(part, str)]
        if names or infos or kind is bool:
            plain = f"--{name.replace('_', '-')}"
            found[name] = names or [f"{plain}/--no-{plain[2:]}" if kind is bool else plain]
    return found


def _declared(options: Any) -> dict[str, str]:
    """Return the name of each option of a dataclass, the long one first."""
    names = _declarations(get_type_hints(options, include_extras=True))
    return {field: max(of, key=lambda name: name.startswith("--")) for field, of in names.items()}


def _checked(name: str, executor: type[Executor], taken: set[str], parameters: Iterable[str]) -> type[Executor]:
    """Return an executor whose options do not clash with those of the command.

    Raises:
        UsageError: They do, or are not the annotated fields of a dataclass.
    """
    options = executor.options
    if options is None:
        return executor
    authors = "Report it to its authors."
    try:
        declared = _declarations(get_type_hints(options, include_extras=True)) if is_dataclass(options) else {}
    except Exception as error:
        raise UsageError(f"--executor {name}: its options: {described_error(error)}. {authors}") from error
    if not is_dataclass(options) or declared.keys() != {field.name for field in fields(options)}:
        raise UsageError(
            f"--executor {name}: its options are not a dataclass with fields annotated as options. {authors}"
        )
    clashes = {part for names in declared.values() for each in names for part in each.split("/")} & taken
    if clash := sorted(clashes | (declared.keys() & {*parameters})):
        raise UsageError(f"--executor {name}: its option {clash[0]} is one of bench eval. {authors}")
    return executor
