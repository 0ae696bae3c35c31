"""MMLU-Redux 2.0 (Gema et al., "Are We Done with MMLU?", arXiv:2406.04127)."""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_configs
from openbench.errors import UsageError
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench_mmlu import mmlu
from openbench_mmlu.metadata import MMLU_REDUX
from openbench_mmlu.selection import select_rows
from openbench_mmlu.settings import generation
from openbench_mmlu.subjects import choose_subjects


@task
def mmlu_redux(subjects: str | list[str] | None = None, keep: str = "ok", settings: str = "default") -> Task:
    """Answer the re-annotated questions of MMLU, 100 per subject, without those found to have errors.

    Args:
        subjects: Subjects or categories (stem, humanities, social_sciences, other); all by default.
        keep: `ok` for the questions without errors, or `all` for every question, scored by MMLU's answer key even
            where the annotators reject it.
        settings: `default`, or `upstream` for the settings of groq/openbench: temperature 0.5.

    Returns:
        A task that reports accuracy and its standard error, over all and by category and subject.

    Raises:
        UsageError: An argument is invalid.
        DataError: The rows cannot be loaded, or one does not match the schema.
    """
    if keep not in ("ok", "all"):
        raise UsageError(f"mmlu_redux: keep={keep!r} is invalid. Use 'ok' (questions without errors) or 'all'.")
    chosen = choose_subjects("mmlu_redux", subjects)
    rows = read_configs(MMLU_REDUX, chosen, column="subject")
    if subjects is not None:  # the included sample rows have all subjects
        rows = select_rows(rows, "subject", chosen)
    if keep == "ok":
        rows = select_rows(rows, "error_type", {"ok"})
    return mcq_task(
        name="mmlu_redux",
        dataset=load_samples(rows, record_to_mcq_sample, name="mmlu_redux"),
        group_keys=mmlu.GROUP_KEYS,
        config=generation("mmlu_redux", settings),
    )


def record_to_mcq_sample(record: dict[str, Any]) -> MCQSample:
    """Map a row; the metadata include the annotators' `error_type`."""
    sample = mmlu.record_to_mcq_sample(record)
    sample.metadata = {**(sample.metadata or {}), "error_type": record["error_type"]}
    return sample
