"""`bench audit`."""

from openbench_testing.commands.quiz import write_rows

CLEAN = """\
gsm8k: no findings

answer key    not checked: 6 rows with a single target: at least 10 are needed.
duplicates    6 rows, 6 of them distinct
scorer        260 completions of answers to 5 rows
option order  not checked: no logs were given. Its task has no argument that
              shuffles options; a log of any model shows a bias to positions.
labels        not checked: no logs were given. Give those of three systems or
              more.
faults        not checked: no logs were given.
"""


def test_sample_rows_without_a_fault(bench, tmp_path):
    done = bench("audit", "gsm8k", "--sample", "--strict", cwd=tmp_path)
    assert (done.code, done.err, done.out) == (0, "", CLEAN)


def planted(quiz):
    """Write rows of which all have one answer and two are equal."""
    options = ["red", "green", "blue"]
    rows = [{"id": f"q{n}", "question": f"Question {n}?", "options": options, "answer": "B"} for n in range(20)]
    write_rows(quiz / "rows.jsonl", [*rows, {**rows[3], "id": "again"}])


def test_faults_are_found(bench, quiz):
    planted(quiz)
    done = bench("audit", "quiz.py", cwd=quiz)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("quiz: 1 severe finding, 1 warning finding\n")
    assert "severe        The answer is B in all 21 rows: a model that always gives it has\n" in done.out
    assert "              rows: q3 again\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    told = bench("audit", "quiz.py", "--json", cwd=quiz).json()
    assert told["benchmark"] == "quiz"
    [duplicates] = [check for check in told["checks"] if check["name"] == "duplicates"]
    assert duplicates["findings"][0]["rows"] == ["q3", "again"]
    shown = bench("audit", "quiz.py", "--strict", "--markdown", "--rows", 1, cwd=quiz)
    assert shown.code == 1
    assert shown.out.startswith(
        "# quiz: 1 severe finding, 1 warning finding\n\n- **answer key**: 21 rows with letters: B 100.0%\n"
    )
    assert "rows: q3 and 1 more" in shown.out


def test_logs_are_read(bench, make_log, quiz):
    scores = {f"q{number}": [1] for number in range(5)} | {"q5\x1b[31m": [None]}
    make_log("a.json", scores, benchmark="quiz")
    (quiz / "broken.json").write_text("{}")
    done = bench("audit", "quiz.py", "a.json", "broken.json", cwd=quiz)
    assert done.code == 0
    assert done.err.startswith("Warning: broken.json")
    assert "severe        local/a: 1 unscored of 6 samples. The score is 1.0000, and would\n" in done.out
    assert "              rows: q5\\x1b[31m\n" in done.out
    make_log("b.json", scores, benchmark="other")
    wrong = bench("audit", "quiz.py", "b.json", cwd=quiz)
    assert (wrong.code, wrong.err) == (2, "bench: no log is of quiz. The logs are of other.\n")


def test_rows_that_are_not_here(bench, tmp_path):
    done = bench("audit", "mmlu", cwd=tmp_path, OPENBENCH_DATA_DIR=str(tmp_path / "empty"))
    assert (done.code, done.out) == (1, "")
    assert "'bench data pull mmlu' stores them; --sample audits the sample rows of its package." in done.err
