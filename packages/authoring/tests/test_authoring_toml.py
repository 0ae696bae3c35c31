"""Benchmarks declared in TOML, as a user runs them: `bench describe`, `eval`, `eval-retry`, `score` of a file."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest
from inspect_ai.log import read_eval_log

from openbench.cli.main import run
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog

QUIZ = """
data_type = "jsonl"
data_source = "rows.jsonl"
split = "test"

[field_mapping]
input = "question"
target = "answer"
choices = "options"

[metadata]
name = "Quiz"
description = "Colours."
primary_metric = "accuracy"
"""

FREE = """
data_type = "jsonl"
data_source = "rows.jsonl"
solver = "generate"
scorer = "exact"
answer_format = "identity"

[field_mapping]
input = "question"
target = "colour"
"""

ACME = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice, includes
from inspect_ai.solver import generate, multiple_choice, system_message
from openbench_authoring import BenchmarkConfig, create_benchmark

CONFIG = BenchmarkConfig(
    data_type="jsonl", data_source={rows!r}, limit=4,
    field_mapping={{"input": "question", "target": "answer", "choices": "options"}},
)


@task
def declared_{tag}() -> Task:
    return create_benchmark("declared_{tag}", CONFIG)


@task
def lettered_{tag}() -> Task:
    sample = Sample("Sky?", choices=["red", "blue"], target="B", id="sky")
    return Task([sample], solver=[multiple_choice()], scorer=choice())


@task
def plain_{tag}() -> Task:
    samples = [Sample(f"{{n}}?", target="indeed", id=n, metadata={{"topic": "ab"[n % 2]}}) for n in range(6)]
    return Task(samples, solver=[system_message("Old."), generate()], scorer=includes())
"""

ACME_METADATA = """
from openbench.metadata import BenchmarkMetadata

BENCHMARKS = {{
    name: BenchmarkMetadata(name, "Of Acme.", "acme", ["t"], "acme_declared_{tag}", name, languages=["en"])
    for name in ("declared_{tag}", "lettered_{tag}", "plain_{tag}")
}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with a quiz of nine questions."""
    rows = [
        {
            "id": f"q{n}",
            "question": f"Question {n}?",
            "options": ["red", "green", "blue"],
            "answer": n % 3,
            "colour": ["red", "green", "blue"][n % 3],
            "topic": "odd" if n % 2 else "even",
        }
        for n in range(9)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "rows.jsonl").write_text(text, "utf-8")
    (tmp_path / "quiz.toml").write_text(QUIZ, "utf-8")
    (tmp_path / "free.toml").write_text(FREE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bench(capsys, folder):  # noqa: ARG001 - the directory that it runs in
    """Run a command line, and return its exit code, and what it wrote to stdout and stderr."""

    def command(*arguments):
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return command


@pytest.fixture
def evaluate(bench):
    """Evaluate with --json, and return the result and the log."""

    def command(*arguments):
        code, out, err = bench("eval", *arguments, "--json", "--display", "none")
        assert code == 0, err
        [result] = json.loads(out)
        return result, read_eval_log(result["log"])

    return command


@pytest.fixture
def acme(folder, monkeypatch, request):
    """Install a distribution with a benchmark that is declared and one that is not; returns what ends their names."""
    tag = f"t{abs(hash(request.node.name))}"
    site = folder / "site"
    info = site / f"acme_{tag}-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: acme-{tag}\nVersion: 1.5\n", "utf-8")
    points = f"[openbench.benchmarks]\nacme = acme_meta_{tag}:BENCHMARKS\n"
    (info / "entry_points.txt").write_text(points, "utf-8")
    (site / f"acme_meta_{tag}.py").write_text(ACME_METADATA.format(tag=tag), "utf-8")
    (site / f"acme_declared_{tag}.py").write_text(ACME.format(tag=tag, rows=str(folder / "rows.jsonl")), "utf-8")
    monkeypatch.syspath_prepend(site)
    return tag


def answering(text):
    """Return the options that evaluate a model which always answers the same."""
    return ["--model", "baseline/constant", "-M", f"answer={text}"]


# --- what it is -------------------------------------------------------------------------------------------------------


