"""The language of an answer, detected by the library lingua (extra `language`)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.extras import library
from openbench_scorers.responses import response

_FEWEST = 2


def score_language(completion: str, targets: Sequence[str], candidates: Sequence[str] = ()) -> Score:
    """Check that a completion is written in a language.

    Source: the library lingua, whose documentation gives its accuracy by language and text length. Single words are
    often assigned to another language; naming the candidates helps.

    Args:
        completion: The model's completion.
        targets: The correct languages, as two letters of ISO 639-1, such as `de`.
        candidates: The languages to choose from, in the same form; by default all 75 that lingua supports.

    Returns:
        Correct or incorrect, with the detected language as the answer; unscored if no language can be detected, as in
        `42`, or a target is not supported by lingua or not among the candidates.

    Raises:
        UsageError: The extra `language` is not installed, or a candidate is not supported by lingua.
    """
    wanted = [target.strip().lower() for target in targets if target.strip()]
    if not wanted:
        return without_target(completion)
    known = set(candidates) or known_languages()
    unknown = [code for code in wanted if code not in known]
    if unknown:
        return unscored(f"the target {unknown[0]!r} is not one of the languages {', '.join(sorted(known))}.")
    text = response(completion)
    if not text:
        return Score(value=INCORRECT, reason=unanswered(completion))
    found = _detector(tuple(candidates)).detect_language_of(text)
    if found is None:
        return unscored("the response is too short to detect its language.")
    code = _code(found)
    return Score(value=CORRECT if code in wanted else INCORRECT, answer=code)


def language_of(text: str) -> str | None:
    """Return the language of a text as two letters of ISO 639-1; None if it cannot be detected.

    Raises:
        UsageError: The extra `language` is not installed.
    """
    found = _detector(()).detect_language_of(text)
    return _code(found) if found else None


@scorer(metrics=[accuracy(), stderr()])
def language(expected: str | None = None, candidates: Sequence[str] = ()) -> Scorer:
    """Score with `score_language`.

    The detector is created once per process. With all languages it takes about 1 GB of memory and some seconds, with
    few candidates much less.

    Args:
        expected: The correct language, as two letters of ISO 639-1; by default the sample's target.
        candidates: The languages to choose from, at least two; by default all that lingua supports.

    Raises:
        UsageError: The extra `language` is not installed, or an option is not one of its languages.
    """
    known = known_languages()
    chosen = [code.lower() for code in candidates]
    for code in (*chosen, *([expected.lower()] if expected else ())):
        if code not in known or (chosen and code not in chosen):
            raise UsageError(f"{code!r} is not one of the languages {', '.join(sorted(chosen or known))}.")
    if chosen and len(set(chosen)) < _FEWEST:
        raise UsageError(f"candidates={list(candidates)}: expected at least two languages to choose from.")

    async def score(state: TaskState, target: Target) -> Score:
        return score_language(state.output.completion, [expected] if expected else list(target), chosen)

    return score


@cache
def known_languages() -> frozenset[str]:
    """Return the languages that lingua supports, as two letters of ISO 639-1.

    Raises:
        UsageError: The extra `language` is not installed.
    """
    return frozenset(map(_code, library("lingua", "language").Language.all()))


@cache
def _detector(candidates: tuple[str, ...]) -> Any:
    lingua = library("lingua", "language")
    builder = lingua.LanguageDetectorBuilder
    if not candidates:
        return builder.from_all_languages().build()
    return builder.from_iso_codes_639_1(*(lingua.IsoCode639_1.from_str(code) for code in candidates)).build()


def _code(found: Any) -> str:
    return str(found.iso_code_639_1.name).lower()
