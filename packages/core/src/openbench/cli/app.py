"""The Typer application, built for each command line with only the command that it calls."""

import copy
import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from openbench.cli.completion import typed_words
from openbench.cli.plugins import OPTIONS_OF_OURS, comes_with, described_commands, hint_at_executors, load_command
from openbench.errors import INTERRUPTED, SUCCESS

EVAL = "eval"
RUNS = (EVAL, "eval-retry")
"""The commands that executors add options to."""

EPILOG = "Exit codes: 0 success, 1 an evaluation failed, 2 usage error, 130 interrupted, 143 terminated."


def call(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code.

    Raises:
        KeyboardInterrupt: It was interrupted; Typer makes an exit code of it.
    """
    try:
        asked = "_BENCH_COMPLETE" in os.environ  # a shell completes the words typed so far
        app = build(typed_words(os.environ)[0] if asked else arguments, completing=asked)
        done = app(spelled_out(arguments), prog_name="bench", standalone_mode=False, obj=["bench", *arguments])
    except typer.TyperException as error:
        return _usage_error(error, arguments)
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    if done == INTERRUPTED:  # which Typer makes of an interrupt
        raise KeyboardInterrupt
    code = done[0] if isinstance(done, tuple) else done
    return code if isinstance(code, int) else SUCCESS


def _usage_error(error: typer.TyperException, arguments: Sequence[str]) -> int:
    context = getattr(error, "ctx", None)
    if not (message := error.format_message().rstrip(".")):  # a group without a command: the message is its help
        typer.echo(context.get_help() if context else "", err=True)
    else:
        hint = f" Try '{context.command_path} --help'." if context else ""
        option = getattr(error, "option_name", "") if context and context.command.name in RUNS else ""
        if context and context.command.name == EVAL and (package := OPTIONS_OF_OURS.get(option)):
            typer.echo(f"bench: {comes_with(f'bench eval {option}', package)}", err=True)
            return error.exit_code
        if option:
            hint = hint_at_executors(arguments) or hint
        typer.echo(f"bench: {message}{'' if message.endswith('?') else '.'}{hint}", err=True)
    return error.exit_code


def build(arguments: Sequence[str], *, completing: bool = False) -> typer.Typer:
    """Build the application for a command line. The help lists all commands without importing them."""
    named = next((each for each in arguments if not each.startswith("-")), None)
    found = load_command(named, arguments) if named else None
    app = typer.Typer(
        add_completion=completing or found is None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        result_callback=lambda code, **_: (code,),  # unlike an exit code of Typer's own
        context_settings={"color": False},  # ignore colors in texts of plugins
    )
    app.callback(epilog=EPILOG)(bench)
    if named and found:
        mount(app, named, found)
    else:
        for name, panel, help_ in described_commands():
            app.command(name, help=escape(help_), rich_help_panel=panel)(_stub)
    return app


def _show_versions(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from openbench.registry.discovery import every_plugin

        typer.echo(f"openbench-core {version('openbench-core')}")
        for plugin in every_plugin():
            typer.echo(f"{plugin.name} {plugin.version}")
        raise typer.Exit


def bench(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_versions, help="Show the versions of core and all plugins."
        ),
    ] = False,
) -> None:
    """Evaluate language models with benchmarks that are packages."""


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """Return arguments with an explicit value for `--retry-on-error`: Typer has no options with an optional value."""
    option = "--retry-on-error"
    end = arguments.index("--") if "--" in arguments else len(arguments)
    following = [*arguments[1:], ""]
    return [
        f"{option}=1" if each == option and number < end and not following[number].isdecimal() else each
        for number, each in enumerate(arguments)
    ]


def _stub() -> None:
    """Stand in the help for a command that is not imported."""


def mount(app: typer.Typer, name: str, found: Any) -> None:
    """Add a command to an application, under a name."""
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name)
        return
    function, settings = with_fields(found), {"auto_envvar_prefix": "BENCH"} if name in RUNS else {}
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(function) or "")  # Typer keeps the breaks of source lines
    app.command(name, help=escape(text), context_settings=settings)(function)


def as_command(found: object) -> Any:
    """Return a plugin's object if Typer can build a command from it, else None."""
    if not isinstance(found, typer.Typer) and not inspect.isfunction(found):
        return None
    probe = typer.Typer(add_completion=False)
    mount(probe, "probe", found)
    typer.main.get_command(probe)
    return found


def escape(text: str) -> str:
    """Escape a text so that help shows it literally, not as markup."""
    return text.replace("[", "\\[")


def with_fields(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command in which the fields of each dataclass parameter are options."""
    hints, signature = get_type_hints(function, include_extras=True), inspect.signature(function)
    kinds = {name: hints[name] for name in signature.parameters if is_dataclass(hints.get(name))}
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        parameters += _options(kinds[name]) if name in kinds else [parameter.replace(annotation=hints.get(name, Any))]

    @functools.wraps(function)
    def called(**values: Any) -> Any:
        made = {
            name: kind(**{each.name: values.pop(each.name) for each in fields(kind) if each.name in values})
            for name, kind in kinds.items()
        }
        return function(**made, **values)

    called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    )
    return called if kinds else function


def replacing(
    function: Callable[..., Any], name: str, added: Mapping[str, Any] | None = None, made: Callable[..., Any] = dict
) -> Callable[..., Any]:
    """Return a command with other parameters in place of one.

    Args:
        function: The command.
        name: The parameter to replace.
        added: The new parameters, by name: dataclasses of options, or annotations of flags.
        made: Returns the value of the replaced parameter for the values of the new ones, by name.
    """
    added = added or {}
    old = inspect.signature(function).parameters
    new = {each: inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=False) for each in added}

    @functools.wraps(function)
    def called(**values: Any) -> Any:
        own = {each: values.pop(each) for each in added if each in values}
        return function(**{name: made(own)}, **values)

    hints = {each: hint for each, hint in function.__annotations__.items() if each != name}
    called.__annotations__ = {**hints, **added}
    called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in {**old, **new}.values() if each.name != name]
    )
    return called


def built(function: Callable[..., Any]) -> Any:
    """Return the command that Typer builds from a function; its `params` are the arguments and options."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(with_fields(function))
    return typer.main.get_command(app)


def parser_of(kind: type[Any]) -> Any:
    """Return a command that parses the fields of a dataclass as options and returns an instance."""

    def parse(given: Any) -> Any:
        return given

    parse.__annotations__["given"] = kind
    return built(parse)


def option_names(command: Any) -> set[str]:
    """Return the names of the parameters of a command: `limit`, `--limit`, `-T`."""
    return {name for param in command.params for name in [param.name, *param.opts, *param.secondary_opts]}


def _options(kind: Any) -> list[inspect.Parameter]:
    """Return the fields of a dataclass as annotated parameters, in the panels of the classes that define them.

    If the class has an attribute `only`, only the fields it names are options; the others keep their defaults.
    """
    hints, parameters = get_type_hints(kind, include_extras=True), []
    only = getattr(kind, "only", hints)
    for field in (each for each in fields(kind) if each.name in only):
        hint, default = hints[field.name], field.default
        if default is MISSING:
            default = inspect.Parameter.empty if field.default_factory is MISSING else field.default_factory()
        owner = next(each for each in kind.__mro__ if field.name in inspect.get_annotations(each))
        if panel := getattr(owner, "panel", None):
            type_, option = get_args(hint)
            hint = Annotated[type_, _in_panel(option, panel)]
        parameters.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
        )
    return parameters


def _in_panel(option: OptionInfo, panel: str) -> OptionInfo:
    option = copy.copy(option)
    option.rich_help_panel, option.show_envvar, option.help = panel, False, escape(option.help or "")
    if option.min is not None:
        option.metavar = option.metavar or "N"
    return option
