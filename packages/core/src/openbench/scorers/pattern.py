"""Pattern: the answer is the text that a regular expression matches."""

import re
from collections.abc import Sequence
from typing import Literal, get_args

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import score_answer

Which = Literal["first", "last"]

_GROUP = "answer"


def find_answer(text: str, regex: re.Pattern[str], which: Which = "last") -> str | None:
    """Return the answer that a pattern matches: its group `answer`, else its first group that matched, else the match.

    Returns:
        The first or last answer that is not blank, stripped; None if there is none.
    """
    answers = (answer for match in regex.finditer(text) if (answer := _answer(match).strip()))
    return next(answers, None) if which == "first" else [None, *answers][-1]


def score_pattern(
    completion: str,
    targets: Sequence[str],
    regex: re.Pattern[str],
    *,
    which: Which = "last",
    ignore_case: bool = True,
) -> Score:
    """Score the answer that a pattern matches in a completion, outside of reasoning tags.

    No time limit applies to the pattern.

    Args:
        completion: The model's answer.
        targets: The correct answers, of which one is enough.
        regex: The pattern; its answer is that of `find_answer`.
        which: The match that is the answer if there are several.
        ignore_case: Ignore letter case in the comparison; the pattern has a flag for its matches.

    Returns:
        Correct or incorrect; a completion without a match is incorrect and unanswered, and a sample without a target
        unscored.
    """
    fold = str.casefold if ignore_case else str
    answer = find_answer(strip_reasoning(completion), regex, which)
    return score_answer(completion, answer, targets, lambda found, target: fold(found) == fold(target.strip()))


@scorer(metrics=[accuracy(), stderr()])
def pattern(regex: str, which: Which = "last", ignore_case: bool = True) -> Scorer:
    """Score the answer that a regular expression matches in completions: 1 for correct, 0 for wrong, higher is better.

    Args:
        regex: The pattern, of Python's `re`. The answer is its group `answer`, else its first group, else its match.
        which: Which match is the answer: the `first` or the `last`.
        ignore_case: Ignore letter case in the pattern and in the comparison.

    Raises:
        UsageError: The pattern cannot be compiled, or `which` is unknown.
    """
    if which not in get_args(Which):
        raise UsageError(f"pattern: which={which!r}: expected one of {', '.join(get_args(Which))}.")
    compiled = compile_pattern(regex, ignore_case=ignore_case)

    async def score(state: TaskState, target: Target) -> Score:
        return score_pattern(state.output.completion, list(target), compiled, which=which, ignore_case=ignore_case)

    return score


def compile_pattern(regex: str, *, ignore_case: bool = True) -> re.Pattern[str]:
    """Compile a user's pattern; `^` and `$` match at the ends of lines.

    Raises:
        UsageError: It cannot be compiled.
    """
    try:
        return re.compile(regex, re.MULTILINE | (re.IGNORECASE if ignore_case else 0))
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"pattern {regex!r} is not a regular expression of Python's re: {error}.") from error


def _answer(match: re.Match[str]) -> str:
    if _GROUP in match.re.groupindex:
        return match[_GROUP] or ""
    if match.re.groups:
        return next((group for group in match.groups() if group is not None), "")
    return match[0]
