"""Scores a log again: with its own scorers, or with another."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from inspect_ai import score
from inspect_ai.log import EvalLog, recompute_metrics, write_eval_log
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_create, registry_info

from openbench.benchmark import find_benchmark
from openbench.catalog import Catalog
from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.importing import import_file
from openbench.run.engine import stdout_to_stderr
from openbench.run.logs import said_by

Action = Literal["append", "overwrite"]


def rescore(
    catalog: Catalog,
    log: EvalLog,
    *,
    scorer: str | None = None,
    scorer_args: Mapping[str, Any] | None = None,
    action: Action = "overwrite",
    roles: Mapping[str, Model] | None = None,
) -> EvalLog:
    """Score a log's samples again. The model that was evaluated is not needed.

    Args:
        catalog: Where the benchmark is found, whose module registers its scorers.
        log: The log, with its samples.
        scorer: A registered name, or `file.py@name`; by default the scorers that the log was made with.
        scorer_args: Arguments of the scorer; of the log's own ones, these replace the ones that it had.
        action: Whether the new scores stand beside the old ones or in their place.
        roles: Models by role, such as `grader`.

    Returns:
        A log with the new scores, in memory.

    Raises:
        LogError: The log has no samples, or does not say what scored it.
        UsageError: There is no such scorer, or it refuses its arguments.
    """
    if not log.samples:
        raise LogError(f"{log.location} holds no samples, so there is nothing to score.")
    with stdout_to_stderr():
        if scorer:
            scorers = [_named_scorer(scorer, scorer_args or {})]
        else:
            scorers = _own_scorers(catalog, log, scorer_args or {})
        before = list(log.eval.scorers or ())
        scored = score(
            log,
            scorers,
            model=get_model("none"),
            model_roles={**(roles or {})} or None,
            action=action,
            display="none",
        )
        if not scorer and before and scored.eval.scorers:
            # A scorer's metrics may have been made for its task; the log's header knows them, its factory does not.
            for made, known in zip(scored.eval.scorers[-len(scorers) :], before, strict=False):
                made.metrics = known.metrics
            recompute_metrics(scored)
    return scored


def write_scored(log: EvalLog, path: Path) -> None:
    """Write a scored log.

    Raises:
        LogError: It cannot be written.
    """
    try:
        write_eval_log(log, str(path))
    except OSError as error:
        raise LogError(f"{path} cannot be written: {error.strerror or error}") from error


def _own_scorers(catalog: Catalog, log: EvalLog, given: Mapping[str, Any]) -> list[Scorer]:
    said = said_by(log)
    if not said or not log.eval.scorers:
        raise LogError(f"{log.location} does not say which scorers made it. Name one with --scorer.")
    # Importing the task's module registers the scorers that it defines.
    find_benchmark(catalog, said["reference"]).task_function()
    names: Sequence[str] = said["scorers"]
    return [
        _create(name, {**(recorded.options or {}), **given})
        for name, recorded in zip(names, log.eval.scorers, strict=False)
    ]


def _named_scorer(name: str, arguments: Mapping[str, Any]) -> Scorer:
    file, at, function = name.rpartition("@")
    if at:
        return _create(_scorer_of_file(Path(file), function), arguments)
    return _create(name, arguments)


def _scorer_of_file(path: Path, function: str) -> str:
    """Import a file and return the registered name of a scorer in it."""
    try:
        module = import_file(path.resolve(), path.stem)
    except Exception as error:
        raise UsageError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    if module is None:
        raise UsageError(f"{path}: there is no such Python file.")
    if not hasattr(module, function):
        raise UsageError(f"{path} has no scorer {function!r}.")
    try:
        return str(registry_info(getattr(module, function)).name)
    except ValueError as error:
        raise UsageError(f"{path}: {function!r} is not decorated with @scorer.") from error


def _create(name: str, arguments: Mapping[str, Any]) -> Scorer:
    try:
        return registry_create("scorer", name, **arguments)
    except OpenbenchError:
        raise
    except (LookupError, ValueError) as error:
        raise UsageError(
            f"{name}: no scorer of this name is registered. Names are package/name, such as openbench/mcq_scorer, "
            "inspect's own (match, includes, …), or file.py@name."
        ) from error
    except TypeError as error:
        raise UsageError(f"{name} refuses its arguments (-S): {error}") from error
