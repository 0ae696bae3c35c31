"""ArabicMMLU: school and professional exams of Arab countries, in Arabic.

Koto et al. (2024), https://arxiv.org/abs/2402.12840
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_rows
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench_mcq.metadata.entry import AS_WRITTEN
from openbench_mcq.metadata.multilingual import ARABIC_EXAMS
from openbench_mcq.native import ANY, native_prompt
from openbench_mcq.passages import by_passage, passage_key
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, selected_rows

ARABIC = "ar"
_LABELS = ("A", "B", "C", "D", "E")


@task
def arabic_exams(subject: Selection = None, level: Selection = None, group: Selection = None) -> Task:
    """Answer questions of exams in Arabic, with accuracy by group of subjects and by level.

    The questions about a text are a cluster.

    Args:
        subject: Some of the subjects, as in `History` or `physics,biology`.
        level: Some of the levels Primary, Middle, High, Univ and Prof; questions without one are left out.
        group: Some of STEM, Social Science, Humanities, Language and Other.

    Raises:
        UsageError: No question has one of the values.
    """
    rows = read_rows(ARABIC_EXAMS, **AS_WRITTEN)
    for column, wanted in {"Subject": subject, "Level": level, "Group": group}.items():
        rows = selected_rows(rows, f"arabic_exams: {column.lower()}", column, wanted)
    return mcq_task(
        name="arabic_exams",
        dataset=load_samples(rows, record_to_mcq_sample, name="arabic_exams"),
        group_keys=["group", "level"],
        additional_metrics=by_passage(),
        language=ANY,
    )


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: a text to which the question refers, if there is one, and two to five options.

    Raises:
        ValueError: The label is that of an option which the row does not have.
    """
    texts = {label: _text(row[f"Option {number}"]) for number, label in enumerate(_LABELS, start=1)}
    offered = [label for label, text in texts.items() if text]
    options = [texts[label] for label in offered]
    context = _text(row["Context"])
    question = f"{context}\n\n{row['Question']}" if context else row["Question"]
    return MCQSample(
        input=native_prompt(ARABIC, question, options),
        target=target_letter(label_index(row, "Answer Key", offered), options),
        metadata={
            "group": row["Group"],
            "subject": row["Subject"],
            "level": _text(row["Level"]) or "no level",
            "country": _text(row["Country"]) or "no country",
            **passage_key(context),
        },
    )


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
