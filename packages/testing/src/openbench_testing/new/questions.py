"""The options of a new package, from the command line, prompts on the terminal, or defaults."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer

from openbench.errors import UsageError
from openbench_testing.new.names import (
    check_directory,
    check_distribution,
    check_name,
    check_overrides,
    check_text,
    dashed,
    team,
)
from openbench_testing.new.render import Project
from openbench_testing.new.styles import check_style, style_names

Check = Callable[[str], str]


@dataclass(frozen=True)
class Answers:
    """A package, its style, and the folder to write it into."""

    project: Project
    style: str
    directory: Path


def ask(
    *,
    name: str | None,
    style: str | None,
    distribution: str | None,
    description: str | None,
    category: str | None,
    homepage: str | None,
    overrides: str | None,
    directory: str | None,
) -> Answers:
    """Return the given options; prompt for missing ones on a terminal, or use defaults without a terminal.

    Raises:
        UsageError: An option is invalid, or the name is missing.
    """
    name = _answer("Name of the benchmark", name, None, check_name)
    style = _answer(f"Style ({', '.join(style_names())})", style, "mcq", check_style)
    distribution = _answer("Distribution", distribution, f"{team()}-{dashed(name)}", check_distribution)
    description = _answer(
        "Description", description, f"The benchmark {name}", partial(check_text, option="--description")
    )
    category = _answer("Category", category, "private", partial(check_text, option="--category"))
    # A reserved name (RFC 2606), recognisable as a placeholder.
    page = f"https://example.org/{distribution}"
    homepage = _answer("Homepage", homepage, page, partial(check_text, option="--homepage"))
    overrides = _answer(
        "Overrides the benchmark of this name in which distribution (empty: none)",
        overrides,
        "",
        partial(check_overrides, name=name, distribution_name=distribution),
    )
    directory = _answer("Directory", directory, distribution, check_directory)
    return Answers(Project(name, distribution, description, category, homepage, overrides), style, Path(directory))


def _answer(label: str, given: str | None, default: str | None, check: Check) -> str:
    if given is not None:
        return check(given)
    if _terminal():
        answer: str = typer.prompt(
            label, default=default, show_default=bool(default), value_proc=partial(_again, check)
        )
        return answer
    if default is None:
        raise UsageError("NAME is missing, and there is no terminal to prompt for it. Run bench new NAME.")
    return check(default)


def _again(check: Check, text: str) -> str:
    try:
        return check(text)
    except UsageError as error:
        raise typer.BadParameter(str(error)) from error  # Typer then prompts again


def _terminal() -> bool:
    return all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))
