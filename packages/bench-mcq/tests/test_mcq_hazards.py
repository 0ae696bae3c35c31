"""The peculiarities of each dataset, with a row for each."""

# ruff: noqa: RUF001 -- Chinese punctuation

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import openbench.tasks.mcq
import openbench_mcq
from openbench.datasets import Rows, bundled_rows
from openbench.errors import UsageError
from openbench.metadata import DatasetSource
from openbench.scorers.mcq import read_options
from openbench.tasks.mcq import MCQSample
from openbench_mcq import (
    agieval,
    arc,
    boolq,
    gpqa,
    hellaswag,
    medmcqa,
    piqa,
    race,
    sciq,
    truthfulqa,
    winogrande,
)

SAMPLES = Path(openbench_mcq.__file__).parent / "samples"


def correct_text(sample: MCQSample) -> str:
    return read_options(str(sample.input))[sample.target]


@pytest.mark.parametrize(
    ("labels", "answer", "target"),
    [(["1", "2", "3", "4"], "3", "C"), (["A", "B", "C"], "C", "C"), (["A", "B", "C", "D", "E"], "E", "E")],
)
def test_arc_rows_have_three_to_five_labels_which_may_be_digits(labels: list[str], answer: str, target: str) -> None:
    texts = [f"option {label}" for label in labels]
    row = {"id": "x", "question": "Which?", "choices": {"text": texts, "label": labels}, "answerKey": answer}
    sample = arc.record_to_mcq_sample(row)
    assert sample.target == target
    assert correct_text(sample) == f"option {answer}"


def test_boolq_asks_with_one_question_mark() -> None:
    row = {"question": "is snow cold ?", "answer": False, "passage": "Snow is ice."}
    sample = boolq.record_to_mcq_sample(row)
    assert str(sample.input).endswith("Snow is ice.\n\nQuestion: is snow cold?\n\nA) Yes\nB) No")
    assert sample.target == "B"


@pytest.mark.parametrize("label", [1, "1"])
def test_piqa_labels_may_be_strings(label: object) -> None:
    row = {"goal": "Go.", "sol1": "Stay.", "sol2": "Walk.", "label": label}
    assert piqa.record_to_mcq_sample(row).target == "B"


def test_hellaswag_texts_are_cleaned() -> None:
    row = {
        "activity_label": "Gardening",
        "ctx": "[header] How to dig [title] Take a spade. [step] Hold it well.",
        "endings": ["[substeps] Dig.", "Sing.", "Sleep [sic].", "Swim."],
        "label": "2",
        "source_id": "s",
    }
    sample = hellaswag.record_to_mcq_sample(row)
    assert "Gardening: How to dig. Take a spade. Hold it well.\n\nWhich ending" in str(sample.input)
    assert read_options(str(sample.input)) == {"A": "Dig.", "B": "Sing.", "C": "Sleep .", "D": "Swim."}
    assert sample.target == "C"


def test_winogrande_requires_a_blank() -> None:
    row = {"sentence": "It fits.", "option1": "box", "option2": "bag", "answer": "1"}
    with pytest.raises(ValueError, match=r"^sentence: no blank '_' in 'It fits\.'$"):
        winogrande.record_to_mcq_sample(row)


def test_medmcqa_unlabelled_rows_are_rejected() -> None:
    row = dict.fromkeys(["id", "question", "opa", "opb", "opc", "opd", "subject_name", "topic_name"], "x")
    message = "cop: '-1' is not one of the labels 0, 1, 2, 3; the split may have no labels"
    with pytest.raises(ValueError, match=message):
        medmcqa.record_to_mcq_sample({**row, "cop": -1})


