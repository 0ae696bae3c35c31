"""pass@k and pass^k: the probability that one of k attempts, or all of them, are correct."""

import math
from collections.abc import Callable, Sequence

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.datasets.values import is_whole
from openbench.errors import UsageError
from openbench.metrics.means import figure, mean_of
from openbench_scorers.means import stderr_of
from openbench_scorers.options import is_number, one_or_several

Chance = Callable[[Sequence[SampleScore], int], float]
"""The probability that k of a sample's attempts succeed together, from the scores of k or more attempts and k."""


@metric(scores="unreduced")
def pass_at_k(k: int | Sequence[int] = 1, threshold: float = 1.0) -> Metric:
    """Report `pass@k`, the probability that at least one of k attempts is correct, and `pass@k_stderr`.

    If c of a sample's n attempts (epochs) are correct, it is 1 - C(n - c, k) / C(n, k), which is unbiased, averaged
    over the samples; from 0 to 1, higher is better. The standard error is that of this mean, in which each sample
    counts once, whatever its number of attempts. Samples with fewer than k scored attempts are excluded; if all are,
    both are NaN.

    Source: Chen et al. 2021, Evaluating large language models trained on code, arXiv 2107.03374, equation 1.

    Args:
        k: The number of attempts, or several such numbers.
        threshold: The minimum score of a correct attempt.

    Raises:
        UsageError: A k is not a whole number of 1 or more, k is empty, or the threshold is not a number.
    """
    return over_attempts("pass@", k, threshold, _counted(one_of, threshold))


@metric(scores="unreduced")
def pass_hat_k(k: int | Sequence[int] = 1, threshold: float = 1.0) -> Metric:
    """Report `pass^k`, the probability that all of k attempts are correct, and `pass^k_stderr`.

    If c of a sample's n attempts (epochs) are correct, it is C(c, k) / C(n, k), averaged over the samples; from 0 to 1,
    higher is better. The standard error is that of this mean, in which each sample counts once, whatever its number of
    attempts. Samples with fewer than k scored attempts are excluded; if all are, both are NaN.

    Source: Yao et al. 2024, tau-bench, arXiv 2406.12045, section 4.

    Args:
        k: The number of attempts, or several such numbers.
        threshold: The minimum score of a correct attempt.

    Raises:
        UsageError: A k is not a whole number of 1 or more, k is empty, or the threshold is not a number.
    """
    return over_attempts("pass^", k, threshold, _counted(all_of, threshold))


def one_of(attempts: int, right: int, k: int) -> float:
    """Return the unbiased estimate of the probability that one of k attempts is correct; k is at most `attempts`."""
    return 1 - math.comb(attempts - right, k) / math.comb(attempts, k)


def all_of(attempts: int, right: int, k: int) -> float:
    """Return the unbiased estimate of the probability that all of k attempts are correct; k is at most `attempts`."""
    return math.comb(right, k) / math.comb(attempts, k)


def _counted(chance: Callable[[int, int, int], float], threshold: float) -> Chance:
    def of(attempts: Sequence[SampleScore], k: int) -> float:
        return chance(len(attempts), sum(figure(score) >= threshold for score in attempts), k)

    return of


def over_attempts(name: str, k: int | Sequence[int], threshold: float, chance: Chance) -> Metric:
    """Return the metric `<name><k>` with its standard error, for each k: the mean of a probability over samples.

    Raises:
        UsageError: A k is not a whole number of 1 or more, k is empty, or the threshold is not a number.
    """
    numbers = one_or_several(k)
    if not numbers or not all(is_whole(number) and number >= 1 for number in numbers):
        raise UsageError(f"k={k!r}: expected a whole number of 1 or more, or several such numbers.")
    if not is_number(threshold):
        raise UsageError(f"threshold={threshold!r}: expected a number, such as 1.0.")

    def calculate(scores: list[SampleScore]) -> Value:
        attempts: dict[str, list[SampleScore]] = {}
        for score in scores:
            attempts.setdefault(str(score.sample_id), []).append(score)
        figures: dict[str, str | int | float | bool | None] = {}
        for many in numbers:
            chances = [chance(each, many) for each in attempts.values() if len(each) >= many]
            figures |= {f"{name}{many}": mean_of(chances), f"{name}{many}_stderr": stderr_of(chances)}
        return figures

    return calculate
