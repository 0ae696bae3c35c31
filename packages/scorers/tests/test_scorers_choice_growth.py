"""The time that reading an answer in any language takes grows with the length of the completion."""

# ruff: noqa: RUF001 -- letters that look alike in several scripts are what is tested

import time
from functools import partial

import pytest

from openbench.scorers.extraction import extract_mcq_answer
from openbench_scorers import languages
from openbench_scorers.alphabets import NATIVE_LETTERS

TABLES = ["ANSWERS", "OPTIONS", "CHOICES", "CONCLUSIONS", "VERDICTS", "LINKS", "NOUNS", "FILLERS", "NO_ANSWERS"]
SIGNS = ["В", "ক", "가", "答案：", "정답은 ", "选", "ответ ", "。", "、", "第1", "\nСледующий вопрос 2", "الإجابة "]
UNITS = {
    **{sign: sign for sign in SIGNS},
    **{table: " ".join(languages.words(getattr(languages, table))) + " " for table in TABLES},
    "questions": "".join(f"\n{word} 2" for word in languages.words(languages.QUESTIONS)),
    "letters": " ".join(NATIVE_LETTERS.values()) + " ",
}

read = partial(extract_mcq_answer, options=["London", "Paris", "- 1", "(x)"], language=languages.ANY)


def seconds(unit: str, length: int) -> float:
    completion = "B: x\n" + unit * (length // len(unit)) + "x"
    start = time.process_time()
    read(completion)
    return time.process_time() - start


@pytest.mark.parametrize("unit", UNITS.values(), ids=map(ascii, UNITS))
def test_eight_times_the_length_takes_no_more_than_its_share(unit: str):
    """Quadratic time would be 64 times as long; what takes less than two milliseconds is not told apart."""
    if seconds(unit, 24_000) < 24 * 0.002:
        return
    few, many = (min(seconds(unit, length) for _ in range(3)) for length in (3_000, 24_000))
    assert many < 24 * max(few, 0.002)
