"""A server's failure is no wrong answer: it is sent again, or unscored and counted by what stopped it."""

import re

import pytest
from inspect_ai.log import read_eval_log

from openbench_testing import ChatServer, Fault, Reply

pytestmark = pytest.mark.parametrize("engine", ["inspect", "direct"])


def question(request):
    return int(re.search(r"Question (\d)", request.prompt)[1])


def right(request):
    """Answer every question of the quiz right."""
    return f"Answer: {'ABC'[question(request) % 3]}"


def evaluate(bench, folder, server, engine, *more):
    options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--engine", engine, "--json"]
    return bench("eval", "quiz.py", *options, *more, cwd=folder)


def by_question(faults, times=99):
    """Make a script of faults that meets the first requests of each of some questions."""
    left = {number: [fault] * times for number, fault in faults.items()}

    def script(request, _number):
        mine = left.get(question(request))
        return mine.pop() if mine else None

    return script


def test_an_error_that_inspect_makes_an_output_of_is_unscored(bench, quiz, engine):
    faults = {
        1: Fault.status(400, code="context_length_exceeded", message="The maximum context length is 8192 tokens."),
        2: Fault.status(400, code="content_filter", message="The prompt was filtered. Answer: A"),
        4: Fault.status(400, code="invalid_prompt", message="Invalid prompt: your prompt was flagged."),
    }
    with ChatServer(right, faults=by_question(faults)) as server:
        done = evaluate(bench, quiz, server, engine)
        assert len(server.requests) == 6
    [result] = done.json()
    assert (done.code, result["score"], result["unscored"], result["answered"]) == (0, 1.0, 3, 0.5), done.err
    assert result["stop_reasons"] == {"context": 1, "filtered": 2}
    samples = {sample.id: sample for sample in read_eval_log(result["log"]).samples}
    for number, fault in faults.items():
        [score] = samples[f"q{number}"].scores.values()
        assert (score.reason, fault.error["message"] in score.explanation) == ("no_response", True)
    assert (
        "bench: quiz: 1 of 6 samples: context (the prompt does not fit the model's context window; unscored)."
        in done.err
    )
    assert "bench: quiz: only 50.0% of 6 samples hold an answer that can be read" in done.err
    again = bench("score", result["log"], "--json", cwd=quiz).json()[0]
    assert (again["score"], again["unscored"], again["stop_reasons"]) == (1.0, 3, result["stop_reasons"])


def test_what_the_model_gave_is_scored_and_counted(bench, quiz, engine):
    replies = [
        (Reply("Answer: A, since", "length"), "C", True),
        (Reply("My reasons are the following:", "length"), "I", False),
        (Reply("", "length"), "I", False),
        (Reply("", extra={"refusal": "I can't help. Answer: A"}), "C", False),
        (Reply("", "content_filter"), None, False),
        (Reply("Answer: C, and", "content_filter"), "C", True),
    ]
    with ChatServer(lambda request: replies[question(request)][0]) as server:
        done = evaluate(bench, quiz, server, engine)
    [result] = done.json()
    assert result["stop_reasons"] == {"truncated": 3, "refused": 1, "filtered": 2}, done.err
    assert (result["unscored"], result["answered"]) == (1, 2 / 6)
    assert "bench: quiz: 3 of 6 samples: truncated (the answer was cut off at" in done.err
    assert "--max-tokens" in done.err
    for sample in read_eval_log(result["log"]).samples:
        [score] = sample.scores.values()
        assert replies[int(sample.id[1])][1] in {score.value, None}


def test_a_response_without_an_answer_is_asked_for_again(bench, quiz, engine):
    kinds = [Fault.empty(), Fault.malformed(), Fault.no_choices(), Fault.error_in_choice(), Fault.error_in_body()]
    with ChatServer(right, faults=by_question(dict(enumerate(kinds)), 2)) as server:
        done = evaluate(bench, quiz, server, engine)
        assert len(server.requests) == 6 + 10
    [result] = done.json()
    assert (done.code, result["score"], result["retries"], result["stop_reasons"]) == (0, 1.0, 10, {}), done.err


def test_a_stream_without_a_whole_answer_is_asked_for_again(bench, quiz, engine):
    with ChatServer(right, faults=by_question({1: Fault.empty(), 2: Fault.cut_stream()})) as server:
        done = evaluate(bench, quiz, server, engine, "-M", "stream=true", "--no-fail-on-error", "--max-retries", "1")
        assert len(server.requests) == 6 + 2
    [result] = done.json()
    assert (done.code, result["score"], result["stop_reasons"]) == (0, 1.0, {"error": 2}), done.err


