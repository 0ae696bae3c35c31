"""What inspect finds through the `inspect_ai` entry point: every metric registers its scorer when it is defined."""

import openbench_authoring.metrics  # noqa: F401
from openbench_authoring.declarative.horangi import korean_multiple_choice, math_grader

__all__ = ["korean_multiple_choice", "math_grader"]
