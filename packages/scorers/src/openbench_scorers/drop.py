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
    removed. `exact_match` is 1.0 if the spans are the same in any order. `f1` aligns spans one to one so that the sum
    of their set-based F1 is maximal, divides by the number of spans of the longer side, and is rounded to two places as
    in the original; a span with numbers shares nothing with one that has none of these numbers. Both are between 0 and
    1, higher is better, each the maximum over the targets.

    Source: Dua et al. 2019, DROP, arXiv 1903.00161, and its evaluation script.

    Args:
        completion: The model's completion.
        targets: The right answers, any one of which suffices; the spans of one are divided by separators.
        separator: The separator of spans, in the completion and in the targets.
        chain: How to extract the answer from the completion, see `openbench_scorers.fallback`; by default, all of it.

    Returns:
        Both values; unscored if all targets are blank.
    """
    golds = [_spans(target, separator) for target in targets if target.split(separator)[0].strip()]
    if not golds:
        return without_target(completion)
    answer = read_answer(completion, chain)
    said = _spans(answer, separator)
    value = {
        "f1": max(_f1(said, gold) for gold in golds),
        "exact_match": max(_exact(said, gold) for gold in golds),
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
        raise UsageError("separator='': expected the text that the prompt asks for between spans, such as '|'.")
    found = extractions(chain) if chain is not None else []

    async def score(state: TaskState, target: Target) -> Score:
        return score_drop(state.output.completion, list(target), separator, chain=found)

    return score


def _spans(text: str, separator: str) -> list[str]:
    """Split and normalise; what is beyond any real answer's number of spans stays one, so that time is bounded."""
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


def _exact(said: list[str], gold: list[str]) -> float:
    return float(set(said) == set(gold) and len(said) == len(gold))


def _f1(said: list[str], gold: list[str]) -> float:
    said_bags, gold_bags = [frozenset(span.split()) for span in said], [frozenset(span.split()) for span in gold]
    weights = [[_bag_f1(bag, other) for other in said_bags] for bag in gold_bags]
    total = sum(weights[row][column] for row, column in best_alignment(weights))
    # As numpy rounds, which the original uses: 0.225 is 0.22 there.
    return round(100 * (total / max(len(said), len(gold)))) / 100


def _bag_f1(gold: Bag, said: Bag) -> float:
    numbers = {token for token in gold if _is_number(token)}
    if numbers and not numbers & said:
        return 0.0
    shared = len(gold & said)
    precision = shared / len(said) if said else 1.0
    recall = shared / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
