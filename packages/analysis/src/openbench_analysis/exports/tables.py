"""Runs as tables with typed columns.

`results` has a row for each log, `stats` for each model in it, `samples` for each sample and epoch; each names the log
by `eval_id`. Columns are the same for all logs, so that tables of any logs can be joined: what differs between
benchmarks (metadata, arguments, messages) is JSON. Secrets are redacted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from inspect_ai.log import EvalSample, read_eval_log_samples_by_id

from openbench.redaction import redacted, redacted_text
from openbench.run.logs import read_log
from openbench_analysis.exports.origin import finite, generation_of, origin_of
from openbench_analysis.runs import Run, SampleResult

_BATCH = 500  # samples in memory at a time
_TEXT, _COUNT, _NUMBER, _FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

_LOG = {"eval_id": _TEXT, "benchmark": _TEXT, "model": _TEXT}
_ORIGIN = {
    **dict.fromkeys(("distribution", "version", "core", "rule"), _TEXT),
    "in_place_of": pa.list_(_TEXT),
    "sample_rows": _FLAG,
    **dict.fromkeys(("dataset", "dataset_config", "dataset_split", "dataset_revision"), _TEXT),
    "dataset_rows": _COUNT,
    **dict.fromkeys(("dataset_sha256", "prompt_sha256", "inspect_ai"), _TEXT),
}
RESULTS = pa.schema(
    {
        **_LOG,
        **dict.fromkeys(("log", "run_id", "task", "created", "status", "metric"), _TEXT),
        "score": _NUMBER,
        "stderr": _NUMBER,
        "higher_is_better": _FLAG,
        "metrics": pa.list_(pa.struct({"scorer": _TEXT, "metric": _TEXT, "value": _NUMBER})),
        **dict.fromkeys(("samples", "epochs", "errors", "unanswered", "truncated"), _COUNT),
        **dict.fromkeys(("input_tokens", "output_tokens"), _COUNT),
        "cost": _NUMBER,
        "seconds": _NUMBER,
        **_ORIGIN,
        **dict.fromkeys(("task_args", "model_args", "generate_config"), _TEXT),
    }
)
STATS = pa.schema(
    {
        **_LOG,
        "usage_model": _TEXT,
        **dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), _COUNT),
        **dict.fromkeys(("input_tokens_cache_read", "input_tokens_cache_write", "reasoning_tokens"), _COUNT),
        "started_at": _TEXT,
        "completed_at": _TEXT,
    }
)
SAMPLES = pa.schema(
    {
        **_LOG,
        "sample_id": _TEXT,
        "epoch": _COUNT,
        **dict.fromkeys(("content", "input"), _TEXT),
        "choices": pa.list_(_TEXT),
        **dict.fromkeys(("target", "completion", "answer"), _TEXT),
        "score": _NUMBER,
        "scores": pa.list_(pa.struct(dict.fromkeys(("scorer", "value", "answer", "explanation"), _TEXT))),
        "answered": _FLAG,
        **dict.fromkeys(("reason", "stop", "error", "limit"), _TEXT),
        **dict.fromkeys(("input_tokens", "output_tokens"), _COUNT),
        "seconds": _NUMBER,
        "metadata": _TEXT,
        "messages": _TEXT,
    }
)


def tables_of(runs: Sequence[Run]) -> dict[str, tuple[pa.Schema, Iterator[dict[str, Any]]]]:
    """Return the columns and the rows of each table of some runs, whose rows follow each other in their order."""
    return {
        "results": (RESULTS, (results_row(run) for run in runs)),
        "stats": (STATS, (row for run in runs for row in stats_rows(run))),
        "samples": (SAMPLES, (row for run in runs for row in samples_rows(run))),
    }


def results_row(run: Run) -> dict[str, Any]:
    """Return a log's row of `results`."""
    spec, summary, results = run.log.eval, run.summary, run.results
    return {
        **_log_columns(run),
        "log": PurePath(run.location).name,  # where it lies on this machine is nobody's business
        "run_id": spec.run_id,
        "task": spec.task,
        "created": str(spec.created),
        "status": run.log.status,
        "metric": summary.metric,
        "score": finite(summary.score),
        "stderr": finite(summary.stderr),
        "higher_is_better": run.higher_is_better,
        "metrics": [
            {"scorer": scorer, "metric": metric, "value": finite(value)}
            for scorer, values in summary.metrics.items()
            for metric, value in values.items()
        ],
        "samples": len(run.items),
        "epochs": max(result.epoch for result in results),
        "errors": sum(result.error is not None for result in results),
        "unanswered": sum(result.error is None and not result.answered for result in results),
        "truncated": sum(result.stop == "truncated" for result in results),
        "input_tokens": summary.input_tokens,
        "output_tokens": summary.output_tokens,
        "cost": summary.cost,
        "seconds": summary.seconds,
        **origin_of(run),
        "task_args": _json(redacted(spec.task_args_passed)),
        "model_args": _json(redacted(spec.model_args)),
        "generate_config": _json(generation_of(run)),
    }


