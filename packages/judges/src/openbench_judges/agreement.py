"""The agreement of verdicts: between graders and people, among graders, and between both orders of a pair."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from statistics import fmean
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench_judges.panel import JUDGED_KEY

HUMAN_KEY = "human_label"
"""The key of a sample's metadata that holds the human verdict."""

VERDICT_KEY = "verdict"
"""The key of a score's metadata that holds the graders' verdict, a label."""

CONSISTENCY_KEY = "position_consistency"
"""The key of a score's metadata that holds the share of graders with the same verdict in both orders of a pair."""


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa of two raters' labels of the same items: (p_o - p_e) / (1 - p_e).

    p_o is the share of items with the same label, and p_e the share expected by chance: the sum over labels of the
    product of both raters' shares. 1 is full agreement, and 0 is agreement by chance.

    Source: Cohen 1960, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20.

    Returns:
        The kappa; NaN without items, and if both raters give all items the same label.

    Raises:
        ValueError: The raters do not label the same number of items.
    """
    pairs = list(zip(first, second, strict=True))
    if not pairs:
        return math.nan
    count = len(pairs)
    first_counts, second_counts = Counter(first), Counter(second)
    observed = sum(one == other for one, other in pairs) / count
    expected = sum(first_counts[label] * second_counts[label] for label in first_counts) / count**2
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


@metric
def judging() -> Metric:
    """Report how reliable the graders' verdicts are; a figure is omitted if the samples lack the data for it.

    - `panel_agreement`: the share of pairs of a panel's graders that agree, averaged over questions.
    - `position_consistency`: the share of verdicts that are the same in both orders of a pair.
    - `human_agreement`, `human_kappa`, `human_labels`: the share of verdicts equal to the human label (`HUMAN_KEY`),
      Cohen's kappa, and the number of human labels.
    - `judge_unread`: the share of unreadable replies among the scored samples. Samples that are unscored for that
      reason are counted separately.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        held = [score.score.metadata or {} for score in scores]
        ballots = [ballot for each in held for ballot in each.get(JUDGED_KEY, ())]
        votes = [vote["verdict"] for ballot in ballots for vote in ballot["votes"]]
        figures: dict[str, float] = {"judge_unread": _mean(vote is None for vote in votes)}
        figures |= _mean_of("panel_agreement", [each.get("agreement") for each in (*held, *ballots)])
        figures |= _mean_of(CONSISTENCY_KEY, [each.get(CONSISTENCY_KEY) for each in held])
        return {**figures, **_human_figures(scores)}

    return calculate


def _human_figures(scores: Sequence[SampleScore]) -> dict[str, float]:
    pairs = [
        (str((score.score.metadata or {}).get(VERDICT_KEY)), str(label))
        for score in scores
        if (label := (score.sample_metadata or {}).get(HUMAN_KEY)) is not None
    ]
    if not pairs:
        return {}
    verdicts, labels = zip(*pairs, strict=True)
    agreement = fmean(one == other for one, other in pairs)
    kappa = cohens_kappa(verdicts, labels)
    return {"human_agreement": agreement, "human_kappa": kappa, "human_labels": len(pairs)}


def _mean_of(name: str, values: Iterable[Any]) -> dict[str, float]:
    known = [float(value) for value in values if value is not None]
    return {name: fmean(known)} if known else {}


def _mean(values: Iterable[bool]) -> float:
    known = list(values)
    return fmean(known) if known else 0.0
