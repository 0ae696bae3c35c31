"""What lists and describes: `bench list`, `describe`, `--version`, completion and `view`."""

import fcntl
import os
import pty
import py_compile
import re
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import urllib.request

import pytest

MAIN = "from openbench.cli.main import main; main()"
REVISION = "0123456789abcdef0123456789abcdef01234567"
LONG = "quiz_" + "with_a_long_name_" * 9

PLUGIN = f"""
from acme import made
from openbench.metadata import BenchmarkGroup, DatasetSource

FULL = made(
    "Full Quiz",
    "Questions of every kind.",
    tags=["trivia", "Chess openings"],
    dataset=DatasetSource(
        source="org/quiz", config="easy", split="test", revision="{REVISION}", licence="CC-BY-4.0",
        verified=14042,
    ),
    homepage="https://example.org/quiz",
    paper="https://example.org/paper",
    samples=14042,
    primary_metric="error_rate",
    higher_is_better=False,
    languages=["en", "de"],
    needs=["grader", "sandbox"],
    notes=["Without examples.", "The prompt is ours."],
)
BENCHMARKS = {{
    "full-quiz": FULL,
    "{LONG}": made("Long", "A description of very many words. " * 9),
    "folded": made("Two\\nlines", "Several\\n\\tlines of\\u2028text."),
    "wide": made("幅広い", "全角の説明。" * 20, category="acme-wide-" + "category-" * 12),
    "young": made("Young", "Not ready.", is_alpha=True),
    "part": made("Part", "One of several.", subtask=True),
    "young_part": made("Young Part", "Neither.", is_alpha=True, subtask=True),
    "unpinned": made("Unpinned", dataset=DatasetSource(source="https://example.org/quiz.csv", type="csv")),
    "file": made("File", dataset=DatasetSource(source="quiz.json", type="json", sha256="{"0" * 64}")),
}}
GROUP = BenchmarkGroup("Suite", "Two of them.", "acme", ["full-quiz", "part"])
"""
TASK = """
raise SystemExit("imported")
@task
def quiz(split: str = "test", *, top: int | None = None, key, **more):
    '''Ask.'''
"""
OVERRIDES = "from acme import made\nOURS = made('Ours', overrides='acme-quiz')\nTHEIRS = made('Theirs')"


@pytest.fixture
def plugins(site):
    """A distribution with benchmarks of every kind, and one that does not load."""
    files = {
        "acme_plugin.py": PLUGIN,
        "acme_quiz/__init__.py": "raise SystemExit('imported')",
        "acme_quiz/task.py": TASK,
        "acme_quiz/samples/full_quiz/test.jsonl": "",
    }
    points = {"all": "acme_plugin:BENCHMARKS"}
    site.install("acme-quiz", files, version="1.2", benchmarks=points, groups={"my-suite": "acme_plugin:GROUP"})
    site.install("acme-broken", {}, benchmarks={"broken": "no_such_module:QUIZ"})
    return site


PROBLEM = "bench: not loaded: acme-broken: broken: ModuleNotFoundError: No module named 'no_such_module'\n"


# --- list -------------------------------------------------------------------------------------------------------------


def test_piped_there_is_one_line_a_benchmark_and_its_key_is_uncut(plugins):
    done = plugins.bench("list", "-c", "acme")
    assert (done.code, done.err) == (0, PROBLEM)
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == ["file", "folded", "full-quiz", LONG, "unpinned"]
    assert lines[1] == f"{'folded':<{len(LONG)}}  Two lines  Several lines of text."
    assert lines[3].endswith("A description of very many words.")
    assert done.out.count("\n") == len(lines)


def test_the_whole_list_holds_what_is_installed(plugins):
    keys = [line.split()[0] for line in plugins.bench("list").out.splitlines()]
    assert keys == sorted(keys)
    assert {"full-quiz", "wide"} <= {*keys}
    assert not {"young", "part", "young_part", "broken", "my-suite"} & {*keys}


def test_json_is_json_and_nothing_else(plugins):
    done = plugins.bench("list", "-c", "ACME", "--json")
    assert (done.code, done.err) == (0, PROBLEM)
    rows = {row["key"]: row for row in done.json()}
    assert rows["full-quiz"] == {
        "key": "full-quiz",
        "name": "Full Quiz",
        "description": "Questions of every kind.",
        "category": "acme",
        "tags": ["trivia", "Chess openings"],
        "is_alpha": False,
        "subtask": False,
        "distribution": "acme-quiz",
        "version": "1.2",
        "rule": "only",
        "why": "no other distribution provides it",
        "candidates": ["acme-quiz"],
    }
    assert rows["folded"]["name"] == "Two\nlines"


