"""`bench view`."""

from pathlib import Path
from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench.errors import UsageError
from openbench.run.paths import is_remote


def command(
    log_dir: Annotated[
        str, typer.Option(envvar="BENCH_LOG_DIR", callback=opt.parse_location, help="Directory of the logs.")
    ] = "logs",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 7575,
    recursive: Annotated[bool, typer.Option(help="Include the logs of subdirectories.")] = True,
) -> None:
    """Open Inspect's log viewer in the browser; Ctrl-C stops it."""
    wrong = UsageError(f"{log_dir} is not a directory. Give the --log-dir used with bench eval.")
    if not is_remote(log_dir) and not Path(log_dir).is_dir():
        raise wrong
    from inspect_ai import view

    from openbench.run.logs import kind_of

    if is_remote(log_dir) and kind_of(log_dir) != "directory":
        raise wrong
    view(log_dir=log_dir, host=host, port=port, recursive=recursive)
