"""Multiple-choice benchmarks: an author writes the mapping from a row to a question, and nothing else."""

import hashlib
import random
from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any, cast, get_args

from inspect_ai import Epochs, Task
from inspect_ai.dataset import Dataset
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver, system_message

from openbench.datasets import load_samples, read_rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource, DatasetType
from openbench.scorers.answer_phrases import ENGLISH
from openbench.tasks.provenance import METADATA_KEY
from openbench.tasks.styles import MCQRecord, MCQSample, Style, find_style, rendered

__all__ = [
    "MCQEval",
    "MCQRecord",
    "MCQSample",
    "Style",
    "labelled_split",
    "mcq_task",
    "shuffled_options",
    "target_letter",
]

_SAMPLE_OPTIONS = ("shuffle", "seed", "shuffle_choices", "limit")
# Arguments of the published loader without an effect here: rows are cached by revision, and code never runs.
_WITHOUT_MEANING = ("cached", "trust")


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
        record_to_mcq_sample: Returns the sample, or samples, of a row: an `MCQSample` with its prompt, or an
            `MCQRecord`, which any style can render.
        split: The Hub dataset's split.
        auto_id: Use a digest of the row as the id of samples without one.
        subset_name: The Hub dataset's configuration.
        group_keys: Keys of the samples' metadata by which accuracy is also reported.
        additional_metrics: Metrics besides accuracy, its standard error and the standard deviation.
        prompt_template: A system message.
        config: Generation settings.
        epochs: The number of repetitions of each sample, and the reduction of their scores.
        dataset_kwargs: For any source: `shuffle`, `seed`, `shuffle_choices` and `limit`; for the Hub: `revision`
            and further arguments of `datasets.load_dataset`; for a file: `name` (the
            dataset's), `sha256`, `encoding`, `fs_options` and, for CSV, `delimiter`, `dialect`, `fieldnames`.
        style: `letters` (the model writes a letter), or one that ranks by log-probability: `letters_ranked`, `cloze`
            (the options' texts) or `bits_per_byte` (of the correct option's text), which are in openbench-ranking.
        language: The language in which models announce a letter: `English`, or one of another distribution;
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
    pin = {key: options.pop(key) for key in ("revision", "sha256") if key in options}
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
    """Build the task of multiple-choice samples that are already loaded; the arguments are those of `MCQEval`.

    Raises:
        UsageError: The style or the language is unknown, or a sample has another style.
        DataError: A sample lacks a group key in its metadata.
    """
    chosen = find_style(name, style)
    for sample in dataset:
        if not chosen.fits(sample):
            raise UsageError(
                f"{name}: the style {style!r} does not fit the sample {sample.id!r}, which was written in another. "
                "Return MCQRecord(question, options, correct) instead of a sample: any style can render it."
            )
        # Found before the run, since metrics would only fail after it.
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

    Datasets that list the correct option first must be shuffled. The seed is a digest of `key` (the question), so
    that the order is the same in every process, and correct options are spread over all letters.

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


def target_letter(index: int, options: Sequence[str]) -> str:
    """Return the letter of the correct option.

    Raises:
        ValueError: The index is outside the options (an unlabelled split often says -1).
    """
    if not 0 <= index < len(options):
        raise ValueError(f"the target {index} is outside the {len(options)} options; the split may have no labels")
    return ascii_uppercase[index]


def labelled_split(name: str, split: str, *, labelled: Sequence[str], unlabelled: Sequence[str] = ()) -> str:
    """Return the split if it has labels.

    Raises:
        UsageError: The split has no labels, or does not exist.
    """
    if split in labelled:
        return split
    reason = "has no labels" if split in unlabelled else "does not exist"
    raise UsageError(f"{name}: the split {split!r} {reason}. Splits that can be scored: {', '.join(labelled)}.")
