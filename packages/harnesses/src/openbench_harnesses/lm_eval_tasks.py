"""Wraps tasks of lm-evaluation-harness as Inspect tasks; the harness's code writes prompts and computes scores.

The attribute `arc_easy` of this module is the function that creates the task of this name:

    harness: documents, few-shot examples, requests -> here: samples -> model -> harness: filters, metrics, aggregation
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from openbench.errors import UsageError
from openbench_harnesses.lm_eval import PREFIX, is_task, task_file
from openbench_harnesses.lm_eval_requests import CONTINUATIONS, generation_settings, solver_for
from openbench_harnesses.lm_eval_scores import harness_scorer

FEWSHOT_SEED = 1234
"""The harness's default seed."""


def __getattr__(name: str) -> Callable[..., Task]:
    """Return the function that creates the task with this name."""
    if not is_task(name):
        raise AttributeError(name)

    @task(name=f"{PREFIX}:{name}")
    def harness_task(
        num_fewshot: int | None = None, fewshot_seed: int = FEWSHOT_SEED, unsafe_code: bool = False
    ) -> Task:
        """Create a task of lm-evaluation-harness.

        Args:
            num_fewshot: The number of few-shot examples; by default the task's own.
            fewshot_seed: The seed for choosing few-shot examples.
            unsafe_code: Whether to allow the task to run model-written code.
        """
        return _build(name, num_fewshot, fewshot_seed, unsafe_code=unsafe_code)

    return harness_task


def _build(name: str, num_fewshot: int | None, fewshot_seed: int, *, unsafe_code: bool) -> Task:
    harness = _load(name)
    _check(name, harness, unsafe_code=unsafe_code)
    if num_fewshot is not None or harness.get_config("num_fewshot") is None:
        harness.set_config(key="num_fewshot", value=num_fewshot or 0)
    harness.set_fewshot_seed(seed=fewshot_seed)
    harness.build_all_requests()
    requests: defaultdict[int, list[Any]] = defaultdict(list)
    for instance in harness.instances:
        requests[instance.doc_id].append(instance)
    for instances in requests.values():
        instances.sort(key=attrgetter("idx"))
    return Task(
        dataset=MemoryDataset([_sample(harness, *each) for each in requests.items()], name=name),
        solver=solver_for(harness.instances[0]),
        scorer=harness_scorer(harness, requests),
        config=generation_settings(harness.instances[0]),
    )


def _load(name: str) -> Any:
    from lm_eval.tasks import TaskManager  # noqa: PLC0415 - only this harness's environment has it

    (loaded,) = TaskManager(include_defaults=False).load(str(task_file(name)))["tasks"].values()
    return loaded


def _check(name: str, harness: Any, *, unsafe_code: bool) -> None:
    """Check that a task can be run.

    Raises:
        UsageError: It runs model-written code without permission, or uses images or audio.
    """
    if getattr(harness, "UNSAFE_CODE", False) and not unsafe_code:
        raise UsageError(
            f"{PREFIX}:{name}: it runs code written by the model, without a sandbox. Allow it with -T unsafe_code=true."
        )
    if getattr(harness, "MULTIMODAL", False):
        raise UsageError(f"{PREFIX}:{name}: images and audio are not supported.")


def _sample(harness: Any, number: int, instances: Sequence[Any]) -> Sample:
    first = instances[0]
    metadata = {CONTINUATIONS: [list(each.args) for each in instances]} if first.request_type == "loglikelihood" else {}
    target = harness.doc_to_target(first.doc)
    texts = target if isinstance(target, list) else [target]
    return Sample(id=number, input=first.args[0] or " ", target=list(map(str, texts)), metadata=metadata)
