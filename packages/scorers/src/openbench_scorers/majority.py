"""maj@k: the probability that the most frequent of k answers is correct."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from inspect_ai.scorer import Metric, SampleScore, metric

from openbench.metrics.means import figure
from openbench_scorers.boxed import normalise_latex
from openbench_scorers.numerals import read_number
from openbench_scorers.passing import over_attempts


@metric(scores="unreduced")
def maj_at_k(k: int | Sequence[int] = 1, threshold: float = 1.0) -> Metric:
    """Report `maj@k`, the probability that the most frequent answer of k attempts is correct, and `maj@k_stderr`.

    All correct answers count as the same answer; wrong answers are the same if they are equal numbers or differ only in
    notation. An attempt without an answer has no vote. Ties are broken at random. The probability is exact, over all
    ways to choose k of a sample's attempts (epochs), and averaged over the samples; from 0 to 1, higher is better. The
    standard error is that of this mean. Samples with fewer than k scored attempts are excluded; if all are, both are
    NaN.

    Source: Wang et al. 2022, Self-consistency improves chain of thought reasoning, arXiv 2203.11171; Lewkowycz et al.
    2022, Solving quantitative reasoning problems with language models, arXiv 2206.14858, for the name.

    Args:
        k: The number of attempts, or several such numbers.
        threshold: The minimum score of a correct attempt.

    Raises:
        UsageError: A k is not a whole number of 1 or more, k is empty, or the threshold is not a number.
    """

    def chance(attempts: Sequence[SampleScore], many: int) -> float:
        wrong = Counter(
            _vote(score.score.answer) for score in attempts if figure(score) < threshold and score.score.answer
        )
        right = sum(figure(score) >= threshold for score in attempts)
        return most_frequent(right, [*wrong.values()], len(attempts), many)

    return over_attempts("maj@", k, threshold, chance)


def most_frequent(right: int, wrong: Sequence[int], attempts: int, k: int) -> float:
    """Return the probability that the correct answer has the most votes among k attempts; k is at most `attempts`.

    Args:
        right: The number of attempts with the correct answer.
        wrong: The number of attempts with each wrong answer. Other attempts have no answer, and no vote.
        attempts: The number of attempts.
        k: The number of attempts that vote.
    """
    without = attempts - right - sum(wrong)
    favourable = Fraction(0)
    for votes in range(1, min(right, k) + 1):
        # The number of ways to cast this many wrong votes, with this many answers tied with the correct one.
        ways = Counter({(0, 0): 1})
        for count in wrong:
            further: Counter[tuple[int, int]] = Counter()
            for (cast, level), number in ways.items():
                for more in range(min(count, votes, k - votes - cast) + 1):
                    further[cast + more, level + (more == votes)] += number * math.comb(count, more)
            ways = further
        for (cast, level), number in ways.items():
            others = math.comb(without, k - votes - cast)
            favourable += Fraction(math.comb(right, votes) * number * others, level + 1)
    return float(favourable / math.comb(attempts, k))


def _vote(answer: str) -> str:
    """Return the common form of equal answers."""
    formula = normalise_latex(answer)
    number = read_number(formula)
    return str(number.value) if number and number.text == formula else formula
