"""`bench eval --isolated`: contradictory packages in one command, and versions side by side."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from uv import find_uv_bin

ECHO = ["--isolated", "--baseline", "echo", "--json"]
BOTH = ["--with", "acme-left==1.0", "--with", "acme-right"]


def said_by(result):
    return read_eval_log(result["log"], header_only=True).eval.metadata["openbench"]


def test_contradictory_packages_run_in_one_command(bench, seen):
    done = bench("eval", "left", "right", *ECHO, *BOTH)
    assert done.code == 0, done.err
    left, right = done.json()
    assert [(run["benchmark"], run["score"], run["samples"]) for run in (left, right)] == [
        ("left", 1.0, 3),
        ("right", 1.0, 3),
    ]
    assert (seen(left["log"]), seen(right["log"])) == ({"acme-dep 1"}, {"acme-dep 2"})
    assert Path(left["log"].removeprefix("file://")).parent == Path(right["log"].removeprefix("file://")).parent
    said = said_by(left)
    assert (said["reference"], said["rule"], said["in_place_of"]) == ("left@acme-left", "chosen", [])


@pytest.mark.stress
def test_packages_that_are_installed_here_run_as_they_are(bench, seen, variables, tmp_path):
    here = tmp_path / "here"
    install = [find_uv_bin(), "pip", "install", "--no-deps", "--python", sys.executable, "--target", here]
    subprocess.run([*install, "acme-left==1.0", "acme-right"], env=variables, check=True, capture_output=True)
    done = bench("eval", "left", "right", *ECHO, PYTHONPATH=str(here))
    assert done.code == 0, done.err
    assert [seen(run["log"]) for run in done.json()] == [{"acme-dep 1"}, {"acme-dep 2"}]
    assert [run["version"] for run in done.json()] == ["1.0", "1.0"]
    assert said_by(done.json()[0])["rule"] == "only"


@pytest.mark.stress
def test_two_versions_of_a_package_run_side_by_side(bench, tmp_path):
    done = bench("eval", "left", *ECHO, "--with", "acme-left==1.0", "--with", "acme-left==1.1", "--log-dir", "both")
    assert done.code == 0, done.err
    assert [(run["distribution"], run["version"], run["score"]) for run in done.json()] == [
        ("acme-left", "1.0", 1.0),
        ("acme-left", "1.1", 1.0),
    ]
    logs = sorted((tmp_path / "both").glob("*.*"))
    told = [read_eval_log(str(log), header_only=True).eval for log in logs]
    assert sorted(log.metadata["openbench"]["version"] for log in told) == ["1.0", "1.1"]
    assert sorted(str(log.task_version) for log in told) == ["1.0", "1.1"]


@pytest.mark.stress
def test_an_environment_is_made_once(bench, variables):
    folder = Path(variables["OPENBENCH_ENVIRONMENTS"])
    command = ["eval", "right", *ECHO, "--with", "acme-right>=1.0"]
    first = bench(*command)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_dir()}
    second = bench(*command)
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert first.made() == ["acme-right>=1.0"]
    assert second.made() == []
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_dir()} == before


@pytest.mark.stress
def test_one_that_was_left_half_made_is_made_anew(bench, variables):
    folder = Path(variables["OPENBENCH_ENVIRONMENTS"])
    command = ["eval", "right", *ECHO, "--with", "acme-right<=1.0", "-T", "nothing=1"]  # refused once it is made
    assert bench(*command).made() == ["acme-right<=1.0"]
    [marker] = [path for path in folder.glob("environment-*/openbench.json") if "acme-right<=1.0" in path.read_text()]
    marker.unlink()
    again = bench(*command)
    assert (again.code, again.made()) == (2, ["acme-right<=1.0"]), again.err


@pytest.mark.stress
def test_an_argument_reaches_the_benchmark_that_has_it(bench, tmp_path):
    done = bench("eval", "left", "right", *ECHO, *BOTH, "-T", "loud=true")
    assert done.code == 0, done.err
    given = [said_by(run)["identity"]["arguments"] for run in done.json()]
    assert given == [{}, {"loud": True}]

    done = bench("eval", "left", "right", *ECHO, *BOTH, "-T", "loudly=true", "--log-dir", "none")
    text = (
        "bench: -T loudly: no benchmark of this run has this argument. Did you mean loud? "
        "left takes none; right takes loud.\n"
    )
    assert (done.code, done.out, done.err) == (2, "", text)
    assert not (tmp_path / "none").exists()


@pytest.mark.stress
def test_what_is_relative_means_the_same_in_an_environment(bench, tmp_path):
    done = bench("eval", "left", "--isolated", "--baseline", "echo", "--with", "acme-left==1.0", "--log-dir", "x/logs")
    assert done.code == 0, done.err
    [log] = (tmp_path / "x" / "logs").glob("*.*")
    assert done.out.splitlines()[-1] == str(log.relative_to(tmp_path))
    done = bench("eval", "left", *ECHO, "--with", "acme-left==1.0", "--logfile", "run.json")
    assert (done.code, done.json()[0]["log"]) == (0, str(tmp_path / "run.json")), done.err


@pytest.mark.stress
def test_an_editable_benchmark_stays_editable(bench, variables, seen, tmp_path, acme):
    """As it is installed here, so that what an author changes is what runs."""
    project = tmp_path / "left"
    subprocess.run(["cp", "-r", acme / "left1.0", project], check=True)
    here = tmp_path / "here"
    install = [find_uv_bin(), "pip", "install", "--no-deps", "--python", sys.executable, "--target", here]
    subprocess.run([*install, "-e", project], env=variables, check=True, capture_output=True)
    # Its folder is on the path by a .pth file, which Python reads in site-packages only.
    path = os.pathsep.join([str(here), str(project)])
    task = project / "acme_left" / "task.py"
    for text in ("once", "twice"):
        task.write_text(task.read_text("utf-8").replace("target=said)", f"target='{text}')"), "utf-8")
        task.write_text(task.read_text("utf-8").replace("target='once')", f"target='{text}')"), "utf-8")
        done = bench("eval", "left", *ECHO, PYTHONPATH=path)
        assert done.code == 0, done.err
        assert seen(done.json()[0]["log"]) == {text}
        assert done.made() == (["acme-left 1.0"] if text == "once" else [])


@pytest.mark.stress
@pytest.mark.parametrize("display", ["plain", "rich"])
def test_inspects_displays_leave_stdout_alone(bench, display):
    done = bench("eval", "left", *ECHO, "--with", "acme-left==1.0", "--display", display)
    assert done.code == 0, done.err
    assert done.json()[0]["score"] == 1.0


def test_the_executor_is_light_to_import():
    script = "import sys, openbench_isolated.executor; print({'inspect_ai', 'datasets', 'pydantic'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
