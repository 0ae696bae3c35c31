"""HumanEval: functions to be written after their signature and docstring.

Chen et al. (2021), https://arxiv.org/abs/2107.03374
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import read_rows
from openbench_code.build import code_task, solution
from openbench_code.metadata import HUMANEVAL
from openbench_code.scorer import MEMORY, SECONDS, passes_tests

PROMPT = """\
Complete this Python function:

```python
{start}
```

Give the whole function in one block of code, with everything that it imports."""

reference = solution


@task
def humaneval(attempts: int = 1, seconds: float = SECONDS, memory: int = MEMORY) -> Task:
    """HumanEval: 164 functions to be written after their signature and docstring.

    Args:
        attempts: How often each is asked; several are reported as pass@k.
        seconds: How long a program and its tests may take together.
        memory: How much memory they may use, in MiB.
    """
    rows = read_rows(HUMANEVAL)
    return code_task("humaneval", rows, humaneval_sample, passes_tests(seconds, memory), attempts=attempts)


def humaneval_sample(row: dict[str, Any]) -> Sample:
    """Map a row: its tests are a function `check`, which is called with the entry point."""
    return _sample(row, f"{row['test']}\n\ncheck({row['entry_point']})\n")


def _sample(row: dict[str, Any], tests: str) -> Sample:
    return Sample(
        id=row["task_id"],
        input=PROMPT.format(start=row["prompt"].strip("\n")),
        target=row["prompt"] + row["canonical_solution"],
        metadata={
            "problem": row["task_id"],
            "start": row["prompt"],
            "entry_points": [row["entry_point"]],
            "tests": tests,
        },
    )
