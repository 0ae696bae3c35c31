"""Reads logs: what was run, and the result of each sample. Any Inspect log will do, ours or another program's."""

import contextlib
import gc
import glob
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import fsum, isfinite, nan
from pathlib import Path
from typing import Annotated, Any

import fsspec
from inspect_ai import Epochs
from inspect_ai.log import EvalLog, EvalSampleSummary, list_eval_logs, read_eval_log_sample_summaries
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, ScoreReducer, value_to_float
from pydantic import BaseModel, BeforeValidator

import openbench.metrics  # noqa: F401 - the reducer `pass_hat` registers itself
from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.run.identity import CONTENT_KEY
from openbench.run.logs import read_log
from openbench.run.messages import plain_message
from openbench.run.paths import is_remote
from openbench.run.summary import MEAN, Headline, Summary, expected_headline, headline_of, summarize
from openbench.scorers.reasons import REFUSED, STOP_REASON, is_answered, stop_reason_of
from openbench.tasks.provenance import Provenance
from openbench_analysis.recomputed import Recomputed, definitions, recompute
from openbench_dryrun.prices import Price, cost_of_log

_GROUPED = {"grouped": "group_key", "by_group": "keys", "macro_average": "keys"}
_CLUSTERED = {"clustered_stderr": "cluster", "stderr": "cluster", "ci": "cluster", "ci_wilson": "cluster"}
"""Metrics whose options name a key of the samples' metadata: of a category, and of a cluster."""
CONFIDENCE = "confidence"
"""The key of a score's, or a sample's, metadata for how sure the model was: from 0 to 1, or in per cent."""
_SHOWN = 1_000  # characters of a text; Inspect's summaries of samples have at least these
_LOGS = (".eval", ".json")

_to_float = value_to_float()


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """One sample in one epoch.

    Attributes:
        id: The sample's id.
        epoch: Its epoch, from 1.
        content: The digest of what the sample shows a model and is scored by; None where the log does not have it.
        input: The first 1,000 characters of its input, as text.
        target: Those of its target.
        metadata: Its metadata; what is longer than that is cut off or replaced by a note.
        score: The value of the headline metric's scorer as a number; NaN if missing.
        answer: What the scorer took for the answer, if it says.
        explanation: The beginning of the scorer's explanation, which for most scorers is the completion. A `.eval` log
            yields it, and the answer, in one line.
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
        headline: Its headline metric; if the run did not end, the one that it would have had, without a value. None
            without scorers.
        results: Every sample in every epoch, in the order of the log. If it has one twice, the last counts, as in
            Inspect.
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
        """The provenance in the log; empty for a log of another program."""
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
        """The score of each sample by its id, its epochs reduced as the headline metric does; NaN if unscored."""
        reduce = _reducer(self.headline.reducer if self.headline else MEAN)
        return {id_: reduce([result.score for result in results]) for id_, results in self.items.items()}

    @cached_property
    def metric(self) -> Recomputed:
        """The headline metric, which can be computed anew from some of the samples.

        Raises:
            LogError: It is not installed, or gives another value than the log has.
        """
        return recompute(self.log)

    @cached_property
    def contents(self) -> Mapping[str | int, str | None]:
        """The digest of each sample's content by its id; None where the log does not have it."""
        return {id_: results[0].content for id_, results in self.items.items()}

    def _metric_keys(self, named: Mapping[str, str]) -> Iterator[str]:
        for metric in definitions([self.log.eval.metrics, *(each.metrics for each in self.log.eval.scorers or ())]):
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
        LogError: It cannot be read, holds no samples, or reduces epochs by what is not installed.
    """
    with _collector_paused():
        log = read_log(path, header_only=True)
        headline = headline_of(log) or expected_headline(log.eval)
        try:
            results = {(each.id, each.epoch): _result(each, log.eval.model, headline) for each in _summaries(path)}
        except Exception as error:
            raise LogError(f"{path}: its samples cannot be read: {plain_message(error)}") from error
    if headline:
        _check_reducer(path, headline.reducer)
    if not results:
        raise LogError(f"{path} holds no samples (its status is {log.status}). Leave it out.")
    summary = summarize(log, partial(cost_of_log, prices or {}))
    return Run(log=log, summary=summary, headline=headline, results=[*results.values()])


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


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which otherwise takes half of the time in which many small objects are made."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _logs_at(place: str) -> list[str]:
    if is_remote(place):
        return _remote_logs(place)
    if Path(place).is_file():
        return [place]
    if Path(place).is_dir():
        found = _listed(place)
        problem = "the directory holds no logs."
    elif glob.has_magic(place):
        matches = sorted(glob.glob(place, recursive=True))  # noqa: PTH207 - a pattern may be absolute
        found = [path for match in matches for path in (_listed(match) if Path(match).is_dir() else [match])]
        found = [path for path in dict.fromkeys(found) if path.endswith(_LOGS)]
        problem = "no log matches the pattern."
    else:
        raise UsageError(f"{place} does not exist.")
    if not found:
        raise UsageError(f"{place}: {problem}")
    return found


def _remote_logs(place: str) -> list[str]:
    if glob.has_magic(place):
        file_system, pattern = fsspec.core.url_to_fs(place)
        found = sorted(file_system.unstrip_protocol(path) for path in file_system.glob(pattern) if path.endswith(_LOGS))
    else:
        found = [place] if place.endswith(_LOGS) else _listed(place)
    if not found:
        raise UsageError(f"{place}: no logs found.")
    return found


def _listed(directory: str) -> list[str]:
    """Return the logs in a directory and those below it, oldest first."""
    return [info.name.removeprefix("file://") for info in list_eval_logs(directory, descending=False)]


def _reducer(name: str) -> Any:
    """Return a function from the scores of a sample's epochs to its score; those that are NaN do not count."""
    named = None if name == MEAN else Epochs(1, _registered(name)).reducer
    reducer: ScoreReducer | None = named[0] if named else None

    def reduce(scores: Sequence[float]) -> float:
        if reducer:
            return float(_to_float(reducer([Score(value=score) for score in scores]).value))
        finite = [score for score in scores if isfinite(score)]
        return fsum(finite) / len(finite) if finite else nan

    return reduce


