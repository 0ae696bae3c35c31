"""Short answers, compared word by word: `openbench.scorers.qa`."""

import re
import string
from collections import Counter
from collections.abc import Sequence

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import given, without_target
from openbench.scorers.reasons import unanswered

_ANSWER = re.compile(r"answer[ \t]*:[ \t]*(\S[^\n]*)", re.IGNORECASE)
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = {"a", "an", "the"}


def compute_exact_match(prediction: str, ground_truth: str) -> float:
    """Return 1 if two answers have the same words, else 0.

    Case, articles, punctuation and whitespace are ignored, hyphens separate words, and numbers compare by value, as
    in DROP (Dua et al. 2019, arXiv 1903.00161).
    """
    return float(_words(prediction) == _words(ground_truth))


def compute_f1(prediction: str, ground_truth: str) -> float:
    """Return the F1 of the words of two answers, from 0 to 1; 1 if neither has any words."""
    left, right = _words(prediction), _words(ground_truth)
    if not left or not right:
        return float(left == right)
    shared = (Counter(left) & Counter(right)).total()
    return 2 * shared / (len(left) + len(right))


def extract_answer(response: str) -> str:
    """Return the text after the first `Answer:` of a response, or else its last non-blank line."""
    found = _ANSWER.search(response)
    lines = response.strip().splitlines()
    return found[1].strip() if found else lines[-1].strip() if lines else ""


def score_qa(prediction: str, ground_truths: Sequence[str]) -> tuple[float, float]:
    """Return the best exact match and the best F1 of an answer over several right answers."""
    right = [truth for truth in ground_truths if truth]
    return (
        max((compute_exact_match(prediction, truth) for truth in right), default=0.0),
        max((compute_f1(prediction, truth) for truth in right), default=0.0),
    )


@scorer(metrics=[accuracy(), stderr()])
def qa_scorer() -> Scorer:
    """Score a short answer: the best F1 over the right answers, from 0 to 1, higher is better.

    A target may list right answers, separated by `|`. The score's metadata contain `exact_match` and `f1`.
    """

    async def score(state: TaskState, target: Target) -> Score:
        right = [truth.strip() for text in given(list(target)) for truth in text.split("|") if truth.strip()]
        completion = state.output.completion
        if not right:
            return without_target(completion)
        answer = extract_answer(strip_reasoning(completion))
        if not answer:
            return Score(value=0.0, reason=unanswered(completion), explanation=completion)
        exact, f1 = score_qa(answer, right)
        return Score(value=f1, answer=answer, explanation=completion, metadata={"exact_match": exact, "f1": f1})

    return score


def _words(text: str) -> list[str]:
    words = (_word(part) for part in re.split(r"[\s-]+", text.lower()))
    return [word for word in words if word and word not in _ARTICLES]


def _word(part: str) -> str:
    for candidate in (part, part.translate(_PUNCTUATION)):
        try:
            return str(float(candidate))
        except ValueError:
            continue
    return part.translate(_PUNCTUATION)
