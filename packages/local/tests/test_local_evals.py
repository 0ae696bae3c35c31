"""Tests of evals that are not installed: a directory or a single file, found by its path."""

import importlib
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.names import is_path
from openbench.registry.resolution import Provided
from openbench.utils.imports import import_module_from_same_dir
from openbench_testing import ChatServer, Fault

LOCAL = "A local eval is a directory or a .py file that defines __metadata__."
QUIZ = """
from openbench.utils import BenchmarkMetadata
__metadata__ = BenchmarkMetadata("Quiz", "Questions.", "acme", ["t"], {module}, "quiz")
def quiz(split="test"):
    return "made by " + __name__
"""


@pytest.fixture(autouse=True)
def _restore_imports(tmp_path):
    path, modules = [*sys.path], {*sys.modules}
    yield
    sys.path[:] = path
    for name in {*sys.modules} - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


@pytest.fixture
def write(tmp_path):
    """Write files below the test's folder."""

    def files(sources):
        for name, source in sources.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, "utf-8")
        return tmp_path

    return files


def found(reference, catalog=None):
    return find_benchmark(catalog or Catalog([]), str(reference))


def complaint(reference):
    with pytest.raises(UsageError) as error:
        found(reference)
    return str(error.value)


# --- finding evals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["__name__", "'somewhere.else'", "''"])
@pytest.mark.parametrize("name", ["my_eval/__init__.py", "quiz.py"])
def test_only_the_function_name_of_the_metadata_counts(write, name, module):
    folder = write({name: QUIZ.format(module=module)})
    path = folder / name.removesuffix("/__init__.py")
    benchmark = found(path)
    assert (benchmark.key, benchmark.metadata.name, benchmark.path) == ("quiz", "Quiz", path)
    assert (benchmark.distribution, benchmark.version, benchmark.resolution) == (None, None, None)
    assert benchmark.task_function()() == f"made by {benchmark.metadata.module_path}"
    assert [*benchmark.signature().parameters] == ["split"]


INNER = """
from openbench.utils.imports import import_module_from_same_dir
def {function}(split="test"):
    return import_module_from_same_dir(__file__, "rows").ROWS
"""


@pytest.mark.parametrize("module", ["rivers.rivers", "rivers", "acme.evals.rivers", "__name__ + '.rivers'"])
def test_the_task_may_be_in_the_last_module_of_module_path(write, module):
    metadata = QUIZ.partition("def quiz")[0]
    quoted = module if "__name__" in module else repr(module)
    write({"rivers/__init__.py": metadata.format(module=quoted), "rivers/rows.py": "ROWS = [7]"})
    folder = write({"rivers/rivers.py": INNER.format(function="quiz")})
    benchmark = found(folder / "rivers")
    assert benchmark.task_function()() == [7]
    assert benchmark.metadata.module_path == f"{benchmark.metadata.module_path.partition('.')[0]}.rivers"
    assert [*benchmark.signature().parameters] == ["split"]
    assert benchmark.reference == str(folder / "rivers")


def test_the_last_module_of_module_path_may_have_no_task_or_be_broken(write):
    folder = write({"rivers/__init__.py": QUIZ.format(module="'rivers'"), "rivers/rivers.py": "LENGTH = 7"})
    assert found(folder / "rivers").task_function()() == f"made by {found(folder / 'rivers').metadata.module_path}"
    folder = write(
        {"lakes/__init__.py": QUIZ.format(module="'lakes.lakes'"), "lakes/lakes.py": "import no_such_module"}
    )
    assert complaint(folder / "lakes") == (
        f"{folder / 'lakes' / '__init__.py'} cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"
    )


SEVERAL = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match

@task
def rivers(level: int = 1) -> Task:
    '''Which river is longest.

    More.'''
    return Task([Sample(f"River {level}?", target="A")], scorer=match())

@task(name="other")
def lakes():
    return Task([Sample("Lake?", target="B")], scorer=match())
