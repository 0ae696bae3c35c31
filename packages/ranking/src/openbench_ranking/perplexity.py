"""Perplexity of whole texts, such as those of WikiText: the samples, the solver, the scorer and its metrics.

A sample's input is the text. It has no context; a model whose window is shorter reads it in windows, as
lm-evaluation-harness does.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.baselines.models import BaselineAPI
from openbench.errors import OpenbenchError, UsageError
from openbench.scorers.reasons import unscored
from openbench.tasks.solvers import declare, static
from openbench_ranking.baselines import BaselineReader
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.rankers import ranker_of

SUMS_KEY = "sums"
"""The key of a score's metadata that holds the sums for the metrics."""

TEXT_KEY = "openbench_ranking_text"
"""The key of a sample's metadata that holds the `words` and `bytes` by which its text's log-probability is divided."""

_BITS = math.log(2)


def text_sample(
    text: str,
    *,
    counted: str | None = None,
    id: str | int | None = None,  # noqa: A002 - Inspect's name
    metadata: Mapping[str, Any] | None = None,
) -> Sample:
    """Create a sample whose text is scored as a whole.

    Args:
        text: The text.
        counted: The text whose words and bytes are counted; by default `text`. For a text that was detokenised,
            lm-evaluation-harness counts those of the original.
        id: The sample's id.
        metadata: Further metadata.
    """
    return Sample(
        input=text, id=id, metadata={**(metadata or {}), TEXT_KEY: _units(text if counted is None else counted)}
    )


@runtime_checkable
class RollingRanker(Protocol):
    """A model provider that can read whole texts: an Inspect `ModelAPI` with this method."""

    async def rolling_loglikelihood(self, text: str) -> ContinuationScore:
        """Return the score of a text of any length, each token given the preceding ones that fit the window."""
        ...


def reader_of(model: Model) -> RollingRanker | None:
    """Return a model's ranker if it can read whole texts; otherwise None."""
    if isinstance(model.api, BaselineAPI):
        return BaselineReader()
    ranker: object = ranker_of(model)
    return ranker if isinstance(ranker, RollingRanker) else None


def cannot_read(task: Task, model: Model) -> str | None:  # noqa: ARG001 - any text can be read
    """Return why a model cannot read whole texts, as a clause; None if it can."""
    return None if reader_of(model) else _provides_none(model)


def _provides_none(model: Model) -> str:
    return (
        f"it needs the log-probability of whole texts, which {model} does not provide. Use a model whose provider does "
        "(openbench-loglikelihood), or check the benchmark without a model: --baseline reference or random"
    )


def record_text_score(state: TaskState, score: ContinuationScore) -> None:
    """Store a model's value in the metadata of the state's output, and thus in the log; the completion shows it.

    Raises:
        OpenbenchError: It is NaN or infinite.
    """
    if not math.isfinite(score.loglikelihood):
        raise OpenbenchError(
            f"sample {state.sample_id!r}: the log-probability of its text is {score.loglikelihood}; expected a finite "
            "number."
        )
    state.output = ModelOutput.from_content(str(state.model), f"{score.loglikelihood:.2f}")
    counts = {"tokens": score.tokens, "unscored": score.unscored or None}
    known = {name: count for name, count in counts.items() if count is not None}
    state.output.metadata = {"loglikelihood": score.loglikelihood, **known}


@static
@solver
def read_reference() -> Solver:
    """Give each text the log-probability 0: a perplexity of 1."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        record_text_score(state, ContinuationScore(0.0))
        return state

    return solve


@declare(check=cannot_read, reference=read_reference)
@static
@solver
def read() -> Solver:
    """Ask the model for the log-probability of a sample's text.

    The model's provider must be a `RollingRanker`, or have one. `bench eval` refuses other models before the first
    request.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        model = get_model()
        reader = reader_of(model)
        if reader is None:
            raise UsageError(f"this task: {_provides_none(model)}.")
        record_text_score(state, await reader.rolling_loglikelihood(state.input_text))
        return state

    return solve


