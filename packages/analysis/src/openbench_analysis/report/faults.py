"""Reasons why a sample lacks an ordinary score or a complete answer."""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import isfinite

from openbench.scorers.reasons import CONTEXT, FILTERED, REFUSED, TRUNCATED
from openbench_analysis.runs import SampleResult

UNANSWERED, UNSCORED, LIMIT, ERROR = "unanswered", "unscored", "limit reached", "error"
ALWAYS = (UNANSWERED, TRUNCATED, UNSCORED, ERROR)
"""Those that the page counts even where the count is zero."""
FAULTS = (UNANSWERED, TRUNCATED, REFUSED, FILTERED, CONTEXT, LIMIT, UNSCORED, ERROR)


def faults_of(result: SampleResult) -> Iterator[str]:
    """Yield the faults of a result; one that ended in an error has no others."""
    if result.error is not None:
        yield ERROR
        return
    if not result.answered:
        yield UNANSWERED
    if result.stop:
        yield result.stop
    if result.limit is not None:
        yield LIMIT
    if not isfinite(result.score):
        yield UNSCORED


def count_faults(results: Iterable[SampleResult]) -> Counter[str]:
    """Count the results with each fault; one can have several."""
    return Counter(fault for result in results for fault in faults_of(result))
