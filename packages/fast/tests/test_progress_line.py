"""The progress line: what it says, that it fits, and what it does to a terminal and to a pipe."""

import math
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalSample,
    EvalSpec,
    HeadlineMetric,
)
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from openbench.run import progress
from openbench.run.identity import spec_count
from openbench.run.summary import Headline, expected_headline
from openbench_fast import progress as line
from openbench_fast.progress import WIDTH, Figures, Progress, ProgressLine, figures_of, show
from openbench_testing import ChatServer


def spec(samples=10, limit=None, epochs=None, **more):
    return EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        eval_id=more.pop("eval_id", "e"),
        task="t",
        model="m",
        dataset=EvalDataset(samples=samples),
        config=EvalConfig(limit=limit, epochs=epochs),
        **more,
    )


def sample(value=None, *, text="Answer: A", error=None, scores=None, tokens=(3, 4), reason=None):
    made = {"only": Score(value=value, reason=reason)} if value is not None else scores
    return EvalSample(
        id=1,
        epoch=1,
        input="?",
        target="A",
        output=ModelOutput.from_content("m", text),
        scores=made,
        error=error,
        model_usage={"m": ModelUsage(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens))},
    )


def told(done, planned=100, seconds=10.0, **more):
    known = Progress(planned={"e": planned}, started=0.0, **more)
    for figures in done:
        known.add(figures)
    return known.text(seconds)


RIGHT = Figures(error=False, answered=True, score=1.0)
WRONG = Figures(error=False, answered=True, score=0.0)
SILENT = Figures(error=False, answered=False, score=None)
FAILED = Figures(error=True, answered=False, score=None)


# --- what it says ---------------------------------------------------------------------------------------------------


def test_everything_at_once():
    line = told([RIGHT] * 30 + [WRONG] * 10 + [SILENT] * 9 + [FAILED])
    assert line == "50/100 samples, mean 0.750, 81.6% answered, 1 error, 10 s left"


def test_the_beginning_and_the_end():
    assert told([]) == "0/100 samples, 10 s"
    assert told([RIGHT]) == "1/100 samples, mean 1.000, 100.0% answered, 16 min left"
    assert told([RIGHT, WRONG], planned=2, seconds=75) == "2/2 samples, mean 0.500, 100.0% answered, 1 min"


@pytest.mark.parametrize(
    ("headline", "text"),
    [
        (Headline("accuracy", "main"), "accuracy 1.000"),
        (Headline("accuracy", "main", reducer="pass@2"), "accuracy pass@2 1.000"),
        (Headline("deviation/mean", "main", higher_is_better=False), "deviation/mean ↓ 1.000"),
        (Headline("macro_f1", "main", is_mean=False), "mean 1.000"),
    ],
)
def test_the_mean_has_the_name_of_what_it_is_of(headline, text):
    assert told([RIGHT], headline=headline).startswith(f"1/100 samples, {text}, 100.0% answered, ")


def test_several_tasks_have_no_common_mean():
    known = Progress(planned={"a": 1, "b": 1}, started=0.0)
    known.add(RIGHT)
    assert known.text(1.0) == "1/2 samples, 100.0% answered, 1 s left"


def test_a_wait_counts_down_and_goes():
    known = Progress(planned={"e": 6}, started=0.0, wait=("retry 1 of m", "RateLimitError 429", 20.0))
    assert known.text(8.0) == "0/6 samples, 8 s, retry 1 of m in 12 s (RateLimitError 429)"
    assert known.text(8.0, 60) == "0/6 samples, 8 s, retry 1 of m in 12 s (RateLimitError 429)"
    assert known.text(8.0, 58) == "0/6 samples, retry 1 of m in 12 s (RateLimitError 429)"
    assert known.text(8.0, 30) == "0/6 samples, retry 1 of m in 1"
    assert known.text(22.0) == "0/6 samples, 22 s"


@pytest.mark.parametrize(
    ("seconds", "said"), [(30, "30 s"), (90, "2 min"), (3 * 3600, "3.0 h"), (100 * 3600, "4.2 days")]
)
def test_times(seconds, said):
    assert told([], seconds=seconds) == f"0/100 samples, {said}"


figures = st.builds(
    Figures,
    error=st.booleans(),
    answered=st.booleans(),
    score=st.none() | st.floats(-1e6, 1e6),
)


@given(
    st.lists(figures, max_size=20),
    st.integers(20, 10**9),
    st.floats(0.001, 1e7),
    st.integers(1, WIDTH),
    st.tuples(st.text(max_size=90), st.text(max_size=20), st.floats(0, 1e7)),
)
def test_it_fits_whatever_happens(done, planned, seconds, width, wait):
    known = Progress(planned={"e": planned}, started=0.0, wait=wait)
    for each in done:
        known.add(each)
    line = known.text(seconds, width)
    assert len(line) <= width
    assert line.startswith(f"{len(done)}/{planned} samples"[:width])


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=50))
def test_the_mean_is_that_of_the_scores(scores):
    tally = Progress(planned={"e": 99})
    for score in scores:
        tally.add(Figures(error=False, answered=True, score=score))
    assert f", mean {sum(scores) / len(scores):.3f}, " in tally.text(0.0)


# --- what it reads --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1.0), ("P", 0.5), ("I", 0.0), ("N", 0.0), (True, 1.0), (0.25, 0.25), (math.nan, None), ("maybe", None)],
)
def test_scores(value, score):
    assert figures_of(sample(value), None) == Figures(error=False, answered=True, score=score)


def test_a_score_of_several_values():
    headline = Headline("f1/mean", "main", key="f1")
    assert figures_of(sample({"em": 0.0, "f1": 0.5}), headline).score == 0.5
    assert figures_of(sample({"em": 0.0}), headline).score is None


