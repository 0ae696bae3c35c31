"""Builds every task of a plan as a run would, and estimates it without a request to any model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, Model

from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import redacted
from openbench.registry.catalog import Catalog
from openbench.registry.resolution import RULES
from openbench.run.build_job import build_job
from openbench.run.engine import Engines
from openbench.run.identity import generation_settings
from openbench.run.inspect_eval import inspect_options, stdout_to_stderr
from openbench.run.logs import check_log_dir
from openbench.run.models import make_model, make_roles
from openbench.run.plan import Job, Plan
from openbench.tasks.provenance import METADATA_KEY, Provenance
from openbench_dryrun.counting import continuations, cost_of, prompt_tokens, requests_per_run
from openbench_dryrun.estimate import Estimate, First
from openbench_dryrun.graders import grader_requests
from openbench_dryrun.messages import shown_content
from openbench_dryrun.prices import Price, in_batches, read_prices
from openbench_dryrun.render import render
from openbench_dryrun.request import Rendered, Request
from openbench_dryrun.tokens import other_parts

RENDERED = 24
"""The maximum number of samples of a task whose solvers are run."""

_NOT_SHOWN = frozenset({"command", "job", "plan"})


@dataclass(frozen=True)
class _Ready:
    """A job whose task is built.

    Attributes:
        job: The job.
        task: The task; its dataset is replaced when it is rendered.
        samples: The samples of a run.
        total: The number of samples in the task.
        epochs: The number of runs of each sample.
        chosen: The samples that are rendered.
    """

    job: Job
    task: Task
    samples: Sequence[Sample]
    total: int
    epochs: int
    chosen: Sequence[Sample]

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The provenance as the log would record it."""
        return (self.task.metadata or {})[METADATA_KEY]  # type: ignore[no-any-return]

    @property
    def provenance(self) -> Provenance:
        """The provenance that the log would record."""
        return Provenance.of(self.task)


def dry_run(catalog: Catalog, plan: Plan, *, display: str, price: Price | None = None) -> list[Estimate]:
    """Estimate every job of a plan; its rows are downloaded if they are not cached.

    Args:
        catalog: The catalog of benchmarks.
        plan: The plan.
        display: How a run would show its progress, which affects the choice of an engine.
        price: The price of all models; by default, the project's price of each.

    Raises:
        UsageError: A run would be refused before its first request.
        OpenbenchError: The solvers could not be run.
    """
    prices = {**read_prices(Path.cwd()), **({job.model.name: price for job in plan.jobs} if price else {})}
    with stdout_to_stderr():
        check_log_dir(plan.options.get("log_dir"), make=False)
        inspect_options(plan)  # validates them
        generate = GenerateConfig(**plan.generate)
        models = {job.model.name: make_model(job.model, generate, connect=False) for job in plan.jobs}
        roles = make_roles(plan, connect=False)
        prepared = [_prepared(catalog, plan, job, models[job.model.name], roles) for job in plan.jobs]
        ready = [each for each in prepared if isinstance(each, _Ready)]
        _choose_engines(ready, plan, display)
        graders = [_graders(each, plan, roles) for each in ready]
        rendered = render([each.task for each in ready], [each.chosen for each in ready], plan, roles) if ready else []
    found = iter(zip(graders, rendered, strict=True))
    return [
        _estimate(each, *next(found), why=_why(catalog, job), price=_price(prices, plan, job))
        if isinstance(each, _Ready)
        else Estimate(benchmark=job.benchmark.partition("@")[0], model=job.model.name, problem=str(each))
        for job, each in zip(plan.jobs, prepared, strict=True)
    ]


def _price(prices: Mapping[str, Price], plan: Plan, job: Job) -> Price | None:
    name = job.model.name
    return (in_batches(prices, name) if plan.generate.get("batch") else prices).get(name)


