"""The command: what it asks, what it writes, what it refuses."""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_testing.new.texts import python_literal, toml_literal

BENCH = Path(sys.executable).parent / "bench"
SECONDS = 60


def new(*arguments, cwd, code=0, **variables):
    done = subprocess.run(
        [BENCH, "new", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "LOGNAME": "Acme Inc", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def metadata(package):
    """Return what the written metadata says, without importing it."""
    (call,) = (
        node.value
        for node in ast.parse((package / "metadata.py").read_text("utf-8")).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "BENCHMARK"
    )
    return {word.arg: word.value.value for word in call.keywords if isinstance(word.value, ast.Constant)}


def test_flags_alone(tmp_path):
    done = new("fact-recall", cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout == (
        "Wrote 14 files of acme-inc-fact-recall to acme-inc-fact-recall. Next:\n"
        "\n"
        "    cd acme-inc-fact-recall\n"
        '    pip install -e ".[test]"\n'
        "    bench list --search fact-recall\n"
        "    bench eval fact-recall --sample --baseline reference\n"
        "    bench check fact-recall\n"
        "    pytest\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["acme-inc-fact-recall"]
    values = metadata(tmp_path / "acme-inc-fact-recall" / "src" / "acme_inc_fact_recall")
    assert (values["name"], values["function_name"], values["category"]) == ("Fact recall", "fact_recall", "private")
    assert (values["description"], values["samples"]) == ("The benchmark fact-recall", 8)
    assert "overrides" not in values


def test_all_flags(tmp_path):
    flags = ["--distribution", "acme-openbench-simpleqa", "--style", "graded", "--category", "knowledge"]
    flags += ["--overrides", "openbench-simpleqa", "--description", "Ours.", "--directory", "a folder"]
    done = new("simpleqa", *flags, cwd=tmp_path)
    assert "    cd 'a folder'\n" in done.stdout
    values = metadata(tmp_path / "a folder" / "src" / "acme_openbench_simpleqa")
    assert (values["overrides"], values["description"], values["category"]) == (
        "openbench-simpleqa",
        "Ours.",
        "knowledge",
    )
    assert (tmp_path / "a folder" / "src/acme_openbench_simpleqa/samples/simpleqa/test.jsonl").is_file()
    assert "It replaces the `simpleqa` of openbench-simpleqa." in (tmp_path / "a folder/README.md").read_text()


def test_a_folder_is_open_to_others_as_any_new_one(tmp_path):
    new("quiz", cwd=tmp_path)
    (tmp_path / "other").mkdir()
    assert (tmp_path / "acme-inc-quiz").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_an_empty_folder_is_filled_in_place(tmp_path):
    done = new("quiz", "--directory", ".", cwd=tmp_path)
    assert "cd " not in done.stdout
    assert len(contents(tmp_path)) == 14
    assert not list(tmp_path.glob(".bench-new-*"))


@pytest.mark.parametrize("there", ["folder", "file", "link"])
def test_it_never_overwrites(tmp_path, there):
    target = tmp_path / "acme-inc-quiz"
    if there == "folder":
        new("quiz", cwd=tmp_path)
        (target / "README.md").write_text("mine")
    elif there == "file":
        target.write_text("mine")
    else:
        target.symlink_to("nowhere")
    before = contents(tmp_path)
    done = new("quiz", cwd=tmp_path, code=2)
    assert done.stderr == (
        "bench: --directory acme-inc-quiz: it exists and is not an empty folder; files are never overwritten. "
        "Choose another, or remove it.\n"
    )
    assert contents(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["acme-inc-quiz"]


def test_a_failure_leaves_nothing(tmp_path):
    done = new("quiz", "--directory", tmp_path / "no" / "quiz", cwd=tmp_path, code=2)
    assert done.stderr.endswith(f"quiz: the folder {tmp_path / 'no'} does not exist. Create it first.\n")
    tmp_path.chmod(0o500)
    try:
        if not os.access(tmp_path, os.W_OK):  # root may write everywhere
            assert "Permission denied" in new("quiz", cwd=tmp_path, code=1).stderr
    finally:
        tmp_path.chmod(0o700)
    assert not list(tmp_path.iterdir())


RULE = (
    "a benchmark's name consists of letters, digits, '-' and '_', starts with a letter, ends with a letter or digit, "
    "and has at most 40 characters. Choose one such as fact-recall."
)


@pytest.mark.parametrize(
    "name", ["", "3d", "_x", "x-", "two words", "é", "a/b", "a.b", "a@b", "../x", "x" * 41, "a\nb"]
)
def test_invalid_names(tmp_path, name):
    assert new("--", name, cwd=tmp_path, code=2).stderr == f"bench: NAME {name!r}: {RULE}\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("class", "a keyword of Python"),
        ("Import", "a keyword of Python"),
        ("sum", "a built-in name of Python"),
        ("json", "a module of the standard library"),
        ("openbench", "the package of openbench-core"),
    ],
)
def test_names_of_python(tmp_path, name, taken):
    done = new(name, cwd=tmp_path, code=2)
    assert done.stderr == (
        f"bench: NAME {name!r}: the task function has the benchmark's name, but {name.lower()} is {taken}. "
        f"Choose another, such as {name}-bench.\n"
    )


@pytest.mark.parametrize(("name", "style"), [("task", "mcq"), ("generate", "graded")])
def test_names_that_the_style_uses(tmp_path, name, style):
    done = new(name, "--style", style, cwd=tmp_path, code=2)
    assert done.stderr == (
        f"bench: NAME {name!r}: src/acme_inc_{name}/task.py would define {name} twice, since the style's "
        f"own code uses that name. Choose another, such as {name}-bench.\n"
    )
    assert not list(tmp_path.iterdir())


ONE_NAME = "The import package has the distribution's name with '_': otherwise inspect-ai does not find its tasks."


@pytest.mark.parametrize(
    ("distribution", "problem"),
    [
        ("3d", f"letter or digit, and has at most 50 characters. {ONE_NAME} Choose one such as acme-fact-recall."),
        ("a b", f"letter or digit, and has at most 50 characters. {ONE_NAME} Choose one such as acme-fact-recall."),
        (
            "json",
            f"json is a module of the standard library. {ONE_NAME} Choose another distribution, such as acme-json.",
        ),
        ("openbench", f"openbench is the package of openbench-core. {ONE_NAME} Choose another distribution"),
        (
            "OpenBench.Core",
            f"openbench_core is already installed by openbench-core. {ONE_NAME} Choose another distrib",
        ),
        ("inspect-ai", "inspect_ai is already installed by inspect_ai."),
        ("yaml", "yaml is already installed in "),
    ],
)
def test_distributions_that_cannot_be(tmp_path, distribution, problem):
    done = new("quiz", "--distribution", distribution, cwd=tmp_path, code=2)
    assert done.stderr.startswith(f"bench: --distribution {distribution!r}: ")
    assert problem in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("overrides", ["a b", "Acme.Inc_Quiz", "-"])
def test_overriding_an_invalid_distribution(tmp_path, overrides):
    done = new("quiz", "--overrides", overrides, cwd=tmp_path, code=2)
    assert done.stderr == (
        f"bench: --overrides {overrides!r}: expected the name of another distribution, such as openbench-simpleqa.\n"
    )


@pytest.mark.parametrize("text", ["", " \n ", "a\x1bb", "\u202eb"])
@pytest.mark.parametrize("option", ["--description", "--category"])
def test_texts_that_cannot_be_shown(tmp_path, option, text):
    done = new("quiz", option, text, cwd=tmp_path, code=2)
    rule = "expected a non-blank line of text without control characters."
    assert done.stderr == f"bench: {option} {text.strip()!r}: {rule}\n"


def test_a_text_in_another_encoding(tmp_path):
    done = new("quiz", "--description", os.fsdecode(b"caf\xe9"), cwd=tmp_path, code=2)
    assert done.stderr == "bench: --description 'caf\\udce9': not valid UTF-8. Check the encoding of the terminal.\n"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_any_text_is_a_literal(text):
    assert ast.literal_eval(python_literal(text)) == text
    assert tomllib.loads(f"text = {toml_literal(text)}")["text"] == text


def test_literals_are_in_the_quotes_that_need_fewer_escapes():
    assert python_literal("it's") == '"it\'s"'
    assert python_literal('a "b"') == "'a \"b\"'"
    assert python_literal("\u200b\\") == r'"\u200b\\"'


def test_a_name_that_another_distribution_provides(tmp_path):
    package = tmp_path / "site" / "acme_old.py"
    package.parent.mkdir()
    package.write_text(
        "from openbench.metadata import BenchmarkMetadata\n"
        "QUIZ = BenchmarkMetadata('Quiz', 'One.', 'private', [], 'acme_old', 'quiz')\n"
        "def quiz():\n    pass\n"
    )
    info = package.parent / "acme_old-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-old\nVersion: 1.0.0\n")
    (info / "entry_points.txt").write_text("[openbench.benchmarks]\nquiz = acme_old:QUIZ\n")
    done = new("quiz", cwd=tmp_path, code=2, PYTHONPATH=str(package.parent))
    assert done.stderr == (
        "bench: NAME 'quiz': already provided by acme-old, and neither would take precedence. "
        "Choose another name, or override it with --overrides acme-old.\n"
    )
    new("quiz", "--overrides", "Acme.Old", cwd=tmp_path, PYTHONPATH=str(package.parent))
