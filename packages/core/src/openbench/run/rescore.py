"""Scores a log again: with its own scorers, or with another."""

import contextlib
import functools
import traceback
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from inspect_ai import score
from inspect_ai.log import EvalLog, HeadlineMetric, recompute_metrics
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_create

from openbench.benchmark import Benchmark, find_benchmark
from openbench.catalog import Catalog
from openbench.components import Component, find_component
from openbench.errors import LogError, OpenbenchError, UnknownNameError, UsageError
from openbench.redaction import REDACTED
from openbench.run.graders import check_graders
from openbench.run.inspect_eval import stdout_to_stderr
from openbench.run.logs import said_by
from openbench.run.messages import plain_message, traceback_message
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec
from openbench.scorers.reasons import SCORING_FAILED
from openbench.tasks.parts import as_data

Action = Literal["append", "overwrite"]


def rescore(
    catalog: Catalog,
    log: EvalLog,
    *,
    scorer: str | Component[Scorer] | None = None,
    scorer_args: Mapping[str, Any] | None = None,
    action: Action = "overwrite",
    roles: Mapping[str, Model] | None = None,
) -> EvalLog:
    """Score a log's samples again, without a request to the model that was evaluated unless a scorer makes one.

    Samples that ended in an error stay without a score. What a scorer fails on is unscored, and the explanation says
    why: the grades of all others are paid for.

    Args:
        catalog: Where the benchmark is found, whose module registers its scorers and metrics.
        log: The log, with its samples.
        scorer: A component, or what `find_component` finds one by; by default the scorers that the log was made with.
        scorer_args: Arguments of the scorer; of the log's own ones, these replace the ones that it had.
        action: Whether the new scores stand beside the old ones or in their place.
        roles: Models by role, such as `grader`; they replace those of the log.

    Returns:
        A log with the new scores, in memory; its headline is that of the scorer that is named, if one is.

    Raises:
        LogError: The log has no samples, or does not say what scored it.
        UsageError: There is no such scorer, it refuses its arguments, or its grader cannot be had.
        OpenbenchError: The metrics cannot be computed of its scores.
    """
    if not log.samples:
        raise LogError(f"{log.location} holds no samples, so there is nothing to score.")
    with stdout_to_stderr():
        benchmark = _imported_benchmark(catalog, log) if log.eval.metrics or not scorer else None
        scorers = [_named_scorer(scorer, scorer_args or {})] if scorer else _own_scorers(log, scorer_args or {})
        check_graders(log.eval.task, scorers, {*(roles or {}), *(log.eval.model_roles or {})})
        before = list(log.eval.scorers or ())
        errors = {(sample.id, sample.epoch) for sample in log.samples if sample.error}
        try:
            scored = score(
                log,
                [_lasting(each, errors) for each in scorers],
                model=_evaluated_model(log),
                model_roles={**(roles or {})} or None,
                action=action,
                display="none",
            )
            if not scorer and before and scored.eval.scorers:
                # A scorer's metrics may have been made for its task; the log's header knows them, its factory does not.
                for made, known in zip(scored.eval.scorers[-len(scorers) :], before, strict=False):
                    made.metrics, made.metadata = known.metrics, known.metadata
                recompute_metrics(scored)
            if scorer and scored.results and scored.results.scores:
                scored.results.headline = HeadlineMetric(scorer=scored.results.scores[-1].scorer)
            _say_scorers(scored, scorers, benchmark, append=action == "append")
        except OpenbenchError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {plain_message(error)}"
            raise OpenbenchError(f"{log.location} could not be scored: {reason}") from error
    return scored


def _lasting(scorer: Scorer, errors: Collection[tuple[str | int, int]]) -> Scorer:
    """Return a scorer that leaves out the samples that have no output to score, and outlives what it fails on."""

    @functools.wraps(scorer)  # with what the registry knows of it
    async def score(state: TaskState, target: Target) -> Score | None:
        if (state.sample_id, state.epoch) in errors:
            return None
        try:
            return await scorer(state, target)
        except OpenbenchError:
            raise
        except Exception as error:  # noqa: BLE001 - a scorer is anybody's code
            told = "".join(traceback.format_exception(error))
            return Score.unscored(reason=SCORING_FAILED, explanation=f"{traceback_message(told)}\n\n{told}")

    return score


def _evaluated_model(log: EvalLog) -> Model:
    """Make the model that was evaluated, which some scorers ask; without its key they are told that there is none."""
    spec = ModelSpec(name=log.eval.model, base_url=log.eval.model_base_url, args=log.eval.model_args)
    try:
        return make_model(spec, log.plan.config.merge(log.eval.model_generate_config))
    except OpenbenchError:
        return get_model("none")


def _imported_benchmark(catalog: Catalog, log: EvalLog) -> Benchmark | None:
    """Import the task's module, which registers the scorers and metrics that it defines."""
    if not (reference := said_by(log).get("reference")):
        return None
    benchmark = find_benchmark(catalog, reference)
    benchmark.task_function()
    return benchmark


def _say_scorers(log: EvalLog, scorers: Sequence[Scorer], benchmark: Benchmark | None, *, append: bool) -> None:
    """Let a log of ours say what scored it now, in the versions that are here; who won a name stays as it was."""
    if not (said := said_by(log)):
        return
    before = said.get("scorers", [])
    now = [as_data(scorer, benchmark) for scorer in scorers]
    for entry in now:
        component = next((each["component"] for each in before if _same(each, entry)), None)
        if component and "component" not in entry:
            entry["component"] = {**component, "version": entry["version"]}
    said["scorers"] = [*before, *now] if append else now


def _same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return "component" in before and (before["name"], before["distribution"]) == (now["name"], now["distribution"])


def _own_scorers(log: EvalLog, given: Mapping[str, Any]) -> list[Scorer]:
    said = said_by(log)
    if not said.get("scorers"):
        raise LogError(f"{log.location} does not say which scorers made it. Name one with --scorer.")
    return [_made_again(entry, {**entry["arguments"], **given}) for entry in said["scorers"]]


def _named_scorer(scorer: str | Component[Scorer], arguments: Mapping[str, Any]) -> Scorer:
    component = find_component("scorer", scorer) if isinstance(scorer, str) else scorer
    return component.create(**arguments)


def _made_again(entry: Mapping[str, Any], arguments: Mapping[str, Any]) -> Scorer:
    name = entry["name"]
    if hidden := next((key for key, value in arguments.items() if REDACTED in str(value)), None):
        raise UsageError(f"{name}: its argument {hidden} is a secret, which no log has. Give it with -S {hidden}.")
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
        raise UsageError(f"{name} refuses its arguments (-S): {error}") from error


def _import_provider(entry: Mapping[str, Any]) -> None:
    """Import a scorer that its distribution offers by a short name, which registers it; there may be none."""
    said = entry.get("component") or entry
    if said.get("distribution"):
        with contextlib.suppress(UnknownNameError):
            find_component("scorer", f"{said['name'].rpartition('/')[2]}@{said['distribution']}")