def keys_of(site, *arguments):
    done = site.bench("list", "--json", *arguments)
    assert done.code == 0, done.err
    return [row["key"] for row in done.json() if row["distribution"] == "acme-quiz"]


def test_what_is_hidden_until_asked_for(plugins):
    shown = {"file", "folded", "full-quiz", LONG, "unpinned"}
    assert {*keys_of(plugins, "-c", "acme")} == shown
    assert {*keys_of(plugins, "-c", "acme", "--alpha")} == {*shown, "young"}
    assert {*keys_of(plugins, "-c", "acme", "-a")} == {*shown, "part"}
    assert {*keys_of(plugins, "-c", "acme", "--all", "--alpha")} == {*shown, "part", "young", "young_part"}
    assert "[experimental] Not ready." in plugins.bench("list", "-c", "acme", "--alpha").out


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("FULL-quiz", ["full-quiz"]),
        ("full q", ["full-quiz"]),
        ("of every KIND", ["full-quiz"]),
        ("chess open", ["full-quiz"]),
        ("全角", ["wide"]),
        ("kind trivia", []),
    ],
)
def test_search_looks_in_key_name_description_and_tags(plugins, text, keys):
    assert keys_of(plugins, "-s", text) == keys


def test_search_takes_dashes_for_underscores(plugins):
    assert keys_of(plugins, "-s", "young-part", "--alpha", "-a") == ["young_part"]


def test_nothing_found_is_said_on_stderr(plugins):
    done = plugins.bench("list", "--search", "no such text anywhere")
    assert (done.code, done.out, done.err) == (0, "", f"{PROBLEM}No benchmark matches.\n")
    assert plugins.bench("list", "--search", "no such text anywhere", "--json").json() == []


def test_an_unknown_category_is_wrong_use_and_names_those_there_are(plugins):
    done = plugins.bench("list", "-c", "acme-nothing", "--json")
    assert (done.code, done.out) == (2, "")
    line = done.err.removeprefix(PROBLEM)
    assert line.startswith("bench: acme-nothing: no such category. Categories: acme, acme-wide-category-")
    assert line.endswith(".\n")


def test_tags_are_shown_when_asked_for(plugins):
    (line,) = plugins.bench("list", "-s", "full-quiz", "--tags").out.splitlines()
    assert line == "full-quiz  Full Quiz  trivia, Chess openings  Questions of every kind."


def test_who_takes_whose_place_and_who_cannot_agree(plugins):
    plugins.install("acme-over", {"acme_over.py": OVERRIDES}, benchmarks={"full_quiz": "acme_over:OURS"})
    plugins.install("acme-rival", {"acme_over.py": OVERRIDES}, benchmarks={"file": "acme_over:THEIRS"})
    lines = plugins.bench("list", "-c", "acme").out.splitlines()
    (rivals,) = (line for line in lines if line.startswith("file "))
    assert rivals.endswith("  conflict: provided by acme-quiz, acme-rival")
    (over,) = (line for line in lines if line.startswith("full_quiz "))
    assert over.endswith("  [acme-over in place of acme-quiz] Questions.")
    rows = {row["key"]: row for row in plugins.bench("list", "-c", "acme", "--json").json()}
    assert [rows["file"][name] for name in ("distribution", "version", "rule", "candidates")] == [
        None,
        None,
        "conflict",
        ["acme-quiz", "acme-rival"],
    ]
    assert [rows["full_quiz"][name] for name in ("distribution", "rule", "candidates")] == [
        "acme-over",
        "overrides",
        ["acme-over", "acme-quiz"],
    ]
    described = plugins.bench("describe", "full-quiz")
    assert "from          acme-over 1.0\nin place of   acme-quiz 1.2\n" in described.out
    done = plugins.bench("describe", "file")
    assert (done.code, done.out) == (2, "")
    assert "Say which one you mean: file@acme-quiz or file@acme-rival; " in done.err


