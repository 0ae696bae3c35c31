"""Tests on every row of the datasets; skipped without them.

The directory OPENBENCH_REAL_DATA contains `hub/<dataset>/<config>/<split>.jsonl` and `raw/ifbench/IFBench_test.jsonl`.
"""

import json
import os
from pathlib import Path

import pytest

from openbench.datasets import Rows, load_samples
from openbench_instruct import ifbench_checkers
from openbench_instruct.ifeval_checkers import FAITHFUL, FIXED
from openbench_instruct.instructions import followed
from openbench_instruct.metadata import BENCHMARKS
from openbench_instruct.prompts import record_to_sample

DIRECTORY = os.environ.get("OPENBENCH_REAL_DATA", "")


def real(path):
    if not DIRECTORY:
        pytest.skip("OPENBENCH_REAL_DATA is not set")
    file = Path(DIRECTORY) / path
    if not file.is_file():
        pytest.skip(f"OPENBENCH_REAL_DATA has no {path}")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def test_ifeval():
    samples = load_samples(
        Rows("real", real("hub/google/IFEval/default/train.jsonl")),
        lambda row: record_to_sample(row, "ifeval"),
        name="ifeval",
    )
    assert len(samples) == BENCHMARKS["ifeval"].samples
    asked = [instruction for sample in samples for instruction in sample.metadata["instructions"]]
    assert len(asked) == 834
    assert {instruction["id"] for instruction in asked} == set(FAITHFUL)
    for checkers in (FAITHFUL, FIXED):
        assert {*followed("Hello, world. *Bye*", asked, checkers, loose=True)} == {True, False}


def test_ifbench():
    rows = real("raw/ifbench/IFBench_test.jsonl")
    samples = load_samples(Rows("real", rows), lambda row: record_to_sample(row, "ifbench"), name="ifbench")
    assert len(samples) == BENCHMARKS["ifbench"].samples
    asked = [instruction for sample in samples for instruction in sample.metadata["instructions"]]
    assert {instruction["id"] for instruction in asked} == set(ifbench_checkers.FAITHFUL)
    followed("Hello, world. *Bye*", asked, ifbench_checkers.FIXED, loose=True)
