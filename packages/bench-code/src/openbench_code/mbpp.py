"""MBPP: write short Python programs from a description and tests; also sanitized, and with more tests.

Austin et al. (2021), https://arxiv.org/abs/2108.07732; Liu et al. (2023), https://arxiv.org/abs/2305.01210
"""

import ast
from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import read_rows
from openbench.metadata import DatasetSource
from openbench_code.answers import defined_names, parse
from openbench_code.build import code_task, solution
from openbench_code.closeness import NUMPY
from openbench_code.metadata import MBPP, MBPP_PLUS, MBPP_SANITIZED
from openbench_code.scorer import pack, passes_tests

PROMPT = """\
{text}

The program has to pass these tests:

```python
{tests}
```

Give the whole program in one block of code, with everything that it imports, and without the tests."""

# Five inputs of one problem have answers with up to 128 million items, too many to pass to the tests in a sandbox.
_FOR_EACH = "for i, inp in enumerate(inputs):\n    assertion(combinations_colors("
_SMALL = (_FOR_EACH, f"inputs = [inp for inp in inputs if inp[1] < 50]\n{_FOR_EACH}")

reference = solution


@task
def mbpp(attempts: int = 1, seconds: float = 10.0, memory: int = 1024) -> Task:
    """MBPP: write 500 short Python programs from a description and tests.

    Args:
        attempts: The number of epochs; several are also reported as pass@k.
        seconds: The CPU time of a program and its tests together, in seconds.
        memory: Their memory limit, in MiB.
    """
    return _mbpp("mbpp", MBPP, mbpp_sample, attempts, seconds, memory)


@task
def mbpp_sanitized(attempts: int = 1, seconds: float = 10.0, memory: int = 1024) -> Task:
    """MBPP sanitized: the 257 problems of the test split that its authors checked by hand; see `mbpp`."""
    return _mbpp("mbpp_sanitized", MBPP_SANITIZED, mbpp_sample, attempts, seconds, memory)


@task
def mbpp_plus(attempts: int = 1, seconds: float = 60.0, memory: int = 4096) -> Task:
    """MBPP+: 378 problems of MBPP sanitized with about 35 times as many tests; see `mbpp`."""
    return _mbpp("mbpp_plus", MBPP_PLUS, mbpp_plus_sample, attempts, seconds, memory)


def mbpp_sample(row: dict[str, Any]) -> Sample:
    """Map a row. All its tests are shown. The problem is in `text` (full set) or `prompt` (sanitized)."""
    imports = row.get("test_imports") or []
    tests = [*imports, *row["test_list"]]
    setup = (row.get("test_setup_code") or "").replace("\r\n", "\n")
    return Sample(
        id=str(row["task_id"]),
        input=PROMPT.format(
            text=row["text"] if "text" in row else row["prompt"], tests="\n".join([*filter(None, [setup]), *tests])
        ),
        target=row["code"].replace("\r\n", "\n"),
        metadata={
            "problem": row["task_id"],
            # The names of the solution that the tests use; some of them are also Python built-ins.
            "entry_points": sorted(defined_names(row["code"]) & _used("\n".join([setup, *tests]))),
            "end": setup,
            "tests": "\n".join(tests) + "\n",
        },
    )


def mbpp_plus_sample(row: dict[str, Any]) -> Sample:
    """Map a row. Three tests are shown, as in MBPP; `test` adds more. One row loses five inputs."""
    sample = mbpp_sample(row)
    assert sample.metadata is not None  # noqa: S101 - it was set above
    sample.metadata["tests"] = pack("\n".join([NUMPY, *row["test_imports"], row["test"].replace(*_SMALL)]))
    return sample


def _mbpp(
    name: str,
    source: DatasetSource,
    to_sample: Callable[[dict[str, Any]], Sample],
    attempts: int,
    seconds: float,
    memory: int,
) -> Task:
    return code_task(name, read_rows(source), to_sample, passes_tests(seconds, memory), attempts=attempts)


def _used(tests: str) -> set[str]:
    return {node.id for node in ast.walk(parse(tests)) if isinstance(node, ast.Name)}
