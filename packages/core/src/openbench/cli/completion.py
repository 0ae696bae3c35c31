"""`bench completion`, and what completes benchmark names."""

import click
from click.shell_completion import CompletionItem, get_completion_class

from openbench.registry.catalog import Catalog
from openbench.registry.names import normalized


def complete_benchmarks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001 - click's signature
    """Return the names that begin with what is typed: benchmarks and groups, after an `@` distributions, and paths."""
    catalog = Catalog.installed()
    name, at, _ = incomplete.partition("@")
    if at:
        names = [f"{name}@{candidate.distribution}" for candidate in catalog.candidates(name)]
    else:
        names = [*catalog.resolutions, *(group.key for group in catalog.groups.values())]
    found = [CompletionItem(name) for name in names if normalized(name).startswith(normalized(incomplete))]
    return found or [CompletionItem(incomplete, type="file")]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"], case_sensitive=False))
def command(shell: str) -> None:
    """Print the script that completes `bench` in a shell.

    For bash, add this line to ~/.bashrc: eval "$(bench completion bash)"
    """
    from openbench.cli.main import bench

    completion = get_completion_class(shell)
    assert completion is not None  # noqa: S101 - the choices above are those that click has
    click.echo(completion(bench, {}, "bench", "_BENCH_COMPLETE").source())
