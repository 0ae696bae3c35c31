"""Runs what is missing of a logged run, after finding that what it holds may be reused."""

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import eval_retry
from inspect_ai.log import EvalLog

from openbench.benchmark import Benchmark, find_benchmark
from openbench.catalog import Catalog
from openbench.errors import LogError, UsageError
from openbench.local import load_local_module
from openbench.run.engine import run_inspect, stdout_to_stderr
from openbench.run.identity import differences, identity
from openbench.run.logs import check_log_dir, read_log, said_by
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec
from openbench.tasks.build import build_task, sample_rows


def retry(catalog: Catalog, paths: Sequence[str], *, display: str, options: Mapping[str, Any]) -> list[EvalLog]:
    """Continue logged runs; completed samples are reused, failed and missing ones run.

    Args:
        catalog: Where benchmarks are found.
        paths: The logs.
        display: As `LocalExecutor` has it.
        options: Arguments of inspect's `eval_retry`.

    Returns:
        The new logs, whole: with the samples that were reused.

    Raises:
        LogError: A log cannot be read, or was not written by `bench eval`.
        UsageError: What a log's samples depend on has changed.
    """
    with stdout_to_stderr():
        check_log_dir(options.get("log_dir"))
        # All logs are checked before the first is continued, so that nothing is half done.
        checked = [(log, _checked(catalog, path, log)) for path in paths for log in [read_log(path)]]
        return [_retry(log, benchmark, display, options) for log, benchmark in checked]


def _checked(catalog: Catalog, path: str, log: EvalLog) -> Benchmark:
    said = said_by(log)
    if not said:
        raise LogError(f"{path} was not written by bench eval. Use inspect eval-retry.")
    if log.status == "success" and not any(sample.error for sample in log.samples or ()):
        raise UsageError(f"{path} is complete: there is nothing to run again.")
    benchmark = find_benchmark(catalog, said["reference"])
    before = said["identity"]
    task_args = before.get("arguments", {})
    signature = benchmark.signature()
    if gone := [name for name in task_args if signature and not signature.accepts(name)]:
        raise UsageError(
            f"{path} cannot be continued: {benchmark.key} no longer takes {', '.join(gone)}. Run bench eval again."
        )
    task = build_task(benchmark, task_args, sample=said["sample"])
    now = identity(
        task,
        benchmark,
        task_args=task_args,
        model=log.eval.model,
        generate=log.plan.config.merge(log.eval.model_generate_config),
        reference=before.get("reference", False),
    )
    if changed := differences(before, now):
        raise UsageError(
            f"{path} cannot be continued, since its samples would not be comparable: {'; '.join(changed)}. "
            "Run bench eval again."
        )
    return benchmark


def _retry(log: EvalLog, benchmark: Benchmark, display: str, options: Mapping[str, Any]) -> EvalLog:
    # The task is found by its registered name: a path in the log may be relative to a directory that is no longer
    # the current one. Of local evals with functions of one name, the last that was imported has it.
    log.eval.task_file = None
    if benchmark.path:
        load_local_module(benchmark.path, again=True)
    make_model(ModelSpec(name=log.eval.model, base_url=log.eval.model_base_url, args=log.eval.model_args))
    reused = sum(sample.error is None for sample in log.samples or ())
    settings = {"log_dir": str(Path(log.location.removeprefix("file://")).parent), **options}
    with sample_rows(benchmark) if said_by(log)["sample"] else contextlib.nullcontext():
        return run_inspect(eval_retry, log, display=display, reused=reused, **settings)[0]
