"""What a log says of what produced it: the benchmark, rows and prompts, parts, versions, settings, and the command."""

import json
import platform
from importlib.metadata import version

import pytest
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

from openbench.datasets import rows_digest
from openbench.registry.versions import distribution_of, imported_distributions, local_origins, needed_versions
from openbench.run.plan import Job, ModelSpec, Plan, Suite, plan_from_plain, redacted_plan
from openbench_testing import ChatServer

CONSTANT = ["--model", "baseline/constant", "-M", "answer=Answer: A"]


def said(path):
    return read_eval_log(str(path), header_only=True).eval.metadata["openbench"]


@pytest.mark.parametrize("engine", ["inspect", "auto"])
def test_everything_is_in_the_log(bench, quiz, acme, engine):
    with ChatServer("Answer: A") as server:
        command = ["eval", "acme_quiz", "--model", "openai-api/local/m", "--model-base-url", server.base_url]
        command += [
            "-T",
            "shots=3",
            "--limit",
            "2",
            "--temperature",
            "0.5",
            "--engine",
            engine,
            "--logfile",
            "run.json",
        ]
        done = bench(*command, cwd=quiz, **acme)
    assert done.code == 0, done.err
    told = said(quiz / "run.json")
    rows = [json.loads(line) for line in (quiz / "rows.jsonl").read_text("utf-8").splitlines()]
    names = ("benchmark", "distribution", "version", "rule", "in_place_of", "core", "sample", "python")
    assert {name: told[name] for name in names} == {
        "benchmark": "acme-quiz",
        "distribution": "acme-quiz",
        "version": "2.1.0",
        "rule": "only",
        "in_place_of": [],
        "core": version("openbench-core"),
        "sample": False,
        "python": platform.python_version(),
    }
    assert told["dataset"] == {
        "source": str(quiz / "rows.jsonl"),
        "config": None,
        "split": "test",
        "revision": None,
        "rows": 6,
        "sha256": rows_digest(rows),
    }
    core, inspect = version("openbench-core"), version("inspect-ai")
    assert told["scorers"] == [
        {"name": "openbench/mcq_scorer", "arguments": {}, "distribution": "openbench-core", "version": core}
    ]
    assert told["solvers"] == [
        {"name": "inspect_ai/generate", "arguments": {}, "distribution": "inspect-ai", "version": inspect}
    ]
    assert told["command"] == ["bench", *command]
    assert told["versions"].items() >= {"acme-quiz": "2.1.0", "openbench-core": core, "inspect-ai": inspect}.items()
    assert {"datasets", "openai", "pydantic"} <= told["versions"].keys()  # the provider's, too
    assert "pytest" not in told["versions"]
    assert [len(told[name]) for name in ("prompt", "source")] == [64, 64]
    plan = plan_from_plain(told["plan"])
    (job,) = plan.jobs
    assert (job.benchmark, job.task_args) == ("acme-quiz@acme-quiz", {"shots": 3})
    assert job.model == ModelSpec(name="openai-api/local/m", base_url=server.base_url)
    assert (plan.generate, plan.options["limit"]) == ({"temperature": 0.5}, 2)


def test_each_sample_has_the_digest_of_its_content(bench, quiz):
    def digests(name):
        assert bench("eval", "quiz.py", *CONSTANT, "--logfile", name, cwd=quiz).code == 0
        return {
            each.id: each.metadata["openbench_content"] for each in read_eval_log_sample_summaries(str(quiz / name))
        }

    before = digests("before.json")
    assert len(set(before.values())) == 6
    assert {len(digest) for digest in before.values()} == {64}
    rows = (quiz / "rows.jsonl").read_text("utf-8")
    (quiz / "rows.jsonl").write_text(rows.replace("Question 3?", "Question three?"), "utf-8")
    after = digests("after.json")
    assert [id_ for id_ in before if before[id_] != after[id_]] == ["q3"]
    first, second = said(quiz / "before.json"), said(quiz / "after.json")
    assert [name for name in ("dataset", "prompt", "source", "scorers") if first[name] != second[name]] == [
        "dataset",
        "prompt",
    ]


def test_sample_rows_say_that_they_are(bench, quiz, acme):
    done = bench("eval", "acme_quiz", *CONSTANT, "--sample", "--logfile", "run.json", cwd=quiz, **acme)
    assert done.code == 0, done.err
    told = said(quiz / "run.json")["dataset"]
    assert (told["source"], told["bundled"], told["rows"]) == ("samples/acme_quiz/test.jsonl", True, 3)


PARTS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, scorer, Score
from inspect_ai.solver import generate, system_message, user_message
from openbench_components.components import find_component
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Parts", "Many parts.", "acme", [], __name__, "parts")


@scorer(metrics=[accuracy()])
def own(word: str = "x", service_token: str = ""):
    async def score(state, target):
        return Score(value="C" if word in state.output.completion else "I")

    return score


