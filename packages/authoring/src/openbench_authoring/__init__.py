"""Two more ways to write a benchmark: as a class (`BaseTask`), and as a declaration (`BenchmarkConfig`).

Names imported from here are loaded on first use: metadata modules may read a declaration without importing inspect-ai.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openbench_authoring.base_task import BaseTask
    from openbench_authoring.contexts import (
        BaseMetricContext,
        IFEvalMetricContext,
        LanguageMetricContext,
        LLMJudgeFormatCorrectnessContext,
        LLMJudgeSqlMetricContext,
        MTBenchJudgePairMetricContext,
        MTBenchJudgeSingleMetricContext,
        ParagraphCounterMetricContext,
        RenderableStructMetricContext,
        SentenceCounterMetricContext,
        StructMetricContext,
        UntemplatedPrompt,
        WordCounterMetricContext,
        extract_context_metric,
    )
    from openbench_authoring.declarative.config import BenchmarkConfig
    from openbench_authoring.declarative.create import create_benchmark
    from openbench_authoring.declarative.described import benchmark_metadata, toml_metadata
    from openbench_authoring.declarative.toml import load_config
    from openbench_authoring.helpers import RANDOM_SEED, LogicError, get_n_letters
    from openbench_authoring.hooks import SubjectType
    from openbench_authoring.languages import Language
    from openbench_authoring.messages import Message, Role
    from openbench_authoring.metrics.base import BaseMetric
    from openbench_authoring.perturbation import Perturbation
    from openbench_authoring.responses import Completion, Error, Loglikelihood, MetricResult
    from openbench_authoring.samples import NO_SUBJECT, ResponseType, Sample
    from openbench_authoring.task_registry import (
        get_task,
        is_registered,
        register_lazy_task,
        register_task,
        registered_task_names,
    )

__all__ = [
    "NO_SUBJECT",
    "RANDOM_SEED",
    "BaseMetric",
    "BaseMetricContext",
    "BaseTask",
    "BenchmarkConfig",
    "Completion",
    "Error",
    "IFEvalMetricContext",
    "LLMJudgeFormatCorrectnessContext",
    "LLMJudgeSqlMetricContext",
    "Language",
    "LanguageMetricContext",
    "LogicError",
    "Loglikelihood",
    "MTBenchJudgePairMetricContext",
    "MTBenchJudgeSingleMetricContext",
    "Message",
    "MetricResult",
    "ParagraphCounterMetricContext",
    "Perturbation",
    "RenderableStructMetricContext",
    "ResponseType",
    "Role",
    "Sample",
    "SentenceCounterMetricContext",
    "StructMetricContext",
    "SubjectType",
    "UntemplatedPrompt",
    "WordCounterMetricContext",
    "benchmark_metadata",
    "create_benchmark",
    "extract_context_metric",
    "get_n_letters",
    "get_task",
    "is_registered",
    "load_config",
    "register_lazy_task",
    "register_task",
    "registered_task_names",
    "toml_metadata",
]

_PLACES = {
    "BaseTask": "base_task",
    "IFEvalMetricContext": "contexts",
    "BaseMetricContext": "contexts",
    "LanguageMetricContext": "contexts",
    "LLMJudgeFormatCorrectnessContext": "contexts",
    "LLMJudgeSqlMetricContext": "contexts",
    "MTBenchJudgePairMetricContext": "contexts",
    "MTBenchJudgeSingleMetricContext": "contexts",
    "ParagraphCounterMetricContext": "contexts",
    "WordCounterMetricContext": "contexts",
    "extract_context_metric": "contexts",
    "BenchmarkConfig": "declarative.config",
    "create_benchmark": "declarative.create",
    "benchmark_metadata": "declarative.described",
    "toml_metadata": "declarative.described",
    "load_config": "declarative.toml",
    "Language": "languages",
    "BaseMetric": "metrics.base",
    "Message": "messages",
    "Role": "messages",
    "Perturbation": "perturbation",
    "Completion": "responses",
    "Error": "responses",
    "Loglikelihood": "responses",
    "MetricResult": "responses",
    "NO_SUBJECT": "samples",
    "ResponseType": "samples",
    "Sample": "samples",
    "SentenceCounterMetricContext": "contexts",
    "StructMetricContext": "contexts",
    "RenderableStructMetricContext": "contexts",
    "UntemplatedPrompt": "contexts",
    "LogicError": "helpers",
    "RANDOM_SEED": "helpers",
    "get_n_letters": "helpers",
    "SubjectType": "hooks",
    "get_task": "task_registry",
    "is_registered": "task_registry",
    "register_lazy_task": "task_registry",
    "register_task": "task_registry",
    "registered_task_names": "task_registry",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
