"""Options under letters in the text of a question, for solvers that do not show a sample's choices themselves."""

from collections.abc import Iterable
from string import ascii_uppercase

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage

from openbench.errors import DataError
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt


def wrong_letters(sample: Sample) -> list[str]:
    """Return the targets of a sample that are not letters of its choices."""
    letters = ascii_uppercase[: len(sample.choices or ())]
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    return [target for target in targets if len(target) != 1 or target not in letters]


def asks_for_letters(samples: Iterable[Sample]) -> bool:
    """Return whether some samples have choices, and all of those have only letters as targets."""
    offering = [sample for sample in samples if sample.choices]
    return bool(offering) and not any(map(wrong_letters, offering))


def show_options(sample: Sample) -> None:
    """Write a sample's choices into its question, in the prompt of `MCQEval`; without choices, do nothing.

    Raises:
        DataError: The question is a conversation without a user message.
    """
    if not sample.choices:
        return
    if isinstance(sample.input, str):
        sample.input = create_dynamic_multiple_choice_prompt(sample.input, sample.choices)
    else:
        last = max((place for place, turn in enumerate(sample.input) if turn.role == "user"), default=None)
        if last is None:
            raise DataError(
                f"the sample {sample.id!r} has no turn of the user, in which its choices could stand. Set "
                "show_choices = false."
            )
        sample.input = _with_options(sample.input, last, sample.choices)


def _with_options(turns: list[ChatMessage], last: int, choices: list[str]) -> list[ChatMessage]:
    asked = turns[last].model_copy()
    asked.text = create_dynamic_multiple_choice_prompt(asked.text, choices)
    return [*turns[:last], asked, *turns[last + 1 :]]
