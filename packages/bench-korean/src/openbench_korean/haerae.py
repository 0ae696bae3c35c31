"""HAE-RAE Bench: Korean language and culture, as a whole and in the two parts of the Horangi leaderboard.

Son et al. (2023), https://arxiv.org/abs/2309.02706
"""

import re
from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import read_configs
from openbench.tasks.mcq import MCQSample
from openbench.tasks.prompts import option_letters
from openbench_korean.build import lettered_prompt, lettered_task, parse_list
from openbench_korean.metadata import HAERAE, HAERAE_CATEGORIES, READING
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, selected_names, selected_rows

_OPTIONS_HEADING = re.compile(r"\s*###\s*선택지.*\Z", re.DOTALL)
_LABEL = re.compile(r"^\(([A-E])\)\s*")


@task
def haerae_bench_v1(category: Selection = None) -> Task:
    """Answer questions on Korean vocabulary, history, general knowledge and reading, with accuracy by category.

    Args:
        category: Categories, such as `history` or `loan_words,rare_words`; all by default.

    Raises:
        UsageError: A category does not exist.
    """
    return _task("haerae_bench_v1", HAERAE_CATEGORIES, category)


@task
def haerae_bench_v1_rc() -> Task:
    """Answer the reading comprehension questions of HAE-RAE Bench."""
    return _task("haerae_bench_v1_rc", [READING])


@task
def haerae_bench_v1_wo_rc(category: Selection = None) -> Task:
    """Answer the questions of HAE-RAE Bench other than reading comprehension, with accuracy by category.

    Args:
        category: Categories; all but `reading_comprehension` by default.

    Raises:
        UsageError: A category does not exist.
    """
    return _task("haerae_bench_v1_wo_rc", [name for name in HAERAE_CATEGORIES if name != READING], category)


def haerae_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. Its query repeats the options under a heading, which is removed; its options are a list as text."""
    options = [_LABEL.sub("", str(option)).strip() for option in parse_list(row["options"], "options")]
    question = _OPTIONS_HEADING.sub("", row["query"]).strip()
    answer = {"answer": str(row["answer"]).strip("() ")}  # written (B) or B
    return MCQSample(
        input=lettered_prompt(question, options),
        target=target_letter(label_index(answer, "answer", option_letters(len(options))), options),
        metadata={"category": row["category"]},
    )


def _task(name: str, categories: Sequence[str], category: Selection = None) -> Task:
    option = f"{name}: category"
    chosen = selected_names(option, category, categories)
    rows = selected_rows(read_configs(HAERAE, chosen, column="category"), option, "category", category)
    return lettered_task(name, rows, haerae_sample, groups=["category"])
