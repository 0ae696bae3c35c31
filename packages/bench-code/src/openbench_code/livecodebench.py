"""LiveCodeBench: solve dated problems of programming contests, with programs that read input or with methods.

Jain et al. (2024), https://arxiv.org/abs/2403.07974
"""

import json
import pickletools
import zlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.datasets import Rows, read_rows
from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered, unscored
from openbench_code.answers import read_program
from openbench_code.build import code_task
from openbench_code.metadata import LIVECODEBENCH_DIGESTS, livecodebench_file
from openbench_code.scorer import limits_of, program_slot, score_by_tests
from openbench_sandbox import Completed, Limits, SandboxError, jail

STDIN_PROMPT = """\
{question}

Write a Python program that reads the input from standard input and writes the answer to standard output. Give the \
whole program in one block of code."""

METHOD_PROMPT = """\
{question}

Complete this Python code:

```python
{starter}
```

Give the whole class in one block of code."""

# The imports before a program, in this order: many answers are written for LeetCode, and import nothing.
_STARRED = (
    "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json "
    "builtins typing"
)
PRELUDE = "".join(
    [
        *(f"from {name} import *\n" for name in _STARRED.split()),
        *(f"import {name}\n" for name in _STARRED.split()[:-2]),
        "sys.setrecursionlimit(50000)\n",
    ]
)

_MAX_IN_A_SAMPLE = 20_000
_METHOD_TESTS = """\
import json, signal

def late(*_):
    raise TimeoutError("a test took too long")

try:
    method = Solution().{name}
except NameError:
    method = {name}
signal.signal(signal.SIGALRM, late)
for arguments, expected in json.loads({cases!r}):
    signal.setitimer(signal.ITIMER_REAL, {seconds})
    value = method(*arguments)
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert (list(value) if isinstance(value, tuple) else value) == expected
"""


@task
def livecodebench(
    version: str = "v6",
    start: str | None = None,
    end: str | None = None,
    attempts: int = 1,
    seconds: float = 6.0,
    memory: int = 4096,
) -> Task:
    """LiveCodeBench: code generation, by default on the 175 problems that version 6 added.

    Args:
        version: `v6` for the problems that a version (v1 to v6) added, or `release_v6` for all up to it.
        start: The first date of the contests, for example 2025-01-31.
        end: The last date of the contests.
        attempts: The number of epochs; several are also reported as pass@k.
        seconds: The CPU time of a program for each test, in seconds.
        memory: Its memory limit, in MiB.
    """
    first, last = _date("start", start), _date("end", end)

    def to_samples(row: dict[str, Any]) -> Sequence[Sample]:
        held = date.fromisoformat(row["contest_date"][:10])
        return [livecodebench_sample(row)] if first <= held <= (last if end else held) else []

    scored = passes_contest_tests(seconds, memory)
    groups = ["difficulty", "platform"]
    return code_task("livecodebench", _read(version), to_samples, scored, attempts=attempts, groups=groups)


def livecodebench_sample(row: dict[str, Any]) -> Sample:
    """Map a row. Large tests, as most are, stay in the row."""
    name = json.loads(row["metadata"]).get("func_name")
    starter = row["starter_code"].rstrip()
    prompt = METHOD_PROMPT if starter else STDIN_PROMPT
    packed = {key: row[key] for key in ("public_test_cases", "private_test_cases")}
    small = sum(map(len, packed.values())) <= _MAX_IN_A_SAMPLE
    return Sample(
        id=row["question_id"],
        input=prompt.format(question=row["question_content"].strip(), starter=starter),
        target="",
        metadata={
            "problem": row["question_id"],
            "method": name,
            "difficulty": row["difficulty"],
            "platform": row["platform"],
            "date": row["contest_date"][:10],
            "version": row.get("version"),
            **(packed if small else {}),
        },
    )


def reference(sample: Any) -> str:
    """Return a program that looks up the answers of a sample's tests, since the rows contain no solution."""
    tests = contest_tests(sample.metadata)
    if name := sample.metadata["method"]:
        known = {json.dumps(_arguments(test)): json.loads(test["output"]) for test in tests}
        lines = [
            "import json",
            "class Solution:",
            f"    def {name}(self, *arguments):",
            f"        return {known!r}[json.dumps(list(arguments))]",
        ]
    else:
        lines = ["import sys", f"print({ {test['input']: test['output'] for test in tests}!r}[sys.stdin.read()])"]
    return "\n".join(["```python", *lines, "```"])


@scorer(metrics=[accuracy(), stderr()])
def passes_contest_tests(seconds: float = 6.0, memory: int = 4096) -> Scorer:
    """Score programs by all tests of their problems: 1 if every test passes, else 0; higher is better.

    Args:
        seconds: The CPU time of a program for each test, in seconds.
        memory: Its memory limit, in MiB.
    """
    limits = limits_of(seconds, memory)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        tests = await to_thread.run_sync(contest_tests, state.metadata)
        return await score_by_contest_tests(state.output.completion, tests, state.metadata["method"], limits)

    return score


