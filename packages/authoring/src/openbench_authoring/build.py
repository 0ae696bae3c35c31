"""From the samples of a class to an Inspect task."""

import importlib.util
from collections.abc import Sequence

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric
from inspect_ai.solver import Solver, generate

from openbench.baselines.reference import reference
from openbench.tasks.solvers import declare
from openbench_authoring.cue import CUE_KEY, cue
from openbench_authoring.metrics.base import AnyMetric, SandboxMetric, scorer_factory, scorer_name
from openbench_authoring.post_processing import TaskReference
from openbench_authoring.samples import SHOWN_KEY, SUBJECT_KEY, shown_answer
from openbench_ranking.request import is_ranked
from openbench_ranking.solver import rank
from openbench_scorers.means import by_group, macro_average


def task_of(
    samples: Sequence[Sample],
    *,
    name: str,
    location: str,
    metrics: Sequence[AnyMetric],
    config: GenerateConfig,
    cue_mode: str,
    post_process: TaskReference | None,
) -> Task:
    """Create a task.

    Its samples are answered, or ranked; each metric is a scorer under the metric's name; the first is the primary one.
    With several subjects, each metric is reported by subject, and as the mean of the subjects' means.

    Args:
        samples: The samples.
        name: The dataset's display name.
        location: Its location.
        metrics: The metrics.
        config: The generation settings.
        cue_mode: How cues are sent; see `openbench_authoring.cue`.
        post_process: A reference to the post-processing of completions, if any.
    """
    groups = _groups(samples)
    factories = [scorer_factory(metric, groups) for metric in metrics]
    return Task(
        dataset=MemoryDataset(list(samples), name=name, location=location),
        solver=_solver(samples, cue_mode),
        scorer=[make(**post_process) if post_process else make() for make in factories],
        config=config,
        sandbox=_sandbox() if any(issubclass(metric, SandboxMetric) for metric in metrics) else None,
        headline_metric=HeadlineMetric(scorer=scorer_name(metrics[0])),
    )


def _sandbox() -> str:
    """Return openbench-sandbox's if it is installed, and Docker's otherwise."""
    return "bwrap" if importlib.util.find_spec("openbench_sandbox") else "docker"


def _groups(samples: Sequence[Sample]) -> list[Metric]:
    subjects = {(sample.metadata or {}).get(SUBJECT_KEY) for sample in samples}
    return [by_group(SUBJECT_KEY), macro_average(SUBJECT_KEY)] if len(subjects) > 1 else []


def _solver(samples: Sequence[Sample], cue_mode: str) -> list[Solver]:
    if any(is_ranked(sample) for sample in samples):
        return [rank()]
    cued = any(CUE_KEY in (sample.metadata or {}) for sample in samples)
    shown = any(SHOWN_KEY in (sample.metadata or {}) for sample in samples)
    asking = declare(reference=_show)(generate)() if shown else generate()
    return [cue(cue_mode), asking] if cued else [asking]


def _show() -> Solver:
    return reference(f"{shown_answer.__module__}:{shown_answer.__name__}")
