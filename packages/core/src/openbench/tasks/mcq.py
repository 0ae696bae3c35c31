"""Multiple-choice benchmarks: a row, mapped to a question with lettered options, is all that one writes."""

import hashlib
import random
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Annotated, Any, Self

from inspect_ai import Epochs, Task
from inspect_ai.dataset import Dataset, Sample
from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.solver import Solver, generate, system_message
from pydantic import AfterValidator, model_validator

from openbench.datasets import load_samples, read_rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.prompts import read_options
from openbench.scorers.mcq import create_mcq_scorer

_SAMPLE_OPTIONS = ("shuffle", "seed", "shuffle_choices", "limit")
# Arguments of the published loader that have no meaning here: rows are cached by revision, and code never runs.
_WITHOUT_MEANING = ("cached", "trust")


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


def MCQEval(  # noqa: N802 - the published name
    *,
    name: str,
    dataset_type: str = "hf",
    dataset_path: str,
    record_to_mcq_sample: Callable[[dict[str, Any]], MCQSample | Sequence[MCQSample]],
    split: str | None = None,
    auto_id: bool = True,
    subset_name: str | None = None,
    group_keys: list[str] | None = None,
    additional_metrics: list[Any] | None = None,
    prompt_template: str | None = None,
    config: GenerateConfig | None = None,
    epochs: Epochs | None = None,
    dataset_kwargs: dict[str, Any] | None = None,
) -> Task:
    """Build the task of a multiple-choice benchmark.

    Args:
        name: The task's name.
        dataset_type: `hf` for the Hub, `csv` or `json` (JSON or JSON Lines) for a file.
        dataset_path: A Hub dataset id, or the path or URL of a file.
        record_to_mcq_sample: Gives the sample, or samples, of a row.
        split: The Hub dataset's split.
        auto_id: Give samples without an id a digest of their row; ids that the mapping gives stand.
        subset_name: The Hub dataset's configuration.
        group_keys: Keys of the samples' metadata by which accuracy is reported as well.
        additional_metrics: Metrics besides accuracy, its standard error and the standard deviation.
        prompt_template: A system message.
        config: How to generate.
        epochs: How often to repeat each sample, and how to reduce its scores.
        dataset_kwargs: For any source `shuffle`, `seed`, `shuffle_choices` and `limit`; for the Hub `revision`
            and further arguments of `datasets.load_dataset`; for a file `sha256`, `encoding`, `fs_options`
            and, for CSV, `delimiter`, `dialect`, `fieldnames`.

    Returns:
        A task whose main metric is `accuracy`.

    Raises:
        UsageError: The dataset type is unknown, or a Hub dataset is given without a split.
        DataError: The rows cannot be had, or one does not fit.
    """
    options = {key: value for key, value in (dataset_kwargs or {}).items() if key not in _WITHOUT_MEANING}
    pin = {key: options.pop(key) for key in ("revision", "sha256") if key in options}
    shape = {key: options.pop(key) for key in _SAMPLE_OPTIONS if key in options}
    source = DatasetSource(
        source=dataset_path, type=_dataset_type(name, dataset_type), config=subset_name, split=split, **pin
    )
    if source.type == "hf" and not split:
        raise UsageError(f"{name}: a dataset of the Hub needs a split (split='test').")
    dataset = load_samples(read_rows(source, **options), record_to_mcq_sample, name=name, auto_id=auto_id, **shape)
    return mcq_task(
        name=name,
        dataset=dataset,
        group_keys=group_keys,
        additional_metrics=additional_metrics,
        prompt_template=prompt_template,
        config=config,
        epochs=epochs,
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
) -> Task:
    """Build the task of multiple-choice samples that are already loaded; the arguments are those of `MCQEval`.

    Raises:
        DataError: A sample lacks a group key in its metadata.
    """
    _check_groups(dataset, group_keys or ())
    solver: list[Solver] = [system_message(prompt_template)] if prompt_template else []
    return Task(
        name=name,
        dataset=dataset,
        solver=[*solver, generate()],
        scorer=create_mcq_scorer(group_keys, additional_metrics)(),
        config=config or GenerateConfig(),
        epochs=epochs,
    )


def shuffled_options(options: Sequence[str], correct: int, *, key: str) -> tuple[list[str], int]:
    """Put options in an order that depends on the question alone.

    Datasets that list the right option first must be shuffled. The seed is a digest of `key` (the question), so
    that the order is the same in every process, and right options are spread over all letters.

    Args:
        options: The options' texts.
        correct: The index of the right one.
        key: What to seed with.

    Returns:
        The options in their new order, and the right one's new index.
    """
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
    order = random.Random(seed).sample(range(len(options)), len(options))  # noqa: S311 - no secret
    return [options[index] for index in order], order.index(correct)


def target_letter(index: int, options: Sequence[str]) -> str:
    """Return the letter of the right option.

    Raises:
        ValueError: The index is outside the options (an unlabelled split often says -1).
    """
    if not 0 <= index < len(options):
        raise ValueError(f"the target {index} is outside the {len(options)} options; the split may have no labels")
    return ascii_uppercase[index]


def labelled_split(name: str, split: str, *, labelled: Sequence[str], unlabelled: Sequence[str] = ()) -> str:
    """Return the split, if it can be scored.

    Raises:
        UsageError: The split has no labels, or does not exist.
    """
    if split in labelled:
        return split
    reason = "has no labels" if split in unlabelled else "does not exist"
    raise UsageError(f"{name}: the split {split!r} {reason}. Splits that can be scored: {', '.join(labelled)}.")


def _dataset_type(name: str, value: str) -> Any:
    if value not in {"hf", "csv", "json"}:
        raise UsageError(f"{name}: the dataset type {value!r} is unknown. Known: hf, csv, json.")
    return value


def _check_groups(dataset: Dataset, keys: Sequence[str]) -> None:
    """Find a sample that belongs to no group before the run, since metrics would only fail after it."""
    for sample in dataset:
        missing = [key for key in keys if key not in (sample.metadata or {})]
        if missing:
            raise DataError(
                f"{dataset.name}: the sample {sample.id!r} has no {missing[0]!r} in its metadata, "
                "which group_keys asks for"
            )