def test_describe_says_what_the_file_says(bench, folder):
    code, out, _ = bench("describe", "./quiz.toml", "--json")
    raised = json.loads(out)
    assert (code, raised["key"], raised["name"], raised["path"]) == (0, "quiz", "Quiz", "quiz.toml")
    assert (raised["dataset"]["source"], raised["dataset"]["pinned"]) == (str(folder / "rows.jsonl"), False)
    assert [(each["name"], each["annotation"], each["default"]) for each in raised["parameters"]] == [
        ("shuffle", "bool", "False"),
        ("limit", "int | None", "None"),
        ("seed", "int", "0"),
    ]


def test_the_defaults_of_arguments_are_what_the_file_says(bench, folder):
    (folder / "some.toml").write_text('base = "quiz.toml"\nlimit = 4\nshuffle = true\nseed = 7\n', "utf-8")
    _, out, _ = bench("describe", "some.toml")
    assert "-T shuffle=True\n" in out
    assert "-T limit=4\n" in out
    assert "-T seed=7\n" in out


def test_describing_is_light(folder):
    code = (
        "import sys\nfrom openbench.cli.main import run\nassert run(['describe', 'quiz.toml']) == 0\n"
        "print({'inspect_ai', 'datasets', 'pydantic', 'yaml', 'rich', 'weave'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


# --- runs -------------------------------------------------------------------------------------------------------------


def test_it_runs_with_its_arguments_and_the_log_says_what_it_is_made_of(evaluate):
    result, log = evaluate("quiz.toml", "--baseline", "reference", "-T", "limit=5", "-T", "shuffle=true")
    assert (result["benchmark"], result["score"], result["samples"]) == ("quiz", 1.0, 5)
    assert [sample.id for sample in log.samples] != [f"q{n}" for n in range(5)]
    assert log.eval.task_args == {"shuffle": True, "limit": 5, "seed": 0}
    raised = log.eval.metadata["openbench"]
    assert [(each["kind"], each["name"], each["distribution"], each["rule"]) for each in raised["components"]] == [
        ("solver", "multiple_choice", "inspect-ai", "only"),
        ("scorer", "choice", "openbench-scorers", "builtin"),
    ]
    assert (raised["benchmark"], raised["core"], "base" in raised) == ("quiz", version("openbench-core"), False)


def test_a_shuffle_that_the_file_asks_for_can_be_left_out(evaluate, folder):
    (folder / "some.toml").write_text('base = "quiz.toml"\nshuffle = true\n', "utf-8")
    _, log = evaluate("some.toml", "--baseline", "reference", "-T", "shuffle=false")
    assert [sample.id for sample in log.samples] == [f"q{n}" for n in range(9)]


def test_a_model_is_asked_as_the_file_says(evaluate, folder):
    message = r"'{briefly} on {topic}: \boxed{{7}}, not \boxed{7}.'"
    more = f"\nsystem_message = {message}\nepochs = 2\n[generate]\ntemperature = 0.5\nmax_tokens = 7\n"
    (folder / "told.toml").write_text(f'base = "free.toml"\nlimit = 1\n{more}', "utf-8")
    result, log = evaluate("told.toml", *answering("red"))
    assert (result["score"], result["samples"]) == (1.0, 2)
    topic = log.samples[0].metadata["topic"]
    system = rf"{{briefly}} on {topic}: \boxed{{7}}, not \boxed{{7}}."
    assert asked(log) == [("system", system), ("user", "Question 0?")]
    assert (log.plan.config.temperature, log.plan.config.max_tokens) == (0.5, 7)


def test_sample_rows_beside_the_file_take_the_place_of_the_source(evaluate, folder):
    rows = folder / "samples" / "quiz" / "test.jsonl"
    rows.parent.mkdir(parents=True)
    rows.write_text('{"question": "Sky?", "options": ["red", "blue"], "answer": 1}\n', "utf-8")
    result, log = evaluate("quiz.toml", "--sample", "--baseline", "reference")
    assert (result["score"], [sample.input for sample in log.samples]) == (1.0, ["Sky?"])


FLAKY = """
from pathlib import Path
from inspect_ai.solver import solver

@solver
def flaky():
    async def solve(state, generate):
        if not (Path(__file__).parents[1] / "mended").exists() and state.sample_id == "q1":
            raise RuntimeError("not today")
        return await generate(state)
    return solve
"""


def test_a_run_goes_on_unless_a_file_that_it_is_based_on_has_changed(bench, folder):
    (folder / "flaky.py").write_text(FLAKY, "utf-8")
    (folder / "under.toml").write_text('base = "free.toml"\nsolver = "flaky.py@flaky"\n', "utf-8")
    (folder / "child.toml").write_text('base = "under.toml"\nlimit = 3\n', "utf-8")
    code, out, err = bench("eval", "child.toml", *answering("red"), "--no-fail-on-error", "--json")
    assert code == 0, err
    [result] = json.loads(out)
    assert (result["errors"], result["completed"]) == (1, 2)
    (folder.parent / "mended").touch()
    for name in ("under.toml", "free.toml", "flaky.py"):
        before = (folder / name).read_text("utf-8")
        (folder / name).write_text(f"{before}\n# changed\n", "utf-8")
        code, _, err = bench("eval-retry", result["log"])
        assert code == 2
        assert f"cannot be resumed, since its samples would not be comparable: code: {name} was" in err
        (folder / name).write_text(before, "utf-8")
    code, out, err = bench("eval-retry", result["log"], "--json")
    assert code == 0, err
    assert [(each["benchmark"], each["completed"], each["errors"]) for each in json.loads(out)] == [("child", 3, 0)]


OWN_SCORER = """
from inspect_ai.scorer import Score, accuracy, scorer

@scorer(metrics=[accuracy()])
def contains_word(word: str = "?"):
    async def score(state, target):
        return Score(value="C" if word in state.output.completion else "I")
    return score
"""


def test_a_log_is_scored_again_with_a_scorer_of_a_file(bench, evaluate, folder):
    (folder / "own.py").write_text(OWN_SCORER, "utf-8")
    more = 'scorer = "own.py@contains_word"\nscorer_args = { word = "re" }\n'
    (folder / "own.toml").write_text(f'base = "free.toml"\n{more}', "utf-8")
    result, log = evaluate("own.toml", "--baseline", "reference")
    assert result["score"] == pytest.approx(6 / 9)
    assert log.eval.metadata["openbench"]["components"][1]["rule"] == "path"
    code, out, err = bench("score", result["log"], "--json")
    assert code == 0, err
    assert json.loads(out)[0]["score"] == pytest.approx(6 / 9)


def test_choices_are_scored_alike_when_a_log_is_scored_again(bench, evaluate):
    result, _ = evaluate("quiz.toml", *answering("Well. ANSWER: B"))
    code, out, _ = bench("score", result["log"], "--json")
    assert (code, result["score"], json.loads(out)[0]["score"]) == (0, pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_several_right_choices(evaluate, folder):
    rows = [
        {"input": "Which?", "choices": ["1", "2", "3"], "target": [0, 2]},
        {"input": "2?", "choices": ["1", "2"], "target": 1},
    ]
    (folder / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    text = 'data_type = "jsonl"\ndata_source = "both.jsonl"\nsolver_args = { multiple_correct = true }\n'
    (folder / "both.toml").write_text(text, "utf-8")
    assert evaluate("both.toml", "--baseline", "reference")[0]["score"] == 1.0
    for answer, score in {"A and C": 0.5, "AC": 0.5, "A": 0.0, "B": 0.5, "ABC": 0.0}.items():
        assert evaluate("both.toml", *answering(f"ANSWER: {answer}"))[0]["score"] == score


# --- examples and cues ------------------------------------------------------------------------------------------------


def asked(log):
    """Return what the model was sent of the first question."""
    return [(message.role, message.text) for message in log.samples[0].messages[:-1]]


def sent(evaluate, name, *more):
    return asked(evaluate(name, *answering("red"), "--limit", "1", *more)[1])


def test_examples_come_as_turns_and_are_never_the_question_itself(evaluate, folder):
    (folder / "shots.toml").write_text('base = "free.toml"\nfew_shot = { count = 3 }\n', "utf-8")
    messages = sent(evaluate, "shots.toml")
    assert [role for role, _ in messages] == ["user", "assistant"] * 3 + ["user"]
    assert messages[-1] == ("user", "Question 0?")
    questions = [content for role, content in messages if role == "user"]
    assert len(set(questions)) == 4
    for question, (_, answer) in zip(questions, messages[1::2], strict=False):
        assert answer == ["red", "green", "blue"][int(question.split()[1][0]) % 3]
    assert sent(evaluate, "shots.toml", "-T", "limit=2") == messages
    assert sent(evaluate, "shots.toml", "-T", "seed=1") != messages


def test_examples_come_in_one_message_and_of_one_kind(evaluate, folder):
    (folder / "shots.toml").write_text(
        'base = "free.toml"\nfew_shot = { count = 3, by = "topic", as = "message" }\n', "utf-8"
    )
    [(role, content)] = sent(evaluate, "shots.toml")
    assert (role, content.endswith("\n\nQuestion 0?")) == ("user", True)
    numbers = {int(part.split("?")[0].removeprefix("Question ")) for part in content.split("\n\n")}
    assert (len(numbers), numbers <= {0, 2, 4, 6, 8}) == (4, True)


def test_fixed_examples_of_choices_are_asked_as_the_question_is(evaluate, folder):
    (folder / "shots.toml").write_text(
        'base = "quiz.toml"\n[[few_shot.examples]]\nquestion = "Grass?"\noptions = ["pink", "green"]\nanswer = 1\n',
        "utf-8",
    )
    messages = sent(evaluate, "shots.toml")
    assert [role for role, _ in messages] == ["user", "assistant", "user"]
    head = messages[0][1].partition("\n")[0].replace("A,B", "A,B,C")
    assert messages[2][1] == f"{head}\n\nQuestion 0?\n\nA) red\nB) green\nC) blue"
    assert messages[0][1].endswith("\n\nGrass?\n\nA) pink\nB) green")
    assert messages[1] == ("assistant", "ANSWER: B")


def test_examples_of_another_file(evaluate, folder, bench):
    (folder / "dev.jsonl").write_text(
        '{"question": "Rose?", "colour": "red"}\n{"question": 3, "colour": "x"}\n', "utf-8"
    )
    (folder / "shots.toml").write_text('base = "free.toml"\nfew_shot = { count = 1, source = "dev.jsonl" }\n', "utf-8")
    code, _, err = bench("eval", "shots.toml", "--baseline", "reference")
    assert (code, "row 2 of " + str(folder / "dev.jsonl") + ": 'question' is 3" in err) == (1, True)
    (folder / "dev.jsonl").write_text('{"question": "Rose?", "colour": "red"}\n', "utf-8")
    assert sent(evaluate, "shots.toml") == [("user", "Rose?"), ("assistant", "red"), ("user", "Question 0?")]
    (folder / "more.toml").write_text('base = "free.toml"\nfew_shot = { count = 2, source = "dev.jsonl" }\n', "utf-8")
    code, _, err = bench("eval", "more.toml", "--baseline", "reference")
    assert (code, "2 few-shot examples were asked for, but the pool has 1" in err) == (1, True)


def test_examples_of_another_split_come_from_sample_rows_as_well(evaluate, folder):
    (folder / "hub.toml").write_text(
        'data_type = "hf"\ndata_source = "acme/quiz"\nsplit = "test"\nsolver = "generate"\nscorer = "exact"\n'
        'answer_format = "to_string"\nfew_shot = { count = 1, split = "dev" }\n',
        "utf-8",
    )
    rows = folder / "samples" / "hub"
    rows.mkdir(parents=True)
    (rows / "test.jsonl").write_text('{"input": "1 + 1?", "target": 2}\n', "utf-8")
    (rows / "dev.jsonl").write_text('{"input": "1 + 2?", "target": 3}\n', "utf-8")
    result, log = evaluate("hub.toml", "--sample", "--baseline", "reference")
    assert result["score"] == 1.0
    assert asked(log) == [("user", "1 + 2?"), ("assistant", "3"), ("user", "1 + 1?")]


@pytest.mark.parametrize("answer", ["red", "Colour: red", " Colour:  red", "<think>x</think>Colour: red"])
def test_a_cue_is_scored_alike_whether_a_model_repeats_it_or_not(evaluate, folder, answer):
    (folder / "cue.toml").write_text(
        'base = "free.toml"\ncue = "Colour:"\nlimit = 1\n'
        '[few_shot]\nexamples = [{ question = "Sun?", colour = "Colour: red" }]\n',
        "utf-8",
    )
    result, log = evaluate("cue.toml", *answering(answer))
    assert result["score"] == 1.0
    assert log.samples[0].metadata["cue_as"] == "appended"
    assert asked(log) == [("user", "Sun?"), ("assistant", "Colour: red"), ("user", "Question 0?\nColour:")]


# --- installed bases --------------------------------------------------------------------------------------------------


def test_an_installed_benchmark_that_is_declared_passes_on_its_declaration(evaluate, bench, folder, acme):
    (folder / "hard.toml").write_text(
        f'base = "declared_{acme}"\nanswer_format = "text"\n[field_mapping]\ntarget = "colour"\n', "utf-8"
    )
    result, log = evaluate("hard.toml", "--baseline", "reference")
    assert (result["score"], result["samples"], log.samples[1].target) == (1.0, 4, "B")
    raised = log.eval.metadata["openbench"]
    assert raised["base"] == {"benchmark": f"declared_{acme}", "distribution": f"acme-{acme}", "version": "1.5"}
    _, out, _ = bench("describe", "hard.toml")
    assert out.startswith("hard: hard\nOf Acme.\n")


def test_of_any_other_the_task_is_changed(evaluate, folder, acme):
    (folder / "other.toml").write_text(
        f'base = "plain_{acme}@acme-{acme}"\nsystem_message = "New."\nscorer = "exact"\nsampling = "balanced"\n'
        'sampling_by = "topic"\nlimit = 4\n[generate]\ntemperature = 0.0\n',
        "utf-8",
    )
    result, log = evaluate("other.toml", *answering("indeed"))
    assert (result["score"], [sample.metadata["topic"] for sample in log.samples].count("a")) == (1.0, 2)
    assert [text for role, text in asked(log) if role == "system"] == ["New."]
    assert [each["name"] for each in log.eval.metadata["openbench"]["components"]] == ["exact"]


def test_choices_that_another_solver_would_not_show_stand_in_the_question(evaluate, folder, acme):
    (folder / "other.toml").write_text(f'base = "lettered_{acme}"\nsolver = "generate"\nscorer = "mcq"\n', "utf-8")
    result, log = evaluate("other.toml", *answering("Answer: B"))
    assert (result["score"], asked(log)[0][1].endswith("\n\nSky?\n\nA) red\nB) blue")) == (1.0, True)
    (folder / "bare.toml").write_text('base = "other.toml"\nshow_choices = false\n', "utf-8")
    assert asked(evaluate("bare.toml", *answering("Answer: B"))[1]) == [("user", "Sky?")]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("show_choices = true", "show_choices belongs to a solver: name the solver as well."),
        (
            'split = "dev"',
            "split cannot be changed, since the base {base} is not a declaration. Changeable fields: solver, ",
        ),
        ("scorer_args = { x = 1 }", "scorer_args belong to a scorer: name the scorer as well."),
        ('sampling = "balanced"\nsampling_by = "subject"\nlimit = 2', "the sample 0 has no category under 'subject'"),
    ],
)
def test_what_cannot_be_changed_is_refused(bench, folder, acme, more, message):
    (folder / "other.toml").write_text(f'base = "plain_{acme}"\n{more}\n', "utf-8")
    code, _, err = bench("eval", "other.toml", "--baseline", "reference")
    assert code in {1, 2}
    assert message.format(base=f"plain_{acme}") in err


def test_a_base_that_no_one_provides(bench, folder):
    (folder / "other.toml").write_text('base = "no_such_benchmark"\n', "utf-8")
    code, _, err = bench("describe", "other.toml")
    assert (code, err.startswith("bench: no_such_benchmark: no benchmark, group or path of this name. ")) == (2, True)


# --- what is wrong ----------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_toml_is_wrong_use(bench, folder):
    (folder / "broken.toml").write_text("data_type = jsonl\n", "utf-8")
    for command in (["describe"], ["eval", "--baseline", "reference"]):
        code, out, err = bench(command[0], "broken.toml", *command[1:])
        assert (code, out) == (2, "")
        assert err == f"bench: {folder / 'broken.toml'} is not valid TOML: Invalid value (at line 1, column 13).\n"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('scorer = "exakt"', "quizz: Unknown scorer 'exakt'. Did you mean 'exact'?"),
        ('scorer = "exact@acme"', "acme"),
        ('scorer = "exact"\nscorer_args = { numerik = true }', "takes no argument 'numerik'."),
        ("generate = { temprature = 1 }", "unknown field generate.temprature. Did you mean 'temperature'?"),
        ('generate = { temperature = "hot" }', "generate.temperature: "),
        ('cue = "A:"', "the solver multiple_choice reads answers in a form of its own, which a cue would break."),
        ('scorer = "none.py@mine"', "none.py: there is no such Python file."),
    ],
)
def test_what_only_shows_when_it_is_built_is_wrong_use_as_well(bench, folder, more, message):
    (folder / "quizz.toml").write_text(f'base = "quiz.toml"\n{more}\n', "utf-8")
    code, _, err = bench("eval", "quizz.toml", "--baseline", "reference")
    assert code == 2, err
    assert message in err


