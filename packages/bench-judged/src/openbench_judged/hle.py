"""Humanity's Last Exam: closed questions at the frontier of many fields, with the confidence of each answer.

Phan et al. (2025), https://arxiv.org/abs/2501.14249
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows
from openbench_judged.metadata import HLE
from openbench_judges.hle import hle_grader
from openbench_judges.panel import Models

INSTRUCTION = """\
Answer in this form:
Explanation: how you come to your answer
Answer: your final answer, short and exact
Confidence: how sure you are that it is right, from 0% to 100%"""


@task
def hle(grader_model: Models = None, allow_self_judge: bool = False) -> Task:
    """Ask all questions, with their images.

    Args:
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    return _task("hle", grader_model, allow_self_judge=allow_self_judge, text_only=False)


@task
def hle_text(grader_model: Models = None, allow_self_judge: bool = False) -> Task:
    """Ask the questions without an image.

    Args:
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    return _task("hle_text", grader_model, allow_self_judge=allow_self_judge, text_only=True)


def reference(sample: Sample) -> str:
    """Return the correct answer, in the form that the instruction asks for."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"Explanation: it is known.\nAnswer: {target}\nConfidence: 100%"


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row, whose image is a data URI or empty."""
    content: list[Any] = [ContentText(text=row["question"])]
    if row["image"]:
        content.append(ContentImage(image=row["image"]))
    question = ChatMessageUser(content=content if row["image"] else row["question"])
    return Sample(
        id=row["id"],
        input=[ChatMessageSystem(content=INSTRUCTION), question],
        target=row["answer"],
        metadata={name: row[name] for name in ("answer_type", "category", "raw_subject")},
    )


def _task(name: str, grader_model: Models, *, allow_self_judge: bool, text_only: bool) -> Task:
    def mapped(row: dict[str, Any]) -> Sample | list[Sample]:
        return [] if text_only and row["image"] else record_to_sample(row)

    return Task(
        name=name,
        dataset=load_samples(read_rows(HLE), mapped, name=name),
        solver=generate(),
        scorer=hle_grader(grader_model, allow_self_judge=allow_self_judge),
    )
