"""Takes secrets out of a log that is written: out of its header and of its errors, never out of samples' texts."""

from collections.abc import Iterable
from typing import Any

from inspect_ai.event import LoggerEvent
from inspect_ai.log import EvalError, EvalLog, EvalSample, EvalSpec, write_eval_log

from openbench.redaction import redacted, redacted_text
from openbench.run.logs import read_log


def redacted_error(error: EvalError) -> EvalError:
    """Return a logged error without secrets."""
    return EvalError(
        message=redacted_text(error.message),
        traceback=redacted_text(error.traceback),
        traceback_ansi=redacted_text(error.traceback_ansi),
    )


def without_secrets(sample: EvalSample) -> EvalSample:
    """Return a sample without secrets in its errors; the one that was given, which may yet be logged, stays."""
    if not sample.error and not sample.error_retries:
        return sample
    copy = sample.model_copy(deep=True)
    _redact_errors(copy)
    return copy


def redact_written(log: EvalLog) -> EvalLog:
    """Rewrite a log that holds a secret outside of its samples' texts; nothing is read again unless it does.

    inspect logs what a solver or scorer raises as it is, and where a checkout's origin is.

    Returns:
        The log, or what it is now.
    """
    if not _redact(log):
        return log
    whole = read_log(log.location)
    _redact(whole)
    write_eval_log(whole, log.location)
    return whole


def _redact(log: EvalLog) -> bool:
    """Take secrets out of a log in memory, and return whether there were any."""
    changed = _redact_header(log.eval)
    if log.error and (error := redacted_error(log.error)) != log.error:
        log.error, changed = error, True
    for sample in log.samples or ():
        changed = _redact_errors(sample) or changed
    return changed


def _redact_header(spec: EvalSpec) -> bool:
    changed = False
    for name in ("task_args", "task_args_passed", "solver_args", "solver_args_passed", "model_args"):
        changed = _replace(spec, name, redacted(getattr(spec, name))) or changed
    for holder, name in ((spec, "model_base_url"), (spec.dataset, "location"), (spec.revision, "origin")):
        text = getattr(holder, name, None)
        changed = (bool(text) and _replace(holder, name, redacted_text(text or ""))) or changed
    for scorer in spec.scorers or ():
        changed = _replace(scorer, "options", redacted(scorer.options)) or changed
    return changed


def _redact_errors(sample: EvalSample) -> bool:
    if not sample.error and not sample.error_retries:
        return False
    changed = False
    if sample.error:
        changed = _replace(sample, "error", redacted_error(sample.error))
    for attempt in sample.error_retries or ():
        for name in ("message", "traceback", "traceback_ansi"):
            changed = _replace(attempt, name, redacted_text(getattr(attempt, name))) or changed
    return _redact_events(sample.events) or changed


def _redact_events(events: Iterable[Any]) -> bool:
    """Take secrets out of what events say of errors: a text, or an error with its traceback."""
    changed = False
    for event in events:
        error = getattr(event, "error", None)
        if isinstance(error, str):
            changed = _replace(event, "error", redacted_text(error)) or changed
        elif isinstance(error, EvalError):
            changed = _replace(event, "error", redacted_error(error)) or changed
        if isinstance(event, LoggerEvent):  # inspect tells of an error in a log line, too
            changed = _replace(event.message, "message", redacted_text(event.message.message)) or changed
        if trace := getattr(event, "traceback", None):
            changed = _replace(event, "traceback", redacted_text(trace)) or changed
            changed = _replace(event, "traceback_ansi", redacted_text(event.traceback_ansi or "")) or changed
    return changed


def _replace(holder: Any, name: str, value: Any) -> bool:
    if getattr(holder, name) == value:
        return False
    setattr(holder, name, value)
    return True
