"""KoBEST: five tasks on language understanding, with macro F1 as in the paper, and accuracy.

Kim et al. (2022), https://arxiv.org/abs/2204.04541
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import read_rows
from openbench.tasks.mcq import MCQSample
from openbench_korean.build import classification_task, lettered_prompt
from openbench_korean.metadata import KOBEST
from openbench_scorers.labels import label_index, target_letter

_YES_NO = ("예", "아니요")
_SENTIMENTS = ("긍정", "부정")
_POSITIVE_FIRST = ("1", "0")
_IN_ORDER = ("0", "1", "2", "3")
_COPA_QUESTIONS = {
    "원인": "이 일의 원인으로 더 알맞은 것은 무엇입니까?",
    "결과": "이 일의 결과로 더 알맞은 것은 무엇입니까?",
}

_Mapping = Callable[[dict[str, Any]], MCQSample]


@task
def kobest_boolq() -> Task:
    """KoBEST BoolQ: yes-no questions about a paragraph."""
    return _task("boolq", boolq_sample)


@task
def kobest_copa() -> Task:
    """KoBEST COPA: the more plausible cause or effect of an event."""
    return _task("copa", copa_sample)


@task
def kobest_hellaswag() -> Task:
    """KoBEST HellaSwag: the sentence that continues a text."""
    return _task("hellaswag", hellaswag_sample)


@task
def kobest_sentineg() -> Task:
    """KoBEST SentiNeg: the sentiment of reviews, many of them with negation."""
    return _task("sentineg", sentineg_sample)


@task
def kobest_wic() -> Task:
    """KoBEST WiC: whether a word has the same meaning in two sentences."""
    return _task("wic", wic_sample)


def boolq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row; label 1 means yes."""
    return _sample(row, f"{row['paragraph']}\n\n질문: {row['question']}", _YES_NO, _POSITIVE_FIRST)


def copa_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row, whose question is `원인` (cause) or `결과` (effect).

    Raises:
        ValueError: The question is neither of these.
    """
    question = _COPA_QUESTIONS.get(row["question"].strip())
    if question is None:
        raise ValueError(f"question is {row['question']!r}, expected one of {', '.join(_COPA_QUESTIONS)}")
    return _sample(row, f"{row['premise']}\n\n{question}", [row["alternative_1"], row["alternative_2"]], _IN_ORDER)


def hellaswag_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row with four endings."""
    endings = [row[f"ending_{number}"] for number in range(1, 5)]
    return _sample(row, f"{row['context']}\n\n이어질 문장으로 가장 알맞은 것은 무엇입니까?", endings, _IN_ORDER)


def sentineg_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row; label 1 means positive."""
    return _sample(row, f"{row['sentence']}\n\n이 문장의 감정은 무엇입니까?", _SENTIMENTS, _POSITIVE_FIRST)


def wic_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row; label 1 means that the word, bracketed in both contexts, has the same meaning."""
    question = f"두 문장에서 “{row['word']}”은(는) 같은 뜻으로 쓰였습니까?"
    return _sample(row, f"{row['context_1']}\n{row['context_2']}\n\n{question}", _YES_NO, _POSITIVE_FIRST)


def _sample(row: dict[str, Any], question: str, options: Sequence[str], labels: Sequence[str]) -> MCQSample:
    return MCQSample(
        input=lettered_prompt(question, options),
        target=target_letter(label_index(row, "label", labels[: len(options)]), options),
    )


def _task(config: str, to_sample: _Mapping) -> Task:
    return classification_task(f"kobest_{config}", read_rows(replace(KOBEST, config=config)), to_sample)
