"""Scores how close a percentage is to the correct one."""

from collections.abc import Sequence

from inspect_ai.scorer import Score

from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.responses import response

_HALVED_BY = 10


def score_exponential_similarity(completion: str, targets: Sequence[str]) -> Score:
    """Compare a percentage with the correct one: 1 if they are equal, halved for each 10 points of difference.

    Source: Shaham et al. 2023, ZeroSCROLLS, arXiv 2305.14196, section 3.3 (SpaceDigest).

    Args:
        completion: The model's completion: a number from 0 to 100, and nothing else.
        targets: The correct numbers; the nearest counts.

    Returns:
        A value from 0 to 1, 0 if the completion is not a number; unscored if a target is not one.
    """
    if not any(map(str.strip, targets)):
        return without_target(completion)
    golds = [_number(target) for target in targets]
    if None in golds:
        return unscored(f"the target {list(targets)!r} is not a number.", completion)
    number = _number(response(completion))
    if number is None:
        return Score(value=0.0, reason=unanswered(completion))
    distance = min(abs(gold - number) for gold in golds if gold is not None)
    return Score(value=float(2 ** (-distance / _HALVED_BY)), answer=f"{number:g}")


def _number(text: str) -> float | None:
    try:
        return float(text.strip().removesuffix("%"))
    except ValueError:
        return None
