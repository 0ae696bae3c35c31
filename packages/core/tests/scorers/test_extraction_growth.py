"""The time that extraction takes grows with the length of the completion, whatever it is made of."""

# ruff: noqa: RUF001 -- punctuation of other scripts is what is tested

import random
import time
from collections.abc import Callable

import pytest

from openbench.scorers.answer_phrases import ENGLISH
from openbench.scorers.exact import score_exact
from openbench.scorers.extraction import extract_mcq_answer
from openbench.scorers.pattern import compile_pattern, score_pattern

TABLES = ["answers", "options", "choices", "conclusions", "verdicts", "links", "nouns", "fillers", "no_answers"]
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
    **{f"all {table}": repeated(getattr(ENGLISH, table).replace("|", " ") + " ") for table in TABLES},
    "all questions": repeated("".join(f"\n{word} 2" for word in ENGLISH.questions.split("|"))),
    "nested tags": repeated("<think>a<think>b</think>c"),
    "a line that goes on": repeated(" ", "A. x"),
    **combinations(120),
}


TEXTS = ["London", "Paris", "- 1", "(x)"]


def by_letter(completion: str) -> None:
    extract_mcq_answer(completion, options=TEXTS)


SCORERS: dict[str, Callable[[str], object]] = {
    "exact": lambda completion: score_exact(completion, ["5"], normalise=True),
    "pattern": lambda completion: score_pattern(completion, ["5"], compile_pattern(r"answer is:? *(\S+)")),
}


def seconds(read: Callable[[str], object], completion: str) -> float:
    start = time.process_time()
    read(completion)
    return time.process_time() - start


def takes_its_share(read: Callable[[str], object], hostile: Callable[[int], str]) -> bool:
    """Tell whether eight times the length takes about eight times as long; quadratic time would be 64 times as long."""
    # What takes less than two milliseconds is not worth telling apart.
    if seconds(read, hostile(24_000)) < 24 * 0.002:
        return True
    # The best of three, since other work on the machine only ever adds.
    few, many = (min(seconds(read, hostile(length)) for _ in range(3)) for length in (3_000, 24_000))
    return many < 24 * max(few, 0.002)


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_eight_times_the_length_takes_no_more_than_its_share(hostile: Callable[[int], str]):
    assert takes_its_share(by_letter, hostile)


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_scorer_of_free_text_takes_no_more_than_its_share(scorer: str):
    runs = {name: hostile for name, hostile in HOSTILE.items() if not name.startswith("all ")}
    assert [name for name, hostile in runs.items() if not takes_its_share(SCORERS[scorer], hostile)] == []
