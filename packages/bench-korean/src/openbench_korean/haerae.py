"""HAE-RAE Bench: knowledge of the language and the culture.

Son et al. (2023), https://arxiv.org/abs/2309.02706
"""

import ast
import re
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_configs
from openbench.datasets.selection import Selection, selected_names, selected_rows
from openbench.tasks.mcq import MCQSample, label_index, mcq_task, target_letter
from openbench.tasks.prompts import option_letters
from openbench_korean.metadata import HAERAE, HAERAE_CATEGORIES
from openbench_korean.prompts import ANY, lettered_prompt

_OPTIONS_HEADING = re.compile(r"\s*###\s*선택지.*\Z", re.DOTALL)
_LABEL = re.compile(r"^\(([A-E])\)\s*")


@task
def haerae_bench_v1(category: Selection = None) -> Task:
    """Answer questions of Korean vocabulary, history, general knowledge and reading, with accuracy by category.

    Args:
        category: Categories, as in `history` or `loan_words,rare_words`; all by default.

    Raises:
        UsageError: There is no such category.
    """
    option = "haerae_bench_v1: category"
    chosen = selected_names(option, category, HAERAE_CATEGORIES)
    rows = selected_rows(read_configs(HAERAE, chosen, column="category"), option, "category", category)
    return mcq_task(
        name="haerae_bench_v1",
        dataset=load_samples(rows, haerae_sample, name="haerae_bench_v1"),
        group_keys=["category"],
        language=ANY,
    )


def haerae_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: its query repeats the options under a heading, and its options are a list, written as text."""
    options = [_LABEL.sub("", str(option)).strip() for option in _listed(row["options"])]
    question = _OPTIONS_HEADING.sub("", row["query"]).strip()
    answer = {"answer": str(row["answer"]).strip("() ")}  # written (B) or B
    return MCQSample(
        input=lettered_prompt(question, options),
        target=target_letter(label_index(answer, "answer", option_letters(len(options))), options),
        metadata={"category": row["category"]},
    )


def _listed(options: Any) -> list[Any]:
    read = ast.literal_eval(options) if isinstance(options, str) else options
    if not isinstance(read, list):
        raise ValueError(f"options: expected a list, not {options!r:.80}")  # noqa: TRY004 - a row's content
    return read
