"""Families of benchmarks: their options, the prompts in each language, and the metrics."""

import gc
import warnings
from collections import Counter
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from inspect_ai import Task, eval  # noqa: A004 - inspect's name
from inspect_ai.dataset import Sample

import openbench.datasets.rows
import openbench_mcq
from openbench.datasets import Rows, bundled_rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.scorers.mcq import extract_mcq_answer, read_options, score_mcq
from openbench_mcq import (
    arabic_exams,
    ethics,
    gpqa,
    headqa,
    inference,
    longbench_v2,
    medxpertqa,
    supergpqa,
    translated_mmlu,
)
from openbench_mcq.metadata.multilingual import GLOBAL_MMLU_LANGUAGES, MMMLU_LOCALES
from openbench_mcq.native import WORDINGS, native_prompt
from openbench_scorers.languages import ANY

SAMPLES = Path(openbench_mcq.__file__).parent / "samples"


def built(function: Any, **arguments: Any) -> Task:
    with bundled_rows(SAMPLES / function.__name__):
        return function(**arguments)


def samples(function: Any, **arguments: Any) -> list[Sample]:
    return list(built(function, **arguments).dataset)


def correct_text(sample: Sample) -> str:
    return read_options(str(sample.input))[str(sample.target)]


def figures(task: Task, directory: Path, answer: str) -> dict[str, float]:
    with warnings.catch_warnings():
        # Inspect leaves streams unclosed, and calls its retry library in a way that newer versions deprecate.
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.filterwarnings("ignore", "The 'initial' parameter is deprecated", DeprecationWarning)
        (log,) = eval(
            task, model="baseline/constant", model_args={"answer": answer}, display="none", log_dir=str(directory)
        )
        gc.collect()
    assert log.status == "success", log.error
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def test_every_language_has_a_prompt() -> None:
    assert {*GLOBAL_MMLU_LANGUAGES, *MMMLU_LOCALES} == {*WORDINGS, "en"}


@pytest.mark.parametrize("language", WORDINGS)
def test_an_answer_is_read_after_the_cue_of_its_language(language: str) -> None:
    cue = WORDINGS[language].cue
    assert cue in WORDINGS[language].instruction
    for letter in "ABCDEFGHIJ":
        for announced in (f"{cue}: {letter}", f"{cue} : {letter}.", f"**{cue}**\uff1a{letter}", f"Answer: {letter}"):
            assert extract_mcq_answer(f"A? B?\n{announced}", "ABCDEFGHIJ", language=ANY) == letter, announced


@pytest.mark.parametrize("language", ["en", *WORDINGS])
def test_a_prompt_lists_its_options_and_reveals_no_answer(language: str) -> None:
    options = [str(number) for number in range(17, 27)]
    prompt = native_prompt(language, "12 + 7?", options)
    assert read_options(prompt) == dict(zip(ascii_uppercase, options, strict=False))
    assert extract_mcq_answer(prompt, list(ascii_uppercase[:10]), options, language=ANY) is None


