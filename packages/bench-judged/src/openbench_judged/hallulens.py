"""HalluLens: factual questions from Wikipedia, and questions about things that do not exist.

To keep questions out of training data, its authors publish programs that generate new questions instead of rows; both
tasks read the output of these programs. Bang et al. (2025), https://arxiv.org/abs/2504.17550
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows
from openbench.metadata import DatasetSource
from openbench_judged.metadata import HALLULENS_QA, HALLULENS_REFUSAL
from openbench_judges.hallulens import hallulens_qa_scorer, hallulens_refusal_scorer
from openbench_judges.panel import IDEAL, Models

WAIVERS = {
    "metadata": "its authors publish programs that write new rows, and no rows that could be pinned",
    "letters": "its rows are a file that the user names",
}


@task
def hallulens_qa(
    rows: str = HALLULENS_QA.source, grader_model: Models = None, language: str = "en", allow_self_judge: bool = False
) -> Task:
    """Ask factual questions (PreciseWikiQA); answers are correct, hallucinated or refused.

    Args:
        rows: The file of questions written by `tasks/shortform/precise_wikiqa.py --do_generate_prompt`: JSON lines with
            `prompt`, `answer` and `reference`.
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        language: The language of the grader's prompt: `en` or `ko`.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    return Task(
        name="hallulens_qa",
        dataset=load_samples(read_rows(_file(HALLULENS_QA, rows)), qa_sample, name="hallulens_qa"),
        solver=generate(),
        scorer=hallulens_qa_scorer(grader_model, language, allow_self_judge),
    )


@task
def hallulens_refusal(
    rows: str = HALLULENS_REFUSAL.source,
    grader_model: Models = None,
    language: str = "en",
    allow_self_judge: bool = False,
) -> Task:
    """Ask about things that do not exist (NonExistentRefusal); an answer is right if it doubts their existence.

    Args:
        rows: The file of questions written by `tasks/refusal_test/` with `--do_generate_prompt`: CSV or JSON lines with
            `prompt`, `name` and `type`.
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        language: The language of the grader's prompt: `en` or `ko`.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    return Task(
        name="hallulens_refusal",
        dataset=load_samples(read_rows(_file(HALLULENS_REFUSAL, rows)), refusal_sample, name="hallulens_refusal"),
        solver=generate(),
        scorer=hallulens_refusal_scorer(grader_model, language, allow_self_judge),
    )


def qa_sample(row: dict[str, Any]) -> Sample:
    """Map a question, its answer, and the text that both are taken from."""
    metadata = {"reference": row["reference"], "title": row.get("title")}
    return Sample(input=row["prompt"], target=row["answer"], metadata=metadata)


def refusal_sample(row: dict[str, Any]) -> Sample:
    """Map a question about a name that does not exist."""
    return Sample(input=row["prompt"], metadata={"name": row["name"], "type": row.get("type") or row.get("type_")})


def reference(sample: Sample) -> str:
    """Return the correct answer, or the placeholder of an answer that doubts."""
    return (sample.target if isinstance(sample.target, str) else sample.target[0]) or IDEAL


def _file(source: DatasetSource, rows: str) -> DatasetSource:
    return replace(source, source=rows, type="csv" if Path(rows).suffix == ".csv" else "json")
