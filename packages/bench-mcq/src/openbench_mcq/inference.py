"""Textual inference and word meaning: ANLI, and the tasks RTE and WiC of SuperGLUE.

Nie et al. (2019), https://arxiv.org/abs/1910.14599; Wang et al. (2019), https://arxiv.org/abs/1905.00537
"""

from dataclasses import replace
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_parts, read_rows
from openbench.metadata import DatasetSource
from openbench.tasks.mcq import MCQEval, MCQRecord, MCQSample, mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.language import ANLI, ANLI_ROUNDS, RTE, WIC
from openbench_mcq.passages import by_passage, passage_key
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, labelled_split, selected_names, selected_rows

_JUDGEMENTS = ("True", "Neither", "False")
_YES_NO = ("Yes", "No")


@task
def anli(round: Selection = None) -> Task:  # noqa: A002 - the dataset's term
    """Judge statements about a text that were written to mislead models, with accuracy by round.

    The statements about a text form a cluster.

    Args:
        round: Any of the rounds 1, 2 and 3, each written against a stronger model; all by default.

    Raises:
        UsageError: The round does not exist.
    """
    chosen = selected_names("anli: round", round, ANLI_ROUNDS)
    rows = selected_rows(read_parts(ANLI, lambda: _rounds(chosen)), "anli: round", "round", round)
    return mcq_task(
        name="anli",
        dataset=load_samples(rows, anli_sample, name="anli"),
        group_keys=["round"],
        additional_metrics=by_passage(),
    )


def anli_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row with its `round`. The label is 0 for entailment, 1 for neutral and 2 for contradiction."""
    question = f"{row['premise']}\n\nStatement: {row['hypothesis']}\n\nIs the statement true or false by this text?"
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, _JUDGEMENTS),
        target=target_letter(label_index(row, "label", ("0", "1", "2")), _JUDGEMENTS),
        id=row["uid"],
        metadata={"round": f"round {row['round']}", **passage_key(row["premise"])},
    )


def _rounds(rounds: list[str]) -> list[dict[str, Any]]:
    read = {name: read_rows(replace(ANLI, split=ANLI_ROUNDS[name])).rows for name in rounds}
    return [{**row, "round": name} for name, rows in read.items() for row in rows]


@task
def rte(split: str = "validation") -> Task:
    """Decide whether a text entails a statement."""
    return _super_glue("rte", RTE, rte_record, split)


def rte_record(row: dict[str, Any]) -> MCQRecord:
    """Map a row. The label is 0 if the text entails the statement."""
    return MCQRecord(
        question=f"{row['premise']}\n\nStatement: {row['hypothesis']}\n\nDoes the text entail the statement?",
        options=_YES_NO,
        correct=label_index(row, "label", ("0", "1")),
    )


@task
def wic(split: str = "validation") -> Task:
    """Decide whether a word has the same meaning in two sentences."""
    return _super_glue("wic", WIC, wic_record, split)


def wic_record(row: dict[str, Any]) -> MCQRecord:
    """Map a row. The label is 1 if the meaning is the same."""
    sentences = f"Sentence 1: {row['sentence1']}\nSentence 2: {row['sentence2']}"
    return MCQRecord(
        question=f'{sentences}\n\nDoes the word "{row["word"]}" have the same meaning in both sentences?',
        options=_YES_NO,
        correct=label_index(row, "label", ("1", "0")),
    )


def _super_glue(name: str, source: DatasetSource, mapping: Any, split: str) -> Task:
    labelled_split(name, split, labelled=("train", "validation"), unlabelled=("test",))
    return MCQEval(name=name, record_to_mcq_sample=mapping, **source.arguments(split=split))
