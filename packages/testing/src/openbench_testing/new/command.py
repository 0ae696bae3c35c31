"""`bench new`."""

import shlex
from pathlib import Path

import click

from openbench_testing.new.folder import write_folder
from openbench_testing.new.questions import ask
from openbench_testing.new.render import render
from openbench_testing.new.styles import load_style, style_names


class _StyleOption(click.Option):
    """Lists the installed styles in its help, which is the only place where that scan is paid for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option's line in the help."""
        self.help = f"What to start from: {', '.join(style_names())}; mcq by default."
        return super().get_help_record(ctx)


@click.command("new")
@click.argument("name", required=False)
@click.option("--style", cls=_StyleOption, metavar="STYLE")
@click.option("--distribution", metavar="NAME", help="The package's name; TEAM-NAME by default.")
@click.option("--description", metavar="TEXT", help="One sentence.")
@click.option("--category", metavar="TEXT", help="What bench list groups by; private by default.")
@click.option("--homepage", metavar="URL", help="The page to read of it; one of example.org to replace by default.")
@click.option(
    "--overrides", metavar="DISTRIBUTION", help="Take the place of the benchmark of this name in a distribution."
)
@click.option("--directory", metavar="PATH", help="The folder to write; ./DISTRIBUTION by default.")
def command(name: str | None, **given: str | None) -> None:
    """Write a new benchmark package to start from.

    NAME is what bench eval will call the benchmark. The package builds, installs, evaluates its sample rows and passes
    its own tests as it stands. On a terminal, what is not given is asked for. Nothing is ever overwritten.
    """
    answers = ask(name=name, **given)
    files = render(load_style(answers.style), answers.project)
    write_folder(answers.directory, files)
    show_next_steps(answers.project.name, answers.project.distribution, answers.directory, len(files))


def show_next_steps(name: str, distribution: str, directory: Path, files: int) -> None:
    """Print what was written, and the commands that install, evaluate and check it."""
    click.echo(f"Wrote {files} files of {distribution} to {directory}. Next:\n")
    steps = [
        *([] if directory.absolute() == Path.cwd() else [f"cd {shlex.quote(str(directory))}"]),
        'pip install -e ".[test]"',
        f"bench list --search {name}",
        f"bench eval {name} --sample --baseline reference",
        f"bench check {name}",
        "pytest",
    ]
    click.echo("\n".join(f"    {line}" for line in steps))
