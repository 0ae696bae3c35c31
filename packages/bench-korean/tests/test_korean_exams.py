"""Exams and HAE-RAE Bench: prompts, selections and metrics."""

from typing import Any

import pytest

import openbench.datasets.rows
from openbench.datasets import Rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.scorers.mcq import read_options
from openbench_korean import exams, haerae, kormedmcqa
from openbench_korean.metadata import KMMLU_CATEGORIES


def test_kmmlu_has_45_subjects_in_four_categories(build: Any, samples: Any, figures: Any) -> None:
    assert {name: len(subjects) for name, subjects in KMMLU_CATEGORIES.items()} == {
        "STEM": 11,
        "Applied Science": 12,
        "HUMSS": 11,
        "Other": 11,
    }
    assert len({subject for subjects in KMMLU_CATEGORIES.values() for subject in subjects}) == 45
    assert {sample.metadata["subject"] for sample in samples(exams.kmmlu, subject="law")} == {"Law"}
    found = figures(build(exams.kmmlu), "정답: B")
    assert {name: found[name] for name in ("Accounting", "HUMSS", "STEM")} == pytest.approx(
        {"Accounting": 0.5, "HUMSS": 2 / 3, "STEM": 0.0}
    )


def test_options_of_csv_files_are_read_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[Any] = []

    def rows(source: DatasetSource, _fetch: Any, options: Any) -> Rows:  # every source is read through it
        recorded.append(options)
        return Rows("rows", [], source)

    monkeypatch.setattr(openbench.datasets.rows, "_rows", rows)
    with pytest.raises(DataError, match="has no rows"):
        exams.kmmlu()
    assert recorded
    assert all(options == {"keep_default_na": False} for options in recorded)


def test_kmmlu_pro_has_four_or_five_options(samples: Any) -> None:
    found = samples(exams.kmmlu_pro)
    assert {len(read_options(sample.input)) for sample in found} == {4, 5}
    assert [sample.target for sample in found] == ["B", "A", "C", "D", "E", "A"]
    assert len(samples(exams.kmmlu_pro, license="변호사")) == 2


@pytest.mark.parametrize("solution", ["0", "6", "A", ""])
def test_a_solution_must_be_the_number_of_an_option(solution: str) -> None:
    row = {"question": "?", "options": ["가", "나"], "solution": solution, "license_name": "x", "subject": "y"}
    with pytest.raises(ValueError, match=f"^solution: {solution!r} is not one of the labels 1, 2"):
        exams.kmmlu_pro_sample(row)


def test_kormedmcqa_selects_professions(build: Any, samples: Any, figures: Any) -> None:
    assert {sample.metadata["profession"] for sample in samples(kormedmcqa.kormedmcqa, profession="nurse")} == {"nurse"}
    assert figures(build(kormedmcqa.kormedmcqa), "정답은 B입니다.")["dentist"] == 1.0
    with pytest.raises(UsageError, match=r"^kormedmcqa: profession: 'vet' does not exist"):
        samples(kormedmcqa.kormedmcqa, profession="vet")


@pytest.mark.parametrize("answer", ["(B)", "B"])
@pytest.mark.parametrize("options", ["['가나', '다라']", ["가나", "다라"], "['(A) 가나', '(B) 다라']"])
def test_haerae_shows_the_options_once(options: Any, answer: str) -> None:
    query = "고르시오.\n### 질문: 무엇?\n### 선택지:\n(A) 가나\n(B) 다라\n### 정답:"
    sample = haerae.haerae_sample({"query": query, "options": options, "answer": answer, "category": "history"})
    assert read_options(str(sample.input)) == {"A": "가나", "B": "다라"}
    assert "선택지" not in str(sample.input)
    assert sample.target == "B"


def test_haerae_requires_a_list_of_options() -> None:
    with pytest.raises(ValueError, match=r"^options: expected a list, not '1'$"):
        haerae.haerae_sample({"query": "?", "options": "1", "answer": "A", "category": "history"})


def test_haerae_with_and_without_reading(samples: Any) -> None:
    reading = "reading_comprehension"
    assert {sample.metadata["category"] for sample in samples(haerae.haerae_bench_v1_rc)} == {reading}
    assert reading not in {sample.metadata["category"] for sample in samples(haerae.haerae_bench_v1_wo_rc)}
    with pytest.raises(UsageError, match=r"^haerae_bench_v1_wo_rc: category: 'reading_comprehension' does not exist"):
        samples(haerae.haerae_bench_v1_wo_rc, category=reading)
