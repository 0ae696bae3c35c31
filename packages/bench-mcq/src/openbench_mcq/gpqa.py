"""GPQA: biology, chemistry and physics questions that experts can answer and skilled non-experts cannot.

Rein et al. (2023), https://arxiv.org/abs/2311.12022
"""

from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.model import GenerateConfig

from openbench.errors import UsageError
from openbench.metadata import DatasetSource
from openbench.tasks.mcq import MCQEval, MCQSample, shuffled_options
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import GPQA_DIAMOND, GPQA_EXTENDED, GPQA_MAIN
from openbench_scorers.labels import target_letter

ANSWERS = ("Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "upstream": {
        "prompt_template": "You are a helpful assistant.",
        "config": GenerateConfig(temperature=0.5),
        "epochs": Epochs(10),
    },
}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. The correct answer is in a separate column, so the options are shuffled."""
    options = [row[column].strip() for column in ANSWERS]
    options, correct = shuffled_options(options, 0, key=row["Question"])
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["Question"].strip(), options),
        target=target_letter(correct, options),
        id=row["Record ID"],
        metadata={"domain": row["High-level domain"], "subdomain": row["Subdomain"]},
    )


@task
def gpqa_diamond(settings: str = "default") -> Task:
    """GPQA Diamond: graduate-level science, with accuracy by domain and subdomain.

    Args:
        settings: `default`, or `upstream` for the settings of groq/openbench: temperature 0.5, a system message and 10
            epochs.

    Raises:
        UsageError: `settings` has another value.
    """
    if settings not in SETTINGS:
        raise UsageError(f"gpqa_diamond: settings={settings!r} does not exist. Use 'default' or 'upstream'.")
    return _gpqa("gpqa_diamond", GPQA_DIAMOND, **SETTINGS[settings])


@task
def gpqa_main() -> Task:
    """GPQA: the 448 questions of the main set, with accuracy by domain and subdomain."""
    return _gpqa("gpqa_main", GPQA_MAIN)


@task
def gpqa_extended() -> Task:
    """GPQA Extended: all 546 questions, with accuracy by domain and subdomain."""
    return _gpqa("gpqa_extended", GPQA_EXTENDED)


def _gpqa(name: str, source: DatasetSource, **settings: Any) -> Task:
    return MCQEval(
        name=name,
        record_to_mcq_sample=record_to_mcq_sample,
        group_keys=["domain", "subdomain"],
        **settings,
        **source.arguments(),
    )
