"""Metrics as classes: each is also an Inspect scorer, under a name that rescoring uses."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

from anyio import to_thread
from inspect_ai.scorer import Metric, Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import unscored
from openbench_authoring.metrics.values import results_of, score_of
from openbench_authoring.post_processing import PostProcess, post_process_of
from openbench_authoring.responses import Completion, Loglikelihood, MetricResult, completion_of, loglikelihood_of
from openbench_authoring.samples import LANGUAGE_KEY, ResponseType, Sample, from_state
from openbench_ranking.request import is_ranked
from openbench_scorers.grading import DEFAULT_GRADER_KEY, GRADER_REQUESTS_KEY, SELF_JUDGE_KEY
from openbench_scorers.templates import DEFAULT_GRADER

Response = TypeVar("Response", Completion, Loglikelihood)


class BaseMetric(Generic[Response]):
    """A metric of completions (`BaseMetric[Completion]`) or of log-probabilities (`BaseMetric[Loglikelihood]`).

    A custom metric defines `calculate`. If it has several values, it names them in `KEYS`. An error in `calculate`
    leaves the sample unscored, and counted.

    Attributes:
        NAME: Its name; in logs it is in lower case, with `_` for all other characters than letters and digits.
        KEYS: The names of its values, if it has several.
        FIGURES: The Inspect metrics computed from all samples, for each of its values; the first is the main one.
        HIGHER_IS_BETTER: Its direction.
        RUNS_LONG: Whether a sample takes so long that others should not wait for it; it then runs in a thread.
    """

    NAME: ClassVar[str]
    KEYS: ClassVar[Sequence[str] | None] = None
    FIGURES: ClassVar[Sequence[Metric]] = (mean(), stderr())
    HIGHER_IS_BETTER: ClassVar[bool] = True
    RUNS_LONG: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if isinstance(getattr(cls, "NAME", None), str):
            scorer_factory(cls)  # registered, so that a log is scored again by a process that makes no task

    def calculate(self, response: Response) -> list[MetricResult]:
        """Return the results for a response: one named `NAME`, or one named `NAME/key` for each of `KEYS`."""
        raise NotImplementedError

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample that can never be scored; called for each subject's first one, before any model request.

        Raises:
            ValueError: Its ground truth or context does not fit the metric.
        """


class ScoreMetric(BaseMetric[Response]):
    """A metric based on a score function of openbench, which gives the reason why an answer is wrong or unscored."""

    def evaluate(self, response: Response) -> Score:
        """Return the score of a response."""
        raise NotImplementedError

    def calculate(self, response: Response) -> list[MetricResult]:
        """Return the results for a response."""
        results = results_of(self.evaluate(response), self.NAME, self.KEYS)
        return [replace(result, higher_is_better=self.HIGHER_IS_BETTER) for result in results]


class AwaitedMetric(ScoreMetric[Completion]):
    """A metric that waits for something, such as a process."""

    async def run(self, response: Completion) -> Score:
        """Return the score of a response."""
        raise NotImplementedError


class SandboxMetric(AwaitedMetric):
    """A metric that runs code in the task's sandbox."""


class JudgeMetric(ScoreMetric[Completion]):
    """A metric that asks a model for its verdict.

    Attributes:
        MODELS: The graders; None is the model of the role `grader`, else the judge's default.
        ALLOW_SELF_JUDGE: Whether the evaluated model may be one of them.
        REQUESTS: The number of requests to each grader about a sample.
    """

    MODELS: ClassVar[str | Sequence[str] | None] = None
    ALLOW_SELF_JUDGE: ClassVar[bool] = False
    REQUESTS: ClassVar[int] = 1

    async def judge(self, response: Completion, *, evaluated: str, language: str | None) -> Score:
        """Return the score of a response.

        Args:
            response: The response.
            evaluated: The name of the evaluated model.
            language: The English name of the task's language.
        """
        raise NotImplementedError


AnyMetric = type[BaseMetric[Any]]


def scorer_name(metric: AnyMetric) -> str:
    """Return a metric's name in logs."""
    return re.sub(r"[\W_]+", "_", metric.NAME.lower()).strip("_")


def response_type_of(metric: AnyMetric) -> ResponseType | None:
    """Return the type of response that a metric scores; None if its class does not declare it."""
    types = {Completion: ResponseType.COMPLETION, Loglikelihood: ResponseType.LOGLIKELIHOODS}
    for each in metric.__mro__:
        for base in getattr(each, "__orig_bases__", ()):
            argument = get_args(base)[0] if isinstance(get_origin(base), type) and get_args(base) else None
            if argument in types:
                return types[argument]
    return None


