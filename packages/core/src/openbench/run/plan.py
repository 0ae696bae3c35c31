"""Plans: the jobs of a command and its options, as plain data for any executor in any process.

As JSON they are sent to other processes, and recorded with a run; dates in arguments become strings in the record.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypedDict

from pydantic_core import to_jsonable_python

from openbench.datasets.formats import from_json_object, json_value
from openbench.errors import UsageError
from openbench.redaction import redacted, redacted_command, redacted_name
from openbench.registry.benchmark import Benchmark


class EvalOptions(TypedDict, total=False):
    """How samples are run and logged: arguments of `inspect_ai.eval`."""

    limit: int | tuple[int, int]
    epochs: int
    epochs_reducer: list[str]
    message_limit: int
    token_limit: int
    turn_limit: int
    time_limit: int
    working_limit: int
    cost_limit: float
    model_cost_config: dict[str, dict[str, float]]
    max_tasks: int
    max_subprocesses: int
    sandbox: str
    sandbox_cleanup: bool
    fail_on_error: bool | float
    retry_on_error: int
    debug_errors: bool
    log_dir: str
    log_format: Literal["eval", "json"]
    log_samples: bool
    log_images: bool
    log_buffer: int
    score: bool
    trace: bool


class GenerateOptions(TypedDict, total=False):
    """How a model generates: fields of Inspect's `GenerateConfig`."""

    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
    max_connections: int
    max_retries: int
    timeout: int
    attempt_timeout: int
    cache: bool
    batch: Any  # True, a size, or fields of Inspect's `BatchConfig`


def options_of(kind: Any, values: Mapping[str, Any]) -> Any:
    """Return options of a kind, `EvalOptions` or `GenerateOptions`, from values by name; others are left out."""
    return kind(**{name: value for name, value in values.items() if name in kind.__annotations__})


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """A model by name.

    Attributes:
        name: `provider/model`.
        base_url: The base URL of the provider's API; None for its default.
        args: Arguments of the provider.
    """

    name: str
    base_url: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def provider(self) -> str:
        """The name of its provider."""
        provider, _, name = self.name.partition("/")
        if not provider or (not name and self.name != "none"):
            raise UsageError(
                f"{self.name!r} is not a model name. Models are named provider/model, such as openai/gpt-4.1."
            )
        return provider


@dataclass(frozen=True, kw_only=True)
class Job:
    """One benchmark on one model.

    Attributes:
        benchmark: The benchmark's reference, `name@distribution` or a path.
        task_args: Arguments of its task function.
        model: The model.
        rule: The rule that chose the distribution (`openbench.registry.resolution.RULES`); `path` for a local eval.
        in_place_of: The distributions that it overrides, with their versions.
        resolved: The benchmark itself; None in another process, which resolves the reference again.
    """

    benchmark: str
    task_args: Mapping[str, Any]
    model: ModelSpec
    rule: str = "chosen"
    in_place_of: Sequence[str] = ()
    resolved: Benchmark | None = field(default=None, compare=False, repr=False)

    def as_data(self) -> dict[str, Any]:
        """Return the job as data, without the benchmark itself."""
        data = asdict(replace(self, resolved=None))
        del data["resolved"]
        return data


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A group whose members are jobs of a plan.

    Attributes:
        key: The group's name.
        distribution: The distribution that provides the group.
        version: That distribution's version.
        members: The reference of each installed member, as in `Job.benchmark`, by the group's name for it.
        missing: The members that are not installed.
    """

    key: str
    distribution: str
    version: str
    members: Mapping[str, str]
    missing: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All jobs of a command, and their common options.

    Attributes:
        jobs: The jobs, in the order of the results.
        sample: Whether the sample rows of packages replace their datasets.
        reference: Whether the benchmark's reference answers in place of the model.
        model_roles: Models by role, such as `grader`.
        options: How samples are run and logged.
        generate: How the model generates; by default, as the benchmark sets.
        engine: The name of the engine (`openbench.run.engine`), or `auto`.
        processes: The number of local processes; by default, it depends on the number of samples and cores.
        suites: The groups that were named.
        command: The command line; empty if there was none.
        resume: The directory of the run to resume, if any.
        rerun_changed: Whether samples that have changed since are run again; otherwise, changes are an error.
        executor: The executor and its options, such as `isolated --with REQUIREMENT`; empty for the local one.
        run: The name of a new run's directory, when several processes share it.
        whole: The plan that is recorded, when several processes each run a part of it.
    """

    jobs: Sequence[Job]
    sample: bool = False
    reference: bool = False
    model_roles: Mapping[str, ModelSpec] = field(default_factory=dict)
    options: EvalOptions = field(default_factory=EvalOptions)
    generate: GenerateOptions = field(default_factory=GenerateOptions)
    engine: str = "auto"
    processes: int | None = None
    suites: Sequence[Suite] = ()
    command: Sequence[str] = ()
    resume: str | None = None
    rerun_changed: bool = False
    executor: Sequence[str] = ()
    run: str | None = None
    whole: "Plan | None" = None

    def as_data(self) -> dict[str, Any]:
        """Return the plan as data, without the benchmarks themselves."""
        own = asdict(replace(self, jobs=[], whole=None))
        whole = self.whole.as_data() if self.whole else None
        return {**own, "jobs": [job.as_data() for job in self.jobs], "whole": whole}