def test_solver_and_scorer_are_both_looked_at(bench, folder):
    (folder / "quizz.toml").write_text('base = "quiz.toml"\nsolver = "generat"\nscorer = "choise"\n', "utf-8")
    code, _, err = bench("eval", "quizz.toml", "--baseline", "reference")
    assert (code, err.count("Did you mean 'generate'?"), err.count("Did you mean 'choice'?")) == (2, 1, 1)


@pytest.mark.parametrize(
    ("argument", "message"), [("limit=0", "quiz: limit is 0, where"), ("limit=few", "expects int")]
)
def test_arguments_are_checked(bench, argument, message):
    code, _, err = bench("eval", "quiz.toml", "--baseline", "reference", "-T", argument)
    assert (code, message in err) == (2, True), err


def test_weave_without_its_extra_says_so(bench, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "weave", None)
    source = 'data_type = "weave"\ndata_source = "weave:///acme/quiz/object/Rows:latest"\n'
    (folder / "woven.toml").write_text(source, "utf-8")
    code, _, err = bench("eval", "woven.toml", "--baseline", "reference")
    assert (code, err) == (
        2,
        "bench: woven: data_type weave needs the extra weave. Install it: pip install 'openbench-authoring[weave]'\n",
    )


SAMPLED = '{"question": "Sea?", "options": ["red", "blue"], "answer": 1}\n'


