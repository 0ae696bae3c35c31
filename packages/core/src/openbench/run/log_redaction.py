"""Removes secrets from logs: from their headers and errors, and the values of known secrets from their samples."""

from collections.abc import Mapping
from typing import Any, TypeVar

from inspect_ai.log import EvalLog, EvalPlan, EvalSample, EvalSpec
from pydantic import BaseModel

from openbench.redaction import redacted, redacted_text, without_known_values
from openbench.run.logs import read_log, write_log
from openbench.run.run_files import json_bytes
from openbench.tasks.provenance import METADATA_KEY

_Error = TypeVar("_Error", bound=BaseModel)

_USER_FIELDS = {
    *("dataset", "metadata", "model_args", "model_base_url", "model_generate_config", "model_roles", "revision"),
    *("scorers", "solver_args", "solver_args_passed", "task_args", "task_args_passed"),
}
"""Fields of a log's `eval` that hold what users give."""


def redacted_error(error: _Error) -> _Error:
    """Return an error, of a sample or of an attempt, without secrets; the same object if there are none.

    The coloured traceback may have colours in the middle of a secret, so the plain one replaces it if that had any.
    """
    given = {name: getattr(error, name) for name in ("message", "traceback") if getattr(error, name, None)}
    clean = {name: redacted_text(text) for name, text in given.items()}
    return error if clean == given else error.model_copy(update={**clean, "traceback_ansi": clean.get("traceback", "")})


def sample_json(sample: EvalSample) -> bytes:
    """Return a sample as JSON, without secrets in its errors, and without the values of known secrets anywhere."""
    clean = sample.model_copy(
        update={
            "error": sample.error and redacted_error(sample.error),
            "error_retries": [redacted_error(error) for error in sample.error_retries or ()] or sample.error_retries,
        }
    )
    return without_known_values(json_bytes(clean).decode()).encode()


def header_without_secrets(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header of a log, as plain data, without secrets in what users give, and in addresses."""
    spec = {
        name: _clean_field(name, value) if name in _USER_FIELDS else value for name, value in header["eval"].items()
    }
    return {**header, "eval": spec, "plan": redacted(header["plan"])}


def redact_written(log: EvalLog, *, samples: bool) -> EvalLog:
    """Rewrite a log that holds a secret: in its header, or in `samples`; it is read again only if it does.

    Inspect logs the errors of solvers and scorers, addresses of models, and the origin of a checkout as they are.
    """
    if not (_redact_header(log) or samples):
        return log
    whole = read_log(log.location)
    _redact_header(whole)
    whole.samples = whole.samples and [EvalSample.model_validate_json(sample_json(sample)) for sample in whole.samples]
    write_log(whole, log.location)
    return whole


def _redact_header(log: EvalLog) -> bool:
    """Remove the secrets of a log's header, and return whether there were any."""
    before, log.error = log.error, log.error and redacted_error(log.error)
    plain = log.model_dump(mode="json", include={"eval", "plan"}, fallback=str)
    clean = header_without_secrets(plain)
    if clean == plain:
        return log.error is not before
    log.eval, log.plan = EvalSpec.model_validate(clean["eval"]), EvalPlan.model_validate(clean["plan"])
    log.recompute_tags_and_metadata()  # a log has them twice
    return True


def _clean_field(name: str, value: Any) -> Any:
    if name == "metadata" and value:  # our own part is clean, and names runs and benchmarks
        return {key: part if key == METADATA_KEY else redacted(part, key) for key, part in value.items()}
    if name == "dataset" and "sample_ids" in value:  # many, and none of them is a secret
        return {**redacted(value | {"sample_ids": None}), "sample_ids": value["sample_ids"]}
    return redacted(value, name)
