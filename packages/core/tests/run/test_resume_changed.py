"""`--rerun-changed`: only what has changed runs again, whatever ends the command that copies the rest."""

import json
import re
import resource
import signal
import subprocess
import sys

import pytest
from inspect_ai.log import read_eval_log

from openbench.run.journal import read_journal
from openbench.run.run_directory import RunDirectory
from openbench_testing import ChatServer, Fault

pytestmark = pytest.mark.stress

INCOMPLETE_OF_BOTH = pytest.mark.parametrize("incomplete", ["inspect", "direct"], indirect=True)


def run_of(folder):
    [run] = (folder / "logs" / "runs").iterdir()
    return run


def asked(server, since):
    return sorted(number_of(request) for request in server.requests[since:])


def number_of(request):
    return int(re.search(r"Question (\d+)", request.prompt)[1])


def rows_of(folder):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]


def write_rows(folder, rows, name="rows.jsonl"):
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def change_last_row(folder):
    rows = rows_of(folder)
    rows[-1]["question"] += " Please!"
    write_rows(folder, rows)


@pytest.fixture
def server():
    """A server whose third and fifth answers are no answers."""
    with ChatServer("Answer: A", faults=[None, None, Fault.status(400), None, Fault.status(400)]) as server:
        yield server


@pytest.fixture
def incomplete(request, bench, quiz, server):
    """The command of a run in which two samples ended in an error."""
    options = ["--max-connections", "1", "--no-fail-on-error", "--engine", getattr(request, "param", "direct")]
    command = ["eval", "quiz.py", "--model", "openai-api/local/m", "--model-base-url", server.base_url, *options]
    done = bench(*command, cwd=quiz)
    assert (done.code, len(server.requests)) == (0, 6), done.err
    return command


@INCOMPLETE_OF_BOTH
def test_changed_rows_run_again_alone(bench, quiz, server, incomplete):
    rows = rows_of(quiz)
    failed = {number_of(server.requests[2]), number_of(server.requests[4])}
    good = [number for number in range(6) if number not in failed]
    rows[good[0]]["question"] = f"Question {good[0]}, please?"
    gone = rows.pop(good[-1])
    rows.append({**gone, "id": "q9", "question": "Question 9?"})
    write_rows(quiz, rows)
    done = bench(*incomplete, "--resume", run_of(quiz), cwd=quiz)
    assert (done.code, len(server.requests)) == (2, 6)
    assert re.search(r"not be comparable: dataset was [0-9a-f]{12}…, is [0-9a-f]{12}…\. Run", done.err), done.err
    done = bench(*incomplete, "--resume", run_of(quiz), "--rerun-changed", "--json", cwd=quiz)
    [result] = done.json()
    assert (done.code, result["completed"], result["errors"]) == (0, 6, 0), done.err
    assert asked(server, 6) == sorted({*failed, good[0], 9})
    log = read_eval_log(result["log"])
    assert {sample.id for sample in log.samples} == {row["id"] for row in rows}
    assert any("please" in sample.input for sample in log.samples)
    # It is one run still, and complete.
    done = bench("eval", "--resume", run_of(quiz), cwd=quiz)
    assert (done.code, done.err, len(server.requests)) == (0, "quiz: already complete\n", 10)


def test_whatever_else_changes_changes_all(bench, quiz, server, incomplete):
    command = [*incomplete, "--temperature", "0.5", "--resume", run_of(quiz), "--rerun-changed"]
    done = bench(*command, cwd=quiz)
    assert done.code == 0, done.err
    assert "quiz: running 6 of 6 samples (generation was {}, is {'temperature': 0.5})" in done.err
    assert asked(server, 6) == list(range(6))
    assert {request.body["temperature"] for request in server.requests[6:]} == {0.5}


UNNAMED = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import includes
from inspect_ai.solver import generate
from openbench.metadata import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("unnamed", "Samples without ids.", "private", [], __name__, "unnamed")

@task
def unnamed() -> Task:
    return Task(json_dataset("lines.jsonl"), solver=generate(), scorer=includes())
