"""The entry point of `bench`: finds the subcommand, and turns errors into messages and exit codes."""

import contextlib
import importlib
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from openbench.errors import FAILED, INTERRUPTED, SUCCESS, TERMINATED, OpenbenchError, UsageError
from openbench.run.interrupts import heed_sigterm, terminated
from openbench.run.terminal import clean_output

SUBCOMMANDS: Mapping[str, tuple[str, str]] = {
    "list": ("openbench.cli.list", "List the installed benchmarks."),
    "describe": ("openbench.cli.describe", "Tell all about one benchmark."),
    "eval": ("openbench.cli.eval", "Run benchmarks on models."),
    "eval-retry": ("openbench.cli.eval_retry", "Run what is missing of logged runs."),
    "score": ("openbench.cli.score", "Score a log again."),
    "view": ("openbench.cli.view", "Show logs in the browser."),
    "use": ("openbench.cli.use", "Settle for a project who provides a name."),
    "doctor": ("openbench.cli.doctor", "Find what is wrong with the installed plugins."),
    "data": ("openbench.cli.data", "Fetch, list, verify, remove and move the datasets of benchmarks."),
    "cache": ("openbench.cli.cache", "Show or clear the cache of model responses."),
    "completion": ("openbench.cli.completion", "Print the completion script of a shell."),
}


@contextlib.contextmanager
def _reader_may_leave() -> Iterator[None]:
    """End well when the reader of our output has gone (`bench list | head`); click would call it a failure."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest has nowhere to go
        raise click.exceptions.Exit(SUCCESS) from None


class LazyGroup(click.Group):
    """Knows its subcommands by name, and imports the one that is called."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse a command line; this already writes the help and the versions."""
        with _reader_may_leave():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the subcommand."""
        with _reader_may_leave():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the help: those of the kernel, then those that plugins bring."""
        from openbench.cli.plugins import plugin_commands

        return [*SUBCOMMANDS, *sorted(plugin_commands().keys() - SUBCOMMANDS.keys())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        """Import a subcommand; one of the kernel goes before a plugin's of the same name.

        Raises:
            UsageError: A plugin brings it and it cannot be loaded, or a package that is not installed brings it.
        """
        if cmd_name in SUBCOMMANDS:
            command: click.Command = importlib.import_module(SUBCOMMANDS[cmd_name][0]).command
            return command
        from openbench.cli.plugins import load_command

        return load_command(cmd_name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with what is typed; click would import every one of them for its help."""
        from openbench.cli.plugins import COMMANDS_OF_OURS

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        helps = {name: help_ for name, (_, help_) in {**COMMANDS_OF_OURS, **SUBCOMMANDS}.items()}
        items = [CompletionItem(name, help=helps.get(name)) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without importing them."""
        from openbench.cli.plugins import COMMANDS_OF_OURS, plugin_commands

        rows = [(name, help_) for name, (_, help_) in SUBCOMMANDS.items()]
        brought = plugin_commands()
        for name in self.list_commands(ctx)[len(SUBCOMMANDS) :]:
            distribution = brought[name][0].distribution
            known, help_ = COMMANDS_OF_OURS.get(name, ("", ""))
            rows.append((name, help_ if known == distribution else f"From {distribution}."))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _print_versions(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001 - click's
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    from openbench.registry.discovery import every_plugin

    click.echo(f"openbench-core {version('openbench-core')}")
    for plugin in every_plugin():
        click.echo(f"{plugin.name} {plugin.version}")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"color": False},  # what texts from elsewhere have is not theirs to decide
    epilog="Exit codes: 0 success, 1 an evaluation failed, 2 wrong use, 130 interrupted, 143 terminated.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Print the versions of the kernel and of every package that adds to it.",
)
def bench() -> None:
    """Evaluate language models with benchmarks that are packages."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    with clean_output():
        return _run(list(sys.argv[1:] if arguments is None else arguments))


def _run(given: list[str]) -> int:
    debug = "--debug" in given or os.environ.get("BENCH_DEBUG", "").lower() in {"1", "true", "yes"}
    try:
        _load_dotenv()
        code = bench.main(given, prog_name="bench", standalone_mode=False, obj=["bench", *given])
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except Exception as error:  # noqa: BLE001 - the last one to see it
        return _failed(error, debug=debug)
    return code if isinstance(code, int) else SUCCESS


def _load_dotenv() -> None:
    """Set the variables of the `.env` file in the working directory or the nearest above it; those that are set stay.

    Inspect reads the same file, but only once it runs, when options have been parsed and models made.

    Raises:
        UsageError: It is not text.
    """
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        here = Path.cwd()
        if file := next((each for folder in (here, *here.parents) if (each := folder / ".env").is_file()), None):
            from dotenv import load_dotenv

            try:
                load_dotenv(file)
            except ValueError as error:
                raise UsageError(f"{file} cannot be read as variables: {error}") from error


def _failed(error: Exception, *, debug: bool) -> int:
    # pydantic says it in its own error when a module's import is interrupted; a plugin's own is none of the user's.
    if "KeyboardInterrupt" in str(error) and not isinstance(error.__cause__, KeyboardInterrupt):
        return _interrupted()
    if debug:
        traceback.print_exc()
    from openbench.redaction import redacted_text

    known = isinstance(error, OpenbenchError | OSError)
    defect = f"{type(error).__name__}: {error} (a defect; BENCH_DEBUG=1 shows where)"
    click.echo(redacted_text(f"bench: {error if known else defect}"), err=True)
    return error.exit_code if isinstance(error, OpenbenchError) else FAILED


def _interrupted() -> int:
    click.echo("bench: interrupted", err=True)
    return INTERRUPTED


def main() -> None:
    """Run the command line of this process."""
    heed_sigterm()
    code = run()
    if code == INTERRUPTED and terminated():
        code = TERMINATED
    with contextlib.suppress(OSError, ValueError):  # what a plugin still prints when the process ends is no result
        sys.stdout.flush()
        os.dup2(2, 1)
    sys.exit(code)
