"""Runs the solvers of tasks up to their first request, on a few samples each."""

import tempfile
from collections.abc import Mapping, Sequence

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import Model

from openbench.errors import OpenbenchError
from openbench.run.build_job import job_id
from openbench.run.inspect_eval import run_inspect, stdout_to_stderr
from openbench.run.messages import located_message
from openbench.run.plan import Plan
from openbench.tasks.provenance import Provenance
from openbench_dryrun.request import RANKING_KEY, Rendered, Request


def render(
    tasks: Sequence[Task], chosen: Sequence[Sequence[Sample]], plan: Plan, roles: Mapping[str, Model]
) -> list[list[Rendered]]:
    """Run solvers on samples up to their first request.

    inspect-ai runs the solvers, with the model, the roles and the store, but without a sandbox.

    Args:
        tasks: The tasks, each with its model. Their samples, sandbox and epochs are replaced.
        chosen: For each of them, the samples to run.
        plan: The plan that they belong to.
        roles: Models by role.

    Raises:
        OpenbenchError: inspect-ai refused to start.
    """
    # Imported late: inspect-ai announces the hooks that exist when the first model is created.
    from openbench_dryrun.recorder import recording  # noqa: PLC0415

    for task, samples in zip(tasks, chosen, strict=True):
        bare = [sample.model_copy(update={"sandbox": None, "files": None, "setup": None}) for sample in samples]
        task.dataset = MemoryDataset(bare, name=task.dataset.name, location=task.dataset.location)
        task.sandbox = None
        task.epochs = 1
        task.epochs_reducer = None
    models = [task.model for task in tasks if task.model]
    with tempfile.TemporaryDirectory() as folder, stdout_to_stderr(), recording(models) as requests:
        logs = run_inspect(
            list(tasks),
            display="none",
            model=None,
            model_roles={**roles} or None,
            score=False,
            fail_on_error=False,
            message_limit=plan.options.get("message_limit"),
            max_tasks=len(tasks),
            max_samples=1,  # a request names its task, but not its sample
            log_dir=folder,
            log_images=False,
            **plan.generate,
        )
        by_job = {Provenance.of(log).job: log for log in logs}
        pairs = zip(tasks, chosen, strict=True)
        return [_rendered(by_job.get(job_id(task)), samples, requests) for task, samples in pairs]


def _rendered(log: EvalLog | None, samples: Sequence[Sample], requests: Mapping[str, Request]) -> list[Rendered]:
    if log is None or (log.error and not log.samples):
        raise OpenbenchError(located_message(log.error) if log and log.error else "a dry run ended without a log")
    ended = {str(sample.id): sample for sample in log.samples or ()}
    return [_of_sample(sample, ended.get(str(sample.id)), log, requests) for sample in samples]


def _of_sample(sample: Sample, ended: EvalSample | None, log: EvalLog, requests: Mapping[str, Request]) -> Rendered:
    if ended is None:
        return Rendered(sample, error="it was not run")
    if request := requests.get(ended.uuid or ""):
        return Rendered(sample, request)
    if ended.error:
        return Rendered(sample, error=located_message(ended.error))
    ranking = (sample.metadata or {}).get(RANKING_KEY)
    if ranking and ended.limit:  # the solver stopped at its request, whose messages are the state's
        config = log.plan.config
        return Rendered(sample, Request(log.eval.model, ended.messages, config, (), ranking["continuations"]))
    return Rendered(sample)
