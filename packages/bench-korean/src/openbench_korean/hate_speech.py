"""Korean hate speech: comments on entertainment news that are hateful, offensive or neither.

Moon et al. (2020), BEEP!, https://aclanthology.org/2020.socialnlp-1.4
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import read_rows
from openbench.tasks.mcq import MCQSample
from openbench_korean.build import classification_task, lettered_prompt
from openbench_korean.metadata import HATE_SPEECH
from openbench_scorers.labels import label_index, target_letter

LABELS = ("hate", "offensive", "none")
_CLASSES = (
    "혐오 표현: 개인이나 집단을 적대하거나 사회적 특성을 이유로 깎아내린다",
    "공격적 표현: 혐오 표현에는 이르지 않지만 무례하거나 빈정거린다",
    "둘 다 아님",
)


@task
def korean_hate_speech() -> Task:
    """Classify comments, with macro F1 over the three classes, and accuracy."""
    return classification_task("korean_hate_speech", read_rows(HATE_SPEECH, delimiter="\t"), hate_speech_sample)


def hate_speech_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: a comment and its class."""
    return MCQSample(
        input=lettered_prompt(
            f"연예 뉴스에 달린 댓글입니다.\n\n{row['comments']}\n\n이 댓글은 어디에 속합니까?", _CLASSES
        ),
        target=target_letter(label_index(row, "hate", LABELS), _CLASSES),
        metadata={"bias": row["bias"]},
    )
