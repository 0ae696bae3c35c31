"""`bench log show` and `bench reproduce --here`: what a log says of itself, and whether its run can be had again."""

import json
from importlib.metadata import version

import pytest
from inspect_ai import Task, eval  # noqa: A004 - inspect's name
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import match

from openbench_testing import ChatServer

CONSTANT = ["--model", "baseline/constant", "-M", "answer=Answer: A"]


@pytest.fixture
def log(bench, quiz):
    """The log of a run of the quiz."""
    done = bench("eval", "quiz.py", *CONSTANT, "-T", "level=hard", "--limit", "3", "--logfile", "run.json", cwd=quiz)
    assert done.code == 0, done.err
    return quiz / "run.json"


@pytest.fixture
def others_log(tmp_path):
    """The log of a task that inspect ran by itself."""
    task = Task(dataset=[Sample(id=1, input="Which?", target="A")], scorer=match(), name="theirs")
    [log] = eval(task, model="none", log_dir=str(tmp_path / "theirs"), display="none", run_samples=False)
    return log.location


@pytest.mark.usefixtures("log")
def test_what_it_shows(bench, quiz):
    done = bench("log", "show", "run.json", cwd=quiz)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    labels = [line[:13].strip() for line in lines if line[:13].strip()]
    assert labels == [
        *(
            "score",
            "metrics",
            "task",
            "status",
            "run",
            "benchmark",
            "source",
            "task args",
            "model",
            "model args",
            "options",
            "engine",
        ),
        *("dataset", "revision", "rows", "prompt", "scorers", "solvers", "command", "python", "versions", "local"),
    ]
    [run] = (quiz / "runs").iterdir()
    shown = " ".join(line.strip() for line in lines)
    for text in (
        "quiz of a local eval",
        "level=hard",
        "limit=3",
        "none: the source is not pinned",
        "openbench/mcq_scorer (openbench-core 1.0.0)",
        "bench eval quiz.py --model baseline/constant",
        "success, 3 of 3 samples",
        f"runs/{run.name}",
        f"click=={version('click')},",
    ):
        assert text in shown
    assert "Missing:" not in done.out
    assert "Question" not in done.out


def test_as_json(bench, quiz, log):
    done = bench("log", "show", "run.json", "--json", cwd=quiz)
    assert done.code == 0, done.err
    told = done.json()
    assert (told["by_openbench"], told["missing"], told["status"]) == (True, [], "success")
    assert told["openbench"] == read_eval_log(str(log), header_only=True).eval.metadata["openbench"]
    assert "samples" not in told


def test_a_log_of_another_program(bench, quiz, others_log):
    done = bench("log", "show", others_log, cwd=quiz)
    assert done.code == 0, done.err
    assert "task         theirs" in done.out
    assert " ".join(done.out.split()).endswith(
        "The log was not written by bench eval. Missing: the benchmark, the rule that chose its provider, the rows, "
        "the digest of the prompts, the scorers and their arguments, the solvers and their arguments, package "
        "versions, the command, the settings of the run."
    )
    told = bench("log", "show", others_log, "--json", cwd=quiz).json()
    assert (told["by_openbench"], told["openbench"], len(told["missing"])) == (False, None, 9)


def test_a_log_that_says_a_part(bench, quiz, log):
    read = read_eval_log(str(log))
    del read.eval.metadata["openbench"]["prompt"]
    write_eval_log(read, str(log))
    done = bench("log", "show", "run.json", cwd=quiz)
    assert done.out.splitlines()[-1] == "Missing: the digest of the prompts."


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("log", "show", "none.json"), 2, "bench: none.json does not exist.\n"),
        (("log", "show", "."), 2, "bench: . is a directory. Name the logs in it.\n"),
        (("log", "show", "broken.json"), 1, "bench: broken.json cannot be read as a log: "),
        (("reproduce", "none.json"), 2, "bench: none.json does not exist.\n"),
    ],
)
def test_mistakes(bench, quiz, arguments, code, text):
    (quiz / "broken.json").write_text("{", "utf-8")
    done = bench(*arguments, cwd=quiz)
    assert done.code == code
    assert done.err.startswith(text)


def test_no_secret_of_another_program_is_shown(bench, quiz, others_log):
    read = read_eval_log(others_log)
    read.eval.model_base_url, read.eval.model_args = "http://u:hidden-one@h/v1", {"password": "hidden-two"}
    write_eval_log(read, others_log)
    for more in ((), ("--json",)):
        done = bench("log", "show", others_log, *more, cwd=quiz)
        assert done.code == 0
        assert "hidden" not in done.out


# --- again ----------------------------------------------------------------------------------------------------------


