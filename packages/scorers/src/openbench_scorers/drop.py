"""DROP's F1 and exact match: answers are numbers, spans or several spans, aligned one to one."""

import re
import string
from collections.abc import Sequence

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers.alignment import best_alignment
from openbench_scorers.fallback import Extraction, extractions
from openbench_scorers.responses import read_answer

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_TOKEN_ENDS = re.compile("[ -]")
_MOST_SPANS = 200

Bag = frozenset[str]


def score_drop(
    completion: str, targets: Sequence[str], separator: str = "|", *, chain: Sequence[Extraction] = ()
) -> Score:
    """Compare the spans of an answer with those of each target, and take the best.

    A span is lower-cased, its numbers are written as floats (`1,000` is `1000.0`), and punctuation and articles are
    removed. `exact_match` is 1.0 if the spans are the same in any order. `f1` aligns spans one to one with the maximum
    sum of their set-based F1, divides by the number of spans of the longer side, and is rounded to two places as in the
    original; the F1 of a gold span with numbers and a span without any of these numbers is 0. Both are between 0 and 1,
    higher is better, each the maximum over the targets.

    Source: Dua et al. 2019, DROP, arXiv 1903.00161, and its evaluation script.

    Args:
        completion: The model's completion.
        targets: The correct answers, any one of which suffices; a separator divides the spans of an answer.
        separator: The separator of spans, in the completion and in the targets.
        chain: How to extract the answer from the completion, see `openbench_scorers.fallback`; by default, all of it.

    Returns:
        Both values; unscored if all targets are blank.
    """
    golds = [_spans(target, separator) for target in targets if target.split(separator)[0].strip()]
    if not golds:
        return without_target(completion)
    answer = read_answer(completion, chain)
    predicted = _spans(answer, separator)
    value = {
        "f1": max(_f1(predicted, gold) for gold in golds),
        "exact_match": max(_exact(predicted, gold) for gold in golds),
    }
    return Score(value=value, answer=answer, reason=None if answer else unanswered(completion))


@scorer(metrics={"f1": [mean(), stderr()], "exact_match": [mean(), stderr()]})
def drop(separator: str = "|", chain: Sequence[str] | None = None) -> Scorer:
    """Score with `score_drop`.

    Args:
        separator: The separator of spans, in the completion and in the targets.
        chain: Names of extractions of `openbench_scorers.fallback`; by default the answer is the whole completion.

    Raises:
        UsageError: `separator` is empty, or an extraction is unknown.
    """
    if not separator:
        raise UsageError("separator='': expected the separator of spans that the prompt asks for, such as '|'.")
    found = extractions(chain) if chain is not None else []

    async def score(state: TaskState, target: Target) -> Score:
        return score_drop(state.output.completion, list(target), separator, chain=found)

    return score


def _spans(text: str, separator: str) -> list[str]:
    """Split and normalise spans; those above a maximum number stay unsplit, which bounds the time."""
    return [_normalised(span) for span in text.split(separator, _MOST_SPANS)]


def _normalised(span: str) -> str:
    tokens = (_token(token) for token in _TOKEN_ENDS.split(span.lower()))
    return " ".join(token for token in tokens if token)


def _token(token: str) -> str:
    if not _is_number(token):
        token = token.translate(_NO_PUNCTUATION)
    if _is_number(token):
        token = str(float(token))
    return " ".join(_ARTICLES.sub(" ", token).split())


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def _exact(predicted: list[str], gold: list[str]) -> float:
    return float(set(predicted) == set(gold) and len(predicted) == len(gold))


def _f1(predicted: list[str], gold: list[str]) -> float:
    predicted_bags = [frozenset(span.split()) for span in predicted]
    gold_bags = [frozenset(span.split()) for span in gold]
    weights = [[_bag_f1(bag, other) for other in predicted_bags] for bag in gold_bags]
    total = sum(weights[row][column] for row, column in best_alignment(weights))
    # Rounded like numpy in the original: 0.225 becomes 0.22.
    return round(100 * (total / max(len(predicted), len(gold)))) / 100


def _bag_f1(gold: Bag, predicted: Bag) -> float:
    numbers = {token for token in gold if _is_number(token)}
    if numbers and not numbers & predicted:
        return 0.0
    shared = len(gold & predicted)
    precision = shared / len(predicted) if predicted else 1.0
    recall = shared / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
