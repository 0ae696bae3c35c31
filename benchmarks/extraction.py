"""Multiple-choice extraction: microseconds a completion, and how far it agrees with the labels of real worked answers.

Each time is the fastest of many runs, since other work on the machine only ever adds.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from openbench.scorers.answer_phrases import ENGLISH, find_language
from openbench.scorers.extraction import extract_mcq_answer

LETTERS = ascii_uppercase[:10]
SIZES = {"200 B": 200, "1 kB": 1_000, "4 kB": 4_000}
MEGABYTE = 1_000_000
BOUND = 100.0
OPTIONS = ["The oxygen of the carriers", "Two carriers", "None of the membranes", "A loss of energy at noon"]
REAL_FILES = ("raw/agieval/aqua-rat.jsonl", "raw/agieval/sat-math.jsonl")


class Writing(NamedTuple):
    """How completions are written: sentences that announce nothing, an answer, and the language that reads it."""

    sentences: list[str]
    answer: str
    language: str = ENGLISH.name


WRITINGS = {
    "English": Writing(
        [
            "The light reactions take place in the thylakoid membranes and produce two carriers of energy.",
            "Option A leaves out the oxygen that is released, and option D confuses the stroma with the membrane.",
            "At high temperatures the enzymes begin to unfold, so the rate falls off towards noon.",
            "Plants that live in dry places separate the two stages, either in space or in time.",
        ],
        "The answer is (C).",
    ),
    "Korean": Writing(
        [
            "먼저 주어진 지문을 자세히 읽어야 합니다.",
            "지문에 따르면 왕은 새로운 수도를 세웠고, 백성들은 그 소식을 듣고 기뻐하였습니다.",
            "첫 번째 문장은 지문과 맞지 않고, 두 번째 문장은 시기를 잘못 말하고 있습니다.",
        ],
        "정답은 C입니다.",
        "any",
    ),
    "Hindi": Writing(
        [
            "पहले हम दिए गए कथनों को ध्यान से पढ़ते हैं।",
            "पहला कथन कहता है कि नदी पूर्व की ओर बहती है, जबकि दूसरा कथन इसके विपरीत है।",
            "तीसरे कथन में वर्ष गलत लिखा गया है।",
        ],
        "सही उत्तर: (ग)",
        "any",
    ),
    "LaTeX": Writing(
        [
            r"We have $f(x) = \frac{x^2 - 1}{x + 1}$ for all $x \neq -1$.",
            r"Cancelling the common factor gives $f(x) = x - 1$, and $f'(x) = 1$.",
            r"Then \[\int_0^2 f(x)\,dx = \left[\tfrac{x^2}{2} - x\right]_0^2 = 0.\]",
        ],
        r"$\boxed{C}$",
    ),
}
PLACES: dict[str, Callable[[str, str], str]] = {
    "late": lambda prose, answer: f"{prose}\n\n{answer}",
    "early": lambda prose, answer: f"{answer}\n\n{prose}",
    "nowhere": lambda prose, _: prose,
}


def prose_of(writing: Writing, size: int) -> str:
    """Return sentences of at least this many bytes."""
    prose = ""
    for sentence in cycle(writing.sentences):
        prose += sentence + " "
        if len(prose.encode()) >= size:
            return prose.strip()
    raise AssertionError


def microseconds(
    completion: str, options: Sequence[str] | None = None, *, runs: int, language: str = ENGLISH.name
) -> float:
    """Return how long the fastest of some runs takes, with the options' texts or with their letters alone."""
    letters, known = None if options else LETTERS, find_language(language)
    fastest = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        extract_mcq_answer(completion, letters, options, language=known)
        fastest = min(fastest, time.perf_counter() - start)
    return fastest * 1e6


def report_made_up() -> None:
    """Print the time for usual completions of each size, by writing and by where the answer stands."""
    print(f"microseconds a completion; bound {BOUND:.0f} for a usual one of 1 kB")
    print(f"{'':<16}" + "".join(f"{size:>10}" for size in SIZES) + f"{'1 kB, options':>16}{'1 MB, ms':>12}")
    for name, writing in WRITINGS.items():
        for place, put in PLACES.items():
            texts = [put(prose_of(writing, size), writing.answer) for size in SIZES.values()]
            asked = {"language": writing.language}
            times = [microseconds(text, runs=3_000, **asked) for text in texts]
            known = microseconds(put(prose_of(writing, 1_000), writing.answer), OPTIONS, runs=3_000, **asked)
            long = microseconds(put(prose_of(writing, MEGABYTE), writing.answer), runs=5, **asked) / 1e3
            print(
                f"{name + ', ' + place:<16}" + "".join(f"{time:10.1f}" for time in times) + f"{known:16.1f}{long:12.1f}"
            )


def real_rows() -> Iterator[Mapping[str, Any]]:
    """Yield rows of public exams that come with a worked answer."""
    folder = Path(os.environ.get("OPENBENCH_REAL_DATA", ""))
    for path in (folder / name for name in REAL_FILES):
        if path.is_file():
            rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
            yield from (row for row in rows if row["label"] and row["other"] and row["other"]["solution"])


def report_real() -> None:
    """Print times for real worked answers, and how many of those that give a letter give the label's."""
    rows = list(real_rows())
    if not rows:
        print(f"\nno real answers: OPENBENCH_REAL_DATA names no folder with {' or '.join(REAL_FILES)}")
        return
    answers = [row["other"]["solution"] for row in rows]
    times = sorted(microseconds(answer, runs=50) for answer in answers)
    read = [
        extract_mcq_answer(answer, ascii_uppercase[: len(row["options"])])
        for answer, row in zip(answers, rows, strict=True)
    ]
    given = sum(letter is not None for letter in read)
    right = sum(letter == row["label"] for letter, row in zip(read, rows, strict=True))
    middle, tail = times[len(times) // 2], times[len(times) * 95 // 100]
    print(f"\n{len(rows)} real worked answers, {sum(map(len, answers)) // len(rows)} characters on average")
    print(f"median {middle:.1f} us, 95th percentile {tail:.1f} us")
    print(f"{given} give a letter; {right} of these ({right / given:.1%}) give the letter of the label")
    if "--show" in sys.argv:
        for answer, letter, row in zip(answers, read, rows, strict=True):
            if letter != row["label"]:
                print(f"\n{letter} for {row['label']}: ...{answer[-200:]}")


if __name__ == "__main__":
    report_made_up()
    report_real()
