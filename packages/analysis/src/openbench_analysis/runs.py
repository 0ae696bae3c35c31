"""Reads logs: what was run, and the result of each sample. Any Inspect log will do, ours or another program's."""

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, nan
from pathlib import Path
from typing import Annotated, Any

import fsspec
from inspect_ai import Epochs
from inspect_ai.log import EvalLog, EvalSampleSummary, list_eval_logs, read_eval_log_sample_summaries
from inspect_ai.scorer import Score, ScoreReducer, value_to_float
from pydantic import BaseModel, BeforeValidator

from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.run.identity import CONTENT_KEY
from openbench.run.logs import read_log
from openbench.run.messages import plain_message
from openbench.run.paths import is_remote
from openbench.run.prices import Price
from openbench.run.summary import MEAN, Headline, Summary, headline_of, summarize
from openbench.scorers.reasons import FILTERED, REFUSED, STOP_REASON, TRUNCATED, is_answered
from openbench.tasks.provenance import Provenance

_GROUPED = {"grouped": "group_key", "by_group": "keys", "macro_average": "keys"}
_CLUSTERED = {"clustered_stderr": "cluster", "stderr": "cluster", "ci": "cluster", "ci_wilson": "cluster"}
"""Metrics whose options name a key of the samples' metadata: of a category, and of a cluster."""
_STOPS = {"max_tokens": TRUNCATED, "model_length": TRUNCATED, "content_filter": FILTERED}
CONFIDENCE = "confidence"
"""The key of a score's, or a sample's, metadata for how sure the model was: from 0 to 1, or in per cent."""
_SHOWN = 1_000  # characters of a text in Inspect's summaries of samples

_to_float = value_to_float()


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """One sample in one epoch.

    Attributes:
        id: The sample's id.
        epoch: Its epoch, from 1.
        content: The digest of what the sample shows a model and is scored by; None where the log does not have it.
        input: The beginning of its input, as text.
        target: Its target, as text.
        metadata: Its metadata.
        score: The value of the headline metric's scorer as a number; NaN if there is none.
        answer: What the scorer took for the answer, if it says.
        explanation: The scorer's explanation; for most scorers, the beginning of the completion.
        reason: Why the score is not an ordinary one, as in `openbench.scorers.reasons`.
        answered: Whether a scorer could read an answer.
        stop: What stopped the answer before its end (`truncated`, `filtered`, `refused`, `context`), if it is known.
        confidence: How sure the model was, as a number, of 1 or of 100: the `confidence` in the metadata of the score,
            else of the sample; None without one.
        error: The message of the error that ended the sample.
        limit: The kind of the limit that ended it.
        input_tokens: The input tokens of the evaluated model.
        output_tokens: Its output tokens.
        seconds: For how long the sample was worked on, waiting excluded; None if the log does not say.
    """

    id: str | int
    epoch: int
    content: str | None
    input: str
    target: str
    metadata: Mapping[str, Any]
    score: float
    answer: str | None
    explanation: str | None
    reason: str | None
    answered: bool
    stop: str | None
    confidence: float | None
    error: str | None
    limit: str | None
    input_tokens: int
    output_tokens: int
    seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Run:
    """One log: one model on one benchmark.

    Attributes:
        log: The log's header, without samples.
        summary: Its figures; those that need samples are empty.
        headline: Its headline metric; None if nothing was scored.
        results: Every sample in every epoch, in the order of the log.
    """

    log: EvalLog
    summary: Summary
    headline: Headline | None
    results: Sequence[SampleResult] = field(repr=False)

    @property
    def location(self) -> str:
        """Where the log is."""
        return self.log.location

    @property
    def benchmark(self) -> str:
        """The benchmark's key; for a log of another program, its task's name without a package."""
        return self.provenance.benchmark or self.log.eval.task.rpartition("/")[2]

    @property
    def model(self) -> str:
        """The model's name."""
        return self.log.eval.model

    @cached_property
    def provenance(self) -> Provenance:
        """What produced the log; empty for a log of another program."""
        return Provenance.of(self.log)

    @property
    def higher_is_better(self) -> bool:
        """The direction of the headline metric."""
        return self.headline is None or self.headline.higher_is_better

    @cached_property
    def cluster_key(self) -> str | None:
        """The key of the samples' metadata by which the benchmark's own standard errors are clustered."""
        return next(iter(self._metric_keys(_CLUSTERED)), None)

    @cached_property
    def category_keys(self) -> Sequence[str]:
        """The keys of the samples' metadata by which the benchmark reports categories."""
        return list(dict.fromkeys(self._metric_keys(_GROUPED)))

    @cached_property
    def items(self) -> Mapping[str | int, Sequence[SampleResult]]:
        """The results of each sample by its id, by epoch."""
        items: dict[str | int, list[SampleResult]] = {}
        for result in self.results:
            items.setdefault(result.id, []).append(result)
        return {id_: sorted(results, key=lambda result: result.epoch) for id_, results in items.items()}

    @cached_property
    def scores(self) -> Mapping[str | int, float]:
        """The score of each sample by its id, its epochs reduced as the headline metric does; NaN if it has none."""
        reduce = _reducer(self.headline.reducer if self.headline else MEAN)
        return {id_: reduce([result.score for result in results]) for id_, results in self.items.items()}

    @cached_property
    def contents(self) -> Mapping[str | int, str | None]:
        """The digest of each sample's content by its id; None where the log does not have it."""
        return {id_: results[0].content for id_, results in self.items.items()}

    def _metric_keys(self, named: Mapping[str, str]) -> Iterator[str]:
        for metric in _metrics(self.log):
            option = named.get(metric.name.rpartition("/")[2])
            value = (metric.options or {}).get(option) if option else None
            if isinstance(value, str):
                yield value


