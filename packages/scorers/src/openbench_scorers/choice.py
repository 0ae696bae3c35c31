"""Scores the choices that an answer names: one letter, or exactly those of all correct choices."""

import re
from collections.abc import Mapping, Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.answer_phrases import ENGLISH, Language, find_language
from openbench.scorers.cleaning import cut_run_on, plain, strip_reasoning
from openbench.scorers.extraction import Choices
from openbench.scorers.mcq import extract_mcq_answer, offered_options
from openbench.scorers.reasons import unanswered

_ANSWER = r"answers?[^\S\n]*+:\s{0,8}+(.{1,200})$"
_ANNOUNCED = re.compile(rf"^[^\w\n]*+{_ANSWER}", re.IGNORECASE | re.MULTILINE)
_ANNOUNCED_WITHIN = re.compile(rf"(?<![^\W_])(?<!wrong )(?<!incorrect ){_ANSWER}", re.IGNORECASE | re.MULTILINE)
_BETWEEN = re.compile(r"\b(?:and|AND)\b|\\boxed|[\s,;&+/|、()\[\]{}.\"']")


def score_choices(
    completion: str, targets: Sequence[str], options: Mapping[str, str], *, language: Language = ENGLISH
) -> Score:
    """Score one completion.

    Args:
        completion: The model's answer.
        targets: The letters of all correct choices.
        options: The choices' texts by letter.
        language: The language of the announcements.

    Returns:
        Correct if the answer names exactly the targets, else incorrect; with a reason if there is no answer.
    """
    named = named_letters(completion, options, language)
    if not named:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    value = CORRECT if named == set(targets) else INCORRECT
    return Score(value=value, answer=", ".join(sorted(named)), explanation=completion)


def named_letters(completion: str, options: Mapping[str, str], language: Language = ENGLISH) -> set[str]:
    """Return the letters of a completion's answer: its last `ANSWER: A, C`, or the letter that it announces.

    The solver multiple_choice asks for this form. Letters that are not a choice are not an answer. A choice's text is
    that choice: `ANSWER: AB` may be a blood group. Letters in lower case must be separated, since "bad" is a word.
    """
    announced = _announced(completion, language)
    if named := Choices(list(options), list(options.values())).named(announced):
        return {named}
    parts = _BETWEEN.sub(" ", announced.partition(". ")[0]).split()
    letters = "".join(parts)
    stand_apart = len(parts) > 1 and len(parts) == len(letters) and letters.isalpha()
    if len(letters) > 1 and (stand_apart or letters.isupper()) and set(letters.upper()) <= options.keys():
        return set(letters.upper())
    if stand_apart:
        return set()  # several choices were asked for, and one letter is not enough
    single = extract_mcq_answer(completion, list(options), list(options.values()), language=language)
    return {single} if single else set()


def _announced(completion: str, language: Language) -> str:
    """Return the text after the last `ANSWER:`, preferably one that begins its line; "" without one."""
    text = plain(cut_run_on(strip_reasoning(completion), language))
    announced = _ANNOUNCED.findall(text) or _ANNOUNCED_WITHIN.findall(text)
    return str(announced[-1]) if announced else ""


@scorer(metrics=[accuracy(), stderr()])
def choice(language: str = ENGLISH.name) -> Scorer:
    """Score the choices that an answer names; see `score_choices`.

    They are read from the answer alone. The choices that a solver marks are not in the log, so a scorer of marks would
    find every answer wrong when the log is rescored.

    Args:
        language: The language of the announcements; see `openbench.scorers.answer_phrases`.
    """
    known = find_language(language)

    async def score(state: TaskState, target: Target) -> Score:
        return score_choices(state.output.completion, list(target), offered_options(state), language=known)

    return score