def _prepared(
    catalog: Catalog, plan: Plan, job: Job, model: Model, roles: Mapping[str, Model]
) -> _Ready | OpenbenchError:
    """Build a job's task; rows that cannot be read fail this job alone."""
    try:
        task = build_job(catalog, plan, job, model, roles)
    except UsageError:
        raise
    except OpenbenchError as error:
        return error
    everything = [
        sample if sample.id is not None else sample.model_copy(update={"id": number})  # as inspect numbers them
        for number, sample in enumerate(task.dataset, start=1)
    ]
    limit = plan.options.get("limit")
    samples = everything[slice(*limit) if isinstance(limit, tuple) else slice(limit)]
    epochs = plan.options.get("epochs") or task.epochs or 1
    return _Ready(job, task, samples, len(everything), epochs, _spread(samples))


def _spread(samples: Sequence[Sample]) -> list[Sample]:
    """Return the first sample and others at equal distances, since the dataset may be sorted."""
    count = min(RENDERED, len(samples))
    return [samples[number * len(samples) // count] for number in range(count)]


def _choose_engines(ready: Sequence[_Ready], plan: Plan, display: str) -> None:
    engines = Engines(display=display)
    for each in ready:
        engines.choose(each.task, plan)


def _why(catalog: Catalog, job: Job) -> str:
    """Explain why this distribution provides the benchmark; the job holds only the name of the rule."""
    resolution = catalog.resolutions.get(job.benchmark.rpartition("@")[0])
    if resolution and resolution.rule == job.rule:
        return resolution.why
    return RULES.get(job.rule, "")


def _graders(ready: _Ready, plan: Plan, roles: Mapping[str, Model]) -> dict[str, int]:
    if not plan.options.get("score", True):
        return {}
    named = {**(ready.task.model_roles or {}), **roles}
    counted = grader_requests(ready.task.scorer or (), named, str(ready.task.model), ready.samples)
    return {name: requests * ready.epochs for name, requests in counted.items()}


def _estimate(
    ready: _Ready, graders: Mapping[str, int], rendered: Sequence[Rendered], *, why: str, price: Price | None
) -> Estimate:
    requested = [(each.sample, each.request) for each in rendered if each.request]
    problem = next((each.error for each in rendered if each.error), None)
    per_run, at_least = requests_per_run([solver["name"] for solver in ready.provenance.solvers], requested)
    runs = len(ready.samples) * ready.epochs
    requests = None if problem and not requested else per_run * runs
    ranked = sum(len(continuations(sample)) for sample in ready.samples) * ready.epochs if requests else 0
    config = requested[0][1].config if requested else GenerateConfig()
    prompts = prompt_tokens(ready.samples, requested) * ready.epochs if requested else None
    if requests == 0:
        prompts = 0
    max_tokens = 0 if ranked or requests == 0 else config.max_tokens
    output = None if max_tokens is None or requests is None or at_least else max_tokens * requests
    benchmark = ready.provenance.benchmark
    return Estimate(
        benchmark=benchmark,
        model=str(ready.task.model),
        why=why,
        provenance=redacted({name: value for name, value in ready.metadata.items() if name not in _NOT_SHOWN}),
        arguments=redacted(dict(ready.job.task_args)),
        samples=len(ready.samples),
        samples_of=ready.total,
        epochs=ready.epochs,
        requests=requests,
        at_least=at_least or per_run > 1,
        continuations=ranked,
        graders=graders,
        prompt_tokens=prompts,
        uncounted=round(sum(other_parts(request.messages) for _, request in requested) * runs / max(len(requested), 1)),
        max_tokens=max_tokens,
        output_tokens=output,
        price=price,
        cost=cost_of(price, prompts, output),
        settings=redacted(generation_settings(config)),
        first=_first(*requested[0]) if requested else None,
        problem=problem and f"{benchmark}: {problem}",
    )


def _first(sample: Sample, request: Request) -> First:
    return First(
        sample=sample.id,
        messages=[{"role": message.role, "content": shown_content(message)} for message in request.messages],
        tools=[tool.name for tool in request.tools],
        continuations=request.continuations,
    )
