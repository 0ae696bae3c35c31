"""The program that runs in an environment: finds a benchmark, or runs a plan.

    python -P worker.py find ANSWER.json NAME@DISTRIBUTION
    python -P worker.py execute ANSWER.json PLAN.json DISPLAY

It is run by its path, with the environment's Python, so it imports openbench-core alone. The answer is a file that
`openbench_isolated.answers` reads; without one, the worker died. Standard input is a pipe that the host never writes
to: it closes when the host ends, which interrupts the run.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from openbench.errors import INTERRUPTED, SUCCESS, OpenbenchError, UsageError
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.harnesses import harness_task
from openbench.run.arguments import signature_of
from openbench.run.executor import Result
from openbench.run.plan import plan_from_json
from openbench.run.process import clean_output, handle_sigterm


def main(arguments: Sequence[str]) -> int:
    """Execute a command and write its answer.

    Returns:
        The exit code: 0 if there is an answer, which may be an error; 130 if an interrupt left none.
    """
    command, answer, *rest = arguments
    try:
        text = _find(*rest) if command == "find" else _execute(*rest)
    except OpenbenchError as error:
        text = json.dumps({"error": _error(error)})
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
        if harness_task(reference):  # its own error lists its tasks
            raise
        broken = "".join(f"\nNot loaded: {problem}" for problem in catalog.problems if not problem.loaded)
        raise UsageError(f"{reference}: there is no such benchmark.{broken}") from error
    signature = signature_of(benchmark)
    plain = {
        "key": benchmark.key,
        "metadata": asdict(benchmark.metadata),
        "distribution": benchmark.distribution,
        "version": benchmark.version,
        "signature": {**asdict(signature), "parameters": list(map(asdict, signature.parameters.values()))},
    }
    return json.dumps(plain, default=list)  # tags and similar fields may be any collection


def _execute(plan: str, display: str) -> str:
    _end_with_the_host()
    from openbench.run.local_executor import LocalExecutor  # noqa: PLC0415 - `find` should not have to wait for the engine

    executor = LocalExecutor(Catalog.installed(), display=display)
    results = executor.execute(plan_from_json(Path(plan).read_text("utf-8")))
    return json.dumps({"results": list(map(_outcome, results))})


def _outcome(result: Result) -> dict[str, Any]:
    return {
        "log": result.log.location if result.log else None,
        "error": _error(result.error) if result.error else None,
    }


def _error(error: OpenbenchError) -> dict[str, Any]:
    return {"message": str(error), "exit_code": error.exit_code}


def _end_with_the_host() -> None:
    """Watch for the end of the host's pipe, which processes started by benchmarks do not inherit."""
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
    handle_sigterm()
    with clean_output():
        sys.exit(main(sys.argv[1:]))
