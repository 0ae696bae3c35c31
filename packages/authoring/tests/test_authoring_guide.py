"""The README's declaration and package, played literally; and Horangi's guide to new benchmarks, step by step."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from openbench.cli.main import run
from openbench.components import component_names
from openbench.errors import UsageError
from openbench_authoring import BenchmarkConfig, create_benchmark
from openbench_authoring.declarative.fields import FIELDS

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8").partition("\n## As a declaration\n")[2]
FILES = re.compile(r"^```(?:toml|json|python|ini)\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def readme(tmp_path, monkeypatch):
    """The files that the README shows, in the working directory; packages in it can be imported."""
    for name, text in FILES.findall(README):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def package(readme, monkeypatch):
    """The README's package, installed."""
    for name in ("capitals.toml", "capitals.jsonl"):
        (readme / "acme_capitals" / name).write_text((readme / name).read_text("utf-8"), "utf-8")
    info = readme / "acme_capitals-1.5.dist-info"
    info.mkdir()
    (readme / "entry_points.txt").rename(info / "entry_points.txt")
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: acme-capitals\nVersion: 1.5\n", "utf-8")
    monkeypatch.syspath_prepend(readme)


@pytest.fixture
def evaluate(capsys):
    """Evaluate, and return the result and the log."""

    def command(*arguments):
        code = run(["eval", *arguments, "--json", "--display", "none"])
        written = capsys.readouterr()
        assert code == 0, written.err
        [result] = json.loads(written.out)
        return result, read_eval_log(result["log"])

    return command


# --- the README -------------------------------------------------------------------------------------------------------


def test_the_declaration_runs(readme, evaluate, capsys):
    assert {path.name for path in readme.iterdir()} >= {"capitals.toml", "capitals.jsonl", "acme_capitals"}
    assert run(["describe", "./capitals.toml"]) == 0
    assert capsys.readouterr().out.startswith("capitals: Capitals\nWhich city is the capital\n")
    result, log = evaluate("./capitals.toml", "--baseline", "reference")
    assert (result["score"], result["samples"]) == (1.0, 4)
    assert {sample.id: sample.target for sample in log.samples} == {"fr": "B", "it": "A", "jp": "B", "mn": "A"}
    _, log = evaluate("./capitals.toml", "--baseline", "reference", "-T", "limit=2", "-T", "shuffle=true")
    assert {sample.metadata["continent"] for sample in log.samples} == {"Europe", "Asia"}
    assert [message.role for message in log.samples[0].input] == ["user", "assistant", "user"]


@pytest.mark.usefixtures("package")
def test_the_package_runs(evaluate, capsys):
    assert run(["list", "--search", "acme_capitals"]) == 0
    assert "Capitals, asked freely" in capsys.readouterr().out
    assert run(["describe", "acme_capitals"]) == 0
    described = capsys.readouterr().out
    assert "from          acme-capitals 1.5\n" in described
    assert "-T shuffle=False\n              -T limit=None" in described
    assert run(["describe", "acme_capitals_free"]) == 0
    described = capsys.readouterr().out
    assert described.startswith("acme_capitals_free: Capitals, asked freely\nWhich city is the capital\n")
    assert "capitals.jsonl" in described
    assert evaluate("acme_capitals", "--baseline", "reference", "-T", "limit=2")[0]["samples"] == 2
    result, log = evaluate("acme_capitals_free", "--baseline", "reference")
    assert (result["score"], result["version"]) == (1.0, "1.5")
    components = log.eval.metadata["openbench"]["components"]
    assert [(each["name"], each["distribution"]) for each in components] == [
        ("generate", "inspect-ai"),
        ("acme_exact", "acme-capitals"),
    ]


@pytest.mark.usefixtures("package")
def test_a_log_of_the_package_is_scored_again(evaluate, readme):
    result, _ = evaluate("acme_capitals_free", "--baseline", "reference")
    code = f"from openbench.cli.main import run; raise SystemExit(run(['score', {result['log']!r}, '--json']))"
    # A process of its own: in this one the scorer is registered already.
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(readme)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["score"] == 1.0


