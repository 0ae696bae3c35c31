"""What is read of a log before its run is made again: what lacks, what a later version wrote, what is gone."""

import pytest
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec
from inspect_ai.model import ModelUsage

from openbench.errors import LogError, UnknownNameError, UsageError
from openbench.redaction import secret_variables
from openbench.tasks.provenance import METADATA_KEY
from openbench_logs.recipe import keys_of, plan_again, recipe_of

JOB = {"benchmark": "quiz@acme", "task_args": {}, "model": {"name": "a/m", "base_url": None, "args": {}}}
PLAN = {"jobs": [JOB], "sample": False, "reference": False, "model_roles": {}, "options": {}, "generate": {}}
SAID = {
    "plan": PLAN,
    "versions": {"acme": "1.0", "openbench-core": "1.0.0", "dep": "2"},
    "reference": "quiz@acme",
    "distribution": "acme",
    "source": "0" * 64,
    "local": {"acme": {"from": "editable", "sha256": "1" * 64}},
    "core": "9.9.9",
}


def log(**changes):
    said = {name: value for name, value in {**SAID, **changes}.items() if value != "missing"}
    spec = EvalSpec(
        created="2024-01-01T00:00:00Z",
        task="quiz",
        dataset=EvalDataset(),
        model="a/m",
        config=EvalConfig(),
        metadata={METADATA_KEY: said},
    )
    return EvalLog(eval=spec, location="run.json")


class KnowsNone:
    """An executor that knows no benchmark."""

    def find(self, reference):
        raise UnknownNameError(f"{reference}: not here. Name its package: --with PACKAGE.")


def again(read):
    return plan_again(read, KnowsNone(), log_dir="logs", base_url=None, model_args={})


def test_what_is_installed():
    recipe = recipe_of(log())
    assert (recipe.requirements, recipe.constraints) == (["openbench-core==1.0.0"], ["dep==2"])


@pytest.mark.parametrize("name", ["plan", "versions", "reference", "distribution", "source", "local"])
def test_what_lacks_is_told(name):
    with pytest.raises(LogError, match=rf"run\.json cannot be reproduced: it does not record {name}\."):
        recipe_of(log(**{name: "missing"}))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"plan": {**PLAN, "jobs": [{**JOB, "later": 1}]}}, "TypeError: .*'later'"),
        ({"plan": {**PLAN, "jobs": []}}, "ValueError: "),
        ({"plan": []}, "TypeError: "),
        ({"local": {"acme": "x"}}, "TypeError: "),
    ],
)
def test_what_cannot_be_read_is_told(changes, reason):
    told = (
        rf"run\.json cannot be reproduced: .*cannot be read \({reason}.*\)\. It was written by openbench-core 9\.9\.9"
    )
    with pytest.raises(LogError, match=told):
        recipe_of(log(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"provider": ["x @ http://127.0.0.1:9/x.whl"], "versions": {"x @ http://127.0.0.1:9/x.whl": "1"}},
        {"provider": ["x"], "versions": {"x": "1 --index-url http://127.0.0.1:9"}},
        {"versions": {"dep": "2\n--index-url http://127.0.0.1:9"}},
        {"versions": {"dep\n-r http://127.0.0.1:9\ndep": "2"}},
        {"versions": {"dep": "2 ; python_version > '3' or x @ file:///x"}},
        {"versions": {"-e /tmp/evil": "2"}},
        {"versions": {"dep": 2}},
        {"versions": {"dep": "2,>1"}},
    ],
)
def test_nothing_but_versions_of_packages_is_installed(changes):
    with pytest.raises(LogError, match=r"^run\.json cannot be .* expected a package name and a version"):
        recipe_of(log(**changes))


def test_which_keys_a_run_gets(monkeypatch):
    job = {**JOB, "model": {**JOB["model"], "name": "openai-api/my-host/m"}}
    read = log(plan={**PLAN, "jobs": [job], "model_roles": {"grader": {**JOB["model"], "name": "grok/g"}}})
    read.stats.model_usage = {"openai/gpt-4.1": ModelUsage()}
    assert keys_of(read) == ("XAI_", "MY_HOST_", "OPENAI_")
    for name in ("MY_HOST_API_KEY", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "EXTRA_TOKEN"):
        monkeypatch.setenv(name, "x" * 20)
    withheld = secret_variables(keep=(*keys_of(read), "EXTRA_TOKEN"))
    assert withheld >= {"GITHUB_TOKEN", "ANTHROPIC_API_KEY"}
    assert withheld.isdisjoint({"MY_HOST_API_KEY", "EXTRA_TOKEN"})


def test_a_folder_that_is_gone_is_told():
    with pytest.raises(UsageError) as raised:
        again(log())
    assert str(raised.value) == (
        "run.json: quiz was provided by acme, which was installed from a folder and does not provide it here. Install "
        "it from its files."
    )
    with pytest.raises(UnknownNameError, match="not here"):
        again(log(local={}))
