"""Scores a number by its value."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import get_args

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.answer_phrases import ENGLISH, Language, find_language
from openbench.scorers.cleaning import cut_run_on, strip_reasoning
from openbench.scorers.matching import given, without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.fallback import Extraction, extractions
from openbench_scorers.numerals import (
    PLACES,
    DecimalMark,
    Number,
    NumberRule,
    Percent,
    first_number,
    last_number,
    read_number,
)

Reader = Callable[[str], Number | None]

_OTHER_MARK: Mapping[DecimalMark, DecimalMark] = {".": ",", ",": "."}


def number_reader(
    extract: str | Sequence[str] = "last_number", decimal: DecimalMark = ".", language: Language = ENGLISH
) -> Reader:
    """Create the function that reads the number in a completion's answer.

    Args:
        extract: An extraction of `openbench_scorers.fallback`, or several, from the most to the least explicit; the
            first that finds a number counts. In an extracted text (`boxed`, `announced`), it is the first number after
            the last equals sign.
        decimal: The decimal mark.
        language: The language of the announcements.

    Raises:
        UsageError: The extraction or the decimal mark is unknown.
    """
    if decimal not in get_args(DecimalMark):
        raise UsageError(f"decimal={decimal!r}: expected '.' or ','.")
    names = [extract] if isinstance(extract, str) else list(extract)
    found = extractions(names, language)
    places = [_place(name, extraction, decimal) for name, extraction in zip(names, found, strict=True)]

    def read(text: str) -> Number | None:
        return next((number for place in places if (number := place(text))), None)

    return read


def score_numeric(
    completion: str,
    targets: Sequence[str],
    *,
    read: Reader = last_number,
    rule: NumberRule | None = None,
    decimal: DecimalMark = ".",
    read_other: Reader | None = None,
    language: Language = ENGLISH,
) -> Score:
    """Score the number in a completion's answer.

    Reasoning between tags and further questions that a base model generates are not read.

    Args:
        completion: The model's completion; see `openbench_scorers.numerals` for the notation of numbers.
        targets: The correct answers, any one of which suffices; each is one number (`18`, `$1,200`, `3/4`,
            `18 dollars`).
        read: Reads the number of the answer.
        rule: The rule for equality; by default, values must be equal.
        decimal: The decimal mark of the targets. If no target is a number with this mark, but one is with the other, as
            `1,22` with a comma, targets are read with the other.
        read_other: Reads the number of the answer with the other mark, which is then also accepted.
        language: The language of further questions.

    Returns:
        Correct or incorrect. A completion without a number is incorrect and unanswered; a sample whose targets contain
        no number is unscored.
    """
    right, reads = _numbers(targets, decimal), [read]
    # In brackets, a comma separates numbers: `(3,4)`.
    if not right and (right := _numbers([each for each in targets if "(" not in each], _OTHER_MARK[decimal])):
        reads += [read_other] if read_other else []
    if not right:
        return without_target(completion, f"no target consists of one number: {list(targets)!r}")
    text = cut_run_on(strip_reasoning(completion), language)
    answers = [number for each in reads if (number := each(text))]
    if not answers:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    rule = rule or NumberRule()
    same = next((answer for answer in answers if any(rule.same(answer, target) for target in right)), None)
    return Score(value=CORRECT if same else INCORRECT, answer=(same or answers[-1]).text, explanation=completion)


def _numbers(targets: Sequence[str], decimal: DecimalMark) -> list[Number]:
    return [number for target in given(targets) if (number := read_number(target, decimal))]


@scorer(metrics=[accuracy(), stderr()])
def numeric(
    extract: str | Sequence[str] = "last_number",
    absolute: float = 0.0,
    relative: float = 0.0,
    percent: Percent = "either",
    units: Mapping[str, float] | None = None,
    decimal: DecimalMark = ".",
    language: str = ENGLISH.name,
) -> Scorer:
    """Score the number in a completion's answer: 1 for correct, 0 for wrong, higher is better.

    Args:
        extract: The extraction: `last_number`, `first_number`, `last_integer`, `first_integer`, another one of
            `openbench_scorers.fallback`, or several, of which the first that finds a number counts.
        absolute: The absolute tolerance.
        relative: The relative tolerance, as a share of the target; the larger tolerance applies.
        percent: With `either`, `50 %` is 50 as well as 0.5; with `exact`, it is 0.5.
        units: The size of each unit in a common one, such as `{"m": 1, "km": 1000}`; by default, units are ignored.
        decimal: The decimal mark in completions and targets: `.` or `,`. The other one is used if no target is a number
            with this one.
        language: The language of announcements and of further questions; see `openbench.scorers.answer_phrases`.

    Raises:
        UsageError: An argument is invalid, or the language is not installed.
    """
    known = find_language(language)
    read, read_other = (number_reader(extract, mark, known) for mark in (decimal, _OTHER_MARK.get(decimal, ".")))
    rule = NumberRule(absolute=absolute, relative=relative, percent=percent, units=units)

    async def score(state: TaskState, target: Target) -> Score:
        completion = state.output.completion
        readers = {"read": read, "read_other": read_other}
        return score_numeric(completion, list(target), **readers, rule=rule, decimal=decimal, language=known)

    return score


def _place(name: str, extraction: Extraction, decimal: DecimalMark) -> Reader:
    if name in PLACES:
        return partial(PLACES[name], decimal=decimal)
    return lambda text: first_number((extraction(text) or "").rpartition("=")[2], decimal)
