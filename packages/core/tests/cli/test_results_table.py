"""Suites: groups of benchmarks from any distribution, with one score or none."""

import json
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_suites.suites import unweighted_mean

MEMBERS = """
from dataclasses import replace
from acme import made
from acme_quiz.metadata import benchmarks

QUIZ = benchmarks()["acme-quiz"]
OTHER = replace(QUIZ, name="Other", function_name="other")
LOWER = replace(OTHER, higher_is_better=False)
"""
TASK = """
from acme_quiz.task import *

@task
def other(fail: bool = False) -> Task:
    if fail:
        raise RuntimeError("no rows today")
    made = acme_quiz()
    made.dataset = made.dataset[:2]
    return made
"""
GROUPS = """
from openbench.metadata import BenchmarkGroup

def group(*members):
    return BenchmarkGroup("Suite", "A suite.", "acme", list(members))

GROUPS = {
    "whole": group("acme-quiz", "other"),
    "holey": group("acme_quiz", "nowhere", "other@acme-more"),
    "empty": group(),
    "absent": group("nowhere", "elsewhere"),
    "mixed": group("acme-quiz", "lower"),
    "twice": group("acme-quiz", "acme_quiz", "acme-quiz@acme-quiz", "other"),
    "local": group("acme-quiz", "quiz.py", "folder", "other@nowhere"),
    "nested": group("acme-quiz", "whole"),
}
"""


@pytest.fixture
def suites(site, acme):
    """Two distributions with a benchmark each, and a third with suites of them; the variables that find them."""
    site.write({"more_task.py": TASK})
    members = MEMBERS.replace('function_name="other"', 'function_name="other", module_path="more_task"')
    points = {"other": "more:OTHER", "lower": "more:LOWER"}
    site.install("acme-more", {"more.py": members}, benchmarks=points)
    site.install("acme-suites", {"suites_.py": GROUPS}, version="0.3", groups={"all": "suites_:GROUPS"})
    return acme


def evaluated(bench, folder, suites, *arguments, code=0):
    done = bench("eval", *arguments, "--json", cwd=folder, **suites)
    assert done.code == code, done.err
    told = done.json()
    return [row for row in told if "benchmark" in row], [row for row in told if "suite" in row], done.err


def test_a_suites_score_is_the_macro_average(bench, quiz, suites):
    arguments = ["whole", "other", "--baseline", "constant", "-M", "answer=Answer: A"]
    runs, (suite,), _ = evaluated(bench, quiz, suites, *arguments)
    assert [run["benchmark"] for run in runs] == ["acme-quiz", "other"]
    scores, errors = [run["score"] for run in runs], [run["stderr"] for run in runs]
    assert scores[0] == pytest.approx(2 / 6)
    assert scores[1] == pytest.approx(1 / 2)
    assert suite["score"] == pytest.approx(sum(scores) / 2)
    assert suite["stderr"] == pytest.approx(sqrt(errors[0] ** 2 + errors[1] ** 2) / 2)
    assert {name: suite[name] for name in ("suite", "distribution", "version", "model", "status", "missing")} == {
        "suite": "whole",
        "distribution": "acme-suites",
        "version": "0.3",
        "model": "baseline/constant",
        "status": "success",
        "missing": {},
    }
    assert suite["members"] == pytest.approx({"acme-quiz": scores[0], "other": scores[1]})


def test_its_row_stands_below_the_members(bench, quiz, suites):
    done = bench("eval", "whole", "--baseline", "constant", cwd=quiz, **suites)
    rows = [line.split() for line in done.out.splitlines()[1:4]]
    assert [row[0] for row in rows] == ["acme-quiz", "other", "whole"]
    assert rows[2][2] == "accuracy"
    assert rows[2][-3:] == ["-", "-", "-"]


def test_a_missing_member_makes_it_incomplete(bench, quiz, suites):
    arguments = ["holey", "--baseline", "constant"]
    runs, (suite,), err = evaluated(bench, quiz, suites, *arguments, code=1)
    assert [run["status"] for run in runs] == ["success", "success"]
    assert (suite["status"], suite["score"], suite["stderr"]) == ("incomplete", None, None)
    assert suite["missing"] == {"nowhere": "not installed"}
    assert suite["members"]["nowhere"] is None
    assert err.splitlines()[0] == "holey: incomplete without nowhere: not installed"
    assert err.splitlines()[-1] == "bench: holey: incomplete, so it has no score: nowhere (not installed)"


def test_a_member_that_fails_makes_it_incomplete(bench, quiz, suites):
    arguments = ["whole", "--baseline", "constant", "-T", "fail=true"]
    runs, (suite,), _ = evaluated(bench, quiz, suites, *arguments, code=1)
    assert [run["status"] for run in runs] == ["success", "error"]
    assert (suite["status"], suite["score"], suite["missing"]) == ("incomplete", None, {"other": "error"})