def test_race_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    configs: list[str | None] = []

    def read_rows(source: DatasetSource) -> Rows:
        configs.append(source.config)
        row = {"article": "Text.", "question": "What?", "options": list("wxyz"), "answer": "D"}
        return Rows("rows", [{**row, "example_id": "middle1.txt"}, {**row, "example_id": "high1.txt"}])

    monkeypatch.setattr(openbench.tasks.mcq, "read_rows", read_rows)
    levels = [race.race(level=level).dataset for level in race.LEVELS]
    assert configs == ["high", "middle", "all"]
    assert [sample.metadata["level"] for sample in levels[2]] == ["middle", "high"]
    with pytest.raises(UsageError) as raised:
        race.race(level="low")
    assert str(raised.value) == "race: the level 'low' does not exist. Levels: high, middle, all."


def test_race_questions_of_one_article_share_a_passage_and_no_id() -> None:
    with bundled_rows(SAMPLES / "race"):
        read = list(race.race().dataset)
    assert len({sample.id for sample in read}) == 6
    assert [sample.metadata["passage"] for sample in read[:3]] == ["high90001.txt"] * 3


def sciq_row(question: str) -> dict[str, Any]:
    row = {f"distractor{number}": f"wrong {number}" for number in (1, 2, 3)}
    return row | {"question": question, "correct_answer": "right", "support": ""}


def gpqa_row(question: str) -> dict[str, Any]:
    row = {f"Incorrect Answer {number}": f"wrong {number}" for number in (1, 2, 3)}
    row |= {"Record ID": question, "High-level domain": "Physics", "Subdomain": "Optics"}
    return row | {"Question": question, "Correct Answer": "right"}


def truthfulqa_row(question: str) -> dict[str, Any]:
    choices = ["right", "wrong 1", "wrong 2", "wrong 3"]
    return {"question": question, "mc1_targets": {"choices": choices, "labels": [1, 0, 0, 0]}}


@pytest.mark.parametrize(
    ("mapping", "row"),
    [
        (sciq.record_to_mcq_sample, sciq_row),
        (gpqa.record_to_mcq_sample, gpqa_row),
        (truthfulqa.record_to_mcq_sample, truthfulqa_row),
    ],
)
def test_correct_options_listed_first_are_shuffled_reproducibly(
    mapping: Callable[[dict[str, Any]], MCQSample], row: Callable[[str], dict[str, Any]]
) -> None:
    read = [mapping(row(f"question {number}")) for number in range(400)]
    assert all(correct_text(sample) == "right" for sample in read)
    counts = Counter(sample.target for sample in read)
    assert sorted(counts) == list("ABCD")
    assert min(counts.values()) > 70
    assert [s.input for s in read[:9]] == [mapping(row(f"question {n}")).input for n in range(9)]


def test_truthfulqa_requires_exactly_one_true_choice() -> None:
    row = truthfulqa_row("Why?")
    row["mc1_targets"]["labels"] = [1, 1, 0, 0]
    with pytest.raises(ValueError, match=r"^mc1_targets: 2 choices are true, expected exactly one$"):
        truthfulqa.record_to_mcq_sample(row)


def test_gpqa_options_with_blank_lines_stay_one_block() -> None:
    row = gpqa_row("How?") | {"Incorrect Answer 1": "first\n\n second\n", "Incorrect Answer 3": "x\n \ny"}
    options = read_options(str(gpqa.record_to_mcq_sample(row).input))
    assert sorted(options.values()) == ["first\n second", "right", "wrong 2", "x\ny"]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (["(A)a", "(B) b ", "(C)c"], ["a", "b", "c"]),
        (["(A)a", "(C)c", "(B)b", "(D)d"], ["a", "b", "c", "d"]),
        (["A one", "B two", "C three"], ["A one", "B two", "C three"]),
        (["(A)A man", "(B)b", "C? c"], ["A man", "b", "C? c"]),
        (["When in City A.B", "(B)b", "Store C.3"], ["When in City A.B", "b", "Store C.3"]),
        (["(A)(A)a", "(B)(x) b"], ["(A)a", "(x) b"]),
        (["  A．甲", " B、乙", "C: 丙", "D。丁"], ["甲", "乙", "丙", "丁"]),
        (["A．甲", "C．丙", "(B) 乙", "D．丁"], ["甲", "乙", "丙", "丁"]),
        (["(A)a", "(B)b", "(C)c", "(C)d"], ["a", "b", "c", "d"]),
        (["(A)a", "(C)b", "(C)c", "(D)d"], ["a", "b", "c", "d"]),
    ],
)
def test_agieval_options(printed: list[str], expected: list[str]) -> None:
    assert agieval.options_by_letter(printed) == expected