async def score_by_contest_tests(
    completion: str, tests: Sequence[Mapping[str, str]], method: str | None, limits: Limits
) -> Score:
    """Score the program in an answer by tests, each with an input and an output.

    Args:
        completion: The answer.
        tests: The tests.
        method: The method of `Solution`, or the function, that the tests call; None if they run whole programs.
        limits: The limits of a program for each test.
    """
    entry_points = ["Solution", method] if method else []
    program = read_program(completion, entry_points=entry_points)
    if program is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    if method:
        cases = json.dumps([[_arguments(test), json.loads(test["output"])] for test in tests])
        called = _METHOD_TESTS.format(name=method, cases=cases, seconds=limits.time)
        total = limits.values()
        whole = Limits(time=total["time"] * len(tests), cpu=total["cpu"] * len(tests), memory=limits.memory)
        return await score_by_tests(PRELUDE + program, called, names=entry_points, limits=whole, answer=program)
    try:
        async with program_slot():
            outcome, detail = await _outcome(PRELUDE + program, tests, limits)
    except (SandboxError, OSError) as error:
        return unscored(f"the sandbox failed: {error}", program)
    return Score(
        value=CORRECT if outcome == "passed" else INCORRECT,
        answer=program,
        explanation=": ".join(filter(None, (outcome, detail))),
        metadata={"outcome": outcome},
    )


def contest_tests(metadata: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the tests of a sample, from its metadata or, if they are too large for it, from its row."""
    row = metadata if "private_test_cases" in metadata else _problems(metadata["version"])[metadata["problem"]]
    return [*json.loads(row["public_test_cases"]), *_private(row["private_test_cases"])]


def pickled_text(data: bytes) -> str:
    """Return the string in a pickle, without unpickling it.

    Raises:
        ValueError: The pickle contains anything but one string.
    """
    texts = []
    for opcode, argument, _ in pickletools.genops(data):
        if opcode.name in {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"}:
            texts.append(argument)
        elif opcode.name not in {"PROTO", "FRAME", "MEMOIZE", "BINPUT", "LONG_BINPUT", "STOP"}:
            raise ValueError(f"private_test_cases: expected a pickled string, found the opcode {opcode.name}")
    if len(texts) != 1:
        raise ValueError(f"private_test_cases: expected one pickled string, found {len(texts)}")
    return str(texts[0])


def same_output(printed: str, expected: str) -> bool:
    """Return whether two outputs are equal, except for white space around lines and the notation of numbers."""
    lines, wanted = ([line.strip() for line in text.strip().split("\n")] for text in (printed, expected))
    return len(lines) == len(wanted) and all(map(_same_line, lines, wanted))


async def _outcome(program: str, tests: Sequence[Mapping[str, str]], limits: Limits) -> tuple[str, str]:
    async with jail(limits) as built:
        await built.write("main.py", program)
        for number, test in enumerate(tests, start=1):
            ended = await built.run(["python3", "main.py"], input=test["input"])
            if problem := _problem(ended, test["output"]):
                outcome = "timeout" if ended.limit in ("time", "cpu") else "failed"
                return outcome, f"test {number} of {len(tests)}: {problem}"
    return "passed", ""


def _problem(ended: Completed, expected: str) -> str | None:
    if ended.limit:
        return f"limit exceeded: {ended.limit}"
    if ended.returncode:
        return ended.stderr.decode(errors="replace").strip()[-500:] or f"exit status {ended.returncode}"
    printed = ended.stdout.decode(errors="replace")
    return None if same_output(printed, expected) else f"printed {printed[:200]!r}, expected {expected[:200]!r}"


def _same_line(printed: str, expected: str) -> bool:
    if printed == expected:
        return True
    try:
        return [Decimal(word) for word in printed.split()] == [Decimal(word) for word in expected.split()]
    except InvalidOperation:
        return False


def _arguments(test: Mapping[str, str]) -> list[Any]:
    return [json.loads(line) for line in test["input"].split("\n")]


def _private(text: str) -> list[dict[str, str]]:
    """Read private tests: JSON or, if large, base64 of a zlib-compressed pickle of a JSON string."""
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    return list(json.loads(pickled_text(zlib.decompress(b64decode(text)))))


@cache
def _problems(version: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the rows of a version by problem, for the scorer, which does not get the rows."""
    return {row["question_id"]: row for row in read_rows(livecodebench_file(version)).rows}


def _read(version: str) -> Rows:
    read = {name: read_rows(livecodebench_file(name)) for name in _versions(version)}
    *_, last = read.values()
    if last.source is None:  # sample rows are the same for every version
        return last
    return Rows(last.label, [{**row, "version": name} for name, rows in read.items() for row in rows.rows], last.source)


def _versions(version: str) -> list[str]:
    names = [*LIVECODEBENCH_DIGESTS]
    last = version.removeprefix("release_")
    if last not in names:
        known = ", ".join([*names, *(f"release_{name}" for name in names)])
        raise UsageError(f"livecodebench: version={version!r}: expected one of {known}.")
    return [last] if last == version else names[: names.index(last) + 1]


def _date(name: str, value: str | None) -> date:
    try:
        return date.fromisoformat(value) if value else date.min
    except (TypeError, ValueError):
        raise UsageError(f"livecodebench: {name}={value!r}: expected a date such as 2025-01-31.") from None
