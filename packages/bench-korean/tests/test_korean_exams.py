"""Exams and HAE-RAE Bench: what is asked, what their options choose, and what they report."""

from pathlib import Path
from typing import Any

import pytest

import openbench.datasets.rows
import openbench_korean
from openbench.datasets import Rows, bundled_rows
from openbench.errors import DataError
from openbench.metadata import DatasetSource
from openbench.scorers.mcq import read_options
from openbench_korean import exams, haerae
from openbench_korean.metadata import KMMLU_CATEGORIES

SAMPLES = Path(openbench_korean.__file__).parent / "samples"


def samples(function: Any, **arguments: Any) -> list[Any]:
    with bundled_rows(SAMPLES / function.__name__):
        return list(function(**arguments).dataset)


def test_kmmlu_has_45_subjects_in_four_categories() -> None:
    assert {name: len(subjects) for name, subjects in KMMLU_CATEGORIES.items()} == {
        "STEM": 11,
        "Applied Science": 12,
        "HUMSS": 11,
        "Other": 11,
    }
    assert len({subject for subjects in KMMLU_CATEGORIES.values() for subject in subjects}) == 45
    assert {sample.metadata["subject"] for sample in samples(exams.kmmlu, subject="law")} == {"Law"}


def test_options_of_csv_files_are_read_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def rows(source: DatasetSource, _fetch: Any, options: Any) -> Rows:  # where every row of any source passes
        asked.append(options)
        return Rows("rows", [], source)

    monkeypatch.setattr(openbench.datasets.rows, "_rows", rows)
    with pytest.raises(DataError, match="has no rows"):
        exams.kmmlu()
    assert asked
    assert all(options == {"keep_default_na": False} for options in asked)


@pytest.mark.parametrize("answer", ["(B)", "B"])
@pytest.mark.parametrize("options", ["['가나', '다라']", ["가나", "다라"], "['(A) 가나', '(B) 다라']"])
def test_haerae_shows_its_options_once(options: Any, answer: str) -> None:
    query = "고르시오.\n### 질문: 무엇?\n### 선택지:\n(A) 가나\n(B) 다라\n### 정답:"
    sample = haerae.haerae_sample({"query": query, "options": options, "answer": answer, "category": "history"})
    assert read_options(str(sample.input)) == {"A": "가나", "B": "다라"}
    assert "선택지" not in str(sample.input)
    assert sample.target == "B"


def test_haerae_needs_a_list_of_options() -> None:
    with pytest.raises(ValueError, match=r"^options: expected a list, not '1'$"):
        haerae.haerae_sample({"query": "?", "options": "1", "answer": "A", "category": "history"})
