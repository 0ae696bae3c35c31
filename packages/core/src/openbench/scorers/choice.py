"""Scores the choices that an answer names: one letter, or exactly those of all right choices."""

import re
from collections.abc import Mapping, Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.mcq import extract_mcq_answer, offered_options
from openbench.scorers.reasons import unanswered

_ANNOUNCED = re.compile(r"^\W*answers?\s*:(.{1,200})$", re.IGNORECASE | re.MULTILINE)
_BETWEEN = re.compile(r"\band\b|[\s,;&()*$.]")


def score_choices(completion: str, targets: Sequence[str], options: Mapping[str, str]) -> Score:
    """Score one completion.

    Args:
        completion: What the model answered.
        targets: The letters of all right choices.
        options: The choices' texts by letter.

    Returns:
        Correct if the answer names exactly the targets, else incorrect; without an answer, the reason says so.
    """
    named = named_letters(completion, options)
    if not named:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    value = CORRECT if named == set(targets) else INCORRECT
    return Score(value=value, answer=", ".join(sorted(named)), explanation=completion)


def named_letters(completion: str, options: Mapping[str, str]) -> set[str]:
    """Return the letters that a completion answers with: the last `ANSWER: A, C` in it, or the one that it announces.

    The solver multiple_choice asks for this form. Letters that are no choice make no answer.
    """
    announced = _ANNOUNCED.findall(completion)
    letters = _BETWEEN.sub("", announced[-1]) if announced else ""
    if len(letters) > 1 and set(letters) <= options.keys():
        return set(letters)
    single = extract_mcq_answer(completion, list(options), list(options.values()))
    return {single} if single else set()


@scorer(metrics=[accuracy(), stderr()])
def choice() -> Scorer:
    """Score the choices that an answer names; see `score_choices`.

    They are read from the answer alone. What a solver marked is not in the log, so that a scorer of marks finds every
    answer wrong when the log is scored again.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return score_choices(state.output.completion, list(target), offered_options(state))

    return score
