"""Numeric: the answer is a number, compared by its value."""

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
    """Create the function that reads the number that a completion answers with.

    Args:
        extract: The place of the answer, or several from the most to the least explicit, of which the first with a
            number counts: names of `openbench_scorers.fallback`. In a text that is found (`boxed`,
            `announced`), it is the first number after the last equals sign.
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
    """Score the number that a completion answers with.

    Reasoning between tags and a base model's run-on into further questions are not read.

    Args:
        completion: The model's answer; see `openbench_scorers.numerals` for how numbers may be written.
        targets: The correct answers, of which one is enough; each is one number (`18`, `$1,200`, `3/4`, `18 dollars`).
        read: Reads the number of the answer.
        rule: When it is the same as a target; by default their values must be equal.
        decimal: The decimal mark of the targets. If none is a number with it, but one is with the other mark, as `1,22`
            is with a comma, targets are read with that one.
        read_other: Reads the number of the answer with the other mark, which counts as well in that case.
        language: The language of further questions.

    Returns:
        Correct or incorrect; a completion without a number is incorrect and unanswered, and a sample whose targets
        hold no number unscored.
    """
    right, reads = _numbers(targets, decimal), [read]
    # In brackets, a comma separates: `(3,4)`.
    if not right and (right := _numbers([each for each in targets if "(" not in each], _OTHER_MARK[decimal])):
        reads += [read_other] if read_other else []
    if not right:
        return without_target(completion, f"no target holds one number: {list(targets)!r}")
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
    """Score the number that completions answer with: 1 for correct, 0 for wrong, higher is better.

    Args:
        extract: The place of the number: `last_number`, `first_number`, `last_integer`, `first_integer`, another
            extraction of `openbench_scorers.fallback`, or several, of which the first with a number counts.
        absolute: The tolerated distance from the target.
        relative: Likewise, as a share of the target; the larger of both counts.
        percent: With `either`, `50 %` is 50 as well as 0.5; with `exact`, it is 0.5.
        units: What one of each unit is in a common one, as in `{"m": 1, "km": 1000}`; by default units do not matter.
        decimal: The decimal mark in completions and targets: `.` or `,`; the other one where no target is a number
            otherwise.
        language: The language of announcements and of further questions; see `openbench.scorers.answer_phrases`.

    Raises:
        UsageError: An argument has a value that it cannot have, or the language is not installed.
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
