"""The SimpleQA task."""

from pathlib import Path
from typing import Literal, get_args

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench.errors import UsageError
from openbench_simpleqa.dataset import get_dataset
from openbench_simpleqa.prompt import GRADER_TEMPLATE, official_template
from openbench_simpleqa.scorer import Unreadable, simpleqa_scorer

Grader = Literal["ours", "official"]


@task
def simpleqa(
    grader_model: str | None = None,
    unreadable: Unreadable = "unscored",
    grader: Grader = "ours",
    grader_template: str | None = None,
) -> Task:
    """Ask the bare question, and have another model grade the answer.

    Args:
        grader_model: The grader; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        unreadable: What a grader's reply without a grade makes of a sample: `unscored` or `not_attempted`.
        grader: Whose prompt the grader gets: `ours`, or the `official` one, which is fetched once from its publication.
        grader_template: A file with another prompt for the grader.

    Raises:
        UsageError: `grader` is neither, both it and a template are given, or the template's file does not exist.
    """
    return Task(
        dataset=get_dataset(),
        solver=[generate()],
        scorer=simpleqa_scorer(grader_model, _template(grader, grader_template), unreadable),
        config=GenerateConfig(temperature=0.0),
        name="simpleqa",
    )


def _template(grader: Grader, file: str | None) -> str:
    if grader not in get_args(Grader):
        raise UsageError(f"grader={grader!r}: expected one of {', '.join(get_args(Grader))}.")
    if file is None:
        return official_template() if grader == "official" else GRADER_TEMPLATE
    if grader == "official":
        raise UsageError(f"grader=official and grader_template={file} are both given; give one of them.")
    template = Path(file)
    if not template.is_file():
        raise UsageError(f"grader_template={file}: there is no such file.")
    return template.read_text("utf-8")
