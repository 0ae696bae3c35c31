import importlib
import json
from importlib.metadata import entry_points

import pytest

from openbench.metadata import BenchmarkMetadata
from openbench.registry.catalog import discover
from openbench.registry.discovery import BENCHMARKS as GROUP
from openbench_mmlu.metadata import BENCHMARKS

COLUMNS = {
    "mmlu": ["question", "subject", "choices", "answer"],
    "mmlu_pro": [
        "question_id",
        "question",
        "options",
        "answer",
        "answer_index",
        "cot_content",
        "category",
        "src",
    ],
    "mmlu_redux": [
        "question",
        "choices",
        "answer",
        "error_type",
        "source",
        "correct_answer",
        "potential_reason",
        "subject",
    ],
}


def test_the_distribution_provides_the_benchmarks():
    provided, _ = discover(GROUP, BenchmarkMetadata)
    ours = [one for one in provided if one.distribution == "openbench-mmlu"]
    assert {one.key: one.value for one in ours} == BENCHMARKS


def test_inspect_finds_the_tasks():
    (entry_point,) = entry_points(group="inspect_ai", name="openbench_mmlu")
    assert entry_point.load().__all__ == list(BENCHMARKS)


@pytest.mark.parametrize("key", BENCHMARKS)
def test_the_task_is_where_the_metadata_says(key):
    meta = BENCHMARKS[key]
    assert meta.function_name == key
    assert callable(getattr(importlib.import_module(meta.module_path), meta.function_name))


@pytest.mark.parametrize("key", BENCHMARKS)
def test_rows_are_licensed(key):
    meta = BENCHMARKS[key]
    assert meta.builtin
    assert meta.dataset.licence


@pytest.mark.parametrize("key", BENCHMARKS)
def test_sample_rows_have_the_source_s_columns(samples_directory, key):
    for file in (samples_directory / key).glob("*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            assert list(json.loads(line)) == COLUMNS[key]