@task
def parts() -> Task:
    return Task(
        dataset=[Sample(id=1, input="Which?", target="A")],
        setup=user_message("Think."),
        solver=[system_message("Be {brief}.", brief="brief"), generate()],
        scorer=[
            own("A", service_token="hidden-from-logs"),
            find_component("scorer", "exact").create(normalise=True),
        ],
    )
"""


def test_scorers_and_solvers_with_their_arguments(bench, tmp_path):
    (tmp_path / "parts.py").write_text(PARTS, "utf-8")
    done = bench("eval", "parts.py", *CONSTANT, "--logfile", "run.json", cwd=tmp_path)
    assert done.code == 0, done.err
    told = said(tmp_path / "run.json")
    assert [solver["name"] for solver in told["solvers"]] == [
        "inspect_ai/user_message",
        "inspect_ai/system_message",
        "inspect_ai/generate",
    ]
    assert told["solvers"][1]["arguments"] == {"template": "Be {brief}.", "brief": "brief"}
    own, found = told["scorers"]
    assert own == {
        "name": "own",
        "arguments": {"word": "A", "service_token": "[redacted]"},
        "distribution": None,
        "version": None,
    }
    assert (found["name"], found["arguments"]["normalise"]) == ("openbench/exact", True)
    assert (found["component"]["name"], found["component"]["rule"]) == ("exact", "builtin")


def test_scoring_again_says_what_scored(bench, tmp_path):
    (tmp_path / "parts.py").write_text(PARTS.replace(', service_token="hidden-from-logs"', ""), "utf-8")
    assert bench("eval", "parts.py", *CONSTANT, "--logfile", "run.json", cwd=tmp_path).code == 0
    before = said(tmp_path / "run.json")["scorers"]
    for _ in range(2):
        done = bench("score", "run.json", "--overwrite", cwd=tmp_path)
        assert done.code == 0, done.err
        assert said(tmp_path / "run.json")["scorers"] == before
        metadata = [each.metadata for each in read_eval_log(str(tmp_path / "run.json")).eval.scorers]
        assert metadata[1]["openbench"]["rule"] == "builtin"
    done = bench("score", "run.json", "--scorer", "exact", "--overwrite", cwd=tmp_path)
    assert done.code == 0, done.err
    after = said(tmp_path / "run.json")["scorers"]
    assert after[:2] == before
    assert (after[2]["name"], after[2]["component"]["name"]) == ("openbench/exact", "exact")


def test_scoring_again_asks_for_secrets(bench, tmp_path):
    (tmp_path / "parts.py").write_text(PARTS, "utf-8")
    assert bench("eval", "parts.py", *CONSTANT, "--logfile", "run.json", cwd=tmp_path).code == 0
    done = bench("score", "run.json", cwd=tmp_path)
    assert (done.code, done.err) == (
        2,
        "bench: own: its argument service_token is a secret, which logs omit. Give it with -S service_token.\n",
    )


def test_a_plan_keeps_the_names_by_which_it_is_found_again():
    model = ModelSpec(name="openai-api/key-1/m", base_url="http://u:planted-1@key-1:80/v1", args={"api_key": "key-1"})
    job = Job(benchmark="key-1@acme", task_args={"level": "easy"}, model=model, in_place_of=[])
    suite = Suite(key="auth", distribution="acme", version="1", members={"password": "password@acme"}, missing=[])
    roles = {"auth": ModelSpec(name="a/b")}
    plan = plan_from_plain(redacted_plan(Plan(jobs=[job], suites=[suite], model_roles=roles)))
    shown = ModelSpec(
        name="openai-api/key-1/m", base_url="http://[redacted]@key-1:80/v1", args={"api_key": "[redacted]"}
    )
    assert plan.jobs == [Job(benchmark="key-1@acme", task_args={"level": "easy"}, model=shown, in_place_of=[])]
    assert (plan.suites, plan.model_roles) == ([suite], roles)


# --- versions -------------------------------------------------------------------------------------------------------


def test_versions_are_of_all_that_is_needed():
    found = needed_versions(["pytest"])
    assert found["pytest"] == version("pytest")
    assert "pluggy" in found  # which it needs
    assert needed_versions(["no-such-distribution"]) == {}


@pytest.mark.parametrize(
    ("module", "name"),
    [("openbench.scorers.mcq", "openbench-core"), ("yaml", "pyyaml"), ("inspect_ai.log", "inspect-ai")],
)
def test_the_distribution_of_a_module(module, name):
    assert distribution_of(module) == (name, version(name))


def test_what_no_distribution_has():
    assert distribution_of("no_such_module") is None
    assert distribution_of("json") is None


def test_what_files_import(tmp_path):
    text = "import json, yaml.nodes\nfrom pydantic import BaseModel\nfrom . import x\ndef f():\n    import click\n"
    (tmp_path / "a.py").write_text(text, "utf-8")
    (tmp_path / "b.py").write_text("not python (", "utf-8")
    assert imported_distributions(sorted(tmp_path.iterdir())) == ["click", "pydantic", "pyyaml"]


def test_what_lies_in_folders():
    assert local_origins(["click", "no-such-distribution"]) == {}
