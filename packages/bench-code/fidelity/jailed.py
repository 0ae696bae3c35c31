"""Runs an original's scoring code in the sandbox, since it runs model-written programs."""

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_BATCH = 20


def verdicts(
    driver: str, tasks: Sequence[Any], folder: Path, pattern: str = "*.py", packages: str | None = None
) -> list[bool]:
    """Return a driver's verdict on each task.

    Args:
        driver: Python code that defines `verdict(task)`, and imports the original's modules from its own folder.
        tasks: The tasks, as values that can be written as JSON.
        folder: The folder of the original's modules.
        pattern: The files of this folder that are needed.
        packages: A folder of Python packages that the driver or the tests import.
    """
    files = {path.name: path.read_text("utf-8") for path in folder.glob(pattern)}
    files["driver.py"] = f"{driver}\n{_MAIN}"
    parts = [tasks[place : place + _BATCH] for place in range(0, len(tasks), _BATCH)]
    return asyncio.run(_all(files, parts, packages))


async def _all(files: dict[str, str], parts: Sequence[Sequence[Any]], packages: str | None) -> list[bool]:
    from openbench_sandbox import Limits, jail  # noqa: PLC0415 - an adapter imports only the standard library

    limits = Limits(time=600, cpu=1200, memory=4 << 30, processes=256, output=8 << 20)
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(part: Sequence[Any]) -> list[bool]:
        async with slots, jail(limits, read_only=[packages] if packages else []) as built:
            for name, text in files.items():
                await built.write(name, text)
            env = {"PYTHONPATH": packages} if packages else None
            ended = await built.run(["python3", "driver.py"], input=json.dumps(part), env=env)
        if ended.returncode:
            raise RuntimeError(ended.stderr.decode(errors="replace")[-500:])
        return list(json.loads(ended.stdout.splitlines()[-1]))

    return [verdict for part in await asyncio.gather(*map(one, parts)) for verdict in part]


_MAIN = """
import json, sys

if __name__ == "__main__":
    results = [verdict(task) for task in json.load(sys.stdin)]
    print(json.dumps(results))
"""
