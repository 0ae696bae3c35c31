r"""Fallback chain: several ways to find the answer; the first that finds one counts."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Literal, get_args

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.answer_phrases import ENGLISH, Language, find_language
from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.matching import same_text, score_answer
from openbench.scorers.pattern import compile_pattern, find_answer
from openbench_scorers.boxed import same_formula
from openbench_scorers.boxes import last_boxed
from openbench_scorers.numerals import PLACES, Number

Extraction = Callable[[str], str | None]
Comparison = Literal["exact", "normalised", "formula"]

DEFAULT_CHAIN = ("boxed", "announced", "last_line")

_PATTERN = "pattern:"
_WRAPPING = " \t*_`\"'$:\uff1a"


@cache
def _announcement(language: Language) -> re.Pattern[str]:
    answer = "|".join(re.escape(word) for word in language.answers.split("|") if not word.startswith("\\"))
    return re.compile(
        rf"####|(?<![a-z])(?:{answer})(?![a-z])(?:[^:\uff1a=]{{0,60}}?(?:[:\uff1a=]|\bis\b)|(?:{language.particles}))",
        re.IGNORECASE,
    )


def announced(text: str, language: Language = ENGLISH) -> str | None:
    """Return the text after the last announcement: `Answer: 5`, `the answer is 5`, `#### 5`.

    It is the rest of the line, or else the next line, without surrounding markup and a final full stop.
    """
    below, pattern = None, _announcement(language)
    for line in reversed(text.splitlines()):
        announcements = list(pattern.finditer(line))
        if announcements and (answer := _bare(line[announcements[-1].end() :]) or below):
            return answer
        below = _bare(line) or below
    return None


def last_line(text: str) -> str | None:
    """Return the last line that is not blank; None if all are."""
    lines = text.rstrip().splitlines()
    return _bare(lines[-1]) if lines else None


def _number_text(find: Callable[..., Number | None], text: str) -> str | None:
    number = find(text)
    return number.text if number else None


EXTRACTIONS: Mapping[str, Extraction] = {
    "boxed": last_boxed,
    "announced": announced,
    **{name: partial(_number_text, find) for name, find in PLACES.items()},
    "last_line": last_line,
    "text": lambda text: text.strip() or None,
}
"""The ways to find an answer, by name."""

_COMPARISONS: Mapping[str, Callable[[str, str], bool]] = {
    "exact": lambda answer, target: answer == target.strip(),
    "normalised": same_text,
    "formula": same_formula,
}


def extractions(names: str | Sequence[str], language: Language = ENGLISH) -> list[Extraction]:
    """Return extractions by name, including `pattern:REGEX` (see `openbench.scorers.pattern`).

    Raises:
        UsageError: A name is unknown, there are no names, or a pattern cannot be compiled.
    """
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise UsageError(f"The chain of extractions is empty. Name at least one of {_known()}.")
    return [_extraction(name, language) for name in names]


def score_fallback(
    completion: str,
    targets: Sequence[str],
    chain: Sequence[Extraction],
    *,
    same: Callable[[str, str], bool] = same_formula,
    language: Language = ENGLISH,
) -> Score:
    """Score the answer that the first extraction of a chain finds.

    Reasoning between tags and further questions that a base model generates are not searched.

    Args:
        completion: The model's completion.
        targets: The correct answers, any one of which suffices.
        chain: The extractions, from the most to the least explicit.
        same: Returns whether an answer is the same as a target.
        language: The language of further questions.

    Returns:
        Correct or incorrect. A completion in which none finds an answer is incorrect and unanswered; a sample without a
        target is unscored.
    """
    text = cut_run_on(strip_reasoning(completion), language)
    answer = next((found for extraction in chain if (found := extraction(text))), None)
    return score_answer(completion, answer, targets, same)


@scorer(metrics=[accuracy(), stderr()])
def fallback(
    chain: Sequence[str] = DEFAULT_CHAIN, compare: Comparison = "formula", language: str = ENGLISH.name
) -> Scorer:
    r"""Score the answer that the first extraction of a chain finds: 1 for correct, 0 for wrong, higher is better.

    Args:
        chain: Names of extractions: `boxed`, `announced`, `first_number`, `last_number`, `first_integer`,
            `last_integer`, `last_line`, `text` (all of it) or `pattern:REGEX`.
        compare: How an answer is compared: `exact` equality; `normalised` (see `openbench.scorers.exact`); or
            `formula` (see `openbench_scorers.boxed`).
        language: The language of announcements and of further questions; see `openbench.scorers.answer_phrases`.

    Raises:
        UsageError: The extraction, the comparison or the language is unknown, or a pattern cannot be compiled.
    """
    if compare not in get_args(Comparison):
        raise UsageError(f"fallback: compare={compare!r}: expected one of {', '.join(get_args(Comparison))}.")
    known = find_language(language)
    found, same = extractions(chain, known), _COMPARISONS[compare]

    async def score(state: TaskState, target: Target) -> Score:
        return score_fallback(state.output.completion, list(target), found, same=same, language=known)

    return score


def _extraction(name: str, language: Language) -> Extraction:
    if name.startswith(_PATTERN):
        regex = compile_pattern(name.removeprefix(_PATTERN))
        return lambda text: find_answer(text, regex)
    if name not in EXTRACTIONS:
        raise UsageError(f"Unknown extraction {name!r}. Known: {_known()}.")
    return partial(announced, language=language) if name == "announced" else EXTRACTIONS[name]


def _known() -> str:
    return f"{', '.join(EXTRACTIONS)} and {_PATTERN}REGEX"


def _bare(text: str) -> str | None:
    text = text.strip(_WRAPPING)
    return text.removesuffix(".").rstrip(_WRAPPING) or None
