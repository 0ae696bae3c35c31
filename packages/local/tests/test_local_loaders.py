"""Tests of local evals with suffixes other than .py: their loaders, and errors of loaders."""

import sys

import pytest

from openbench.cli.main import run
from openbench.errors import UsageError
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.discovery import PLUGINS_VARIABLE
from openbench_local.loading import load_local_module

LOADERS = '''
import sys
import time
from pathlib import Path
from types import ModuleType

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata

LOADED = print("noise")


def good(path):
    """Make a module from a file that contains the name of its task."""
    print("more noise")
    name = path.read_text("utf-8").strip()
    module = ModuleType("anything")
    module.__metadata__ = BenchmarkMetadata("Quiz", "Questions.", "acme", ["t"], "nowhere", name)
    module.__sources__ = [path.parent / "shared" / "base.txt"]

    def made(level: int = 3, *, hard: bool = False, split="test"):
        """Ask."""
        return module.__name__, level

    setattr(module, name, made)
    return module


def raises(path):
    raise RuntimeError("no licence")


def exits(path):
    sys.exit(3)


def complains(path):
    raise UsageError(f"{path}, line 3: what is this?")


def gives_metadata(path):
    return BenchmarkMetadata("Quiz", "Questions.", "acme", ["t"], "nowhere", "quiz")


def gives_nothing(path):
    return ModuleType("anything")


NUMBER = 7
'''


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return a folder with a file of each suffix, and install a distribution that loads them."""
    site = tmp_path / "site"
    info = site / "acme_loaders-1.5.dist-info"
    info.mkdir(parents=True)
    names = ("good", "raises", "exits", "complains", "gives_metadata", "gives_nothing", "NUMBER", "missing")
    points = "".join(f"{name.lower()} = acme_loaders_of_test:{name}\n" for name in names)
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: acme-loaders\nVersion: 1.5\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[openbench.loaders]\n{points}broken = acme_no_such_module:load\n", "utf-8")
    (site / "acme_loaders_of_test.py").write_text(LOADERS, "utf-8")
    monkeypatch.syspath_prepend(site)
    folder = tmp_path / "evals"
    (folder / "shared").mkdir(parents=True)
    (folder / "shared" / "base.txt").write_text("shared", "utf-8")
    for name in (*map(str.lower, names), "broken", "toml", "xyz"):
        (folder / f"quiz.{name}").write_text("quiz", "utf-8")
    monkeypatch.chdir(folder)
    loaded = {*sys.modules}
    yield folder
    for name in {*sys.modules} - loaded:
        if name.startswith(("acme_loaders", "openbench_local_quiz")):
            del sys.modules[name]


def found(path):
    return find_benchmark(Catalog([]), str(path))


def complaint(path):
    with pytest.raises(UsageError) as error:
        found(path)
    return str(error.value)


def test_a_file_becomes_a_benchmark(files, capsys):
    benchmark = found("quiz.good")
    assert (benchmark.key, benchmark.metadata.name, benchmark.reference) == ("quiz", "Quiz", str(files / "quiz.good"))
    assert benchmark.metadata.module_path in sys.modules
    assert benchmark.task_function()() == (benchmark.metadata.module_path, 3)
    assert capsys.readouterr().out == ""


def test_its_signature_is_that_of_the_loaded_function(files):
    read = found(files / "quiz.good").signature()
    assert [(p.name, p.annotation, p.default) for p in read.parameters.values()] == [
        ("level", "int", "3"),
        ("hard", "bool", "False"),
        ("split", None, "'test'"),
    ]
    assert not read.open


def test_its_source_files_are_those_that_its_module_names(files):
    benchmark = found(files / "quiz.good")
    shared = files / "shared" / "base.txt"
    assert benchmark.source_files() == {"quiz.good": files / "quiz.good", "shared/base.txt": shared}


def test_it_is_loaded_once(files):
    module = load_local_module(files / "quiz.good")
    assert load_local_module(files / "shared" / ".." / "quiz.good") is module


def test_suffixes_ignore_case(files):
    (files / "quiz.GOOD").write_text("other", "utf-8")
    assert found(files / "quiz.GOOD").key == "other"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raises", "{path} cannot be loaded by acme-loaders 1.5: RuntimeError: no licence"),
        ("exits", "{path} cannot be loaded by acme-loaders 1.5: SystemExit: 3"),
        ("complains", "{path}, line 3: what is this?"),
        (
            "gives_metadata",
            "{path}: acme-loaders 1.5 returned a BenchmarkMetadata; expected a module. Report it to its authors.",
        ),
        (
            "gives_nothing",
            (
                "quiz.gives_nothing has no __metadata__. Set it to a BenchmarkMetadata (from openbench.metadata), "
                "or decorate the task with Inspect's @task."
            ),
        ),
    ],
)
def test_a_loader_that_fails_is_named(files, name, message):
    assert complaint(f"quiz.{name}") == message.format(path=files / f"quiz.{name}")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("number", "refers to an int, expected a function from a path to a module"),
        ("missing", "acme_loaders_of_test"),
        ("broken", "acme_no_such_module"),
    ],
)
def test_an_entry_point_that_cannot_be_used_is_named(files, name, message):
    error = complaint(f"quiz.{name}")
    assert error.startswith(f"{files / f'quiz.{name}'}: acme-loaders: {name}: ")
    assert message in error


def test_two_loaders_of_one_suffix_are_refused(files, tmp_path, monkeypatch):
    info = tmp_path / "more" / "acme_more-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: acme-more\nVersion: 2.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[openbench.loaders]\ngood = acme_no_such_module:load\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path / "more")
    assert complaint("quiz.good") == (
        f"{files / 'quiz.good'}: several distributions provide it: acme-loaders 1.5 and acme-more 2.0. Uninstall one, "
        f"or name the plugins to use in {PLUGINS_VARIABLE}."
    )
    monkeypatch.setenv(PLUGINS_VARIABLE, "acme-loaders,openbench-local")
    assert found("quiz.good").key == "quiz"


def test_a_suffix_without_a_loader(files, monkeypatch):
    monkeypatch.setenv(PLUGINS_VARIABLE, "good,openbench-local")
    assert complaint("quiz.xyz") == (
        f"{files / 'quiz.xyz'} is not a Python file. A local eval is a directory or a .py file, or a .good file."
    )
    assert complaint("quiz.toml") == (
        f"{files / 'quiz.toml'}: .toml files need openbench-authoring ({PLUGINS_VARIABLE} limits which plugins are "
        "used). Install it: pip install openbench-authoring"
    )


def test_python_files_load_no_loader(files):
    (files / "quiz.py").write_text(
        "from openbench.metadata import BenchmarkMetadata\n"
        "__metadata__ = BenchmarkMetadata('Quiz', 'Questions.', 'acme', [], __name__, 'quiz')\n"
        "def quiz(): ...\n",
        "utf-8",
    )
    assert found("./quiz.py").key == "quiz"
    assert "acme_loaders_of_test" not in sys.modules


def test_describe_shows_a_loaded_eval(files, capsys):
    assert run(["describe", "quiz.good"]) == 0
    assert "-T level=3\n              -T hard=False" in capsys.readouterr().out
    assert run(["describe", "quiz.raises"]) == 2
    assert capsys.readouterr().err == (
        f"bench: {files / 'quiz.raises'} cannot be loaded by acme-loaders 1.5: RuntimeError: no licence\n"
    )
