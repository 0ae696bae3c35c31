"""`bench cache`: inspect's cache of model responses, which `bench eval --cache` fills."""

import json

import click

from openbench.cli.table import columns


@click.group("cache")
def command() -> None:
    """Show or clear the cache of model responses, which bench eval --cache fills."""


@command.command("info")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def info(as_json: bool) -> None:
    """Tell where the cache is and how large it is."""
    from inspect_ai.model import cache_list_expired, cache_path, cache_size

    told = {
        "path": str(cache_path()),
        "bytes": sum(size for _, size in cache_size()),
        "expired": len(cache_list_expired()),
    }
    if as_json:
        click.echo(json.dumps(told, indent=2))
    else:
        click.echo("\n".join(columns([(key, str(value)) for key, value in told.items()])))


@command.command("ls")
def ls() -> None:
    """List the models in the cache with their sizes in bytes."""
    from inspect_ai.model import cache_size

    for line in columns([(model, str(size)) for model, size in sorted(cache_size())], right=(1,)):
        click.echo(line)


@command.command("clear")
@click.option("--model", default="", help="Only responses of this model, as bench cache ls names it.")
@click.option("--expired", is_flag=True, help="Only responses that have expired.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def clear(model: str, expired: bool, yes: bool) -> None:
    """Remove cached responses."""
    from inspect_ai.model import cache_clear, cache_list_expired, cache_prune

    what = "expired responses" if expired else f"responses of {model}" if model else "all responses"
    if not yes and not click.confirm(f"Remove {what}?"):
        return
    if expired:
        cache_prune(cache_list_expired([model] if model else []))
    else:
        cache_clear(model)
    click.echo(f"Removed {what}.")
