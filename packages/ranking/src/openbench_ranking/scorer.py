"""Ranking: score options by the log-probability that a model assigns to each.

Every figure uses indexes. An option's characters and bytes are those of its continuation without the leading space,
as in lm-evaluation-harness, which divides by the length of the option's text.
"""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, cast

from inspect_ai.scorer import (
    Metric,
    MetricProtocol,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from openbench.metrics.means import figure, mean_of
from openbench.scorers.mcq import group_metrics
from openbench.scorers.reasons import unanswered, unscored
from openbench_ranking.calibration import CONFIDENCE_KEY
from openbench_ranking.continuation import ContinuationScore, FirstTokenScore
from openbench_ranking.request import FIRST_TOKEN_KEY, most_probable, ranking_request, recorded_scores

FIGURES = ("acc", "acc_norm", "acc_bytes", "prob_mass", "prob_mass_norm", "bits_per_byte")
"""The figures of `score_ranking` that are reported by default; the first is the headline."""

_BITS = math.log(2)
_MOST = math.log(math.nextafter(math.inf, 0))


def score_ranking(
    scores: Sequence[float | ContinuationScore],
    continuations: Sequence[str],
    gold: Collection[int],
    unconditional: Sequence[float] | None = None,
) -> Score:
    """Score the log-probabilities of a sample's continuations.

    The value holds these figures; higher is better, except for the last two:

    - `acc`: `argmax_accuracy` of the log-probabilities. The harness' `acc`.
    - `acc_norm`: likewise, each divided by the characters of its continuation. The harness' `acc_norm`.
    - `acc_bytes`: likewise, divided by the bytes in UTF-8. The harness' `acc_bytes`.
    - `acc_tokens`: likewise, divided by the tokens, if the model reports them.
    - `acc_uncond`: likewise, minus the log-probability without the context, if it was requested: the harness'
      `acc_mutual_info`, `pmi` in OLMES.
    - `prob_mass`: `probability_mass` of the log-probabilities.
    - `prob_mass_norm`: likewise, each divided by the characters of its continuation.
    - `greedy`: whether greedy decoding yields a correct continuation, if the model reports it. The harness'
      `exact_match` of log-probabilities, as in LAMBADA.
    - `loglikelihood`: the log-probability of a correct continuation; of several, the highest.
    - `brier`: `brier_score` of the log-probabilities.
    - `bits_per_byte`: `bits_per_byte` of the correct continuation.

    Args:
        scores: A log-probability (natural logarithm) for each continuation, or its score; not NaN or plus infinity.
        continuations: The texts, with their leading space.
        gold: The indexes of the correct ones, at least one.
        unconditional: The log-probability of each without the context.

    Returns:
        The score. Its answer is the text of the most probable continuation. `metadata["most_probable"]` holds the
        indexes of all continuations with the highest value, `metadata["confidence"]` the answer's share of the options'
        probability, and `metadata["first_token"]` the uncertainty of first-token scores. If all continuations are
        equally probable, the sample counts as wrong and unanswered.
    """
    given = [each if isinstance(each, ContinuationScore) else ContinuationScore(each) for each in scores]
    loglikelihoods = [each.loglikelihood for each in given]
    by_character = per_character(loglikelihoods, continuations)
    best = most_probable(loglikelihoods)
    tokens = [each.tokens for each in given]
    value: dict[str, str | int | float | bool | None] = {
        "acc": argmax_accuracy(loglikelihoods, gold),
        "acc_norm": argmax_accuracy(by_character, gold),
        "acc_bytes": argmax_accuracy(per_byte(loglikelihoods, continuations), gold),
    }
    if all(tokens):
        by_token = [each.loglikelihood / (each.tokens or 1) for each in given]
        value["acc_tokens"] = argmax_accuracy(by_token, gold)
    if unconditional is not None:
        value["acc_uncond"] = argmax_accuracy(gains(loglikelihoods, unconditional), gold)
    value |= {
        "prob_mass": probability_mass(loglikelihoods, gold),
        "prob_mass_norm": probability_mass(by_character, gold),
    }
    if None not in [each.greedy for each in given]:
        value["greedy"] = float(any(given[index].greedy for index in gold))
    value |= {
        "loglikelihood": max(loglikelihoods[index] for index in gold),
        "brier": brier_score(loglikelihoods, gold),
        "bits_per_byte": bits_per_byte(loglikelihoods, continuations, gold),
    }
    return Score(
        value=value,
        answer=continuations[best[0]].removeprefix(" ") if best else None,
        reason=None if best else unanswered(""),
        metadata={"most_probable": best, CONFIDENCE_KEY: max(softmax(loglikelihoods)), **_first_token_of(given)},
    )


def _first_token_of(scores: Sequence[ContinuationScore]) -> dict[str, Any]:
    """Return the metadata entry of a score if only first tokens were ranked; otherwise nothing."""
    firsts = [score for score in scores if isinstance(score, FirstTokenScore)]
    if not firsts:
        return {}
    unlisted = [index for index, score in enumerate(firsts) if score.bound]
    return {FIRST_TOKEN_KEY: {"unseen": firsts[0].unseen, "unlisted": unlisted}}


def create_ranking_scorer(
    group_keys: Sequence[str] | None = None,
    additional_metrics: Sequence[Any] | None = None,
    figures: Sequence[str] = FIGURES,
) -> Callable[[], Scorer]:
    """Create the factory of a scorer of ranked continuations.

    Args:
        group_keys: Keys of the samples' metadata; they add `grouped_mean` to every figure.
        additional_metrics: Further metrics of the first figure.
        figures: The figures of `score_ranking` that are reported.

    Returns:
        A factory of a scorer with the mean and its standard error of every figure; of the first also `first_token`,
        which reports nothing about whole log-probabilities, and of `loglikelihood`, `continuation_perplexity`.
    """
    groups = [grouped_mean(list(group_keys))] if group_keys else []
    metrics: dict[str, list[Metric]] = {name: [mean(), stderr(), *groups] for name in figures}
    metrics[figures[0]].extend([first_token(), *(additional_metrics or ())])
    if "loglikelihood" in metrics:
        metrics["loglikelihood"].append(continuation_perplexity())

    @scorer(metrics=metrics, name="ranking", lower_is_better=["brier", "bits_per_byte"])
    def factory() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
            request, recorded = ranking_request(state), recorded_scores(state)
            if request is None or recorded is None:
                problem = "no log-probabilities were recorded. Use the solver openbench_ranking/rank."
                return unscored(problem, state.output.completion)
            score = score_ranking(recorded.scores, request.continuations, request.gold, recorded.unconditional)
            assert isinstance(score.value, dict)  # noqa: S101 - see score_ranking
            score.value = {
                **dict.fromkeys(figures, math.nan),
                **score.value,
            }  # figures that the model does not report are unscored
            if request.contexts and score.answer is not None:
                score.answer = state.output.completion
            score.explanation = explain(recorded.scores, request.texts, request.gold)
            return score

        return score

    return factory


def explain(scores: Sequence[ContinuationScore], texts: Sequence[str], gold: Collection[int]) -> str:
    """Return the options with their log-probabilities, a line each, as `bench view` shows them with a score."""
    lines = []
    for index, (score, text) in enumerate(zip(scores, texts, strict=True)):
        notes = ["right"] if index in gold else []
        if isinstance(score, FirstTokenScore):
            notes.append("first token not listed: an upper bound" if score.bound else "first token")
        suffix = f" ({', '.join(notes)})" if notes else ""
        lines.append(f"- `{score.loglikelihood:.4f}` {text!r:.200}{suffix}")
    return "\n".join(lines)


@metric
def continuation_perplexity() -> Metric:
    """Report exp(-mean of the log-probabilities of correct continuations): from 1, lower is better.

    Source: lm-evaluation-harness, metric `perplexity` of the output type `loglikelihood`, as in LAMBADA.
    """

    def calculate(scores: list[SampleScore]) -> float:
        exponent = -mean_of([figure(score) for score in scores])
        return math.inf if exponent > _MOST else math.exp(exponent)

    return calculate


@metric
def first_token() -> Metric:
    """Report the uncertainty of options ranked by the first token that a server lists; otherwise nothing.

    `unseen` is the mean probability of the tokens that are not listed, and `unlisted` the share of samples with an
    option among these, whose log-probability is only an upper bound; both from 0 to 1, lower is better.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        known = [held for score in scores if (held := (score.score.metadata or {}).get(FIRST_TOKEN_KEY))]
        if not known:
            return {}
        unlisted = mean_of([bool(each["unlisted"]) for each in known])
        return {"unseen": mean_of([each["unseen"] for each in known]), "unlisted": unlisted}

    return calculate


# Inspect keeps one metric of each name in a dictionary of metrics, so all groups must be one metric.
@metric
def grouped_mean(keys: Sequence[str]) -> Metric:
    """Report the mean (`<value>`) and its standard error (`<value>_stderr`) for every value of metadata.

    Args:
        keys: Keys of the samples' metadata.
    """
    metrics = group_metrics(mean(), keys)

    def calculate(scores: list[SampleScore]) -> Value:
        each = [cast("dict[str, float]", cast("MetricProtocol", group)(scores)) for group in metrics]
        return {name: value for values in each for name, value in values.items()}

    return calculate


# Registered at import, so that a log's scorer is found by name when it is scored again.
ranking = create_ranking_scorer()


def argmax_accuracy(values: Sequence[float], gold: Collection[int]) -> float:
    """Return 1 if the highest value is a correct option's, else 0; higher is better.

    If several share the highest value, it is the share of correct ones among them, the expectation of a random draw.
    Taking the first instead, as the harness does, would let the position of correct options decide, and in half
    precision ties are common. If all of several values are equal, nothing was chosen, and it is 0. Without ties it is
    the harness' accuracy.

    Source: lm-evaluation-harness (Gao et al. 2021), output type `multiple_choice`.
    """
    best = most_probable(values)
    return sum(index in gold for index in best) / len(best) if best else 0.0


def probability_mass(values: Sequence[float], gold: Collection[int]) -> float:
    """Return the share of the options' probability that is on correct ones, from 0 to 1; higher is better.

    It is the sum of softmax(values) over the correct options: their probability, given that one of the options is the
    answer. If all values are minus infinity, all options count the same.
    """
    weights = softmax(values)
    return min(1.0, math.fsum(weights[index] for index in set(gold)))


def brier_score(values: Sequence[float], gold: Collection[int]) -> float:
    """Return the squared distance of the options' probabilities from the correct ones, from 0 to 2; lower is better.

    It is the sum over options of (p - y)^2, where p is softmax(values), and y is 1 / (number of correct options) for
    correct options and 0 for others.

    Source: Brier 1950, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78.
    """
    right = set(gold)
    shares = (1 / len(right) if index in right else 0.0 for index in range(len(values)))
    return math.fsum((held - share) ** 2 for held, share in zip(softmax(values), shares, strict=True))


def gains(loglikelihoods: Sequence[float], unconditional: Sequence[float]) -> list[float]:
    """Return each log-probability minus that without the context; minus infinity where both are."""
    pairs = zip(loglikelihoods, unconditional, strict=True)
    return [-math.inf if value == -math.inf else value - alone for value, alone in pairs]


def softmax(values: Sequence[float]) -> list[float]:
    """Return exp(value) / sum of exp(values), from 0 to 1, for each value, without overflow."""
    highest = max(values)
    weights = [1.0 if value == highest else math.exp(value - highest) for value in values]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def bits_per_byte(loglikelihoods: Sequence[float], continuations: Sequence[str], gold: Collection[int]) -> float:
    """Return -loglikelihood / (bytes ln 2) of the correct continuation, in bits per byte, from 0; lower is better.

    Of several correct ones, it is the lowest value. Bytes are those of UTF-8. It is NaN if the model considers them
    impossible (minus infinity): metrics exclude and count such samples, which would make the mean infinite.

    Source: Magnusson et al. 2023, Paloma, arXiv 2312.10523, for a text; here computed for each sample, so the mean
    weighs samples equally.
    """
    values = per_byte(loglikelihoods, continuations)
    highest = max(values[index] for index in gold)
    return math.nan if highest == -math.inf else (0.0 - highest) / _BITS  # no minus zero


def per_character(loglikelihoods: Sequence[float], continuations: Sequence[str]) -> list[float]:
    """Return each log-probability divided by the characters (code points) of its continuation."""
    return [value / len(text.removeprefix(" ")) for value, text in zip(loglikelihoods, continuations, strict=True)]


def per_byte(loglikelihoods: Sequence[float], continuations: Sequence[str]) -> list[float]:
    """Return each log-probability divided by the bytes of its continuation in UTF-8."""
    return [value / byte_count(text) for value, text in zip(loglikelihoods, continuations, strict=True)]


def byte_count(continuation: str) -> int:
    """Return the number of bytes of a continuation in UTF-8, without its leading space."""
    return len(continuation.removeprefix(" ").encode("utf-8", "surrogatepass"))
