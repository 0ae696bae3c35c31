"""Packages with one fault each, installed as wheels are: every fault fails its own check, and nothing else."""

import json
import os
import pty
import subprocess
import sys

import pytest

METADATA = """
from openbench.metadata import BenchmarkMetadata, DatasetSource

SOURCE = DatasetSource(source="acme/NAME", split="test", revision="REVISION", licence="MIT")
NAME = BenchmarkMetadata(
    "Name", "Questions.", "knowledge", ["trivia"], "acme_NAME.task", "NAME", dataset=SOURCE, samples=4,
    languages=["en"], homepage="https://example.org", higher_is_better=HIGHER,
)
"""

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import generate
from openbench.datasets import load_samples, read_rows
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt as lettered
from acme_NAME.metadata import SOURCE

BUILT = []

def to_sample(row):
    return Sample(id=ID, input=PROMPT, target=row["answer"])

def dataset():
    return load_samples(read_rows(SOURCE), to_sample, name="NAME")

@scorer(metrics=[accuracy(), stderr()])
def exactly():
    memory = []

    async def score(state, target):
        answer = state.output.completion.strip().removeprefix("Answer: ")
        memory.append(VALUE)
        return Score(value=float(memory[-1]), answer=answer, reason=None if answer else "no_response")

    return score

@task
def NAME():
    BUILT.append(True)
    return Task(dataset=DATASET, solver=generate(), scorer=exactly(), name="NAME")
"""

PLAIN = {
    "REVISION": "0123456789abcdef0123456789abcdef01234567",
    "HIGHER": "True",
    "ID": "row['id']",
    "PROMPT": "row['question']",
    "VALUE": "answer == target.text",
    "DATASET": "dataset()",
}
WORDS = ["Paris", "Rome", "Oslo", "Bern"]
LETTERS = "lettered(row['question'], ['red', 'green', 'blue', 'pink'])"
TWICE = "MemoryDataset([Sample('Which?', target=row['answer'], id='twice') for row in read_rows(SOURCE).rows])"
ON_A_TASK = [
    "registry",
    "ids",
    "reference",
    "wrong",
    "empty",
    "chance",
    "leak",
    "rescore",
    "order",
    "prompts",
    "letters",
]
DIAL = """
import contextlib, socket
with contextlib.suppress(OSError):
    socket.create_connection(("127.0.0.1", 9), timeout=1)
"""

RANKED = """
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import ranking
from openbench_ranking.solver import rank

def to_sample(row):
    towns = ["Paris", "Rome", "Oslo", "Bern"]
    gold = [towns.index(row["answer"])]
    return ranking_sample(input=row["question"], continuations=[f" {town}" for town in towns], gold=gold, id=row["id"])

@task
def NAME():
    return Task(dataset=dataset(), solver=rank(), scorer=ranking(), name="NAME")
