"""What the progress line counts: each sample leaves a few numbers, and none of them is kept."""

import math
from fnmatch import fnmatchcase
from typing import NamedTuple

from inspect_ai.log import EvalSample
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Value

from openbench.run.headline import Headline
from openbench.run.summary import is_answered_sample

_LETTERS = {CORRECT: 1.0, PARTIAL: 0.5, INCORRECT: 0.0, NOANSWER: 0.0}


class Figures(NamedTuple):
    """What a sample adds; plain values, so that another process can send them.

    Attributes:
        error: Whether it ended in an error.
        answered: Whether it ended with an answer.
        score: Its score; None if that is no number.
        tokens: The tokens read and written, over all models.
    """

    error: bool
    answered: bool
    score: float | None
    tokens: int


def figures_of(sample: EvalSample, headline: Headline | None) -> Figures:
    """Read the figures of a sample that has ended; without a headline, its score is that of the first scorer."""
    tokens = sum(used.total_tokens or used.input_tokens + used.output_tokens for used in sample.model_usage.values())
    if sample.error is not None:
        return Figures(error=True, answered=False, score=None, tokens=tokens)
    scores = sample.scores or {}
    score = scores.get(headline.scorer if headline else "") or next(iter(scores.values()), None)
    number = _number(score.value, headline.key if headline else None) if score else None
    return Figures(error=False, answered=is_answered_sample(sample), score=number, tokens=tokens)


class Tally:
    """Sums of figures; the mean and its error are Welford's (1962), which need no second pass.

    Attributes:
        done: Samples that ended.
        errors: Those that ended in an error.
        answered: Those that ended with an answer.
        tokens: Tokens read and written.
        scored: Samples whose score is a number.
        mean: The mean of these.
    """

    def __init__(self) -> None:
        self.done = self.errors = self.answered = self.tokens = self.scored = 0
        self.mean = 0.0
        self._squares = 0.0

    def add(self, figures: Figures) -> None:
        """Add a sample."""
        self.done += 1
        self.errors += figures.error
        self.answered += figures.answered
        self.tokens += figures.tokens
        if figures.score is not None:
            self.scored += 1
            away = figures.score - self.mean
            self.mean += away / self.scored
            self._squares += away * (figures.score - self.mean)

    @property
    def stderr(self) -> float | None:
        """The standard error of the mean, as if samples were drawn independently; None below two scores."""
        if self.scored < 2:  # noqa: PLR2004 - the least that has a variance
            return None
        return math.sqrt(self._squares / (self.scored - 1) / self.scored)


def _number(value: Value, key: str | None) -> float | None:
    if isinstance(value, dict):
        value = next((part for name, part in value.items() if fnmatchcase(name, key or "")), None)  # type: ignore[assignment]
    if isinstance(value, str):
        return _LETTERS.get(value)
    number = float(value) if isinstance(value, int | float) else math.nan
    return number if math.isfinite(number) else None
