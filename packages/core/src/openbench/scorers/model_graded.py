"""Model-graded scoring: ask another model for a grade, and read the grade strictly.

A verdict that cannot be read is no verdict: the caller leaves the sample unscored and it is counted, since a
grade that defaults to wrong turns a grader's trouble into the model's.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessage, ChatMessageUser, Model, get_model

from openbench.errors import UsageError

GRADER_ROLE = "grader"

DEFAULT_GRADER_KEY = "default_grader"
"""What a scorer declares its default grader under (`@scorer(..., default_grader=...)`), so that it is checked early."""

GRADER_ARGUMENTS = ("model", "models", "grader_model")
"""The arguments of such a scorer that name one grader or several, before the role and the default."""

_METADATA_KEY = "openbench_grading"

_MARKUP = " \t\r\n.,:;!*_`'\"()[]{}<>#"


@dataclass(frozen=True)
class Verdict:
    """What a grader said.

    Attributes:
        grade: The grade's letter; None if the text holds none that can be read.
        text: All that the grader wrote.
    """

    grade: str | None
    text: str


def resolve_grader(grader_model: str | Model | None, default: str) -> Model:
    """Return the grader: the task's argument first, then the `grader` role, then the benchmark's default."""
    if grader_model is not None:
        return get_model(grader_model)
    return get_model(role=GRADER_ROLE, default=default)


async def ask_grader(
    grader: Model, prompt: str, *, grades: Mapping[str, str], answer: str, targets: Sequence[str]
) -> Verdict:
    """Ask a grader for one of several lettered grades.

    Args:
        grader: The model that grades.
        prompt: The whole grading prompt.
        grades: The grades' names by letter; the first is the one for a right answer, the second for a wrong one.
        answer: The answer under grading. It goes with the prompt as metadata, for graders that are no models.
        targets: The right answers, likewise.
    """
    metadata = {_METADATA_KEY: {"grades": list(grades), "answer": answer, "targets": list(targets)}}
    output = await grader.generate([ChatMessageUser(content=prompt, metadata=metadata)])
    return Verdict(read_grade(output.completion, grades), output.completion)


def read_grade(text: str, grades: Mapping[str, str]) -> str | None:
    """Read a grade: the whole text, its last line, or the last `grade: X` must be a letter or a grade's name.

    Returns:
        The letter; None if there is no such place, as in `A good answer` or `CORRECTED`.
    """
    names = {_plain(name): letter for letter, name in grades.items()}
    names |= {letter.lower(): letter for letter in grades}
    lines = text.strip().splitlines()
    explicit = _explicit(grades).findall(text)
    for place in (text, lines[-1] if lines else "", *explicit[-1:]):
        stripped = place.strip(_MARKUP)
        head = stripped.partition(":")[0].strip(_MARKUP)
        for candidate in (stripped, head):
            if _plain(candidate) in names:
                return names[_plain(candidate)]
    return None


def _explicit(grades: Mapping[str, str]) -> re.Pattern[str]:
    """Make the pattern of `grade: X`; a small letter counts at the end of a line only, since `a` is a word."""
    names = "|".join("[ _-]".join(map(re.escape, _plain(name).split())) for name in grades.values())
    letters = "|".join(map(re.escape, grades))
    return re.compile(
        rf"(?i:\b(?:grade|verdict|answer)\W{{0,5}}(?:is\W{{0,5}})?)\b((?i:{names})|{letters}|(?i:{letters})(?=\W*$))\b",
        re.MULTILINE,
    )


def exact_match_verdict(message: ChatMessage) -> str:
    """Grade a prompt of `ask_grader` by comparing the answer with the targets, letter case and space aside.

    Raises:
        UsageError: The message is no such prompt.
    """
    grading = (message.metadata or {}).get(_METADATA_KEY)
    if not grading:
        raise UsageError(
            "baseline/grader can only grade prompts of openbench.scorers.model_graded.ask_grader. "
            "Name a model with --model-role grader=PROVIDER/MODEL."
        )
    right, wrong = grading["grades"][:2]
    targets = {_folded(target) for target in grading["targets"]}
    return str(right if _folded(grading["answer"]) in targets else wrong)


def _plain(name: str) -> str:
    return name.lower().replace("_", " ").replace("-", " ").strip()


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
