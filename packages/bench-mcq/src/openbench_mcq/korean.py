"""Korean: KMMLU, exams of 45 subjects, and HAE-RAE Bench, knowledge of the language and the culture.

Son et al. (2024), https://arxiv.org/abs/2402.11548; Son et al. (2023), https://arxiv.org/abs/2309.02706
"""

import ast
import re
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_configs
from openbench.tasks.mcq import MCQSample, mcq_task, target_letter
from openbench.tasks.prompts import option_letters
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.entry import AS_WRITTEN
from openbench_mcq.metadata.multilingual import HAERAE, HAERAE_CATEGORIES, KMMLU, KMMLU_CATEGORIES
from openbench_mcq.native import ANY, native_prompt
from openbench_mcq.selection import Selection, kept, meant

KOREAN = "ko"
_CATEGORY_OF = {subject: category for category, subjects in KMMLU_CATEGORIES.items() for subject in subjects}
_OPTIONS_HEADING = re.compile(r"\s*###\s*선택지.*\Z", re.DOTALL)
_LABEL = re.compile(r"^\(([A-E])\)\s*")


@task
def kmmlu(subject: Selection = None) -> Task:
    """Answer questions of Korean exams in 45 subjects, with accuracy by category and subject.

    Args:
        subject: Subjects, as in `Accounting` or `law,patent`; all by default.

    Raises:
        UsageError: There is no such subject.
    """
    chosen = meant("kmmlu: subject", subject, _CATEGORY_OF)
    rows = kept(read_configs(KMMLU, chosen, column="subject", **AS_WRITTEN), "kmmlu: subject", "subject", subject)
    return mcq_task(
        name="kmmlu",
        dataset=load_samples(rows, kmmlu_sample, name="kmmlu"),
        group_keys=["category", "subject"],
        language=ANY,
    )


def kmmlu_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the number of the right option, from 1."""
    options = [row[letter] for letter in "ABCD"]
    return MCQSample(
        input=native_prompt(KOREAN, row["question"], options),
        target=target_letter(label_index(row, "answer", ("1", "2", "3", "4")), options),
        metadata={"category": _CATEGORY_OF[row["subject"]], "subject": row["subject"]},
    )


@task
def haerae(category: Selection = None) -> Task:
    """Answer questions of Korean vocabulary, history, general knowledge and reading, with accuracy by category.

    Args:
        category: Categories, as in `history` or `loan_words,rare_words`; all by default.

    Raises:
        UsageError: There is no such category.
    """
    chosen = meant("haerae: category", category, HAERAE_CATEGORIES)
    rows = kept(read_configs(HAERAE, chosen, column="category"), "haerae: category", "category", category)
    return mcq_task(
        name="haerae",
        dataset=load_samples(rows, haerae_sample, name="haerae"),
        group_keys=["category"],
        language=ANY,
    )


def haerae_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: its query repeats the options under a heading, and its options are a list, written as text."""
    options = [_LABEL.sub("", str(option)).strip() for option in _listed(row["options"])]
    question = _OPTIONS_HEADING.sub("", row["query"]).strip()
    answer = {"answer": str(row["answer"]).strip("() ")}  # written (B) or B
    return MCQSample(
        input=native_prompt(KOREAN, question, options),
        target=target_letter(label_index(answer, "answer", option_letters(len(options))), options),
        metadata={"category": row["category"]},
    )


def _listed(options: Any) -> list[Any]:
    read = ast.literal_eval(options) if isinstance(options, str) else options
    if not isinstance(read, list):
        raise ValueError(f"options: expected a list, not {options!r:.80}")  # noqa: TRY004 - a row's content
    return read
