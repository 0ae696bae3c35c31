"""Benchmarks whose rows cannot be downloaded automatically: the user provides the file.

The Korean TruthfulQA is Horangi's own translation, and the sentences of KoMoral are subject to AI Hub's terms of use.
Lin et al. (2021), https://arxiv.org/abs/2109.07958; https://aihub.or.kr/aihubdata/data/view.do?dataSetSn=558
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import Rows, read_rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource, DatasetType
from openbench.tasks.mcq import MCQSample
from openbench.tasks.prompts import option_letters
from openbench_korean.build import lettered_prompt, lettered_task, parse_list
from openbench_korean.metadata import KO_MORAL, KO_TRUTHFUL_QA
from openbench_scorers.labels import label_index, target_letter

WAIVERS = {
    "metadata": "its rows have no public source that could be pinned",
    "letters": "its rows are a file that the user provides",
}

_EXPORT = (
    "The translation is published in Weave as weave:///horangi/horangi4/object/KoTruthfulQA_mini. Export it as JSON "
    "Lines or CSV with the columns question, options and answer, and pass the file with -T rows=FILE."
)
_APPLY = (
    "AI Hub provides the file on application for dataset 558 "
    "(https://aihub.or.kr/aihubdata/data/view.do?dataSetSn=558). Pass it with -T rows=FILE."
)

_VERDICTS = ("비도덕적이다", "비도덕적이지 않다")


@task
def ko_truthful_qa(rows: str = KO_TRUTHFUL_QA.source) -> Task:
    """Choose the true answer to questions that people often answer with misconceptions.

    Args:
        rows: A JSON Lines or CSV file with `question`, `options` (a list) and `answer` (the correct option's letter).

    Raises:
        UsageError: The file does not exist.
    """
    return lettered_task("ko_truthful_qa", _rows("ko_truthful_qa", KO_TRUTHFUL_QA, rows, _EXPORT), truthful_qa_sample)


def truthful_qa_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: a question, its options, and the letter of the correct one."""
    options = [str(option) for option in parse_list(row["options"], "options")]
    return MCQSample(
        id=row.get("id"),
        input=lettered_prompt(row["question"], options),
        target=target_letter(label_index(row, "answer", option_letters(len(options))), options),
    )


@task
def ko_moral(rows: str = KO_MORAL.source) -> Task:
    """Judge whether sentences of conversations are immoral, with accuracy by verdict.

    Args:
        rows: The file of conversations from AI Hub (dataset 558), `talksets-….json`, unchanged.

    Raises:
        UsageError: The file does not exist.
    """
    return lettered_task("ko_moral", _rows("ko_moral", KO_MORAL, rows, _APPLY), moral_samples, groups=["verdict"])


def moral_samples(row: dict[str, Any]) -> Sequence[MCQSample]:
    """Map a conversation to one sample per sentence."""
    return [
        MCQSample(
            id=sentence.get("id"),
            input=lettered_prompt(f"{sentence['text']}\n\n이 문장은 비도덕적입니까?", _VERDICTS),
            target=target_letter(label_index(sentence, "is_immoral", ("True", "False")), _VERDICTS),
            metadata={"verdict": "immoral" if sentence["is_immoral"] else "not_immoral", "types": sentence["types"]},
        )
        for sentence in row["sentences"]
    ]


def _rows(name: str, source: DatasetSource, rows: str, hint: str) -> Rows:
    """Read the file that the user provides; sample rows replace it.

    Raises:
        UsageError: The file does not exist; the message explains how to obtain it.
    """
    kind: DatasetType = "csv" if Path(rows).suffix == ".csv" else "json"
    try:
        return read_rows(replace(source, source=rows, type=kind))
    except DataError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise UsageError(f"{name}: rows={rows}: the file does not exist. {hint}") from error
        raise
