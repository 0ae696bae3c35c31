"""The parts that Inspect finds through the `inspect_ai` entry point; each metric registers its scorer at import."""

import openbench_authoring.metrics  # noqa: F401
from openbench_authoring.cue import cue
from openbench_authoring.declarative.horangi import korean_multiple_choice, math_grader

__all__ = ["cue", "korean_multiple_choice", "math_grader"]
