"""AGIEval: questions of admission and qualification exams; five of its English multiple-choice sets.

Zhong et al. (2023), https://arxiv.org/abs/2304.06364
"""

import re
from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import content_digest
from openbench.metadata import DatasetSource
from openbench.tasks.mcq import MCQEval, MCQSample, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.exams import (
    AGIEVAL_AQUA_RAT,
    AGIEVAL_LOGIQA_EN,
    AGIEVAL_LSAT_AR,
    AGIEVAL_LSAT_LR,
    AGIEVAL_SAT_MATH,
)

_PREFIX = re.compile(r"^\(([A-Z])\)")


def options_by_letter(printed: Sequence[str]) -> list[str]:
    """Return the options' texts in the order of their letters.

    Options are printed as `(A)text`. 28 rows of LogiQA are not:

    - 19 list them as (A), (C), (B), (D). The label means the printed letter: where the readings differ and
      the question can be worked out (1-based rows 109, 115, 173, 193, 199, 200), only that one is right.
    - 9 have options with a prefix of another form (`A text`, `A? text`) or none. There the position counts,
      and only the prefix `(A)` is removed, since any other could be part of the text.

    Raises:
        ValueError: Printed letters contradict the positions, and not all options have one.
    """
    letters = option_letters(len(printed))
    prefixes = [match[1] if (match := _PREFIX.match(option)) else "" for option in printed]
    texts = [_PREFIX.sub("", option).strip() for option in printed]
    if sorted(prefixes) == list(letters):
        return [texts[prefixes.index(letter)] for letter in letters]
    if any(prefix not in {"", letter} for prefix, letter in zip(prefixes, letters, strict=True)):
        raise ValueError(f"options: their letters contradict their positions: {list(printed)!r:.200}")
    return texts


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the passage, which may be null or blank, then the question."""
    passage, options = (row["passage"] or "").strip(), options_by_letter(row["options"])
    question = f"{passage}\n\n{row['question']}" if passage else row["question"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, options),
        target=target_letter(label_index(row, "label", option_letters(len(options))), options),
        metadata={"passage": content_digest(passage)[:16]} if passage else None,
    )


def _agieval(name: str, source: DatasetSource) -> Task:
    return MCQEval(name=name, record_to_mcq_sample=record_to_mcq_sample, **source.arguments())


@task
def agieval_aqua_rat() -> Task:
    """AGIEval AQuA-RAT: algebraic word problems with five options."""
    return _agieval("agieval_aqua_rat", AGIEVAL_AQUA_RAT)


@task
def agieval_sat_math() -> Task:
    """AGIEval SAT-Math: the multiple-choice mathematics of a college entrance exam."""
    return _agieval("agieval_sat_math", AGIEVAL_SAT_MATH)


@task
def agieval_lsat_ar() -> Task:
    """AGIEval LSAT-AR: the logic games of a law school entrance exam."""
    return _agieval("agieval_lsat_ar", AGIEVAL_LSAT_AR)


@task
def agieval_lsat_lr() -> Task:
    """AGIEval LSAT-LR: the short arguments of a law school entrance exam."""
    return _agieval("agieval_lsat_lr", AGIEVAL_LSAT_LR)


@task
def agieval_logiqa_en() -> Task:
    """AGIEval LogiQA: logic questions of a civil service exam, translated into English."""
    return _agieval("agieval_logiqa_en", AGIEVAL_LOGIQA_EN)
