"""`bench completion`."""

import os
from typing import Annotated, Literal

import typer

from openbench.cli.app import build


def command(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", case_sensitive=False, help="bash, zsh or fish.")
    ],
) -> None:
    """Print a shell's completion script; bench --install-completion installs it.

    For bash, add this line to ~/.bashrc: eval "$(bench completion bash)"
    """
    os.environ["_BENCH_COMPLETE"] = f"source_{shell}"
    build([], completing=True)([], prog_name="bench")
