"""What is written is a whole package: it builds, installs, lists, evaluates and passes its own checks."""

import json
import zipfile
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from .conftest import UV, Environment, run

pytestmark = pytest.mark.stress

DESCRIPTION = "It's \"ours\": C:\\new \\ {braces} $name ${x} %s,\n\ttwo lines, Füße, 测试 \N{GRINNING FACE} '''"
SHOWN = "It's \"ours\": C:\\new \\ {braces} $name ${x} %s, two lines, Füße, 测试 \N{GRINNING FACE} '''"

FLAGS = {
    "mcq": ["quiz", "--distribution", "openbench-quiz", "--description", DESCRIPTION],
    "class": ["hooked", "--style", "class", "--distribution", "openbench-hooked"],
    "toml": ["Declared-2", "--style", "toml", "--distribution", "openbench-declared-2", "--description", DESCRIPTION],
    "graded": ["Recall-2", "--style", "graded", "--distribution", "Acme_Recall", "--category", 'it\'s "law"'],
}
DISTRIBUTIONS = {
    "mcq": "openbench-quiz",
    "class": "openbench-hooked",
    "toml": "openbench-declared-2",
    "graded": "Acme_Recall",
}
PACKAGES = {
    "mcq": "openbench_quiz",
    "class": "openbench_hooked",
    "toml": "openbench_declared_2",
    "graded": "acme_recall",
}
FUNCTIONS = {"mcq": "quiz", "class": "hooked", "toml": "declared_2", "graded": "recall_2"}


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheels):
    """Write and build every style with the wheels of the kernel and the packages for authors, and install all.

    The graded package is installed editable, the others from their wheels.
    """
    made = Environment.make(tmp_path_factory.mktemp("new"))
    authors = ("openbench-authoring", "openbench-ranking", "openbench-scorers", "openbench-testing")
    made.install("--find-links", wheels, *authors, "pytest", "ruff", "mypy")
    for style, flags in FLAGS.items():
        made.command("bench", "new", *flags)
        with (made.folder / DISTRIBUTIONS[style] / ".gitignore").open("a") as ignored:
            ignored.write("data/\nsamples/\n")  # as who keeps the rows out of git has it
        run(UV, "build", "-o", made.folder / "built" / style, made.folder / DISTRIBUTIONS[style], cwd=made.folder)
    built = [
        f"{wheel}[test]"
        for style in ("mcq", "class", "toml")
        for wheel in (made.folder / "built" / style).glob("*.whl")
    ]
    made.install("--find-links", wheels, *built, "-e", f"{made.folder / DISTRIBUTIONS['graded']}[test]")
    return made


@pytest.fixture
def tool(environment, tmp_path):
    """Run a command of the environment in a folder of its own, or in that of a package."""

    def call(name, *arguments, style=None, code=0):
        cwd = environment.folder / DISTRIBUTIONS[style] if style else tmp_path
        return environment.command(name, *arguments, cwd=cwd, code=code)

    return call


@pytest.mark.parametrize("style", FLAGS)
def test_the_wheel_holds_the_rows(environment, style):
    (wheel,) = (environment.folder / "built" / style).glob("*.whl")
    package, name = PACKAGES[style], FLAGS[style][0].replace("-", "_")
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    assert {f"{package}/{file}" for file in ("data/test.jsonl", f"samples/{name}/test.jsonl", "py.typed")} <= names
    assert {Path(name).parts[0] for name in names} == {package, f"{package}-1.0.0.dist-info"}


def test_they_are_listed_and_described(tool):
    listed = {benchmark["key"]: benchmark for benchmark in json.loads(tool("bench", "list", "--json").stdout)}
    assert set(listed) == {"quiz", "hooked", "Declared-2", "Recall-2"}
    quiz = json.loads(tool("bench", "describe", "quiz", "--json").stdout)
    declared = json.loads(tool("bench", "describe", "declared_2", "--json").stdout)
    assert (declared["description"], declared["samples"], declared["dataset"]["pinned"]) == (SHOWN, 8, True)
    recall = json.loads(tool("bench", "describe", "recall_2", "--json").stdout)
    assert (quiz["description"], quiz["samples"], quiz["dataset"]["pinned"]) == (SHOWN, 8, True)
    assert (recall["category"], recall["needs"], recall["sample_rows"]) == ('it\'s "law"', ["grader"], True)


@pytest.mark.parametrize("rows", [["--sample"], []], ids=["sample rows", "pinned rows"])
@pytest.mark.parametrize("style", FLAGS)
def test_the_reference_is_right_throughout(tool, style, rows):
    told = tool("bench", "eval", FLAGS[style][0], *rows, "--baseline", "reference", "--json")
    (result,) = json.loads(told.stdout)
    assert (result["score"], result["samples"], result["version"]) == (1.0, 8, "1.0.0")
    log = read_eval_log(result["log"], header_only=True)
    assert log.eval.task_registry_name == f"{PACKAGES[style]}/{FUNCTIONS[style]}"


def test_the_answers_are_spread_over_the_letters(environment):
    files = sorted((environment.folder / DISTRIBUTIONS["mcq"] / "src").rglob("test.jsonl"))
    assert len(files) == 2
    for file in files:
        answers = [json.loads(line)["answer"] for line in file.read_text("utf-8").splitlines()]
        assert sorted(answers) == list("AABBCCDD")


@pytest.mark.parametrize("style", FLAGS)
def test_it_passes_its_own_tests(tool, style):
    told = tool("pytest", "-q", "-p", "no:cacheprovider", style=style)
    assert " passed" in told.stdout


@pytest.mark.parametrize("style", FLAGS)
def test_it_passes_the_check(tool, style):
    tool("bench", "check", FLAGS[style][0])


@pytest.mark.parametrize("style", FLAGS)
def test_its_code_is_formatted_and_typed(tool, style):
    tool("ruff", "format", "--check", ".", style=style)
    tool("ruff", "check", "--extend-select", "B,D1,I,N,PT,SIM,UP", "--ignore", "D101,D103", ".", style=style)
    tool("mypy", "src", "tests", style=style)


@pytest.mark.parametrize("style", FLAGS)
@pytest.mark.parametrize(("name", "distribution"), [("q", "q1"), ("q" * 40, "r" * 50)])
def test_lines_fit_the_shortest_and_the_longest_names(tool, style, name, distribution):
    tool("bench", "new", name, "--style", style, "--distribution", distribution, "--overrides", distribution[:-1])
    tool("ruff", "format", "--check", distribution)
    tool("ruff", "check", "--extend-select", "E501", distribution)


def test_it_never_overwrites(tool, environment):
    project = environment.folder / DISTRIBUTIONS["mcq"]
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    told = tool("bench", "new", "other", "--directory", project, code=2)
    assert "it exists and is not an empty folder" in told.stderr
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
