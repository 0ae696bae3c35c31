"""The published import path of the multiple-choice prompt; other names come from openbench-compat."""

from openbench.registry.compat import fallback
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt

__all__ = ["create_dynamic_multiple_choice_prompt"]

__getattr__ = fallback(__name__)
