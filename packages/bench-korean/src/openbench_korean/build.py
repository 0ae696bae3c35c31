"""Shared parts of all tasks: prompts in Korean, the extraction of answers, and the construction of a task."""

import ast
from collections.abc import Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.solver import generate

from openbench.datasets import RowMapping, Rows, load_samples
from openbench.tasks.mcq import mcq_task
from openbench.tasks.prompts import option_letters, option_lines
from openbench_scorers.macro_f1 import macro_f1, mean_f1
from openbench_scorers.means import clustered_stderr

ANY = "any"
"""The phrase table of openbench-scorers that reads answers in Korean, English and some sixty other languages."""

_INSTRUCTION = (
    "다음 객관식 문제에 답하세요. 마지막 줄에 “정답: 글자” 형식으로 답을 쓰세요. 글자는 {letters} 중 하나입니다."
)


def lettered_prompt(question: str, options: Sequence[str | float]) -> str:
    """Write the Korean prompt of a question, with its options under Latin letters.

    Raises:
        ValueError: There are more options than letters.
    """
    instruction = _INSTRUCTION.format(letters=", ".join(option_letters(len(options))))
    return "\n".join([instruction, "", question, "", *option_lines(options)])


def lettered_task(
    name: str, rows: Rows, to_sample: RowMapping, *, groups: Sequence[str] = (), cluster: str | None = None
) -> Task:
    """Build a task of questions with lettered options, with accuracy.

    Args:
        name: The name of the task.
        rows: The rows of the dataset.
        to_sample: Converts a row to its samples.
        groups: Keys of the samples' metadata by which accuracy is also reported.
        cluster: The key of the samples' metadata that names the cluster of a question, if they come in clusters.
    """
    return mcq_task(
        name=name,
        dataset=load_samples(rows, to_sample, name=name),
        group_keys=list(groups),
        additional_metrics=[clustered_stderr(cluster)] if cluster else [],
        language=ANY,
    )


def classification_task(name: str, rows: Rows, to_sample: RowMapping) -> Task:
    """Build a task of questions whose options are classes, with macro F1 over the letters, and accuracy."""
    return Task(
        name=name,
        dataset=load_samples(rows, to_sample, name=name),
        solver=generate(),
        scorer=macro_f1(),
        metrics=[mean_f1(), accuracy(), stderr()],
    )


def parse_list(value: Any, column: str) -> list[Any]:
    """Return a column's list, which may be written as a Python literal.

    Raises:
        ValueError: The value is not a list.
    """
    parsed = ast.literal_eval(value) if isinstance(value, str) else value
    if not isinstance(parsed, list):
        raise ValueError(f"{column}: expected a list, not {value!r:.80}")  # noqa: TRY004 - a row's content
    return parsed