@pytest.mark.parametrize(
    "printed", [["(B)b", "x"], ["(A)a", "(A)b"], ["(A)a", "(E)b"], ["(A)a", "(C)b", "(C)c", "(E)d"]]
)
def test_agieval_options_that_contradict_their_positions_are_rejected(printed: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^options: their letters contradict their positions: \["):
        agieval.options_by_letter(printed)


def test_agieval_label_means_the_printed_letter() -> None:
    options = ["(A)one", "(C)three", "(B)two", "(D)four"]
    row = {"passage": None, "question": "Which?", "options": options, "label": "C"}
    (sample,) = agieval.record_to_mcq_sample(row)
    assert correct_text(sample) == "three"


@pytest.mark.parametrize(
    ("passage", "expected"),
    [(None, "\n\nWhich?\n\nA) "), ("", "\n\nWhich?\n\nA) "), ("P.", "\n\nP.\n\nWhich?\n\nA) ")],
)
def test_agieval_passages_may_be_null_or_blank(passage: str | None, expected: str) -> None:
    row = {"passage": passage, "question": "Which?", "options": ["(A)a", "(B)b"], "label": "A"}
    (sample,) = agieval.record_to_mcq_sample(row)
    assert expected in str(sample.input)
    assert ("passage" in (sample.metadata or {})) == bool(passage)


def test_gpqa_settings_of_upstream() -> None:
    with bundled_rows(SAMPLES / "gpqa_diamond"):
        plain, upstream = gpqa.gpqa_diamond(), gpqa.gpqa_diamond(settings="upstream")
        with pytest.raises(UsageError) as error:
            gpqa.gpqa_diamond(settings="groq")
    assert (plain.config.temperature, plain.epochs) == (None, None)
    assert (upstream.config.temperature, upstream.epochs) == (0.5, 10)
    assert len(upstream.solver) == len(plain.solver) + 1  # the system message
    assert str(error.value) == "gpqa_diamond: settings='groq' does not exist. Use 'default' or 'upstream'."


def test_agieval_leaves_out_rows_with_blank_options() -> None:
    row = {"passage": None, "question": "?", "options": ["(A)a", "(B)", "(C)", "(D)"], "label": "D"}
    assert agieval.record_to_mcq_sample(row) == agieval.multi_answer_sample(row) == []


@pytest.mark.parametrize("label", ["AD", "A D", "DA"])
def test_agieval_labels_may_be_several_letters(label: str) -> None:
    row = {"passage": None, "question": "?", "options": ["(A)a", "(B)b", "(C)c", "(D)d"], "label": label}
    (sample,) = agieval.multi_answer_sample(row)
    assert sample.target == "A, D"


@pytest.mark.parametrize(
    ("completion", "target", "correct"),
    [
        ("答案：A、C", "A, C", True),
        ("解析……\n答案: AC。", "A, C", True),
        ("**答案：A和C**", "A, C", True),
        ("Answer: A, C", "A, C", True),
        ("所以答案是B", "B", True),
        ("答案：B。", "B", True),
        ("答案：A、B、C", "A, C", False),
        ("答案：A", "A, C", False),
        ("答案：A、C", "A", False),
        ("我不知道", "A", False),
    ],
)
def test_agieval_all_letters_must_be_named(completion: str, target: str, correct: bool) -> None:
    score = agieval.score_letters(completion, target, {"A": "甲", "B": "乙", "C": "丙", "D": "丁"})
    assert (score.value == "C") is correct
    assert score.explanation == completion
