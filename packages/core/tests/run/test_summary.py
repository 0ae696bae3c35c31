"""The figures of a run: which one stands for it, and that what cannot be scored is unscored and counted."""

import json
import os
import re
import sys

import pytest
from inspect_ai import Epochs, Task, eval  # noqa: A004 - inspect's name
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample, HeadlineMetric, read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, accuracy, mean, metric, scorer, stderr

from openbench.cli.results_table import report
from openbench.run.summary import Summary, expected_headline, headline_of, is_answered_sample
from openbench_testing import ChatServer, Fault

ODD = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, mean, scorer, stderr
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Odd", "Scores of all kinds.", "knowledge", [], __name__, "odd")
NAN, INF = float("nan"), float("inf")


@scorer(metrics=[mean()])
def values(given):
    async def score(state, target):
        value = given[state.sample_id % len(given)]
        return None if value == "none" else Score(value=value)

    return score


@scorer(metrics=[mean()])
def failing():
    async def score(state, target):
        if state.sample_id == 2:
            raise RuntimeError("boom")
        return Score(value=1.0)

    return score


@scorer(metrics={"*": [mean()]})
def parts(given):
    async def score(state, target):
        return Score(value=given[state.sample_id % len(given)])

    return score


KINDS = {
    "nan": values([1.0, NAN]),
    "all_nan": values([NAN]),
    "infinite": values([1.0, -INF]),
    "none": values([1.0, "none"]),
    "text": values(["C", "I"]),
    "no_grade": values([1.0, "weird"]),
    "grades": values(["P", "N", "yes", "0.5"]),
    "boom": failing(),
    "some_parts": parts([{"a": 1.0, "b": NAN}, {"a": 0.0, "b": 1.0}]),
    "no_part": parts([{"a": 1.0, "b": 0.5}, {"a": NAN, "b": NAN}]),
    "infinite_part": parts([{"a": 1.0, "b": 0.5}, {"a": INF, "b": 1.0}]),
}


@task
def odd(kind: str = "nan", rows: int = 4) -> Task:
    return Task([Sample("?", id=n) for n in range(rows)], scorer=KINDS[kind])
