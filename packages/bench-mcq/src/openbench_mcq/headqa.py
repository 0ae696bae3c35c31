"""HEAD-QA: exams for specialised posts in the Spanish health care system, in Spanish and in English.

Vilares and Gómez-Rodríguez (2019), https://arxiv.org/abs/1906.04701
"""

from dataclasses import replace
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_configs
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench_mcq.metadata.exams import HEADQA, HEADQA_LANGUAGES
from openbench_mcq.native import ANY, native_prompt
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.means import clustered_stderr
from openbench_scorers.selection import Selection, labelled_split, selected_names, selected_rows


@task
def headqa(language: Selection = None, split: str = "test") -> Task:
    """Answer exam questions in six fields of health care, with accuracy by language and category.

    Results for the two versions of a question are correlated: `clustered_stderr` counts them as one cluster.

    Args:
        language: `en` or `es`; both by default.
        split: The split to evaluate: train, validation or test.

    Raises:
        UsageError: The language or split does not exist.
    """
    labelled_split("headqa", split, labelled=("train", "validation", "test"))
    option = "headqa: language"
    chosen = selected_names(option, language, HEADQA_LANGUAGES)
    rows = selected_rows(
        read_configs(replace(HEADQA, split=split), chosen, column="language"), option, "language", language
    )
    return mcq_task(
        name="headqa",
        dataset=load_samples(rows, headqa_samples, name="headqa"),
        group_keys=["language", "category"],
        additional_metrics=[clustered_stderr("question")],
        language=ANY,
    )


def headqa_samples(row: dict[str, Any]) -> list[MCQSample]:
    """Map a row. Questions about an image are left out, since the prompt is text only."""
    if row.get("image"):
        return []
    answers, language = row["answers"], row["language"]
    question = f"{row['name']}/{row['qid']}"
    options = [answer["atext"] for answer in answers]
    sample = MCQSample(
        input=native_prompt(language, row["qtext"], options),
        target=target_letter(label_index(row, "ra", [str(answer["aid"]) for answer in answers]), options),
        id=f"{language}/{question}",
        metadata={"language": language, "question": question, "category": row["category"]},
    )
    return [sample]
