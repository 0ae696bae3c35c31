"""The program that runs in an environment: finds a benchmark, or runs a plan.

    python -P worker.py find ANSWER.json NAME@DISTRIBUTION
    python -P worker.py execute ANSWER.json PLAN.json DISPLAY

It is run by its path, with the environment's Python, so it imports openbench-core alone. The answer is a file in the
format of `openbench.run.wire`; without one, the worker died. Standard input is a pipe that the host never writes to: it
closes when the host ends, which interrupts the run.
"""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from openbench.errors import INTERRUPTED, SUCCESS, OpenbenchError, UsageError
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.run.arguments import signature_of
from openbench.run.interrupts import heed_sigterm
from openbench.run.terminal import clean_output
from openbench.run.wire import benchmark_to_json, error_to_json, plan_from_json, results_to_json


def main(arguments: Sequence[str]) -> int:
    """Execute a command and write its answer.

    Returns:
        The exit code: 0 if there is an answer, which may be an error; 130 if an interrupt left none.
    """
    command, answer, *rest = arguments
    try:
        text = _find(*rest) if command == "find" else _execute(*rest)
    except OpenbenchError as error:
        text = error_to_json(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if "KeyboardInterrupt" in str(error):  # how pydantic reports an interrupted import
            return INTERRUPTED
        raise
    part = Path(f"{answer}.part")
    part.write_text(text, "utf-8")
    part.replace(answer)
    return SUCCESS


def _find(reference: str) -> str:
    catalog = Catalog.installed()
    try:
        benchmark = find_benchmark(catalog, reference)
    except UsageError as error:
        broken = "".join(f"\nNot loaded: {problem}" for problem in catalog.problems if not problem.loaded)
        raise UsageError(f"{reference}: there is no such benchmark.{broken}") from error
    return benchmark_to_json(benchmark, signature_of(benchmark))


def _execute(plan: str, display: str) -> str:
    _end_with_the_host()
    from openbench.run.local import LocalExecutor  # noqa: PLC0415 - `find` should not have to wait for the engine

    executor = LocalExecutor(Catalog.installed(), display=display)
    return results_to_json(executor.execute(plan_from_json(Path(plan).read_text("utf-8"))))


def _end_with_the_host() -> None:
    """Keep the host's pipe, out of reach of the processes that benchmarks start, and watch for its end."""
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def watch() -> None:
        while os.read(pipe, 1):
            pass
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, name="openbench-host", daemon=True).start()


if __name__ == "__main__":
    heed_sigterm()
    with clean_output():
        sys.exit(main(sys.argv[1:]))