"""

# Name -> what is other than in the healthy package, and the checks that fail.
PACKAGES = {
    "healthy": ({}, []),
    "choosing": ({"PROMPT": LETTERS, "ANSWERS": "ACDB"}, []),
    "always_b": ({"PROMPT": LETTERS, "ANSWERS": "BBBB"}, []),
    "distance": ({"HIGHER": "False", "VALUE": "answer != target.text"}, []),
    "framed": (
        {
            "VALUE": "answer == f'<{target.text}>'",
            "task": "def reference(sample): return f'<{sample.target}>'\ndef wrong(sample): return '<Mars>'",
        },
        [],
    ),
    "weighing": (
        {"task": RANKED, "metadata": "import dataclasses\nNAME = dataclasses.replace(NAME, primary_metric='acc')"},
        [],
    ),
    "unpinned": ({"REVISION": "main"}, ["metadata"]),
    "published": ({"metadata": "NAME = BenchmarkMetadata(*list(vars(NAME).values())[:6])"}, ["metadata"]),
    "heavy": ({"metadata": "import inspect_ai"}, ["light"]),
    "dialling": ({"metadata": DIAL}, ["light"]),
    "online": ({"DATASET": f"dataset() if exec({DIAL!r}) is None else None"}, ["offline"]),
    "bare": ({"ANSWERS": ""}, ["offline"]),
    "raising": ({"task": "raise RuntimeError('no licence')"}, ["offline"]),
    "hidden": ({"plugin": ""}, ["registry"]),
    "repeated": ({"DATASET": TWICE}, ["ids"]),
    "hashed": ({"ID": "hash(row['question'])"}, ["ids"]),
    "scrambled": ({"PROMPT": "row['question'] + ' '.join({'north', 'south', 'east', 'west', 'up'})"}, ["ids"]),
    "clumsy": ({"task": "def reference(sample): raise KeyError('solution')"}, ["reference"]),
    "mistaken": ({"VALUE": "answer == target.text != 'Oslo'"}, ["reference"]),
    "generous": ({"VALUE": "bool(answer)"}, ["wrong"]),
    "boundless": ({"VALUE": "1"}, ["wrong", "empty"]),
    "silent": ({"VALUE": "answer in {'', target.text}"}, ["empty"]),
    "lucky": ({"PROMPT": LETTERS, "ANSWERS": "ABCA", "VALUE": "answer in {target.text, 'D'}"}, ["chance"]),
    "leaky": ({"PROMPT": 'f\'{row["question"]} (Hint: {row["answer"].upper()}!)\''}, ["leak"]),
    "reading": (
        {
            "PROMPT": "row['answer'] + ' is a town. ' + row['question']",
            "task": "def passage(sample): return sample.input.partition('. ')[0]",
        },
        [],
    ),
    "misread": ({"task": "def passage(sample): return sample.passage"}, ["reference"]),
    "parrot": (
        {"PROMPT": f"{LETTERS} + '\\n\\n' + row['answer']", "ANSWERS": "ACDB", "VALUE": "answer[-1:] == target.text"},
        ["leak"],
    ),
    "fleeting": ({"VALUE": "answer == target.text and bool(BUILT)"}, ["rescore"]),
    "curved": ({"VALUE": "(answer == target.text) * (1 if all(memory[-1:]) else 0.5)"}, ["order"]),
    "drifted": (
        {"files": {"goldens/drifted/chat.txt": "=== sample q0 ===\n", "goldens/drifted/plain.txt": ""}},
        ["prompts"],
    ),
    "halved": ({"files": {"goldens/halved/chat.txt": ""}}, ["prompts"]),
    "renamed": ({"files": {"goldens/old_name/plain.txt": "", "goldens/renamed.csv": ""}}, ["prompts"]),
    "fickle": ({"files": {"goldens/fickle/plain.txt": ""}, "task": "GOLDENS = {'five': {'shots': 5}}"}, ["prompts"]),
    "excused": ({"PROMPT": "row['answer']", "task": "WAIVERS = {'leak': 'It is a test of copying.'}"}, []),
    "careful": ({"task": "WAIVERS = {'leak': 'It may quote.'}"}, []),
    "unexcused": ({"PROMPT": "row['answer']", "task": "WAIVERS = {'leak': ' '}"}, ["leak", "waivers"]),
    "misnamed": ({"task": "WAIVERS = {'leaks': 'It quotes.'}"}, ["waivers"]),
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def install(site, name, changes):
    parts = PLAIN | changes

    def filled(text):
        for part in [*PLAIN, "NAME"]:
            text = text.replace(part, parts.get(part, name))
        return text

    package = site / f"acme_{name}"
    write(package / "__init__.py", "")
    write(package / "metadata.py", filled(METADATA + parts.get("metadata", "")))
    write(package / "task.py", filled(TASK + parts.get("task", "")))
    answers = parts.get("ANSWERS", WORDS)
    rows = [{"id": f"q{n}", "question": f"Question {n}?", "answer": answer} for n, answer in enumerate(answers)]
    if rows:
        write(package / f"samples/{name}/test.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    for path, text in parts.get("files", {}).items():
        write(package / path, text)
    plugin = f"[inspect_ai]\nacme_{name} = acme_{name}.task\n"
    points = f"[openbench.benchmarks]\n{name} = acme_{name}.metadata:{name}\n{parts.get('plugin', plugin)}"
    write(site / f"acme_{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.4\nName: acme-{name}\nVersion: 1.0\n")
    write(site / f"acme_{name}-1.0.dist-info/entry_points.txt", points)


def check(site, *arguments, stderr=subprocess.PIPE):
    return subprocess.run(
        [sys.executable, "-c", "from openbench.cli.main import main; main()", "check", *arguments],
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": str(site), "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("acme") / "site-packages"  # inspect knows installed packages by this name
    for name, (changes, _) in PACKAGES.items():
        install(folder, name, changes)
    return folder


@pytest.fixture(scope="module")
def outcomes(site):
    done = check(site, "--json", *PACKAGES)
    assert done.returncode == 1, done.stderr
    return {
        of["benchmark"].partition("@")[0]: {each["name"]: each for each in of["checks"]}
        for of in json.loads(done.stdout)
    }


@pytest.mark.stress
@pytest.mark.parametrize("name", PACKAGES)
def test_a_fault_fails_its_check_and_no_other(outcomes, name):
    failed = {check: each["message"] for check, each in outcomes[name].items() if each["status"] == "failed"}
    assert sorted(failed) == sorted(PACKAGES[name][1]), failed


MESSAGES = {
    ("unpinned", "metadata"): (
        "its rows are not pinned: the dataset acme/unpinned has revision 'main'. Pin it with the 40 hex digits of a "
        "commit (revision=...), or the sha256 of a file."
    ),
    ("published", "metadata"): (
        "its BenchmarkMetadata lacks dataset, samples, languages, homepage or paper. Add them."
    ),
    ("heavy", "light"): (
        "the metadata of acme-heavy imports inspect_ai. It may import the standard library and openbench.metadata only."
    ),
    ("dialling", "light"): (
        "the metadata of acme-dialling uses the network (socket.getaddrinfo 127.0.0.1). It may import the standard "
        "library and openbench.metadata only."
    ),
    ("online", "offline"): (
        "building the task from its sample rows uses the network (socket.getaddrinfo 127.0.0.1). Read all rows "
        "through openbench.datasets (MCQEval, read_rows), which then reads the sample rows instead."
    ),
    ("bare", "offline"): (
        "it ships no sample rows. Write a few, with the source's columns, in acme_bare/samples/bare/test.jsonl."
    ),
    ("bare", "ids"): "needs a task that builds: see offline",
    ("raising", "offline"): (
        "the task cannot be built from its sample rows: OpenbenchError: raising: acme_raising.task of acme-raising "
        "cannot be imported: RuntimeError: no licence"
    ),
    ("hidden", "registry"): (
        "acme-hidden needs an inspect_ai entry point named acme_hidden; found none. Add "
        '[project.entry-points.inspect_ai] acme_hidden = "acme_hidden._registry".'
    ),
    ("repeated", "ids"): (
        "several samples have the same id: twice. Leave ids to openbench.datasets.load_samples, or use the source's "
        "own."
    ),
    ("scrambled", "ids"): (
        "ids have other prompts or targets in another process: q0, q1, q2 and 1 more. Seed every shuffle "
        "with the sample's own text (openbench.tasks.mcq.shuffled_options)."
    ),
    ("clumsy", "reference"): (
        "its samples cannot be evaluated: reference(sample), wrong(sample) or passage(sample) raised KeyError: "
        "'solution'"
    ),
    ("clumsy", "order"): "fails for the same reason as reference",
    ("mistaken", "reference"): (
        "its reference answers score 0.75 on accuracy, not 1.0: see q2. Correct the targets or the scorer, or define "
        "reference(sample) in the task's module."
    ),
    ("generous", "wrong"): (
        "wrong answers score 1.0 on accuracy: see q0, q1, q2 and 1 more. Correct the scorer; if the answers are not "
        "wrong, define wrong(sample) in the task's module."
    ),
    ("silent", "empty"): (
        "empty completions score 1.0 on accuracy: see q0, q1, q2 and 1 more. A scorer must score them INCORRECT, with "
        "the reason openbench.scorers.reasons.unanswered."
    ),
    ("leaky", "leak"): (
        "the prompt contains the target of q0, q1, q2 and 1 more. Remove it from the prompt; if it is part of a text "
        "that the question is about, define passage(sample) in the task's module, or waive the check with a reason."
    ),
    ("parrot", "leak"): (
        "the prompt, given as the answer, is right on 4 of 4 samples with lettered options (q0, q1, q2 and 1 more); "
        "chance is 0.25. Remove the answer from the prompt; if this is luck, add sample rows."
    ),
    ("fleeting", "rescore"): (
        "rescoring the log in a fresh process gives other scores: the sample q0 scored 1.0, then 0.0. A scorer may "
        "depend only on the sample, its arguments and the answer."
    ),
    ("curved", "order"): (
        "with the samples in reverse, the same answers have other scores: the sample q0 scored 1.0, then 0.5. A scorer "
        "must not depend on earlier samples."
    ),
    ("drifted", "prompts"): (
        "the prompt of sample q0 differs from goldens/drifted/chat.txt, line 1 (and plain.txt). If the change is "
        "intended, it changes scores: raise the major version, and run bench check drifted@acme-drifted "
        "--update-goldens.\n"
        "--- kept\n+++ now\n@@ -1,2 +1,18 @@\n"
        "+# Written by bench check drifted --update-goldens; ⟦⟧ marks a character that cannot be seen.\n"
        "+benchmark: drifted\n+template: chat\n+arguments: defaults\n+generation: defaults\n+\n"
        " === sample q0 ===\n+<|im_start|>user\n+Question 0?<|im_end|>\n(9 more lines)"
    ),
    ("halved", "prompts"): ("goldens/halved has no plain.txt. Run bench check halved@acme-halved --update-goldens."),
    ("renamed", "prompts"): (
        "goldens/ has prompts of old_name, but acme-renamed provides no such benchmark. Remove or rename the folder."
    ),
    ("fickle", "prompts"): (
        "its prompts are unknown: GOLDENS['five']: OpenbenchError: fickle: its task function failed: TypeError: "
        "fickle() got an unexpected keyword argument 'shots'"
    ),
    ("excused", "leak"): "It is a test of copying.",
    ("careful", "leak"): "the waiver can be removed: It may quote.",
    ("unexcused", "waivers"): (
        "WAIVERS['leak'] has no reason. State why the benchmark must break the rule, or remove the waiver."
    ),
    ("misnamed", "waivers"): (
        "WAIVERS has 'leaks', which is not a check that can be waived. Checks: metadata, light, offline, registry, "
        "ids, reference, wrong, empty, chance, letters, leak, rescore, order, prompts."
    ),
    ("healthy", "chance"): "its prompts offer no lettered options",
    ("healthy", "prompts"): "it has no goldens; --update-goldens writes them",
    ("always_b", "chance"): "",
}


@pytest.mark.stress
@pytest.mark.parametrize(("name", "check"), MESSAGES)
def test_messages(outcomes, name, check):
    assert outcomes[name][check]["message"] == MESSAGES[name, check]


@pytest.mark.stress
def test_ids_of_hash_differ_from_process_to_process(outcomes):
    assert "in the next (hash seeds 1 and 2). Neither hash()" in outcomes["hashed"]["ids"]["message"]


@pytest.mark.stress
def test_statuses(outcomes):
    assert outcomes["healthy"]["chance"]["status"] == "inapplicable"
    assert outcomes["choosing"]["chance"]["status"] == "passed"
    assert outcomes["excused"]["leak"]["status"] == "waived"
    assert outcomes["careful"]["leak"]["status"] == "passed"
    assert {outcomes["bare"][check]["status"] for check in ON_A_TASK} == {"skipped"}
    assert [check for check, of in outcomes["clumsy"].items() if of["status"] == "skipped"] == [
        "wrong",
        "rescore",
        "order",
    ]


def test_the_table_fits_a_terminal_and_a_waiver_is_not_a_failure(site):
    done = check(site, "excused@acme-excused")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "excused@acme-excused"
    assert "  leak       waived  It is a test of copying." in lines
    assert "  chance     n/a     its prompts offer no lettered options" in lines
    assert lines[-1] == "1 of 1 conform"
    assert max(map(len, lines)) <= 80


def test_a_failure_is_reported_in_full_below_the_table_and_once(site):
    terminal, stderr = pty.openpty()
    done = check(site, "bare", stderr=stderr)
    progress = os.read(terminal, 100_000).decode()
    assert done.returncode == 1, progress
    assert "Checking 1" in progress
    assert "100%" in progress
    lines = done.stdout.splitlines()
    assert "  offline    FAILED   The task builds from samples/ without a network." in lines
    assert "  offline: it ships no sample rows. Write a few, with the source's columns, in" in lines
    assert "  ids        skipped  needs a task that builds: see offline" in lines
    assert [line for line in lines if line.startswith("  ids: ")] == []
    assert lines[-1] == "1 of 1 do not conform: bare@acme-bare"
    assert max(map(len, lines)) <= 80


@pytest.mark.stress
def test_a_process_that_dies_costs_the_others_nothing(tmp_path):
    site = tmp_path / "site-packages"
    install(site, "healthy", {})
    install(site, "deadly", {"DATASET": "__import__('os')._exit(3)"})
    done = check(site, "--json", "healthy", "deadly")
    healthy, deadly = json.loads(done.stdout)
    assert (done.returncode, healthy["conforms"], deadly["conforms"]) == (1, True, False)
    (offline,) = (each for each in deadly["checks"] if each["name"] == "offline")
    assert offline["message"].startswith("the task cannot be built from its sample rows: its process ended with 3: ")


@pytest.mark.stress
def test_an_installation_that_inspect_takes_for_none(tmp_path):
    install(tmp_path / "elsewhere", "healthy", {})
    done = check(tmp_path / "elsewhere", "--json", "healthy")
    (healthy,) = json.loads(done.stdout)
    failed = {each["name"]: each["message"] for each in healthy["checks"] if each["status"] == "failed"}
    assert failed == {
        "registry": (
            "'healthy' is registered without its package; a wheel gives acme_healthy/healthy. inspect finds packages "
            "in site-packages, and editable installs whose distribution has the package's name. Install the wheel, or "
            "name the distribution acme-healthy."
        )
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "bench: Name the benchmarks to check, or use --all for all installed ones.\n"),
        (["--all", "x"], "bench: Name the benchmarks to check, or use --all for all installed ones.\n"),
        (["helthy"], "bench: helthy: no benchmark, group or path of this name. Did you mean healthy?"),
    ],
)
def test_wrong_use(site, arguments, message):
    done = check(site, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert done.stdout == ""


THREE_LINES = """
from openbench_testing import BenchmarkConformance
class TestExcused(BenchmarkConformance):
    benchmark = "excused"
class TestUnpinned(BenchmarkConformance):
    distribution = "acme-unpinned"
"""


@pytest.mark.stress
def test_three_lines_make_a_test_of_every_check(site, tmp_path):
    write(tmp_path / "test_acme.py", THREE_LINES)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", "-v", "-rs", "test_acme.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert "1 failed, 22 passed, 7 skipped" in done.stdout, done.stdout + done.stderr
    assert "test_acme.py::TestUnpinned::test_conformance[unpinned-metadata] FAILED" in done.stdout
    assert "unpinned@acme-unpinned: its rows are not pinned: the dataset acme/unpinned has" in done.stdout
    assert "waived: It is a test of copying." in done.stdout
    assert "inapplicable: its prompts offer no lettered options" in done.stdout


def test_datasets_is_heavy_too(tmp_path):
    install(tmp_path, "tables", {"metadata": "import datasets"})
    command = [sys.executable, "-m", "openbench_testing.conformance.probes.light", "report.json", "acme-tables"]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True, timeout=100)
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert (report["imported"], report["error"]) == (["datasets"], None)


def test_pytest_is_not_needed():
    script = "import sys, openbench_testing.check.command; print(sorted({'pytest', 'inspect_ai'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
