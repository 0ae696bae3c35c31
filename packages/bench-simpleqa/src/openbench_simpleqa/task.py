"""The SimpleQA task."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench.errors import UsageError
from openbench_simpleqa.dataset import get_dataset
from openbench_simpleqa.prompt import GRADER_TEMPLATE
from openbench_simpleqa.scorer import Unreadable, simpleqa_scorer


@task
def simpleqa(
    grader_model: str | None = None, unreadable: Unreadable = "unscored", grader_template: str | None = None
) -> Task:
    """Ask the bare question, and have another model grade the answer.

    Args:
        grader_model: The grader; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        unreadable: What a grader's reply without a grade makes of a sample: `unscored` or `not_attempted`.
        grader_template: A file with another prompt for the grader.
    """
    template = GRADER_TEMPLATE if grader_template is None else _read(grader_template)
    return Task(
        dataset=get_dataset(),
        solver=[generate()],
        scorer=simpleqa_scorer(grader_model, template, unreadable),
        config=GenerateConfig(temperature=0.0),
        name="simpleqa",
    )


def _read(path: str) -> str:
    template = Path(path)
    if not template.is_file():
        raise UsageError(f"grader_template={path}: there is no such file.")
    return template.read_text("utf-8")
