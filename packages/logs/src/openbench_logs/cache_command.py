"""`bench cache`: Inspect's cache of model responses, which `bench eval --cache` fills."""

from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.layout import columns

command = typer.Typer(help="Manage the cache of model responses, which bench eval --cache fills.")


@command.command("info")
def info(as_json: opt.Json = False) -> None:
    """Show the cache's location and size."""
    from inspect_ai.model import cache_list_expired, cache_path, cache_size

    shown = {
        "path": str(cache_path()),
        "bytes": sum(size for _, size in cache_size()),
        "expired": len(cache_list_expired()),
    }
    if as_json:
        opt.echo_json(shown)
    else:
        typer.echo("\n".join(columns([(key, str(value)) for key, value in shown.items()])))


@command.command("ls")
def ls() -> None:
    """List the cached models and their sizes in bytes."""
    from inspect_ai.model import cache_size

    for line in columns([(model, str(size)) for model, size in sorted(cache_size())], right=(1,)):
        typer.echo(line)


@command.command("clear")
def clear(
    model: Annotated[str, typer.Option(help="Only responses of this model, as listed by bench cache ls.")] = "",
    expired: Annotated[bool, typer.Option("--expired", help="Only expired responses.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove cached responses."""
    from inspect_ai.model import cache_clear, cache_list_expired, cache_prune

    what = "expired responses" if expired else f"responses of {model}" if model else "all responses"
    if not yes and not typer.confirm(f"Remove {what}?"):
        return
    if expired:
        cache_prune(cache_list_expired([model] if model else []))
    else:
        cache_clear(model)
    typer.echo(f"Removed {what}.")
