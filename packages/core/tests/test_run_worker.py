"""Plans as they travel between processes, and the worker that runs them."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log

from openbench.errors import OpenbenchError, UsageError
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.registry.benchmark import Benchmark
from openbench.registry.resolution import Provided, resolve
from openbench.registry.signature import Parameter, Signature
from openbench.run.executor import Result
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan, Suite
from openbench.run.provenance import redacted_plan
from openbench.run.wire import (
    Outcome,
    Told,
    benchmark_from_json,
    benchmark_to_json,
    error_to_json,
    outcomes_from_json,
    plan_from_json,
    plan_from_plain,
    plan_to_json,
    results_to_json,
)
from openbench_testing import ChatServer, Fault

# --- what travels -----------------------------------------------------------------------------------------------------

texts = st.text(max_size=8)
numbers = st.integers() | st.floats(allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(texts, parts, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(texts, values, max_size=3)
models = st.builds(ModelSpec, name=texts, base_url=st.none() | texts, args=arguments)
jobs = st.builds(
    Job, benchmark=texts, task_args=arguments, model=models, rule=texts, in_place_of=st.lists(texts, max_size=2)
)
suites = st.builds(
    Suite,
    key=texts,
    distribution=texts,
    version=texts,
    members=st.dictionaries(texts, texts, max_size=2),
    missing=st.lists(texts, max_size=2),
)
limits = st.integers() | st.tuples(st.integers(), st.integers())


def some(kind, **known):
    """Mappings with any of a TypedDict's keys."""
    keys = {name: known.get(name, values) for name in kind.__annotations__}
    return st.fixed_dictionaries({}, optional=keys)


plans = st.builds(
    Plan,
    jobs=st.lists(jobs, max_size=3),
    sample=st.booleans(),
    reference=st.booleans(),
    model_roles=st.dictionaries(texts, models, max_size=2),
    options=some(EvalOptions, limit=limits),
    generate=some(GenerateOptions),
    suites=st.lists(suites, max_size=2),
)


@given(plans)
def test_a_plan_comes_back_as_it_was_sent(plan):
    assert plan_from_json(plan_to_json(plan)) == plan


def job_of(value):
    model = ModelSpec(name="none/x", args={"y": value})
    return Plan(jobs=[Job(benchmark="a@b", task_args={"x": value}, model=model, in_place_of=[])], suites=[])


@pytest.mark.parametrize(
    "value",
    [
        date(2024, 1, 2),
        datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
        [date(2024, 1, 2), {"day": date(2024, 1, 3)}],
        {1: "a", None: [date(2024, 1, 2)]},
        {"yaml": "2024-01-02"},
        b"\xff",
        float("inf"),
        {"a", "b"},
    ],
)
def test_what_json_has_no_type_for_keeps_its_type(value):
    plan = job_of(value)
    assert plan_from_json(plan_to_json(plan)) == plan
    assert plan_from_plain(json.loads(json.dumps(redacted_plan(plan)))) == plan
    whole = replace(plan, whole=plan)
    assert plan_from_json(plan_to_json(whole)) == whole


def test_what_yaml_does_not_have_is_refused():
    with pytest.raises(UsageError) as error:
        plan_to_json(job_of([1j]))
    assert str(error.value) == (
        "1j is a complex, which cannot be sent to another process: expected what YAML has, such as texts, numbers, "
        "dates and lists."
    )


def test_errors_keep_their_exit_codes():
    job = Job(benchmark="a@b", task_args={}, model=ModelSpec(name="none/x"))
    sent = [Result(job), Result(job, error=OpenbenchError("rows")), Result(job, error=UsageError("key"))]
    nothing, rows, key = outcomes_from_json(results_to_json(sent))
    assert nothing == Outcome()
    assert (type(rows.error), str(rows.error)) == (OpenbenchError, "rows")
    assert (type(key.error), str(key.error)) == (UsageError, "key")
    for read in (outcomes_from_json, benchmark_from_json):
        with pytest.raises(UsageError, match=r"^key$"):
            read(error_to_json(UsageError("key")))


