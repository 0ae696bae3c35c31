"""`bench score`: a log is scored again, in a fresh process, without the model that was evaluated."""

from importlib.metadata import version

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from openbench_testing import ChatServer

SCORERS = """
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer, stderr
from openbench_scorers.model_graded import ask_grader, resolve_grader


@scorer(metrics=[accuracy(), stderr()])
def shouts(word: str = "Answer", times: int = 1):
    async def score(state, target):
        return Score(value=CORRECT if state.output.completion.count(word) >= times else INCORRECT)

    return score


@scorer(metrics=[accuracy()])
def judged():
    async def score(state, target):
        grader = resolve_grader(None, "openai/gpt-4.1")
        grades = {"A": "GOOD", "B": "BAD"}
        verdict = await ask_grader(grader, state.input_text, grades=grades, answer="", targets=[])
        return Score(value=CORRECT if verdict.grade == "A" else INCORRECT)

    return score


def plain():
    pass
"""


@pytest.fixture
def log(bench, quiz):
    """The log of a run of the quiz by a server that is gone by now, in groups."""
    with ChatServer("Answer: A") as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "-T", "grouped=true"]
        done = bench("eval", "quiz.py", *options, "--logfile", "run.eval", cwd=quiz)
    assert done.code == 0, done.err
    (quiz / "scorers.py").write_text(SCORERS, "utf-8")
    return quiz / "run.eval"


def metrics(path):
    results = read_eval_log(str(path)).results
    return {score.name: {name: metric.value for name, metric in score.metrics.items()} for score in results.scores}


GROUPED = {"accuracy", "stderr", "std", "even", "odd", "even_stderr", "odd_stderr"}


def test_its_own_scorer_takes_its_own_place(bench, quiz, log, fresh_bench):
    before = metrics(log)
    assert set(before["mcq_scorer"]) == GROUPED
    # a fresh process without any key
    done = fresh_bench("score", "run.eval", "--json", cwd=quiz, LOCAL_API_KEY="")
    [result] = done.json()
    assert (done.code, result["benchmark"], result["score"]) == (0, "quiz", pytest.approx(1 / 3)), done.err
    assert result["log"].endswith("run-scored.eval")
    assert metrics(quiz / "run-scored.eval") == before
    assert metrics(log) == before
    # over itself, twice: nothing piles up
    for _ in range(2):
        assert bench("score", "run.eval", "--overwrite", cwd=quiz).code == 0
    assert metrics(log) == before
    samples = read_eval_log(str(log)).samples
    assert [set(sample.scores) for sample in samples] == [{"mcq_scorer"}] * 6


def test_an_edited_answer_is_scored_anew(bench, quiz, log):
    read = read_eval_log(str(log))
    for sample in read.samples:
        sample.output.completion = f"Answer: {sample.target}"
    write_eval_log(read, str(quiz / "edited.eval"))
    done = bench("score", "edited.eval", "--output", "place.json", "--json", cwd=quiz)
    assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err
    assert metrics(quiz / "place.json")["mcq_scorer"]["odd"] == 1.0


def test_another_scorer_stands_beside(bench, quiz, log):
    done = bench(
        "score", "run.eval", "--scorer", "pattern", "-S", r"regex=\b[A-D]\b", "--output", "beside.eval", cwd=quiz
    )
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split()[:4] == ["benchmark", "model", "metric", "score"]
    assert done.out.splitlines()[1].split()[2] == "pattern/accuracy"
    assert bench("log", "show", "beside.eval", cwd=quiz).out.startswith("score        pattern/accuracy 0.333")
    both = metrics(quiz / "beside.eval")
    assert list(both) == ["mcq_scorer", "pattern"]
    assert set(both["mcq_scorer"]) == GROUPED
    assert both["pattern"]["accuracy"] == pytest.approx(1.0 / 3)
    assert done.err.startswith("pattern: openbench-core 1.0.0 in place of inspect-ai ")
    (theirs,) = (scorer.metadata["openbench"] for scorer in read_eval_log(str(quiz / "beside.eval")).eval.scorers[1:])
    assert (theirs["name"], theirs["distribution"], theirs["rule"]) == ("pattern", "openbench-core", "builtin")
    assert list(metrics(log)) == ["mcq_scorer"]
    done = bench(
        *("score", "run.eval", "--scorer", "openbench/mcq_scorer", "--action", "overwrite", "--output", "other.eval"),
        cwd=quiz,
    )
    assert (done.code, list(metrics(quiz / "other.eval"))) == (0, ["mcq_scorer"]), done.err


