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
    """Ask the question alone, and grade the answer with another model.

    Args:
        grader_model: The grader; by default the model with the role `grader`, else `openai/gpt-4.1-2025-04-14`.
        unreadable: How to score a sample if the grader's reply has no grade: `unscored` or `not_attempted`.
        grader: The grader's prompt: `ours`, or `official` for the original's, which is downloaded once.
        grader_template: A file with another prompt for the grader.

    Raises:
        UsageError: `grader` has another value, is combined with `grader_template`, or the file does not exist.
    """
    template = choose_template(grader, grader_template, ours=GRADER_TEMPLATE, official=official_template)
    return Task(
        dataset=get_dataset(),
        solver=[generate()],
        scorer=simpleqa_scorer(grader_model, template, unreadable),
        config=GenerateConfig(temperature=0.0),
        name="simpleqa",
    )