def test_a_member_counts_once_however_it_is_written(bench, quiz, suites):
    runs, (suite,), _ = evaluated(bench, quiz, suites, "twice", "--baseline", "constant")
    assert len(runs) == 2
    assert suite["score"] == pytest.approx((2 / 6 + 1 / 2) / 2)


def test_a_member_is_never_a_path(bench, quiz, suites):
    (quiz / "folder").mkdir()
    (quiz / "folder" / "__init__.py").write_text((quiz / "quiz.py").read_text())
    runs, (suite,), _ = evaluated(bench, quiz, suites, "local", "--baseline", "constant", code=1)
    assert [run["benchmark"] for run in runs] == ["acme-quiz"]
    assert list(suite["missing"]) == ["quiz.py", "folder", "other@nowhere"]
    described = bench("describe", "local", "--json", cwd=quiz, **suites).json()
    assert described["missing"] == ["quiz.py", "folder", "other@nowhere"]


def test_without_scores_there_is_none_to_average(bench, quiz, suites):
    runs, averages, _ = evaluated(bench, quiz, suites, "whole", "--baseline", "constant", "--no-score")
    assert (len(runs), averages) == (2, [])


def test_each_model_has_its_own(bench, quiz, suites):
    arguments = ["whole", "--model", "baseline/constant", "--model", "baseline/empty", "--limit", "2"]
    _, rows, _ = evaluated(bench, quiz, suites, *arguments)
    assert [(row["model"], row["score"]) for row in rows] == [("baseline/constant", 0.5), ("baseline/empty", 0.0)]


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        ("nested", "bench: nested: its member whole is a suite, and suites contain only benchmarks.\n"),
        ("empty", "bench: empty: no member of this group, provided by acme-suites 0.3, is installed: it has none.\n"),
        (
            "absent",
            "bench: absent: no member of this group, provided by acme-suites 0.3, is installed: nowhere, elsewhere.\n",
        ),
        ("mixed", "bench: mixed: higher is better for some members of this group, provided by acme-suites 0.3,"),
    ],
)
def test_a_suite_that_cannot_have_a_score_is_refused(bench, quiz, suites, suite, message):
    done = bench("eval", suite, "--baseline", "constant", cwd=quiz, **suites)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)


def test_describe_and_list_know_it(bench, quiz, suites):
    described = bench("describe", "holey", cwd=quiz, **suites)
    assert "benchmarks    acme_quiz, nowhere, other@acme-more\nmissing       nowhere: not installed" in described.out
    assert bench("describe", "whole", "--json", cwd=quiz, **suites).json()["missing"] == []


SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.5)), min_size=1, max_size=30)


@given(SCORES)
def test_the_standard_error_is_that_of_independent_members(members):
    scores, errors = zip(*members, strict=True)
    mean, stderr = unweighted_mean(scores, errors)
    weight = 1 / len(scores)
    assert mean == pytest.approx(sum(weight * score for score in scores))
    assert stderr == pytest.approx(sqrt(sum(weight**2 * error**2 for error in errors)))


def test_an_unknown_standard_error_makes_the_suites_unknown():
    assert unweighted_mean([0.5, 1.0], [0.1, None]) == (0.75, None)


# --- overrides, where a run shows them --------------------------------------------------------------------------------

FORK = """
from dataclasses import replace
from acme_quiz.metadata import benchmarks

FORK = replace(benchmarks()["acme-quiz"], name="Fork", overrides="acme-quiz")
"""


def test_an_override_shows_at_the_start_and_in_the_log(bench, quiz, site, acme):
    site.install("bolt-quiz", {"bolt.py": FORK}, version="3.1", benchmarks={"acme_quiz": "bolt:FORK"})
    arguments = ["eval", "acme-quiz", "--baseline", "constant", "--limit", "1", "--log-format", "json"]
    done = bench(*arguments, "--json", cwd=quiz, **acme)
    assert done.err.splitlines()[0] == (
        "acme_quiz: bolt-quiz 3.1 in place of acme-quiz 2.1.0 (it declares that it overrides acme-quiz)"
    )
    (run,) = done.json()
    said = json.loads(Path(run["log"].removeprefix("file://")).read_text())["eval"]["metadata"]["openbench"]
    assert (said["distribution"], said["version"]) == ("bolt-quiz", "3.1")
    assert (said["rule"], said["in_place_of"]) == ("overrides", ["acme-quiz 2.1.0"])

    original = bench(*arguments, "--no-overrides", "--json", cwd=quiz, **acme)
    (run,) = original.json()
    assert (run["distribution"], "in place of" in original.err) == ("acme-quiz", False)
    (run,) = bench(*arguments[:1], "acme-quiz@acme_quiz", *arguments[2:], "--json", cwd=quiz, **acme).json()
    assert run["distribution"] == "acme-quiz"
