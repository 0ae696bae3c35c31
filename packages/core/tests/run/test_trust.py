"""A log and the directory of a run are data that anyone may have written: what they name decides nothing by itself."""

import json
import shutil

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from openbench.errors import UsageError
from openbench.run import trust
from openbench.run.plan import Job, ModelSpec, Plan
from openbench.run.run_files import line_of
from openbench_testing import ChatServer

GRADED = '''
"""Two samples, scored without a model."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, includes, metric, scorer
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Plain", "Questions.", "made", [], __name__, "plain")


@scorer(metrics=[accuracy()])
def own():
    async def score(state, target):
        return Score(value="C")

    return score


@task
def plain(scorers: str = "includes") -> Task:
    return Task([Sample(f"{n}?", target="A", id=n) for n in range(2)], scorer=own() if scorers == "own" else includes())
'''

ATTACK = 'import pathlib\npathlib.Path("attacked").write_text("!")\n'


@pytest.fixture(autouse=True)
def _nothing_is_trusted(tmp_path, monkeypatch):
    """Trust no address of another test: ports are used again."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def server():
    with ChatServer("Answer: A") as server:
        yield server


@pytest.fixture
def folder(bench, tmp_path, server):
    """A folder with the log of a run that the user has made."""
    (tmp_path / "plain.py").write_text(GRADED, "utf-8")
    options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--logfile", "run.json"]
    done = bench("eval", "plain.py", *options, cwd=tmp_path)
    assert done.code == 0, done.err
    return tmp_path


def change(folder, edit):
    """Let an attacker edit the log."""
    log = read_eval_log(str(folder / "run.json"))
    edit(log.eval, log.eval.metadata["openbench"])
    write_eval_log(log, str(folder / "run.json"))


def refused(done, *texts):
    assert (done.code, done.out) == (2, ""), done.err
    assert "named on this machine: " in done.err
    assert all(text in done.err for text in texts), done.err
    assert "--trust" in done.err


ASKS = """
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, scorer


@scorer(metrics=[accuracy()])
def asks(role: str = ""):
    async def score(state, target):
        model = get_model(role=role) if role else get_model()
        return Score(value="C", answer=(await model.generate("?")).completion)

    return score
"""


@pytest.mark.parametrize("role", ["", "grader"])
def test_score_sends_no_key_to_an_address_of_the_log(bench, folder, role):
    (folder / "asks.py").write_text(ASKS, "utf-8")
    with ChatServer("Mine.") as evil:

        def edit(spec, _said):
            spec.model_base_url = evil.base_url
            spec.model_roles = {"grader": {"model": "openai-api/local/g", "base_url": evil.base_url}}

        change(folder, edit)
        command = ["score", "run.json", "--scorer", "asks.py", "-S", f"role={role}"]
        refused(bench(*command, cwd=folder), "openai-api/local/", evil.base_url)
        assert evil.requests == []
        # Scorers that ask no model are not kept from it, and none is made.
        assert bench("score", "run.json", cwd=folder).code == 0
        # Who trusts the log, or has the address in the provider's variable, wants it so.
        for more, variables in ((["--trust"], {}), ([], {"LOCAL_BASE_URL": evil.base_url})):
            assert bench(*command, *more, cwd=folder, **variables).code == 0
        assert len(evil.requests) == 4


def test_score_asks_the_model_of_ones_own_run_again(bench, folder, server):
    (folder / "asks.py").write_text(ASKS, "utf-8")
    done = bench("score", "run.json", "--scorer", "asks.py", cwd=folder)
    assert (done.code, len(server.requests)) == (0, 4), done.err


@pytest.mark.parametrize("where", ["model", "role", "argument", "metric"])
def test_score_makes_no_model_of_the_log(bench, folder, where):
    """`hf/` with `trust_remote_code` would run code of the Hub's; here its name alone is wrong enough to be seen."""
    args = {"trust_remote_code": True}
    described = {"model": "hf/evil/m", "config": {}, "base_url": None, "model_args": args}

    def edit(spec, said):
        if where == "model":
            spec.model, spec.model_args = "hf/evil/m", args
        elif where == "role":
            spec.model_roles = {"grader": {"model": "hf/evil/m", "args": args}}
        elif where == "argument":
            [scorer] = said["scorers"]
            scorer["name"] = "inspect_ai/model_graded_qa"
            scorer["arguments"] = {"model": described}
        else:
            spec.scorers[0].metrics[0].options = {"to_float": described}

    change(folder, edit)
    done = bench("score", "run.json", cwd=folder)
    if where == "argument":
        refused(done, 'hf/evil/m with {"trust_remote_code": true}')
    elif where == "metric":
        assert (done.code, "an argument of a metric names a model" in done.err) == (1, True), done.err
    else:
        assert done.code == 0, done.err


@pytest.mark.parametrize("command", ["score", "eval-retry", "reproduce"])
def test_no_file_is_imported_that_only_the_log_names(bench, folder, command):
    (folder / "evil.py").write_text(ATTACK + GRADED, "utf-8")

    def edit(_spec, said):
        said["reference"] = str(folder / "evil.py")
        said["plan"]["jobs"][0]["benchmark"] = said["reference"]
        said["scorers"][0] = {"name": "own", "arguments": {}, "distribution": None, "version": None}
        del said["run"]

    change(folder, edit)
    log = read_eval_log(str(folder / "run.json"))
    log.status = "error"
    write_eval_log(log, str(folder / "run.json"))
    done = bench(command, "run.json", cwd=folder)
    refused(done, f"the file {folder}/evil.py")
    assert not (folder / "attacked").exists()


