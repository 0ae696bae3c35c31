"""HRM8K: problems in Korean, from Korean contests and exams, and translated from four English datasets.

Ko et al. (2025), https://arxiv.org/abs/2501.02448
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Scorer, accuracy, stderr
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_configs
from openbench_korean.build import ANY
from openbench_korean.metadata import HRM8K, HRM8K_SUBSETS
from openbench_scorers.means import by_group, macro_average
from openbench_scorers.numeric import numeric
from openbench_scorers.selection import Selection, selected_names, selected_rows

PROMPT = """\
{question}

풀이 과정을 차례로 쓰고, 마지막에 최종 답을 {answer}로 \\boxed{{}} 안에 쓰세요."""

_CHOICE = "MMMLU"


@task
def hrm8k(subset: Selection = None) -> Task:
    """Solve 8,011 problems of GSM8K, MATH, Omni-MATH, MMMLU and Korean contests, with accuracy by subset.

    `macro` is the mean over the subsets.

    Args:
        subset: One or more of GSM8K, KSM, MATH, MMMLU and OMNI_MATH; all by default.

    Raises:
        UsageError: A subset does not exist.
    """
    option = "hrm8k: subset"
    chosen = selected_names(option, subset, HRM8K_SUBSETS)
    rows = selected_rows(read_configs(HRM8K, chosen, column="subset"), option, "subset", subset)
    return Task(
        name="hrm8k",
        dataset=load_samples(rows, hrm8k_sample, name="hrm8k"),
        solver=generate(),
        scorer=numbers(),
        metrics=[accuracy(), stderr(), by_group("subset"), macro_average("subset")],
    )


def hrm8k_sample(row: dict[str, Any]) -> Sample:
    """Map a row, whose answer is a number; for MMMLU it is the number of the correct option."""
    answer = "보기 번호" if row["subset"] == _CHOICE else "숫자"
    return Sample(
        input=PROMPT.format(question=row["question"].strip(), answer=answer),
        target=str(row["answer"]),
        metadata={"subset": row["subset"]},
    )


def reference(sample: Sample) -> str:
    """Return the reference completion of a sample."""
    return f"\\boxed{{{sample.target}}}"


def numbers() -> Scorer:
    """Return a scorer of the number in the last box, else the announced number, else the last one."""
    return numeric(["boxed", "announced", "last_number"], language=ANY)
