"""Every row of the files that can be had, where OPENBENCH_REAL_DATA names a directory that holds `raw/bfcl/`."""

import json
import os
from pathlib import Path

import pytest
from inspect_ai.tool import ToolDef

from openbench_tools.bfcl import record_to_sample
from openbench_tools.calls import parse_calls
from openbench_tools.scorer import score_calls
from openbench_tools.solvers import offered_tools

DIRECTORY = os.environ.get("OPENBENCH_REAL_DATA", "")


@pytest.mark.parametrize(("category", "count"), [("simple_python", 400), ("multiple", 200), ("parallel", 200)])
def test_references_are_right(category, count):
    file = Path(DIRECTORY) / "raw/bfcl" / f"BFCL_v4_{category}.json"
    if not DIRECTORY or not file.is_file():
        pytest.skip("OPENBENCH_REAL_DATA names no directory with raw/bfcl")
    answers = (file.parent / "possible_answer" / file.name).read_text("utf-8").splitlines()
    samples = [
        record_to_sample({**json.loads(row), **json.loads(answer), "category": category})
        for row, answer in zip(file.read_text("utf-8").splitlines(), answers, strict=True)
    ]
    assert len(samples) == count
    for sample in samples:
        functions, accepted = sample.metadata["tools"], sample.metadata["ground_truth"]
        assert score_calls(parse_calls(sample.target), category, functions, accepted)[0], sample.id
        assert len([ToolDef(each) for each in offered_tools(functions)]) == len(functions)