def test_the_same_run_agrees(bench, quiz, log):
    done = bench("reproduce", "run.json", cwd=quiz)
    assert done.code == 0, done.err
    assert done.out.splitlines()[:2] == ["accuracy 0.333 -> 0.333", "3 of 3 samples agree in answer and score"]
    assert f"{quiz / 'quiz.py'} was not a release: its current files are used" in done.err
    again = read_eval_log(done.out.splitlines()[2])
    before = read_eval_log(str(log))
    assert again.eval.task_args == before.eval.task_args
    assert [sample.messages[0].text for sample in again.samples] == [s.messages[0].text for s in before.samples]


def test_another_answer_is_a_difference(bench, quiz):
    with ChatServer("Answer: A") as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--epochs", "2", "--seed", "7"]
        assert bench("eval", "quiz.py", *options, "--limit", "2", "--logfile", "run.json", cwd=quiz).code == 0
    with ChatServer(lambda request: "Answer: B" if "1?" in request.prompt else "Answer: A") as server:
        again = ("reproduce", "run.json", "--here", "--model-base-url", server.base_url)
        done = bench(*again, cwd=quiz)
        told = bench(*again, "--json", cwd=quiz)
        seeds = {request.body["seed"] for request in server.requests}
    assert (done.code, told.code, seeds) == (1, 1, {7}), done.err
    assert done.out.splitlines()[:-1] == [
        "accuracy 0.500 -> 1.000",
        "sample  epoch  differs in  was  is",
        "q1          1  answer      A    B",
        "q1          1  score       I    C",
        "q1          2  answer      A    B",
        "q1          2  score       I    C",
        "2 of 4 samples agree in answer and score",
    ]
    assert (told.json()["samples"], told.json()["agreeing"]) == (4, 2)
    assert told.json()["differences"][0] == {"id": "q1", "epoch": 1, "kind": "answer", "was": "A", "now": "B"}


def test_what_changed_errored_or_is_missing_is_named(bench, quiz, log):
    read = read_eval_log(str(log))
    failed = bench("eval", "quiz.py", *CONSTANT, "--limit", "1", "-T", "rows=nowhere.jsonl", cwd=quiz)
    assert failed.code == 1
    read.samples[0].id, read.samples[1].metadata["openbench_content"] = "gone", "0" * 64
    write_eval_log(read, str(log))
    rows = (quiz / "rows.jsonl").read_text("utf-8")
    (quiz / "rows.jsonl").write_text(rows.replace("Question 2?", "Question two?"), "utf-8")
    done = bench("reproduce", "run.json", "--json", cwd=quiz)
    assert done.code == 1, done.err
    kinds = [(each["id"], each["kind"]) for each in done.json()["differences"]]
    assert kinds == [("gone", "missing"), ("q1", "content"), ("q2", "content"), ("q0", "added")]


@pytest.mark.usefixtures("log")
def test_changed_files_are_named(bench, quiz):
    (quiz / "quiz.py").write_text((quiz / "quiz.py").read_text("utf-8") + "\n# another\n", "utf-8")
    done = bench("reproduce", "run.json", "--json", cwd=quiz)
    assert (done.code, done.json()["changed_sources"]) == (0, [str(quiz / "quiz.py")])
    assert f"{quiz / 'quiz.py'}: its files differ from those of the logged run (sha256)" in done.err


def test_versions_that_differ_are_listed_first(bench, quiz, log):
    plain = json.loads(log.read_text("utf-8"))
    versions = plain["eval"]["metadata"]["openbench"]["versions"]
    versions["pyyaml"], versions["no-such-thing"] = "1.2", "3.4"
    log.write_text(json.dumps(plain), "utf-8")
    done = bench("reproduce", "run.json", "--here", cwd=quiz)
    assert done.code == 0
    listed, _, _ = done.err.partition("samples")
    assert "pyyaml: 1.2 in the log, 6." in listed
    assert "no-such-thing: 3.4 in the log, not installed here" in listed


def test_a_log_that_does_not_say_how(bench, quiz, others_log):
    done = bench("reproduce", others_log, cwd=quiz)
    assert done.code == 1
    lacking = "plan, versions, reference, distribution, source, local"
    assert f"cannot be reproduced: it does not record {lacking}." in done.err


def test_secrets_are_asked_for(bench, quiz):
    with ChatServer("Answer: A") as server:
        options = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--limit", "1"]
        headers = 'default_headers={"X-Team": "team-12345"}'
        assert bench("eval", "quiz.py", *options, "-M", headers, "--logfile", "run.json", cwd=quiz).code == 0
        done = bench("reproduce", "run.json", cwd=quiz)
        assert (done.code, done.err.splitlines()[-1]) == (
            2,
            "bench: run.json omits -M default_headers, a secret. Give it with -M default_headers.",
        )
        assert bench("reproduce", "run.json", "-M", headers, cwd=quiz).code == 0
