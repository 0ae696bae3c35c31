"""The objects that Inspect finds through the `inspect_ai` entry point."""

from openbench_instruct.jsonschemabench import jsonschemabench, schema_fit
from openbench_instruct.multi_if import by_language, by_turn, multi_if, turn_accuracy, turn_by_turn, turns_followed
from openbench_instruct.prompts import ifbench, ifeval, ifeval_ko
from openbench_instruct.scorer import by_instruction, instruction_accuracy, instruction_following, instruction_stderr

__all__ = [
    "by_instruction",
    "by_language",
    "by_turn",
    "ifbench",
    "ifeval",
    "ifeval_ko",
    "instruction_accuracy",
    "instruction_following",
    "instruction_stderr",
    "jsonschemabench",
    "multi_if",
    "schema_fit",
    "turn_accuracy",
    "turn_by_turn",
    "turns_followed",
]
