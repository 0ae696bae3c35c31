"""JSON in the requested form: valid JSON and nothing else, with the required schema and content."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.json_text import Document, Schema, documents, same, whole_document
from openbench_scorers.responses import response

KEYS = ("is_valid_json", "is_just_json", "fulfills_schema", "exact_match")
SCHEMA_KEY = "json_schema"
"""The key of a sample's metadata with its own schema."""

_NAN = float("nan")


def score_json(completion: str, targets: Sequence[str], schema: Schema | None = None) -> Score:
    """Check a completion's JSON.

    Each value is 1.0 or 0.0, higher is better. `is_just_json`: the completion is one JSON document, without even a code
    fence. `is_valid_json`: it is one, or contains an object or array; the longest counts, or the last of equally long
    ones. `fulfills_schema`: that document fits the schema. `exact_match`: it equals a target, with keys in any order.
    The last two are NaN (excluded from their mean, and counted) without a schema or a target.

    Source: RFC 8259, and JSON Schema as implemented by the library jsonschema.

    Args:
        completion: The model's completion.
        targets: The correct documents, if any.
        schema: The schema, if any.

    Returns:
        The four values; unscored if a target is not JSON, or the schema cannot be used.
    """
    golds = [whole_document(target) for target in targets if target.strip()]
    known = [gold.value for gold in golds if gold]
    if len(known) < len(golds):
        return unscored("the target is not a JSON document. Leave it empty to score only the format.")
    text = response(completion)
    whole = whole_document(text)
    found = whole or _longest(documents(text))
    try:
        problem = schema.problem(found.value) if schema and found else None
    except UsageError as error:
        return unscored(str(error))
    value = {
        "is_valid_json": float(found is not None),
        "is_just_json": float(whole is not None),
        "fulfills_schema": float(found is not None and problem is None) if schema else _NAN,
        "exact_match": float(found is not None and _any_same(found.value, known)) if known else _NAN,
    }
    return Score(value=value, reason=None if found else unanswered(completion), explanation=problem)


@scorer(metrics={key: [mean(), stderr()] for key in KEYS})
def json_format(schema: Mapping[str, Any] | None = None) -> Scorer:
    """Score with `score_json`.

    Args:
        schema: The JSON schema; a sample's metadata may override it as `json_schema`.

    Raises:
        UsageError: `schema` is not a valid JSON schema.
    """
    common = Schema(schema) if schema is not None else None

    async def score(state: TaskState, target: Target) -> Score:
        try:
            own = state.metadata.get(SCHEMA_KEY)
            used = common if own is None else Schema(own)
        except UsageError as error:
            return unscored(f"the sample's metadata, {SCHEMA_KEY}: {error}")
        return score_json(state.output.completion, list(target), used)

    return score


def _longest(found: Sequence[Document]) -> Document | None:
    return max(reversed(found), key=lambda document: document.length, default=None)


def _any_same(value: Any, known: Sequence[Any]) -> bool:
    try:
        return any(same(value, gold) for gold in known)
    except RecursionError:
        return False
