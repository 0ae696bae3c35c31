"""The objects that Inspect finds through the `inspect_ai` entry point."""

from openbench_simpleqa.metrics import simpleqa_metrics
from openbench_simpleqa.scorer import simpleqa_scorer
from openbench_simpleqa.task import simpleqa

__all__ = ["simpleqa", "simpleqa_metrics", "simpleqa_scorer"]
