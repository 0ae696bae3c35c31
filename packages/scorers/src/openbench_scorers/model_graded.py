"""Model-graded scoring: asks another model for a grade, and reads the grade strictly.

If a verdict cannot be read, the caller leaves the sample unscored and it is counted: a grade that defaults to wrong
would blame the model for a failure of the grader.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, Model, get_model

from openbench.scorers.cleaning import plain, strip_reasoning
from openbench.scorers.grading import GRADER_ROLE, GRADING_KEY
from openbench.scorers.reasons import is_missing
from openbench_scorers.boxes import last_boxed
from openbench_scorers.responses import MARKUP

# The words before `answer` in a grader's own verdict, and in its description of the graded answer.
_OWN = "the|my|so|thus|hence|therefore|final"
_GRADED = "this|predicted|given|submitted|model's|student's"


@dataclass(frozen=True)
class Verdict:
    """The verdict of a grader.

    Attributes:
        grade: The grade's letter; None if it cannot be read.
        text: The grader's whole output.
        missing: Whether the grader returned no text, but at most a server error.
    """

    grade: str | None
    text: str
    missing: bool = False


def resolve_grader(grader_model: str | Model | None, default: str) -> Model:
    """Return the grader: the task's argument first, then the `grader` role, then the benchmark's default."""
    if grader_model is not None:
        return get_model(grader_model)
    return get_model(role=GRADER_ROLE, default=default)


async def ask_grader(
    grader: Model,
    prompt: str,
    *,
    grades: Mapping[str, str],
    answer: str,
    targets: Sequence[str],
    system: str | None = None,
) -> Verdict:
    """Ask a grader for one of several grades, each with a letter.

    Args:
        grader: The model that grades.
        prompt: The whole grading prompt.
        grades: The grades' names by letter; the first is for a correct answer, the second for a wrong one.
        answer: The graded answer, sent as metadata with the prompt for graders that are not models.
        targets: The correct answers, likewise.
        system: The system message, if any.
    """
    metadata = {GRADING_KEY: {"grades": list(grades), "answer": answer, "targets": list(targets)}}
    messages: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
    output = await grader.generate([*messages, ChatMessageUser(content=prompt, metadata=metadata)])
    missing = is_missing(output)
    return Verdict(None if missing else read_grade(output.completion, grades), output.completion, missing)


def read_grade(text: str, grades: Mapping[str, str]) -> str | None:
    r"""Read a grade: a letter, its name, or both as in `A (CORRECT)`; reasoning between tags is ignored.

    It is the first of these that is present: the whole text; the content of the last `\boxed{X}`; the last line; the
    last `grade: X`, `verdict: X` or `graded as X`; the first line, or its part before a colon; a sentence at the end of
    a line like `The answer is X`.

    Returns:
        The letter; None if none of these is present, as in `A good answer` or `CORRECTED`, or if the grade is
        ambiguous, as in `grade: A or B`, `A (INCORRECT)` and `I would not grade it as A`.
    """
    text = strip_reasoning(text)
    known = {_plain(name): letter for letter, name in grades.items()}
    known |= {letter.lower(): letter for letter in grades}
    lines = text.strip().splitlines() or [""]
    patterns = _patterns(tuple(grades.items()))
    for place in (text, plain(last_boxed(text) or ""), lines[-1]):
        if patterns.grades.fullmatch(place):
            named = {known[_plain(name)] for name in patterns.either.findall(place)}
            return named.pop() if len(named) == 1 else None
    if letter := _alone(lines[-1], known, headed=True):
        return letter
    if graded := list(patterns.grade.finditer(text)):
        if graded[-1]["denied"]:
            return None
        letter = known[_plain(graded[-1]["grade"])]
        either = patterns.other.match(text, graded[-1].end())
        open_still = either and (either[1] is None or known[_plain(either[1])] != letter)
        return None if open_still else letter
    if letter := _alone(lines[0], known, headed=True):
        return letter
    answers = patterns.answer.findall(text)
    return known[_plain("".join(answers[-1]))] if answers else None


class _Patterns:
    """The patterns that find a grade in prose."""

    def __init__(self, grades: tuple[tuple[str, str], ...]) -> None:
        names = "|".join("[ _-]".join(map(re.escape, _plain(name).split())) for _, name in grades)
        letters = "|".join(re.escape(letter) for letter, _ in grades)
        either = rf"(?i:{names})|{letters}"
        link = r"\W{0,5}(?:is\W{0,5})?"
        before = rf"(?:{_OWN}|,)\s+"
        whole = rf"(?<!\w)(?:{either})(?!\w)"
        graded = rf"grade[ds]?\s(?:(?:it|this|that|(?:(?:the|{_GRADED})\s){{0,3}}(?:answer|response))\s)?as\s(?:an?\s)?"
        self.either = re.compile(whole)
        # A grade and its name, or several, and nothing else.
        self.grades = re.compile(rf"[^\w]*+(?:{whole}[^\w]*+)+")
        # `grade: X` or `graded as X`; a lower-case letter counts only at the end of a line, since `a` is a word.
        self.grade = re.compile(
            rf"(?i:(?P<denied>(?:\bnot|n't|\bnever)\s(?:be\s)?)?\b(?:(?:grade|verdict){link}|{graded}))\W{{0,3}}"
            rf"\b(?P<grade>{either}|(?i:{letters})(?=\W*$))\b",
            re.MULTILINE,
        )
        # Text after it that makes the grade ambiguous: another grade, which is the group, or prose that continues.
        self.other = re.compile(
            rf"[ *_`'\")\]]{{0,9}}(?:or\b|and\b|[/,&|])\W{{0,9}}({either})\b"
            r"|[ *_`'\")\]]{0,9}\?|[.,]\d| (?!because|since|as\b|or\b|and\b)[a-z]"
        )
        # `the answer is X` at the end of a line; its groups are a letter and a name.
        self.answer = re.compile(
            rf"(?:^|[.!?]\s)\W{{0,9}}(?:(?i:(?:{before}){{0,5}}answer{link})\b({letters}|(?i:{letters})(?=\W*$))"
            rf"|(?i:(?:{before}|(?:{_GRADED})\s+){{0,5}}answer{link})\b((?i:{names})))\b[^\w\n]*$",
            re.MULTILINE,
        )


_patterns = cache(_Patterns)


def _alone(line: str, known: Mapping[str, str], *, headed: bool = False) -> str | None:
    """Return the grade that makes up a line, or its part before a colon if `headed`."""
    stripped = line.strip(MARKUP)
    head = stripped.partition(":")[0].strip(MARKUP) if headed else ""
    return known.get(_plain(stripped)) or known.get(_plain(head))


def _plain(name: str) -> str:
    return name.lower().replace("_", " ").replace("-", " ").strip()
