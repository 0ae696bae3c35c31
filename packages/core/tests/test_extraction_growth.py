"""The time that extraction takes grows with the length of the completion, whatever it is made of."""

# ruff: noqa: RUF001 -- punctuation of other scripts is what is tested

import random
import time
from collections.abc import Callable

import pytest

from openbench.scorers import languages
from openbench.scorers.alphabets import NATIVE_LETTERS
from openbench.scorers.extraction import extract_mcq_answer

TABLES = ["ANSWERS", "OPTIONS", "CHOICES", "CONCLUSIONS", "VERDICTS", "LINKS", "NOUNS", "FILLERS", "NO_ANSWERS"]
SIGNS = [
    *" \n\t()[]{}<>*`$_#-:;,.?!'\"=|/&\\1", "—", "：", "。", "、", "\u0301", "\u00a0", "İ", "Ａ", "𝐀", "\ud800",
    "A", "b", "C)", "(A)", "A. ", "A, ", "\nA. ", "\nB. ", "В", "ক", "가", "\\boxed{", "\\text{",
    "<think>", "</think>", "[THINK]", "</b>", "&nbsp;", "\n\n", "finalAnswer", "<|channel|>", "[INST]",
    "Answer:", "The answer is ", "is correct", "option ", "not ", "but ", "and ", "if ", "the ", "it is ",
    "\nQ: ", "\nQuestion", "\n\nProblem", "\n\nQ1", "Question 2", "第1",
]  # fmt: skip


def repeated(unit: str, before: str = "", after: str = "x") -> Callable[[int], str]:
    return lambda length: before + unit * (length // len(unit)) + after


def combinations(number: int) -> dict[str, Callable[[int], str]]:
    """Some of the many ways to put a few blocks before a run of others."""
    chance = random.Random(4)  # noqa: S311 -- no secret
    made = {}
    for _ in range(number):
        before, unit = ("".join(chance.choices(SIGNS, k=chance.randint(1, 3))) for _ in range(2))
        made[f"{before!a} then {unit!a}"] = repeated(unit, before)
    return made


HOSTILE = {
    **{f"runs of {sign!a}": repeated(sign) for sign in SIGNS},
    **{f"runs of {sign!a} after a letter": repeated(sign, "B: x\n") for sign in SIGNS},
    **{f"runs of {sign!a} after an answer": repeated(sign, "Answer: B") for sign in SIGNS},
    **{f"all {table}": repeated(" ".join(languages.words(getattr(languages, table))) + " ") for table in TABLES},
    "all questions": repeated("".join(f"\n{word} 2" for word in languages.words(languages.QUESTIONS))),
    "all letters": repeated(" ".join(NATIVE_LETTERS.values()) + " "),
    "nested tags": repeated("<think>a<think>b</think>c"),
    "a line that goes on": repeated(" ", "A. x"),
    **combinations(120),
}


def seconds(completion: str) -> float:
    """The best of three, since other work on the machine only ever adds."""

    def once() -> float:
        start = time.process_time()
        extract_mcq_answer(completion, options=["London", "Paris", "- 1", "(x)"])
        return time.process_time() - start

    return min(once() for _ in range(3))


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_eight_times_the_length_takes_no_more_than_its_share(hostile: Callable[[int], str]):
    few, many = (seconds(hostile(length)) for length in (3_000, 24_000))
    # Quadratic time would be 64 times as long. What takes less than two milliseconds is not worth telling apart.
    assert many < 24 * max(few, 0.002)
