"""The worker: finds benchmarks and runs plans in the environment whose Python runs it."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from inspect_ai.log import read_eval_log

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.registry.sources import Parameter
from openbench.run.plan import GenerateOptions, Job, ModelSpec, Plan, plan_to_json
from openbench_isolated import worker as program
from openbench_isolated.answers import read_description, read_outcomes
from openbench_testing import ChatServer, Fault
from openbench_testing.commands import Site, write_quiz

METADATA = """
from openbench.metadata import BenchmarkMetadata, DatasetSource

source = DatasetSource(source="org/name", split="test", revision="0" * 40)
common = {"module_path": "acme_quiz.task", "function_name": "acme_quiz", "dataset": source, "languages": ["en"]}
quiz = BenchmarkMetadata("Acme quiz", "Installed.", "knowledge", ["a"], **common)
"""
TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes


@task
def acme_quiz(split: str = "test", shots: int = 0) -> Task:
    return Task(dataset=[Sample(input="yes?", target="yes")], scorer=includes())
"""


@pytest.fixture
def quiz(tmp_path):
    """A directory with `quiz.py` and its six rows."""
    write_quiz(tmp_path)
    return tmp_path


@pytest.fixture
def site(tmp_path):
    """A folder with the distribution acme-quiz 2.1.0."""
    made = Site(tmp_path / "site")
    files = {"acme_quiz/__init__.py": "", "acme_quiz/metadata.py": METADATA, "acme_quiz/task.py": TASK}
    made.install("acme-quiz", files, version="2.1.0", benchmarks={"acme-quiz": "acme_quiz.metadata:quiz"})
    return made


@pytest.fixture
def worker(quiz, site):
    """Starts the worker with the distribution acme-quiz installed, in the directory of the quiz."""

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, "-P", program.__file__, *map(str, arguments)],
            cwd=quiz,
            env={**os.environ, "PYTHONPATH": str(site.folder), "LOCAL_API_KEY": "x"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def answered(child):
    """Wait for a worker that must not fail nor write to stdout."""
    code = child.wait(timeout=100)  # its stdin stays open all the while
    with child:
        assert (code, child.stdout.read()) == (0, ""), child.stderr.read()


def write_plan(folder, *names, base_url=None, **common):
    model = ModelSpec(name="openai-api/local/m", base_url=base_url) if base_url else ModelSpec(name="baseline/echo")
    more = {"rule": "overrides", "in_place_of": ["acme-old 1.0"]}
    planned = [Job(benchmark=name, task_args={}, model=model, **more) for name in names]
    path = folder / "plan.json"
    path.write_text(plan_to_json(Plan(jobs=planned, **common)), "utf-8")
    return path


def test_it_finds_a_benchmark(worker, tmp_path):
    answered(worker("find", tmp_path / "answer.json", "acme-quiz@acme-quiz"))
    found = read_description((tmp_path / "answer.json").read_text("utf-8"))
    assert (found.key, found.distribution, found.version) == ("acme-quiz", "acme-quiz", "2.1.0")
    assert found.signature.parameters == {
        "split": Parameter("split", "str", "'test'"),
        "shots": Parameter("shots", "int", "0"),
    }
    source = DatasetSource(source="org/name", split="test", revision="0" * 40)
    common = {"module_path": "acme_quiz.task", "function_name": "acme_quiz", "dataset": source, "languages": ["en"]}
    expected = BenchmarkMetadata("Acme quiz", "Installed.", "knowledge", ["a"], **common)
    assert found.metadata == replace(expected, needs=[], notes=[])  # a sequence is a list in JSON


def test_it_says_why_there_is_no_such_benchmark(worker, tmp_path, site):
    site.install("acme-broken", {"broken_.py": "raise RuntimeError('no')"}, benchmarks={"broken": "broken_:it"})
    answered(worker("find", tmp_path / "answer.json", "broken@acme-broken"))
    with pytest.raises(UsageError) as error:
        read_description((tmp_path / "answer.json").read_text("utf-8"))
    first, second = str(error.value).splitlines()
    assert first == "broken@acme-broken: there is no such benchmark."
    assert second.startswith("Not loaded: acme-broken")


def test_it_runs_a_plan(worker, tmp_path, quiz):
    plan = write_plan(tmp_path, "acme-quiz@acme-quiz", "quiz.py", sample=False, options={"log_dir": "there"})
    answered(worker("execute", tmp_path / "answer.json", plan, "line"))
    outcomes = read_outcomes((tmp_path / "answer.json").read_text("utf-8"))
    logs = [read_eval_log(outcome.log, header_only=True) for outcome in outcomes]
    assert [log.status for log in logs] == ["success", "success"]
    said = logs[0].eval.metadata["openbench"]
    assert (said["rule"], said["in_place_of"], said["version"]) == ("overrides", ["acme-old 1.0"], "2.1.0")
    assert len([path for path in (quiz / "there").iterdir() if path.is_file()]) == 2


def test_it_tells_what_a_job_lacks_and_what_is_wrong_with_the_plan(worker, tmp_path, quiz):
    (quiz / "rows.jsonl").unlink()
    answered(worker("execute", tmp_path / "answer.json", write_plan(tmp_path, "quiz.py"), "line"))
    [outcome] = read_outcomes((tmp_path / "answer.json").read_text("utf-8"))
    assert outcome.log is None
    assert "rows.jsonl" in str(outcome.error)

    answered(worker("execute", tmp_path / "answer.json", write_plan(tmp_path, "quiz.py", sample=True), "line"))
    with pytest.raises(UsageError, match=r"^quiz ships no sample rows"):
        read_outcomes((tmp_path / "answer.json").read_text("utf-8"))


@pytest.mark.stress
@pytest.mark.parametrize("terminated", [False, True])
def test_it_keeps_what_it_has_when_its_host_ends_or_it_is_terminated(worker, tmp_path, terminated):
    with ChatServer("Answer: A", faults=[None, None, Fault.slow(60)]) as server:
        plan = write_plan(
            tmp_path, "quiz.py", base_url=server.base_url, generate=GenerateOptions(max_connections=1), options={}
        )
        child = worker("execute", tmp_path / "answer.json", plan, "none")
        end = time.monotonic() + 60
        while len(server.requests) < 3:
            assert child.poll() is None, child.communicate()
            assert time.monotonic() < end
            time.sleep(0.05)
        if terminated:
            child.terminate()
            assert child.wait(60) == 0  # the answer says that it was interrupted
        child.communicate(timeout=60)
    [outcome] = read_outcomes((tmp_path / "answer.json").read_text("utf-8"))
    log = read_eval_log(outcome.log)
    assert (log.status, len([sample for sample in log.samples if not sample.error])) == ("cancelled", 2)
    assert json.loads((tmp_path / "plan.json").read_text("utf-8"))["jobs"][0]["benchmark"] == "quiz.py"
