"""The time that reading an answer takes grows with the length of the completion: a choice, a formula or a number."""

# ruff: noqa: RUF001 -- letters that look alike in several scripts are what is tested

import time
from collections.abc import Callable
from functools import partial

import pytest

from openbench.scorers.extraction import extract_mcq_answer
from openbench_scorers import languages
from openbench_scorers.alphabets import NATIVE_LETTERS
from openbench_scorers.boxed import score_boxed
from openbench_scorers.choice import score_choices
from openbench_scorers.fallback import extractions, score_fallback
from openbench_scorers.includes import score_includes
from openbench_scorers.numeric import number_reader, score_numeric

TABLES = ["ANSWERS", "OPTIONS", "CHOICES", "CONCLUSIONS", "VERDICTS", "LINKS", "NOUNS", "FILLERS", "NO_ANSWERS"]
SIGNS = ["В", "ক", "가", "答案：", "정답은 ", "选", "ответ ", "。", "、", "第1", "\nСледующий вопрос 2", "الإجابة "]
UNITS = {
    **{sign: sign for sign in SIGNS},
    **{table: " ".join(languages.words(getattr(languages, table))) + " " for table in TABLES},
    "questions": "".join(f"\n{word} 2" for word in languages.words(languages.QUESTIONS)),
    "letters": " ".join(NATIVE_LETTERS.values()) + " ",
}

OPTIONS = ["London", "Paris", "- 1", "(x)"]
EXTRACTIONS = ["boxed", "announced", "last_line", "first_number", "last_number"]
SCORERS: dict[str, Callable[[str], object]] = {
    "boxed": lambda completion: score_boxed(completion, ["5"]),
    "choice": lambda completion: score_choices(completion, ["A", "C"], dict(zip("ABCD", OPTIONS, strict=True))),
    "fallback": lambda completion: score_fallback(completion, ["5"], extractions(EXTRACTIONS)),
    "includes": lambda completion: score_includes(completion, ["Paris"], whole_words=True),
    "numeric": lambda completion: score_numeric(completion, ["5"], read=number_reader(["boxed", "last_number"])),
}
NUMBERS = ["1", "1,", "1.", "1/", "-1 ", "1e", "\\frac{", "\\boxed{", "1 %", "٣", "Answer: ", "<think>", "{", "\n\n"]

read_choice = partial(extract_mcq_answer, options=OPTIONS, language=languages.ANY)


def seconds(read: Callable[[str], object], unit: str, length: int) -> float:
    completion = "B: x\n" + unit * (length // len(unit)) + "x"
    start = time.process_time()
    read(completion)
    return time.process_time() - start


def takes_its_share(read: Callable[[str], object], unit: str) -> bool:
    """Quadratic time would be 64 times as long; times below two milliseconds are not distinguished."""
    if seconds(read, unit, 24_000) < 24 * 0.002:
        return True
    few, many = (min(seconds(read, unit, length) for _ in range(3)) for length in (3_000, 24_000))
    return many < 24 * max(few, 0.002)


@pytest.mark.parametrize("unit", UNITS.values(), ids=map(ascii, UNITS))
def test_eight_times_the_length_takes_no_more_than_its_share(unit: str):
    assert takes_its_share(read_choice, unit)


@pytest.mark.parametrize("scorer", SCORERS)
def test_reading_a_formula_or_a_number_takes_no_more_than_its_share(scorer: str):
    units = {**{unit: unit for unit in NUMBERS}, **UNITS}
    assert [name for name, unit in units.items() if not takes_its_share(SCORERS[scorer], unit)] == []
