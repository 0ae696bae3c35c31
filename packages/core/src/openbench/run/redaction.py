"""Takes secrets out of logs: out of their headers, errors and log lines, and what tasks add to requests.

What samples hold (messages, stores, metadata, explanations of scores) stays as it is.
"""

import traceback
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from inspect_ai.event import LoggerEvent, ModelEvent
from inspect_ai.log import EvalError, EvalLog, EvalPlan, EvalSample, EvalSpec
from pydantic import BaseModel, TypeAdapter

from openbench.redaction import REDACTED, is_secret_header, redacted, redacted_text
from openbench.run.logs import read_log, write_log
from openbench.tasks.provenance import METADATA_KEY

_Model = TypeVar("_Model", bound=BaseModel)

_OF_USERS = {
    *[
        "dataset",
        "metadata",
        "model_args",
        "model_base_url",
        "model_generate_config",
        "model_roles",
        "revision",
        "scorers",
    ],
    *["solver_args", "solver_args_passed", "task_args", "task_args_passed"],
}
"""Fields of a log's `eval` that hold what users give."""
_HEADERS, _BODY = "extra_headers", "extra_body"
_HEADERS_SENT = (_HEADERS, "http_headers")  # their names in providers' requests
_COLOURED = "traceback_ansi"


def error_of(failure: BaseException) -> EvalError:
    """Return an exception as a log has it, without secrets."""
    text = "".join(traceback.format_exception(failure))
    message = str(getattr(failure, "message", repr(failure)))
    return redacted_error(EvalError(message=message, traceback=text, traceback_ansi=text))


def redacted_error(error: _Model) -> _Model:
    """Return an error, alone or of an attempt, without secrets; it is the same one if there are none.

    The coloured traceback has colours and line breaks in the midst of a secret, so the plain one takes its place if
    that holds any.
    """
    clean = _clean_texts(error, "message", "traceback")
    if clean is error:
        return _clean_texts(error, _COLOURED)
    return _with(clean, _COLOURED, getattr(clean, "traceback", ""))


def without_secrets(sample: EvalSample) -> EvalSample:
    """Return a sample without secrets in its errors and log lines; it is the same one if there are none.

    The one that was given, which may yet be logged, stays as it is.
    """
    clean = _clean_events(sample)
    if sample.error:
        clean = _with(clean, "error", redacted_error(sample.error))
    if sample.error_retries:
        clean = _with_list(
            clean, "error_retries", [_clean_events(redacted_error(each)) for each in sample.error_retries]
        )
    return clean


def header_without_secrets(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the head of a log, as plain data, without secrets in what users give, and in addresses."""
    spec = {name: _clean_field(name, value) if name in _OF_USERS else value for name, value in header["eval"].items()}
    return {**header, "eval": spec, "plan": redacted(header["plan"])}


def redact_written(log: EvalLog) -> EvalLog:
    """Rewrite a log that holds a secret outside of its samples' texts; nothing is read again unless it does.

    Inspect logs what a solver or scorer raises or logs as it is, addresses of models, and where a checkout's origin is.

    Returns:
        The log, or what it is now.
    """
    if not _redact(log):
        return log
    whole = read_log(log.location)
    _redact(whole)
    write_log(whole, log.location)
    return whole


def _redact(log: EvalLog) -> bool:
    """Take secrets out of a log in memory, and return whether there were any."""
    changed = _redact_header(log)
    if log.error and (error := redacted_error(log.error)) is not log.error:
        log.error, changed = error, True
    if log.samples:
        samples = [without_secrets(sample) for sample in log.samples]
        changed = changed or _differ(samples, log.samples)
        log.samples = samples
    return changed


def _redact_header(log: EvalLog) -> bool:
    plain = log.model_dump(mode="json", include={"eval": _OF_USERS, "plan": True}, fallback=str)
    clean = header_without_secrets(plain)
    changed = [name for name, value in clean["eval"].items() if value != plain["eval"][name]]
    for name in changed:
        kind = TypeAdapter[Any](EvalSpec.model_fields[name].annotation or Any)
        setattr(log.eval, name, kind.validate_python(clean["eval"][name]))
    if "metadata" in changed:
        log.recompute_tags_and_metadata()  # a log has it twice
    if clean["plan"] != plain["plan"]:
        log.plan = EvalPlan.model_validate(clean["plan"])
    return bool(changed) or clean["plan"] != plain["plan"]


def _clean_field(name: str, value: Any) -> Any:
    """Return a field of a log's `eval` without secrets."""
    if name == "metadata" and value:  # what is ours is clean, and names runs and benchmarks
        return {key: part if key == METADATA_KEY else redacted(part, key) for key, part in value.items()}
    if name == "dataset" and "sample_ids" in value:  # many, and none of them is a secret
        return {**redacted(value | {"sample_ids": None}), "sample_ids": value["sample_ids"]}
    return redacted(value, name)


def _clean_events(holder: _Model) -> _Model:
    return _with_list(holder, "events", [_clean_event(event) for event in getattr(holder, "events", None) or []])


def _clean_event(event: Any) -> Any:
    """Return an event without secrets in its errors and log lines, and in what a task adds to requests."""
    if isinstance(event, ModelEvent):
        event = _clean_request(event)
    event = _clean_texts(event, "error", "traceback", _COLOURED)
    if isinstance(error := getattr(event, "error", None), EvalError):
        return _with(event, "error", redacted_error(error))
    if isinstance(event, LoggerEvent):
        return _with(event, "message", _clean_texts(event.message, "message"))
    return event


def _clean_request(event: ModelEvent) -> ModelEvent:
    """Return a request without secrets in its headers, and in what is sent besides the model's own settings."""
    config, call = event.config, event.call
    given = frozenset(name.lower() for name in config.extra_headers or ())
    config = _with(config, _HEADERS, _clean_headers(config.extra_headers, given))
    event = _with(event, "config", _with(config, _BODY, redacted(config.extra_body)))
    if call is None:
        return event
    clean = {name: _clean_headers(call.request[name], given) for name in _HEADERS_SENT if name in call.request}
    clean |= {_BODY: redacted(call.request[_BODY])} if _BODY in call.request else {}
    return _with(event, "call", _with(call, "request", {**call.request, **clean}))


def _clean_headers(headers: Any, given: Collection[str]) -> Any:
    """Return headers without the values of those that a task gave, and of those with the name of a secret.

    None is remembered: some, such as a request's own id, are others in every request.
    """
    if not isinstance(headers, Mapping):
        return headers
    hidden = {name for name in headers if name.lower() in given or is_secret_header(name)}
    return {name: REDACTED if name in hidden else value for name, value in headers.items()}


def _clean_texts(holder: _Model, *names: str) -> _Model:
    for name in names:
        if isinstance(text := getattr(holder, name, None), str):
            holder = _with(holder, name, redacted_text(text))
    return holder


def _with(holder: _Model, name: str, value: object) -> _Model:
    return holder if getattr(holder, name) == value else holder.model_copy(update={name: value})


def _with_list(holder: _Model, name: str, clean: Sequence[object]) -> _Model:
    """Return a holder with a clean list; it is the same one if nothing in the list is another object than before."""
    return holder.model_copy(update={name: clean}) if _differ(clean, getattr(holder, name, None) or []) else holder


def _differ(clean: Sequence[object], before: Sequence[object]) -> bool:
    return any(new is not old for new, old in zip(clean, before, strict=True))
