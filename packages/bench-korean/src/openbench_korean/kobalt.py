"""KoBALT-700: 700 questions on linguistics with ten options, in five classes of phenomena.

Shin et al. (2025), https://arxiv.org/abs/2505.16125
"""

import re
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import read_rows
from openbench.tasks.mcq import MCQSample
from openbench_korean.build import lettered_prompt, lettered_task
from openbench_korean.metadata import KOBALT
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, selected_rows

LETTERS = "ABCDEFGHIJ"
_OPTION = re.compile(r"^[ \t]*([A-J])[ \t]*[:.)][ \t]*", re.MULTILINE)


@task
def ko_balt_700(subset: Selection = None) -> Task:
    """Answer questions about syntax, semantics, pragmatics, morphology and phonology, with accuracy by class and level.

    Args:
        subset: Classes, such as `syntax` or `syntax,semantics`; all by default.

    Raises:
        UsageError: A class does not exist.
    """
    return _task("ko_balt_700", subset)


@task
def ko_balt_700_syntax() -> Task:
    """Answer the questions of KoBALT-700 about syntax."""
    return _task("ko_balt_700_syntax", "Syntax")


@task
def ko_balt_700_semantic() -> Task:
    """Answer the questions of KoBALT-700 about semantics."""
    return _task("ko_balt_700_semantic", "Semantics")


def kobalt_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row, whose question ends with ten options, each on its own lines after its letter.

    Speakers in dialogues are also called A and B, so the last ten lines that begin with a letter are the options.

    Raises:
        ValueError: The letters of these lines are not A to J.
    """
    text = row["Question"]
    marks = list(_OPTION.finditer(text))[-len(LETTERS) :]
    if "".join(mark[1] for mark in marks) != LETTERS:
        raise ValueError(f"Question: expected ten options, A to J, at its end: {text[-200:]!r}")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    options = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    return MCQSample(
        id=row["ID"],
        input=lettered_prompt(text[: marks[0].start()].strip(), options),
        target=target_letter(label_index(row, "Answer", LETTERS), options),
        metadata={"class": row["Class"], "subclass": row["Subclass"], "level": f"level_{row['Level']}"},
    )


def _task(name: str, subset: Selection) -> Task:
    rows = selected_rows(read_rows(KOBALT), f"{name}: subset", "Class", subset)
    return lettered_task(name, rows, kobalt_sample, groups=["class", "level"])
