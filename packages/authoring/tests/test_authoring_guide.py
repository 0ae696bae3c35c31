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
from openbench.errors import DataError, UsageError
from openbench_authoring import BenchmarkConfig, create_benchmark
from openbench_authoring.declarative.fields import FIELDS
from openbench_authoring.declarative.horangi import score_math
from openbench_components.components import component_names

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


def test_names_of_the_table_are_here():
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", README.partition("Its solvers and scorers")[2], re.MULTILINE)
    known = {*component_names("solver"), *component_names("scorer")}
    names = {name for there, here in rows if here.startswith("the same") for name in re.findall(r"`(\w+)`", there)}
    named = {name for _, here in rows for name in re.findall(r"`(\w+)`", here)}
    assert known >= names | named
    assert len(rows) == 9


def test_a_solver_that_nobody_plans_is_unknown(data):
    with pytest.raises(UsageError, match="mine: Unknown solver 'bgcl'"):
        create_benchmark("mine", config(data, solver="bgcl"))


# --- Horangi's own files, with their imports changed ------------------------------------------------------------------

HORANGI = {
    "benchmarks/my_benchmark.py": """
from openbench_authoring import BenchmarkConfig

CONFIG = BenchmarkConfig(
    data_type="jsonl",
    data_source="mine.jsonl",
    field_mapping={"id": "id", "input": "question", "target": "answer", "choices": "options"},
    answer_format="index_0",
    solver="generate",
    scorer="my_scorer",
    metadata={"benchmark_type": "quiz", "supports_dynamic_solver": True, "description": "Mine"},
)
""",
    "benchmarks/__init__.py": """
from benchmarks.my_benchmark import CONFIG as my_benchmark

BENCHMARKS = {"my_benchmark": my_benchmark}
BENCHMARK_DESCRIPTIONS = {"my_benchmark": "Benchmark description"}
""",
    "benchmarks/horangi.py": """
from inspect_ai import Task, task
from openbench_authoring import create_benchmark

@task
def my_benchmark(shuffle: bool = False, limit: int | None = None) -> Task:
    return create_benchmark(name="my_benchmark", shuffle=shuffle, limit=limit)
""",
    "scorers/__init__.py": """
from scorers.my_scorer import my_scorer

__all__ = ["my_scorer"]
""",
    "scorers/my_scorer.py": """
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer

@scorer(metrics=[accuracy()])
def my_scorer():
    async def score(state, target):
        return Score(value=CORRECT if state.output.completion.strip() == target.text else INCORRECT)

    return score
""",
    "data/mine.jsonl": '{"id": "1", "question": "Sky?", "answer": 0, "options": ["blue", "red"]}\n',
}


def write_horangi(folder):
    """Write the files of Horangi's guide, where the guide has them, in `src`."""
    for name, text in HORANGI.items():
        file = folder / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


@pytest.fixture
def horangi(tmp_path, monkeypatch):
    """The files of Horangi's guide, importable."""
    write_horangi(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "src")
    yield tmp_path / "src"
    for name in [name for name in sys.modules if name.partition(".")[0] in {"benchmarks", "scorers"}]:
        del sys.modules[name]


@pytest.mark.usefixtures("horangi")
def test_the_guide_s_files_run_with_their_imports_changed():
    from benchmarks.horangi import my_benchmark

    task = my_benchmark(limit=5)
    assert [(sample.id, sample.target) for sample in task.dataset] == [("1", "A")]
    assert [registry_info(each).name.rpartition("/")[2] for each in task.scorer] == ["my_scorer"]
    assert (task.metadata["benchmark_type"], task.metadata["supports_dynamic_solver"]) == ("quiz", True)
    assert "description" not in task.metadata


def test_the_guide_s_file_of_tasks_is_run_by_its_path(bench, tmp_path):
    write_horangi(tmp_path)
    for file in ("src/benchmarks/horangi.py", "src/benchmarks/horangi.py@my_benchmark"):
        done = bench("eval", file, "--model", "baseline/constant", "-M", "answer=A", "--json", cwd=tmp_path)
        assert done.code == 0, done.err
        assert [(each["benchmark"], each["score"]) for each in done.json()] == [("my_benchmark", 1.0)]


