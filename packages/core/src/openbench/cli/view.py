"""`bench view`."""

from pathlib import Path

import click

from openbench.cli import options as opt
from openbench.errors import UsageError
from openbench.run.locations import is_remote


@click.command("view")
@click.option(
    "--log-dir",
    envvar="BENCH_LOG_DIR",
    default="logs",
    show_default=True,
    callback=opt.parse_location,
    help="Directory of the logs.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(1, 65535), default=7575, show_default=True, help="Port to listen at.")
@click.option("--recursive/--no-recursive", default=True, help="Show logs of directories below, too.")
def command(log_dir: str, host: str, port: int, recursive: bool) -> None:
    """Show logs in the browser, with inspect's viewer. Ctrl-C ends it."""
    if not is_remote(log_dir) and not Path(log_dir).is_dir():
        raise UsageError(f"{log_dir} is no directory. Logs are where bench eval --log-dir put them.")
    from inspect_ai import view

    from openbench.run.remote import check_directory

    if is_remote(log_dir):
        check_directory(log_dir)
    view(log_dir=log_dir, host=host, port=port, recursive=recursive)
