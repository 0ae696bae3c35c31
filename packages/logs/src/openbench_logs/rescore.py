"""Scores a log again, with its own scorers or another one."""

import contextlib
import functools
import json
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import inspect_ai.scorer
from inspect_ai import Task, score
from inspect_ai.log import EvalLog, HeadlineMetric, recompute_metrics
from inspect_ai.model import GenerateConfig, Model, ModelConfig
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_create

from openbench.errors import LogError, OpenbenchError, UnknownNameError, UsageError
from openbench.redaction import REDACTED
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.names import is_path
from openbench.run.build_job import check_before_run
from openbench.run.inspect_eval import stdout_to_stderr, with_models
from openbench.run.messages import plain_message, traceback_message
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec, Plan
from openbench.run.trust import check, file
from openbench.run.trust import model as named
from openbench.scorers.reasons import SCORING_FAILED, of_answers
from openbench.tasks.provenance import Provenance, as_data, file_digest, record
from openbench_components.components import Component, find_component
from openbench_local.loading import source_file, split_task

Action = Literal["append", "overwrite"]

_MODEL = {"model", "config", "base_url", "model_args"}
"""How Inspect logs a model that is an argument."""


def rescore(
    catalog: Catalog,
    log: EvalLog,
    *,
    scorer: Component[Scorer] | None = None,
    scorer_args: Mapping[str, Any] | None = None,
    action: Action = "overwrite",
    roles: Mapping[str, Model] | None = None,
    trust: bool = False,
) -> EvalLog:
    """Score a log's samples again; the evaluated model gets no requests unless a scorer sends them.

    Samples that ended in an error remain without a score. If a scorer fails on a sample, the sample is unscored with
    the traceback in its explanation, and the scores of all others are kept.

    Args:
        catalog: Finds the benchmark, whose module registers its scorers and metrics.
        log: The log, with its samples.
        scorer: The scorer; by default the log's own scorers.
        scorer_args: Arguments of the scorer, which override the logged ones.
        action: Whether the new scores are added to the old ones or replace them.
        roles: Models by role, such as `grader`, which replace the log's.
        trust: Whether to use addresses, arguments and files that only the log names.

    Returns:
        A log with the new scores, in memory; if a scorer is given, the headline is its.

    Raises:
        LogError: The log has no samples, or no scorers.
        UsageError: The scorer does not exist, rejects its arguments, has no grader, or needs something that only the
            log names.
        OpenbenchError: The metrics cannot be computed.
    """
    if not log.samples:
        raise LogError(f"{log.location} has no samples to score.")
    with stdout_to_stderr():
        benchmark = _imported_benchmark(catalog, log, own=not scorer, trust=trust)
        config = log.plan.config.merge(log.eval.model_generate_config)
        spec = ModelSpec(name=log.eval.model, base_url=log.eval.model_base_url, args=log.eval.model_args)
        model = _LoggedModel(log, spec, config, trust=trust)
        active = {**_logged_roles(log, trust=trust), **(roles or {})}

        def make() -> list[Scorer]:
            given = scorer_args or {}
            return [scorer.create(**given)] if scorer else _own_scorers(log, given, trust=trust)

        scorers = with_models(make, model, active, config)
        graders = {role: ModelSpec(name="none") for role in (*(roles or {}), *(log.eval.model_roles or {}))}
        check_before_run(log.eval.task, Task(scorer=scorers), Plan(jobs=[], model_roles=graders))
        before = list(log.eval.scorers or ())
        errors = {(sample.id, sample.epoch) for sample in log.samples if sample.error}
        try:
            scored = score(
                # Otherwise Inspect creates the models of all the log's roles, at the log's addresses.
                log.model_copy(update={"eval": log.eval.model_copy(update={"model_roles": None})}),
                [_guarded(of_answers(each), errors) for each in scorers],
                model=model,
                model_roles={**active} or None,
                action=action,
                display="none",
            )
            given = {role: ModelConfig(model=str(made), config=made.config) for role, made in (roles or {}).items()}
            scored.eval.model_roles = {**(log.eval.model_roles or {}), **given} or None
            if not scorer and before and scored.eval.scorers:
                # A scorer's metrics may come from its task: the log's header has them, the scorer's factory does not.
                for new, known in zip(scored.eval.scorers[-len(scorers) :], before, strict=False):
                    new.metrics, new.metadata = known.metrics, known.metadata
                recompute_metrics(scored)
            if scorer and scored.results and scored.results.scores:
                scored.results.headline = HeadlineMetric(scorer=scored.results.scores[-1].scorer)
            _record_scorers(scored, scorers, benchmark, append=action == "append")
        except OpenbenchError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {plain_message(error)}"
            raise OpenbenchError(f"{log.location} could not be scored: {reason}") from error
    return scored


