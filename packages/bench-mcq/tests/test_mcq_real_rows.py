"""Every row of the datasets that can be had as files, where a directory with them is given.

OPENBENCH_REAL_DATA names a directory that holds `hub/<dataset>/<config>/<split>.jsonl` and
`raw/agieval/<set>.jsonl`.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.dataset import Sample

from openbench.scorers.mcq import read_options
from openbench.tasks.mcq import MCQEval, MCQSample
from openbench_mcq import agieval, truthfulqa
from openbench_mcq.metadata import BENCHMARKS

DIRECTORY = os.environ.get("OPENBENCH_REAL_DATA", "")


def real(path: str) -> Path:
    if not DIRECTORY:
        pytest.skip("OPENBENCH_REAL_DATA names no directory with real rows")
    file = Path(DIRECTORY) / path
    if not file.is_file():
        pytest.skip(f"OPENBENCH_REAL_DATA has no {path}")
    return file


def read(path: Path, mapping: Callable[..., MCQSample]) -> list[Sample]:
    task = MCQEval(name="real", dataset_type="json", dataset_path=str(path), record_to_mcq_sample=mapping)
    return list(task.dataset)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def test_truthfulqa() -> None:
    path = real("hub/truthfulqa/truthful_qa/multiple_choice/validation.jsonl")
    samples = read(path, truthfulqa.record_to_mcq_sample)
    assert len(samples) == BENCHMARKS["truthfulqa_mc1"].samples
    assert len({sample.id for sample in samples}) == len(samples)
    for sample, row in zip(samples, rows(path), strict=True):
        options = read_options(str(sample.input))
        assert sorted(options.values()) == sorted(row["mc1_targets"]["choices"])
        assert options[str(sample.target)] == row["mc1_targets"]["choices"][0]
    # 817 questions with 2 to 13 choices: about a quarter of the right ones is expected under A, not all.
    assert 0.15 < Counter(sample.target for sample in samples)["A"] / len(samples) < 0.35


@pytest.mark.parametrize("name", ["aqua_rat", "sat_math", "lsat_ar", "lsat_lr", "logiqa_en"])
def test_agieval(name: str) -> None:
    metadata = BENCHMARKS[f"agieval_{name}"]
    path = real(f"raw/agieval/{name.replace('_', '-')}.jsonl")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == metadata.dataset.sha256
    samples = read(path, agieval.record_to_mcq_sample)
    assert len(samples) == metadata.samples
    assert len({sample.id for sample in samples}) == len(samples)
    irregular = 0
    for sample, row in zip(samples, rows(path), strict=True):
        options = read_options(str(sample.input))
        assert sample.target == row["label"]
        assert len(options) == len(row["options"])
        printed = [option for option in row["options"] if option.startswith(f"({row['label']})")]
        if printed:
            assert options[str(sample.target)] == printed[0][3:].strip()
        positions = [f"({letter})" for letter in options]
        irregular += [option[:3] for option in row["options"]] != positions
    assert irregular == (28 if name == "logiqa_en" else 0)