def test_a_benchmark_comes_back_as_it_was_sent():
    source = DatasetSource(source="org/name", split="test", revision="0" * 40)
    metadata = BenchmarkMetadata(
        "Name", "D.", "acme", ["t"], "m", "f", dataset=source, languages=["en"], needs=["tools"], notes=["N."]
    )
    signature = Signature({"n": Parameter("n", "int", "1")}, open=True, doc="Text.")
    benchmark = Benchmark("name", metadata, resolve([Provided("name", metadata, "acme-name", "1.0")]))
    told = benchmark_from_json(benchmark_to_json(benchmark, signature))
    assert told == Told("name", metadata, "acme-name", "1.0", signature)


# --- the worker -------------------------------------------------------------------------------------------------------


@pytest.fixture
def worker(quiz, acme):
    """Starts the worker with the distribution acme-quiz installed, in the directory of the quiz."""

    def start(*arguments):
        return subprocess.Popen(
            [sys.executable, "-m", "openbench.run.worker", *map(str, arguments)],
            cwd=quiz,
            env={**os.environ, **acme, "LOCAL_API_KEY": "x"},
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
    told = benchmark_from_json((tmp_path / "answer.json").read_text("utf-8"))
    assert (told.key, told.distribution, told.version) == ("acme-quiz", "acme-quiz", "2.1.0")
    assert list(told.signature.parameters) == ["split", "shots"]


def test_it_says_why_there_is_no_such_benchmark(worker, tmp_path, site):
    site.install("acme-broken", {"broken_.py": "raise RuntimeError('no')"}, benchmarks={"broken": "broken_:it"})
    answered(worker("find", tmp_path / "answer.json", "broken@acme-broken"))
    with pytest.raises(UsageError) as error:
        benchmark_from_json((tmp_path / "answer.json").read_text("utf-8"))
    first, second = str(error.value).splitlines()
    assert first == "broken@acme-broken: there is no such benchmark."
    assert second.startswith("Not loaded: acme-broken")


def test_it_runs_a_plan(worker, tmp_path, quiz):
    plan = write_plan(tmp_path, "acme-quiz@acme-quiz", "quiz.py", sample=False, options={"log_dir": "there"})
    answered(worker("execute", tmp_path / "answer.json", plan, "line"))
    outcomes = outcomes_from_json((tmp_path / "answer.json").read_text("utf-8"))
    logs = [read_eval_log(outcome.log, header_only=True) for outcome in outcomes]
    assert [log.status for log in logs] == ["success", "success"]
    said = logs[0].eval.metadata["openbench"]
    assert (said["rule"], said["in_place_of"], said["version"]) == ("overrides", ["acme-old 1.0"], "2.1.0")
    assert len([path for path in (quiz / "there").iterdir() if path.is_file()]) == 2


def test_it_tells_what_a_job_lacks_and_what_is_wrong_with_the_plan(worker, tmp_path, quiz):
    (quiz / "rows.jsonl").unlink()
    answered(worker("execute", tmp_path / "answer.json", write_plan(tmp_path, "quiz.py"), "line"))
    [outcome] = outcomes_from_json((tmp_path / "answer.json").read_text("utf-8"))
    assert outcome.log is None
    assert "rows.jsonl" in str(outcome.error)

    answered(worker("execute", tmp_path / "answer.json", write_plan(tmp_path, "quiz.py", sample=True), "line"))
    with pytest.raises(UsageError, match=r"^quiz brings no sample rows"):
        outcomes_from_json((tmp_path / "answer.json").read_text("utf-8"))


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
    [outcome] = outcomes_from_json((tmp_path / "answer.json").read_text("utf-8"))
    log = read_eval_log(outcome.log)
    assert (log.status, len([sample for sample in log.samples if not sample.error])) == ("cancelled", 2)
    assert json.loads((tmp_path / "plan.json").read_text("utf-8"))["jobs"][0]["benchmark"] == "quiz.py"
