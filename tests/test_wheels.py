"""What a user gets: wheels, installed alone into a fresh environment."""

import json

import pytest

from .conftest import Environment

pytestmark = pytest.mark.stress

NEEDED = ["openbench-core", "openbench-scorers", "openbench-simpleqa"]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory, wheels):
    """Install the wheels of SimpleQA and of what it needs, and nothing else, into a fresh environment."""
    environment = Environment.make(tmp_path_factory.mktemp("fresh"))
    environment.install("--find-links", wheels, "openbench-simpleqa")
    return environment


@pytest.fixture
def bench(fresh, tmp_path):
    def call(*arguments, code=0):
        return fresh.command("bench", *arguments, cwd=tmp_path, code=code)

    return call


def test_no_sibling_comes_along(fresh):
    ours = [name for name in fresh.installed() if name.startswith("openbench")]
    assert ours == NEEDED


def test_it_lists_describes_and_tells_its_versions(bench):
    assert [benchmark["key"] for benchmark in json.loads(bench("list", "--json").stdout)] == ["simpleqa"]
    assert json.loads(bench("describe", "simpleqa", "--json").stdout)["sample_rows"] is True
    assert bench("--version").stdout == "".join(f"{name} 1.0.0\n" for name in NEEDED)
    assert "no benchmark, group or path of this name" in bench("describe", "mmlu", code=2).stderr
    assert bench("log", code=2).stderr == "bench: bench log comes with openbench-logs: pip install openbench-logs\n"


def test_it_evaluates(bench):
    (run_,) = json.loads(bench("eval", "simpleqa", "--sample", "--baseline", "reference", "--json").stdout)
    assert (run_["score"], run_["samples"], run_["distribution"]) == (1.0, 8, "openbench-simpleqa")


def test_openbench_logs_scores_again_in_another_process(tmp_path, wheels):
    environment = Environment.make(tmp_path)
    environment.install("--find-links", wheels, "openbench-simpleqa", "openbench-logs")
    asked = ("eval", "simpleqa", "--sample", "--baseline", "reference", "--json")
    (run_,) = json.loads(environment.command("bench", *asked, cwd=tmp_path).stdout)
    (scored,) = json.loads(environment.command("bench", "score", run_["log"], "--json", cwd=tmp_path).stdout)
    assert scored["metrics"] == run_["metrics"]


def test_inspect_finds_the_task_and_the_baselines_by_itself(fresh, tmp_path):
    script = (
        "from inspect_ai import eval\n"
        "from inspect_ai.util import registry_create\n"
        "from openbench.datasets import bundled_rows\n"
        "from pathlib import Path\n"
        "import openbench_simpleqa\n"
        "with bundled_rows(Path(openbench_simpleqa.__file__).parent / 'samples/simpleqa'):\n"
        "    task = registry_create('task', 'openbench_simpleqa/simpleqa')\n"
        "log = eval(task, model='baseline/echo', model_roles={'grader': 'baseline/grader'}, display='none')[0]\n"
        "print(log.status, log.eval.task_registry_name)\n"
    )
    told = fresh.command("python", "-c", script, cwd=tmp_path)
    assert told.stdout.splitlines()[-1] == "success openbench_simpleqa/simpleqa"
