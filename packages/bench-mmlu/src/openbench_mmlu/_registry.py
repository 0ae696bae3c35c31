"""The objects that Inspect finds through the `inspect_ai` entry point: the tasks."""

from openbench_mmlu.mmlu import mmlu
from openbench_mmlu.mmlu_pro import mmlu_pro
from openbench_mmlu.mmlu_redux import mmlu_redux

__all__ = ["mmlu", "mmlu_pro", "mmlu_redux"]