def test_what_is_not_answered():
    assert not figures_of(sample("I", text="  "), None).answered
    assert not figures_of(sample("I", reason="refusal"), None).answered
    error = EvalError(message="boom", traceback="", traceback_ansi="")
    assert figures_of(sample("C", error=error), None) == Figures(error=True, answered=False, score=None)


def test_the_headline_is_found_among_scorers():
    main = {"name": "acme/main", "metrics": {"p*": [{"name": "inspect_ai/accuracy"}]}}
    scorers = [{"name": "other", "metrics": [{"name": "inspect_ai/mean"}]}, main]
    headline = expected_headline(spec(scorers=scorers, headline_metric=HeadlineMetric(metric="accuracy")))
    assert (headline.name, headline.scorer, headline.key) == ("p*/accuracy", "main", "p*")
    scores = {"other": Score(value=0.0), "main": Score(value={"other": 0.0, "part": 1.0})}
    assert figures_of(sample(scores=scores), headline).score == 1.0
    assert expected_headline(spec(scorers=scorers)).name == "other/mean"
    assert expected_headline(spec()) is None


@pytest.mark.parametrize(
    ("limit", "epochs", "planned"), [(None, None, 10), (4, 3, 12), (99, 1, 10), ((8, 99), 2, 4), ((3, 5), None, 2)]
)
def test_what_is_planned(limit, epochs, planned):
    assert spec_count(spec(limit=limit, epochs=epochs)) == planned


# --- how it is told -------------------------------------------------------------------------------------------------


def test_an_engine_tells_of_its_samples(capsys):
    with progress.showing(ProgressLine()):
        progress.current().begin("j", spec(), 3)
        show(RIGHT)
        show(WRONG)
        progress.current().waiting("retry 2 of m", 5, "TimeoutError")
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "2/3 samples, mean 0.500, 100.0% answered, retry 2 of m in 5 s (TimeoutError)\n"


def test_nothing_happens_without_a_line(capsys):
    progress.current().begin("j", spec(), 1)
    show(RIGHT)
    progress.current().waiting("x", 1, "y")
    assert capsys.readouterr() == ("", "")


def test_nothing_is_said_of_a_run_that_planned_nothing(capsys):
    with progress.showing(ProgressLine()):
        pass
    assert capsys.readouterr().err == ""


def test_lines_come_while_nothing_happens(capsys, monkeypatch):
    monkeypatch.setattr(line, "PLAIN_SECONDS", 0.05)
    with progress.showing(ProgressLine()):
        progress.current().begin("j", spec(), 2)
        time.sleep(0.4)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 3
    assert {*lines} == {"0/2 samples, 0 s"}


def test_a_note_has_a_line_of_its_own(capsys, monkeypatch):
    progress.note("without a line")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(line, "TERMINAL_SECONDS", 0.02)
    with progress.showing(ProgressLine()):
        progress.current().begin("j", spec(), 3)
        time.sleep(0.2)
        progress.note("a note")
        time.sleep(0.2)
    first, rest = capsys.readouterr().err.split("\n", 1)
    assert first == "without a line"
    before, after = rest.split("\n")
    assert before.split("\r") == ["", "0/3 samples, 0 s", "a note".ljust(len("0/3 samples, 0 s"))]
    assert after.split("\r")[1] == "0/3 samples, 0 s"


def test_a_reader_that_leaves_ends_no_run(monkeypatch):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w", closefd=True) as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with progress.showing(ProgressLine()):
            progress.current().begin("j", spec(), 1)
            show(RIGHT)
        monkeypatch.undo()
        with pytest.raises(BrokenPipeError):
            stream.close()


def test_a_sample_costs_little():
    done = sample("C")
    with progress.showing(ProgressLine()):
        progress.current().begin("j", spec(), 5_000)
        start = time.process_time()
        for _ in range(5_000):
            progress.current().ended("j", done)
        each = (time.process_time() - start) / 5_000
    assert each < 100e-6  # measured: 5 µs; a sample takes a millisecond at the least


# --- in a run -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_a_pipe_gets_plain_lines_and_stdout_only_results(bench, quiz, engine):
    with ChatServer("Answer: A") as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--engine", engine]
        done = bench("eval", "quiz.py", *options, "--json", cwd=quiz)
        quiet = bench("eval", "quiz.py", *options, "--json", "--display", "none", cwd=quiz)
    assert done.code == 0, done.err
    assert done.json()[0]["completed"] == 6
    (line,) = done.err.splitlines()
    assert line.startswith("6/6 samples, accuracy 0.333, 100.0% answered, ")
    assert (quiet.code, quiet.err) == (0, "")


def test_a_terminal_is_left_clean(quiz):
    leader, follower = pty.openpty()
    with ChatServer(slow) as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--max-connections", "1"]
        running = subprocess.Popen(
            [Path(sys.executable).with_name("bench"), "eval", "quiz.py", *options],
            cwd=quiz,
            env={**os.environ, "LOCAL_API_KEY": "x"},
            stdout=subprocess.DEVNULL,
            stderr=follower,
        )
        os.close(follower)
        shown = b""
        try:
            while part := _read(leader):
                shown += part
            assert running.wait(60) == 0
        finally:
            running.kill()
            os.close(leader)
    lines = shown.decode().split("\r")
    assert "\n" not in shown.decode()
    assert any(line.startswith("3/6 samples, accuracy 0.333, 100.0% answered, ") for line in lines)
    assert lines[-1] == ""
    assert max(map(len, lines)) <= WIDTH


def slow(_request):
    time.sleep(0.4)
    return "Answer: A"


def _read(descriptor):
    try:
        return os.read(descriptor, 4096)
    except OSError:  # what Linux says when the other end is closed
        return b""
