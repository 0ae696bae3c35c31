"""`bench export every-eval-ever`: results and samples in the schema of Every Eval Ever, version 0.3.0.

The schema, and the layout of its data: https://github.com/evaleval/every_eval_ever. A run becomes
`data/BENCHMARK/DEVELOPER/MODEL/UUID.json` with its headline metric, and `UUID_samples.jsonl` beside it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any
from uuid import UUID

from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ContentReasoning

from openbench.errors import LogError, UsageError
from openbench.redaction import redacted, redacted_text
from openbench_analysis.exports.origin import dataset_of, finite, generation_of, hub_dataset, origin_of, slug
from openbench_analysis.exports.tables import full_samples, input_text
from openbench_analysis.runs import Run, SampleResult

_VERSION = "0.3.0"
_TYPED = ("temperature", "top_p", "top_k", "max_tokens")
_MODEL_PARTS = 2  # of an id: the developer and the model


def write_every_eval_ever(
    run: Run, folder: Path, *, organization: str, relationship: str, model_id: str | None = None
) -> list[Path]:
    """Write a run as two files, and return them; the same log always gives the same files.

    Args:
        run: The run.
        folder: The folder that gets `data/`.
        organization: Who publishes the results.
        relationship: Who ran the evaluation, relative to the model's developer: `first_party`, `third_party`,
            `collaborative` or `other`.
        model_id: The model as `developer/model`; by default what follows the provider in Inspect's name.

    Raises:
        UsageError: The model's id has no developer.
        LogError: The run has no score.
    """
    if run.headline is None or not isfinite(run.headline.value):
        raise LogError(f"{run.location} has no score (its status is {run.log.status}). Leave it out.")
    model = model_id or model_id_of(run.model)
    developer, _, name = model.partition("/")
    if not name:
        raise UsageError(f"{model}: expected a model as developer/model. Give it: --model-id DEVELOPER/{model}")
    digest = hashlib.sha256(f"{run.log.eval.eval_id}/{run.benchmark}/{model}".encode()).digest()
    uuid = UUID(bytes=digest[:16], version=4)
    place = Path("data", slug(run.benchmark), slug(developer), slug(*name.split("/")))
    evaluation_id = f"{slug(run.benchmark)}/{model.replace('/', '_')}/{_seconds(run, 'started_at')}"
    aggregate = {
        "schema_version": _VERSION,
        "evaluation_id": evaluation_id,
        "evaluation_timestamp": _seconds(run, "started_at"),
        "retrieved_timestamp": _seconds(run, "completed_at"),  # its own clock: the same log gives the same file
        "source_metadata": {
            "source_name": "openbench" if run.provenance else "Inspect",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": relationship,
        },
        "eval_library": _library(run),
        "model_info": _model_info(run, model, developer),
        "evaluation_results": [_result(run)],
    }
    (folder / place).mkdir(parents=True, exist_ok=True)
    samples = folder / place / f"{uuid}_samples.jsonl"
    count, checksum = _write_samples(samples, run, evaluation_id, model)
    aggregate["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": (place / samples.name).as_posix(),
        "hash_algorithm": "sha256",
        "checksum": checksum,
        "total_rows": count,
    }
    path = folder / place / f"{uuid}.json"
    path.write_text(_json(aggregate, indent=2) + "\n", "utf-8")
    return [path, samples]


def model_id_of(name: str) -> str:
    """Return a model's id, `developer/model`, from the name that Inspect has for it: its last two parts."""
    return "/".join(name.split("/")[-_MODEL_PARTS:])


def _library(run: Run) -> dict[str, Any]:
    origin = origin_of(run)
    inspect_version = origin["inspect_ai"] or "unknown"
    if not run.provenance:
        return {"name": "inspect_ai", "version": inspect_version}
    names = ("distribution", "version", "rule", "in_place_of", "prompt_sha256", "inspect_ai")
    details = _strings({name: origin[name] for name in names})
    return {"name": "openbench", "version": origin["core"] or "unknown", "additional_details": details}


def _model_info(run: Run, model: str, developer: str) -> dict[str, Any]:
    return {
        "name": redacted(run.model, "model"),
        "id": model,
        "developer": developer,
        "inference_platform": run.model.partition("/")[0],
        "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},  # no log knows
    }


def _result(run: Run) -> dict[str, Any]:
    headline = run.headline
    assert headline  # noqa: S101 - the caller has looked
    proportion = headline.metric.rpartition("/")[2] == "accuracy"
    scored = sum(isfinite(score) for score in run.scores.values())
    uncertainty: dict[str, Any] = {"num_samples": scored}
    if headline.stderr is not None:
        uncertainty["standard_error"] = {"value": headline.stderr, "method": "analytic"}
    return {
        "evaluation_result_id": _result_id(run),
        "evaluation_name": run.benchmark,
        "source_data": _source_data(run),
        "metric_config": {
            "metric_id": headline.metric if proportion else f"{run.benchmark}.{headline.name}",
            "metric_name": headline.name,
            "lower_is_better": not headline.higher_is_better,
            "score_type": "continuous",
            "min_score": 0 if proportion else "-Infinity",
            "max_score": 1 if proportion else "Infinity",
            "additional_details": _strings({"scorer": headline.scorer, "reducer": headline.reducer}),
        },
        "score_details": {
            "score": headline.value,
            "uncertainty": uncertainty,
            "details": _strings({"metrics": run.summary.metrics, "unscored": len(run.items) - scored}),
        },
        "generation_config": _generation(run),
    }


