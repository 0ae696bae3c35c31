"""Whether a Python program passes its tests, by a verdict that the program cannot write."""

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
    """What tests say of a program."""

    outcome: Outcome
    """`passed` if the tests came to their end, `timeout` if time was over, `error` if the tests cannot be run in this
    way (they give the program a function, say), which says nothing about the program; else `failed`."""
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
    """Run a program's tests in a jail of their own.

    The tests are Python that uses names of the program, such as `assert add(1, 2) == 3`. They run in a process of their
    own, which never runs the program, and calls of its functions go to another. Arguments and values are plain data
    there (None, numbers, texts, bytes, lists, tuples, sets, dicts); other objects of the program can be called, gone
    through and asked for attributes, and equal nothing but themselves. So a program that ends, prints what a success
    would look like, changes Python's own functions or overloads `==` has not passed: it has to return what the tests
    expect, and it cannot see what that is.

    Args:
        program: Python that defines what the tests call.
        tests: Python that raises an exception if the program is wrong.
        names: What the tests call of the program though Python itself has something of that name, such as `sum`.
        limits: Those of both processes together.
        kind: How the jail is built.
        read_only: Further paths of this machine that both may read.

    Raises:
        ValueError: The tests are not Python.
        SandboxError: The sandbox failed, which says nothing about the program.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # of what tests say in strings
            ast.parse(tests)
    except SyntaxError as error:
        raise ValueError(f"the tests are not Python: line {error.lineno}: {error.msg}") from None
    word = secrets.token_hex(16)
    command = [PYTHON, "-I", "-c", BOOT.format(module="checker", argument=""), INSIDE]
    async with jail(limits, kind=kind, read_only=read_only) as built:
        try:
            task = {"word": word, "program": program, "tests": tests, "names": list(names)}
            ended = await built.run(command, input=json.dumps(task))
        except OSError as error:
            raise SandboxError(f"the tests cannot be run: {error}") from None
    said = ended.stdout.decode(errors="replace")
    if ended.limit in ("time", "cpu"):
        of = "" if ended.limit == "time" else " of processor time"
        detail = f"longer than {built.limits.values()[ended.limit]:g} seconds{of}"
        return Verdict(outcome="timeout", detail=detail, seconds=ended.seconds)
    if ended.limit is not None:
        return Verdict(outcome="failed", detail=f"more than is allowed: {ended.limit}", seconds=ended.seconds)
    if not said.startswith(f"{word} "):
        last = ended.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return Verdict(
            outcome="failed", detail=" ".join(["the tests did not come to an end", *last]), seconds=ended.seconds
        )
    outcome, detail = json.loads(said.removeprefix(word))
    return Verdict(outcome=outcome, detail=detail, seconds=ended.seconds)
