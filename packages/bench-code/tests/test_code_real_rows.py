"""Every row of the datasets, where a directory with them is given.

OPENBENCH_REAL_DATA names a directory that holds `hub/openai/openai_humaneval/openai_humaneval/test.jsonl`.
"""

import os
from pathlib import Path

import anyio
import pytest
from inspect_ai.scorer import CORRECT

from openbench.datasets import bundled_rows
from openbench_code import humaneval
from openbench_code.metadata import BENCHMARKS
from openbench_code.scorer import score_program

DIRECTORY = os.environ.get("OPENBENCH_REAL_DATA", "")


def real(path):
    file = Path(DIRECTORY) / path
    if not DIRECTORY or not file.exists():
        pytest.skip(f"OPENBENCH_REAL_DATA names no directory with {path}")
    return file


def samples_of(task, directory):
    with bundled_rows(directory):
        return list(task().dataset)


def score_all(pairs):
    """Return the ids of samples whose completion does not score 1."""
    failed = {}

    async def one(sample, completion):
        said = {
            key: sample.metadata[key] for key in ("tests", "entry_points", "start", "names") if key in sample.metadata
        }
        score = await score_program(completion, **said)
        if score.value != CORRECT:
            failed[sample.id] = score.explanation

    async def all_of_them():
        async with anyio.create_task_group() as group:
            for sample, completion in pairs:
                group.start_soon(one, sample, completion)

    anyio.run(all_of_them)
    return failed


def test_humaneval():
    samples = samples_of(humaneval.humaneval, real("hub/openai/openai_humaneval/openai_humaneval/test.jsonl").parent)
    assert len(samples) == BENCHMARKS["humaneval"].samples
    whole = [(sample, humaneval.reference(sample)) for sample in samples]
    bodies = [(sample, sample.target.removeprefix(sample.metadata["start"])) for sample in samples]
    fenced = [(sample, f"Here it is:\n```\n{body}```\nIt works.") for sample, body in bodies]
    stripped = [(sample, body.strip()) for sample, body in bodies]
    for pairs in (whole, bodies, fenced, stripped):
        assert score_all(pairs) == {}
    empty = [(sample, "    pass\n") for sample in samples]
    assert len(score_all(empty)) == len(samples)
