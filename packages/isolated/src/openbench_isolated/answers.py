"""The answers of `openbench_isolated.worker`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openbench.errors import WRONG_USE, OpenbenchError, UsageError
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.registry.sources import Parameter, Signature


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job.

    Attributes:
        log: The location of its log; None if there is none.
        error: Why it could not start.
    """

    log: str | None = None
    error: OpenbenchError | None = None


@dataclass(frozen=True)
class Description:
    """The description of a benchmark.

    Attributes:
        key: The name under which it is registered.
        metadata: Its metadata.
        distribution: The distribution that provides it there.
        version: The version of that distribution there.
        signature: The parameters of its task function.
    """

    key: str
    metadata: BenchmarkMetadata
    distribution: str
    version: str
    signature: Signature


def read_outcomes(text: str) -> list[Outcome]:
    """Read the outcomes of a plan.

    Raises:
        OpenbenchError: The worker could not run the plan.
    """
    return [
        Outcome(result["log"], _error(result["error"]) if result["error"] else None)
        for result in _answer(text)["results"]
    ]


def read_description(text: str) -> Description:
    """Read the description of a benchmark.

    Raises:
        OpenbenchError: The environment has no such benchmark.
    """
    plain = _answer(text)
    metadata, signature = plain["metadata"], plain["signature"]
    source = metadata["dataset"]
    parameters = {parameter["name"]: Parameter(**parameter) for parameter in signature["parameters"]}
    return Description(
        key=plain["key"],
        metadata=BenchmarkMetadata(**{**metadata, "dataset": DatasetSource(**source) if source else None}),
        distribution=plain["distribution"],
        version=plain["version"],
        signature=Signature(**{**signature, "parameters": parameters}),
    )


def _answer(text: str) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(text)
    if error := plain.get("error"):
        raise _error(error)
    return plain


def _error(plain: Mapping[str, Any]) -> OpenbenchError:
    kind = UsageError if plain["exit_code"] == WRONG_USE else OpenbenchError
    return kind(plain["message"])