def test_the_table_of_fields_is_whole():
    rows = re.findall(r"^\| (`[^|]*?`) \|", README.partition("### What for")[0], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == {*FIELDS, "folder"}


# --- the guide --------------------------------------------------------------------------------------------------------


@scorer(metrics=[accuracy()])
def my_scorer() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        response = state.output.completion
        right = response.strip() == target.text.strip()
        return Score(value=CORRECT if right else INCORRECT, answer=response[:100])

    return score


@pytest.fixture
def data(tmp_path):
    """A folder with the rows of a benchmark."""
    rows = [{"id": n, "question": f"{n}?", "answer": n % 3, "options": ["x", "y", "z"]} for n in range(9)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return tmp_path


def config(data, **given):
    """Step 1: the declaration."""
    return BenchmarkConfig(
        data_type="jsonl",
        data_source="rows.jsonl",
        folder=data,
        field_mapping={"id": "id", "input": "question", "target": "answer", "choices": "options"},
        **{"answer_format": "index_0", "solver": "multiple_choice", "scorer": "choice", **given},
    )


def test_the_three_steps(data):
    benchmarks = {"my_benchmark": config(data, system_message="System prompt")}  # step 2: the register

    def my_benchmark(shuffle=False, limit=None):  # step 3: the task function
        return create_benchmark(name="my_benchmark", benchmarks=benchmarks, shuffle=shuffle, limit=limit)

    assert [sample.target for sample in my_benchmark(limit=5).dataset] == ["A", "B", "C", "A", "B"]
    assert sorted(sample.id for sample in my_benchmark(shuffle=True).dataset) == list(range(9))
    assert [sample.id for sample in my_benchmark(shuffle=True).dataset] != list(range(9))


def test_a_scorer_of_ones_own_is_a_function_in_python(data):
    given = {"solver": "generate", "answer_format": "to_string"}
    for mine in (my_scorer, my_scorer()):
        task = create_benchmark("mine", config(data, scorer=mine, **given))
        assert [registry_info(each).name.rpartition("/")[2] for each in task.scorer] == ["my_scorer"]
        assert task.metadata["openbench"]["components"][1]["name"].rpartition("/")[2] == "my_scorer"
    with pytest.raises(UsageError, match="takes no argument 'strict'"):
        create_benchmark("mine", config(data, scorer=my_scorer, scorer_args={"strict": True}, **given))


@pytest.mark.parametrize("name", ["choice", "match", "match_numeric", "model_graded_qa", "grid_match", "macro_f1"])
def test_the_scorers_of_the_guide_are_known(data, name):
    given = {} if name == "choice" else {"solver": "generate", "answer_format": "to_string"}
    given |= {"scorer_args": {"labels": ["0", "1", "2"]}} if name == "macro_f1" else {}
    assert create_benchmark("mine", config(data, scorer=name, **given)).scorer


def test_names_of_the_table_are_here_or_are_said_not_to_be():
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", README.partition("Its solvers and scorers")[2], re.MULTILINE)
    known = {*component_names("solver"), *component_names("scorer")}
    names = {name for there, here in rows if here.startswith("the same") for name in re.findall(r"`(\w+)`", there)}
    named = {name for _, here in rows if not here.startswith("not yet") for name in re.findall(r"`(\w+)`", here)}
    assert known >= names | named
    absent = {name for there, here in rows if here.startswith("not yet") for name in re.findall(r"`(\w+)`", there)}
    assert len(rows) == 11
    assert not known & absent


@pytest.mark.parametrize("name", ["bfcl_solver", "mtbench_solver", "swebench_patch_solver"])
def test_solvers_of_packages_that_are_not_installed_are_unknown(data, name):
    with pytest.raises(UsageError) as error:
        create_benchmark("mine", config(data, solver=name))
    assert str(error.value).startswith(f"mine: Unknown solver '{name}'.")
    assert ", ".join(component_names("solver")) in str(error.value)
