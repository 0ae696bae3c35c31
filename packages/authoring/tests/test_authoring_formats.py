"""JSON and CSV tasks as the guide's authors write them: classes with its metrics, from a file to a log."""

import json

import pytest

from openbench.cli.main import run

TASKS = """
import json

from inspect_ai import Task, task
from openbench_authoring import NO_SUBJECT, BaseTask, ResponseType
from openbench_authoring.metrics import CSVFormat, CheckJsonFormat, JsonFormat
from openbench.metadata import BenchmarkMetadata

__metadata__ = {
    name: BenchmarkMetadata(name, "Formats.", "instructions", ["format"], __name__, name)
    for name in ("json_task", "csv_task")
}


class JsonTask(BaseTask[str]):
    NAME = "JSON"
    DATASET_PATH = "json.jsonl"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "test"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [JsonFormat, CheckJsonFormat]
    SUBJECTS = [NO_SUBJECT]

    def _get_instruction_text(self, item):
        return item["prompt"]

    def _get_ground_truth(self, item):
        return json.dumps(item["asked"])


class CsvTask(JsonTask):
    NAME = "CSV"
    DATASET_PATH = "csv.jsonl"
    METRICS = [CSVFormat]


def reference(sample):
    asked = json.loads(sample.target[0])
    if "expected_output" in asked:
        return json.dumps(asked["expected_output"])
    separator = {"comma": ",", "semicolon": ";", "tab": "\\t"}[asked["separator"]]
    return "\\n".join(separator.join(row) for row in (asked["columns"], [*map(str, range(len(asked["columns"])))]))


@task
def json_task() -> Task:
    return JsonTask().to_task()


@task
def csv_task() -> Task:
    return CsvTask().to_task()
"""
SCHEMA = {"type": "object", "required": ["town"], "properties": {"town": {"type": "string"}}}
ROWS = {
    "json": [
        {"prompt": "Name a town in JSON.", "asked": {"json_schema": SCHEMA, "expected_output": {"town": town}}}
        for town in ("Rome", "Oslo")
    ],
    "csv": [
        {"prompt": f"A table with {separator}s.", "asked": {"separator": separator, "columns": ["town", "people"]}}
        for separator in ("comma", "semicolon", "tab")
    ],
}
FIGURES = {
    "json_task": {"is_valid_json", "is_just_json", "fulfills_schema", "exact_match", "accuracy"},
    "csv_task": {"has_csv", "separator", "columns"},
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(("baseline", "value"), [("reference", 1.0), ("empty", 0.0)])
def test_a_format_task_runs(rows, monkeypatch, tmp_path, capsys, name, baseline, value):
    (tmp_path / "formats.py").write_text(TASKS, "utf-8")
    rows(**ROWS)
    monkeypatch.chdir(tmp_path)
    assert run(["eval", f"formats.py@{name}", "--baseline", baseline, "--json"]) == 0
    [result] = json.loads(capsys.readouterr().out)
    means = {key: of for key, of in result["metrics"].items() if FIGURES[name] & {key, *of}}
    assert result["score"] == value
    assert means
    for key, figures in means.items():
        mean = figures.get("mean", figures.get("accuracy"))
        assert mean == value, (key, figures)
