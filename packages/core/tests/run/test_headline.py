"""The figure that stands for a run: which it is, how it is called, and that every place that shows it agrees."""

import os
import sys

import pytest
from inspect_ai import Epochs, Task, eval  # noqa: A004 - inspect's name
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, HeadlineMetric
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, accuracy, mean, metric, scorer, stderr

from openbench.cli.report import report
from openbench.run.headline import expected_headline, headline_of
from openbench.run.summary import Summary

FIGURES = {"valid": [mean(), stderr()], "deviation": [mean(), stderr()]}


@metric
def spread() -> Metric:
    """A metric that is no mean, so that `stderr` is not its error."""

    def of(scores: list[SampleScore]) -> dict[str, float]:
        return {"range": float(len(scores)), "range_stderr": 0.5}

    return of


def scored(value, metrics=None, **more) -> Scorer:
    @scorer(metrics=metrics or [accuracy(), stderr()], name=more.pop("name", "judge"), **more)
    def made() -> Scorer:
        async def of(state, target):  # noqa: ARG001 - inspect's signature
            return Score(value=value)

        return of

    return made()


def ran(*scorers: Scorer, folder, reducers=None, headline=None) -> EvalLog:
    epochs = Epochs(2, reducers) if reducers else None
    samples = [Sample("One?", target="1"), Sample("Two?", target="2")]
    task = Task(samples, scorer=list(scorers), epochs=epochs, headline_metric=headline, name="made")
    [log] = eval(task, model="baseline/constant", model_args={"answer": "1"}, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


VALUES = {"valid": 1.0, "deviation": 0.25}
DEVIATION = {"headline": HeadlineMetric(score="deviation")}
LOWER = {"lower_is_better": ["deviation"]}


@pytest.mark.parametrize(
    ("scorers", "more", "name", "value", "error", "higher"),
    [
        ([scored("C")], {}, "accuracy", 1.0, 0.0, True),
        ([scored(0.5, [mean()])], {}, "judge/mean", 0.5, None, True),
        ([scored(VALUES, FIGURES)], {}, "valid/mean", 1.0, 0.0, True),
        ([scored(VALUES, FIGURES, **LOWER)], {}, "valid/mean", 1.0, 0.0, True),
        ([scored(VALUES, FIGURES, **LOWER)], DEVIATION, "deviation/mean", 0.25, 0.0, False),
        ([scored(0.5, [mean()], lower_is_better=True)], {}, "judge/mean", 0.5, None, False),
        ([scored("C"), scored("I", name="other")], {}, "judge/accuracy", 1.0, 0.0, True),
        ([scored(VALUES, FIGURES), scored(VALUES, FIGURES, name="other")], {}, "judge/valid/mean", 1.0, 0.0, True),
        ([scored("C", [spread(), stderr()])], {}, "range", 2.0, 0.5, True),
        ([scored("C")], {"reducers": ["pass_at_2"]}, "accuracy pass@2", 1.0, 0.0, True),
        ([scored("C")], {"reducers": ["mean", "pass_at_2"]}, "accuracy", 1.0, 0.0, True),
        ([scored("C")], {"reducers": ["at_least_2", "mean"]}, "accuracy at_least_2", 1.0, 0.0, True),
    ],
)  # fmt: skip
def test_its_name(tmp_path, scorers, more, name, value, error, higher):
    log = ran(*scorers, folder=tmp_path, **more)
    found = headline_of(log)
    assert (found.name, found.value, found.stderr, found.higher_is_better) == (name, value, error, higher)
    if name != "range":  # nothing tells of a metric's figures before there are results
        assert expected_headline(log.eval).name == name


# --- in a run ---------------------------------------------------------------------------------------------------------

SEVERAL = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, mean, scorer, stderr
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata(
    "Several", "Scores of several values.", "knowledge", [], __name__, "several", primary_metric={primary!r},
    higher_is_better={higher},
)


@scorer(metrics={{"valid": [mean()], "deviation": [mean(), stderr()]}})
def judged():
    async def score(state, target):
        if target.text == "fails":
            raise RuntimeError("boom")
        return Score(value={{"valid": 1.0, "deviation": float(target.text)}}, answer="seen")

    return score


@task
def several(targets: str = "0 0.5 1") -> Task:
    each = enumerate(targets.split())
    return Task([Sample(f"Question {{n}}?\\nIn two lines.", target=t, id=f"q{{n}}") for n, t in each], scorer=judged())
"""
CONSTANT = ("--baseline", "constant", "-M", "answer=I guess")


@pytest.mark.parametrize("primary", ["deviation", "deviation/mean"])
def test_every_place_shows_the_same(bench, tmp_path, primary):
    (tmp_path / "several.py").write_text(SEVERAL.format(primary=primary, higher=False), "utf-8")
    done = bench("eval", "several.py", *CONSTANT, "--logfile", "run.json", cwd=tmp_path)
    head, row, _ = done.out.splitlines()
    assert head.split() == ["benchmark", "model", "metric", "score", "answered", "tokens", "time"]
    assert "deviation/mean ↓  0.500 ± 0.289" in row
    assert "3/3 samples, deviation/mean ↓ 0.500 ± 0.289, " in done.err
    shown = bench("log", "show", "run.json", cwd=tmp_path).out.splitlines()
    assert shown[:3] == [
        "score        deviation/mean ↓ 0.500 ± 0.289",
        "metrics      valid: mean 1.000",
        "             deviation: mean 0.500, stderr 0.289",
    ]
    told = bench("log", "show", "run.json", "--json", cwd=tmp_path).json()
    assert (told["metric"], told["higher_is_better"], told["score"]) == ("deviation/mean", False, 0.5)


@pytest.fixture
def several(bench, tmp_path):
    """A log of three samples, of which one is right."""
    (tmp_path / "several.py").write_text(SEVERAL.format(primary="deviation", higher=False), "utf-8")
    assert bench("eval", "several.py", *CONSTANT, "--logfile", "run.json", cwd=tmp_path).code == 0
    return tmp_path


def test_samples_are_shown(bench, several):
    done = bench("log", "samples", "run.json", "--wrong", cwd=several)
    assert done.code == 0, done.err
    assert done.out.splitlines()[9:] == [
        "sample       q2",
        "epoch        1",
        "score        1.0",
        "question     Question 2?",
        "             In two lines.",
        "answer       I guess",
        "extracted    seen",
        "target       1",
        "",
        "2 of 3 samples",
    ]
    told = bench("log", "samples", "run.json", "--limit", "1", "--json", cwd=several).json()
    assert told == [
        {
            "sample": "q0",
            "epoch": 1,
            "score": 0.0,
            "question": "Question 0?\nIn two lines.",
            "answer": "I guess",
            "extracted": "seen",
            "target": "0",
            "error": None,
        }
    ]


def test_reproducing_leads_with_both_scores(bench, several):
    done = bench("reproduce", "run.json", cwd=several)
    assert done.out.splitlines()[0] == "deviation/mean ↓ 0.500 -> 0.500"
    told = bench("reproduce", "run.json", "--json", cwd=several).json()
    assert (told["metric"], told["was"], told["is"]) == ("deviation/mean", 0.5, 0.5)


def test_where_every_sample_failed_there_is_no_score(bench, tmp_path):
    (tmp_path / "several.py").write_text(SEVERAL.format(primary="valid", higher=True), "utf-8")
    options = [*CONSTANT, "-T", "targets=fails fails", "--no-fail-on-error"]
    done = bench("eval", "several.py", *options, cwd=tmp_path)
    head, row, _ = done.out.splitlines()
    assert done.code == 1
    cells = dict(zip(head.split(), row.split(), strict=False))
    assert (cells["metric"], cells["score"], cells["errors"]) == ("-", "-", "2")


def test_where_nothing_loaded_there_is_no_table(bench, tmp_path):
    source = SEVERAL.format(primary="valid", higher=True).replace(
        "    each = ", "    raise RuntimeError('boom')\n    each = "
    )
    (tmp_path / "several.py").write_text(source, "utf-8")
    models = ["--model", "baseline/constant", "--model", "baseline/reference"]
    done = bench("eval", "several.py", *models, cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err.count("bench: several: its task function failed: RuntimeError: boom") == 2
    told = bench("eval", "several.py", *models, "--json", cwd=tmp_path).json()
    assert [each["status"] for each in told] == ["error", "error"]


def test_prices_give_a_column(bench, several):
    prices = '[tool.openbench.prices]\n"baseline/constant" = { input = 2000000, output = 0 }\n'
    (several / "openbench.toml").write_text(prices, "utf-8")
    done = bench("eval", "several.py", *CONSTANT, cwd=several)
    cells = dict(
        zip(
            done.out.split("\n")[0].split(),
            done.out.split("\n")[1].replace(" ± ", "±").replace(" ↓", "↓").split(),
            strict=False,
        )
    )
    [result] = bench("eval", "several.py", *CONSTANT, "--json", cwd=several).json()
    assert result["cost"] == 2 * result["input_tokens"] > 0
    assert cells["cost"] == f"{result['cost']:.2f}"
    (several / "openbench.toml").write_text("[tool.openbench.prices]\nm = 3\n", "utf-8")
    done = bench("eval", "several.py", *CONSTANT, cwd=several)
    assert (done.code, done.out) == (2, "")  # before anything was asked


# --- on a terminal ----------------------------------------------------------------------------------------------------


def shown(monkeypatch, models, columns):
    """Return the lines of a table on a terminal of so many columns."""
    leader, follower = os.openpty()
    monkeypatch.setenv("COLUMNS", str(columns))
    figures = {"status": "success", "metric": "is_valid_json/mean", "score": 0.5, "stderr": 0.01, "answered": 1.0}
    rows = [Summary(benchmark="mmlu", model=model, log="x.json", input_tokens=123_456, **figures) for model in models]
    with monkeypatch.context() as patched, os.fdopen(follower, "w") as terminal:
        patched.setattr(sys, "stdout", terminal)
        assert report(rows, as_json=False) == 0
        terminal.flush()
        text = os.read(leader, 100_000).decode()
    os.close(leader)
    return text.split("\r\n")


ALIKE = [f"openai-api/local/meta-llama-3.1-{size}b-instruct-fp8-dynamic" for size in (70, 8)]


def test_names_are_folded_on_a_narrow_terminal_and_whole_elsewhere(monkeypatch, capsys):
    lines = shown(monkeypatch, ALIKE, 80)
    assert max(map(len, lines)) <= 80
    assert "tokens" in lines[0]
    folded = "".join(line[11:25].strip() for line in lines)
    for model in ALIKE:
        assert model in folded
    wide = Summary(benchmark="mmlu", model=ALIKE[0], status="success", score=1.0, log="x.json")
    report([wide], as_json=False)
    assert ALIKE[0] in capsys.readouterr().out  # which is not a terminal
