"""Plugins that misbehave: each costs one labelled line, and every command goes on as if it were not there."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

GOOD = "from acme import made\nQUIZ = made('Good')\n"


@dataclass(frozen=True)
class Hostile:
    """A plugin and what it costs.

    Attributes:
        source: Its module, `plugin.py`, whose `quiz` is the entry point.
        line: The message of `bench list`, after its label.
        remedy: A part of the remedy that `bench doctor` shows, if it is a particular one.
        loaded: Whether its benchmark is there all the same.
    """

    source: str
    line: str
    remedy: str = ""
    loaded: bool = False


PLUGINS = {
    "raises": Hostile("def quiz():\n    raise RuntimeError('no licence\\nfound')", "RuntimeError: no licence found"),
    "raises on import": Hostile("1 / 0", "ZeroDivisionError: division by zero", "pip uninstall acme-bad"),
    "raises nothing to read": Hostile("def quiz():\n    raise KeyError", "KeyError"),
    "raises a megabyte": Hostile("raise ValueError('x' * 1_000_000)", "ValueError: xxx"),
    "raises terminal escapes": Hostile(r"raise ValueError('\x1b[2J\x07')", r"ValueError: \x1b[2J\x07"),
    "exits": Hostile("import sys\nsys.exit('bye')", "SystemExit: bye"),
    "exits when called": Hostile("def quiz():\n    raise SystemExit(3)", "SystemExit: 3"),
    "interrupts": Hostile("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "interrupts when called": Hostile("def quiz():\n    raise KeyboardInterrupt('stop')", "KeyboardInterrupt: stop"),
    "raises what is no Exception": Hostile("class Odd(BaseException): ...\nraise Odd('odd')", "Odd: odd"),
    "closes stdout": Hostile("import sys\nsys.stdout.close()\nraise ValueError('closed')", "ValueError: closed"),
    "hangs on import": Hostile(
        "import time\ndef wait():\n    time.sleep(1000)\nwait()",
        "timed out after 1 s",
        "OPENBENCH_PLUGIN_TIMEOUT",
    ),
    "hangs when called": Hostile(
        "def quiz():\n    while True:\n        pass",
        "timed out after 1 s",
        "OPENBENCH_PLUGINS",
    ),
    "hangs whatever is raised": Hostile(
        "import time\nwhile True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass",
        "timed out after 1 s",
        "pip uninstall acme-bad",
    ),
    "needs a module that is not there": Hostile(
        "import acme_dependency.things",
        "ModuleNotFoundError: No module named 'acme_dependency'",
        "pip install --force-reinstall acme-bad",
    ),
    "needs a name": Hostile("from acme import nothing", "ImportError: cannot import name 'nothing' from 'acme'"),
    "needs a module of its own": Hostile(
        "import plugin.more", "ModuleNotFoundError: No module named 'plugin.more'; 'plugin' is not a package"
    ),
    "has no such attribute": Hostile("quizz = 1", "AttributeError: module 'plugin' has no attribute 'quiz'"),
    "wants an argument": Hostile("def quiz(year): ...", "TypeError: quiz() missing 1 required positional argument"),
    "has a syntax error": Hostile("def quiz(:", "SyntaxError: invalid syntax (plugin.py, line 1)"),
    "is no text": Hostile("\0", "SyntaxError: source code string cannot contain null bytes"),
    "recurses": Hostile("def quiz():\n    return quiz()", "RecursionError: maximum recursion depth exceeded"),
    "is a text": Hostile("quiz = 'Quiz'", "has a str for 'quiz', expected a BenchmarkMetadata"),
    "is nothing": Hostile("def quiz(): ...", "has nothing for 'quiz', expected a BenchmarkMetadata"),
    "is a list": Hostile(
        "from acme import made\nquiz = [made()]", "has a list for 'quiz', expected a BenchmarkMetadata"
    ),
    "is a class of its own": Hostile(
        "class quiz:\n    name = 'Quiz'", "has a quiz for 'quiz', expected a BenchmarkMeta"
    ),
    "is half a dict": Hostile(
        "from acme import made\nquiz = {'fine': made('Fine', category='fine'), 'text': 'x', 7: made()}",
        "has a str for 'text', expected a BenchmarkMetadata; has a BenchmarkMetadata for 7, expected",
    ),
    "describes nothing": Hostile(
        "from acme import made\nquiz = made(description=None)",
        "the BenchmarkMetadata of 'quiz' has nothing as description",
    ),
    "has one tag": Hostile(
        "from acme import made\nquiz = made(tags='trivia', overrides=True)",
        "the BenchmarkMetadata of 'quiz' has a str as tags and a bool as overrides",
    ),
    "has a dict for its dataset": Hostile(
        "from acme import made\nquiz = made(dataset={'source': 'org/quiz'})",
        "the BenchmarkMetadata of 'quiz' has a dict as dataset",
    ),
    "has terminal escapes in its name": Hostile(
        "from acme import made\nquiz = made('\\x1b]0;owned\\x07Quiz')",
        r"the BenchmarkMetadata of 'quiz' has the control character '\x1b' in name",
    ),
    "turns what follows around": Hostile(
        "from acme import made\nquiz = made(description='\\u202egnp.exe')",
        r"the BenchmarkMetadata of 'quiz' has the control character '\u202e' in description",
    ),
    "has control characters in its dataset": Hostile(
        "from acme import made\nfrom openbench.metadata import DatasetSource\n"
        "quiz = made(dataset=DatasetSource(source='org\\x08quiz'))",
        r"the BenchmarkMetadata of 'quiz' has the control character '\x08' in dataset",
    ),
    "has terminal escapes in its key": Hostile(
        "from acme import made\nquiz = {'qu\\x1b[2Jiz': made()}",
        r"the key 'qu\x1b[2Jiz' has invisible characters",
    ),
    "has a key that is a path": Hostile(
        "from acme import made\nquiz = {'../quiz': made()}", "the key '../quiz' is ambiguous"
    ),
    "has a key that is an option": Hostile(
        "from acme import made\nquiz = {'--all': made()}", "the key '--all' is ambiguous"
    ),
    "has an empty key": Hostile("from acme import made\nquiz = {'': made()}", "the key '' has 0 characters"),
    "has a megabyte of description": Hostile(
        "from acme import made\nquiz = made(description='x' * 1_000_000)",
        "the BenchmarkMetadata of 'quiz' has 1,000,000 characters (at most 10,000 are allowed) in description",
    ),
    "raises what cannot be shown": Hostile(
        "class E(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise E", "E, which cannot be shown"
    ),
    "is half made": Hostile(
        "from openbench.utils import BenchmarkMetadata\nquiz = BenchmarkMetadata.__new__(BenchmarkMetadata)",
        "AttributeError: 'BenchmarkMetadata' object has no attribute 'name'",
    ),
    "has a key that cannot be shown": Hostile(
        "class K:\n    def __repr__(self): raise RuntimeError('no')\nquiz = {K(): 1}", "RuntimeError: no"
    ),
    "hangs when it is looked at": Hostile(
        "import time\nclass D(dict):\n    def items(self):\n        time.sleep(1000)\nquiz = D()",
        "timed out after 1 s",
    ),
    "has a name that cannot be encoded": Hostile(
        "from acme import made\nquiz = made('x\\ud800y')",
        r"the BenchmarkMetadata of 'quiz' has the control character '\ud800' in name",
    ),
    "has a key that looks like another": Hostile(
        "from acme import made\nquiz = {'go\\u200bod': made()}", "the key 'go\\u200bod' has invisible"
    ),
    "has a dataset of numbers": Hostile(
        "from acme import made\nfrom openbench.metadata import DatasetSource\n"
        "quiz = made(dataset=DatasetSource(source=7, type='parquet', revision=8))",
        "the BenchmarkMetadata of 'quiz' has an int as dataset.source and a str as dataset.type and an int as data",
    ),
    "has one name twice": Hostile(
        "from acme import made\nquiz = {'my-quiz': made('A', category='a'), 'my_quiz': made('B', category='b')}",
        "registers 'my-quiz' and 'my_quiz', which are one name; the first is used",
        "`-` and `_` are equal",
    ),
}


@pytest.mark.parametrize("hostile", PLUGINS.values(), ids=PLUGINS.keys())
def test_a_hostile_plugin_costs_one_line(site, hostile):
    site.install("acme-bad", {"plugin.py": hostile.source}, benchmarks={"quiz": "plugin:quiz"})
    site.install("acme-good", {"acme_good.py": GOOD}, benchmarks={"good": "acme_good:QUIZ"})
    quick = {"OPENBENCH_PLUGIN_TIMEOUT": "1"}

    listed = site.bench("list", "-c", "acme", **quick)
    assert (listed.code, listed.out) == (0, "good  Good  Questions.\n")
    (line,) = listed.err.splitlines()
    assert line.isprintable()
    assert len(line) < 500
    word = "warning" if hostile.loaded else "not loaded"
    label = f"bench: {word}: acme-bad: "
    assert line.startswith(label)
    assert line.removeprefix(label).partition(": ")[2].startswith(hostile.line)

    if hostile.remedy:
        some = "acme-bad,acme-good,openbench-doctor"  # others' scorers load slowly
        doctor = site.bench("doctor", **quick, OPENBENCH_PLUGINS=some)
        assert (doctor.code, doctor.err) == (1, "")
        assert hostile.remedy in " ".join(doctor.out.split())


@pytest.mark.parametrize(
    ("entry_points", "line"),
    [
        (b"[openbench.benchmarks]\nfoo\n", "foo: ValueError: invalid format: ''"),
        (b"[openbench.benchmarks]\nfoo = a b\n", "foo: ValueError: invalid format: 'a b'"),
        (b"[other]\nx = \xe9\n[openbench.benchmarks]\nfoo = acme_bad:X", "foo: ModuleNotFoundError: No module named"),
        (b"[openbench.benchmarks\nfoo = acme_bad:X", "foo: ModuleNotFoundError: No module named 'acme_bad'"),
    ],
)
def test_malformed_entry_points_cost_one_line(site, entry_points, line):
    site.install("acme-bad", {}, benchmarks={"x": "y"})
    site.install("acme-good", {"acme_good.py": GOOD}, benchmarks={"good": "acme_good:QUIZ"})
    (site.folder / "acme_bad-1.0.dist-info" / "entry_points.txt").write_bytes(entry_points)
    done = site.bench("list", "-c", "acme")
    assert (done.code, done.out) == (0, "good  Good  Questions.\n")
    (found,) = done.err.splitlines()
    assert found.startswith(f"bench: not loaded: acme-bad: {line}")


def test_what_hangs_is_waited_for_once(site):
    points = dict.fromkeys(("one", "two", "three", "four"), "plugin:quiz")
    site.install("acme-bad", {"plugin.py": "import time\ntime.sleep(1000)"}, benchmarks=points, groups=points)
    started = time.monotonic()
    done = site.bench("list", "-c", "acme", OPENBENCH_PLUGIN_TIMEOUT="2")
    assert time.monotonic() - started < 6
    assert len(done.err.splitlines()) == 9  # one for each entry point, and that there is no such category
    assert done.err.count("timed out after 2 s") == 8


@pytest.mark.parametrize("seconds", ["30s", "0", "-1", "nan"])
def test_a_time_limit_that_is_none(site, seconds):
    done = site.bench("list", OPENBENCH_PLUGIN_TIMEOUT=seconds)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"bench: OPENBENCH_PLUGIN_TIMEOUT={seconds}: expected a number of seconds above 0.\n"


@pytest.mark.parametrize("seconds", ["inf", "1e20", "", " 5 "])
def test_a_time_limit_that_is_long(site, seconds):
    assert site.bench("list", OPENBENCH_PLUGIN_TIMEOUT=seconds).code == 0


def test_no_way_of_printing_reaches_stdout(site):
    source = """
