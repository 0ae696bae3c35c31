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
    """Answer exam questions in Arabic, with accuracy by subject group and by level.

    The questions about a text form a cluster.

    Args:
        subject: Subjects, as in `History` or `physics,biology`; all by default.
        level: Any of Primary, Middle, High, Univ and Prof; excludes questions without a level.
        group: Any of STEM, Social Science, Humanities, Language and Other; all by default.

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
    """Map a row: the question, after the text that it refers to, if any, and two to five options.

    Raises:
        ValueError: The label names an option that the row does not have.
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