def word_count(text: str) -> int:
    """Return the number of words as lm-evaluation-harness counts them: parts separated by white space."""
    return len(re.split(r"\s+", text))


def _units(text: str) -> dict[str, int]:
    return {"words": word_count(text), "bytes": len(text.encode("utf-8", "surrogatepass"))}


def _perplexity(unit: str) -> Metric:
    def calculate(scores: list[SampleScore]) -> float:
        rate = _rate(scores, unit)
        return math.inf if rate > math.log(math.nextafter(math.inf, 0)) else math.exp(rate)

    return calculate


def _rate(scores: Sequence[SampleScore], unit: str) -> float:
    """Return -sum of log-probabilities / sum of units; NaN without units."""
    sums: list[dict[str, Any]] = [(each.score.metadata or {}).get(SUMS_KEY) or {} for each in scores]
    counts = [each[unit] for each in sums if each.get(unit) is not None]
    if len(counts) < len(scores) or not any(counts):
        return math.nan
    return (0.0 - math.fsum(each["loglikelihood"] for each in sums)) / math.fsum(counts)  # no minus zero


@metric
def word_perplexity() -> Metric:
    """Report exp(-sum of log-probabilities / sum of words) over all texts: from 1, lower is better.

    Source: lm-evaluation-harness, metric `word_perplexity`; words are parts separated by white space.
    """
    return _perplexity("words")


@metric
def byte_perplexity() -> Metric:
    """Report exp(-sum of log-probabilities / sum of bytes in UTF-8) over all texts: from 1, lower is better.

    Source: lm-evaluation-harness, metric `byte_perplexity`.
    """
    return _perplexity("bytes")


@metric
def token_perplexity() -> Metric:
    """Report exp(-sum of log-probabilities / sum of the model's tokens) over all texts: from 1, lower is better.

    Comparable only between models with the same tokenizer. NaN if the model does not report tokens.
    """
    return _perplexity("tokens")


@metric
def text_bits_per_byte() -> Metric:
    """Report -sum of log-probabilities / (sum of bytes in UTF-8 times ln 2) over all texts: from 0, lower is better.

    Source: lm-evaluation-harness, metric `bits_per_byte`.
    """

    def calculate(scores: list[SampleScore]) -> float:
        return _rate(scores, "bytes") / _BITS

    return calculate


@scorer(
    metrics=[word_perplexity(), byte_perplexity(), token_perplexity(), text_bits_per_byte(), mean(), stderr()],
    lower_is_better=True,
)
def perplexity() -> Scorer:
    """Score a text by its bits per byte; report perplexities over all texts (`word_perplexity` and others)."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        recorded = state.output.metadata or {}
        if (loglikelihood := recorded.get("loglikelihood")) is None:
            return unscored("no log-probability was recorded. Use the solver openbench_ranking/read.", None)
        counts = {name: recorded[name] for name in ("tokens", "unscored") if name in recorded}
        units = (state.metadata or {}).get(TEXT_KEY)
        return score_text(state.input_text, ContinuationScore(float(loglikelihood), **counts), units)

    return score


def score_text(text: str, score: ContinuationScore, units: Mapping[str, int] | None = None) -> Score:
    """Return the bits per byte of a text, with metadata from which the perplexities over all texts are computed.

    Words and bytes are those of the whole text, even if its first token has no log-probability.

    Args:
        text: The text.
        score: Its score.
        units: Its `words` and `bytes`; by default they are counted in it. See `text_sample`.
    """
    sums: dict[str, Any] = {"loglikelihood": score.loglikelihood, **(units or _units(text)), "tokens": score.tokens}
    if score.unscored:
        sums["unscored"] = score.unscored
    size = sums["bytes"]
    return Score(value=(0.0 - score.loglikelihood) / (size * _BITS) if size else math.nan, metadata={SUMS_KEY: sums})
