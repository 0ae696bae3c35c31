"""Every row of the datasets, where a directory with them is given.

OPENBENCH_REAL_DATA names a directory that holds `hub/<dataset>/<config>/<split>.jsonl`, `raw/agieval/math.jsonl` and
`raw/mgsm/mgsm_<language>.tsv`.
"""

import hashlib
import json
import os
from pathlib import Path

import pytest
from inspect_ai.scorer import CORRECT

from openbench.datasets import Rows, bundled_rows, load_samples
from openbench_math import contests, gsm, mgsm
from openbench_math.metadata import BENCHMARKS, MGSM_DIGESTS
from openbench_scorers.numeric import number_reader, score_numeric
from openbench_scorers.symbolic import score_symbolic

DIRECTORY = os.environ.get("OPENBENCH_REAL_DATA", "")


def real(path):
    file = Path(DIRECTORY) / path
    if not DIRECTORY or not file.exists():
        pytest.skip(f"OPENBENCH_REAL_DATA names no directory with {path}")
    return file


def rows(path):
    return [json.loads(line) for line in real(path).read_text("utf-8").split("\n") if line.strip()]


def number(completion, target):
    return score_numeric(completion, [target], read=number_reader(gsm.PLACES)).value


def test_gsm8k():
    directory = real("hub/openai/gsm8k/main")
    with bundled_rows(directory):
        samples = list(gsm.gsm8k().dataset)
    assert len(samples) == len({sample.id for sample in samples}) == BENCHMARKS["gsm8k"].samples
    for sample, row in zip(samples, rows("hub/openai/gsm8k/main/test.jsonl"), strict=True):
        assert row["question"] in sample.input
        for completion in (sample.target, f"Answer: ${sample.target}.", f"\\boxed{{{sample.target}}}", row["answer"]):
            assert number(completion, sample.target) == CORRECT, (row, completion)


def test_gsm_plus():
    directory = real("hub/qintongli/GSM-Plus/default")
    with bundled_rows(directory):
        samples = list(gsm.gsm_plus(split="testmini").dataset)
    answerable = [row for row in rows("hub/qintongli/GSM-Plus/default/testmini.jsonl") if row["answer"] != "None"]
    assert len(samples) == len(answerable) == 2_100
    for sample, row in zip(samples, answerable, strict=True):
        assert number(f"Answer: {sample.target}", sample.target) == CORRECT, row


@pytest.mark.parametrize("language", MGSM_DIGESTS)
def test_mgsm(language):
    file = real(f"raw/mgsm/mgsm_{language}.tsv")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == MGSM_DIGESTS[language]
    lines = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    assert len(lines) == 250
    for position, (question, answer) in enumerate(lines, start=1):
        row = {"question": question, "answer": answer, "language": language, "number": position}
        sample = mgsm.mgsm_sample(row)
        completion = f"{mgsm.WORDINGS[language].cue}: {answer}"
        assert mgsm.score_integer(completion, [sample.target]).value == CORRECT, row


def test_math():
    read = rows("hub/EleutherAI/hendrycks_math/test.jsonl")  # of all subjects, with the column `subject`
    samples = list(load_samples(Rows("math", read), contests.math_sample, name="math"))
    assert len(samples) == len({sample.id for sample in samples}) == BENCHMARKS["math"].samples
    for sample, row in zip(samples, read, strict=True):
        assert score_symbolic(contests.reference(sample), [sample.target]).value == CORRECT, row
    solved = [
        score_symbolic(row["solution"], [sample.target]).value == CORRECT
        for sample, row in zip(samples, read, strict=True)
    ]
    # One solution goes through a list that begins with "Question 1", which reads as a base model's next question.
    assert solved.count(False) == 1


def test_math_500():
    """The file that MATH-500's authors publish, by its digest."""
    file = real("hub/HuggingFaceH4/MATH-500/default/test.jsonl")
    digest = "35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132"
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest
    with bundled_rows(file.parent):
        samples = list(contests.math_500().dataset)
    assert len(samples) == len({sample.id for sample in samples}) == BENCHMARKS["math_500"].samples
    for sample, row in zip(samples, rows("hub/HuggingFaceH4/MATH-500/default/test.jsonl"), strict=True):
        for completion in (contests.reference(sample), row["solution"]):
            assert score_symbolic(completion, [sample.target]).value == CORRECT, (row, completion)


def test_aime_2024():
    with bundled_rows(real("hub/HuggingFaceH4/aime_2024/default")):
        samples = list(contests.aime_2024().dataset)
    assert len(samples) == BENCHMARKS["aime_2024"].samples
    for sample in samples:
        answer = int(sample.target)
        assert 0 <= answer <= 999
        for completion in (contests.reference(sample), f"the answer is {answer}."):
            read = number_reader(("boxed", "announced"))
            assert score_numeric(completion, [sample.target], read=read).value == CORRECT, completion


def test_math_of_agieval():
    """A thousand problems of MATH, whose answers AGIEval's authors took from the solutions."""
    for row in rows("raw/agieval/math.jsonl"):
        assert score_symbolic(row["other"]["solution"], [row["answer"]]).value == CORRECT, row
