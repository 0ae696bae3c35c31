"""The mapping, run over every row of MMLU where somebody has them."""

import os
from collections import Counter
from pathlib import Path

import pytest

from openbench.baselines.reference import default_reference
from openbench.datasets import bundled_rows
from openbench.scorers.mcq import read_options, score_mcq
from openbench_mmlu.mmlu import mmlu
from openbench_mmlu.subjects import CATEGORIES, SUBJECTS

ROWS = Path(os.environ.get("OPENBENCH_REAL_DATA", "")) / "hub" / "cais" / "mmlu" / "all"

pytestmark = pytest.mark.skipif(
    not os.environ.get("OPENBENCH_REAL_DATA"),
    reason="OPENBENCH_REAL_DATA names no folder with hub/cais/mmlu/all/{test,dev}.jsonl",
)


def real_samples(**arguments):
    with bundled_rows(ROWS):
        return list(mmlu(**arguments).dataset)


def test_every_row_becomes_a_sample_that_its_reference_answers():
    samples = real_samples()
    assert len(samples) == len({sample.id for sample in samples}) == 14_042
    for sample in samples:
        options = read_options(sample.input)
        assert list(options) == ["A", "B", "C", "D"], sample.input
        assert score_mcq(default_reference(sample), sample.target, options).value == "C", sample.input


def test_subjects_and_categories_have_their_known_sizes():
    samples = real_samples()
    subjects = Counter(sample.metadata["subject"] for sample in samples)
    assert set(subjects) == set(SUBJECTS)
    assert subjects["professional_law"] == 1_534
    assert subjects["moral_scenarios"] == 895
    assert subjects["miscellaneous"] == 783
    assert subjects["anatomy"] == 135
    assert subjects["abstract_algebra"] == 100
    assert Counter(sample.metadata["category"] for sample in samples) == {
        "stem": 3_018,
        "humanities": 4_705,
        "social_sciences": 3_077,
        "other": 3_242,
    }


def test_examples_are_the_same_for_a_subject_and_never_the_question():
    examples = {}
    for plain, shown in zip(real_samples(), real_samples(fewshot=5), strict=True):
        assert shown.input.endswith(plain.input)
        prefix = shown.input.removesuffix(plain.input)
        assert examples.setdefault(shown.metadata["subject"], prefix) == prefix
        assert plain.input.split("\n\n", 1)[1] not in prefix
        assert read_options(shown.input) == read_options(plain.input)
    assert len(set(examples.values())) == 57


def test_a_category_is_the_sum_of_its_subjects():
    samples = real_samples(subjects="humanities")
    assert {sample.metadata["subject"] for sample in samples} == set(CATEGORIES["humanities"])
    assert len(samples) == 4_705