def on_a_terminal(site, *arguments, width=80):
    """Run `bench` on a terminal so many columns wide, and return its lines without colours."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {**os.environ, "PYTHONPATH": str(site.folder), "TERM": "xterm"}
    environment.pop("COLUMNS", None)
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=subprocess.PIPE,
        env=environment,
    )
    os.close(slave)
    written = bytearray()
    try:
        while block := os.read(master, 65536):
            written += block
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(master)
    process.communicate(timeout=60)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", written.decode()).splitlines()


def columns_of(line):
    """How many columns a terminal needs for a line."""
    return sum(2 if "\u1100" <= char <= "\uffe6" and char not in "…—" and not char.isascii() else 1 for char in line)


@pytest.mark.parametrize("width", [80, 40])
def test_no_line_is_wider_than_the_terminal(plugins, width):
    lines = on_a_terminal(plugins, "list", "--tags", "--all", "--alpha", width=width)
    assert max(map(columns_of, lines)) <= width
    assert "acme" in lines
    assert "groups" in lines


def test_on_a_terminal_benchmarks_stand_under_their_category(plugins):
    lines = on_a_terminal(plugins, "list", "-s", "full-quiz")
    assert lines == ["acme", "  full-quiz  Questions of every kind."]


# --- describe ---------------------------------------------------------------------------------------------------------


def test_describe_says_all_that_is_known_and_imports_no_task(plugins):
    done = plugins.bench("describe", "FULL_quiz")
    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == f"""\
full-quiz: Full Quiz
Questions of every kind.

from          acme-quiz 1.2
category      acme
tags          trivia, Chess openings
dataset       org/quiz easy test
pin           {REVISION}
real rows     rows verified (14,042)
licence       CC-BY-4.0
samples       14,042
metric        error_rate (lower is better)
languages     en, de
needs         grader, sandbox
note          Without examples.
note          The prompt is ours.
offline       bench eval --sample runs the sample rows of the package
homepage      https://example.org/quiz
paper         https://example.org/paper
task          acme_quiz.task:quiz
arguments     -T split='test'
              -T top=None
              -T key=VALUE (required)