import atexit, os, subprocess, sys
from acme import made
print("python")
print("under", file=sys.__stdout__)
os.write(1, b"file\\n")
subprocess.run(["echo", "child"])
atexit.register(print, "at exit")
quiz = made()
"""
    site.install("acme-loud", {"loud.py": source}, benchmarks={"quiz": "loud:quiz"})
    done = site.bench("list", "--json", "-c", "acme", PYTHONUNBUFFERED="")
    assert [row["key"] for row in done.json()] == ["quiz"]
    assert sorted(done.err.splitlines()) == ["at exit", "child", "file", "python", "under"]


def test_many_hostile_plugins_cost_a_line_each(site):
    quick = [name for name in PLUGINS if not name.startswith("hangs")]
    for number, name in enumerate(quick):
        source = PLUGINS[name].source.replace("plugin", f"plugin_{number}")
        points = {f"quiz{number}": f"plugin_{number}:quiz"}
        site.install(f"acme-{number:02}", {f"plugin_{number}.py": source}, benchmarks=points)
    site.install("acme-good", {"acme_good.py": GOOD}, benchmarks={"good": "acme_good:QUIZ"})
    done = site.bench("list", "--search", "Good")
    assert (done.code, done.out) == (0, "good  Good  Questions.\n")
    lines = done.err.splitlines()
    assert [line.partition(": acme-")[2][:2] for line in lines if "which are one name" not in line] == [
        f"{number:02}" for number, name in enumerate(quick) if name != "has one name twice"
    ]
    assert len(lines) == len(quick)


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ("acme-one", ["one"]),
        ("Acme_One, acme-two", ["one", "two"]),
        ("two", ["two"]),
        ("", []),
        (" , ", []),
    ],
)
def test_discovery_can_be_limited(site, plugins, expected):
    for name in ("one", "two"):
        site.install(f"acme-{name}", {f"{name}_.py": GOOD}, benchmarks={name: f"{name}_:QUIZ"})
    site.install("acme-bad", {"bad.py": "1 / 0"}, benchmarks={"bad": "bad:QUIZ"}, groups={"worse": "bad:QUIZ"})
    done = site.bench("list", "--json", OPENBENCH_PLUGINS=plugins)
    assert [row["key"] for row in done.json()] == expected
    assert done.err == ""
    if not expected:
        done = site.bench("list", OPENBENCH_PLUGINS=plugins)
        message = "No benchmark package is installed among those that OPENBENCH_PLUGINS names.\n"
        assert (done.code, done.out, done.err) == (0, "", message)


def test_a_name_in_the_limit_that_no_one_has_costs_a_line(site):
    site.install("acme-one", {"one_.py": GOOD}, benchmarks={"one": "one_:QUIZ"})
    done = site.bench("list", "--json", OPENBENCH_PLUGINS="acme-one,acme-tow")
    assert [row["key"] for row in done.json()] == ["one"]
    assert done.err == (
        "bench: not loaded: OPENBENCH_PLUGINS: acme-tow: no distribution or entry point has this name\n"
    )


def test_ctrl_c_while_a_plugin_hangs_is_the_users_own(site):
    source = "import pathlib, time\npathlib.Path('hanging').touch()\ntime.sleep(1000)"
    site.install("acme-bad", {"plugin.py": source}, benchmarks={"quiz": "plugin:quiz"})
    command = [sys.executable, "-c", "from openbench.cli.main import main; main()", "list"]
    path = os.pathsep.join(filter(None, [str(site.folder), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        command, cwd=site.folder, env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE, text=True
    )
    while not (site.folder / "hanging").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=8)
    assert (process.returncode, err.strip()) == (130, "bench: interrupted")


def test_a_plugin_whose_metadata_imports_the_engine_is_only_slow(site):
    source = "import inspect_ai\nfrom acme import made\nquiz = made('Heavy', category='heavy')"
    site.install("acme-heavy", {"plugin.py": source}, benchmarks={"quiz": "plugin:quiz"})
    done = site.bench("list", "-c", "heavy", OPENBENCH_PLUGIN_TIMEOUT="60")
    assert (done.code, done.out, done.err) == (0, "quiz  Heavy  Questions.\n", "")
