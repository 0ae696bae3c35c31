"""Tasks of both harnesses, run by `bench eval` in environments with the real packages."""

import json
import subprocess
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from openbench.registry.versions import local_origins

pytestmark = [
    pytest.mark.stress,
    pytest.mark.skipif(
        local_origins(["openbench-harnesses"]).get("openbench-harnesses") != "editable",
        reason="the environments are built from the workspace's packages, which must be editable",
    ),
]

# A model of the harness, and an equivalent model provider: a log-likelihood is minus the number of characters, and
# every question gets the same answer.
HARNESS_MODEL = """
import json
import lm_eval
from lm_eval.api.model import LM


class Letters(LM):
    def loglikelihood(self, requests):
        return [(-float(len(each.args[1])), False) for each in requests]

    def loglikelihood_rolling(self, requests):
        return [-float(len(each.args[0])) for each in requests]

    def generate_until(self, requests):
        return ["They are #### 11" for each in requests]


TASKS = ["arc_easy", "gsm8k", "winogrande", "wikitext"]
print("\\n" + json.dumps(lm_eval.simple_evaluate(model=Letters(), tasks=TASKS, bootstrap_iters=10)["results"]))
"""
PROVIDER = """
from inspect_ai.model import ModelAPI, ModelOutput, modelapi


@modelapi(name="letters")
def letters():
    return Letters


class Letters(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        return ModelOutput.from_content(self.model_name, "They are #### 11")

    async def loglikelihoods(self, request):
        return [-float(len(each)) for each in request.continuations]

    async def rolling_loglikelihood(self, text):
        from openbench_ranking.continuation import ContinuationScore

        return ContinuationScore(-float(len(text)))
"""
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "acme-letters"
version = "1.0"

[project.entry-points.inspect_ai]
acme_letters = "acme_letters"
"""


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    """Return the requirement that installs a model provider."""
    folder = tmp_path_factory.mktemp("acme-letters")
    (folder / "pyproject.toml").write_text(PROJECT, "utf-8")
    (folder / "acme_letters").mkdir()
    (folder / "acme_letters" / "__init__.py").write_text(PROVIDER, "utf-8")
    return f"acme-letters @ {folder.as_uri()}"


def metrics(log: str) -> dict[str, float]:
    """Return the metrics of a log's only scorer by name."""
    (score,) = read_eval_log(log, header_only=True).results.scores
    return {name: each.value for name, each in score.metrics.items()}


def test_metrics_equal_those_of_lm_evaluation_harness(bench, variables, letters, tmp_path):
    names = ["arc_easy", "gsm8k", "winogrande", "wikitext"]
    named = [f"lm-eval:{name}" for name in names]
    done = bench("eval", *named, "--isolated", "--with", letters, "--model", "letters/any", "--json")
    assert done.code == 0, done.err
    runs = {run["benchmark"]: run for run in done.json()}
    (python,) = Path(variables["OPENBENCH_ENVIRONMENTS"]).glob("environment-*/bin/python")
    program = tmp_path / "program.py"
    program.write_text(HARNESS_MODEL, "utf-8")
    command = [python, str(program)]
    theirs = subprocess.run(command, env=variables, capture_output=True, text=True, check=True, cwd=tmp_path)
    expected = json.loads(theirs.stdout.splitlines()[-1])
    for name in names:
        of_task = {key.removesuffix(",none"): value for key, value in expected[name].items() if "," in key}
        actual = metrics(runs[f"lm-eval:{name}"]["log"])
        assert actual == {key: pytest.approx(value) for key, value in of_task.items() if value != "N/A"}
    # The scores are neither all 0 nor all 1.
    assert 0 < metrics(runs["lm-eval:gsm8k"]["log"])["exact_match,strict-match"] < 1
    assert 0 < metrics(runs["lm-eval:arc_easy"]["log"])["acc"] < 1
    provenance = read_eval_log(runs["lm-eval:gsm8k"]["log"], header_only=True).eval.metadata["openbench"]
    assert provenance["reference"] == "lm-eval:gsm8k@openbench-harnesses"
    assert provenance["versions"]["lm-eval"]
    assert provenance["identity"]["packages"]["lm-eval"] == provenance["versions"]["lm-eval"]


def test_a_task_of_lm_evaluation_harness_by_its_name_alone(bench):
    done = bench("eval", "lm-eval:gsm8k", "-T", "num_fewshot=1", "--baseline", "reference", "--limit", "2", "--json")
    assert done.code == 0, done.err
    (run,) = done.json()
    first = read_eval_log(run["log"]).samples[0]
    assert first.input.count("Question:") == 2
    assert metrics(run["log"])["exact_match,strict-match"] == 1
    again = bench("eval", "--resume", Path(run["log"]).parent, "--json")
    assert again.code == 0, again.err


def test_a_task_of_inspect_evals(bench):
    done = bench("eval", "inspect-evals:gsm8k", "-T", "fewshot=2", "--baseline", "reference", "--limit", "3", "--json")
    assert done.code == 0, done.err
    (run,) = done.json()
    assert metrics(run["log"])["accuracy"] == 1
    spec = read_eval_log(run["log"], header_only=True).eval
    assert spec.metadata["openbench"]["versions"]["inspect-evals"]
    assert spec.task_version


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lm-eval:arc_esy", "Did you mean lm-eval:arc_easy"),
        ("lm-eval:mmlu", "lm-eval:mmlu: this is a group of tasks."),
        ("inspect-evals:gsm8kk", "Did you mean inspect-evals:gsm8k"),
        ("inspect-evals:math", "Add --with 'inspect-evals[math]' to the command."),
        ("inspect-evals:livebench", "as a separate package (packages/livebench in its repository)"),
    ],
)
def test_names_that_cannot_be_run(bench, name, text):
    done = bench("eval", name, "--baseline", "random")
    assert done.code == 2
    assert text in done.err
