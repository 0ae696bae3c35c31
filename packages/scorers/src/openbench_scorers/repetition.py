"""Checks whether an answer repeats sequences of words."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import unanswered
from openbench_scorers.options import at_least
from openbench_scorers.responses import response
from openbench_scorers.words import words

_PRIME = (1 << 61) - 1
_BASE = 1_000_003


def score_repetition(completion: str, window: int = 128, repetitions: int = 1) -> Score:
    """Check whether a sequence of words is repeated.

    The value is 1.0 if a sequence of `window` words is repeated at least `repetitions` times, overlaps included, else
    0.0; lower is better. The time is linear in the number of words.

    Source: the word repetition of Aleph Alpha's eval-framework.

    Args:
        completion: The model's completion.
        window: The length of the sequence in words.
        repetitions: The minimum number of repetitions.

    Returns:
        The value; the answer is the repeated sequence.
    """
    text = response(completion)
    spoken = words(text)
    start = _repeated(spoken, window, repetitions)
    return Score(
        value=float(start is not None),
        answer=None if start is None else " ".join(spoken[start : start + window]),
        reason=None if text else unanswered(completion),
    )


@scorer(metrics=[mean(), stderr()])
def repetition(window: int = 128, repetitions: int = 1) -> Scorer:
    """Score with `score_repetition`: the share of answers that repeat themselves, lower is better.

    Args:
        window: The length of the sequence in words.
        repetitions: The minimum number of repetitions.

    Raises:
        UsageError: An option is less than 1.
    """
    at_least("window", window, 1)
    at_least("repetitions", repetitions, 1)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        return score_repetition(state.output.completion, window, repetitions)

    return score


def _repeated(spoken: Sequence[str], window: int, repetitions: int) -> int | None:
    """Return the start of the sequence that is the first to reach the number of repetitions."""
    seen: defaultdict[int, list[int]] = defaultdict(list)
    for start, digest in enumerate(_digests(spoken, window)):
        starts = seen[digest]
        starts.append(start)
        if len(starts) > repetitions and spoken[starts[0] : starts[0] + window] == spoken[start : start + window]:
            return starts[0]
    return None


def _digests(spoken: Sequence[str], window: int) -> Iterator[int]:
    """Yield a rolling digest of each sequence (Rabin and Karp)."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(spoken), 1)}
    leaving, digest = pow(_BASE, window - 1, _PRIME), 0
    for position, word in enumerate(spoken):
        if position >= window:
            digest -= numbers[spoken[position - window]] * leaving
        digest = (digest * _BASE + numbers[word]) % _PRIME
        if position >= window - 1:
            yield digest
