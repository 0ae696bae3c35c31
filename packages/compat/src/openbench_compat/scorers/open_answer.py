"""Free-form answers, compared by their conclusions: `openbench.scorers.open_answer`."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.scorer import Metric, Score, Scorer, Target, accuracy, scorer, std, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered
from openbench_compat.metrics.grouped import grouped

_SENTENCES = re.compile(r"\.\s+(?=[A-Z])|\n+")
_CONCLUDING = ("could be ", "so ", "is ", "thus ", "therefore ", "final ", "answer ", "result ")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def concluded(response: str) -> list[str]:
    """Return the conclusions of a response: in each sentence, the text after the last concluding word.

    In the last sentence, `=` counts as well. If there is none, the whole response is returned.
    """
    sentences = [each.lower() for each in _SENTENCES.split(response.strip().strip(".")) if each.strip()]
    parts = []
    for number, sentence in enumerate(sentences, start=1):
        marks = (*_CONCLUDING, "=") if number == len(sentences) else _CONCLUDING
        behind = [sentence.rpartition(mark)[2].strip() for mark in marks if mark in sentence]
        parts += [min(filter(None, behind), key=len)] if any(behind) else []
    return [part for part in parts if part.strip(":,.!?;'")] or [" ".join(sentences)]


def is_right(response: str, answers: Sequence[str | float]) -> bool:
    """Return whether a conclusion contains one of the right answers, as text or as a number.

    Source: the evaluation of open questions of MMMU (Yue et al. 2024, arXiv 2311.16502).
    """
    parts = concluded(response)
    texts = [_plain(part) for part in parts]
    numbers = {round(number, 2) for part in parts for number in _numbers(part)}
    for answer in answers:
        text = _plain(str(answer))
        number = _as_number(text)
        if number is not None and round(number, 2) in numbers:
            return True
        if number is None and text and any(text in each for each in texts):
            return True
    return False


def create_open_answer_scorer(
    group_keys: Sequence[str] | None = None, answer_key: str = "answer"
) -> Callable[[], Scorer]:
    """Return a factory of a scorer of free-form answers: 1 for right, 0 for wrong.

    Args:
        group_keys: Keys of the samples' metadata; for each, metrics are reported for all of its values.
        answer_key: The key of the samples' metadata with the right answer, or a list of them; by default the target.
    """
    own: list[Metric] = [accuracy(), stderr(), std()]
    metrics = [*own, *(grouped(own, key, all=False) for key in group_keys or ())]

    @scorer(metrics=metrics, name="open_answer_scorer")
    def factory() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            given: Any = (state.metadata or {}).get(answer_key, list(target))
            answers = list(given) if isinstance(given, list | tuple) else [given]
            completion = state.output.completion
            if not any(str(answer).strip() for answer in answers):
                return without_target(completion)
            response = strip_reasoning(completion)
            if not response.strip():
                return Score(value=0.0, reason=unanswered(completion), explanation=completion)
            return Score(value=float(is_right(response, answers)), answer=response, explanation=completion)

        return score

    return factory


open_answer_scorer = create_open_answer_scorer()


def simple_open_answer_scorer() -> Scorer:
    """Score free-form answers by the samples' targets; see `create_open_answer_scorer`."""
    return open_answer_scorer()


def grouped_open_answer_scorer(group_key: str) -> Scorer:
    """Score free-form answers, and report accuracy for each value of a metadata key."""
    return create_open_answer_scorer(group_keys=[group_key])()


def _plain(text: str) -> str:
    return " ".join(text.strip().strip(".").lower().split())


def _as_number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _numbers(text: str) -> list[float]:
    return [float(found) for found in _NUMBER.findall(text.replace(",", ""))]