def _check_reducer(path: str, name: str) -> None:
    try:
        _reducer(name)
    except LookupError as error:
        problem = f"its epochs were reduced by {_registered(name)!r}, which is not known here."
        raise LogError(f"{path}: {problem} Install the package that has it, and import it.") from error


def _registered(reducer: str) -> str:
    """Return the name of a reducer in Inspect's registry."""
    return reducer.replace("pass@", "pass_at_").replace("pass^", "pass_hat_")


def _beginning(text: str | None) -> str | None:
    return text and text[:_SHOWN]


def _text(value: Any) -> str:
    """Return the beginning of an input or a target as text: of messages, of their texts."""
    if isinstance(value, str):
        return value[:_SHOWN]
    if not isinstance(value, list):
        return ""
    parts = (part if isinstance(part, str) else _content(part) for part in value)
    return "\n".join(filter(None, parts))[:_SHOWN]


def _content(part: Any) -> str:
    """Return the text of a message or of a part of one; of an image, `(Image)`, as in Inspect's summaries."""
    fields = part if isinstance(part, Mapping) else part.model_dump(include={"content", "text", "type"})
    text = fields.get("content") or fields.get("text")
    kind = fields.get("type", "text")
    return f"({kind.capitalize()})" if kind != "text" else _text(text)


def _message(error: Any) -> str | None:
    return str(error.get("message")) if isinstance(error, Mapping) else None


def _kind(limit: Any) -> str | None:
    return str(limit.get("type")) if isinstance(limit, Mapping) else None


def _stop(output: Any) -> str | None:
    """Return what stopped an output before its end."""
    choices = output.get("choices") if isinstance(output, Mapping) else None
    plain = not choices or (choices[0]["stop_reason"] == "stop" and isinstance(choices[0]["message"]["content"], str))
    return None if plain else stop_reason_of(ModelOutput.model_validate(output))


def _short_values(metadata: Any) -> Any:
    """Return metadata without what is too long, as Inspect's summaries have it."""
    return {key: _short(value) for key, value in metadata.items()} if isinstance(metadata, Mapping) else metadata


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value[:_SHOWN]
    if isinstance(value, list | dict) and len(json.dumps(value)) > _SHOWN:
        return "Key removed from summary (> 1k)"
    return value


class _Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0


class _JsonSample(BaseModel):
    """The part of a sample in a JSON log that is read, as `EvalSampleSummary` has it, and what stopped its output."""

    id: str | int
    epoch: int
    input: Annotated[str, BeforeValidator(_text)] = ""
    target: Annotated[str, BeforeValidator(_text)] = ""
    metadata: Annotated[dict[str, Any], BeforeValidator(_short_values)] = {}
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
        answer=_beginning(main.answer) if main else None,
        explanation=_beginning(main.explanation) if main else None,
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
    """Return a score as a number, of several values that of a key; NaN if missing."""
    value = score.value if score else None
    if isinstance(value, dict):
        value = value.get(key) if key is not None else next(iter(value.values()), None)
    if isinstance(value, list):
        value = value[0] if value else None
    return nan if value is None else float(_to_float(value))
