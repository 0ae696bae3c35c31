"""MT-Bench: two-turn open questions, rated from 1 to 10, or compared with a rival's answers in both orders.

Zheng et al. (2023), https://arxiv.org/abs/2306.05685
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench.errors import DataError, UsageError
from openbench_judged.metadata import MT_BENCH, MT_BENCH_REFERENCES
from openbench_judges.mt_bench import mtbench_pair_scorer, mtbench_scorer, mtbench_solver
from openbench_judges.panel import IDEAL, Models
from openbench_scorers.attempts import PromptSource

Answers = Mapping[int, Sequence[str]]
"""Answers by the question's id, one for each turn."""


@task
def mt_bench(grader_model: Models = None, prompts: PromptSource = "ours", allow_self_judge: bool = False) -> Task:
    """Rate both turns of each conversation.

    Args:
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        prompts: The grader's prompts: `ours`, or the `official` ones, which are downloaded once.
        allow_self_judge: Whether the evaluated model may be the grader.
    """
    references = _answers(read_rows(MT_BENCH_REFERENCES).rows)
    return Task(
        name="mt_bench",
        dataset=load_samples(read_rows(MT_BENCH), _mapping(references), name="mt_bench"),
        solver=mtbench_solver(),
        scorer=mtbench_scorer(grader_model, prompts=prompts, allow_self_judge=allow_self_judge),
    )


@task
def mt_bench_pair(
    rival: str | None = None,
    grader_model: Models = None,
    prompts: PromptSource = "ours",
    allow_self_judge: bool = False,
) -> Task:
    """Compare both turns with a rival's, in both orders.

    Args:
        rival: A file with the rival's answers in FastChat's format (`model_answer/….jsonl`). By default, they
            are GPT-4's to the 30 questions in reasoning, math and coding, which then are not shown as references.
        grader_model: The grader, or several; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.
        prompts: The grader's prompts: `ours`, or the `official` ones, which are downloaded once.
        allow_self_judge: Whether the evaluated model may be the grader.

    Raises:
        UsageError: The file does not exist.
        DataError: The file has another format, or lacks a question.
    """
    published = _answers(read_rows(MT_BENCH_REFERENCES).rows)
    rivals = published if rival is None else _read_answers(Path(rival))
    rows = read_rows(MT_BENCH)
    references = {} if rival is None else published

    def mapped(row: dict[str, Any]) -> Sample | list[Sample]:
        if row["question_id"] not in rivals:
            if rival is None:
                return []
            raise ValueError(f"{rival} has no answer to question {row['question_id']}")
        return _mapping(references, rivals)(row)

    return Task(
        name="mt_bench_pair",
        dataset=load_samples(rows, mapped, name="mt_bench_pair"),
        solver=mtbench_solver(),
        scorer=mtbench_pair_scorer(grader_model, prompts=prompts, allow_self_judge=allow_self_judge),
    )


def reference(sample: Sample) -> str:
    """Return the reference answer to the first question, or the placeholder of the ideal answer."""
    return (sample.target if isinstance(sample.target, str) else sample.target[0]) or IDEAL


def _mapping(references: Answers, rivals: Answers | None = None) -> Callable[[dict[str, Any]], Sample]:
    def record_to_sample(row: dict[str, Any]) -> Sample:
        number = row["question_id"]
        given = list(references.get(number, ()))
        metadata: dict[str, Any] = {"category": row["category"], "turns": row["turns"]}
        metadata |= {"reference": given} if given else {}
        metadata |= {"rival": list(rivals[number])} if rivals else {}
        return Sample(id=number, input=row["turns"][0], target=given or "", metadata=metadata)

    return record_to_sample


def _answers(rows: Sequence[Mapping[str, Any]]) -> dict[int, Sequence[str]]:
    return {row["question_id"]: row["choices"][0]["turns"] for row in rows}


def _read_answers(file: Path) -> Answers:
    if not file.is_file():
        raise UsageError(f"rival={file}: the file does not exist.")
    try:
        return _answers([json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()])
    except (ValueError, LookupError, TypeError) as error:
        raise DataError(
            f"{file} is not in FastChat's format of answers, lines of JSON with question_id and choices[0].turns: "
            f"{type(error).__name__}: {error}"
        ) from error