def test_a_scorer_of_a_file(bench, quiz, log):
    done = bench("score", "run.eval", "--scorer", "scorers.py@shouts", "--action", "overwrite", "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["score"], list(result["metrics"])) == (0, 1.0, ["shouts"]), done.err
    more = ["-S", "times=2", "-S", "word=A"]
    done = bench("score", "run.eval", "--scorer", "scorers.py@shouts", *more, "--overwrite", "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["metrics"]["shouts"]["accuracy"]) == (0, 1.0), done.err
    assert list(metrics(log)) == ["mcq_scorer", "shouts"]
    assert read_eval_log(str(log)).eval.scorers[-1].options == {"times": 2, "word": "A"}


@pytest.mark.usefixtures("log")
def test_a_grader_is_the_only_model_that_is_asked(bench, quiz):
    with ChatServer("Grade: A") as grader:
        role = ["--model-role", "grader=openai-api/judge/g"]
        key = {"JUDGE_API_KEY": "x", "JUDGE_BASE_URL": grader.base_url}
        done = bench("score", "run.eval", "--scorer", "scorers.py@judged", *role, "--json", cwd=quiz, **key)
        assert len(grader.requests) == 6
    [result] = done.json()
    assert (done.code, result["metrics"]["judged"]["accuracy"]) == (0, 1.0), done.err


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["run.eval", "--scorer", "exct"], 2, "Unknown scorer 'exct'. Did you mean 'exact'?"),
        (["run.eval", "--scorer", "nosuch.py@shouts"], 2, "nosuch.py: there is no such Python file."),
        (["run.eval", "--scorer", "scorers.py@nosuch"], 2, "scorers.py has no function 'nosuch' that is decorated"),
        (["run.eval", "--scorer", "scorers.py@plain"], 2, "scorers.py has no function 'plain' that is decorated"),
        (
            ["run.eval", "--scorer", "scorers.py@shouts", "-S", "loud=1"],
            2,
            " takes no argument 'loud'. It takes: word, times.",
        ),
        (["run.eval", "-S", "loud=1"], 2, " rejects its arguments (-S): "),
        (["run.eval", "-S", "loud"], 2, "-S loud: expected key=value."),
        (["run.eval", "--overwrite", "--output", "x.eval"], 2, "--output and --overwrite cannot be combined."),
        (["missing.eval"], 2, "missing.eval does not exist."),
        (["broken.json"], 1, "broken.json cannot be read as a log: "),
    ],
)
def test_mistakes(bench, shared_log, arguments, code, text):
    done = bench("score", *arguments, cwd=shared_log)
    assert (done.code, done.out) == (code, "")
    assert text in done.err
    assert done.err.startswith("bench: ")
    assert len(done.err.splitlines()) == 1, done.err


@pytest.fixture(scope="module")
def shared_log(bench, tmp_path_factory):
    """A directory with a log that nobody changes."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "scorers.py").write_text(SCORERS, "utf-8")
    (folder / "broken.json").write_text("{", "utf-8")
    (folder / "empty.py").write_text(EMPTY, "utf-8")
    done = bench("eval", "empty.py", "--baseline", "echo", "--logfile", "run.eval", cwd=folder)
    assert done.code == 0, done.err
    return folder


EMPTY = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from openbench.scorers.mcq import create_mcq_scorer
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Empty", "One sample.", "knowledge", [], __name__, "empty")


@task
def empty() -> Task:
    return Task([Sample("A?", target="A")], scorer=create_mcq_scorer()())
"""


def test_a_log_without_samples(bench, shared_log):
    options = ["--baseline", "echo", "--no-log-samples", "--logfile", "bare.eval"]
    assert bench("eval", "empty.py", *options, cwd=shared_log).code == 0
    done = bench("score", "bare.eval", cwd=shared_log)
    assert (done.code, done.out) == (1, "")
    assert done.err.endswith("bare.eval has no samples to score.\n")