def test_a_language_without_a_prompt_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^the language 'tlh' has no prompt \(known: en, am, "):
        native_prompt("tlh", "?", ["1", "2"])


@pytest.mark.parametrize(
    ("language", "written"),
    [("ar", "الإجابة: ب"), ("hi", "उत्तर: ख"), ("ko", "정답은 나입니다"), ("ru", "Ответ: Б"), ("el", "Απάντηση: β")],
)
def test_a_letter_of_the_language_counts(language: str, written: str) -> None:
    options = read_options(native_prompt(language, "?", ["1", "2", "3", "4"]))
    assert score_mcq(written, "B", options, language=ANY).value == "C"


def test_global_mmlu_reports_languages_and_sensitivity(tmp_path: Path) -> None:
    found = figures(built(translated_mmlu.global_mmlu), tmp_path, "Jibu: B")
    expected = {
        "de": 1,
        "sw": 1,
        "zh": 1,
        "fr": 0,
        "culturally agnostic": 2 / 3,
        "culturally sensitive": 0,
        "clusters": 6,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["accuracy"] == pytest.approx(3 / 8)


def test_global_mmlu_selects_languages_and_subjects() -> None:
    chosen = samples(translated_mmlu.global_mmlu, language="sw,de")
    assert [sample.id for sample in chosen] == [f"{code}/elementary_mathematics/test/900" for code in ("de", "sw")]
    assert "Jibu" not in str(chosen[0].input)
    assert "Jibu" in str(chosen[1].input)
    assert len(samples(translated_mmlu.global_mmlu, subject="anatomy")) == 1
    with pytest.raises(UsageError, match=r"^global_mmlu: language: 'klingon' does not exist\. Known: am, ar, "):
        translated_mmlu.global_mmlu(language="klingon")
    with pytest.raises(UsageError, match=r"Splits that can be scored: test, dev\.$"):
        translated_mmlu.global_mmlu(split="train")


def test_questions_of_mmmlu_have_the_same_position_in_every_language(tmp_path: Path) -> None:
    ids = [sample.id for sample in samples(translated_mmlu.mmmlu)]
    assert ids == ["de/1", "de/2", "sw/1", "sw/2", "ko/1", "es/1", "es/2", "hi/1"]
    found = figures(built(translated_mmlu.mmmlu, language=["es", "de", "sw"]), tmp_path, "Respuesta: A")
    expected = {"accuracy": 0.5, "clusters": 2, "es": 0.5, "anatomy": 1.0, "elementary_mathematics": 0.0}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_gpqa_keeps_mathematical_brackets() -> None:
    (sample,) = [sample for sample in samples(gpqa.gpqa_main) if "commutator" in str(sample.input)]
    assert "[A, B] = AB - BA. For the matrices A = [[0, 1], [0, 0]]" in str(sample.input)
    assert correct_text(sample) == "[[1, 0], [0, -1]]"


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        ({}, 6),
        ({"discipline": "science"}, 2),
        ({"discipline": ["Law", "Medicine"]}, 2),
        ({"field": "Mathematics", "difficulty": "hard"}, 1),
        ({"subfield": "constitutional_and_administrative_law"}, 1),
        ({"difficulty": "easy,hard"}, 4),
    ],
)
def test_supergpqa_selects_rows(arguments: dict[str, Any], count: int) -> None:
    assert len(samples(supergpqa.supergpqa, **arguments)) == count


def test_supergpqa_names_close_values() -> None:
    with pytest.raises(UsageError) as raised:
        samples(supergpqa.supergpqa, discipline="Medicin")
    assert str(raised.value) == "supergpqa: discipline: 'Medicin' does not exist. Close: Medicine."


def test_supergpqa_reads_ten_letters_by_difficulty(tmp_path: Path) -> None:
    found = figures(built(supergpqa.supergpqa), tmp_path, "Answer: H")
    assert {name: found[name] for name in ("Medicine", "Science", "easy")} == pytest.approx(
        {"Medicine": 1.0, "Science": 0.0, "easy": 1 / 3}
    )


def test_medxpertqa_shows_its_options_once() -> None:
    for sample in samples(medxpertqa.medxpertqa):
        assert "Answer Choices" not in str(sample.input)
        assert list(read_options(str(sample.input))) == list("ABCDEFGHIJ")
    assert correct_text(samples(medxpertqa.medxpertqa)[-1]) == "Protamine"


def test_headqa_asks_in_its_language_and_leaves_images_out(tmp_path: Path) -> None:
    assert len(samples(headqa.headqa)) == 6
    (english, spanish) = samples(headqa.headqa)[:2]
    assert "Respuesta: LETRA" in str(spanish.input)
    assert "Respuesta" not in str(english.input)
    found = figures(built(headqa.headqa, language="es"), tmp_path, "Respuesta: B")
    assert {name: found[name] for name in ("es", "nursery", "clusters")} == pytest.approx(
        {"es": 1 / 3, "nursery": 1.0, "clusters": 3}
    )


@pytest.mark.parametrize(("round", "count"), [(None, 6), (1, 2), ("2,3", 4), ([3], 2)])
def test_anli_selects_rounds(round: Any, count: int) -> None:  # noqa: A002 - the argument's name
    assert len(samples(inference.anli, round=round)) == count