"""


@pytest.fixture
def odd(tmp_path):
    (tmp_path / "odd.py").write_text(ODD, "utf-8")
    return tmp_path


COUNTS = "of 4 samples have no score that counts, see the log. The first:"


@pytest.mark.parametrize(
    ("kind", "code", "score", "unscored", "lines"),
    [
        ("nan", 0, 1.0, 2, [f"2 {COUNTS} 1: nan"]),
        ("all_nan", 1, None, 4, [f"4 {COUNTS} 0: nan", "its values/mean is not a number."]),
        ("infinite", 1, None, 2, [f"2 {COUNTS} 1: -inf", "its values/mean is not a number."]),
        ("none", 0, 1.0, 2, [f"2 {COUNTS} 1: nothing from values"]),
        ("text", 0, 0.5, 0, []),
        ("no_grade", 0, 0.5, 2, [f"2 {COUNTS} 1: 'weird' from values is not a grade, and counts as 0"]),
        ("grades", 0, 0.5, 0, []),
        ("some_parts", 0, 0.5, 0, []),  # a value may not apply to every sample
        ("no_part", 0, 1.0, 2, [f"2 {COUNTS} 1: {{'a': nan, 'b': nan}}"]),
        ("infinite_part", 1, None, 2, [f"2 {COUNTS} 1: {{'a': inf, 'b': 1.0}}", "its a/mean is not a number."]),
    ],
)
def test_scores_that_are_no_numbers(bench, odd, kind, code, score, unscored, lines):
    done = bench("eval", "odd.py", "--model", "baseline/echo", "-T", f"kind={kind}", "--json", cwd=odd)
    [result] = done.json()
    assert (done.code, result["status"], result["score"], result["unscored"]) == (code, "success", score, unscored)
    told = [line for line in done.err.splitlines() if line.startswith("bench: ")]
    assert told == [f"bench: odd: {line}" for line in lines]


def test_an_error_names_its_sample_and_the_way_out(bench, odd):
    command = ("eval", "odd.py", "--model", "baseline/echo", "-T", "kind=boom", "--json")
    done = bench(*command, cwd=odd)
    [result] = done.json()
    line = 1 + ODD.splitlines().index('            raise RuntimeError("boom")')
    raised = f"RuntimeError: boom (odd.py, line {line})"
    assert (done.code, result["error"], result["error_sample"]) == (1, raised, 2)
    assert f"bench: odd: sample 2: {raised}\n" in done.err
    assert "with --no-fail-on-error, it continues without the sample.\n" in done.err
    done = bench(*command, "--no-fail-on-error", cwd=odd)
    [result] = done.json()
    assert (done.code, result["score"], result["error"], result["errors"]) == (0, 1.0, None, 1)
    assert f"The first: sample 2: {raised}\n" in done.err


@pytest.mark.parametrize("tolerated", ["1", "0.2"])
def test_what_was_tolerated_is_said(bench, odd, tolerated):
    command = ("eval", "odd.py", "--model", "baseline/echo", "-T", "kind=boom", "--fail-on-error", tolerated)
    done = bench(*command, "--json", cwd=odd)
    [result] = done.json()
    assert (done.code, result["error_sample"], result["tolerated"]) == (1, 2, float(tolerated))
    assert (
        f"1 of 4 samples ended in an error, at which --fail-on-error {tolerated} ends the run; with "
        "--no-fail-on-error, it continues without them.\n"
    ) in done.err


def test_the_table_counts_them(bench, odd):
    for kind, score in (("nan", "1.000"), ("infinite", "-")):
        done = bench("eval", "odd.py", "--model", "baseline/echo", "-T", f"kind={kind}", cwd=odd)
        row = dict(zip(*(line.split() for line in done.out.splitlines()[:2]), strict=False))
        assert (row["score"], row["unscored"]) == (score, "2")


def test_how_a_library_computed_the_headline_is_shown(bench, odd):
    signed = ODD.replace(
        "scorer=KINDS[kind])", 'scorer=KINDS[kind], metadata={"signatures": {"values/mean": "case:lc"}})'
    )
    (odd / "odd.py").write_text(signed, "utf-8")
    options = ("odd.py", "--model", "baseline/echo", "-T", "kind=text")
    assert bench("eval", *options, cwd=odd).out.splitlines()[-1] == "odd: values/mean is case:lc"
    [result] = bench("eval", *options, "--json", cwd=odd).json()
    assert result["signatures"] == {"values/mean": "case:lc"}


def test_a_log_without_samples_counts_them(bench, odd):
    done = bench("eval", "odd.py", "--model", "baseline/echo", "--no-log-samples", "--json", cwd=odd)
    [result] = done.json()
    assert (done.code, result["score"], result["unscored"], result["first_unscored"]) == (0, 1.0, 2, None)
    assert "bench: odd: 2 of 4 samples have no score that counts.\n" in done.err


def test_what_was_not_to_be_scored_is_not_counted(bench, odd):
    done = bench("eval", "odd.py", "--model", "baseline/echo", "--no-score", "--json", cwd=odd)
    [result] = done.json()
    assert (done.code, result["score"], result["unscored"]) == (0, None, None), done.err


def test_runs_without_a_sample(bench, odd, quiz):
    for options, text in (
        (["odd.py", "--limit", "4,9"], "odd: --limit 4,9 selects none of its 4 samples."),
        (["odd.py", "-T", "rows=0"], "odd: The specified dataset is empty (has no samples)"),
    ):
        done = bench("eval", *options, "--model", "baseline/echo", cwd=odd)
        assert (done.code, done.out, done.err) == (2, "", f"bench: {text}\n")
    (quiz / "rows.jsonl").write_text("", "utf-8")
    done = bench("eval", "quiz.py", "--model", "baseline/echo", "--json", cwd=quiz)
    assert (done.code, done.json()[0]["status"]) == (1, "error")
    assert done.err == f"bench: quiz: {quiz}/rows.jsonl has no rows\n"


# --- graders --------------------------------------------------------------------------------------------------------

GRADED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Graded", "Inspect grades.", "knowledge", [], __name__, "graded")


@task
def graded() -> Task:
    return Task([Sample(f"Question {n}?", target="yes", id=n) for n in range(4)], scorer=model_graded_qa())
"""


@pytest.fixture
def grade(bench, tmp_path):
    """A function that runs `bench` in a folder with `graded.py`, with a server for the grader."""
    (tmp_path / "graded.py").write_text(GRADED, "utf-8")

    def run(server, *arguments):
        role = ["--model-role", "grader=openai-api/judge/g", "--json"]
        key = {"JUDGE_API_KEY": "x", "JUDGE_BASE_URL": server.base_url, "OPENAI_MAX_RETRIES": "0"}
        return bench(*arguments, *role, cwd=tmp_path, **key)

    return run


