"""Classes from their sources to a log: rows of files and of the Hub, the README's file, a package, scoring again."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from openbench.cli.main import run
from openbench_testing import HubServer

from .conftest import TEST, TRAIN, GeographyQATask

README = Path(__file__).parent.parent / "README.md"

# --- sources --------------------------------------------------------------------------------------------------------


def test_files_beside_the_class(rows, monkeypatch, tmp_path):
    rows(tmp_path / "rows", test=TEST, train=TRAIN)
    module = sys.modules[__name__]
    monkeypatch.setattr(module, "__file__", str(tmp_path / "task.py"))

    class Local(GeographyQATask):
        DATASET_PATH = "rows/{split}.jsonl"

    assert len(Local(1).to_task().dataset) == 3
    monkeypatch.chdir("/")
    assert len(Local(subjects=["Asia"]).to_task().dataset) == 1


HUB = """
import json, sys
from conftest import GeographyQATask

class Pinned(GeographyQATask):
    HF_REVISION = sys.argv[1]

task = Pinned(1).to_task()
print(json.dumps([[s.id, [m.text for m in s.input], s.metadata] for s in task.dataset]))
"""


def test_subjects_are_the_configurations_of_a_dataset_of_the_hub(tmp_path):
    with HubServer() as hub:
        for config in ("Europe", "Asia"):
            for split, of in (("test", TEST), ("train", TRAIN)):
                plain = [{k: v for k, v in row.items() if k != "subject"} for row in of if row["subject"] == config]
                revision = hub.add("example/geography_qa", plain, config=config, split=split)
        hub.add("example/geography_qa", [{"country": "X", "capital": "Y"}], config="Asia", split="test")
        done = subprocess.run(
            [sys.executable, "-c", HUB, revision],
            cwd=Path(__file__).parent,
            env={**os.environ, **hub.environment(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
    assert done.returncode == 0, done.stderr
    samples = json.loads(done.stdout)
    assert [(texts[-1], message["subject"]) for _, texts, message in samples] == [
        ("Q: Capital of Germany?", "Europe"),
        ("Q: Capital of France?", "Europe"),
        ("Q: Capital of Japan?", "Asia"),
    ]
    assert samples[2][1][1] == "Q: Capital of India?"


# --- the whole story ------------------------------------------------------------------------------------------------


def test_the_readme_s_file_runs(rows, monkeypatch, tmp_path, capsys):
    text = README.read_text("utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "GeographyQATask" in block)
    folder = tmp_path / "geography_qa"
    rows(folder / "samples" / "geography_qa", test=TEST, train=TRAIN)
    (folder / "__init__.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["eval", "./geography_qa", "--sample", "--baseline", "reference", "-T", "num_fewshot=1", "--json"]) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert (result["score"], result["metric"], result["samples"]) == (1.0, "accuracy", 3)
    assert result["metrics"]["accuracy_completion"]["Europe_count"] == 2


PACKAGE = """
import sys
import openbench
assert "inspect_ai" not in sys.modules
from openbench.cli.main import run
from openbench.datasets import bundled_rows
from openbench.errors import UsageError
for name in ("geography_qa", "geography-qa@acme-geography", "GeographyQA", "geographyqa"):
    with bundled_rows(__import__("pathlib").Path(sys.argv[1])):
        task = openbench.get_task(name, num_fewshot=1)
    said = task.metadata["openbench"]
    print(len(task.dataset), said["benchmark"], said["version"], task.version)
for name, arguments in (("GeografyQA", {}), ("GeographyQA", {"fewshot": 1}), ("Twins", {})):
    try:
        openbench.get_task(name, **arguments)
    except UsageError as error:
        print(error)
raise SystemExit(run(["eval", "geography_qa", "--sample", "--baseline", "reference", "--json"]))
"""
ENTRY = """
from openbench.metadata import BenchmarkMetadata

def metadata(name, function):
    return BenchmarkMetadata(name, "Capitals.", "knowledge", ["geo"], "acme_geography.task", function)

