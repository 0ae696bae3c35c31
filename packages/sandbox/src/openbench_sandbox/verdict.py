"""Checks whether a Python program passes its tests, with a verdict that the program cannot forge."""

import ast
import json
import secrets
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from openbench_sandbox.jails import PYTHON, Kind, jail
from openbench_sandbox.limits import Limits, SandboxError
from openbench_sandbox.spawner import BOOT, INSIDE

Outcome = Literal["passed", "failed", "timeout", "error"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of a program's tests."""

    outcome: Outcome
    """`passed` if the tests completed, `timeout` if time ran out, `error` if the tests cannot be run this way (for
    example because they pass a function to the program) and the program was not tested; else `failed`."""
    detail: str = ""
    """The exception, or the limit, that ended the tests."""
    seconds: float = 0.0


async def check(
    program: str,
    tests: str,
    *,
    names: Sequence[str] = (),
    limits: Limits | None = None,
    kind: Kind = "auto",
    read_only: Sequence[str] = (),
) -> Verdict:
    """Run a program's tests in a new jail.

    The tests are Python that uses names of the program, such as `assert add(1, 2) == 3`. They run in a separate
    process, which never runs the program, and calls of its functions go to another. Arguments and values are plain data
    (None, numbers, strings, bytes, lists, tuples, sets, dicts); other objects of the program can be called, iterated
    and have attributes, and equal only themselves. A program that exits, prints the output of a success, changes
    Python's built-in functions or overloads `==` does not pass: it must return the results that the tests expect,
    without seeing them.

    Args:
        program: Python code that defines the names that the tests call.
        tests: Python code that raises an exception if the program is wrong.
        names: Names to take from the program even though they are Python built-ins, such as `sum`.
        limits: The limits of both processes together.
        kind: How the jail is built.
        read_only: Further paths of this machine that both can read.

    Raises:
        ValueError: The tests are not valid Python.
        SandboxError: The sandbox itself failed, and not the program.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # about strings in the tests
            ast.parse(tests)
    except SyntaxError as error:
        raise ValueError(f"the tests are not valid Python: line {error.lineno}: {error.msg}") from None
    word = secrets.token_hex(16)
    command = [PYTHON, "-I", "-c", BOOT.format(module="checker", argument=""), INSIDE]
    async with jail(limits, kind=kind, read_only=read_only) as built:
        try:
            task = {"word": word, "program": program, "tests": tests, "names": list(names)}
            ended = await built.run(command, input=json.dumps(task))
        except OSError as error:
            raise SandboxError(f"the tests cannot be run: {error}") from None
    output = ended.stdout.decode(errors="replace")
    if ended.limit in ("time", "cpu"):
        of = "" if ended.limit == "time" else " of CPU time"
        detail = f"longer than {built.limits.values()[ended.limit]:g} seconds{of}"
        return Verdict(outcome="timeout", detail=detail, seconds=ended.seconds)
    if ended.limit is not None:
        return Verdict(outcome="failed", detail=f"limit exceeded: {ended.limit}", seconds=ended.seconds)
    if not output.startswith(f"{word} "):
        last = ended.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return Verdict(outcome="failed", detail=" ".join(["the tests did not complete", *last]), seconds=ended.seconds)
    outcome, detail = json.loads(output.removeprefix(word))
    return Verdict(outcome=outcome, detail=detail, seconds=ended.seconds)
