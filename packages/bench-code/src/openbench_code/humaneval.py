"""HumanEval and HumanEval+: functions to be written after their signature and docstring.

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

# The published tests of `find_zero` confuse the zero with the polynomial, so that no program passes them.
_SLIP = ("assert _poly(*candidate(*inp), inp) <= 0.0001", "assert abs(_poly(*inp, candidate(*inp))) <= 0.0001")

reference = solution


@task
def humaneval(attempts: int = 1, seconds: float = 10.0, memory: int = 1024) -> Task:
    """HumanEval: 164 functions to be written after their signature and docstring.

    Args:
        attempts: How often each is asked; several are reported as pass@k.
        seconds: How many seconds of a processor a program and its tests may use together.
        memory: How much memory they may use, in MiB.
    """
    rows = read_rows(HUMANEVAL)
    return code_task("humaneval", rows, humaneval_sample, passes_tests(seconds, memory), attempts=attempts)


@task
def humaneval_plus(attempts: int = 1, seconds: float = 60.0, memory: int = 4096) -> Task:
    """HumanEval+: HumanEval with some 80 times as many tests; see `humaneval`."""
    rows = read_rows(HUMANEVAL_PLUS)
    return code_task("humaneval_plus", rows, humaneval_plus_sample, passes_tests(seconds, memory), attempts=attempts)


def humaneval_plus_sample(row: dict[str, Any]) -> Sample:
    """Map a row: it has more tests, of which those of one row are mended."""
    sample = humaneval_sample(row)
    assert sample.metadata is not None  # noqa: S101 - it has been made above
    sample.metadata["tests"] = pack(f"{NUMPY}\n{sample.metadata['tests'].replace(*_SLIP)}")
    return sample


def humaneval_sample(row: dict[str, Any]) -> Sample:
    """Map a row: its tests are a function `check`, which is called with the entry point."""
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
