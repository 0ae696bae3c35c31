"""Competition problems: MATH and MATH-500, and contests of 2024 to 2026.

Hendrycks et al. (2021), https://arxiv.org/abs/2103.03874; Lightman et al. (2023), https://arxiv.org/abs/2305.20050;
Balunović et al. (2025), https://arxiv.org/abs/2505.23281
"""

from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import read_configs, read_rows
from openbench.errors import UsageError
from openbench_math.build import ATTEMPTS, BOXED_PROMPT, INTEGER_PROMPT, boxed_reference, math_task
from openbench_math.metadata import AIME_2024, AIME_2025, AIME_2026, BRUMO_2025, HMMT_FEB_2025, MATH, MATH_500
from openbench_scorers.boxes import last_boxed
from openbench_scorers.numeric import numeric
from openbench_scorers.symbolic import symbolic

SUBJECTS = (
    "algebra",
    "counting_and_probability",
    "geometry",
    "intermediate_algebra",
    "number_theory",
    "prealgebra",
    "precalculus",
)
LEVELS = (1, 2, 3, 4, 5)

reference = boxed_reference


@task
def math(subject: str | None = None, level: int | None = None) -> Task:
    """MATH: 5,000 competition problems, optionally of one subject or level."""
    if subject not in (None, *SUBJECTS):
        raise UsageError(f"math: the subject {subject!r} does not exist. Subjects: {', '.join(SUBJECTS)}.")
    if level not in (None, *LEVELS):
        raise UsageError(f"math: the level {level!r} does not exist. Levels: 1 to 5.")

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        sample = math_sample(row)
        metadata = sample.metadata or {}
        wanted = subject in (None, metadata["subject"]) and level in (None, metadata["level"])
        return [sample] if wanted else []

    rows = read_configs(MATH, [subject] if subject else SUBJECTS, column="subject")
    return math_task("math", rows, to_samples, symbolic(), groups=["subject", "level"])


def math_sample(row: dict[str, Any]) -> Sample:
    """Map a row. The last box of the solution holds the answer. The level reads `Level 3`, or `Level ?` in two rows."""
    answer = last_boxed(row["solution"])
    if answer is None:
        raise ValueError(f"solution: no \\boxed in {row['solution'][:60]!r}")
    digit = row["level"].rpartition(" ")[2]
    return Sample(
        input=BOXED_PROMPT.format(question=row["problem"]),
        target=answer,
        metadata={"subject": row["subject"], "level": int(digit) if digit.isdigit() else digit},
    )


@task
def math_500() -> Task:
    """MATH-500: a representative sample of 500 problems of MATH's test set."""
    return math_task("math_500", read_rows(MATH_500), math_500_sample, symbolic(), groups=["subject", "level"])


def math_500_sample(row: dict[str, Any]) -> Sample:
    """Map a row with its answer and its position in MATH."""
    return Sample(
        id=row["unique_id"],
        input=BOXED_PROMPT.format(question=row["problem"]),
        target=row["answer"],
        metadata={"subject": row["subject"], "level": row["level"]},
    )


@task
def aime_2024() -> Task:
    """AIME 2024: both exams of the year."""
    return math_task("aime_2024", read_rows(AIME_2024), contest_sample(INTEGER_PROMPT), _integer(), attempts=ATTEMPTS)


@task
def aime_2025() -> Task:
    """AIME 2025: both exams of the year."""
    return math_task("aime_2025", read_rows(AIME_2025), contest_sample(INTEGER_PROMPT), _integer(), attempts=ATTEMPTS)


@task
def aime_2026() -> Task:
    """AIME 2026: both exams of the year."""
    return math_task("aime_2026", read_rows(AIME_2026), contest_sample(INTEGER_PROMPT), _integer(), attempts=ATTEMPTS)


@task
def hmmt_feb_2025() -> Task:
    """HMMT February 2025: problems from the Harvard-MIT Mathematics Tournament."""
    rows = read_rows(HMMT_FEB_2025)
    return math_task("hmmt_feb_2025", rows, contest_sample(BOXED_PROMPT), symbolic(), attempts=ATTEMPTS)


@task
def brumo_2025() -> Task:
    """BRUMO 2025: problems from the Brown University Math Olympiad."""
    rows = read_rows(BRUMO_2025)
    return math_task("brumo_2025", rows, contest_sample(BOXED_PROMPT), symbolic(), attempts=ATTEMPTS)


def contest_sample(prompt: str) -> Callable[[dict[str, Any]], Sample]:
    """Return the mapping for rows with a `problem` and an `answer`, which may be a number or a string."""

    def to_sample(row: dict[str, Any]) -> Sample:
        return Sample(input=prompt.format(question=row["problem"]), target=str(row["answer"]).strip())

    return to_sample


def _integer() -> Any:
    # Without "last_number": in a truncated completion, that is a number from the middle of the reasoning.
    return numeric(("boxed", "announced"))
