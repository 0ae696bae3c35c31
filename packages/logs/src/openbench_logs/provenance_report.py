"""Reports a log's provenance as labelled lines or plain data, with the information that is missing."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from inspect_ai.log import EvalLog

from openbench.redaction import redacted, redacted_text
from openbench.run.paths import absolute, display_path, parent, resolve
from openbench.run.summary import Summary, labelled, summarize
from openbench.tasks.provenance import METADATA_KEY, Provenance

_EXPECTED = {
    "benchmark": "the benchmark",
    "rule": "the rule that chose its provider",
    "dataset": "the rows",
    "prompt": "the digest of the prompts",
    "scorers": "the scorers and their arguments",
    "solvers": "the solvers and their arguments",
    "versions": "package versions",
    "command": "the command",
    "plan": "the settings of the run",
}


def missing_parts(log: EvalLog) -> list[str]:
    """Return the names of the information that a log lacks."""
    known = (log.eval.metadata or {}).get(METADATA_KEY) or {}
    return [words for name, words in _EXPECTED.items() if name not in known]


def as_data(log: EvalLog) -> dict[str, Any]:
    """Return a log's provenance as plain data."""
    spec = log.eval
    summary = summarize(log)
    return {
        **{name: getattr(summary, name) for name in ("metric", "higher_is_better", "score", "stderr", "metrics")},
        "log": log.location,
        "task": spec.task,
        "model": spec.model,
        "status": log.status,
        "created": spec.created,
        "by_openbench": bool(Provenance.of(log)),
        "openbench": (spec.metadata or {}).get(METADATA_KEY),
        "inspect": {
            "task_args": redacted(spec.task_args),
            "model_args": redacted(spec.model_args),
            "model_base_url": redacted_text(spec.model_base_url or "") or None,
            "packages": spec.packages,
        },
        "missing": missing_parts(log),
    }


def as_lines(log: EvalLog) -> Iterator[tuple[str, str]]:
    """Yield a log's provenance as labels and texts of any length; an empty label continues the previous one."""
    spec, own = log.eval, Provenance.of(log)
    summary = summarize(log)
    yield from _of_scores(summary)
    yield from _of_run(log, summary)
    if own:
        yield from _of_benchmark(own)
    yield "task args", _pairs(own.identity.get("arguments", redacted(spec.task_args)))
    yield from _of_model(log)
    for each in filter(None, [own.dataset, *own.further_datasets]):
        yield from _of_dataset(each)
    if not own:
        yield "dataset", " ".join(filter(None, [spec.dataset.name, f"{spec.dataset.samples or 0:,} samples"]))
    yield "prompt", _digest(own.prompt) if own.prompt else ""
    for label, parts in (("scorers", own.scorers), ("solvers", own.solvers)):
        for number, part in enumerate(parts):
            yield ("" if number else label), _part(part)
    if not own:
        yield "scorers", ", ".join(scorer.name for scorer in spec.scorers or ())
    yield "command", shlex.join(own.command)
    yield from _of_versions(own, spec.packages)


def _of_scores(summary: Summary) -> Iterator[tuple[str, str]]:
    if summary.score is not None and summary.metric:
        error = "" if summary.stderr is None else f" ± {summary.stderr:.3f}"
        metric = labelled(summary.metric, higher_is_better=summary.higher_is_better)
        yield "score", f"{metric} {summary.score:.3f}{error}"
    for number, (scorer, metrics) in enumerate(summary.metrics.items()):
        values = ", ".join(f"{name} {value:.3f}" for name, value in metrics.items())
        yield ("" if number else "metrics"), f"{scorer}: {values}"


def _of_run(log: EvalLog, summary: Summary) -> Iterator[tuple[str, str]]:
    yield "task", log.eval.task
    yield "status", f"{log.status}, {summary.completed} of {summary.samples} samples, {log.eval.created}"
    yield "", redacted_text(summary.error or "")
    run = Provenance.of(log).run
    yield "run", display_path(resolve(parent(absolute(log.location)), run)) if run else ""


def _of_benchmark(own: Provenance) -> Iterator[tuple[str, str]]:
    local = f"a local eval, {own.reference or 'of unknown origin'}"
    origin = f"{own.distribution} {own.version or ''}" if own.distribution else local
    yield "benchmark", f"{own.benchmark} of {origin}{f' (rule: {own.rule})' if own.rule else ''}"
    yield "in place of", ", ".join(own.in_place_of)
    yield "rows", "the sample rows of its package (--sample)" if own.sample else ""
    yield "source", _digest(own.source) if own.source else ""


def _of_model(log: EvalLog) -> Iterator[tuple[str, str]]:
    spec = log.eval
    at = f" at {redacted_text(spec.model_base_url)}" if spec.model_base_url else ""
    yield "model", f"{spec.model}{at}"
    yield "model args", _pairs(redacted(spec.model_args))
    for role, config in (spec.model_roles or {}).items():
        several = config if isinstance(config, list) else [config]
        yield "role", f"{role}: {', '.join(each.model for each in several)}"
    generation = log.plan.config.merge(spec.model_generate_config).model_dump(exclude_none=True)
    yield "generation", _pairs(generation)
    own = Provenance.of(log)
    limits = {name: value for name, value in own.plan.get("options", {}).items() if not name.startswith("log_")}
    yield "options", _pairs(limits or {"epochs": spec.config.epochs, "limit": spec.config.limit})
    yield "engine", f"{own.engine['name']}, since {own.engine['reason']}" if own.engine else ""


def _of_dataset(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    named = [entry["source"], entry.get("config"), entry.get("split")]
    yield "dataset", " ".join(filter(None, named)) + (" of the package" if entry.get("bundled") else "")
    yield "revision", entry.get("revision") or ("" if entry.get("bundled") else "none: the source is not pinned")
    count = "not read through openbench" if entry.get("rows") is None else f"{entry['rows']:,}"
    yield "rows", f"{count}{', ' + _digest(entry['sha256']) if entry.get('sha256') else ''}"


def _part(entry: Mapping[str, Any]) -> str:
    origin = f" ({entry['distribution']} {entry['version']})" if entry.get("distribution") else ""
    given = {name: value for name, value in entry["arguments"].items() if value is not None}
    return f"{entry['name']}{origin}{' with ' + _pairs(given) if given else ''}"


def _of_versions(own: Provenance, packages: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "python", " on ".join(filter(None, [own.python, own.platform]))
    yield "versions", ", ".join(f"{name}=={version}" for name, version in (own.versions or packages).items())
    for name, origin in own.local.items():
        yield "local", f"{name} is installed from a folder ({origin['from']}), {_digest(origin['sha256'] or '-')}"


def _digest(digits: str) -> str:
    return f"sha256 {digits[:16]}…"


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_short(value)}" for name, value in values.items() if value is not None)


def _short(value: object, most: int = 120) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= most else f"{text[:most]}…"
