"""Every benchmark of the package, from its metadata to a score, on the sample rows of the package."""

import contextlib
import gc
import json
import re
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval  # noqa: A004 - inspect's name
from inspect_ai.dataset import Sample

import openbench.datasets.rows
import openbench_mcq
from openbench.datasets import Rows, bundled_rows
from openbench.datasets.pin import pin_of
from openbench.errors import DataError, UsageError
from openbench.metadata import BenchmarkGroup, DatasetSource
from openbench.scorers.mcq import read_options
from openbench_mcq import _registry
from openbench_mcq.metadata import BENCHMARKS, GROUPS
from openbench_mcq.metadata.entry import LETTERED as LETTERED_TAG

KEYS = sorted(BENCHMARKS)
LETTERED = [key for key in KEYS if LETTERED_TAG in BENCHMARKS[key].tags]
SAMPLES = Path(openbench_mcq.__file__).parent / "samples"
MIN_SAMPLES = 4

# The column that identifies the correct option in the rows of each benchmark.
LABELS = {
    "anli": "label",
    "arabic_exams": "Answer Key",
    "arc_challenge": "answerKey",
    "arc_easy": "answerKey",
    "boolq": "answer",
    "commonsense_qa": "answerKey",
    "copa": "label",
    "ethics": "label",
    "global_mmlu": "answer",
    "gpqa_diamond": "Correct Answer",
    "gpqa_extended": "Correct Answer",
    "gpqa_main": "Correct Answer",
    "headqa": "ra",
    "hellaswag": "label",
    "longbench_v2": "answer",
    "medmcqa": "cop",
    "medqa": "answer_idx",
    "medxpertqa": "label",
    "mmmlu": "Answer",
    "musr": "answer_index",
    "openbookqa": "answerKey",
    "piqa": "label",
    "race": "answer",
    "rte": "label",
    "sciq": "correct_answer",
    "social_iqa": "label",
    "supergpqa": "answer_letter",
    "truthfulqa_mc1": "mc1_targets",
    "wic": "label",
    "winogrande": "answer",
} | {key: "label" for key in KEYS if key.startswith("agieval_")}
# Benchmarks whose label is the text of the correct option, so that any text is a valid label.
NO_LABELS = {"gpqa_diamond", "gpqa_extended", "gpqa_main", "sciq", "truthfulqa_mc1"}
WITHOUT_LICENCE = {"piqa", "rte"}
PINS_APART = {"bbeh", "bbeh_mini", "bbh", "musr"}  # several splits, or files with one object: tested separately


def task_function(key: str) -> Any:
    metadata = BENCHMARKS[key]
    return getattr(import_module(metadata.module_path), metadata.function_name)


def built(key: str, directory: Path | None = None, **arguments: str) -> Task:
    with bundled_rows(directory or SAMPLES / key):
        return task_function(key)(**arguments)


def samples(key: str) -> list[Sample]:
    return list(built(key).dataset)


