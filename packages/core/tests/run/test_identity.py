"""The identity of a run: what makes a completed sample worth reusing, and what has no part in it."""

import datetime as dt
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import match

from openbench.metadata import BenchmarkMetadata
from openbench.run.identity import differences, identity
from openbench.run.plan import Job, ModelSpec, Plan
from openbench.tasks.provenance import METADATA_KEY, Provenance, source_digests
from openbench_local.evals import LocalEval
from openbench_local.files import named_files

SAID = {
    "benchmark": "quiz",
    "distribution": "acme",
    "version": "1.0.0",
    "core": "1.0.0",
    "sample": False,
    "scorers": ["match"],
}
METADATA = BenchmarkMetadata("Quiz", "Questions.", "knowledge", [], __name__, "quiz")


def sample(**changes):
    return Sample(
        **{"id": "q", "input": "Which?", "target": "A", "choices": ["x", "y"], "metadata": {"t": 1}, **changes}
    )


def of(samples=None, *, said=None, path=__file__, scorer=True, own_roles=None, **changes):
    name, task_args, model_args, roles = (
        changes.pop(each, default)
        for each, default in {"model": "x", "task_args": {}, "model_args": {}, "roles": {}}.items()
    )
    options, reference = {"score": changes.pop("scored", True)}, changes.pop("reference", False)
    task = Task(
        samples or [sample()],
        scorer=match() if scorer else None,
        model=get_model(f"mockllm/{name}", config=GenerateConfig(**changes), memoize=False),
        model_roles=own_roles,
        metadata={METADATA_KEY: {**SAID, **(said or {})}},
    )
    benchmark = LocalEval("quiz", METADATA, path=Path(path))
    job = Job(benchmark="quiz@acme", task_args=task_args, model=ModelSpec(name=f"mockllm/{name}", args=model_args))
    plan = Plan(jobs=[job], reference=reference, model_roles=roles, options=options)
    return identity(task, benchmark, plan, job, source_digests(benchmark, task, [Provenance.of(task).dataset]))


def role(name="a/grader", **more):
    return {"grader": ModelSpec(name=name, **more)}


def own_role(name="baseline/grader", **generate):
    return {"grader": get_model(name, config=GenerateConfig(**generate), memoize=False)}


@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("version", {"said": {"version": "1.0.1"}}),
        ("distribution", {"said": {"distribution": "fork"}}),
        ("core", {"said": {"core": "1.0.1"}}),
        ("code", {"said": {"dataset": {"source": __file__}}}),
        ("benchmark", {"said": {"benchmark": "other"}}),
        ("sample", {"said": {"sample": True}}),
        ("scorers", {"said": {"scorers": ["match", "includes"]}}),
        ("arguments", {"task_args": {"split": "dev"}}),
        ("model", {"model": "y"}),
        ("reference", {"reference": True}),
        ("generation", {"temperature": 0.0}),
        ("generation", {"max_tokens": 5}),
        ("generation", {"seed": 1}),
        ("generation", {"reasoning_effort": "low"}),
        ("generation", {"system_message": "Be brief."}),
        ("model_args", {"model_args": {"answer": 1}}),
        ("model_args", {"model_args": {"extra_body": {"top_k": 1}}}),
        ("model_roles", {"roles": role()}),
        ("model_roles", {"own_roles": own_role()}),
        ("scored", {"scored": False}),
        ("dataset", {"samples": [sample(id="p")]}),
        ("dataset", {"samples": [sample(input="Which one?")]}),
        ("dataset", {"samples": [sample(target="B")]}),
        ("dataset", {"samples": [sample(choices=["y", "x"])]}),
        ("dataset", {"samples": [sample(metadata={"t": 2})]}),
        ("dataset", {"samples": [sample(files={"a.txt": "b"})]}),
        ("dataset", {"samples": [sample(setup="echo")]}),
        ("dataset", {"samples": [sample(), sample(id="r")]}),
        ("dataset", {"samples": [sample(input=[ChatMessageUser(content="Which?")])]}),
    ],
)
def test_what_changes_it(part, changed):
    found = differences(of(), of(**changed))
    assert len(found) == 1
    assert re.match(f"{part}(: [^ ]+)? was ", found[0])


@pytest.mark.parametrize(
    "changed",
    [
        {"max_connections": 3},
        {"max_retries": 1},
        {"timeout": 5},
        {"attempt_timeout": 5},
        {"cache": True},
        {"batch": 10},
        {"adaptive_connections": True},
        {"said": {"job": "other", "rule": "chosen", "reference": "quiz@acme"}},
        {"model_args": {}, "roles": {}},
        {
            "model_args": {
                "api_key": "k",
                "client_timeout": 5,
                "max_retries": 1,
                "default_headers": {"X": "1"},
                "port": 1,
            }
        },
    ],
)
def test_what_does_not(changed):
    assert differences(of(), of(**changed)) == []


def test_who_plays_a_role():
    """The plan's model by name and arguments, else the task's own by name and settings; no address."""
    given = of(roles=role())
    assert differences(given, of(roles=role(base_url="http://localhost:1", args={"api_key": "k"}))) == []
    assert differences(given, of(roles=role(), own_roles=own_role())) == []
    [text] = differences(given, of(roles=role("a/other", args={"top_k": 1})))
    assert text == (
        "model_roles was {'grader': {'model': 'a/grader'}}, is {'grader': {'model': 'a/other', 'args': {'top_k': 1}}}"
    )
    [text] = differences(of(own_roles=own_role()), of(own_roles=own_role(temperature=0.5, max_connections=2)))
    assert text.endswith("is {'grader': {'model': 'baseline/grader', 'generation': {'temperature': 0.5}}}")


