"""Runs programs against their tests, in the sandbox."""

import math
import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from functools import cache

import anyio
from inspect_ai import Task
from inspect_ai.model import Model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import concurrency

from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered, unscored
from openbench.tasks.solvers import declare, static
from openbench_code.answers import read_program
from openbench_sandbox import Limits, SandboxError, check, run

_PACKED = "zlib;base64,"


@scorer(metrics=[accuracy(), stderr()])
def passes_tests(seconds: float = 10.0, memory: int = 1024) -> Scorer:
    """Score programs by the tests of their samples: 1 for passed, 0 for anything else, higher is better.

    A sample's metadata contain `tests` (may be packed), `entry_points`, and optionally `start` and `end`; see
    `score_program`.

    Args:
        seconds: The CPU time of a program and its tests together, in seconds.
        memory: Their memory limit, in MiB.
    """
    limits = limits_of(seconds, memory)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        metadata = state.metadata
        return await score_program(
            state.output.completion,
            unpack(metadata["tests"]),
            entry_points=metadata["entry_points"],
            start=metadata.get("start", ""),
            end=metadata.get("end", ""),
            limits=limits,
        )

    return score


async def score_program(
    completion: str,
    tests: str,
    *,
    entry_points: Sequence[str],
    start: str = "",
    end: str = "",
    limits: Limits | None = None,
) -> Score:
    """Score the program in an answer by tests that use its functions.

    Args:
        completion: The answer.
        tests: Python code that raises an exception if the program is wrong.
        entry_points: The functions and classes that the tests use; the program is recognised by defining one of them.
        start: The beginning of the program, which the prompt shows.
        end: Code that runs after the program and before the tests, as part of the program.
        limits: The limits of program and tests together.

    Returns:
        Correct or incorrect; an answer without a program is incorrect and unanswered. If the sandbox fails, or the
        tests cannot be run in it, the sample is unscored.
    """
    program = read_program(completion, entry_points=entry_points, start=start)
    if program is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    return await score_by_tests(f"{program}\n{end}", tests, names=entry_points, limits=limits, answer=program)


async def score_by_tests(
    program: str, tests: str, *, names: Sequence[str], limits: Limits | None, answer: str
) -> Score:
    """Return the score of a program by its tests; unscored if they could not be run."""
    try:
        async with program_slot():
            verdict = await check(program, tests, names=names, limits=limits)
    except SandboxError as error:
        return unscored(f"the sandbox failed: {error}", answer)
    if verdict.outcome == "error":
        return unscored(f"the tests cannot be run in the sandbox: {verdict.detail}", answer)
    return Score(
        value=CORRECT if verdict.outcome == "passed" else INCORRECT,
        answer=answer,
        explanation=": ".join(filter(None, (verdict.outcome, verdict.detail))),
        metadata={"outcome": verdict.outcome},
    )


def pack(tests: str) -> str:
    """Compress tests that would otherwise make up most of a log."""
    return _PACKED + b64encode(zlib.compress(tests.encode(), 9)).decode()


def unpack(tests: str) -> str:
    """Return the tests as they were before `pack`; unpacked tests are returned unchanged."""
    return zlib.decompress(b64decode(tests.removeprefix(_PACKED))).decode() if tests.startswith(_PACKED) else tests


def limits_of(seconds: float, memory: int) -> Limits:
    """Return the limits of a program and its tests: seconds of CPU time, and MiB of memory.

    The limit of wall-clock time is four times as long, so that a verdict does not depend on the load of the machine.

    Raises:
        UsageError: A limit is not above 0.
    """
    if not (0 < seconds < math.inf and memory > 0):
        raise UsageError(f"seconds={seconds!r}, memory={memory!r}: expected numbers above 0.")
    return Limits(time=4 * seconds, cpu=seconds, memory=memory << 20)


def program_slot() -> AbstractAsyncContextManager[object]:
    """Limit concurrent programs to the number of processors, so that none is slowed down by others."""
    return concurrency("openbench_code", os.cpu_count() or 1)


@cache
def without_sandbox() -> str | None:
    """Return the reason why no sandbox can be built here, as a clause; None if one can be built."""
    with ThreadPoolExecutor(1) as pool:  # in another thread, since this one may run an event loop
        try:
            pool.submit(lambda: anyio.run(run, ["true"])).result()
        except SandboxError as error:
            return f"it runs model-written code in a sandbox, and none can be built here: {error}"
    return None


def _needs_sandbox(task: Task, model: Model) -> str | None:  # noqa: ARG001 - the signature of a check
    return without_sandbox()


@static
@declare(check=_needs_sandbox)
@solver
def write_code() -> Solver:
    """Ask the model in one message. Without a sandbox, `bench eval` refuses before the first request."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await generate(state)

    return solve
