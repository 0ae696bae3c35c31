"""KoBEST, KoBALT-700, HellaSwag, hate speech, and the benchmarks whose rows are a file of the user."""

import json
from pathlib import Path
from typing import Any

import pytest

from openbench.errors import UsageError
from openbench.scorers.mcq import read_options
from openbench_korean import continuation, files, hate_speech, kobalt, kobest
from openbench_korean.metadata import GROUPS


def test_labels_of_kobest_are_options(samples: Any) -> None:
    def right(function: Any) -> list[str]:
        return [read_options(sample.input)[sample.target] for sample in samples(function)]

    assert right(kobest.kobest_boolq) == ["아니요", "예", "예", "아니요", "아니요", "예"]
    assert right(kobest.kobest_wic) == ["아니요", "예", "아니요", "예", "아니요", "예"]
    assert right(kobest.kobest_sentineg) == ["긍정", "부정", "긍정", "부정", "긍정", "부정"]
    assert right(kobest.kobest_copa)[1] == "풍선이 터졌다."
    assert right(kobest.kobest_hellaswag)[0] == "눈을 비비고 잠시 쉰다."
    names = ("boolq", "copa", "hellaswag", "sentineg", "wic")
    assert GROUPS["kobest"].benchmarks == [f"kobest_{name}" for name in names]


def test_copa_asks_for_a_cause_or_an_effect(samples: Any) -> None:
    effect, cause = samples(kobest.kobest_copa)[:2]
    assert "결과로" in effect.input
    assert "원인으로" in cause.input
    row = {"premise": "x", "question": "왜", "alternative_1": "a", "alternative_2": "b", "label": 0}
    with pytest.raises(ValueError, match=r"^question is '왜', expected one of 원인, 결과"):
        kobest.copa_sample(row)


def test_a_constant_class_has_a_low_macro_f1(build: Any, figures: Any) -> None:
    # Half of the labels are yes: F1 is 2/3 for yes and 0 for no.
    found = figures(build(kobest.kobest_boolq), "정답: A")
    assert (found["accuracy"], found["macro_f1"]) == pytest.approx((0.5, 1 / 3))
    # Each class has a third of the labels: F1 is 1/2 for one and 0 for the others.
    found = figures(build(hate_speech.korean_hate_speech), "C")
    assert (found["accuracy"], found["macro_f1"]) == pytest.approx((1 / 3, 1 / 6))


def test_an_unreadable_answer_is_a_miss(build: Any, figures: Any) -> None:
    assert figures(build(kobest.kobest_wic), "잘 모르겠습니다.")["macro_f1"] == 0


def test_options_of_kobalt_are_the_last_ten_lettered_lines(samples: Any) -> None:
    dialogue = next(sample for sample in samples(kobalt.ko_balt_700) if sample.id == "sample-3")
    assert "A: 누가 문을 열었어?\nB: 영수가." in dialogue.input
    assert list(read_options(dialogue.input)) == list("ABCDEFGHIJ")
    assert read_options(dialogue.input)[dialogue.target] == "문을 열었어"


@pytest.mark.parametrize("mark", [": ", ":", ". ", ") ", " : "])
def test_options_may_have_different_marks(mark: str) -> None:
    text = "고르시오.\n\n" + "\n".join(f"{letter}{mark}말{number}" for number, letter in enumerate("ABCDEFGHIJ"))
    row = {"ID": "1", "Class": "Syntax", "Subclass": "x", "Level": 1, "Question": text, "Answer": "J"}
    assert read_options(kobalt.kobalt_sample(row).input) == {
        letter: f"말{number}" for number, letter in enumerate("ABCDEFGHIJ")
    }


def test_a_question_without_ten_options_is_refused() -> None:
    row = {"ID": "1", "Class": "Syntax", "Subclass": "x", "Level": 1, "Question": "?\nA: 가\nB: 나", "Answer": "A"}
    with pytest.raises(ValueError, match=r"^Question: expected ten options, A to J, at its end: "):
        kobalt.kobalt_sample(row)


def test_kobalt_selects_classes(samples: Any) -> None:
    def classes(function: Any, **arguments: Any) -> set[str]:
        return {sample.metadata["class"] for sample in samples(function, **arguments)}

    assert classes(kobalt.ko_balt_700, subset="syntax,Semantics") == {"Syntax", "Semantics"}
    assert classes(kobalt.ko_balt_700_syntax) == {"Syntax"}
    assert classes(kobalt.ko_balt_700_semantic) == {"Semantics"}
    with pytest.raises(UsageError, match=r"^ko_balt_700: subset: 'poetics' does not exist"):
        samples(kobalt.ko_balt_700, subset="poetics")


def test_labels_of_hellaswag_may_be_strings(samples: Any) -> None:
    assert [sample.target for sample in samples(continuation.ko_hellaswag)] == ["B", "A", "C", "D", "A"]


def test_rows_of_a_file_of_the_user(tmp_path: Path) -> None:
    row = {"question": "해는 어디에서 뜨나요?", "options": ["동쪽", "서쪽"], "answer": "A"}
    lines, table = tmp_path / "mine.jsonl", tmp_path / "mine.csv"
    lines.write_text(json.dumps(row), "utf-8")
    table.write_text("question,options,answer\n해는 어디에서 뜨나요?,\"['동쪽', '서쪽']\",A\n", "utf-8")
    inputs = {files.ko_truthful_qa(rows=str(file)).dataset[0].input for file in (lines, table)}
    assert len(inputs) == 1


def test_each_sentence_of_a_conversation_is_a_sample(samples: Any, tmp_path: Path) -> None:
    found = samples(files.ko_moral)
    assert [sample.target for sample in found] == ["B", "A", "A", "B", "A", "B"]
    assert [sample.id for sample in found][:2] == ["sample-1-1", "sample-1-2"]
    talks = tmp_path / "talksets.json"  # an array, as AI Hub distributes it
    talks.write_text(json.dumps([{"id": "t", "sentences": [{"text": "?", "is_immoral": True, "types": []}]}]), "utf-8")
    assert [sample.target for sample in files.ko_moral(rows=str(talks)).dataset] == ["A"]


@pytest.mark.parametrize(("function", "hint"), [(files.ko_moral, "dataset 558"), (files.ko_truthful_qa, "Weave")])
def test_the_error_for_a_missing_file_explains_how_to_obtain_it(function: Any, hint: str, tmp_path: Path) -> None:
    missing = tmp_path / "none.json"
    with pytest.raises(UsageError) as raised:
        function(rows=str(missing))
    assert str(raised.value).startswith(f"{function.__name__}: rows={missing}: the file does not exist. ")
    assert hint in str(raised.value)
    assert str(raised.value).endswith("-T rows=FILE.")
