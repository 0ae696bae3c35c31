"""What others wrote never controls the terminal: names, files, logs, graders' answers and errors."""

import io
import os
import pty
import re
import shutil
import sys

import pytest

from openbench.cli.main import run
from openbench.run.process import CleanStream, drawing
from openbench_testing import ChatServer

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b1A\u202eend\rover"
# What a terminal acts on, but for line breaks and tabs.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("text", "piped", "terminal"),
    [
        ("plain ü 漢 é\ttab\n", "plain ü 漢 é\ttab\n", "plain ü 漢 é\ttab\n"),
        ("a\x1b]0;x\x07b", r"a\x1b]0;x\x07b", r"a\x1b]0;x\x07b"),
        ("\x1b[1mbold\x1b[0m", r"\x1b[1mbold\x1b[0m", "\x1b[1mbold\x1b[0m"),
        ("\r12/40 samples", r"\r12/40 samples", "\r12/40 samples"),
        ("a\rb\x1b[2Ac", r"a\rb\x1b[2Ac", r"a\rb\x1b[2Ac"),
        ("\n\x1b[A", "\n" + r"\x1b[A", "\n\x1b[A"),
        ("name-\udcff", r"name-\udcff", r"name-\udcff"),
        ("\u202efdp.exe", r"\u202efdp.exe", r"\u202efdp.exe"),
    ],
)
def test_what_a_stream_writes(text, piped, terminal):
    for behind, shown in ((io.StringIO(), piped), (Terminal(), terminal)):
        CleanStream(behind).write(text)
        assert behind.getvalue() == shown


def test_a_display_may_draw_on_a_terminal_and_no_more():
    with drawing():
        CleanStream(behind := Terminal()).write("\x1b[2A\x1b[?25la\rb\x1b]52;c;aGk=\x07")
    assert behind.getvalue() == "\x1b[2A\x1b[?25la\rb" + r"\x1b]52;c;aGk=\x07"


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate
from openbench.utils import BenchmarkMetadata

HOSTILE = {hostile!r}
__metadata__ = BenchmarkMetadata("Name" + HOSTILE, "Text" + HOSTILE, "acme" + HOSTILE, [HOSTILE], __name__, "local")
print("while importing" + HOSTILE)


@scorer(metrics=[accuracy()])
def failing():
    async def score(state: TaskState, target: Target) -> Score:
        raise RuntimeError("grader: " + state.output.completion)

    return score


@task
def local() -> Task:
    return Task(dataset=[Sample(id="id" + HOSTILE, input="?", target="A")], solver=generate(), scorer=failing())
"""


@pytest.fixture
def hostile(tmp_path):
    """A local eval of which every text is hostile."""
    path = tmp_path / f"ev{HOSTILE}al.py"
    path.write_text(TASK.format(hostile=HOSTILE), "utf-8")
    return path


@pytest.mark.parametrize("more", [("--debug",), ("--json",), ("--display", "plain")], ids=" ".join)
def test_a_run_of_an_eval_whose_texts_are_hostile(bench, tmp_path, hostile, more):
    with ChatServer(f"answer{HOSTILE}") as server:
        address = server.base_url
        done = bench(
            *("eval", hostile, "--model", "openai-api/local/m", "--model-base-url", address, *more), cwd=tmp_path
        )
    assert not CONTROLS.findall(done.out + done.err)
    assert r"\x1b]0;owned\x07" in done.out + done.err


@pytest.mark.parametrize("suffix", ["json", "eval"])
def test_names_and_fields_of_logs(bench, quiz, suffix):
    with ChatServer("Answer: A") as server:
        done = bench(
            *("eval", "quiz.py", "--model", "openai-api/local/m"),
            *("--model-role", f"gr{HOSTILE}=openai-api/local/{HOSTILE}"),
            *("-T", f"level={HOSTILE}", "--log-format", suffix, "--log-dir", f"lo{HOSTILE}gs"),
            cwd=quiz,
            LOCAL_BASE_URL=server.base_url,
        )
    assert done.code == 0, done.err
    [log] = (quiz / f"lo{HOSTILE}gs").glob(f"*.{suffix}")
    named = shutil.copy(log, quiz / f"log{HOSTILE}.{suffix}")
    shown = [done]
    for arguments in (("log", "show"), ("score",), ("eval-retry",), ("score", "--scorer", f"x{HOSTILE}.py")):
        shown += [bench(*arguments, named, cwd=quiz), bench(*arguments, f"{named}-not-there", "--debug", cwd=quiz)]
    shown += [
        bench(*arguments, quiz / f"lo{HOSTILE}gs", cwd=quiz) for arguments in (("log", "prune"), ("data", "import"))
    ]
    for each in shown:
        assert not CONTROLS.findall(each.out + each.err), (each.out, each.err)
        assert r"\x1b]0;owned\x07" in each.out + each.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("describe", f"x{HOSTILE}"),
        ("eval", f"x{HOSTILE}", "--model", f"a/{HOSTILE}"),
        ("list", "--category", HOSTILE),
        (HOSTILE,),
        ("eval", f"--{HOSTILE}"),
        ("data", "ls", HOSTILE),
        ("use", HOSTILE, "acme"),
    ],
    ids=lambda arguments: ascii(arguments[0])[:20],
)
def test_what_a_command_line_names_is_shown_escaped(capsys, arguments):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert not CONTROLS.findall(out + err)
    assert r"\x1b]0;owned\x07" in out + err


def test_on_a_terminal_only_colours_and_the_progress_pass(hostile):
    """A process of its own, on a terminal: progress redraws its line, and what is hostile is shown escaped."""
    with ChatServer(f"answer{HOSTILE}") as server:
        child, master = pty.fork()
        if child == 0:  # pragma: no cover - another process
            os.environ |= {"LOCAL_API_KEY": "x", "COLUMNS": "200"}
            os.chdir(hostile.parent)
            command = ["eval", hostile.name, "--model", "openai-api/local/m", "--model-base-url", server.base_url]
            os.execv(sys.executable, [sys.executable, "-c", "from openbench.cli.main import main; main()", *command])  # noqa: S606
        written = b""
        try:
            while block := os.read(master, 65536):
                written += block
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(master)
        os.waitpid(child, 0)
    text = written.decode().replace("\r\n", "\n")
    assert r"\x1b]0;owned\x07" in text
    assert not CONTROLS.findall(re.sub(r"\x1b\[[\d;]*m|\r(?=\d+/\d+ samples)|(?:^|(?<=\n))\r|\r +\r", "", text)), text


def test_a_handler_does_not_close_the_stream_of_the_process():
    CleanStream(behind := io.StringIO()).close()
    assert not behind.closed
