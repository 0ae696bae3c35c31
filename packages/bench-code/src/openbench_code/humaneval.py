"""HumanEval and HumanEval+: complete Python functions from their signature and docstring.

Chen et al. (2021), https://arxiv.org/abs/2107.03374; Liu et al. (2023), https://arxiv.org/abs/2305.01210
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import read_rows
from openbench_code.build import code_task, solution
from openbench_code.closeness import NUMPY
from openbench_code.metadata import HUMANEVAL, HUMANEVAL_PLUS
from openbench_code.scorer import pack, passes_tests

PROMPT = """\
Complete this Python function:

```python
{start}
```

Give the whole function in one block of code, with everything that it imports."""

# The published tests of `find_zero` confuse the zero with the polynomial, so no program passes them.
_CORRECTION = ("assert _poly(*candidate(*inp), inp) <= 0.0001", "assert abs(_poly(*inp, candidate(*inp))) <= 0.0001")

reference = solution


@task
def humaneval(attempts: int = 1, seconds: float = 10.0, memory: int = 1024) -> Task:
    """HumanEval: complete 164 Python functions from their signature and docstring.

    Args:
        attempts: The number of epochs; several are also reported as pass@k.
        seconds: The CPU time of a program and its tests together, in seconds.
        memory: Their memory limit, in MiB.
    """
    rows = read_rows(HUMANEVAL)
    return code_task("humaneval", rows, humaneval_sample, passes_tests(seconds, memory), attempts=attempts)


@task
def humaneval_plus(attempts: int = 1, seconds: float = 60.0, memory: int = 4096) -> Task:
    """HumanEval+: HumanEval with about 80 times as many tests; see `humaneval`."""
    rows = read_rows(HUMANEVAL_PLUS)
    return code_task("humaneval_plus", rows, humaneval_plus_sample, passes_tests(seconds, memory), attempts=attempts)


def humaneval_plus_sample(row: dict[str, Any]) -> Sample:
    """Map a row. It has more tests than in HumanEval; the tests of one row are corrected."""
    sample = humaneval_sample(row)
    assert sample.metadata is not None  # noqa: S101 - it was set above
    sample.metadata["tests"] = pack(f"{NUMPY}\n{sample.metadata['tests'].replace(*_CORRECTION)}")
    return sample


def humaneval_sample(row: dict[str, Any]) -> Sample:
    """Map a row. Its tests define a function `check`, which is called with the entry point."""
    return Sample(
        id=row["task_id"],
        input=PROMPT.format(start=row["prompt"].strip("\n")),
        target=row["prompt"] + row["canonical_solution"],
        metadata={
            "problem": row["task_id"],
            "start": row["prompt"],
            "entry_points": [row["entry_point"]],
            "tests": f"{row['test']}\n\ncheck({row['entry_point']})\n",
        },
    )
