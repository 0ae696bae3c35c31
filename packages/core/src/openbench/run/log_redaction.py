"""Removes secrets from logs: from their headers, errors and log lines, and from what tasks add to requests.

What samples hold (messages, stores, metadata, explanations of scores) stays as it is.
"""

import traceback
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from inspect_ai.event import LoggerEvent, ModelEvent
from inspect_ai.log import EvalError, EvalLog, EvalPlan, EvalSample, EvalSpec
from pydantic import BaseModel

from openbench.redaction import REDACTED, is_secret_header, redacted, redacted_text
from openbench.run.logs import read_log, write_log
from openbench.tasks.provenance import METADATA_KEY

_Model = TypeVar("_Model", bound=BaseModel)

_USER_FIELDS = {
    *("dataset", "metadata", "model_args", "model_base_url", "model_generate_config", "model_roles", "revision"),
    *("scorers", "solver_args", "solver_args_passed", "task_args", "task_args_passed"),
}
"""Fields of a log's `eval` that hold what users give."""
_HEADERS, _BODY = "extra_headers", "extra_body"


def error_of(failure: BaseException) -> EvalError:
    """Return an exception as a log has it, without secrets."""
    text = "".join(traceback.format_exception(failure))
    message = str(getattr(failure, "message", repr(failure)))
    return redacted_error(EvalError(message=message, traceback=text, traceback_ansi=text))


def redacted_error(error: _Model) -> _Model:
    """Return an error, of a sample or of an attempt, without secrets; the same object if there are none.

    The coloured traceback may have colours in the middle of a secret, so the plain one replaces it if that had any.
    """
    clean = _clean_texts(error, "message", "traceback")
    if clean is error:
        return _clean_texts(error, "traceback_ansi")
    return _replace(clean, traceback_ansi=getattr(clean, "traceback", ""))


def without_secrets(sample: EvalSample) -> EvalSample:
    """Return a sample without secrets in its errors and events; the same object if there are none.

    The given sample, which may yet be logged, is not changed.
    """
    errors = [_clean_events(redacted_error(error)) for error in sample.error_retries or []]
    return _replace(
        _clean_events(sample),
        error=sample.error and redacted_error(sample.error),
        error_retries=errors or sample.error_retries,
    )


def header_without_secrets(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header of a log, as plain data, without secrets in what users give, and in addresses."""
    spec = {
        name: _clean_field(name, value) if name in _USER_FIELDS else value for name, value in header["eval"].items()
    }
    return {**header, "eval": spec, "plan": redacted(header["plan"])}


def redact_written(log: EvalLog) -> EvalLog:
    """Rewrite a log that holds a secret outside of its samples' texts; it is read again only if it does.

    Inspect logs the errors of solvers and scorers, addresses of models, and the origin of a checkout as they are.
    """
    if not _redact(log):
        return log
    whole = read_log(log.location)
    _redact(whole)
    write_log(whole, log.location)
    return whole


def _redact(log: EvalLog) -> bool:
    """Remove the secrets of a log in memory, and return whether there were any."""
    changed = _redact_header(log)
    if log.error and (error := redacted_error(log.error)) is not log.error:
        log.error, changed = error, True
    for index, sample in enumerate(log.samples or ()):
        if (clean := without_secrets(sample)) is not sample and log.samples:
            log.samples[index], changed = clean, True
    return changed


def _redact_header(log: EvalLog) -> bool:
    plain = log.model_dump(mode="json", include={"eval", "plan"}, fallback=str)
    clean = header_without_secrets(plain)
    if clean == plain:
        return False
    log.eval, log.plan = EvalSpec.model_validate(clean["eval"]), EvalPlan.model_validate(clean["plan"])
    log.recompute_tags_and_metadata()  # a log has them twice
    return True


def _clean_field(name: str, value: Any) -> Any:
    if name == "metadata" and value:  # our own part is clean, and names runs and benchmarks
        return {key: part if key == METADATA_KEY else redacted(part, key) for key, part in value.items()}
    if name == "dataset" and "sample_ids" in value:  # many, and none of them is a secret
        return {**redacted(value | {"sample_ids": None}), "sample_ids": value["sample_ids"]}
    return redacted(value, name)


def _clean_events(holder: _Model) -> _Model:
    events = getattr(holder, "events", None)
    return _replace(holder, events=[_clean_event(event) for event in events]) if events else holder


def _clean_event(event: Any) -> Any:
    if isinstance(event, ModelEvent):
        event = _clean_request(event)
    event = _clean_texts(event, "error", "traceback", "traceback_ansi")
    if isinstance(error := getattr(event, "error", None), EvalError):
        return _replace(event, error=redacted_error(error))
    if isinstance(event, LoggerEvent):
        return _replace(event, message=_clean_texts(event.message, "message"))
    return event


def _clean_request(event: ModelEvent) -> ModelEvent:
    """Return a request without secrets in its headers, and in what is sent besides the model's own settings."""
    config, call = event.config, event.call
    given = frozenset(name.lower() for name in config.extra_headers or ())
    clean = {_HEADERS: _clean_headers(config.extra_headers, given), _BODY: redacted(config.extra_body)}
    if call is not None:
        sent = {name: call.request[name] for name in (_HEADERS, "http_headers", _BODY) if name in call.request}
        sent = {name: redacted(part) if name == _BODY else _clean_headers(part, given) for name, part in sent.items()}
        call = _replace(call, request={**call.request, **sent})
    return _replace(event, config=_replace(config, **clean), call=call)


def _clean_headers(headers: Any, given: Collection[str]) -> Any:
    """Return headers without the values of those that a task gave, and of those with the name of a secret.

    None is remembered: some, such as the id of a request, differ in every request.
    """
    if not isinstance(headers, Mapping):
        return headers
    hidden = {name for name in headers if name.lower() in given or is_secret_header(name)}
    return {name: REDACTED if name in hidden else value for name, value in headers.items()}


def _clean_texts(holder: _Model, *names: str) -> _Model:
    texts = {name: text for name in names if isinstance(text := getattr(holder, name, None), str)}
    return _replace(holder, **{name: redacted_text(text) for name, text in texts.items()})


def _replace(holder: _Model, **fields: Any) -> _Model:
    """Return a copy with other fields; the holder itself if none of them differs."""
    changed = {name: value for name, value in fields.items() if not _is_same(getattr(holder, name), value)}
    return holder.model_copy(update=changed) if changed else holder


def _is_same(before: Any, now: Any) -> bool:
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return all(new is old for new, old in zip(now, before, strict=True))  # events compare slowly
    return before is now or bool(before == now)
