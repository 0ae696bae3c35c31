"""Every row of the datasets that can be had as files, where a directory with them is given.

OPENBENCH_REAL_DATA names a directory that holds `hub/<dataset>/<config>/<split>.jsonl` and
`raw/agieval/<set>.jsonl`; of a family, the configurations in one file, with the column that names them.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT

from openbench.datasets import bundled_rows
from openbench.scorers.mcq import read_options, score_mcq
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


@pytest.mark.parametrize(
    ("key", "folder", "count"),
    [("medxpertqa", "TsinghuaC3I/MedXpertQA/Text", 438), ("headqa", "EleutherAI/headqa/both", 5350)],
)
def test_rows_of_the_hub(key: str, folder: str, count: int) -> None:
    metadata = BENCHMARKS[key]
    path = real(f"hub/{folder}/{metadata.dataset.split}.jsonl")
    assert len(rows(path)) == metadata.dataset.verified
    function = getattr(import_module(metadata.module_path), metadata.function_name)
    with bundled_rows(path.parent):
        samples = list(function().dataset)
    assert len(samples) == len({sample.id for sample in samples}) == count
    for sample in samples:
        options = read_options(str(sample.input))
        assert score_mcq(f"Answer: {sample.target}", str(sample.target), options).value == CORRECT
    # No letter is right much more often than the others.
    most = max(Counter(str(sample.target) for sample in samples).values())
    assert most / len(samples) < 1.5 / len(options)


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
