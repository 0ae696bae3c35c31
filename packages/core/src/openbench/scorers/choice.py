"""Scores the choices that an answer names: one letter, or exactly those of all right choices."""

import re
from collections.abc import Mapping, Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.choices import choices_of
from openbench.scorers.cleaning import cut_run_on, plain, strip_reasoning
from openbench.scorers.mcq import extract_mcq_answer, offered_options
from openbench.scorers.reasons import unanswered

_ANSWER = r"answers?[^\S\n]*+:\s{0,8}+(.{1,200})$"
_ANNOUNCED = re.compile(rf"^[^\w\n]*+{_ANSWER}", re.IGNORECASE | re.MULTILINE)
_ANNOUNCED_WITHIN = re.compile(rf"(?<![^\W_])(?<!wrong )(?<!incorrect ){_ANSWER}", re.IGNORECASE | re.MULTILINE)
_BETWEEN = re.compile(r"\b(?:and|AND)\b|\\boxed|[\s,;&+/|、()\[\]{}.\"']")


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

    The solver multiple_choice asks for this form. Letters that are no choice make no answer. What is a choice's text is
    that choice, so that `ANSWER: AB` may be a blood group. Letters in lower case must stand apart, as "bad" is a word.
    """
    announced = _announced(completion)
    if named := choices_of(list(options), list(options.values())).named(announced):
        return {named}
    parts = _BETWEEN.sub(" ", announced.partition(". ")[0]).split()
    letters = "".join(parts)
    stand_apart = len(parts) > 1 and len(parts) == len(letters) and letters.isalpha()
    if len(letters) > 1 and (stand_apart or letters.isupper()) and set(letters.upper()) <= options.keys():
        return set(letters.upper())
    if stand_apart:
        return set()  # one of several is no choice
    single = extract_mcq_answer(completion, list(options), list(options.values()))
    return {single} if single else set()


def _announced(completion: str) -> str:
    """Return what follows the last `ANSWER:`, one that begins its line if there is any; "" without one."""
    said = plain(cut_run_on(strip_reasoning(completion)))
    announced = _ANNOUNCED.findall(said) or _ANNOUNCED_WITHIN.findall(said)
    return str(announced[-1]) if announced else ""


@scorer(metrics=[accuracy(), stderr()])
def choice() -> Scorer:
    """Score the choices that an answer names; see `score_choices`.

    They are read from the answer alone. What a solver marked is not in the log, so that a scorer of marks finds every
    answer wrong when the log is scored again.
    """

    async def score(state: TaskState, target: Target) -> Score:
        return score_choices(state.output.completion, list(target), offered_options(state))

    return score
