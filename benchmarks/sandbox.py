"""Executions a second in the sandbox, each in a jail of its own, against the same command without one."""

import argparse
import os
import subprocess
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio

from openbench_sandbox import check, jails, run, stop

COMMAND = ["-I", "-c", "print(6 * 7)"]
PROGRAM, TESTS = "def add(a, b): return a + b", "assert add(1, 2) == 3"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=300)
    parser.add_argument("--at-once", type=int, default=2 * (os.cpu_count() or 1))
    options = parser.parse_args()
    kinds: list[jails.Kind] = ["namespaces", *(["bwrap"] if jails.bubblewrap() else [])]  # type: ignore[list-item]
    load = os.getloadavg()[0]
    print(f"{options.executions} executions, {options.at_once} at once, {os.cpu_count()} processors, load {load:.1f}")
    plain = unprotected(options.executions, options.at_once)
    print(f"{'python, unprotected':28} {plain:6.0f} a second")
    for kind in kinds:
        for name, one in (("python", python), ("verdicts", verdict)):
            rate = anyio.run(measure, one, kind, options.executions, options.at_once)
            print(f"{f'{name}, {kind}':28} {rate:6.0f} a second, {rate / plain:.2f} x unprotected")
    stop()


def unprotected(executions: int, at_once: int) -> float:
    """Return executions a second of the command as it is."""
    command = [jails.PYTHON, *COMMAND]
    with ThreadPoolExecutor(at_once) as pool:
        begin = time.perf_counter()
        list(pool.map(lambda _: subprocess.run(command, check=True, capture_output=True), range(executions)))
        return executions / (time.perf_counter() - begin)


async def python(kind: jails.Kind) -> None:
    """Run the command in a jail."""
    ended = await run(["python3", *COMMAND], kind=kind)
    if ended.stdout != b"42\n":
        raise RuntimeError(ended)


async def verdict(kind: jails.Kind) -> None:
    """Have a program checked."""
    found = await check(PROGRAM, TESTS, kind=kind)
    if found.outcome != "passed":
        raise RuntimeError(found)


async def measure(one: Callable[[Any], Awaitable[None]], kind: jails.Kind, executions: int, at_once: int) -> float:
    """Return executions a second once the warm process is there."""
    await one(kind)
    left = iter(range(executions))

    async def work() -> None:
        for _ in left:
            await one(kind)

    begin = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(at_once):
            group.start_soon(work)
    return executions / (time.perf_counter() - begin)


if __name__ == "__main__":
    main()