"""
    )


def test_describe_wraps_prose_to_the_terminal(plugins):
    lines = plugins.bench("describe", "full-quiz", COLUMNS="22").out.splitlines()
    assert lines[1:3] == ["Questions of every", "kind."]
    at = lines.index("note          Without")
    assert lines[at + 1] == "              examples."
    assert f"pin           {REVISION}" in lines  # to be copied, so whole


def test_describe_as_json(plugins):
    described = plugins.bench("describe", "full-quiz@acme_quiz", "--json").json()
    assert described == {
        "key": "full-quiz",
        "name": "Full Quiz",
        "description": "Questions of every kind.",
        "category": "acme",
        "tags": ["trivia", "Chess openings"],
        "distribution": "acme-quiz",
        "version": "1.2",
        "path": None,
        "rule": "chosen",
        "in_place_of": [],
        "experimental": False,
        "subtask": False,
        "task": "acme_quiz.task:quiz",
        "parameters": [
            {"name": "split", "annotation": "str", "default": "'test'"},
            {"name": "top", "annotation": "int | None", "default": "None"},
            {"name": "key", "annotation": None, "default": None},
        ],
        "dataset": {
            "source": "org/quiz",
            "type": "hf",
            "config": "easy",
            "split": "test",
            "revision": REVISION,
            "sha256": None,
            "md5": None,
            "licence": "CC-BY-4.0",
            "verified": 14042,
            "pinned": True,
        },
        "samples": 14042,
        "sample_rows": True,
        "primary_metric": "error_rate",
        "higher_is_better": False,
        "languages": ["en", "de"],
        "needs": ["grader", "sandbox"],
        "notes": ["Without examples.", "The prompt is ours."],
        "homepage": "https://example.org/quiz",
        "paper": "https://example.org/paper",
    }


def test_a_missing_pin_is_said(plugins):
    unpinned = plugins.bench("describe", "unpinned").out
    assert "real rows     schema unverified\n" in unpinned
    assert "dataset       https://example.org/quiz.csv\n" in unpinned
    assert "pin           none: the source may change under this benchmark\n" in unpinned
    assert f"pin           sha256 {'0' * 64}\n" in plugins.bench("describe", "file").out
    undeclared = plugins.bench("describe", "young").out
    assert "dataset       not declared, so whether it is pinned is unknown\n" in undeclared
    assert "experimental  yes; run it with --alpha\n" in undeclared
    assert "offline" not in undeclared


def test_a_task_whose_source_cannot_be_read_is_described_all_the_same(plugins):
    source = plugins.folder / "acme_quiz" / "task.py"
    py_compile.compile(str(source), str(source.with_suffix(".pyc")))
    source.unlink()
    assert plugins.bench("describe", "full-quiz").out.endswith("arguments     not known before it is imported\n")
    assert plugins.bench("describe", "full-quiz", "--json").json()["parameters"] is None


def test_describe_a_group(plugins):
    done = plugins.bench("describe", "my_suite")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "my-suite: Suite\nTwo of them.\n\n"
        "from          acme-quiz 1.2\ncategory      acme\nbenchmarks    full-quiz, part\n"
    )
    assert plugins.bench("describe", "my-suite", "--json").json()["benchmarks"] == ["full-quiz", "part"]


def test_describe_what_is_unknown(plugins):
    done = plugins.bench("describe", "full-quizz")
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("bench: full-quizz: no benchmark, group or path of this name. Did you mean full-quiz")
    assert first.endswith("? 'bench list' shows what is installed.")
    assert second == PROBLEM.replace("bench: not loaded", "Not loaded").rstrip()
    done = plugins.bench("describe", "full-quiz@elsewhere")
    assert (done.code, done.err) == (
        2,
        "bench: full-quiz: the distribution elsewhere does not provide it. Provided by: acme-quiz.\n",
    )


def test_a_display_name_is_described_as_its_key_is(plugins):
    by_key, exact, folded = (
        plugins.bench("describe", name, "--json") for name in ("full-quiz", "Full Quiz", "full quiz")
    )
    assert by_key.code == 0, by_key.err
    assert by_key.out == exact.out == folded.out
    done = plugins.bench("describe", "Unpined")
    assert done.err.splitlines()[0].startswith("bench: Unpined: no benchmark, group or path of this name.")


# --- the rest of the command line -------------------------------------------------------------------------------------


def test_version_lists_the_kernel_and_every_benchmark_package(plugins):
    done = plugins.bench("--version")
    assert (done.code, done.err) == (0, "")
    core, *packages = done.out.splitlines()
    assert re.fullmatch(r"openbench-core \d+\.\d+\.\d+\S*", core)
    assert {"acme-quiz 1.2", "acme-broken 1.0"} <= {*packages}
    assert packages == sorted(packages)


def test_version_lists_plugins_of_any_kind(plugins):
    plugins.install("acme-way", {}, executors={"way": "acme_way:Way"})
    assert "acme-way 1.0" in plugins.bench("--version", OPENBENCH_PLUGINS="acme-quiz").out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "--nonsense"], "No such option: --nonsense"),
        (["nonsense"], "No such command 'nonsense'. "),
        (["lst"], "No such command 'lst'. Did you mean 'list'? Try 'bench --help'."),
        (["list", "--what?.x"], "No such option: --what?.x. Try 'bench list --help'."),
        (["describe"], "Missing argument 'NAME'. "),
        (["describe", "a", "b"], "Got unexpected extra argument(s) (b). "),
        (["view", "--port", "0"], "Invalid value for '--port': 0 is not in the range 1<=x<=65535."),
    ],
)
def test_wrong_use_exits_with_2(site, arguments, message):
    done = site.bench(*arguments)
    assert (done.code, done.out) == (2, "")
    [line] = done.err.splitlines()
    assert line.startswith(f"bench: {message}")
    assert line.endswith(" --help'.")


def test_help_tells_of_every_command_and_of_the_exit_codes(site):
    done = site.bench("--help")
    assert (done.code, done.err) == (0, "")
    for name in ("list", "describe", "eval", "eval-retry", "score", "view", "cache"):
        assert f"\n│ {name} " in done.out
    codes = "Exit codes: 0 success, 1 an evaluation failed, 2 usage error, 130 interrupted, 143 terminated."
    assert codes in " ".join(done.out.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(site, shell):
    done = site.bench("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert (done.code, done.err) == (0, "")
    assert f"_BENCH_COMPLETE=complete_{shell}" in done.out


def completions(site, *words):
    variables = {"COMP_WORDS": " ".join(["bench", *words]), "COMP_CWORD": str(len(words))}
    done = site.python("-c", f"import sys; sys.argv[0] = 'bench'; {MAIN}", **variables, _BENCH_COMPLETE="complete_bash")
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def test_names_are_completed(plugins):
    assert completions(plugins, "desc") == ["describe"]
    assert completions(plugins, "describe", "full") == ["full-quiz"]
    assert completions(plugins, "describe", "my-su") == ["my-suite"]
    assert {"full-quiz", "file"} <= {*completions(plugins, "eval", "f")}
    assert completions(plugins, "describe", "full_quiz@a") == ["full_quiz@acme-quiz"]
    assert completions(plugins, "describe", "./full") == []


USE = "Choose a benchmark's provider for this project."


@pytest.mark.parametrize(
    ("shell", "typed", "more", "out", "code"),
    [
        ("zsh", "bench describe full", {}, "_arguments '*: :((\"full-quiz\"))'\n", 0),
        ("zsh", "bench describe nosuch", {}, "_files\n", 0),
        (
            "zsh",
            "bench desc",
            {},
            "_arguments '*: :((\"describe\":\"Show a benchmark''s details.\"))'\n",
            0,
        ),
        ("fish", "bench describe full", {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "full-quiz\n", 0),
        (
            "fish",
            "bench desc",
            {"_TYPER_COMPLETE_FISH_ACTION": "get-args"},
            "describe\tShow a benchmark's details.\n",
            0,
        ),
        ("fish", "bench describe full", {"_TYPER_COMPLETE_FISH_ACTION": "is-args"}, "", 0),
        ("fish", "bench describe nosuch", {"_TYPER_COMPLETE_FISH_ACTION": "is-args"}, "", 1),
    ],
)
def test_names_are_completed_in_other_shells(plugins, shell, typed, more, out, code):
    variables = {"_BENCH_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": typed, **more}
    done = plugins.python("-c", f"import sys; sys.argv[0] = 'bench'; {MAIN}", **variables)
    assert (done.code, done.out, done.err) == (code, out, "")


def test_options_are_completed(plugins):
    assert completions(plugins, "list", "--cat") == ["--category"]
    assert completions(plugins, "data", "pu") == ["pull"]


def test_completion_is_installed(site):
    done = site.bench(
        "--install-completion", "bash", HOME=str(site.folder), _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1"
    )
    assert (done.code, done.err) == (0, "")
    assert "_BENCH_COMPLETE=complete_bash" in (site.folder / ".bash_completions" / "bench.sh").read_text("utf-8")


HEAVY = {"inspect_ai", "datasets", "pandas", "numpy", "pyarrow", "pydantic", "fsspec", "yaml", "rich", "acme_quiz"}
IMPORTED = f"""
import atexit, sys
sys.argv[0] = "bench"
atexit.register(lambda: print(*{{name.partition(".")[0] for name in sys.modules}}, file=sys.stderr))
{MAIN}
"""


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["list"], {}),
        (["list", "--json", "-a", "--alpha"], {}),
        (["describe", "full-quiz"], {}),
        (["describe", "full-quiz", "--json"], {}),
        (["describe", "no-such-quiz"], {}),
        (["--help"], {}),
        (["eval", "--help"], {}),
        (["--version"], {}),
        ([], {"COMP_WORDS": "bench describe f", "COMP_CWORD": "2", "_BENCH_COMPLETE": "complete_bash"}),
        ([], {"COMP_WORDS": "bench ", "COMP_CWORD": "1", "_BENCH_COMPLETE": "complete_bash"}),
    ],
)
def test_what_lists_and_describes_imports_nothing_heavy(plugins, arguments, variables):
    done = plugins.python("-c", IMPORTED, *arguments, **variables)
    assert done.out or done.code == 2
    imported = {*done.err.splitlines()[-1].split()}
    assert "openbench" in imported
    assert not imported & (HEAVY - {"rich"} if "--help" in arguments else HEAVY)


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["--help"], ["--version"]])
def test_a_reader_that_leaves_is_no_error(plugins, arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(plugins.folder)},
    )
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(60) == 0
    assert errors in {"", PROBLEM}


# --- view -------------------------------------------------------------------------------------------------------------


def test_view_serves_the_logs_until_it_is_interrupted(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", MAIN, "view", "--log-dir", str(tmp_path), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert fetched(f"http://127.0.0.1:{port}/").startswith(b"<!doctype html>")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.strip()) == (130, "bench: interrupted")


def fetched(url):
    """What a server that is about to start answers."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 - our own server
                return response.read()
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"{url} was not served")
