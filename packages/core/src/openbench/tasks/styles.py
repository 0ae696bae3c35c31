"""The styles of a multiple-choice question: one record, asked for a letter, or ranked by log-probability.

- `letters`: the options under letters; the model writes the letter of one.
- `letters_ranked`: the options under letters; the letters are ranked.
- `cloze`: the question alone; the options' texts are ranked.
- `bits_per_byte`: the question alone; how well the model predicts the right option's text.

The styles that rank have the prompts of OLMES (Gu et al. 2024, arXiv 2406.08446), without its examples.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from openbench.errors import UsageError
from openbench.scorers.ranking_request import ranking_sample
from openbench.tasks.prompts import (
    ANSWER_CUE,
    cloze_prompt,
    create_dynamic_multiple_choice_prompt,
    option_letters,
    option_text,
    ranked_letters_prompt,
)
from openbench.tasks.samples import MCQSample

Style = Literal["letters", "letters_ranked", "cloze", "bits_per_byte"]

STYLES: tuple[Style, ...] = get_args(Style)

_LEAST_OPTIONS = 2


@dataclass(frozen=True)
class MCQRecord:
    """A multiple-choice question before it has a form.

    Attributes:
        question: The question.
        options: The options' texts, two at least; some may be equal, and a number becomes its text.
        correct: The index of the right one.
        id: The sample's id; by default it is made of the row.
        metadata: The sample's metadata.
        subject: What the question belongs to; it joins the metadata as `subject`.
    """

    question: str
    options: Sequence[str]
    correct: int
    id: str | int | None = None
    metadata: Mapping[str, Any] | None = None
    subject: str | None = None

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            ValueError: A text is blank or none, there are fewer than two options, or the right one is none of them.
        """
        _check_text("question", self.question)
        if not isinstance(self.options, list | tuple):
            raise ValueError(f"the options are {self.options!r:.80}, where a list of texts is expected")  # noqa: TRY004
        if len(self.options) < _LEAST_OPTIONS:
            raise ValueError(f"there must be two options or more (received {list(self.options)!r:.80})")
        object.__setattr__(self, "options", [option_text(option) for option in self.options])
        for index, option in enumerate(self.options):
            _check_text(f"option {index}", option)
        if type(self.correct) is not int:  # True is no index
            raise ValueError(f"correct is {self.correct!r:.80}, where the index of an option is expected")
        if not 0 <= self.correct < len(self.options):
            raise ValueError(
                f"correct is {self.correct}, which is outside the {len(self.options)} options (0 to "
                f"{len(self.options) - 1}); the split may have no labels"
            )


def check_style(name: str, style: str) -> None:
    """Check that a style exists.

    Args:
        name: What to call the task.
        style: The style's name.

    Raises:
        UsageError: It does not exist.
    """
    if style not in STYLES:
        raise UsageError(f"{name}: the style {style!r} is unknown. Known: {', '.join(STYLES)}.")


def styled_sample(record: MCQRecord, style: Style) -> Sample:
    """Render a record in a style.

    Returns:
        An `MCQSample` in the style `letters`, else a sample to rank, in which white space around the
        question and the options is left out, since a continuation begins with exactly one space.

    Raises:
        ValueError: The style has letters, and there are more than 26 options.
    """
    metadata = {**(record.metadata or {}), **({} if record.subject is None else {"subject": record.subject})}
    if style == "letters":
        return MCQSample(
            input=create_dynamic_multiple_choice_prompt(record.question, record.options),
            target=option_letters(len(record.options))[record.correct],
            id=record.id,
            metadata=metadata or None,
        )
    question, options = record.question.strip(), [option.strip() for option in record.options]
    gold = record.correct
    if style == "letters_ranked":
        prompt, ranked = ranked_letters_prompt(question, options), list(option_letters(len(options)))
    elif style == "cloze":
        prompt, ranked = cloze_prompt(question), options
    else:
        prompt, ranked, gold = cloze_prompt(question), [options[gold]], 0
    return ranking_sample(
        input=[ChatMessageUser(content=prompt), ChatMessageAssistant(content=ANSWER_CUE)],
        continuations=[f" {text}" for text in ranked],
        gold=[gold],
        id=record.id,
        metadata=metadata,
    )


def styled(mapping: Callable[[dict[str, Any]], Any], style: Style) -> Callable[[dict[str, Any]], Any]:
    """Return a mapping of rows that renders the records which another one gives; samples stay as they are."""

    def mapped(row: dict[str, Any]) -> Any:
        try:
            given = mapping(row)
        except TypeError as error:
            if not str(error).startswith(f"{MCQRecord.__qualname__}.__init__()"):
                raise
            known = ", ".join(field.name for field in fields(MCQRecord))
            raise TypeError(f"{error}. The fields of {MCQRecord.__qualname__}: {known}.") from error
        if isinstance(given, MCQRecord):
            return styled_sample(given, style)
        if isinstance(given, list | tuple):
            return [styled_sample(each, style) if isinstance(each, MCQRecord) else each for each in given]
        return given

    return mapped


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ValueError(f"the {name} is {value!r:.80}, where a text is expected")  # noqa: TRY004 - it is a row's content
    if not value.strip():
        raise ValueError(f"the {name} is blank")
