"""The SimpleQA task."""

from inspect_ai import Task, task
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench_scorers.attempts import PromptSource, choose_template
from openbench_simpleqa.dataset import get_dataset
from openbench_simpleqa.prompt import GRADER_TEMPLATE, official_template
from openbench_simpleqa.scorer import Unreadable, simpleqa_scorer


@task
def simpleqa(
    grader_model: str | None = None,
    unreadable: Unreadable = "unscored",
    grader: PromptSource = "ours",
    grader_template: str | None = None,
) -> Task:
    """Ask the bare question, and have another model grade the answer.

    Args:
        grader_model: The grader; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        unreadable: What a grader's reply without a grade makes of a sample: `unscored` or `not_attempted`.
        grader: The prompt of the grader: `ours`, or the `official` one, which is downloaded once from its publication.
        grader_template: A file with another prompt for the grader.

    Raises:
        UsageError: `grader` is neither, both it and a template are given, or the template's file does not exist.
    """
    template = choose_template(grader, grader_template, ours=GRADER_TEMPLATE, official=official_template)
    return Task(
        dataset=get_dataset(),
        solver=[generate()],
        scorer=simpleqa_scorer(grader_model, template, unreadable),
        config=GenerateConfig(temperature=0.0),
        name="simpleqa",
    )
