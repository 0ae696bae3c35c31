"""What cannot be scored is unscored and counted: no silent zero, no mean that is no number, no run without a sample."""

import json
import re

import pytest
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score

from openbench.run.summary import is_answered_sample
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
    assert "with --no-fail-on-error it goes on without the sample.\n" in done.err
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
        f"1 of 4 samples ended in an error, at which --fail-on-error {tolerated} ends the run; with --no-fail-on-error "
        "it goes on without them.\n"
    ) in done.err


def test_the_table_counts_them(bench, odd):
    for kind, score in (("nan", "1.000"), ("infinite", "-")):
        done = bench("eval", "odd.py", "--model", "baseline/echo", "-T", f"kind={kind}", cwd=odd)
        row = dict(zip(*(line.split() for line in done.out.splitlines()[:2]), strict=False))
        assert (row["score"], row["unscored"]) == (score, "2")


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
    assert "Continue with: bench eval-retry run.eval" in done.err


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
