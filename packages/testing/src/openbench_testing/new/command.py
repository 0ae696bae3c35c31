"""The command `bench new`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from openbench_testing.new.folder import write_folder
from openbench_testing.new.questions import ask
from openbench_testing.new.render import render
from openbench_testing.new.styles import load_style, style_names


def command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="The benchmark's name for bench eval.")] = None,
    style: Annotated[
        str | None, typer.Option(metavar="STYLE", help=f"Template: {', '.join(style_names())}; mcq by default.")
    ] = None,
    distribution: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the package; TEAM-NAME by default.")
    ] = None,
    description: Annotated[str | None, typer.Option(metavar="TEXT", help="Description, one sentence.")] = None,
    category: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Category in bench list; private by default.")
    ] = None,
    homepage: Annotated[
        str | None, typer.Option(metavar="URL", help="Homepage; a page of example.org to replace by default.")
    ] = None,
    overrides: Annotated[
        str | None,
        typer.Option(metavar="DISTRIBUTION", help="Override the benchmark of this name in a distribution."),
    ] = None,
    directory: Annotated[
        str | None, typer.Option(metavar="PATH", help="Directory to create; ./DISTRIBUTION by default.")
    ] = None,
) -> None:
    """Create a benchmark package.

    The package builds, installs, evaluates its sample rows and passes its own tests unchanged. On a terminal, the
    command asks for missing options. It never overwrites files.
    """
    answers = ask(
        name=name,
        style=style,
        distribution=distribution,
        description=description,
        category=category,
        homepage=homepage,
        overrides=overrides,
        directory=directory,
    )
    files = render(load_style(answers.style), answers.project)
    write_folder(answers.directory, files)
    show_next_steps(answers.project.name, answers.project.distribution, answers.directory, len(files))


def show_next_steps(name: str, distribution: str, directory: Path, files: int) -> None:
    """Print the result, and the commands that install, evaluate and check it."""
    typer.echo(f"Wrote {files} files of {distribution} to {directory}. Next:\n")
    steps = [
        *([] if directory.absolute() == Path.cwd() else [f"cd {shlex.quote(str(directory))}"]),
        'pip install -e ".[test]"',
        f"bench list --search {name}",
        f"bench eval {name} --sample --baseline reference",
        f"bench check {name}",
        "pytest",
    ]
    typer.echo("\n".join(f"    {line}" for line in steps))