def test_sample_rows_are_those_of_an_installed_base_unless_the_file_has_its_own(evaluate, bench, folder, acme):
    package = folder / "site" / f"acme_declared_{acme}"
    package.mkdir()
    package.with_suffix(".py").rename(package / "__init__.py")
    for name in ("hard.toml", "own.toml"):
        (folder / name).write_text(f'base = "declared_{acme}"\n', "utf-8")
    code, _, err = bench("eval", "own.toml", "--sample", "--baseline", "reference")
    assert (code, "own ships no sample rows" in err) == (2, True)
    rows = [package / "samples" / f"declared_{acme}", folder / "samples" / "own"]
    for place, text in zip(rows, [SAMPLED, SAMPLED.replace("Sea", "Sky")], strict=True):
        place.mkdir(parents=True)
        (place / "test.jsonl").write_text(text, "utf-8")
    for name, question in (("hard.toml", "Sea?"), ("own.toml", "Sky?")):
        _, log = evaluate(name, "--sample", "--baseline", "reference")
        assert [sample.input for sample in log.samples] == [question]


def test_a_file_that_is_not_there_is_told_which_files_there_are(bench):
    assert bench("eval", "./noexist.toml", "--baseline", "reference")[2] == (
        "bench: noexist.toml does not exist. A local eval is a directory or a .py file that defines __metadata__, "
        "or a .toml file.\n"
    )


def test_files_of_one_name_are_separate_benchmarks(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "quiz.toml").write_text('base = "../quiz.toml"\nlimit = 2\n', "utf-8")
    first, second = (find_benchmark(Catalog([]), str(folder / name)) for name in ("quiz.toml", "sub/quiz.toml"))
    assert first.metadata.module_path != second.metadata.module_path
    assert [len(each.task_function()().dataset) for each in (first, second)] == [9, 2]