def rows_of(key: str) -> list[dict[str, Any]]:
    (file,) = (SAMPLES / key).glob("*.jsonl")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def written(key: str, rows: list[dict[str, Any]], directory: Path) -> Path:
    split = BENCHMARKS[key].dataset.split or "test"
    (directory / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return directory


@pytest.mark.parametrize("key", KEYS)
def test_key_function_and_task_share_one_name(key: str) -> None:
    assert BENCHMARKS[key].function_name == key
    assert task_function(key).__name__ == key
    assert built(key).name == key


def test_inspect_finds_every_task() -> None:
    assert sorted(name for name in _registry.__all__ if not name.endswith("_scorer")) == KEYS
    assert [getattr(_registry, key) for key in KEYS] == [task_function(key) for key in KEYS]


def test_every_benchmark_has_sample_rows() -> None:
    assert sorted(directory.name for directory in SAMPLES.iterdir()) == KEYS


@pytest.mark.parametrize("key", KEYS)
def test_metadata_names_licence_paper_and_homepage(key: str) -> None:
    metadata = BENCHMARKS[key]
    assert metadata.builtin
    assert bool(metadata.dataset.licence) is (key not in WITHOUT_LICENCE)
    assert metadata.paper.startswith(("https://arxiv.org/abs/", "https://aclanthology.org/"))
    assert metadata.homepage.startswith("https://")
    assert all(re.fullmatch("[a-z]{2,3}", language) for language in metadata.languages)
    assert metadata.languages


def test_a_group_contains_benchmarks_of_the_package_once_each() -> None:
    assert {"arc", "agieval"} <= {*GROUPS}
    for group in GROUPS.values():
        assert isinstance(group, BenchmarkGroup)
        assert set(group.benchmarks) <= set(KEYS)
        assert len(set(group.benchmarks)) == len(group.benchmarks) > 1


def test_the_label_of_every_lettered_benchmark_is_known() -> None:
    assert sorted(LABELS) == LETTERED


@pytest.mark.parametrize("key", sorted({*KEYS} - PINS_APART))
def test_the_pinned_source_is_loaded(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[DatasetSource] = []

    def rows(source: DatasetSource, fetch: Any, options: Any) -> Rows:  # all rows of all sources pass through here
        if fetch:
            return Rows("rows", fetch(), source)
        requested.append(source)
        assert pin_of(source, options)
        return Rows("rows", rows_of(key)[:1], source)

    monkeypatch.setattr(openbench.datasets.rows, "_rows", rows)
    with contextlib.suppress(DataError):  # each member of a family needs separate rows
        task_function(key)()
    pinned = BENCHMARKS[key].dataset
    assert requested
    for source in requested:
        assert source.type == pinned.type
        assert pinned.split in {None, source.split}
        assert source.source.startswith(pinned.source)
        assert source.sha256 or source.revision == pinned.revision
        assert pinned.config in {None, source.config}


@pytest.mark.parametrize("key", LETTERED)
def test_samples_are_valid(key: str) -> None:
    read = samples(key)
    assert len(read) >= MIN_SAMPLES
    assert len({str(sample.target) for sample in read}) >= 2
    for sample in read:
        options = read_options(sample.input)
        assert set(sample.target.split(", ")) <= options.keys()
        assert all(text.strip() for text in options.values())


@pytest.mark.parametrize("key", LETTERED)
def test_nothing_except_the_options_reveals_the_answer(key: str) -> None:
    for sample in samples(key):
        options = read_options(sample.input)
        correct = {options[letter] for letter in sample.target} if len(sample.target) == 1 else set()
        before_options = sample.input.rpartition("\nA) ")[0]
        assert f"Answer: {sample.target[0]}" not in before_options
        assert not {*correct, *sample.target} & set((sample.metadata or {}).values())


@pytest.mark.parametrize(
    ("key", "groups"),
    [
        ("medmcqa", {"Anatomy", "Biochemistry", "Microbiology", "Pharmacology", "Physiology"}),
        ("gpqa_diamond", {"Biology", "Chemistry", "Physics", "Genetics", "Astrophysics"}),
    ],
)
def test_accuracy_is_reported_by_group(tmp_path: Path, key: str, groups: set[str]) -> None:
    with warnings.catch_warnings():
        # Inspect leaves streams unclosed, and calls its retry library in a way that newer versions deprecate.
        warnings.simplefilter("ignore", ResourceWarning)
        warnings.filterwarnings("ignore", "The 'initial' parameter is deprecated", DeprecationWarning)
        (log,) = eval(built(key), model="baseline/empty", display="none", log_dir=str(tmp_path))
        gc.collect()
    assert groups <= set(log.results.scores[0].metrics)


@pytest.mark.parametrize("key", LABELS)
def test_a_row_without_its_label_is_named(key: str, tmp_path: Path) -> None:
    rows = rows_of(key)
    del rows[1][LABELS[key]]
    with pytest.raises(DataError, match=rf"^row 2 of .* has no '{LABELS[key]}' \(columns: "):
        built(key, written(key, rows, tmp_path))


@pytest.mark.parametrize("key", sorted(set(LABELS) - NO_LABELS))
def test_a_row_with_an_unknown_label_is_named(key: str, tmp_path: Path) -> None:
    rows = rows_of(key)
    rows[1][LABELS[key]] = -1
    message = rf"^row 2 of .*: {LABELS[key]}: '-1' is not one of the labels .*; the split may have no labels$"
    with pytest.raises(DataError, match=message):
        built(key, written(key, rows, tmp_path))


@pytest.mark.parametrize(
    ("key", "split", "message"),
    [
        ("arc_easy", "dev", "does not exist. Splits that can be scored: train, validation, test."),
        ("arc_challenge", "dev", "does not exist. Splits that can be scored: train, validation, test."),
        ("openbookqa", "dev", "does not exist. Splits that can be scored: train, validation, test."),
        ("sciq", "dev", "does not exist. Splits that can be scored: train, validation, test."),
        ("race", "dev", "does not exist. Splits that can be scored: train, validation, test."),
        ("boolq", "test", "does not exist. Splits that can be scored: train, validation."),
        ("social_iqa", "test", "does not exist. Splits that can be scored: train, validation."),
        ("medqa", "validation", "does not exist. Splits that can be scored: train, test."),
        ("copa", "test", "has no labels. Splits that can be scored: train, validation."),
        ("headqa", "dev", "does not exist. Splits that can be scored: train, validation, test."),
        ("commonsense_qa", "test", "has no labels. Splits that can be scored: train, validation."),
        ("hellaswag", "test", "has no labels. Splits that can be scored: train, validation."),
        ("medmcqa", "test", "has no labels. Splits that can be scored: train, validation."),
        ("piqa", "test", "has no labels. Splits that can be scored: train, validation."),
        ("winogrande", "test", "has no labels. Splits that can be scored: train, validation."),
    ],
)
def test_a_split_that_cannot_be_scored_is_rejected(key: str, split: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        task_function(key)(split=split)
    assert str(raised.value) == f"{key}: the split {split!r} {message}"


@pytest.mark.parametrize("key", KEYS)
def test_the_readme_matches_the_metadata(key: str) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    line = next(line for line in readme.splitlines() if line.startswith(f"| `{key}` |"))  # in the first table
    _, dataset, split, rows, pin, licence = [cell.strip() for cell in line.strip("|").split("|")]
    metadata = BENCHMARKS[key]
    assert dataset.split()[0] in metadata.dataset.source
    assert (metadata.dataset.config or "") in dataset
    assert (split, int(rows)) == (metadata.dataset.split or "-", metadata.samples)
    assert pin == ("commit" if metadata.dataset.type == "hf" else "sha256")
    assert licence == (metadata.dataset.licence or "none declared")