def reply(request):
    """Grade two questions, and be of no use for the others."""
    number = re.search(r"Question (\d)", request.prompt)[1]
    return {"0": "GRADE: C", "1": "GRADE: I", "2": ""}.get(number, "I would rather not. GRADE: Q")


ECHO = ["--model", "baseline/echo", "--logfile", "run.eval"]


def test_a_grader_that_says_nothing_of_use(grade):
    with ChatServer(reply) as server:
        done = grade(server, "eval", "graded.py", *ECHO)
    [result] = done.json()
    assert (done.code, result["score"], result["unscored"], result["grader_failures"]) == (0, 0.5, 2, 2), done.err
    assert (
        "bench: graded: 2 of 4 samples have no score that counts, see the log. The first: 2: grader_failed" in done.err
    )


def faulty(request, _number):
    return Fault.status(400) if "Question 2?" in request.prompt else None


def test_a_grader_that_fails_is_an_error_of_the_sample(grade, tmp_path):
    with ChatServer("GRADE: C", faults=faulty) as server:
        done = grade(server, "eval", "graded.py", *ECHO, "--no-fail-on-error")
    [result] = done.json()
    assert (done.code, result["score"], result["unscored"], result["errors"]) == (0, 1.0, 0, 1), done.err
    (tmp_path / "run.eval").unlink()
    with ChatServer("GRADE: C", faults=faulty) as server:
        done = grade(server, "eval", "graded.py", *ECHO)
    [result] = done.json()
    assert (done.code, result["status"]) == (1, "error")
    assert "Continue with: bench eval --resume runs/" in done.err


def test_a_grader_that_fails_when_a_log_is_scored_again(grade, tmp_path):
    with ChatServer("GRADE: C") as server:
        assert grade(server, "eval", "graded.py", *ECHO).code == 0
    with ChatServer("GRADE: C", faults=faulty) as server:
        done = grade(server, "score", "run.eval")
    [result] = done.json()
    assert (done.code, result["score"], result["unscored"], result["completed"]) == (0, 1.0, 1, 4), done.err
    assert "The first: 2: scoring_failed: BadRequestError('Error code: 400" in done.err
    (log,) = tmp_path.glob("*-scored.eval")
    [failed] = [sample for sample in read_eval_log(str(log)).samples if sample.id == 2]
    assert "Traceback" in failed.scores["model_graded_qa"].explanation


def test_samples_that_ended_in_an_error_stay_without_a_score(bench, quiz):
    """Their output is empty, which a scorer would take for a wrong answer."""
    faults = [None, None, Fault.status(400)]
    with ChatServer("Answer: A", faults=faults) as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--logfile", "run.eval"]
        done = bench("eval", "quiz.py", *model, "--no-fail-on-error", "--json", cwd=quiz)
    [before] = done.json()
    assert (done.code, before["completed"], before["errors"]) == (0, 5, 1), done.err
    for more in ([], ["--action", "append"], ["--scorer", "match"]):
        done = bench("score", "run.eval", *more, "--output", "scored.json", "--json", cwd=quiz)
        [after] = done.json()
        assert (done.code, after["completed"], after["errors"], after["unscored"]) == (0, 5, 1, 0), done.err
        assert after["metrics"]["mcq_scorer"] == before["metrics"]["mcq_scorer"]
    scored = json.loads((quiz / "scored.json").read_text("utf-8"))
    assert [bool(sample.get("scores")) for sample in scored["samples"]].count(False) == 1


@pytest.mark.parametrize(
    ("reasons", "text", "answered"),
    [
        ([None, "invalid_response_format"], "A", True),
        (["invalid_response_format", "no_response"], "A", False),
        ([None], " ", False),
        ([], "A", True),
    ],
)
def test_an_answer_is_one_that_a_scorer_could_read(reasons, text, answered):
    """One of several scorers that refuses the format is no reason to say that nothing was answered."""
    scores = {str(number): Score(value=0, reason=reason) for number, reason in enumerate(reasons)}
    output = ModelOutput.from_content("m", text)
    sample = EvalSample(id=1, epoch=1, input="?", target="A", output=output, scores=scores)
    assert is_answered_sample(sample) == answered


def test_a_tool_call_without_a_text_is_an_answer():
    output = ModelOutput.for_tool_call("m", "add", {"a": 1}, content="")
    sample = EvalSample(id=1, epoch=1, input="?", target="A", output=output, scores={"0": Score(value=1)})
    assert is_answered_sample(sample)


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
    assert "3/3 samples, deviation/mean ↓ 0.500, " in done.err
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
