"""Multiple-choice benchmarks, for which an author only writes the mapping from a row to a question.

A style renders a record (`MCQRecord`) as a sample. In the style `letters`, defined here, the model answers with the
letter of an option. Other distributions register styles in the entry-point group `openbench.mcq_styles`, each an
`MCQStyle` under its name; openbench-ranking has those that rank options by log-probability.
"""

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Annotated, Any, Literal, Self, cast, get_args

from inspect_ai import Epochs, Task
from inspect_ai.dataset import Dataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate, system_message
from pydantic import AfterValidator, model_validator

from openbench.datasets import load_samples, read_rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource, DatasetType
from openbench.registry.plugin_loader import find_value
from openbench.scorers.answer_phrases import ENGLISH
from openbench.scorers.mcq import create_mcq_scorer, read_options
from openbench.tasks.prompts import check_text, create_dynamic_multiple_choice_prompt, option_letters, option_text
from openbench.tasks.provenance import METADATA_KEY

Style = Literal["letters", "letters_ranked", "cloze", "cloze_unconditional", "bits_per_byte"]

GROUP = "openbench.mcq_styles"
_RANKED = dict.fromkeys(("letters_ranked", "cloze", "cloze_unconditional", "bits_per_byte"), "openbench-ranking")
_LEAST_OPTIONS = 2
_SAMPLE_OPTIONS = ("shuffle", "seed", "shuffle_choices", "limit")
# Arguments of the published loader that are ignored: rows are always cached, and remote code never runs.
_WITHOUT_MEANING = ("cached", "trust")