"""


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_samples_without_ids_are_told_apart_by_their_numbers(bench, tmp_path, engine):
    (tmp_path / "unnamed.py").write_text(UNNAMED, "utf-8")
    rows = [{"input": letter, "target": "x"} for letter in "abcd"]
    write_rows(tmp_path, rows, "lines.jsonl")
    command = ["eval", "unnamed.py", "--baseline", "reference", "--engine", engine]
    assert bench(*command, cwd=tmp_path).code == 0
    rows[2]["input"] = "other"
    write_rows(tmp_path, rows, "lines.jsonl")
    done = bench(*command, "--resume", run_of(tmp_path), "--rerun-changed", "--json", cwd=tmp_path)
    [result] = done.json()
    assert (done.code, result["completed"]) == (0, 4), done.err
    assert "unnamed: running 1 of 4 samples, the others are complete (dataset was " in done.err
    samples = [(sample.id, sample.input.strip()) for sample in read_eval_log(result["log"]).samples]
    assert samples == [(1, "a"), (2, "b"), (3, "other"), (4, "d")]


ODD = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from openbench.metadata import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("odd", "Odd ids.", "private", [], __name__, "odd")

@task
def odd() -> Task:
    ids = ["a\\0b", "c\\ud83dd", "e/f\\ng"]
    samples = [Sample(id=id_, input=f"{id_}?", target="x", metadata={id_: [{id_: id_}]}) for id_ in ids]
    return Task(samples, scorer=includes())
"""


@pytest.mark.parametrize("engine", ["inspect", "direct"])
@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_ids_that_no_file_can_hold(bench, tmp_path, engine, suffix):
    (tmp_path / "odd.py").write_text(ODD, "utf-8")
    more = ["--engine", engine, "--log-format", suffix, "--json"]
    done = bench("eval", "odd.py", "--baseline", "reference", *more, cwd=tmp_path)
    [result] = done.json()
    assert (done.code, result["completed"], result["score"]) == (0, 3, 1.0), done.err
    samples = read_eval_log(result["log"]).samples
    assert [sample.id for sample in samples] == ["a\\x00b", "c\\ud83dd", "e/f\ng"]
    assert [[*sample.metadata[sample.id][0]] for sample in samples] == [[sample.id] for sample in samples]
    done = bench("eval", "--resume", run_of(tmp_path), cwd=tmp_path)
    assert (done.code, done.err) == (0, "odd: already complete\n")


FULL = "from openbench.cli.main import main; main()"
KILLED = f"import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); {FULL}"


@pytest.mark.parametrize(("code", "expected"), [(FULL, 1), (KILLED, -signal.SIGXFSZ)], ids=["full disk", "kill"])
def test_what_ends_the_copying_of_samples_loses_none(bench, quiz, code, expected):
    assert bench("eval", "quiz.py", "--baseline", "reference", cwd=quiz).code == 0
    change_last_row(quiz)
    directory = RunDirectory.open(run_of(quiz))
    [job], files = directory.jobs(), set(directory.path.iterdir())
    [journal] = directory.journals(job.id)
    _header, *samples = journal.read_bytes().splitlines(keepends=True)
    room = len(samples[0]) + len(samples[1]) + len(samples[2]) // 2
    again = ["eval", "--resume", str(directory.path), "--rerun-changed", "--json"]
    ended = subprocess.run(
        [sys.executable, "-c", code, *again],
        cwd=quiz,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )
    assert ended.returncode == expected, ended.stderr
    [part] = set(directory.path.glob("*.0.jsonl")) - files
    assert (part.stat().st_size, directory.jobs()) == (room, [job])
    # The part is of no job: nothing reads it, and the old job is continued.
    done = bench(*again, cwd=quiz)
    [result] = done.json()
    assert (done.code, result["completed"]) == (0, 6), done.err
    assert "quiz: running 1 of 6 samples, the others are complete (dataset was " in done.err
    assert "cut short" not in done.err
    [new] = RunDirectory.open(directory.path).jobs()
    assert (new.replaces, len(read_journal(directory, new.id).samples)) == (job.id, 6)
    assert bench("eval", "--resume", directory.path, cwd=quiz).err == "quiz: already complete\n"
    assert bench("log", "prune", directory.path, cwd=quiz).code == 0
    assert not directory.path.exists()


