"""Mathematics and KorQuAD: the extraction of answers, and their scores."""

import json
from typing import Any

import pytest

from openbench_korean import aime, mathematics, squad_kor
from openbench_korean.squad_kor import CHAIN, squad_kor_sample
from openbench_scorers.fallback import extractions
from openbench_scorers.token_f1 import score_token_f1


@pytest.mark.parametrize("answer", [r"따라서 \boxed{31}입니다.", "정답: 31", "답은 31개입니다.", r"\boxed{31.0}"])
def test_numbers_are_read(build: Any, figures: Any, answer: str) -> None:
    found = figures(build(mathematics.hrm8k, subset="GSM8K"), answer)
    assert found["accuracy"] == 0.5


def test_subsets_of_hrm8k_have_equal_weight(build: Any, samples: Any, figures: Any) -> None:
    found = figures(build(mathematics.hrm8k), r"\boxed{3}")
    assert (found["accuracy"], found["macro"]) == pytest.approx((2 / 7, 2 / 5))
    assert (found["MATH"], found["GSM8K"]) == (1, 0)
    assert "보기 번호로" in samples(mathematics.hrm8k, subset="mmmlu")[0].input
    assert "숫자로" in samples(mathematics.hrm8k, subset="ksm")[0].input


def test_aime_has_sixteen_epochs(build: Any) -> None:
    assert build(aime.ko_aime2025).epochs == 16


def read(completion: str, target: str = "김두식") -> Any:
    return score_token_f1(completion, [target], "korquad", chain=extractions(CHAIN)).value


@pytest.mark.parametrize(
    "completion",
    [
        "김두식",
        "정답: 김두식",
        "지문에 따르면 그렇다.\n\n**정답:** 김두식",
        "정답은 김두식입니다.",
        "따라서 답은 김두식이다",
        "김두식.",
    ],
)
def test_answers_are_found(completion: str) -> None:
    assert read(completion) == {"f1": 1.0, "exact_match": 1.0}


def test_f1_counts_characters() -> None:
    # 김두식이 and 김두식: precision 3/4, recall 3/3.
    assert read("정답: 김두식이") == {"f1": pytest.approx(6 / 7), "exact_match": 0.0}


@pytest.mark.parametrize("completion", ["", "<think>김두식</think>", "모릅니다"])
def test_a_missing_answer_is_wrong(completion: str) -> None:
    assert read(completion) == {"f1": 0.0, "exact_match": 0.0}


def test_paragraphs_form_clusters(build: Any, figures: Any) -> None:
    found = figures(build(squad_kor.squad_kor_v1), "24미터")
    assert found["clustered_stderr_clusters"] == 2


def test_nested_questions_of_the_authors_file_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [{"text": "김두식", "answer_start": 9}, {"text": "김", "answer_start": 9}]
    questions = [
        {"id": "1", "question": "언제?", "answers": [{"text": "1931년", "answer_start": 3}]},
        {"id": "2", "question": "누가?", "answers": answers},
    ]
    paragraphs = [{"context": "그는 1931년 김두식", "qas": questions}]
    file = {"version": "x", "data": [{"title": "마을", "paragraphs": paragraphs}]}
    monkeypatch.setattr(squad_kor, "read_text", lambda _: json.dumps(file))
    samples = [squad_kor_sample(row) for row in squad_kor._rows()]
    assert [sample.id for sample in samples] == ["1", "2"]
    assert samples[1].target == ["김두식", "김"]
    assert samples[0].metadata == {"title": "마을", "passage": samples[1].metadata["passage"]}
