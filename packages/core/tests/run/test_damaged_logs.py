"""Logs that are damaged, or none: every command says what is wrong in a line, and leaves everything as it was."""

import json
import zipfile

import pytest
from inspect_ai.log import read_eval_log

CONSTANT = ["--model", "baseline/constant", "-M", "answer=Answer: A"]
COMMANDS = [["log", "show"], ["score"], ["score", "--overwrite"], ["eval-retry"], ["reproduce"]]
NO_LOG = (
    "it is empty, truncated or not an Inspect log. bench eval --resume DIR rewrites the logs of a run from "
    "its directory in runs/"
)
TOO_NEW = "it was written by a newer inspect-ai. Update yours: pip install -U inspect-ai"


def half(content):
    return content[: len(content) // 2]


def of_version_99(content):
    return json.dumps({**json.loads(content), "version": 99}).encode()


def rewritten(folder, change):
    """Return an archive with members that are changed, those that become None left out."""
    with zipfile.ZipFile(folder / "whole.eval") as whole, zipfile.ZipFile(folder / "other.zip", "w") as other:
        for name in whole.namelist():
            if (content := change(name, whole.read(name))) is not None:
                other.writestr(name, content)
    return (folder / "other.zip").read_bytes()


def newer(name, content):
    return of_version_99(content) if name.endswith(("header.json", "start.json")) else content


@pytest.fixture(scope="module")
def whole(bench, tmp_path_factory):
    """A folder with logs in both formats, of a quiz that is elsewhere."""
    folder = tmp_path_factory.mktemp("whole")
    for name in ("whole.json", "whole.eval"):
        done = bench("eval", bench.quiz, *CONSTANT, "--logfile", name, cwd=folder)
        assert done.code == 0, done.err
    return folder


def damaged(whole, kind):
    json_log, eval_log = ((whole / f"whole.{suffix}").read_bytes() for suffix in ("json", "eval"))
    return {
        "empty.json": (b"", NO_LOG),
        "empty.eval": (b"", NO_LOG),
        "cut.json": (half(json_log), NO_LOG),
        "cut.eval": (half(eval_log), NO_LOG),
        "list.json": (b"[1, 2]", NO_LOG),
        "rows.json": (b"id,answer\n1,A\n", NO_LOG),
        "archive.json": (eval_log, NO_LOG),
        "text.eval": (json_log, NO_LOG),
        "foreign.eval": (lambda: rewritten(whole, lambda name, content: content if "q1" in name else None), NO_LOG),
        "newer.json": (of_version_99(json_log), TOO_NEW),
        "newer.eval": (lambda: rewritten(whole, newer), TOO_NEW),
        "log.txt": (json_log, NO_LOG),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        *("empty.json", "empty.eval", "cut.json", "cut.eval", "list.json", "rows.json", "archive.json", "text.eval"),
        *("foreign.eval", "newer.json", "newer.eval", "log.txt"),
    ],
)
def test_what_no_command_can_read(bench, whole, tmp_path, kind):
    content, reason = damaged(whole, kind)
    log = tmp_path / kind
    log.write_bytes(before := content() if callable(content) else content)
    for command in COMMANDS:
        done = bench(*command, kind, cwd=tmp_path)
        if (kind, command) == ("cut.json", ["log", "show"]):
            assert done.code == 0  # it reads the head alone
            continue
        assert (done.code, done.out, done.err) == (1, "", f"bench: {kind} cannot be read as a log: {reason}\n"), command
    assert log.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [kind]


def test_a_result_of_another_tool(bench, tmp_path):
    (tmp_path / "results.json").write_text(json.dumps({"results": {"arc": {"acc": 0.5}}, "config": {}}), "utf-8")
    for command in COMMANDS:
        done = bench(*command, "results.json", cwd=tmp_path)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("bench: results.json cannot be read as a log: ")
        assert done.err.count("\n") == 1


def test_one_damaged_sample_is_named(bench, whole, tmp_path):
    plain = json.loads((whole / "whole.json").read_bytes())
    plain["samples"][2]["messages"][0]["role"] = "oracle"
    (tmp_path / "a.json").write_text(json.dumps(plain), "utf-8")
    assert bench("log", "show", "a.json", cwd=tmp_path).code == 0  # which is about its head
    done = bench("score", "a.json", cwd=tmp_path)
    assert done.code == 1
    assert done.err.startswith("bench: a.json cannot be read as a log: its samples.2.messages.0.role is not valid: ")


@pytest.mark.parametrize("said", ["a text", {"job": 3}])
def test_a_log_whose_openbench_part_is_something_else(bench, whole, tmp_path, said):
    plain = json.loads((whole / "whole.json").read_bytes())
    plain["status"] = "started"
    plain["eval"]["metadata"]["openbench"] = said
    (tmp_path / "a.json").write_text(json.dumps(plain), "utf-8")
    codes = {command[0]: bench(*command, "a.json", cwd=tmp_path) for command in COMMANDS}
    assert {name: done.code for name, done in codes.items()} == {"log": 0, "score": 1, "eval-retry": 1, "reproduce": 1}
    assert codes["eval-retry"].err == "bench: a.json was not written by bench eval. Use inspect eval-retry.\n"
    assert not any("defect" in done.err for done in codes.values())


def test_of_two_logs_the_second_is_damaged(bench, whole, tmp_path):
    plain = json.loads((whole / "whole.json").read_bytes())
    plain["status"], plain["samples"] = "cancelled", plain["samples"][:2]
    plain["eval"]["metadata"]["openbench"].pop("run")
    (tmp_path / "a.json").write_text(json.dumps(plain), "utf-8")
    (tmp_path / "b.json").write_bytes(half((whole / "whole.json").read_bytes()))
    done = bench("eval-retry", "a.json", "b.json", cwd=tmp_path)
    assert (done.code, done.err) == (1, f"bench: b.json cannot be read as a log: {NO_LOG}\n")
    assert {path.name for path in tmp_path.iterdir()} <= {"a.json", "b.json", "runs"}
    assert not [*tmp_path.glob("runs/*")]


def test_a_damaged_log_is_made_again_of_its_run(bench, quiz):
    done = bench("eval", "quiz.py", *CONSTANT, "--json", cwd=quiz)
    log = quiz / done.json()[0]["log"]
    [run] = (quiz / "logs" / "runs").iterdir()
    (quiz / "logs" / "beside.json").write_bytes(b'{"version": 2, "eval"')
    (quiz / "logs" / "beside.eval").write_bytes(b"")
    log.write_bytes(half(log.read_bytes()))
    again = bench("eval", "--resume", run, "--json", cwd=quiz)
    [result] = again.json()
    assert (again.code, result["completed"], result["score"]) == (0, 6, pytest.approx(1 / 3)), again.err
    assert len(read_eval_log(result["log"]).samples) == 6
    assert (quiz / "logs" / "beside.eval").read_bytes() == b""