def test_score_imports_no_file_that_it_does_not_need(bench, folder):
    (folder / "plain.py").write_text(ATTACK, "utf-8")
    assert bench("score", "run.json", cwd=folder).code == 0
    assert not (folder / "attacked").exists()


def test_score_imports_no_file_that_has_changed(bench, folder, server):
    options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--logfile", "own.json"]
    assert bench("eval", "plain.py", *options, "-T", "scorers=own", cwd=folder).code == 0
    assert bench("score", "own.json", cwd=folder).code == 0
    (folder / "plain.py").write_text(ATTACK + GRADED, "utf-8")
    for more in ([], ["--trust"]):
        done = bench("score", "own.json", *more, cwd=folder)
        assert (done.code, "plain.py has changed since" in done.err) == (2, True), done.err
    assert not (folder / "attacked").exists()


@pytest.mark.parametrize(("name", "distribution"), [("own/evil.py", "fn"), ("evil", "evil.py")])
def test_no_scorers_name_is_taken_for_a_file(bench, folder, name, distribution):
    (folder / "evil.py").write_text(ATTACK, "utf-8")

    def edit(_spec, said):
        said["scorers"][0] |= {"name": name, "distribution": distribution}

    change(folder, edit)
    assert bench("score", "run.json", cwd=folder).code == 2
    assert not (folder / "attacked").exists()


def stolen(folder, **changes):
    """Return the directory of the run with other things in its plan, as if someone had sent it."""
    [run] = (folder / "runs").iterdir()
    path = run / "run.0.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        if line["kind"] == "plan":
            job = line["plan"]["jobs"][0]
            job["model"] |= changes.get("model", {})
            job["benchmark"] = changes.get("benchmark", job["benchmark"])
            line["plan"]["executor"] = changes.get("executor", [])
        elif line["kind"] == "job":
            line["benchmark"] = changes.get("benchmark", line["benchmark"])
        line.pop("crc")
    path.write_bytes(b"".join(map(line_of, lines)))
    for journal in run.glob("*.jsonl"):
        if journal != path:
            journal.unlink()
    return run


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"model": {"base_url": "http://127.0.0.1:9/v1"}}, "openai-api/local/m at http://127.0.0.1:9/v1"),
        ({"model": {"args": {"project": "evil"}}}, 'with {"project": "evil"}'),
        ({"benchmark": "./evil.py"}, "/evil.py"),
        (
            {"executor": ["isolated", "--with", "x @ http://127.0.0.1:9/x.whl"], "benchmark": "x@x"},
            "x@x with the executor isolated --with 'x @ http://127.0.0.1:9/x.whl'",
        ),
        (
            {"executor": ["ray", "--address", "ray://127.0.0.1:9"], "benchmark": "x@x"},
            "x@x with the executor ray --address ray://127.0.0.1:9",
        ),
    ],
)
def test_a_run_of_someone_else(bench, folder, changes, wanted):
    (folder / "evil.py").write_text(ATTACK + GRADED, "utf-8")
    run = stolen(folder, **changes)
    refused(bench("eval", "--resume", run, cwd=folder), wanted)
    log = read_eval_log(str(folder / "run.json"))
    log.status = "error"
    write_eval_log(log, str(folder / "run.json"))
    refused(bench("eval-retry", "run.json", cwd=folder), wanted)
    assert not (folder / "attacked").exists()


def test_a_run_is_continued_on_another_machine_by_who_trusts_it(bench, folder, tmp_path, server):
    run = stolen(folder)
    away = {"XDG_STATE_HOME": str(tmp_path / "away")}
    refused(bench("eval", "--resume", run, cwd=folder, **away), server.base_url, f"the file {folder}/plain.py")
    for more in (["--trust"], []):  # it is remembered
        done = bench("eval", "--resume", run, *more, cwd=folder, **away)
        assert done.code == 0, done.err
    shutil.rmtree(tmp_path / "away")
    given = {"LOCAL_BASE_URL": server.base_url + "/"}
    done = bench("eval", "--resume", run, cwd=folder, **away, **given)
    refused(done, f"the file {folder}/plain.py")
    assert server.base_url not in done.err


def test_what_is_remembered_is_private_and_holds_no_secret(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    spec = ModelSpec(name="openai/m", base_url="http://me:hunter22@host/v1", args={"api_key": "k" * 20, "project": "p"})
    plan = Plan(jobs=[Job(benchmark="quiz@acme", task_args={}, model=spec)])
    trust.remember(plan)
    trust.remember(plan)
    kept = tmp_path / "openbench" / "named.jsonl"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_text("utf-8") == '"openai/m at http://[redacted]@host/v1 with {\\"project\\": \\"p\\"}"\n'
    trust.check(trust.named_by(plan), "run.json", trust=False)
    with pytest.raises(UsageError, match=r"run\.json names what no command .*openai/other at"):
        trust.check(trust.model(ModelSpec(name="openai/other", base_url="http://host/v1")), "run.json", trust=False)
    kept.write_text('damaged\n"\n', "utf-8")
    with pytest.raises(UsageError):
        trust.check(trust.named_by(plan), "run.json", trust=False)


def test_scored_logs_are_numbered(bench, folder):
    for name in ("run-scored", "run-scored-1", "run-scored-2"):
        done = bench("score", "run.json", "--json", cwd=folder)
        assert (done.code, done.json()[0]["log"]) == (0, str(folder / f"{name}.json")), done.err