BENCHMARKS = {
    "geography_qa": metadata("GeographyQA", "geography_qa"),
    "twin_a": metadata("Twins", "geography_qa"),
    "twin_b": metadata("Twins", "geography_qa"),
}
"""


def test_a_package_of_its_own(rows, tmp_path):
    code = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[0]
    folder = tmp_path / "acme_geography"
    sampled = rows(folder / "samples" / "geography_qa", test=TEST, train=TRAIN)
    files = {
        "acme_geography/__init__.py": "",
        "acme_geography/task.py": code,
        "acme_geography/metadata.py": ENTRY,
        "acme_geography-1.2.0.dist-info/METADATA": "Metadata-Version: 2.4\nName: acme-geography\nVersion: 1.2.0\n",
        "acme_geography-1.2.0.dist-info/entry_points.txt": (
            "[openbench.benchmarks]\nacme = acme_geography.metadata:BENCHMARKS\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PACKAGE, str(sampled)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    *lines, unknown, argument, twins = done.stdout.partition("[\n")[0].splitlines()
    assert lines == ["3 geography_qa 1.2.0 1.2.0"] * 4
    assert unknown.startswith("GeografyQA: no benchmark, group or path of this name. Did you mean geography_qa? ")
    assert (
        argument
        == "geography_qa has no argument 'fewshot'. Did you mean num_fewshot? geography_qa takes num_fewshot, limit."
    )
    assert twins == "Twins: several benchmarks have this name: twin_a, twin_b. Name one by its key."
    [result] = json.loads("[\n" + done.stdout.partition("[\n")[2])
    assert result["score"] == 1.0


SCORED_AGAIN = """
from inspect_ai import Task, task
from openbench.metadata import BenchmarkMetadata
from openbench_authoring import BaseMetric, BaseTask, Completion, MetricResult, ResponseType
from openbench_authoring.metrics import AccuracyCompletion

__metadata__ = BenchmarkMetadata("Sums", "Sums.", "math", ["sums"], __name__, "sums")


class Brevity(BaseMetric[Completion]):
    NAME = "Brevity"
    KEYS = ("words", "signs")

    def calculate(self, response):
        figures = {"words": len(response.completion.split()), "signs": len(response.raw_completion)}
        return [MetricResult(metric_name=f"Brevity/{key}", value=value) for key, value in figures.items()]


class Sums(BaseTask[str]):
    NAME = "Sums"
    DATASET_PATH = "sums.jsonl"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "test"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [AccuracyCompletion, Brevity]
    SUBJECTS = ["easy", "hard"]

    def _get_instruction_text(self, item):
        return item["sum"]

    def _get_ground_truth(self, item):
        return item["result"]

    def post_process_generated_completion(self, completion_text, sample=None):
        return completion_text.rpartition("#### ")[2]


def reference(sample):
    return f"Let me see. #### {sample.target[0]}"


@task
def sums() -> Task:
    return Sums().to_task()
"""


def test_a_log_is_scored_again_by_another_process(rows, monkeypatch, tmp_path, capsys):
    (tmp_path / "task.py").write_text(SCORED_AGAIN, "utf-8")
    rows(sums=[{"sum": f"{n} + {n}?", "result": str(n + n), "subject": ("easy", "hard")[n % 2]} for n in range(4)])
    monkeypatch.chdir(tmp_path)
    assert run(["eval", "task.py", "--baseline", "reference", "--json"]) == 0
    [before] = json.loads(capsys.readouterr().out)
    assert before["score"] == 1.0
    assert before["metrics"]["words"]["mean"] == 1.0
    assert [v for name, v in before["metrics"]["signs"].items() if name.endswith("macro_average_macro")] == [18.0]
    command = [str(Path(sys.executable).with_name("bench")), "score", before["log"], "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    after = json.loads(done.stdout)
    after = after[0] if isinstance(after, list) else after
    assert (after["score"], after["metrics"]) == (before["score"], before["metrics"])
