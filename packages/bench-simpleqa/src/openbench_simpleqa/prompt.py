"""The grader's prompt: ours, or the original's, which is downloaded from its repository."""

from openbench.datasets import read_text
from openbench.metadata import DatasetSource
from openbench_scorers.attempts import GRADES

__all__ = ["GRADER_TEMPLATE", "GRADES", "OFFICIAL", "official_template"]

OFFICIAL = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/openai/simple-evals/ee3b0318d8d1d9d72755a4120879be65f7c07e9e/"
        "simpleqa_eval.py"
    ),
    type="text",
    sha256="d61a8f97132b29f6fe5d264dd9d619407ea14421525827fabd4cc21162e35c29",
    licence="MIT",
)

GRADER_TEMPLATE = """
You grade an answer to a question of fact by comparing it with the reference answer. Give one of three grades.

A: CORRECT
- The answer states everything that is essential in the reference answer, and nothing in it contradicts the reference.
- Only meaning counts: letter case, punctuation, word order, spelling slips in names, and other ways to write the same
  name, date or number are no faults.
- More detail than the reference gives is fine as long as it does not contradict the reference.
- Doubt is fine if the essential fact is stated all the same ("I believe it was 1969").
- A number must agree with the reference to its last significant digit. For the reference "120k", "120,000" and
  "about 119.6 thousand" are correct; "100k" is not.
- What the question makes plain need not be repeated: for "In which city was she born?", "Lyon" answers the
  reference "Lyon, France".

B: INCORRECT
- Some statement of the answer contradicts the reference answer, even one that is hedged ("it may have been Rome, but
  check that").
- Several answers are offered to choose from, and not all of them agree with the reference.

C: NOT_ATTEMPTED
- The essential fact is missing, and nothing contradicts the reference: the answer declines, says that it does not know,
  asks back, or gives only part of what was asked.

Question: {question}
Reference answer: {target}
Answer to grade: {answer}

Do not correct the answer and do not answer the question yourself. Reply with the letter A, B or C alone.
""".strip()


def official_template() -> str:
    """Return the original's prompt, with the fields `question`, `target` and `predicted_answer`."""
    return read_text(OFFICIAL, variable="GRADER_TEMPLATE")