def plan_to_json(plan: Plan) -> str:
    """Write a plan as JSON.

    Raises:
        UsageError: An argument is of a type that JSON cannot express.
    """
    try:
        return json.dumps(plan.as_data(), default=json_value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the arguments of tasks and models cannot be sent to another process: {error}.") from error


def plan_from_json(text: str) -> Plan:
    """Read what `plan_to_json` wrote; every sequence except the commands becomes a list."""
    return plan_from_plain(json.loads(text, object_hook=from_json_object))


def plan_from_plain(plain: Mapping[str, Any]) -> Plan:
    """Return the plan of parsed JSON that `plan_to_json` or `redacted_plan` made."""
    options = dict(plain["options"])
    if isinstance(limit := options.get("limit"), list):
        options["limit"] = tuple(limit)
    own = {
        **plain,
        "jobs": [Job(**{**job, "model": ModelSpec(**job["model"])}) for job in plain["jobs"]],
        "model_roles": {role: ModelSpec(**spec) for role, spec in plain["model_roles"].items()},
        "options": EvalOptions(**options),  # type: ignore[typeddict-item]
        "suites": [Suite(**suite) for suite in plain["suites"]],
        "command": tuple(plain.get("command", ())),
        "executor": tuple(plain.get("executor", ())),
        "whole": plan_from_plain(whole) if (whole := plain.get("whole")) else None,
    }
    return Plan(**{name: own[name] for name in Plan.__dataclass_fields__ if name in own})


def redacted_plan(plan: Plan) -> dict[str, Any]:
    """Return a plan as data that JSON can hold, without secrets.

    The names that a resume needs stay as they are, except for credentials in URLs: a role or a member of a suite may
    be called `auth`, and a provider may be called like a key.
    """
    data = replace(plan, whole=None).as_data()
    named = {
        "jobs": [_redacted_job(job) for job in plan.jobs],
        "model_roles": {role: _redacted_model(spec) for role, spec in plan.model_roles.items()},
        "suites": data["suites"],
        "command": redacted_command(plan.command),
        "executor": redacted_command(plan.executor),
    }
    others = redacted({name: part for name, part in data.items() if name not in named})
    plain: dict[str, Any] = to_jsonable_python({**data, **others, **named}, fallback=str)
    return plain


def _redacted_job(job: Job) -> dict[str, Any]:
    return {
        **job.as_data(),
        "benchmark": redacted_name(job.benchmark),
        "task_args": redacted(dict(job.task_args)),
        "model": _redacted_model(job.model),
    }


def _redacted_model(spec: ModelSpec) -> dict[str, Any]:
    address = None if spec.base_url is None else redacted_name(spec.base_url)
    return {"name": redacted_name(spec.name), "base_url": address, "args": redacted(dict(spec.args))}
