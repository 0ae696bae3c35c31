"""Logs as data frames, and what the package exports."""

import subprocess
import sys

import inspect_ai.analysis
import pytest

import openbench_analysis
from openbench.errors import LogError, UsageError
from openbench_analysis import load, read_run

SCORES = {"q1": ["C", "I"], "q2": ["I", "I"], "q3": ["C", None], "q4": ["C", "C"]}


@pytest.fixture
def path(make_log):
    fields = {"answer": {"q1": "A"}, "reason": {"q2": "no_response"}}
    return make_log("a.eval", SCORES, clusters={"q1": "x", "q2": "x", "q3": "y", "q4": "z"}, **fields)


def test_runs(path):
    frames = load(path)
    (run,) = frames.runs.to_dict("records")
    assert run["log"] == str(path)
    assert (run["benchmark"], run["model"], run["metric"]) == ("quiz", "local/a", "accuracy")
    assert (run["samples"], run["epochs"], run["unscored"], run["errors"]) == (4, 2, 1, 0)
    assert run["score"] == pytest.approx(4 / 7)
    assert run["lower"] < 0.625 < run["upper"]
    assert (run["lower"] + run["upper"]) / 2 == pytest.approx(0.625)
    assert run["higher_is_better"]
    assert str(run["created"]) == "2026-01-01 00:00:00+00:00"
    assert frames.runs.loc[0, ["distribution", "version"]].isna().all()
    assert frames.problems == []


def test_samples(path):
    samples = load(path).samples
    assert sorted(samples.id) == sorted([*SCORES] * 2)
    by_sample = samples.groupby("id").score.mean()
    assert by_sample.to_dict() == {"q1": 0.5, "q2": 0, "q3": 1, "q4": 1}
    first = samples[(samples.id == "q1") & (samples.epoch == 1)].iloc[0]
    assert (first.answer, first.target, first.content) == ("A", "A", "digest of q1")
    assert first.metadata_group == "x"
    assert list(samples[~samples.answered].id.unique()) == ["q2"]
    assert samples.error.isna().all()


def test_types_do_not_depend_on_the_values(path, make_log):
    bare = make_log("b.eval", {"q1": [None]})
    one, two = load(path), load(bare)
    for name in ("runs", "samples"):
        types = {column: str(kind) for column, kind in getattr(one, name).dtypes.items()}
        others = {column: str(kind) for column, kind in getattr(two, name).dtypes.items()}
        shared = [column for column in types if not column.startswith("metadata_")]
        assert {column: types[column] for column in shared} == {column: others[column] for column in shared}
    assert set(one.samples.dtypes.astype(str)) <= {"string", "float64", "int64", "bool", "object", "str"}


def test_the_documentation_names_every_column(path):
    text = openbench_analysis.Frames.__doc__
    frames = load(path)
    for column in [*frames.runs, *frames.samples]:
        assert f"`{column}`" in text or column.startswith("metadata_"), column


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Inspect's own use of pandas
def test_columns_are_called_as_in_inspect(path):
    """The frames can be joined with those of Inspect's own, whose dtypes are of Arrow."""
    theirs = inspect_ai.analysis.evals_df(str(path), quiet=True)
    runs = load(path).runs
    joined = runs.merge(theirs, on="eval_id", suffixes=("", "_theirs"))
    assert len(joined) == 1
    assert {"log", "eval_id", "created", "model", "status", "epochs"} <= {*theirs} & {*runs}
    samples = inspect_ai.analysis.samples_df(str(path), quiet=True)
    assert {"id", "epoch", "input", "target", "error", "limit", "working_time"} <= {*samples} & {*load(path).samples}
    assert len(load(path).samples.merge(samples, on=["eval_id", "id", "epoch"])) == 8


def test_several_places(path, make_log, tmp_path):
    other = make_log("b.eval", {"q1": ["C"]}, model="local/b")
    (tmp_path / "bad.eval").write_text("{", "utf-8")
    logs = [read_run(str(each)).log for each in (path, other)]
    for places in ([path, str(other)], tmp_path, f"{tmp_path}/*.eval", logs):
        frames = load(places)
        assert sorted(frames.runs.model) == ["local/a", "local/b"]
        assert len(frames.samples) == 9
        assert len(frames.problems) == (places is tmp_path or isinstance(places, str))


def test_nothing_to_load(tmp_path):
    with pytest.raises(UsageError, match=r"gone does not exist\.$"):
        load(tmp_path / "gone")
    with pytest.raises(LogError, match=r"^No logs were named\.$"):
        load([])
    (tmp_path / "bad.eval").write_text("{", "utf-8")
    with pytest.raises(LogError, match=r"bad\.eval cannot be read as a log"):
        load(tmp_path)


def test_importing_the_package_imports_nothing_else():
    program = """
import sys, openbench_analysis
heavy = {"inspect_ai", "numpy", "pandas", "scipy", "openbench"} & {*sys.modules}
assert not heavy, heavy
assert dir(openbench_analysis) == openbench_analysis.__all__
assert all(getattr(openbench_analysis, name).__doc__ for name in openbench_analysis.__all__)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_unknown_name():
    with pytest.raises(AttributeError, match=r"^module 'openbench_analysis' has no attribute 'lead'$"):
        _ = openbench_analysis.lead