def stats_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Yield a log's rows of `stats`."""
    stats = run.log.stats
    for model, usage in stats.model_usage.items():
        counts = usage.model_dump(include={*STATS.names})
        times = {"started_at": stats.started_at, "completed_at": stats.completed_at}
        yield {**_log_columns(run), "usage_model": redacted(model, "model"), **counts, **times}


def samples_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Yield a log's rows of `samples`, in its order."""
    shared = _log_columns(run)
    for result, sample in full_samples(run):
        yield {**shared, **_sample_row(result, sample)}


def full_samples(run: Run) -> Iterator[tuple[SampleResult, EvalSample]]:
    """Yield each result of a run with its sample, without events; a JSON log is read whole, any other in parts."""
    if not run.location.endswith(".eval"):
        found = {(sample.id, sample.epoch): sample for sample in read_log(run.location).samples or ()}
        yield from ((result, found[result.id, result.epoch]) for result in run.results)
        return
    for results in _batches(run.results):
        samples = read_eval_log_samples_by_id(
            run.location,
            [(result.id, result.epoch) for result in results],
            resolve_attachments="core",
            exclude_fields={"events", "store"},
        )
        yield from zip(results, samples, strict=True)


def write_table(path: Path, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows to a Parquet file, a batch at a time, and return how many there are."""
    count = 0
    with pq.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema))
            count += len(batch)
    return count


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _log_columns(run: Run) -> dict[str, Any]:
    return {"eval_id": run.log.eval.eval_id, "benchmark": run.benchmark, "model": redacted(run.model, "model")}


def _sample_row(result: SampleResult, sample: EvalSample) -> dict[str, Any]:
    messages = [message.model_dump(mode="json", exclude_none=True, fallback=str) for message in sample.messages]
    scores = sample.scores or {}
    return {
        "sample_id": str(sample.id),
        "epoch": sample.epoch,
        "content": result.content,
        "input": input_text(sample),
        "choices": sample.choices,
        "target": redacted(sample.target if isinstance(sample.target, str) else "\n".join(sample.target)),
        "completion": redacted(sample.output.completion),
        "answer": redacted(result.answer),
        "score": finite(result.score),
        "scores": [
            {
                "scorer": name,
                "value": _json(score.value),
                "answer": redacted(score.answer),
                "explanation": redacted(score.explanation),
            }
            for name, score in scores.items()
        ],
        "answered": result.answered,
        "reason": result.reason,
        "stop": result.stop,
        "error": result.error and redacted_text(result.error),
        "limit": result.limit,
        "input_tokens": result.input_tokens,
        "output_tokens": result.output_tokens,
        "seconds": result.seconds,
        "metadata": _json(redacted(sample.metadata)),
        "messages": _json(redacted(messages)),
    }


def input_text(sample: EvalSample) -> str:
    """Return a sample's input as one text, without secrets: of messages, their texts behind their roles."""
    if isinstance(sample.input, str):
        return str(redacted(sample.input))
    return str(redacted("\n\n".join(f"{message.role}: {message.text}" for message in sample.input)))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