def test_anli_reports_rounds_and_rejects_others(tmp_path: Path) -> None:
    found = figures(built(inference.anli), tmp_path, "Answer: A")
    assert {name: found[name] for name in ("accuracy", "round 1", "round 3")} == pytest.approx(
        {"accuracy": 1 / 3, "round 1": 0.5, "round 3": 0.0}
    )
    with pytest.raises(UsageError, match=r"^anli: round: '4' does not exist\. Known: 1, 2, 3\.$"):
        inference.anli(round=4)


def test_the_better_scenario_is_at_either_position() -> None:
    targets = Counter(
        ethics.ethics_sample(
            {"subset": "utilitarianism", "activity": f"I won {number} pounds.", "baseline": f"I lost {number} pounds."}
        ).target
        for number in range(400)
    )
    assert min(targets["A"], targets["B"]) > 150


def test_the_answer_no_has_either_letter() -> None:
    rows = [
        {"subset": "virtue", "scenario": f"Eva read {number} books.", "trait": "cruel", "label": 0}
        for number in range(400)
    ]
    read = [ethics.ethics_sample(row) for row in rows]
    assert {correct_text(sample) for sample in read} == {"No"}
    assert min(Counter(sample.target for sample in read).values()) > 150


def test_ethics_reports_subsets(tmp_path: Path) -> None:
    chosen = samples(ethics.ethics, subset="utilitarianism,justice")
    assert [sample.metadata["subset"] for sample in chosen] == ["justice"] * 2 + ["utilitarianism"] * 2
    assert [correct_text(sample) for sample in chosen[2:]] == [
        "I went to the fair with my friends. We won a large bear.",
        "I found my old guitar in the attic.",
    ]
    found = figures(built(ethics.ethics), tmp_path, "Answer: Yes")
    assert {name: found[name] for name in ("justice", "virtue")} == pytest.approx({"justice": 0.5, "virtue": 1 / 3})


def test_arabic_exams_list_only_existing_options() -> None:
    read = samples(arabic_exams.arabic_exams)
    assert [len(read_options(str(sample.input))) for sample in read] == [4, 4, 3, 2, 4, 5]
    assert correct_text(read[-1]) == "أبو جعفر المنصور"
    assert "قرأ الولد" in str(read[4].input)
    assert [sample.metadata["level"] for sample in samples(arabic_exams.arabic_exams, subject="driving_test")] == [
        "no level"
    ]
    assert len(samples(arabic_exams.arabic_exams, level="primary,middle")) == 3


def test_arabic_exams_count_the_label_among_existing_options() -> None:
    row = {f"Option {number}": None for number in range(1, 6)} | dict.fromkeys(("Context", "Level", "Country"))
    row |= {
        "Question": "؟",
        "Group": "STEM",
        "Subject": "Math",
        "Option 1": "واحد",
        "Option 3": " ثلاثة ",
        "Option 4": 4,
    }
    sample = arabic_exams.record_to_mcq_sample({**row, "Answer Key": "D"})
    assert read_options(str(sample.input)) == {"A": "واحد", "B": "ثلاثة", "C": "4"}
    assert sample.target == "C"
    with pytest.raises(ValueError, match=r"^Answer Key: 'B' is not one of the labels A, C, D; "):
        arabic_exams.record_to_mcq_sample({**row, "Answer Key": "B"})


def test_longbench_asks_after_the_text_and_selects_rows() -> None:
    read = samples(longbench_v2.longbench_v2, length="short")
    assert len(read) == 2
    text, _, question = str(read[0].input).partition("\n</text>\n\n")
    assert text.startswith("<text>\nThe harbour log")
    assert question.startswith("Answer the following")
    assert len(samples(longbench_v2.longbench_v2, difficulty="hard", domain="single_document_qa")) == 1


@pytest.mark.parametrize("function", [arabic_exams.arabic_exams, translated_mmlu.mmmlu])
def test_options_of_csv_files_are_read_as_written(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[Any] = []

    def rows(source: DatasetSource, _fetch: Any, options: Any) -> Rows:  # all rows of all sources pass through here
        requested.append(options)
        return Rows("rows", [], source)

    monkeypatch.setattr(openbench.datasets.rows, "_rows", rows)
    with pytest.raises(DataError, match="has no rows"):
        function()
    assert requested
    assert all(options == {"keep_default_na": False} for options in requested)