@dataclass(frozen=True)
class MCQRecord:
    """A multiple-choice question that any style can render.

    Attributes:
        question: The question.
        options: The options' texts, at least two; some may be equal, and a number becomes its text.
        correct: The index of the correct one.
        id: The sample's id; by default a digest of the row.
        metadata: The sample's metadata.
        subject: The subject of the question, which becomes `subject` in the metadata.
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
        _check_not_blank("question", self.question)
        if not isinstance(self.options, list | tuple):
            raise ValueError(f"the options are {self.options!r:.80}, expected a list of strings")  # noqa: TRY004
        if len(self.options) < _LEAST_OPTIONS:
            raise ValueError(f"there must be two options or more (received {list(self.options)!r:.80})")
        object.__setattr__(self, "options", [option_text(option) for option in self.options])
        for index, option in enumerate(self.options):
            _check_not_blank(f"option {index}", option)
        if type(self.correct) is not int:  # a bool is not an index
            raise ValueError(f"correct is {self.correct!r:.80}, expected the index of an option")
        if not 0 <= self.correct < len(self.options):
            raise ValueError(
                f"correct is {self.correct}, which is outside the {len(self.options)} options (0 to "
                f"{len(self.options) - 1}); the split may have no labels"
            )

    @property
    def sample_metadata(self) -> dict[str, Any]:
        """The metadata of its sample, including the subject."""
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
        render: Creates the sample of a record, or raises ValueError.
        fits: Whether a sample is of this style.
        solver: Creates the solver.
        scorer: Creates a scorer factory from group keys, additional metrics and the language of the answers.
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
    """Find a style of core or of another distribution."""
    return find_value(f"{name}: the style {style!r}", style, GROUP, {"letters": LETTERS}, _RANKED, "an MCQStyle")


def rendered(mapping: Callable[[dict[str, Any]], Any], style: MCQStyle) -> Callable[[dict[str, Any]], Any]:
    """Return a row mapping that renders the records of another mapping, and passes samples through."""

    def render(part: Any) -> Any:
        return style.render(part) if isinstance(part, MCQRecord) else part

    def mapped(row: dict[str, Any]) -> Any:
        given = mapping(row)
        return [render(each) for each in given] if isinstance(given, list | tuple) else render(given)

    return mapped


def MCQEval(  # noqa: N802 - the published name
    *,
    name: str,
    dataset_type: str = "hf",
    dataset_path: str,
    record_to_mcq_sample: Callable[[dict[str, Any]], MCQSample | MCQRecord | Sequence[MCQSample | MCQRecord]],
    split: str | None = None,
    auto_id: bool = True,
    subset_name: str | None = None,
    group_keys: list[str] | None = None,
    additional_metrics: list[Any] | None = None,
    prompt_template: str | None = None,
    config: GenerateConfig | None = None,
    epochs: Epochs | None = None,
    dataset_kwargs: dict[str, Any] | None = None,
    style: Style = "letters",
    language: str = ENGLISH.name,
) -> Task:
    """Build the task of a multiple-choice benchmark.

    Args:
        name: The task's name.
        dataset_type: `hf` for the Hub, `csv` or `json` (JSON or JSON Lines) for a file.
        dataset_path: A Hub dataset id, or the path or URL of a file.
        record_to_mcq_sample: Returns the sample or samples of a row: each an `MCQSample` with its prompt, or an
            `MCQRecord`, which any style can render.
        split: The Hub dataset's split.
        auto_id: Use a digest of the row as the id of samples without one.
        subset_name: The Hub dataset's configuration.
        group_keys: Keys of the samples' metadata by which accuracy is also reported.
        additional_metrics: Metrics besides accuracy, its standard error and the standard deviation.
        prompt_template: A system message.
        config: Generation settings.
        epochs: The number of repetitions of each sample, and the reduction of their scores.
        dataset_kwargs: For any source: `shuffle`, `seed`, `shuffle_choices` and `limit`; for the Hub: `revision` and
            further arguments of `datasets.load_dataset`; for a file: `name` (the dataset's), `sha256`, `encoding`,
            `fs_options` and, for CSV, `delimiter`, `dialect` and `fieldnames`.
        style: `letters` (the model writes a letter), or a style of openbench-ranking, which ranks by log-probability:
            `letters_ranked`, `cloze` (the options' texts) or `bits_per_byte` (of the correct option's text).
        language: The language in which models announce their answer: `English`, or one of another distribution;
            openbench-scorers has `any`, some sixty languages at once.

    Returns:
        A task whose main metric is `accuracy`, or that of its style.

    Raises:
        UsageError: The dataset type, the style or the language is unknown, a Hub dataset is given without a split, a
            sample has another style, or there are no choices to shuffle.
        DataError: The rows cannot be read, or one does not fit.
    """
    chosen = find_style(name, style)
    options = {key: value for key, value in (dataset_kwargs or {}).items() if key not in _WITHOUT_MEANING}
    pin = {key: options.pop(key) for key in ("revision", "sha256", "md5") if key in options}
    shape = {key: options.pop(key) for key in _SAMPLE_OPTIONS if key in options}
    if dataset_type not in get_args(DatasetType):
        known = ", ".join(get_args(DatasetType))
        raise UsageError(f"{name}: the dataset type {dataset_type!r} is unknown. Known: {known}.")
    kind = cast("DatasetType", dataset_type)
    source = DatasetSource(source=dataset_path, type=kind, config=subset_name, split=split, **pin)
    if source.type == "hf" and not split:
        raise UsageError(f"{name}: a dataset of the Hub needs a split (split='test').")
    called = options.pop("name", name) if source.type != "hf" else name
    to_sample = rendered(record_to_mcq_sample, chosen)
    dataset = load_samples(read_rows(source, **options), to_sample, name=called, auto_id=auto_id, **shape)
    keeps_order = shape.get("shuffle_choices") is None or shape["shuffle_choices"] is False  # 0 is a seed
    if not keeps_order and not any(sample.choices for sample in dataset):
        raise UsageError(
            f"{name}: shuffle_choices: no sample has choices to shuffle, since its prompt already contains them. "
            "Shuffle the options in the mapping of rows, with openbench.tasks.mcq.shuffled_options."
        )
    return mcq_task(
        name=name,
        dataset=dataset,
        group_keys=group_keys,
        additional_metrics=additional_metrics,
        prompt_template=prompt_template,
        config=config,
        epochs=epochs,
        style=style,
        language=language,
    )


def mcq_task(
    *,
    name: str,
    dataset: Dataset,
    group_keys: list[str] | None = None,
    additional_metrics: list[Any] | None = None,
    prompt_template: str | None = None,
    config: GenerateConfig | None = None,
    epochs: Epochs | None = None,
    style: Style = "letters",
    language: str = ENGLISH.name,
) -> Task:
    """Build a task from loaded multiple-choice samples; for the other arguments see `MCQEval`.

    Raises:
        UsageError: The style or the language is unknown, or a sample has another style.
        DataError: A sample lacks a group key in its metadata.
    """
    chosen = find_style(name, style)
    for sample in dataset:
        if not chosen.fits(sample):
            raise UsageError(
                f"{name}: the style {style!r} does not fit the sample {sample.id!r}, which has another style. "
                "Return MCQRecord(question, options, correct) instead of a sample: any style can render it."
            )
        # Checked now, since the metrics would only fail after the run.
        if missing := [key for key in group_keys or () if key not in (sample.metadata or {})]:
            raise DataError(
                f"{dataset.name}: the sample {sample.id!r} has no {missing[0]!r} in its metadata, "
                "which group_keys asks for"
            )
    before: list[Solver] = [system_message(prompt_template)] if prompt_template else []
    return Task(
        name=name,
        dataset=dataset,
        solver=[*before, chosen.solver()],
        scorer=chosen.scorer(group_keys, additional_metrics, language)(),
        headline_metric=chosen.headline,
        config=config or GenerateConfig(),
        epochs=epochs,
        metadata={METADATA_KEY: {"style": style}},
    )


def shuffled_options(options: Sequence[str], correct: int, *, key: str) -> tuple[list[str], int]:
    """Shuffle options into an order that depends on the question alone.

    Datasets that list the correct option first must be shuffled. The seed is a digest of `key`, usually the question:
    the order is the same in every process, and correct options are spread over all letters.

    Args:
        options: The options' texts.
        correct: The index of the correct one.
        key: The seed.

    Returns:
        The options in their new order, and the new index of the correct one.
    """
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    order = random.Random(seed).sample(range(len(options)), len(options))  # noqa: S311 - no secret
    return [options[index] for index in order], order.index(correct)


def _check_not_blank(name: str, value: object) -> None:
    if not check_text(name, value).strip():
        raise ValueError(f"the {name} is blank")
