"""Prompts on a real terminal, and defaults without one."""

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

BENCH = Path(sys.executable).parent / "bench"
SECONDS = 60


def new(*arguments, cwd, typed):
    """Run the command on a terminal of its own, on which everything has been typed ahead."""
    ours, its = pty.openpty()
    environment = {
        **os.environ,
        "LOGNAME": "acme",
        "OPENBENCH_PLUGINS": "openbench-testing",
    }  # other packages may bring styles
    command = [BENCH, "new", *arguments]
    with subprocess.Popen(command, cwd=cwd, env=environment, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        os.write(ours, typed.encode())
        shown = b""
        try:
            while select.select([ours], [], [], SECONDS)[0]:
                shown += os.read(ours, 4096)
        except OSError:  # how a terminal of Linux says that no one is left on it
            process.wait(SECONDS)
        finally:
            process.kill()
    os.close(ours)
    return process.returncode, shown.decode().replace("\r\n", "\n")


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_enter_takes_the_defaults(tmp_path):
    code, shown = new(cwd=tmp_path, typed="quiz\n" + "\n" * 7)
    assert code == 0, shown
    for question in (
        "Name of the benchmark: ",
        "Style (graded, mcq) [mcq]: ",
        "Distribution [acme-quiz]: ",
        "Description [The benchmark quiz]: ",
        "Category [private]: ",
        "Homepage [https://example.org/acme-quiz]: ",
        "Overrides the benchmark of this name in which distribution (empty: none): ",
        "Directory [acme-quiz]: ",
    ):
        assert question in shown
    flags = ["--style", "mcq", "--distribution", "acme-quiz", "--directory", "by-flags"]
    subprocess.run([BENCH, "new", "quiz", *flags], cwd=tmp_path, stdin=subprocess.DEVNULL, check=True)
    assert contents(tmp_path / "acme-quiz") == contents(tmp_path / "by-flags")


def test_an_invalid_answer_is_prompted_again(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    typed = ["two words", "facts", "nope", "graded", "json", "acme-facts", "Ours", "law", "https://acme.example"]
    typed += ["a b", "acme-old", "full", "f"]
    code, shown = new(cwd=tmp_path, typed="\n".join([*typed, ""]))
    assert code == 0, shown
    assert shown.count("Error: ") == 5
    metadata = (tmp_path / "f" / "src" / "acme_facts" / "metadata.py").read_text()
    for line in (
        'description="Ours",',
        'category="law",',
        'homepage="https://acme.example",',
        'overrides="acme-old",',
        'needs=["grader"],',
    ):
        assert line in metadata


def test_options_of_the_command_line_are_not_prompted(tmp_path):
    flags = ["--style", "mcq", "--distribution", "acme-quiz", "--description", "Ours", "--category", "law"]
    flags += ["--homepage", "https://acme.example"]
    code, shown = new("quiz", *flags, "--overrides", "", "--directory", "x", cwd=tmp_path, typed="")
    assert code == 0, shown
    assert shown.startswith("Wrote 14 files of acme-quiz to x. Next:\n")


def test_leaving_writes_nothing(tmp_path):
    code, shown = new(cwd=tmp_path, typed="quiz\n\x04")
    assert code == 130, shown
    assert shown.endswith("bench: interrupted\n")
    assert not list(tmp_path.iterdir())


def test_without_a_terminal_there_are_no_prompts(tmp_path):
    done = subprocess.run(
        [BENCH, "new"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "bench: NAME is missing, and there is no terminal to prompt for it. Run bench new NAME.\n"


def test_a_pipe_that_no_one_writes_to_is_not_read(tmp_path):
    with subprocess.Popen(
        [BENCH, "new", "quiz"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline().startswith("Wrote 14 files")
        assert process.wait(SECONDS) == 0