def test_without_benchmarks_there_is_nothing_to_create():
    with pytest.raises(UsageError, match="create_benchmark: BENCHMARKS not found"):
        create_benchmark("mine")


MODULE = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, system_message

def record_to_sample(record):
    return Sample(input=f"{record['question']} {record['answer']}", target="yes", id=record["id"])

@task
def quiz():
    return Task([Sample("Old?", target="yes")], solver=[system_message("Base."), generate()], scorer=includes())
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A package whose benchmark lies as those of inspect_evals do."""
    package = tmp_path / "site" / "acme_evals" / "quiz"
    package.mkdir(parents=True)
    (package / "quiz.py").write_text(MODULE, "utf-8")
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield "acme_evals.quiz.quiz"
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_evals"]:
        del sys.modules[name]


def test_a_base_may_be_a_module_whose_rows_are_replaced(data, module):
    given = {"data_type": "jsonl", "data_source": "rows.jsonl", "folder": data}
    task = create_benchmark("mine", BenchmarkConfig(base=module, **given), limit=2)
    assert [(sample.input, sample.target) for sample in task.dataset] == [("0? 0", "yes"), ("1? 1", "yes")]
    assert [registry_info(each).name for each in task.scorer] == ["inspect_ai/includes"]
    assert task.metadata["openbench"]["base"] == {"benchmark": module}
    raised = create_benchmark("mine", BenchmarkConfig(base=module, system_message="New.", metadata={"own": 1}, **given))
    assert (raised.metadata["own"], len(raised.dataset)) == (1, 9)
    assert len(create_benchmark("mine", BenchmarkConfig(base=module, epochs=2)).dataset) == 1


def test_a_base_that_is_no_task_of_a_module(data, module):
    given = {"data_type": "jsonl", "data_source": "rows.jsonl", "folder": data}
    with pytest.raises(UsageError) as error:
        create_benchmark("mine", BenchmarkConfig(base="no_evals.squad.squad", **given))
    assert str(error.value) == (
        "mine: its base no_evals.squad.squad cannot be imported: No module named 'no_evals'. "
        "Install it: pip install no-evals"
    )
    with pytest.raises(UsageError, match=r"its base acme_evals\.quiz has no task function 'quiz'"):
        create_benchmark("mine", BenchmarkConfig(base=module.rpartition(".")[0], **given))
    with pytest.raises(UsageError, match="mine: few_shot cannot be changed"):
        create_benchmark("mine", BenchmarkConfig(base=module, few_shot={"count": 1}, **given))


def test_a_scorer_of_refusals_needs_no_target(data):
    given = {"data_type": "jsonl", "data_source": "rows.jsonl", "folder": data, "solver": "generate"}
    refusals = BenchmarkConfig(scorer="refusal", field_mapping={"input": "question"}, **given)
    assert {sample.target for sample in create_benchmark("mine", refusals).dataset} == {""}
    with pytest.raises(DataError, match="no column 'target'"):
        create_benchmark("mine", BenchmarkConfig(scorer="match", field_mapping={"input": "question"}, **given))


def test_korean_choices_are_asked_for_in_korean(data):
    task = create_benchmark("mine", config(data, solver="korean_multiple_choice", few_shot={"count": 1}))
    assert task.dataset[0].input[0].text.startswith("다음 문제를 읽고")
    assert [registry_info(each).name.rpartition("/")[2] for each in task.solver] == ["korean_multiple_choice"]


def test_a_prompt_template_of_generate(data):
    given = {"solver": "generate", "solver_args": {"template": "Think. {prompt}"}, "answer_format": "to_string"}
    task = create_benchmark("mine", config(data, scorer="match", show_choices=False, **given))
    assert task.solver


@pytest.mark.parametrize(
    ("completion", "target", "value"),
    [
        (r"So \boxed{7}.", "7", "C"),
        (r"First \boxed{3}, then \boxed{7.0}", "7", "C"),
        ("정답: 7", "7", "C"),
        ("It is 3 and then 7", "7", "C"),
        (r"\boxed{1/2}", "0.5", "C"),
        (r"\boxed{8}", "7", "I"),
        (r"\boxed{B}", "B", "C"),
        ("", "7", "I"),
    ],
)
def test_math_grader(completion, target, value):
    assert score_math(completion, [target]).value == value