"""


def test_one_of_several_tasks_is_named_after_the_file(write, monkeypatch):
    folder = write({"quiz.py": SEVERAL})
    rivers, lakes = (found(folder / f"quiz.py@{name}") for name in ("rivers", "lakes"))
    assert [each.key for each in (rivers, lakes)] == ["rivers", "lakes"]
    assert (rivers.metadata.name, rivers.metadata.description) == ("rivers", "Which river is longest.")
    assert lakes.metadata.description == "lakes"
    assert [*rivers.signature().parameters] == ["level"]
    assert (lakes.path, lakes.reference) == (folder / "quiz.py", f"{folder / 'quiz.py'}@lakes")
    assert found(lakes.reference).task_function() is lakes.task_function()
    monkeypatch.chdir(folder)
    assert found("quiz.py@lakes").key == "lakes"
    path = folder / "quiz.py"
    assert complaint(path) == f"{path} has several tasks: rivers, lakes. Name one, as in {path}@rivers."
    assert complaint(f"{path}@seas") == f"{path} has no task 'seas'. Its tasks: rivers, lakes."
    assert complaint(f"{folder / 'none.py'}@seas") == f"{folder / 'none.py'} does not exist. {LOCAL}"


def test_a_task_besides_the_one_in_the_metadata(write):
    folder = write({"quiz.py": SEVERAL + QUIZ.format(module="__name__")})
    assert found(folder / "quiz.py").reference == str(folder / "quiz.py")
    assert found(folder / "quiz.py@quiz").metadata.name == "Quiz"
    assert found(folder / "quiz.py@lakes").metadata.name == "lakes"
    assert complaint(folder / "quiz.py@Lakes").endswith("quiz.py has no task 'Lakes'. Its tasks: rivers, lakes.")


def test_a_path_may_have_an_at_sign(write):
    folder = write({"a@b/quiz@2.py": QUIZ.format(module="__name__")})
    assert found(folder / "a@b" / "quiz@2.py").reference == str(folder / "a@b" / "quiz@2.py")


def test_a_directory_imports_its_modules_in_every_documented_way(write):
    folder = write(
        {
            "my_eval/__init__.py": """
from openbench.utils import BenchmarkMetadata
from openbench.utils.imports import import_module_from_same_dir
from .inner.task import quiz, LEVEL
helper = import_module_from_same_dir(__file__, "helper")
__metadata__ = BenchmarkMetadata("Quiz", "Questions.", "acme", [], __name__, "quiz")
""",
            "my_eval/inner/__init__.py": "",
            "my_eval/inner/task.py": """
from .. import constants
from my_eval.constants import LEVEL
def quiz(level: int = LEVEL):
    return level, constants.LEVEL
""",
            "my_eval/constants.py": "LEVEL = 7",
            "my_eval/helper.py": "VALUE = 3",
        }
    )
    benchmark = found(folder / "my_eval")
    assert benchmark.task_function()() == (7, 7)
    assert benchmark.signature().parameters["level"].default == "7"
    assert sys.modules[benchmark.metadata.module_path].helper.VALUE == 3


def test_a_file_imports_its_neighbours(write):
    folder = write({"quiz.py": "from neighbour_7f import LEVEL\n" + QUIZ.format(module="__name__")})
    write({"neighbour_7f.py": "LEVEL = 7"})
    assert sys.modules[found(folder / "quiz.py").metadata.module_path].LEVEL == 7


def test_a_decorated_task_has_the_parameters_of_the_wrapped_function(write):
    source = """
