"""Tests on every row of the datasets; skipped without them.

The directory OPENBENCH_REAL_DATA contains `hub/<dataset>/<config>/<split>.jsonl`, and `raw/evalplus/` with
`HumanEvalPlus-OriginFmt.jsonl` and `MbppPlus-OriginFmt.jsonl`.
"""

import ast
import os
from pathlib import Path

import anyio
import pytest
from inspect_ai.scorer import CORRECT

from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.datasets.formats import parse_json
from openbench_code import cruxeval, humaneval, mbpp
from openbench_code.answers import read_program
from openbench_code.metadata import BENCHMARKS
from openbench_code.scorer import limits_of, score_program, unpack

LIMITS = limits_of(300, 4096)  # generous, for a busy machine
DIRECTORY = os.environ.get("OPENBENCH_REAL_DATA", "")


def real(path):
    file = Path(DIRECTORY) / path
    if not DIRECTORY or not file.exists():
        pytest.skip(f"OPENBENCH_REAL_DATA is not a directory with {path}")
    return file


def samples_of(task, directory):
    with bundled_rows(directory):
        return list(task().dataset)


async def run_tests(sample, completion):
    options = {key: sample.metadata[key] for key in ("entry_points", "start", "end") if key in sample.metadata}
    return await score_program(completion, unpack(sample.metadata["tests"]), limits=LIMITS, **options)


def score_all(pairs, score=run_tests):
    """Return the explanations of completions that do not score 1, by sample id."""
    failed = {}

    async def one(sample, completion):
        scored = await score(sample, completion)
        if scored.value != CORRECT:
            failed[sample.id] = scored.explanation

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
    for pairs in (whole, [(sample, body.strip()) for sample, body in bodies]):
        assert score_all(pairs) == {}
    for sample, body in bodies:  # the same program, however the answer is written
        for text in (body, f"Here it is:\n```\n{body}```\nIt works.", f"```python\n{body}"):
            program = read_program(text, entry_points=sample.metadata["entry_points"], start=sample.metadata["start"])
            assert ast.dump(ast.parse(program)) == ast.dump(ast.parse(sample.target)), text
    empty = [(sample, "    pass\n") for sample in samples]
    assert len(score_all(empty)) == len(samples)


def test_humaneval_plus():
    rows = parse_json(real("raw/evalplus/HumanEvalPlus-OriginFmt.jsonl").read_bytes(), "humaneval_plus")
    samples = list(load_samples(Rows("humaneval_plus", rows), humaneval.humaneval_plus_sample, name="humaneval_plus"))
    assert len(samples) == BENCHMARKS["humaneval_plus"].samples
    assert score_all([(sample, humaneval.reference(sample)) for sample in samples]) == {}


@pytest.mark.parametrize("config", ["full", "sanitized"])
@pytest.mark.parametrize("split", ["test", "train", "validation", "prompt"])
def test_mbpp(config, split):
    rows = parse_json(real(f"hub/google-research-datasets/mbpp/{config}/{split}.jsonl").read_bytes(), split)
    samples = list(load_samples(Rows(split, rows), mbpp.mbpp_sample, name="mbpp"))
    key = {"full": "mbpp", "sanitized": "mbpp_sanitized"}[config]
    assert split != "test" or len(samples) == BENCHMARKS[key].samples
    assert score_all([(sample, mbpp.reference(sample)) for sample in samples]) == {}


def test_mbpp_plus():
    rows = parse_json(real("raw/evalplus/MbppPlus-OriginFmt.jsonl").read_bytes(), "mbpp_plus")
    samples = list(load_samples(Rows("mbpp_plus", rows), mbpp.mbpp_plus_sample, name="mbpp_plus"))
    assert len(samples) == BENCHMARKS["mbpp_plus"].samples
    assert score_all([(sample, mbpp.reference(sample)) for sample in samples]) == {}


@pytest.mark.parametrize("what", ["input", "output"])
def test_cruxeval(what):
    key = f"cruxeval_{what}"
    samples = samples_of(getattr(cruxeval, key), real("hub/cruxeval-org/cruxeval/default/test.jsonl").parent)
    assert len(samples) == BENCHMARKS[key].samples

    async def predict(sample, completion):
        return await cruxeval.score_prediction(completion, what, sample.metadata, LIMITS)

    assert score_all([(sample, cruxeval.reference(sample)) for sample in samples], predict) == {}