def _generation(run: Run) -> dict[str, Any]:
    config = generation_of(run)
    further = {name: value for name, value in config.items() if name not in _TYPED}
    command = {"execution_command": " ".join(run.provenance.command)} if run.provenance.command else {}
    return {
        "generation_args": {**{name: config[name] for name in _TYPED if name in config}, **command},
        "additional_details": _strings({**further, "task_args": redacted(run.log.eval.task_args_passed)}),
    }


def _source_data(run: Run) -> dict[str, Any]:
    origin, repo = origin_of(run), hub_dataset(run)
    names = ("dataset_config", "dataset_revision", "dataset_rows", "dataset_sha256", "sample_rows")
    details = _strings({name: origin[name] for name in names})
    shared = {"dataset_name": str(origin["dataset"] or run.benchmark), "additional_details": details}
    if repo is None:
        address = str(dataset_of(run).get("source") or "")
        remote = address.startswith(("http://", "https://"))
        return {**shared, **({"source_type": "url", "url": [address]} if remote else {"source_type": "other"})}
    split = {"hf_split": origin["dataset_split"]} if origin["dataset_split"] else {}
    return {**shared, "source_type": "hf_dataset", "hf_repo": repo, "samples_number": len(run.items), **split}


def _write_samples(path: Path, run: Run, evaluation_id: str, model: str) -> tuple[int, str]:
    """Write the samples that have a score; return how many these are, and the digest of the file."""
    digest, count = hashlib.sha256(), 0
    ids = {"schema_version": _VERSION, "evaluation_id": evaluation_id, "model_id": model}
    names = {"evaluation_name": run.benchmark, "evaluation_result_id": _result_id(run)}
    with path.open("wb") as file:
        for result, sample in full_samples(run):
            if isfinite(result.score):
                line = (_json({**ids, **names, **_sample(run, result, sample)}) + "\n").encode()
                digest.update(line)
                file.write(line)
                count += 1
    return count, digest.hexdigest()


def _sample(run: Run, result: SampleResult, sample: EvalSample) -> dict[str, Any]:
    reference = [sample.target] if isinstance(sample.target, str) else sample.target
    shown = {"raw": input_text(sample), "reference": redacted(reference)}
    messages = [_message(index, message) for index, message in enumerate(sample.messages)]
    turns = [message["turn_idx"] for message in messages if message["role"] == "assistant"]
    kind = _interaction(sample, len(turns))
    single = kind == "single_turn"
    last = turns[-1] if turns and not single else 0
    return {
        "sample_id": str(sample.id),
        "sample_hash": hashlib.sha256(json.dumps(shown, sort_keys=True, separators=(",", ":")).encode()).hexdigest(),
        "interaction_type": kind,
        "input": {**shown, "choices": sample.choices},
        "output": {"raw": [redacted(sample.output.completion)]} if single else None,
        "messages": None if single else messages,
        "answer_attribution": list(
            _attribution(run, result, last, "output.raw" if single else f"messages[{last}].content")
        ),
        "evaluation": {
            "score": result.score,
            "is_correct": result.score >= 1,
            "num_turns": max(1, len(turns)),
            "tool_calls_count": sum(len(message.get("tool_calls") or ()) for message in messages),
        },
        "token_usage": {
            "input_tokens": result.input_tokens,
            "output_tokens": result.output_tokens,
            "total_tokens": result.input_tokens + result.output_tokens,
        },
        "performance": {"latency_ms": result.seconds * 1000} if result.seconds is not None else None,
        "error": redacted_text(result.error) if result.error else None,
        "metadata": _strings(
            {**redacted(sample.metadata), "epoch": result.epoch, "stop": result.stop, "reason": result.reason}
        ),
    }


def _interaction(sample: EvalSample, turns: int) -> str:
    if any(isinstance(message, ChatMessageTool) for message in sample.messages):
        return "agentic"
    return "multi_turn" if turns > 1 else "single_turn"


def _attribution(run: Run, result: SampleResult, turn: int, source: str) -> Iterator[dict[str, Any]]:
    if result.answer is not None:
        yield {
            "turn_idx": turn,
            "source": source,
            "extracted_value": redacted(result.answer),
            "extraction_method": run.headline.scorer if run.headline else "unknown",
            "is_terminal": True,
        }


def _message(index: int, message: ChatMessage) -> dict[str, Any]:
    data: dict[str, Any] = {"turn_idx": index, "role": message.role, "content": redacted(message.text)}
    parts = message.content if isinstance(message.content, list) else []
    if thoughts := [part.reasoning for part in parts if isinstance(part, ContentReasoning)]:
        data["reasoning_trace"] = redacted("\n".join(thoughts))
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        data["tool_calls"] = [
            {"id": call.id, "name": call.function, "arguments": _strings(redacted(call.arguments))}
            for call in message.tool_calls
        ]
    if isinstance(message, ChatMessageTool) and message.tool_call_id:
        data["tool_call_id"] = [message.tool_call_id]
    return data


def _result_id(run: Run) -> str:
    return f"{run.benchmark}/{run.headline.name}" if run.headline else run.benchmark


def _seconds(run: Run, name: str) -> str:
    """Return a time of the log in seconds of the epoch, as text; by default the time of its creation."""
    text = getattr(run.log.stats, name) or str(run.log.eval.created)
    time = datetime.fromisoformat(text)
    return f"{(time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp():.0f}"


def _strings(values: Mapping[str, Any]) -> dict[str, str]:
    """Return what is known of some values, each as text: all further details are texts there."""
    return {
        str(name): value if isinstance(value, str) else _json(value)
        for name, value in values.items()
        if value is not None
    }


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, indent=indent, default=str, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return data without NaN and infinities, which are not valid JSON."""
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