import functools
def decorated(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner
"""
    folder = write({"quiz.py": source + QUIZ.format(module="__name__").replace("def quiz", "@decorated\ndef quiz")})
    assert [*found(folder / "quiz.py").signature().parameters] == ["split"]


def test_a_task_that_is_not_a_function_has_no_signature(write):
    source = (
        "from openbench.utils import BenchmarkMetadata\nclass Maker:\n    def __call__(self): return 1\nquiz = Maker()"
    )
    meta = "\n__metadata__ = BenchmarkMetadata('Q', 'D', 'c', [], __name__, 'quiz')"
    benchmark = found(write({"quiz.py": source + meta}) / "quiz.py")
    assert (benchmark.signature(), benchmark.task_function()()) == (None, 1)


def test_files_of_the_same_name_are_separate_evals(write):
    folder = write({"a/quiz.py": QUIZ.format(module="__name__"), "b/quiz.py": QUIZ.format(module="__name__")})
    first, second = (found(folder / side / "quiz.py") for side in "ab")
    assert first.metadata.module_path != second.metadata.module_path
    assert first.task_function() is found(folder / "a" / ".." / "a" / "quiz.py").task_function()


def test_paths_of_every_form_are_found(write, monkeypatch):
    folder = write({"my_eval/__init__.py": QUIZ.format(module="__name__")})
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    for reference in ("my_eval", "./my_eval", "my_eval/", "my_eval/__init__.py", str(folder / "my_eval"), "~/my_eval"):
        assert found(reference).key == "quiz"
    monkeypatch.chdir("my_eval")
    assert found(".").key == "quiz"


def test_an_installed_name_takes_precedence_over_a_path(write, monkeypatch):
    monkeypatch.chdir(write({"quiz/__init__.py": QUIZ.format(module="__name__")}))
    installed = BenchmarkMetadata("Installed", "D", "acme", [], "m", "f")
    catalog = Catalog([Provided("quiz", installed, "acme", "1.0")])
    assert found("quiz", catalog).metadata.name == "Installed"
    assert found("./quiz", catalog).metadata.name == "Quiz"


@pytest.mark.parametrize("reference", ["quiz.py", "quiz.py@task", "a/b", "./a", "..", ".", "a\\b", "~/quiz"])
def test_references_that_are_paths(reference):
    assert is_path(reference)


@pytest.mark.parametrize("reference", ["quiz", "my-quiz", "quiz@acme", "quiz.txt", "~"])
def test_references_that_are_names(reference):
    assert not is_path(reference)


# --- errors -----------------------------------------------------------------------------------------------------------


def test_a_path_that_does_not_exist(tmp_path):
    assert complaint(tmp_path / "quiz.py") == f"{tmp_path / 'quiz.py'} does not exist. {LOCAL}"
    assert complaint("no/such/eval") == f"no/such/eval does not exist. {LOCAL}"


def test_a_directory_that_is_not_a_package(tmp_path):
    assert complaint(tmp_path) == f"{tmp_path} is a directory without __init__.py. {LOCAL}"


def test_a_file_that_is_not_python(write, monkeypatch):
    monkeypatch.setenv("OPENBENCH_PLUGINS", "openbench-local")  # a plugin may load files of other suffixes
    path = write({"quiz.txt": "x"}) / "quiz.txt"
    assert complaint(path) == f"{path} is not a Python file. A local eval is a directory or a .py file."


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise RuntimeError('no licence')", "cannot be imported: RuntimeError: no licence"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
        ("import no_such_module", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("def quiz(:", "cannot be imported: SyntaxError: invalid syntax (quiz.py, line 1)"),
        (
            QUIZ.format(module="__name__").replace("def quiz", "def quizz"),
            "has no function 'quiz', which __metadata__ names.",
        ),
        (
            QUIZ.format(module="__name__").replace("def quiz", "quiz = 3\ndef other"),
            "has no function 'quiz', which __metadata__ names.",
        ),
    ],
)
@pytest.mark.parametrize("name", ["my_eval/__init__.py", "quiz.py"])
def test_errors_name_the_file_and_the_rule(write, name, source, message):
    path = write({name: source}) / name
    given = path.parent if path.name == "__init__.py" else path
    assert complaint(given) == f"{path} {message.replace('quiz.py', path.name)}"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("", "has no __metadata__"),
        ("__metadata__ = {'name': 'Quiz'}", "has a dict as __metadata__"),
        ("class Task: pass\ndef rivers() -> Task: return Task()", "has no __metadata__"),
    ],
)
@pytest.mark.parametrize("name", ["my_eval/__init__.py", "2-rivers.py"])
def test_an_eval_without_metadata_or_task(write, name, source, found):
    path = write({name: source}) / name
    given = path.parent if path.name == "__init__.py" else path
    way_out = "Set it to a BenchmarkMetadata (from openbench.metadata), or decorate the task with Inspect's @task."
    assert complaint(given) == f"{path} {found}. {way_out}"


def test_an_eval_that_failed_is_imported_again(write):
    path = write({"quiz.py": "raise RuntimeError('not yet')"}) / "quiz.py"
    assert "not yet" in complaint(path)
    write({"quiz.py": QUIZ.format(module="__name__") + "\n# longer, so that cached bytecode is not used"})
    assert found(path).key == "quiz"


# --- the import helper ------------------------------------------------------------------------------------------------


def test_the_helper_imports_from_the_callers_directory(write):
    folder = write({"a/helper.py": "WHERE = 'a'", "b/helper.py": "WHERE = 'b'"})
    a, b = (import_module_from_same_dir(str(folder / side / "task.py"), "helper") for side in "ab")
    assert (a.WHERE, b.WHERE, Path(a.__file__)) == ("a", "b", folder / "a" / "helper.py")
    assert import_module_from_same_dir(folder / "a" / "other.py", "helper") is a


def test_the_helpers_module_may_contain_dataclasses(write):
    source = """
from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Row:
    question: str
"""
    folder = write({"helper.py": source})
    module = import_module_from_same_dir(str(folder / "task.py"), "helper")
    assert module.Row("why").question == "why"
    assert importlib.import_module(module.__name__) is module


def test_the_helper_names_a_missing_file(tmp_path):
    with pytest.raises(ImportError) as error:
        import_module_from_same_dir(str(tmp_path / "task.py"), "helper")
    assert (str(error.value), error.value.name) == (f"{tmp_path / 'helper.py'} does not exist", "helper")


def test_the_helper_passes_on_errors_of_the_file(write):
    folder = write({"helper.py": "1 / 0"})
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            import_module_from_same_dir(str(folder / "task.py"), "helper")


# --- in processes -----------------------------------------------------------------------------------------------------


def test_describe_a_local_eval(site):
    site.write({"my_eval/__init__.py": "print('noise')\n" + QUIZ.format(module="__name__")})
    done = site.bench("describe", "my_eval", "--json")
    described = done.json()
    assert (done.code, done.err) == (0, "noise\n")
    assert (described["key"], described["path"], described["distribution"]) == ("quiz", "my_eval", None)
    assert described["parameters"] == [{"name": "split", "annotation": None, "default": "'test'"}]
    text = site.bench("describe", "./my_eval/").out
    assert "from          my_eval\n" in text
    assert "-T split='test'" in text


def test_a_broken_local_eval_is_a_usage_error(site):
    site.write({"broken.py": "import no_such_module"})
    done = site.bench("describe", "broken.py")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"bench: {site.folder / 'broken.py'} cannot be imported: "
        "ModuleNotFoundError: No module named 'no_such_module'\n"
    )


def test_every_task_of_a_file_without_metadata_runs(bench, tmp_path, write):
    write({"quiz.py": SEVERAL})
    constant = ["--model", "baseline/constant", "-M", "answer=A"]
    done = bench("eval", "quiz.py", *constant, "-T", "level=7", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert [(each["benchmark"], each["score"]) for each in done.json()] == [("rivers", 1.0), ("lakes", 0.0)]
    notes = [line for line in done.err.splitlines() if "__metadata__" in line]
    assert notes == ["no __metadata__ describes rivers, lakes: named after the function"]
    done = bench("eval", "quiz.py@lakes", *constant, "--json", cwd=tmp_path)
    assert [each["benchmark"] for each in done.json()] == ["lakes"], done.err
    again = bench("score", done.json()[0]["log"], "--json", cwd=tmp_path)
    assert again.code == 0, again.err


def test_one_of_several_tasks_is_resumed(bench, tmp_path, write):
    write({"quiz.py": SEVERAL.replace('Sample("Lake?", target="B")', '*[Sample(f"{n}?", target="B") for n in "ab"]')})
    broken = ["b?"]
    faults = lambda request, _: Fault.status(400) if request.prompt in broken else None  # noqa: E731
    with ChatServer("B", faults=faults) as server:
        how = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        done = bench("eval", "quiz.py@lakes", *how, "--no-fail-on-error", "--json", cwd=tmp_path)
        broken.clear()
        again = bench("eval-retry", done.json()[0]["log"], "--json", cwd=tmp_path)
        asked = sorted(request.prompt for request in server.requests)
    assert [(each["benchmark"], each["score"], each["completed"]) for each in again.json()] == [("lakes", 1.0, 2)]
    assert asked == ["a?", "b?", "b?"]


def test_a_directory_runs(bench, tmp_path, write):
    write(
        {
            "my_eval/__init__.py": """
from openbench.utils import BenchmarkMetadata
from .task import quiz
__metadata__ = BenchmarkMetadata("Quiz", "Questions.", "acme", [], "somewhere.else", "quiz")
""",
            "my_eval/task.py": """
from pathlib import Path
from inspect_ai import task
from openbench.utils.mcq import MCQEval
from openbench.utils.imports import import_module_from_same_dir
mapping = import_module_from_same_dir(__file__, "mapping")
@task
def quiz():
    rows = str(Path(__file__).with_name("rows.csv"))
    return MCQEval(name="quiz", dataset_type="csv", dataset_path=rows, record_to_mcq_sample=mapping.to_sample)
""",
            "my_eval/mapping.py": """
from openbench.utils.mcq import MCQSample
from openbench.utils.text import create_dynamic_multiple_choice_prompt
def to_sample(row):
    options = [row["a"], row["b"]]
    return MCQSample(input=create_dynamic_multiple_choice_prompt(row["q"], options), target=row["answer"])
""",
            "my_eval/rows.csv": 'q,a,b,answer\n1 + 1?,2,3,A\n"2 + 2?",5,4,B\n',
        }
    )
    done = bench("eval", "my_eval", "--model", "baseline/constant", "-M", "answer=Answer: A", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    (result,) = done.json()
    assert result["score"] == 0.5


def test_an_eval_that_cannot_be_imported_does_not_affect_others(bench, quiz):
    (quiz / "broken.py").write_text("import nothing_here")
    done = bench("eval", "broken.py", "quiz.py", "--baseline", "reference", "--json", cwd=quiz)
    broken, right = done.json()
    assert (done.code, broken["status"], right["status"], right["score"]) == (1, "error", "success", 1.0)
    assert "broken.py cannot be imported: ModuleNotFoundError: No module named 'nothing_here'" in broken["error"]
    assert bench("eval", "broken.py", "--baseline", "reference", cwd=quiz).code == 2


OF_HELPER = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
import helper
from parts.said import SAID
@task
def {name}():
    import late
    sample = Sample(input="Say it.", target=helper.ANSWER + SAID + late.ANSWER)
    return Task([sample], scorer=includes())
"""


def test_evals_of_several_folders_import_their_own_helpers(bench, write):
    folder = write(
        {
            f"{name}/{file}": source
            for name in ("a", "b")
            for file, source in {
                f"of_{name}.py": OF_HELPER.format(name=f"of_{name}"),
                "helper.py": f"ANSWER = 'helper of {name}'",
                "parts/said.py": f"SAID = 'said by {name}'",
                "late.py": f"ANSWER = 'late of {name}'",
            }.items()
        }
    )
    done = bench("eval", "a/of_a.py", "b/of_b.py", "--baseline", "reference", "--json", cwd=folder)
    assert done.code == 0, done.err
    targets = [read_eval_log(result["log"]).samples[0].target for result in done.json()]
    assert targets == [f"helper of {name}said by {name}late of {name}" for name in ("a", "b")]


def test_without_this_package_the_error_names_it(bench, quiz):
    done = bench("eval", "quiz.py", "--baseline", "reference", cwd=quiz, OPENBENCH_PLUGINS="acme-nothing")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: quiz.py: evals in files come with openbench-local: pip install openbench-local")