def find_logs(places: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the logs that paths, directories, addresses and patterns name, by what named them, oldest first.

    Raises:
        UsageError: One does not exist, or names no log.
    """
    return {place: _logs_at(place) for place in dict.fromkeys(places)}


def read_run(path: str, prices: Mapping[str, Price] | None = None) -> Run:
    """Read a log without the parts that analysis does not need, such as transcripts.

    Args:
        path: The path or address of a `.eval` or `.json` log.
        prices: The prices of models, for the cost.

    Raises:
        UsageError: The log does not exist.
        LogError: It cannot be read, or holds no samples.
    """
    log = read_log(path, header_only=True)
    headline = headline_of(log)
    try:
        results = [_result(sample, log.eval.model, headline) for sample in _summaries(path)]
    except Exception as error:
        raise LogError(f"{path}: its samples cannot be read: {plain_message(error)}") from error
    if not results:
        raise LogError(f"{path} holds no samples (its status is {log.status}). Leave it out.")
    return Run(log=log, summary=summarize(log, prices), headline=headline, results=results)


def read_runs(paths: Sequence[str], prices: Mapping[str, Price] | None = None) -> tuple[list[Run], list[str]]:
    """Read logs, and go on where one cannot be read.

    Returns:
        The runs, and a message on each log that cannot be read.
    """
    runs, problems = [], []
    for path in paths:
        try:
            runs.append(read_run(path, prices))
        except OpenbenchError as error:
            problems.append(str(error))
    return runs, problems


def _logs_at(place: str) -> list[str]:
    if not is_remote(place) and not Path(place).exists() and glob.has_magic(place):
        matches = sorted(glob.glob(place, recursive=True))  # noqa: PTH207 - a pattern may be absolute
        found = [path for match in matches for path in _logs_at(match)]
        if not found:
            raise UsageError(f"{place}: no log matches the pattern.")
        return found
    if is_remote(place) and place.endswith((".eval", ".json")):
        return [place]
    if not is_remote(place) and not Path(place).is_dir():
        if not Path(place).exists():
            raise UsageError(f"{place} does not exist.")
        return [place]
    found = [_local(info.name) for info in list_eval_logs(place, descending=False)]
    if not found:
        raise UsageError(f"{place}: the directory holds no logs.")
    return found


def _local(name: str) -> str:
    return name.removeprefix("file://")


def _metrics(log: EvalLog) -> Iterator[Any]:
    """Yield the definitions of all metrics that a log's scorers have."""
    for scorer in log.eval.scorers or ():
        groups = [scorer.metrics] if isinstance(scorer.metrics, dict) else scorer.metrics or []
        for group in groups:
            yield from (each for of in group.values() for each in of) if isinstance(group, dict) else (group,)


def _reducer(name: str) -> Any:
    """Return a function from the scores of a sample's epochs to its score; those that are NaN do not count."""
    reducer: ScoreReducer | None = None
    if name != MEAN:
        made = Epochs(1, name.replace("pass@", "pass_at_").replace("pass^", "pass_hat_")).reducer
        reducer = made[0] if made else None

    def reduce(scores: Sequence[float]) -> float:
        finite = [score for score in scores if isfinite(score)]
        if not finite:
            return nan
        if reducer is None:
            return sum(finite) / len(finite)
        return _to_float(reducer([Score(value=score) for score in finite]).value)

    return reduce


def _text(value: Any) -> str:
    """Return the beginning of an input or a target as text: of messages, of their texts."""
    if isinstance(value, str):
        return value[:_SHOWN]
    if not isinstance(value, list):
        return ""
    parts = (part if isinstance(part, str) else _content(part) for part in value)
    return "\n".join(filter(None, parts))[:_SHOWN]


def _content(part: Any) -> str:
    """Return the text of a message or of a part of one."""
    if isinstance(part, Mapping):
        return _text(part.get("content") or part.get("text"))
    return _text(getattr(part, "content", None) or getattr(part, "text", None))


def _message(error: Any) -> str | None:
    return str(error.get("message")) if isinstance(error, Mapping) else None


def _kind(limit: Any) -> str | None:
    return str(limit.get("type")) if isinstance(limit, Mapping) else None


def _stop(output: Any) -> str | None:
    choices = output.get("choices") if isinstance(output, Mapping) else None
    return _STOPS.get(str(choices[0].get("stop_reason"))) if choices else None


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0


class _JsonSample(BaseModel):
    """The part of a sample in a JSON log that is read, as `EvalSampleSummary` has it, and what stopped its output."""

    id: str | int
    epoch: int
    input: Annotated[str, BeforeValidator(_text)] = ""
    target: Annotated[str, BeforeValidator(_text)] = ""
    metadata: dict[str, Any] = {}
    scores: dict[str, Score] | None = None
    model_usage: dict[str, _Usage] = {}
    working_time: float | None = None
    error: Annotated[str | None, BeforeValidator(_message)] = None
    limit: Annotated[str | None, BeforeValidator(_kind)] = None
    output: Annotated[str | None, BeforeValidator(_stop)] = None


class _JsonLog(BaseModel):
    samples: list[_JsonSample] | None = None


def _summaries(path: str) -> Iterable[EvalSampleSummary | _JsonSample]:
    """Read what a log has of its samples without their transcripts."""
    if path.endswith(".eval"):
        return read_eval_log_sample_summaries(path)
    with fsspec.open(path, "rb") as file:
        return _JsonLog.model_validate_json(file.read()).samples or ()


def _result(sample: EvalSampleSummary | _JsonSample, model: str, headline: Headline | None) -> SampleResult:
    scores = sample.scores or {}
    main = scores.get(headline.scorer) if headline else None
    usage = sample.model_usage.get(model)
    metadata = main.metadata or {} if main else {}
    stop = metadata.get(STOP_REASON) or (sample.output if isinstance(sample, _JsonSample) else None)
    return SampleResult(
        id=sample.id,
        epoch=sample.epoch,
        content=sample.metadata.get(CONTENT_KEY),
        input=_text(sample.input),
        target=_text(sample.target),
        metadata=sample.metadata,
        score=_value(main, headline.key if headline else None),
        answer=main.answer if main else None,
        explanation=main.explanation if main else None,
        reason=main.reason if main else None,
        answered=sample.error is None and stop != REFUSED and bool(scores) and any(map(is_answered, scores.values())),
        stop=stop,
        confidence=_confidence(metadata, sample.metadata),
        error=sample.error,
        limit=sample.limit,
        input_tokens=usage.input_tokens if usage else 0,
        output_tokens=usage.output_tokens if usage else 0,
        seconds=sample.working_time,
    )


def _confidence(*holders: Mapping[str, Any]) -> float | None:
    """Return the first confidence that is a number, or a text such as `85` or `85%`."""
    for holder in holders:
        try:
            found = float(str(holder.get(CONFIDENCE)).strip().removesuffix("%"))
        except ValueError:
            continue
        if isfinite(found):
            return found
    return None


def _value(score: Score | None, key: str | None) -> float:
    """Return a score as a number, of several values that of a key; NaN if there is none."""
    value = score.value if score else None
    if isinstance(value, dict):
        value = value.get(key) if key is not None else next(iter(value.values()), None)
    if isinstance(value, list):
        value = value[0] if value else None
    return nan if value is None else float(_to_float(value))
