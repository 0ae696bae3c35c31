"""SimpleQA Verified: 1,000 questions of SimpleQA with re-checked answers, graded by a model.

Haas et al. (2025), https://arxiv.org/abs/2509.07968
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows, read_text
from openbench_qa.metadata import SIMPLEQA_VERIFIED, SIMPLEQA_VERIFIED_GRADER
from openbench_scorers.attempts import PromptSource, Unreadable, attempts, choose_template

GRADER_TEMPLATE = """
You grade an answer to a question of fact by comparing it with the reference answer. Give one of three grades.

A: CORRECT
- The answer commits itself to everything that is essential in the reference answer, and nothing in it contradicts the
  reference. Candidates that it weighs before do no harm.
- Only meaning counts: letter case, punctuation, word order, spelling slips in names, and other ways to write the same
  name, date or number are no faults.
- More than the reference says, or a correction of the question, is fine as long as nothing contradicts the reference.
- Where the reference gives a range in which a number may be, a number in that range is correct.
- What the question makes plain need not be repeated, and what the reference says beyond the question need not be said.

B: INCORRECT
- The answer commits itself, if with doubt, to something that contradicts the reference answer, such as a number outside
  of its range.

C: NOT_ATTEMPTED
- The essential fact is missing, and nothing contradicts the reference: the answer declines, says that it does not know,
  asks back, or gives only part of what was asked.
- Several answers are offered, and none of them is chosen.
- A number is given so vaguely ("more than 50,000", "around 100,000") that it neither meets nor contradicts the range.

Question: {question}
Reference answer: {target}
Answer to grade: {answer}

Do not correct the answer and do not answer the question yourself. Reply with the letter A, B or C alone.
""".strip()


@task
def simpleqa_verified(
    grader_model: str | None = None,
    unreadable: Unreadable = "unscored",
    grader: PromptSource = "ours",
    grader_template: str | None = None,
) -> Task:
    """Ask the question alone, and grade the answer with another model.

    Args:
        grader_model: The grader; by default the model with the role `grader`, else `openai/gpt-4.1-2025-04-14`.
        unreadable: How to score a sample if the grader's reply has no grade: `unscored` or `not_attempted`.
        grader: The grader's prompt: `ours`, or `official` for the paper's, which is downloaded once.
        grader_template: A file with another prompt for the grader.

    Raises:
        UsageError: `grader` has another value, is combined with `grader_template`, or the file does not exist.
    """
    template = choose_template(grader, grader_template, ours=GRADER_TEMPLATE, official=official_template)
    return Task(
        name="simpleqa_verified",
        dataset=load_samples(read_rows(SIMPLEQA_VERIFIED), simpleqa_verified_sample, name="simpleqa_verified"),
        solver=generate(),
        scorer=attempts(template, grader_model, unreadable),
        config=GenerateConfig(temperature=0.0),
    )


def simpleqa_verified_sample(row: dict[str, Any]) -> Sample:
    """Map a row. If the answer is a number, its text also gives the range of accepted numbers."""
    names = ("topic", "answer_type", "multi_step", "requires_reasoning")
    return Sample(
        id=row["original_index"],
        input=row["problem"],
        target=row["answer"],
        metadata={name: row[name] for name in names},
    )


def official_template() -> str:
    """Return the paper's prompt, with the fields `question`, `target` and `predicted_answer`."""
    return read_text(SIMPLEQA_VERIFIED_GRADER, variable="GRADER_TEMPLATE")