GRADED = """
from pathlib import Path
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, Score, scorer
from openbench.metadata import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("graded", "Graded.", "private", [], __name__, "graded")

@scorer(metrics=[accuracy()])
def graded_scorer():
    async def score(state, target):
        from {helper} import grade
        rubric = (Path(__file__).parent / "rubrics" / "strict.txt").read_text("utf-8")
        return Score(value=grade(state.output.completion, rubric))
    return score

@task
def graded() -> Task:
    return Task([Sample(id=n, input="Which?", target="x") for n in range(2)], scorer=graded_scorer())
"""
GRADE = "def grade(answer, rubric):\n    return 1\n"


@pytest.fixture(params=["file", "directory"])
def graded(request, bench, site):
    """A run, complete but for nothing, of a local eval that grades with a helper, a rubric and a distribution."""
    folder = site.folder.parent / "evals"
    own = folder / "graded" if request.param == "directory" else folder
    (own / "rubrics").mkdir(parents=True)
    (own / "rubrics" / "strict.txt").write_text("Be strict.", "utf-8")
    name, helper = ("__init__.py", ".helper") if request.param == "directory" else ("graded.py", "helper")
    (own / name).write_text(GRADED.format(helper=helper), "utf-8")
    (own / "helper.py").write_text(f"import acme_grader\n{GRADE}", "utf-8")
    site.install("acme-words", {"acme_words.py": ""})
    site.install("acme-grader", {"acme_grader.py": ""}, requires=["acme-words"])
    command = ["eval", own if request.param == "directory" else own / name, "--model", "baseline/constant"]
    variables = {"PYTHONPATH": str(site.folder)}
    done = bench(*command, "--log-dir", own / "logs", cwd=folder, **variables)
    assert done.code == 0, done.err

    def resume(*more):
        [run] = (own / "logs" / "runs").iterdir()
        return bench("eval", "--resume", run, *more, cwd=folder, **variables)

    resume.own = own
    return resume


@pytest.mark.parametrize(
    ("name", "text"),
    [("helper.py", f"import acme_grader\n\n{GRADE}"), ("rubrics/strict.txt", "Be lenient.")],
)
def test_what_grades_is_named_when_it_has_changed(graded, name, text):
    (graded.own / name).write_text(text, "utf-8")
    done = graded()
    changed = rf"not be comparable: code: {name} was [0-9a-f]{{12}}…, is [0-9a-f]{{12}}…\. Run bench eval again, or add"
    assert (done.code, bool(re.search(changed, done.err))) == (2, True), done.err
    done = graded("--rerun-changed")
    assert (done.code, "graded: running 2 of 2 samples (code: " in done.err) == (0, True), done.err


@pytest.mark.parametrize("name", ["acme-grader", "acme-words"])
def test_an_upgraded_grader_is_named(graded, site, name):
    info = site.folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata = info / "METADATA"
    metadata.write_text(metadata.read_text("utf-8").replace("Version: 1.0", "Version: 2.0"), "utf-8")
    done = graded()
    assert (done.code, f"comparable: packages: {name} was 1.0, is 2.0. Run" in done.err) == (2, True), done.err


def test_what_has_no_part_in_it_changes_nothing(graded, site):
    run = graded.own / "logs" / "runs"
    for name in ("__pycache__/x.pyc", ".hidden", "later.eval", "nohup.log", "logs/later.json"):
        (graded.own / name).parent.mkdir(exist_ok=True)
        (graded.own / name).write_text('{\n  "version": 2,\n  "status": "success"', "utf-8")
    site.install("acme-other", {"acme_other.py": ""})
    assert run.is_dir()
    done = graded()
    assert (done.code, done.err) == (0, "graded: already complete\n")