def defines(metric: AnyMetric) -> str | None:
    """Return which of `evaluate`, `calculate`, `run` and `judge` a metric's class or its nearest base defines."""
    for each in metric.__mro__:
        if each in {ScoreMetric, BaseMetric, AwaitedMetric, SandboxMetric, JudgeMetric}:
            return None
        for name in ("evaluate", "calculate", "run", "judge"):
            if name in vars(each):
                return name
    return None


def scorer_factory(metric: AnyMetric, groups: Sequence[Metric] = ()) -> Callable[..., Scorer]:
    """Create the factory of a metric's scorer, and register it.

    Args:
        metric: The metric.
        groups: Metrics of groups of samples, besides its own.

    Returns:
        A factory, which takes the arguments of `TaskReference` if the task post-processes completions.
    """

    def factory(task: str | None = None, num_fewshot: int = 0) -> Scorer:
        made = metric()
        post_process = post_process_of({"task": task, "num_fewshot": num_fewshot}) if task else None

        async def score(state: TaskState, target: Target) -> Score:
            if isinstance(made, AwaitedMetric):
                return await _score_awaited(made, state, target, post_process)
            if isinstance(made, JudgeMetric):
                return await _score_by_judge(made, state, target, post_process)
            if metric.RUNS_LONG:
                return await to_thread.run_sync(_score, made, state, target, post_process)
            return _score(made, state, target, post_process)

        return score

    factory.__module__ = metric.__module__  # whose package the registered name begins with
    direction = {} if metric.HIGHER_IS_BETTER else {"lower_is_better": True}
    return scorer(metrics=_figures(metric, groups), name=scorer_name(metric), **direction, **_grading(metric))(factory)


def _grading(metric: AnyMetric) -> dict[str, Any]:
    """Return the entries of a scorer's metadata that describe its graders."""
    if not issubclass(metric, JudgeMetric):
        return {}
    return {
        DEFAULT_GRADER_KEY: DEFAULT_GRADER,
        SELF_JUDGE_KEY: metric.ALLOW_SELF_JUDGE,
        GRADER_REQUESTS_KEY: metric.REQUESTS,
    }


def _figures(metric: AnyMetric, groups: Sequence[Metric]) -> list[Metric] | Mapping[str, list[Metric]]:
    figures = [*metric.FIGURES, *groups]
    return figures if metric.KEYS is None else dict.fromkeys(metric.KEYS, figures)


def _score(metric: BaseMetric[Any], state: TaskState, target: Target, post_process: PostProcess | None) -> Score:
    try:
        if is_ranked(state):
            return _evaluated(metric, loglikelihood_of(state, target))
        return _evaluated(metric, completion_of(state, target, _processed(state, target, post_process)))
    except Exception as error:  # noqa: BLE001 - whatever a metric raises, the other samples are scored
        return unscored(f"{type(metric).__name__} failed: {type(error).__name__}: {error}")


async def _score_awaited(
    metric: AwaitedMetric, state: TaskState, target: Target, post_process: PostProcess | None
) -> Score:
    try:
        return await metric.run(completion_of(state, target, _processed(state, target, post_process)))
    except Exception as error:  # noqa: BLE001 - likewise
        return unscored(f"{type(metric).__name__} failed: {type(error).__name__}: {error}")


async def _score_by_judge(
    metric: JudgeMetric, state: TaskState, target: Target, post_process: PostProcess | None
) -> Score:
    completion = completion_of(state, target, _processed(state, target, post_process))
    if not completion.completion.strip():
        return unscored("there is no answer to judge", completion.raw_completion)
    return await metric.judge(completion, evaluated=str(state.model), language=state.metadata.get(LANGUAGE_KEY))


def _evaluated(metric: BaseMetric[Any], response: Completion | Loglikelihood) -> Score:
    if isinstance(metric, ScoreMetric) and defines(type(metric)) == "evaluate":
        return metric.evaluate(response)
    return score_of(metric.calculate(response), metric.NAME, metric.KEYS)


def _processed(state: TaskState, target: Target, post_process: PostProcess | None) -> str:
    completion = state.output.completion
    processed: object = post_process(completion, from_state(state, target)) if post_process else completion
    if not isinstance(processed, str):
        raise TypeError(f"post_process_generated_completion gives {processed!r:.80}, where a text is expected")
    return processed
