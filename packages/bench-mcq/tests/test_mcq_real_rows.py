"""Every row of the datasets that are available as files, if a directory with them is given.

OPENBENCH_REAL_DATA names a directory that contains `hub/<dataset>/<config>/<split>.jsonl` and
`raw/agieval/<set>.jsonl`. The configurations of a family are in one file, with a column that names them.
"""

# ruff: noqa: RUF001 -- Chinese punctuation

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT

from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.scorers.mcq import read_options, score_mcq
from openbench.tasks.mcq import MCQEval, MCQSample
from openbench_mcq import agieval, truthfulqa
from openbench_mcq.metadata import BENCHMARKS
from openbench_mcq.metadata.exams import AGIEVAL

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
    # 817 questions with 2 to 13 choices: about a quarter of the targets is expected to be A, not all.
    assert 0.15 < Counter(sample.target for sample in samples)["A"] / len(samples) < 0.35


@pytest.mark.parametrize(
    ("key", "folder", "count"),
    [
        ("arabic_exams", "MBZUAI/ArabicMMLU/All", 2487),
        ("headqa", "EleutherAI/headqa/both", 5350),
        ("medxpertqa", "TsinghuaC3I/MedXpertQA/Text", 438),
    ],
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
    # No letter is the target much more often than the others.
    most = max(Counter(str(sample.target) for sample in samples).values())
    assert most / len(samples) < 1.6 / len(options)


@pytest.mark.parametrize("key", AGIEVAL)
def test_agieval(key: str) -> None:
    exam = AGIEVAL[key]
    path = real(f"raw/agieval/{exam.file}.jsonl")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == exam.sha256
    assert len(rows(path)) == exam.rows
    if key == "agieval_gaokao_mathqa":
        samples = list(load_samples(Rows("real", rows(path)), agieval.multi_answer_sample, name="real"))
        assert sum(len(str(sample.target)) > 1 for sample in samples) == 7
    else:
        samples = read(path, partial(agieval.record_to_mcq_sample, language=exam.language))
    assert len(samples) == len({sample.id for sample in samples}) == BENCHMARKS[key].samples
    used = [row for row in rows(path) if all(agieval.options_by_letter(row["options"]))]
    for sample, row in zip(samples, used, strict=True):
        options, label = read_options(str(sample.input)), "".join(row["label"]).replace(" ", "")
        assert str(sample.target).replace(", ", "") == label
        assert len(options) == len(row["options"])
        assert agieval.score_letters(f"答案：{sample.target}", str(sample.target), options).value == CORRECT
        printed = [option for option in row["options"] if option.startswith(f"({label})")]
        if printed:
            assert options[label] == "\n".join(filter(str.strip, printed[0][3:].strip().split("\n")))
