"""`openbench.eval` and `openbench.get_task`: `bench eval` for Python code."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypeVar

from inspect_ai import Task
from inspect_ai.log import EvalLog

from openbench.errors import OpenbenchError, UsageError
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.run.arguments import task_arguments
from openbench.run.local_executor import LocalExecutor
from openbench.run.plan import EvalOptions, GenerateOptions, ModelSpec, options_of
from openbench.run.planning import make_plan, select
from openbench.run.progress import LINE
from openbench.run.run_directory import new_run_name
from openbench.run.trust import remember
from openbench.tasks.build import build_task

T = TypeVar("T")


def evaluate(
    benchmarks: str | Sequence[str],
    model: str | Sequence[str] | None,
    *,
    model_base_url: str | None = None,
    model_args: Mapping[str, Any] | None = None,
    model_roles: Mapping[str, str] | None = None,
    task_args: Mapping[str, Any] | None = None,
    baseline: str | None = None,
    sample: bool = False,
    alpha: bool = False,
    engine: str = "auto",
    processes: int | None = None,
    log_dir: str = "logs",
    display: str = LINE,
    **options: Any,
) -> list[EvalLog]:
    """Evaluate models on benchmarks; see `openbench.eval`, whose options these are."""
    _check_names(options)
    executor = LocalExecutor(Catalog.installed(), display=display)
    args, given = model_args or {}, {name: value for name, value in options.items() if value is not None}
    models = [model] if isinstance(model, str) else model or []
    plan = make_plan(
        select(executor, [benchmarks] if isinstance(benchmarks, str) else benchmarks, alpha=alpha),
        [ModelSpec(name=name, base_url=model_base_url, args=args) for name in models],
        task_args=task_args or {},
        parse=False,
        roles={role: ModelSpec(name=name) for role, name in (model_roles or {}).items()},
        baseline=baseline,
        baseline_args=args,
        sample=sample,
        options=options_of(EvalOptions, {**given, "log_dir": log_dir}),
        generate=options_of(GenerateOptions, given),
        engine=engine,
        processes=processes,
    )
    if "timeout" in plan.generate and not plan.generate.get("batch"):
        plan.generate.setdefault("attempt_timeout", plan.generate["timeout"])  # as in `bench eval`
    remember(plan)
    results = _outside_loop(lambda: executor.execute(replace(plan, run=new_run_name())))
    failures = [str(result.error) for result in results if result.error]
    logs = [result.log for result in results if result.log]
    for log in logs:
        log.samples = log.samples and list(log.samples)  # they may still be in the journal, or in the file
    if failures:
        written = f" Logs of the others: {', '.join(log.location for log in logs)}" if logs else ""
        raise OpenbenchError("\n".join(failures) + written)
    return logs


def get_task(name: str, task_args: Mapping[str, Any], *, sample: bool = False) -> Task:
    """Build the task of a benchmark; see `openbench.get_task`."""
    benchmark = find_benchmark(Catalog.installed(), name)
    [arguments] = task_arguments([benchmark], task_args, parse=False)
    return build_task(benchmark, arguments, sample=sample)


def _outside_loop(function: Callable[[], T]) -> T:
    """Call a function that starts an event loop, in another thread if a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        call = function
    else:
        call = ThreadPoolExecutor(1).submit(function).result
    return call()


def _check_names(options: Mapping[str, Any]) -> None:
    known = {*EvalOptions.__annotations__, *GenerateOptions.__annotations__}
    for name in sorted(options.keys() - known):
        close = get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise UsageError(f"openbench.eval has no option {name!r}.{hint}")