def test_one_that_never_has_an_answer_is_an_error(bench, quiz, engine):
    with ChatServer(right, faults=by_question({4: Fault.error_in_choice()})) as server:
        done = evaluate(bench, quiz, server, engine, "--no-fail-on-error")
        assert len(server.requests) == 6 + 3  # asking for ever would end no run
    [result] = done.json()
    assert (done.code, result["score"], result["errors"], result["stop_reasons"]) == (0, 1.0, 1, {"error": 1})
    assert "'message': 'Provider returned error'" in result["first_error"]


def test_the_table_counts_truncated_answers_if_there_are_any(bench, quiz, engine):
    model = ["--model", "openai-api/local/m", "--engine", engine]
    for reason, shown in (("length", "6"), ("stop", None)):
        with ChatServer(Reply("Answer: A", reason)) as server:
            done = bench("eval", "quiz.py", *model, "--model-base-url", server.base_url, cwd=quiz)
        row = dict(zip(*(re.split(r"\s{2,}", line) for line in done.out.splitlines()[:2]), strict=False))
        assert row.get("truncated") == shown, done.out


def test_tool_calls_that_nobody_asked_for_end(bench, quiz, engine):
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    reply = Reply("Answer: B", "tool_calls", {"tool_calls": [call]})
    with ChatServer(lambda request: reply if question(request) == 4 else right(request)) as server:
        done = evaluate(bench, quiz, server, engine)
        assert len(server.requests) == 6 + 3
    assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err


GRADED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, scorer
from openbench_scorers.model_graded import ask_grader, resolve_grader
from openbench.scorers.reasons import unscored
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("graded", "Graded.", "private", [], __name__, "graded")


@scorer(metrics=[accuracy()], default_grader="openai-api/judge/g")
def judge(model=None):
    async def score(state, target):
        grader = resolve_grader(model, "openai-api/judge/g")
        grades = {"A": "CORRECT", "B": "INCORRECT"}
        verdict = await ask_grader(grader, "Grade it.", grades=grades, answer="", targets=[])
        return Score(value=verdict.grade == "A") if verdict.grade else unscored("no verdict")

    return score


@scorer(metrics=[accuracy()])
def silent():
    async def score(state, target):
        return Score(value=(await get_model("openai-api/judge/h").generate("Well?")).completion == "A")

    return score


@task
def graded(undeclared: bool = False) -> Task:
    return Task([Sample("?", id=1)], scorer=silent() if undeclared else judge())
"""


@pytest.mark.parametrize(
    "grader",
    [
        ["--model-role", "grader=openai-api/judge/r"],
        pytest.param([], marks=pytest.mark.stress),
        pytest.param(["-T", "undeclared=true"], marks=pytest.mark.stress),
    ],
)
def test_a_grader_that_hangs_is_given_up_in_time(bench, tmp_path, engine, grader):
    (tmp_path / "graded.py").write_text(GRADED, "utf-8")
    with ChatServer("A", faults=lambda request, _: Fault.silent() if request.model != "m" else None) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--timeout", "2", "--json"]
        judge = {"JUDGE_API_KEY": "x", "JUDGE_BASE_URL": server.base_url}
        done = bench("eval", "graded.py", *options, "--engine", engine, *grader, cwd=tmp_path, seconds=20, **judge)
        assert len(server.requests) == 2
    assert (done.code, "AttemptTimeoutError" in done.json()[0]["error"]) == (1, True), done.err


@pytest.mark.parametrize("grader", [[], ["-T", "undeclared=true"]])
def test_a_grader_is_asked_again_as_often_as_said(bench, tmp_path, engine, grader):
    (tmp_path / "graded.py").write_text(GRADED, "utf-8")
    with ChatServer("A", faults=lambda request, _: Fault.status(500) if request.model != "m" else None) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-retries", "1"]
        judge = {"JUDGE_API_KEY": "x", "JUDGE_BASE_URL": server.base_url}
        done = bench("eval", "graded.py", *options, "--engine", engine, *grader, cwd=tmp_path, **judge)
        assert (done.code, len(server.requests)) == (1, 3), done.err


def test_a_grader_that_gives_an_error_gives_no_grade(bench, tmp_path, engine):
    (tmp_path / "graded.py").write_text(GRADED, "utf-8")
    fault = Fault.status(400, code="content_filter", message="Grade: A")
    with ChatServer("A", faults=lambda request, _: fault if request.model != "m" else None) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json", "--engine", engine]
        judge = {"JUDGE_API_KEY": "x", "JUDGE_BASE_URL": server.base_url}
        [result] = bench("eval", "graded.py", *options, cwd=tmp_path, **judge).json()
    assert (result["unscored"], result["score"]) == (1, None)
