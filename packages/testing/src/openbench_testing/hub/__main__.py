"""The command `python -m openbench_testing.hub`: serves a folder of datasets as a Hub until it is interrupted."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from openbench_testing.hub.server import HubServer
from openbench_testing.server import serve_until_interrupted


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a folder of datasets until SIGINT or SIGTERM, after printing the endpoint on one line."""
    parser = argparse.ArgumentParser(prog="python -m openbench_testing.hub", description=__doc__)
    parser.add_argument("directory", type=Path, help="a folder of <organisation>/<name>/<config>/<split>.jsonl")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: any free one)")
    parser.add_argument(
        "--revision",
        action="append",
        default=[],
        metavar="DATASET=COMMIT",
        help="the commit to serve a dataset at (repeatable; default: derived from its rows)",
    )
    options = parser.parse_args(arguments)
    hub = HubServer().listen_on(options.port)
    try:
        hub.add_directory(options.directory, dict(_pair(text) for text in options.revision))
    except ValueError as error:
        parser.error(str(error))
    serve_until_interrupted(hub)


def _pair(text: str) -> tuple[str, str]:
    dataset, equals, commit = text.partition("=")
    if not equals:
        raise ValueError(f"--revision takes DATASET=COMMIT, got {text!r}.")
    return dataset, commit


if __name__ == "__main__":
    main()
