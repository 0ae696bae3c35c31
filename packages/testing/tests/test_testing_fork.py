"""`bench fork` and `bench check --update-pin`, on a package that is installed as a wheel is."""

import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from openbench_testing import HubServer

METADATA = """
from openbench.metadata import BenchmarkMetadata, DatasetSource

def made(name, source):
    return BenchmarkMetadata(name, "Questions.", "knowledge", ["trivia"], "acme_set.task", name, builtin=True,
                             dataset=source)

BENCHMARKS = {
    "quiz": made("quiz", DatasetSource(source="ROWS", type="json", sha256="SHA256")),
    "hub": made("hub", DatasetSource(source="org/quiz", split="test", revision="REVISION")),
    "loose": made("loose", DatasetSource(source="org/quiz", split="test")),
}
"""

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import exact
from openbench.datasets import load_samples, read_rows
from acme_set.metadata import BENCHMARKS

@task
def quiz():
    rows = read_rows(BENCHMARKS["quiz"].dataset)
    return Task(load_samples(rows, lambda row: Sample(row["q"], target=row["a"]), name="quiz"), scorer=exact())
"""


def bench(*arguments, cwd, code=0, **variables):
    done = subprocess.run(
        [sys.executable, "-c", "from openbench.cli.main import main; main()", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "COLUMNS": "80", "LOGNAME": "team", **variables},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def site(tmp_path):
    site, rows = tmp_path / "site-packages", tmp_path / "rows.jsonl"
    write(rows, '{"q": "1+1?", "a": "2"}\n')
    old = {"ROWS": str(rows), "SHA256": "0" * 64, "REVISION": "a" * 40}
    metadata = METADATA
    for name, value in old.items():
        metadata = metadata.replace(name, value)
    write(site / "acme_set/__init__.py", "")
    write(site / "acme_set/metadata.py", metadata)
    write(site / "acme_set/task.py", TASK)
    write(site / "acme_set/_registry.py", "from acme_set.task import quiz\n")
    write(site / "acme_set/samples/quiz/test.jsonl", rows.read_text())
    write(site / "acme_set/samples/hub/test.jsonl", rows.read_text())
    write(site / "acme_set/__pycache__/x.pyc", "")
    info = site / "acme_set-2.1.dist-info"
    write(
        info / "METADATA", "Metadata-Version: 2.4\nName: acme-set\nVersion: 2.1\nRequires-Dist: openbench-core>=1.0\n"
    )
    write(info / "licenses/LICENSE", "Use it well.\n")
    write(info / "RECORD", "acme_set-2.1.dist-info/licenses/LICENSE,,\n")
    points = "[openbench.benchmarks]\nset = acme_set.metadata:BENCHMARKS\n"
    write(info / "entry_points.txt", f"{points}[inspect_ai]\nacme_set = acme_set._registry\n")
    return site


def install(project, site):
    """Make a fork importable and its entry points known, as an editable install does."""
    written = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    (site / "fork.pth").write_text(f"{project}/src\n")
    info = site / f"{written['name'].replace('-', '_')}-{written['version']}.dist-info"
    write(info / "METADATA", f"Metadata-Version: 2.4\nName: {written['name']}\nVersion: {written['version']}\n")
    groups = written["entry-points"]
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in groups.items()]
    write(info / "entry_points.txt", "".join(lines))
    return f"{site}{os.pathsep}{project / 'src'}"


def test_a_fork_takes_the_originals_place(site, tmp_path):
    ended = bench("fork", "quiz", cwd=tmp_path, PYTHONPATH=str(site))
    assert ended.stdout.startswith("Wrote 11 files of team-acme-set to team-acme-set. Next:\n")
    project = tmp_path / "team-acme-set"
    files = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    assert {name for name in files if not name.startswith("src/")} == {
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "tests/test_quiz.py",
    }
    assert "src/team_acme_set/samples/quiz/test.jsonl" in files
    assert "src/team_acme_set/samples/hub/test.jsonl" not in files
    assert "from team_acme_set.metadata import BENCHMARKS" in (project / "src/team_acme_set/task.py").read_text()
    assert (project / "LICENSE").read_text() == "Use it well.\n"
    path = install(project, site)
    [quiz] = [
        each
        for each in json.loads(bench("list", "--json", cwd=tmp_path, PYTHONPATH=path).stdout)
        if each["key"] == "quiz"
    ]
    assert (quiz["distribution"], quiz["version"]) == ("team-acme-set", "1.0.0")
    described = json.loads(bench("describe", "quiz", "--json", cwd=tmp_path, PYTHONPATH=path).stdout)
    assert described["rule"] == "overrides"
    evaluated = bench("eval", "quiz", "--sample", "--baseline", "reference", "--json", cwd=tmp_path, PYTHONPATH=path)
    [result] = json.loads(evaluated.stdout)
    assert (result["distribution"], result["score"]) == ("team-acme-set", 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quizz"], "bench: quizz: no benchmark, group or path of this name. Did you mean quiz?"),
        (["quiz", "--distribution", "acme-set"], "bench: --distribution 'acme-set': acme_set is already installed"),
        (["./local.py"], "bench: ./local.py: a local eval cannot be forked."),
    ],
)
def test_what_cannot_be_forked(site, tmp_path, arguments, message):
    head = "from openbench.metadata import BenchmarkMetadata\n"
    write(
        tmp_path / "local.py",
        f"{head}__metadata__ = BenchmarkMetadata('L', 'L.', 'c', [], __name__, 'local')\ndef local(): ...\n",
    )
    ended = bench("fork", *arguments, cwd=tmp_path, code=2, PYTHONPATH=str(site))
    assert ended.stderr.startswith(message)


@pytest.mark.parametrize(
    ("remote", "distribution"),
    [
        ("git@github.com:Acme_Labs/evals.git", "acme-labs-quiz"),
        ("https://git.example.org/group/acme/evals", "acme-quiz"),
        ("https://github.com/openbench/openbench.git", "my-team-quiz"),
    ],
)
def test_a_new_package_is_named_after_its_team(tmp_path, remote, distribution):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", remote], check=True)
    ended = bench("new", "quiz", cwd=tmp_path)
    assert ended.stdout.startswith(f"Wrote 14 files of {distribution} to {distribution}.")


@pytest.mark.stress
def test_the_pin_of_a_file_is_updated(site, tmp_path):
    rows, metadata = tmp_path / "rows.jsonl", site / "acme_set/metadata.py"
    digest = hashlib.sha256(rows.read_bytes()).hexdigest()
    ended = bench("check", "quiz", "--update-pin", cwd=tmp_path, code=1, PYTHONPATH=str(site))
    assert ended.stdout.splitlines()[0] == (
        f"quiz@acme-set: sha256 of {rows} in metadata.py: {'0' * 64} is now {digest}. If scores change, raise the "
        "major version."
    )
    assert f'sha256="{digest}"' in metadata.read_text()
    assert "is not the pinned file" not in ended.stdout
    again = bench("check", "quiz", "--update-pin", "--json", cwd=tmp_path, code=1, PYTHONPATH=str(site))
    assert again.stderr == f"quiz@acme-set: the pin of {rows} is up to date: sha256 {digest}\n"
    assert json.loads(again.stdout)[0]["benchmark"] == "quiz@acme-set"


@pytest.mark.stress
def test_the_pin_of_a_hub_dataset_is_updated(site, tmp_path):
    with HubServer() as hub:
        hub.add("org/quiz", [{"q": "1+1?", "a": "2"}], split="test", revision="b" * 40)
        commit = hub.add("org/quiz", [{"q": "1+2?", "a": "3"}], split="test")
        variables = {**hub.environment(tmp_path), "PYTHONPATH": str(site)}
        ended = bench("check", "hub", "--update-pin", cwd=tmp_path, code=1, **variables)
        loose = bench("check", "loose", "--update-pin", cwd=tmp_path, code=2, **variables)
    assert f"{'a' * 40} is now {commit}. " in ended.stdout
    assert f'revision="{commit}"' in (site / "acme_set/metadata.py").read_text()
    assert loose.stderr == (f'bench: loose@acme-set: org/quiz has no pin yet. Add revision="{commit}" to its source.\n')


def test_a_pin_that_stands_nowhere(site, tmp_path):
    metadata = site / "acme_set/metadata.py"
    metadata.write_text(metadata.read_text().replace(f'"{"0" * 64}"', '"0" * 64'))
    ended = bench("check", "quiz", "--update-pin", cwd=tmp_path, code=2, PYTHONPATH=str(site))
    assert ended.stderr.startswith(
        f"bench: quiz@acme-set: no file of its package contains the pin {'0' * 64}. Set sha256 "
    )


def test_rows_that_cannot_be_read(site, tmp_path):
    Path(tmp_path / "rows.jsonl").unlink()
    ended = bench("check", "quiz", "--update-pin", cwd=tmp_path, code=1, PYTHONPATH=str(site))
    assert "rows.jsonl cannot be read" in ended.stderr
