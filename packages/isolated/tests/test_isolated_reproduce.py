"""`bench reproduce`: a log's run again, in an environment of the versions that the log names."""

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

pytestmark = pytest.mark.stress

ISOLATED = ["--isolated", "--baseline", "echo"]


@pytest.fixture
def log(bench, tmp_path):
    """The log of two samples of acme-left 1.0, which is not installed here."""
    done = bench("eval", "left", *ISOLATED, "--with", "acme-left==1.0", "--limit", "2", "--logfile", "run.json")
    assert done.code == 0, done.err
    return tmp_path / "run.json"


def test_the_recorded_versions_agree(bench, log, seen):
    done = bench("reproduce", "run.json", "--yes", "--json")
    assert done.code == 0, done.err
    told = done.json()
    assert (told["samples"], told["agreeing"], told["differences"], told["versions"]) == (2, 2, [], [])
    assert told["changed_sources"] == []
    assert seen(told["reproduced"]) == {"acme-dep 1"}
    before, after = (read_eval_log(str(path), header_only=True).eval for path in (log, told["reproduced"]))
    versions = [spec.metadata["openbench"]["versions"] for spec in (before, after)]
    assert versions[0] == versions[1]
    assert versions[0]["acme-left"] == "1.0"
    assert versions[0]["acme-dep"] == "1"
    assert done.made() == ["acme-left 1.0"]
    assert "openbench-core was not a release: its current files are used" in done.err
    # the environment is kept
    assert bench("reproduce", "run.json", "--yes").made() == []


def test_what_differs_is_named(bench, log):
    read = read_eval_log(str(log))
    read.samples[0].output.completion = read.samples[0].scores["includes"].answer = "something else"
    write_eval_log(read, str(log))
    done = bench("reproduce", "run.json", "--yes")
    assert done.code == 1, done.err
    assert done.out.splitlines()[0] == "accuracy 1.000 -> 1.000"
    assert done.out.splitlines()[2].split()[:5] == ["0", "1", "answer", "something", "else"]
    assert "1 of 2 samples agree in answer and score" in done.out


@pytest.mark.parametrize(
    ("name", "wrong", "text"),
    [
        ("acme-left", "9.9", "there is no version of acme-left==9.9"),
        ("acme-dep", "2", "acme-dep==2"),
    ],
)
def test_versions_that_cannot_be_had(bench, log, name, wrong, text):
    read = read_eval_log(str(log))
    read.eval.metadata["openbench"]["versions"][name] = wrong
    write_eval_log(read, str(log))
    done = bench("reproduce", "run.json", "--yes")
    assert done.code == 2
    assert text in done.err
    assert done.err.count("Traceback") == 0


@pytest.mark.usefixtures("log")
def test_what_is_installed_is_named_and_agreed_to(bench):
    done = bench("reproduce", "run.json", ANTHROPIC_API_KEY="x" * 20)
    assert (done.code, done.out, done.made()) == (2, "", [])
    assert "packages to install, whose code will run:\n  acme-left==1.0\n" in done.err
    assert "  acme-dep==1\n" in done.err
    assert done.err.endswith("bench: the confirmation was not answered. Add --yes to install them.\n")
    done = bench("reproduce", "run.json", "--yes", ANTHROPIC_API_KEY="x" * 20)
    assert done.code == 0, done.err
    assert "the run does not get ANTHROPIC_API_KEY" in done.err


@pytest.mark.usefixtures("log")
def test_without_this_package(bench):
    done = bench("reproduce", "run.json", "--yes", OPENBENCH_PLUGINS="openbench-logs")
    assert done.code == 2
    assert "--executor isolated comes with openbench-isolated: pip install openbench-isolated" in done.err


@pytest.mark.usefixtures("log")
def test_here_it_is_not_installed(bench):
    done = bench("reproduce", "run.json", "--here")
    assert done.code == 2
    assert "acme-left: 1.0 in the log, not installed here" in done.err