def _guarded(scorer: Scorer, errors: Collection[tuple[str | int, int]]) -> Scorer:
    """Return a scorer that skips samples with an error, and leaves samples unscored if it fails."""

    @functools.wraps(scorer)  # copies the registry's attributes
    async def score(state: TaskState, target: Target) -> Score | None:
        if (state.sample_id, state.epoch) in errors:
            return None
        try:
            return await scorer(state, target)
        except OpenbenchError:
            raise
        except Exception as error:  # noqa: BLE001 - a scorer is third-party code
            text = "".join(traceback.format_exception(error))
            return Score.unscored(reason=SCORING_FAILED, explanation=f"{traceback_message(text)}\n\n{text}")

    return score


class _LoggedModel(Model):
    """A model named by a log; it is created when a scorer first uses it, if the user has named it as well."""

    def __init__(self, log: EvalLog, spec: ModelSpec, config: GenerateConfig, *, trust: bool) -> None:
        def make() -> Model:
            check(named(spec), log.location, trust=trust)
            args = {key: value for key, value in spec.args.items() if REDACTED not in str(value)}
            return make_model(replace(spec, args=args), config)

        self._make = make  # `Model`'s attributes are not set, so `__getattr__` is called for them

    def __getattr__(self, name: str) -> Any:
        if name in {"api", "config", "model_args", "_role", "_explicit_base_url", "_context_bound", "_closed"}:
            vars(self).update({**vars(self._make()), **vars(self)})
            return vars(self)[name]
        raise AttributeError(name)


def _logged_roles(log: EvalLog, *, trust: bool) -> dict[str, Model | list[Model]]:
    def made(role: str, config: ModelConfig) -> Model:
        return _LoggedModel(log, logged_spec(log, role, config), config.config, trust=trust)

    return {
        role: [made(role, each) for each in logged] if isinstance(logged, list) else made(role, logged)
        for role, logged in (log.eval.model_roles or {}).items()
    }


def logged_spec(log: EvalLog, role: str, model: ModelConfig) -> ModelSpec:
    """Return the model of a role as the user gave it, if the log records that; otherwise as it was used."""
    given = Provenance.of(log).plan.get("model_roles", {}).get(role, {})
    if given.get("name") == model.model:
        return ModelSpec(**given)
    return ModelSpec(name=model.model, base_url=model.base_url, args=model.args)


def _imported_benchmark(catalog: Catalog, log: EvalLog, *, own: bool, trust: bool) -> Benchmark | None:
    """Import the task's module, which registers its scorers and metrics; a local file only if it defines some."""
    provenance = Provenance.of(log)
    if not (reference := provenance.reference) or not (log.eval.metrics or own):
        return None
    if provenance.distribution is None:
        names = [*_metric_names(log), *(each["name"] for each in provenance.scorers if own)]
        if all("/" in name for name in names):  # a name without a slash belongs to no package
            return None
        check([file(reference)], log.location, trust=trust)
        _check_unchanged(log, Path(reference))
    benchmark = find_benchmark(catalog, reference)
    benchmark.task_function()
    return benchmark


