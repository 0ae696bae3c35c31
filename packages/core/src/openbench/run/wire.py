"""Plans, results and benchmarks as JSON: what executors send between processes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from openbench.errors import WRONG_USE, OpenbenchError, UsageError
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.registry.benchmark import Benchmark
from openbench.registry.signature import Parameter, Signature
from openbench.run.executor import Result
from openbench.run.plain import arguments_from_plain, arguments_to_plain
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan, Suite

_LIMIT = "limit"


@dataclass(frozen=True)
class Outcome:
    """What another process says of a job.

    Attributes:
        log: Where its log is; None if it has none.
        error: Why it could not start.
    """

    log: str | None = None
    error: OpenbenchError | None = None


@dataclass(frozen=True)
class Told:
    """What another process says of a benchmark.

    Attributes:
        key: The name that it registers.
        metadata: What it says of itself.
        distribution: Who provides it there.
        version: That distribution's version there.
        signature: What its task function takes.
    """

    key: str
    metadata: BenchmarkMetadata
    distribution: str
    version: str
    signature: Signature


def plan_to_json(plan: Plan) -> str:
    """Write a plan.

    Raises:
        UsageError: An argument is nothing that YAML has.
    """
    return json.dumps(_plain(plan.as_data()))


def plan_from_json(text: str) -> Plan:
    """Read what `plan_to_json` wrote; every sequence but the command comes back as a list."""
    return plan_from_plain(json.loads(text))


def plan_from_plain(plain: Mapping[str, Any]) -> Plan:
    """Make a plan of what JSON holds of one, as `plan_to_json` or `redacted_plan` wrote it."""
    plain = arguments_from_plain(dict(plain))
    options = dict(plain["options"])
    if isinstance(options.get(_LIMIT), list):
        options[_LIMIT] = tuple(options[_LIMIT])
    return Plan(
        jobs=[Job(**{**job, "model": ModelSpec(**job["model"])}) for job in plain["jobs"]],
        sample=plain["sample"],
        reference=plain["reference"],
        model_roles={role: ModelSpec(**spec) for role, spec in plain["model_roles"].items()},
        options=EvalOptions(**options),  # type: ignore[typeddict-item]
        generate=GenerateOptions(**plain["generate"]),  # type: ignore[typeddict-item]
        engine=plain.get("engine", "auto"),
        processes=plain.get("processes"),
        suites=[Suite(**suite) for suite in plain["suites"]],
        command=tuple(plain.get("command", ())),
        resume=plain.get("resume"),
        rerun_changed=plain.get("rerun_changed", False),
        executor=tuple(plain.get("executor", ())),
        run=plain.get("run"),
        whole=plan_from_plain(whole) if (whole := plain.get("whole")) else None,
    )


def results_to_json(results: Sequence[Result]) -> str:
    """Write where the results' logs are, and the errors of jobs that could not start."""
    plain = [
        {
            "log": result.log.location if result.log else None,
            "error": _error_to_plain(result.error) if result.error else None,
        }
        for result in results
    ]
    return json.dumps({"results": plain})


def outcomes_from_json(text: str) -> list[Outcome]:
    """Read what `results_to_json` wrote.

    Raises:
        OpenbenchError: The other process could not run the plan, as `error_to_json` wrote.
    """
    plain = _answer(text)
    return [
        Outcome(result["log"], _error_from_plain(result["error"]) if result["error"] else None)
        for result in plain["results"]
    ]


def benchmark_to_json(benchmark: Benchmark, signature: Signature) -> str:
    """Write what is known of an installed benchmark."""
    plain = {
        "key": benchmark.key,
        "metadata": asdict(benchmark.metadata),
        "distribution": benchmark.distribution,
        "version": benchmark.version,
        "signature": {**asdict(signature), "parameters": list(map(asdict, signature.parameters.values()))},
    }
    return json.dumps(plain, default=list)  # tags and the like may be any collection


def benchmark_from_json(text: str) -> Told:
    """Read what `benchmark_to_json` wrote.

    Raises:
        OpenbenchError: The other process has no such benchmark, as `error_to_json` wrote.
    """
    plain = _answer(text)
    metadata, signature = plain["metadata"], plain["signature"]
    source = metadata["dataset"]
    parameters = {parameter["name"]: Parameter(**parameter) for parameter in signature["parameters"]}
    return Told(
        key=plain["key"],
        metadata=BenchmarkMetadata(**{**metadata, "dataset": DatasetSource(**source) if source else None}),
        distribution=plain["distribution"],
        version=plain["version"],
        signature=Signature(**{**signature, "parameters": parameters}),
    )


def error_to_json(error: OpenbenchError) -> str:
    """Write an error in place of an answer."""
    return json.dumps({"error": _error_to_plain(error)})


def _answer(text: str) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(text)
    if error := plain.get("error"):
        raise _error_from_plain(error)
    return plain


def _error_to_plain(error: OpenbenchError) -> dict[str, Any]:
    return {"message": str(error), "exit_code": error.exit_code}


def _error_from_plain(plain: Mapping[str, Any]) -> OpenbenchError:
    kind = UsageError if plain["exit_code"] == WRONG_USE else OpenbenchError
    return kind(plain["message"])


def _plain(plan: dict[str, Any]) -> dict[str, Any]:
    whole = _plain(plan["whole"]) if plan["whole"] else None
    return {**arguments_to_plain(plan, _refuse), "whole": whole}


def _refuse(value: object) -> object:
    raise UsageError(
        f"{value} is a {type(value).__name__}, which cannot be sent to another process: expected what YAML has, such "
        "as texts, numbers, dates and lists."
    )
