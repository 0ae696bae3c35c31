"""JSONSchemaBench: write JSON that is valid under a real-world schema.

Geng et al. (2025), https://arxiv.org/abs/2501.10868
"""

import math
from typing import Any, Literal, get_args

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_rows
from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered, unscored
from openbench_instruct.metadata import jsonschemabench_rows
from openbench_instruct.prompts import wrong
from openbench_scorers.workers import Workers

__all__ = ["jsonschemabench", "schema_fit", "wrong"]

Subset = Literal[
    "Github_trivial", "Github_easy", "Github_medium", "Github_hard", "Github_ultra",
    "Glaiveai2K", "JsonSchemaStore", "Kubernetes", "Snowplow", "WashingtonPost",
]  # fmt: skip

_PROMPT = "Write one JSON document that is valid under this JSON schema. Answer with the document alone.\n\n{schema}"
_KEYS = ("fulfills_schema", "is_valid_json", "is_just_json")
_SCHEMA = "schema"
_workers = Workers("openbench_instruct.schema_worker")


def record_to_sample(record: dict[str, Any]) -> Sample:
    """Map a row. The package's sample rows also contain a valid document, the target."""
    schema = record["json_schema"]
    return Sample(
        input=_PROMPT.format(schema=schema),
        target=record.get("reference", ""),
        id=record["unique_id"],
        metadata={_SCHEMA: schema},
    )


@scorer(metrics={key: [mean(), stderr()] for key in _KEYS})
def schema_fit(seconds: float = 10.0) -> Scorer:
    """Score JSON documents by their schemas, with the library jsonschema.

    Values, 1 or 0, higher is better: `fulfills_schema`, `is_valid_json` (the completion is or contains a document) and
    `is_just_json` (it contains nothing else). If a schema is unusable or its check times out, the sample is unscored.

    Args:
        seconds: The time limit of a document's check, in seconds.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        completion = state.output.completion
        request = {"completion": completion, _SCHEMA: state.metadata[_SCHEMA]}
        reply = await to_thread.run_sync(_workers.ask, request, seconds)
        if reply is None:
            return unscored(f"the schema was not checked within {seconds:g} seconds.", completion)
        if problem := reply.get("problem"):
            return unscored(problem, completion)
        values = {key: reply["values"][key] for key in _KEYS}
        found = values["is_valid_json"] and not math.isnan(values["is_valid_json"])
        return Score(value=values, reason=None if found else unanswered(completion), explanation=reply["explanation"])

    return score


@task
def jsonschemabench(subset: Subset = "Github_easy", seconds: float = 10.0) -> Task:
    """JSONSchemaBench: write JSON that is valid under a real-world schema.

    Args:
        subset: One of the ten collections of schemas.
        seconds: The time limit of a document's check, in seconds.
    """
    if subset not in get_args(Subset):
        raise UsageError(f"subset={subset!r}: expected one of {', '.join(get_args(Subset))}.")
    return Task(
        dataset=load_samples(read_rows(jsonschemabench_rows(subset)), record_to_sample, name="jsonschemabench"),
        solver=[generate()],
        scorer=schema_fit(seconds),
        config=GenerateConfig(temperature=0.0),
        name="jsonschemabench",
    )