def _metric_names(log: EvalLog) -> Iterator[str]:
    """Yield the names of a log's metrics, and of metrics that are arguments of others."""
    parts: list[dict[str, Any]] = []
    logged = log.eval.model_dump_json(include={"metrics": True, "scorers": {"__all__": {"metrics"}}}, fallback=str)
    json.loads(logged, object_hook=parts.append)
    for part in parts:
        if part.keys() >= _MODEL or part.get("type") == "modelapi":
            raise LogError(f"{log.location}: an argument of a metric names a model, which only scorers may use.")
        if "options" in part:
            yield part["name"]
        elif part.get("type") == "metric":
            yield f"inspect_ai/{part['name']}" if hasattr(inspect_ai.scorer, part["name"]) else part["name"]


def _check_unchanged(log: EvalLog, path: Path) -> None:
    """Check that the files of a local eval have not changed since a log was written, before importing them."""
    source = source_file(split_task(path)[0])
    code = Provenance.of(log).identity.get("code")
    files = {source.parent / name: digest for name, digest in code.items()} if isinstance(code, dict) else {}
    if not files or any(not each.is_file() or file_digest(each) != digest for each, digest in files.items()):
        raise UsageError(
            f"{source} has changed since {log.location} was written (its sha256 differs), so it is not imported. "
            "Restore it, or name a scorer with --scorer."
        )


def _record_scorers(log: EvalLog, scorers: Sequence[Scorer], benchmark: Benchmark | None, *, append: bool) -> None:
    """Record the scorers with their installed versions; the recorded reasons for choosing components are kept."""
    if not (provenance := Provenance.of(log)):
        return
    before = provenance.scorers
    now = [as_data(scorer, benchmark) for scorer in scorers]
    components = {(each["name"], each["distribution"]): each["component"] for each in before if "component" in each}
    for entry in now:
        component = components.get((entry["name"], entry["distribution"]))
        if component and "component" not in entry:
            entry["component"] = {**component, "version": entry["version"]}
    record(log, scorers=[*before, *now] if append else now)


def _own_scorers(log: EvalLog, given: Mapping[str, Any], *, trust: bool) -> list[Scorer]:
    if not (scorers := Provenance.of(log).scorers):
        raise LogError(f"{log.location} names no scorers. Name one with --scorer.")
    return [_made_again(entry, {**_arguments(log, entry["arguments"], trust=trust), **given}) for entry in scorers]


def _arguments(log: EvalLog, value: Mapping[str, Any], *, trust: bool) -> dict[str, Any]:
    """Return logged arguments in which models are `_LoggedModel`s instead of those that Inspect would create."""

    def made(part: dict[str, Any]) -> Any:
        if part.keys() >= _MODEL:
            spec = ModelSpec(name=part["model"], base_url=part["base_url"], args=part["model_args"])
            return _LoggedModel(log, spec, GenerateConfig(**part["config"]), trust=trust)
        if part.get("type") == "modelapi":
            raise LogError(f"{log.location}: an argument of a scorer names a model provider, which is not supported.")
        return part

    arguments: dict[str, Any] = json.loads(json.dumps(value), object_hook=made)
    return arguments


def _made_again(entry: Mapping[str, Any], arguments: Mapping[str, Any]) -> Scorer:
    name = entry["name"]
    if hidden := next((key for key, value in arguments.items() if REDACTED in str(value)), None):
        raise UsageError(f"{name}: its argument {hidden} is a secret, which logs omit. Give it with -S {hidden}.")
    try:
        try:
            return registry_create("scorer", name, **arguments)
        except LookupError:
            _import_provider(entry)
            return registry_create("scorer", name, **arguments)
    except OpenbenchError:
        raise
    except LookupError as error:
        raise UsageError(f"{name}: no scorer of this name is registered. Name another with --scorer.") from error
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} rejects its arguments (-S): {error}") from error


def _import_provider(entry: Mapping[str, Any]) -> None:
    """Import a scorer by its entry point, if it has one, to register it."""
    provider = entry.get("component") or entry
    name, distribution = provider["name"].rpartition("/")[2], provider.get("distribution")
    if distribution and not is_path(name) and not is_path(distribution):  # a log must not name a file
        with contextlib.suppress(UnknownNameError):
            find_component("scorer", f"{name}@{distribution}")