OWN = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from openbench.utils import BenchmarkMetadata
{imported}
__metadata__ = BenchmarkMetadata("Own", "A scorer of its own.", "knowledge", [], __name__, "own")


@scorer(metrics=[accuracy()])
def exact():
    async def score(state, target):
        return Score(value="C")

    return score


@task
def own() -> Task:
    return Task([Sample("?", target="Paris")], scorer={scorer}())
"""


@pytest.mark.parametrize(
    ("imported", "scorer", "whose"),
    [
        ("", "exact", "a file of its benchmark"),
        ("from inspect_ai.scorer import exact as of_inspect\n", "of_inspect", f"inspect-ai {version('inspect-ai')}"),
    ],
)
def test_another_scorer_of_the_logs_own_name_is_announced(bench, tmp_path, imported, scorer, whose):
    (tmp_path / "own.py").write_text(OWN.format(imported=imported, scorer=scorer), "utf-8")
    done = bench("eval", "own.py", "--baseline", "reference", "--logfile", "run.eval", cwd=tmp_path)
    assert done.code == 0, done.err
    done = bench("score", "run.eval", "--scorer", "exact", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.err.splitlines()[-1] == (
        f"exact: openbench-core {version('openbench-core')} is used, while the log's own exact is from {whose}; "
        "without --scorer the log's own are used"
    )


@pytest.mark.usefixtures("log")
def test_the_logs_own_scorer_by_name_is_not_announced(bench, quiz):
    done = bench("score", "run.eval", "--scorer", "mcq_scorer", cwd=quiz)
    assert (done.code, "the log's own" in done.err) == (0, False), done.err


SHARED = """
from inspect_ai.scorer import Score, mean, scorer


@scorer(metrics={"part": [mean()], "whole": [mean()]})
def strict():
    async def score(state, target):
        return Score(value={"part": 0, "whole": 1})

    return score


@scorer(metrics={"part": [mean()]})
def loose():
    async def score(state, target):
        return Score(value={"part": 0.5})

    return score
"""


@pytest.mark.usefixtures("log")
def test_a_key_of_two_scorers_has_the_figures_of_both(bench, quiz):
    (quiz / "shared.py").write_text(SHARED, "utf-8")
    for name, source in (("strict", "run.eval"), ("loose", "two.eval")):
        more = ["--output", "two.eval", "--action", "append", "--json"]
        done = bench("score", source, "--scorer", f"shared.py@{name}", *more, cwd=quiz)
        assert done.code == 0, done.err
    metrics = done.json()[0]["metrics"]
    assert {name: of for name, of in metrics.items() if name != "mcq_scorer"} == {
        "strict/part": {"mean": 0.0},
        "whole": {"mean": 1.0},
        "loose/part": {"mean": 0.5},
    }


PLAIN = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import SampleScore, Score, match, metric, scorer


@metric
def least():
    def smallest(scores: list[SampleScore]) -> float:
        return min(each.score.as_float() for each in scores)

    return smallest


@scorer(metrics=[least()])
def own():
    async def score(state, target):
        return Score(value=float(state.output.completion == target.text))

    return score


@task
def of_its_scorer() -> Task:
    return Task([Sample("?", target="Paris")], scorer=own())


@task
def of_its_metric() -> Task:
    return Task([Sample("?", target="Paris")], scorer=match(), metrics=[least()])
"""


@pytest.mark.parametrize("task", ["of_its_scorer", "of_its_metric"])
def test_a_task_without_metadata_is_scored_by_what_its_file_defines(bench, tmp_path, task):
    (tmp_path / "plain.py").write_text(PLAIN, "utf-8")
    done = bench("eval", "plain.py", "--baseline", "reference", "--json", cwd=tmp_path)
    log = next(each["log"] for each in done.json() if each["benchmark"] == task)
    for options in ([], ["--scorer", "plain.py@own"]):
        done = bench("score", log, *options, "--json", cwd=tmp_path)
        assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err
    (tmp_path / "plain.py").write_text(PLAIN + "# changed", "utf-8")
    done = bench("score", log, cwd=tmp_path)
    assert (done.code, f"{tmp_path / 'plain.py'} has changed since" in done.err) == (2, True), done.err
