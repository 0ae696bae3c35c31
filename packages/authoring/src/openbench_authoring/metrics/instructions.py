"""Whether a completion follows verifiable instructions; needs openbench-instruct."""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from inspect_ai.scorer import Score

from openbench.errors import UsageError
from openbench_authoring.contexts import HasContext, IFEvalMetricContext, extract_context_metric
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.responses import Completion
from openbench_authoring.samples import Sample


class IFEvalMetric(ScoreMetric[Completion]):
    """The metrics of IFEval, 0 to 1, higher is better (`openbench_instruct.scorer`), with the published checkers.

    The instructions are those of the sample's `IFEvalMetricContext`. `inst_level_…` is the share of a sample's
    instructions that its completion follows.
    """

    NAME = "IFEval"
    KEYS = ("prompt_level_strict_acc", "inst_level_strict_acc", "prompt_level_loose_acc", "inst_level_loose_acc")

    def __init__(self) -> None:
        _module("scorer")  # says so if the extra is missing

    def evaluate(self, response: Completion) -> Score:
        """Check every instruction, strictly and loosely."""
        checkers = _module("ifeval_checkers").FAITHFUL
        score: Score = _module("scorer").score_instructions(response.completion, _instructions(response), checkers)
        values = score.value
        assert isinstance(values, Mapping)  # noqa: S101 - one for each key
        return score.model_copy(update={"value": {key: values[key.removesuffix("_acc")] for key in self.KEYS}})

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context, or with instructions that have no checker."""
        _instructions(sample)


def _instructions(source: HasContext) -> list[dict[str, Any]]:
    context = extract_context_metric(source, IFEvalMetricContext)
    checkers = _module("ifeval_checkers").FAITHFUL
    read: list[dict[str, Any]] = _module("instructions").read_instructions(
        context.instruction_id_list, context.additional_kwargs, checkers
    )
    return read


def _module(name: str) -> ModuleType:
    """Import a module of openbench-instruct.

    Raises:
        UsageError: It is not installed.
    """
    try:
        return import_module(f"openbench_instruct.{name}")
    except ImportError as error:
        raise UsageError(
            f"IFEvalMetric needs openbench-instruct, which cannot be imported ({error}). "
            "Install it with: pip install 'openbench-authoring[instruct]'"
        ) from error