def test_whether_samples_are_scored():
    assert differences(of(scored=False), of()) == ["scored was False, is True"]
    assert differences(of(scored=False, scorer=False), of(scorer=False)) == []


def test_a_secret_among_arguments_is_not_kept():
    found = of(
        model_args={"extra_body": {"api_key": "PLANTED1", "k": 1}}, roles=role(args={"token": "PLANTED2", "k": 2})
    )
    assert found["model_args"] == {"extra_body": {"api_key": "[redacted]", "k": 1}}
    assert found["model_roles"] == {"grader": {"model": "a/grader", "args": {"k": 2}}}


def test_a_secret_in_what_requests_add_is_not_kept():
    def added(key, **body):
        return of(extra_headers={"X-Acme-Key": key}, extra_body={"api_key": key, **body})

    first = added("PLANTED1", top_k=1)
    assert first["generation"] == {
        "extra_headers": {"X-Acme-Key": "[redacted]"},
        "extra_body": {"api_key": "[redacted]", "top_k": 1},
    }
    assert differences(first, added("PLANTED2", top_k=1)) == []
    assert len(differences(first, added("PLANTED1", top_k=2))) == 1


def messages():
    return [ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Which?")]


def test_the_ids_of_messages_have_no_part_in_it():
    first, second = messages(), messages()
    first[0].id, second[0].id = "one", "two"
    assert of([sample(input=first)]) == of([sample(input=second)])


def test_the_order_of_keys_has_no_part_in_it():
    assert of([sample(metadata={"a": 1, "b": 2})]) == of([sample(metadata={"b": 2, "a": 1})])
    assert of(task_args={"a": 1, "b": 2}) == of(task_args={"b": 2, "a": 1})


def test_it_survives_a_log():
    """A log holds it as JSON, and what is read back must compare equal."""
    made = of(
        [sample(metadata={"day": dt.date(2024, 1, 2), "bytes": b"x", "set": {"b", "a"}, "tuple": (1, 2)})],
        task_args={"subjects": ["law", "é\u2028"], "rate": 0.1, "none": None},
        stop_seqs=["\n"],
    )
    assert differences(json.loads(json.dumps(made)), made) == []


def test_it_is_the_same_in_every_process():
    code = """
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from openbench.registry.benchmark import Benchmark
from openbench_local.files import named_files
from openbench.metadata import BenchmarkMetadata
from openbench.run.identity import identity
from openbench.run.plan import Job, ModelSpec, Plan
said = dict.fromkeys(["benchmark", "distribution", "version", "core", "sample", "scorers"])
benchmark = Benchmark("quiz", BenchmarkMetadata("n", "d", "c", [], "no_such_module", "f"))
task = Task([Sample("?", target="A", metadata={"s": {"a", "b", "c"}})], metadata={"openbench": said})
task.model = get_model("mockllm/m")
job = Job(benchmark="quiz@acme", task_args={}, model=ModelSpec(name="mockllm/m"))
print(identity(task, benchmark, Plan(jobs=[job]), job, {})["dataset"])
"""
    digests = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert len(digests) == 1


def test_differences_say_both_values():
    before, after = of(), of([sample(target="B")], said={"version": "2.0.0"}, task_args={"split": "dev"})
    version, arguments, dataset = differences(before, after)
    assert version == "version was 1.0.0, is 2.0.0"
    assert arguments == "arguments was {}, is {'split': 'dev'}"
    assert dataset == f"dataset was {before['dataset'][:12]}…, is {after['dataset'][:12]}…"


def test_a_file_of_a_package_is_part_of_it(tmp_path):
    (tmp_path / "__init__.py").write_text("a = 1", "utf-8")
    before = of(path=tmp_path)
    assert of(path=tmp_path) == before
    rows = tmp_path / "rows.jsonl"
    rows.write_text("{}", "utf-8")
    assert of(path=tmp_path, said={"dataset": {"source": str(rows)}}) == before  # their digest is another part
    (tmp_path / "helper.py").write_text("b = 2", "utf-8")
    found = differences(before, of(path=tmp_path))
    assert [change.split(" was ")[0] for change in found] == ["code: helper.py", "code: rows.jsonl"]


def test_what_a_file_imports_and_names_is_part_of_it(tmp_path):
    files = {
        "evals/quiz.py": "import json, helper, tools.words\nfrom shared import more\nFILE = 'quiz.jsonl'",
        "evals/quiz.jsonl": "{}",
        "evals/helper.py": f"NAMES = ['prompts/deep/one.md', '/etc/hosts', '* *', '{'a.' * 999}b', 'a.a\\0', '?']",
        "evals/prompts/deep/one.md": "",
        "evals/notes.txt": "",
        "evals/tools/__init__.py": "from .verbs import see",
        "evals/tools/verbs.py": "from ..shared.rows import ROWS",
        "evals/tools/words.py": "",
        "evals/shared/more.py": "ROWS = open('rows.csv')",
        "evals/shared/rows.csv": "",
        "evals/shared/rows.py": "",
        "evals/other.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    found = named_files([tmp_path / "evals/quiz.py"], tmp_path / "evals")
    assert {str(path.relative_to(tmp_path)) for path in found} == files.keys() - {
        "evals/other.py",
        "evals/notes.txt",
    }


def test_what_it_is_made_of_is_part_of_it():
    before, after = ({"components": [{"name": "exact", "version": version}]} for version in ("1.0.0", "2.0.0"))
    assert of(said=before) == of(said=dict(before))
    assert [change.split()[0] for change in differences(of(said=before), of(said=after))] == ["components"]
