"""Multiple-choice questions: records, samples, and the styles that render a record as a sample.

The style `letters` is here: the options under letters, of which the model writes one. Other distributions add styles
through the entry-point group `openbench.mcq_styles`, each an `MCQStyle` under its name. openbench-ranking has those
that rank options by log-probability.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from string import ascii_uppercase
from typing import Annotated, Any, Literal, Self

from inspect_ai.dataset import Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ChatMessage
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate
from pydantic import AfterValidator, model_validator

from openbench.registry.plugin_loader import find_value
from openbench.scorers.mcq import create_mcq_scorer, read_options
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters, option_text

Style = Literal["letters", "letters_ranked", "cloze", "cloze_unconditional", "bits_per_byte"]

GROUP = "openbench.mcq_styles"
_RANKED = dict.fromkeys(("letters_ranked", "cloze", "cloze_unconditional", "bits_per_byte"), "openbench-ranking")
_LEAST_OPTIONS = 2


@dataclass(frozen=True)
class MCQRecord:
    """A multiple-choice question that any style can render.

    Attributes:
        question: The question.
        options: The options' texts, at least two; some may be equal, and a number becomes its text.
        correct: The index of the correct one.
        id: The sample's id; by default a digest of the row.
        metadata: The sample's metadata.
        subject: The subject of the question; it joins the metadata as `subject`.
    """

    question: str
    options: Sequence[str]
    correct: int
    id: str | int | None = None
    metadata: dict[str, Any] | None = None
    subject: str | None = None

    def __post_init__(self) -> None:
        """Validate the values.

        Raises:
            ValueError: A text is blank or missing, there are fewer than two options, or `correct` is not an index.
        """
        _check_text("question", self.question)
        if not isinstance(self.options, list | tuple):
            raise ValueError(f"the options are {self.options!r:.80}, expected a list of strings")  # noqa: TRY004
        if len(self.options) < _LEAST_OPTIONS:
            raise ValueError(f"there must be two options or more (received {list(self.options)!r:.80})")
        object.__setattr__(self, "options", [option_text(option) for option in self.options])
        for index, option in enumerate(self.options):
            _check_text(f"option {index}", option)
        if type(self.correct) is not int:  # a bool is not an index
            raise ValueError(f"correct is {self.correct!r:.80}, expected the index of an option")
        if not 0 <= self.correct < len(self.options):
            raise ValueError(
                f"correct is {self.correct}, which is outside the {len(self.options)} options (0 to "
                f"{len(self.options) - 1}); the split may have no labels"
            )

    @property
    def sample_metadata(self) -> dict[str, Any]:
        """The metadata of its sample, the subject included."""
        return {**(self.metadata or {}), **({} if self.subject is None else {"subject": self.subject})}


def _not_blank(value: str | list[ChatMessage]) -> str | list[ChatMessage]:
    if not value or (isinstance(value, str) and not value.strip()):
        raise ValueError("the input must be a text that is not blank, or a list of messages")
    return value


def _letter(value: str) -> str:
    if len(value) != 1 or value not in ascii_uppercase:
        raise ValueError("the target must be a single upper-case letter, A to Z")
    return value


class MCQSample(Sample):
    """A multiple-choice question: an input that is not blank, and the letter of one of its options as target."""

    input: Annotated[str | list[ChatMessage], AfterValidator(_not_blank)]
    target: Annotated[str, AfterValidator(_letter)]

    @model_validator(mode="after")
    def _target_is_an_option(self) -> Self:
        text = self.input if isinstance(self.input, str) else self.input[-1].text
        letters = ascii_uppercase[: len(self.choices)] if self.choices else "".join(read_options(text))
        if letters and self.target not in letters:
            raise ValueError(f"the target is {self.target!r}, but the options are {', '.join(letters)}")
        return self


@dataclass(frozen=True, kw_only=True)
class MCQStyle:
    """A way to ask multiple-choice questions.

    Attributes:
        render: Creates the sample of a record; a ValueError says why it cannot.
        fits: Whether a sample is of this style.
        solver: Creates the solver.
        scorer: Creates a scorer factory of group keys, additional metrics and the language of the answers.
        headline: The main metric; by default that of the benchmark.
    """

    render: Callable[[MCQRecord], Sample]
    fits: Callable[[Sample], bool]
    solver: Callable[[], Solver]
    scorer: Callable[[Sequence[str] | None, Sequence[Any] | None, str], Callable[[], Scorer]]
    headline: HeadlineMetric | None = None


def _lettered_sample(record: MCQRecord) -> MCQSample:
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(record.question, record.options),
        target=option_letters(len(record.options))[record.correct],
        id=record.id,
        metadata=record.sample_metadata or None,
    )


LETTERS = MCQStyle(
    render=_lettered_sample,
    fits=lambda sample: isinstance(sample.target, str),
    solver=generate,
    scorer=create_mcq_scorer,
)


def find_style(name: str, style: str) -> MCQStyle:
    """Find a style, which may be another distribution's."""
    return find_value(f"{name}: the style {style!r}", style, GROUP, {"letters": LETTERS}, _RANKED, "an MCQStyle")


def rendered(mapping: Callable[[dict[str, Any]], Any], style: MCQStyle) -> Callable[[dict[str, Any]], Any]:
    """Return a row mapping that renders the records that another mapping returns; samples are passed through."""

    def render(part: Any) -> Any:
        return style.render(part) if isinstance(part, MCQRecord) else part

    def mapped(row: dict[str, Any]) -> Any:
        try:
            given = mapping(row)
        except TypeError as error:
            if not str(error).startswith("MCQRecord.__init__()"):
                raise
            known = ", ".join(field.name for field in fields(MCQRecord))
            raise TypeError(f"{error}. The fields of MCQRecord: {known}.") from error
        return [render(each) for each in given] if isinstance(given, list | tuple) else render(given)

    return mapped


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ValueError(f"the {name} is {value!r:.80}, expected a string")  # noqa: TRY004 - row content
    if not value.strip():
        raise ValueError(f"the {name} is blank")
