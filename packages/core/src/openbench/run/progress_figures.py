"""What the progress line counts: each sample leaves a few numbers, and none of them is kept."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from inspect_ai.log import EvalSample, EvalSpec
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Value

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


@dataclass(frozen=True)
class Headline:
    """Where the score that counts stands in a sample.

    Attributes:
        scorer: The scorer's name; None for the first.
        keys: The keys to look under, in turn, where a score has several values.
    """

    scorer: str | None = None
    keys: tuple[str, ...] = ()


def headline_of(spec: EvalSpec) -> Headline:
    """Return where the score behind the headline metric stands: at the first scorer that has this metric."""
    told = spec.headline_metric
    if told is None:
        return Headline()
    having = (scorer.name for scorer in spec.scorers or () if told.metric in set(_metrics(scorer.metrics)))
    keys = tuple(key for key in (told.score, told.metric) if key)
    return Headline(told.scorer or next(having, None), keys)


def figures_of(sample: EvalSample, headline: Headline) -> Figures:
    """Read the figures of a sample that has ended."""
    tokens = sum(used.total_tokens or used.input_tokens + used.output_tokens for used in sample.model_usage.values())
    if sample.error is not None:
        return Figures(error=True, answered=False, score=None, tokens=tokens)
    scores = sample.scores or {}
    score = scores.get(headline.scorer or "") or next(iter(scores.values()), None)
    number = _number(score.value, headline.keys) if score else None
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


def _number(value: Value, keys: Iterable[str]) -> float | None:
    if isinstance(value, dict):
        value = next((value[key] for key in keys if key in value), None)  # type: ignore[assignment]
    if isinstance(value, str):
        return _LETTERS.get(value)
    number = float(value) if isinstance(value, int | float) else math.nan
    return number if math.isfinite(number) else None


def _metrics(said: object) -> Iterable[str]:
    """Yield the names of metrics in the lists and groups of a scorer's."""
    if isinstance(said, dict):
        said = [part for group in said.values() for part in group]
    for part in said if isinstance(said, list) else ():
        if isinstance(part, dict):
            yield from _metrics(part)
        else:
            yield part.name
