"""What inspect's guide to scorers shows works in benchmarks of ours: its scorers, metrics, reducers and `score`.

Each example is a local eval of its own. The model echoes, so that an input is the completion.
"""

import math
from statistics import NormalDist, stdev

import pytest
from inspect_ai import score
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import get_model
from inspect_ai.scorer import model_graded_qa

HEAD = '''
import re
import statistics

import numpy as np
from inspect_ai import Epochs, Task, task
from inspect_ai import scorer as inspects
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import (
    CORRECT, INCORRECT, Metric, SampleScore, Score, Scorer, ScoreReducer, Target, accuracy, choice, grouped, match,
    mean, metric, model_graded_fact, model_graded_qa, multi_scorer, score_reducer, scorer, std, stderr, value_to_float,
    var,
)
from inspect_ai.solver import TaskState, generate, multiple_choice, solver, system_message
from inspect_ai.util import sandbox
from openbench.scorers.exact import exact
from openbench.scorers.mcq import create_mcq_scorer
from openbench.scorers.pattern import pattern
from openbench.utils import BenchmarkMetadata
from openbench_scorers import means


def grader(grade):
    """Return a model that gives one grade, whatever it reads."""
    return get_model("baseline/constant", answer=grade, memoize=False)


def samples(*pairs):
    """Return samples of inputs and targets; their category is x or y in turn."""
    return [
        Sample(text, target=target, id=number, metadata={"category": "xy"[number % 2]})
        for number, (text, target) in enumerate(pairs)
    ]
'''


def write(folder, name, body):
    """Write an eval whose task function has the eval's name."""
    metadata = f'__metadata__ = BenchmarkMetadata("{name}", "From the guide.", "guide", [], __name__, "{name}")'
    (folder / f"{name}.py").write_text(f"{HEAD}\n\n{metadata}\n{body}", "utf-8")


Z = NormalDist().inv_cdf(0.975)

# An example's name, its code, and the metrics that it must give.
EXAMPLES = {
    "built_in": (
        """
@task
def built_in():
    return Task(
        samples(("ANSWER: Paris", "Paris"), ("Rome", "Paris")),
        solver=[system_message("Be brief."), generate()],
        scorer=[
            inspects.includes(),
            match(),
            inspects.pattern(r"ANSWER: (\\w+)"),
            inspects.answer("word"),
            inspects.exact(),
            inspects.f1(),
            model_graded_qa(partial_credit=True, model=grader("GRADE: P")),
            model_graded_fact(model=grader("So be it. GRADE: C")),
        ],
        metrics=[accuracy()],
    )
""",
        {
            "includes": {"accuracy": 0.5},
            "match": {"accuracy": 0.5},
            "pattern": {"accuracy": 0.5},
            "answer": {"accuracy": 0.5},
            "exact": {"accuracy": 0.0},
            "f1": {"accuracy": 0.67 / 2},  # of two words one is right; rounded by inspect
            "model_graded_qa": {"accuracy": 0.5},
            "model_graded_fact": {"accuracy": 1.0},
        },
    ),
    "list_of_scorers": (
        """
@task
def list_of_scorers():
    return Task(
        samples(("It is 4", "4"), ("14", "4")),
        scorer=[
            model_graded_qa(model=grader("GRADE: C")),
            model_graded_qa(model=grader("GRADE: I")),
            inspects.includes(),
            exact(),
            pattern(r"\\d+"),
        ],
    )
""",
        {
            "model_graded_qa": {"accuracy": 1.0, "stderr": 0.0},
            "model_graded_qa1": {"accuracy": 0.0, "stderr": 0.0},
            "includes": {"accuracy": 1.0, "stderr": 0.0},
            "exact": {"accuracy": 0.0, "stderr": 0.0},
            "pattern": {"accuracy": 0.5, "stderr": 0.5},
        },
    ),
    "several_models": (
        """
@task
def several_models():
    graders = [grader("GRADE: I"), grader("GRADE: C"), grader("GRADE: C")]
    return Task(samples(("?", "")), scorer=model_graded_qa(model=graders))
""",
        {"model_graded_qa": {"accuracy": 1.0, "stderr": None}},
    ),
    "several_values": (
        """
@scorer(metrics={"a_count": [mean(), stderr()], "e_count": [mean(), stderr()]})
def letter_count():
    async def score(state: TaskState, target: Target):
        answer = state.output.completion
        return Score(value={"a_count": answer.count("a"), "e_count": answer.count("e")}, answer=answer)

    return score

@task
def several_values():
    return Task(samples(("banana", ""), ("eel", "")), scorer=letter_count())
""",
        {"a_count": {"mean": 1.5, "stderr": 1.5}, "e_count": {"mean": 1.0, "stderr": 1.0}},
    ),
    "globs": (
        """
@scorer(metrics={"*": [mean()], "e_*": [stderr()]})
def letter_count():
    async def score(state: TaskState, target: Target):
        answer = state.output.completion
        return Score(value={"a_count": answer.count("a"), "e_count": answer.count("e")})

    return score

@task
def globs():
    return Task(samples(("banana", ""), ("eel", "")), scorer=letter_count())
""",
        {"a_count": {"mean": 1.5}, "e_count": {"mean": 1.0, "stderr": 1.0}},
    ),
    "complex_metrics": (
        """
@metric
def total_count() -> Metric:
    def compute(scores: list[SampleScore]) -> int | float:
        return sum(score.score.value["a_count"] + score.score.value["e_count"] for score in scores)

    return compute

@scorer(metrics=[{"a_count": [mean(), stderr()], "e_count": [mean()]}, total_count()])
def letter_count():
    async def score(state: TaskState, target: Target):
        answer = state.output.completion
        return Score(value={"a_count": answer.count("a"), "e_count": answer.count("e")})

    return score

@task
def complex_metrics():
    return Task(samples(("banana", ""), ("eel", "")), scorer=letter_count())
""",
        {
            "letter_count": {"total_count": 5.0},
            "a_count": {"mean": 1.5, "stderr": 1.5},
            "e_count": {"mean": 1.0},
        },
    ),
    "majority": (
        """
@task
def majority():
    scorers = [exact(), pattern(r"\\d+"), inspects.includes()]
    return Task(samples(("4", "4"), ("4 or so", "4"), ("40", "4")), scorer=multi_scorer(scorers, "mode"))
""",
        # Right by three of them, by two, and by one.
        {"multi_scorer": {"accuracy": 2 / 3, "stderr": 1 / 3}},
    ),
    "own_includes": (
        """
@scorer(metrics=[accuracy(), stderr()])
def holds(ignore_case: bool = True):
    async def score(state: TaskState, target: Target):
        answer, wanted = state.output.completion, target.text
        if ignore_case:
            answer, wanted = answer.lower(), wanted.lower()
        return Score(value=CORRECT if wanted in answer else INCORRECT, answer=answer)

    return score

@task
def own_includes():
    return Task(samples(("PARIS", "Paris"), ("Rome", "Paris")), scorer=[holds(), holds(ignore_case=False)])
""",
        {"holds": {"accuracy": 0.5, "stderr": 0.5}, "holds1": {"accuracy": 0.0, "stderr": 0.0}},
    ),
    "own_grading": (
        """
@scorer(metrics=[accuracy(), stderr()])
def graded(pattern: str, model: str | Model | None = None) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        prompt = f"Q: {state.input_text} A: {state.output.completion} C: {target.text} GRADE: I"
        result = await get_model(model).generate(prompt)
        found = re.search(pattern, result.completion)
        if found:
            return Score(value=found.group(1), answer=found.group(0), explanation=result.completion)
        return Score(value=INCORRECT, explanation="Grade not found in model output: " + result.completion)

    return score

@task
def own_grading():
    # The first grader is the model that is evaluated, which echoes the prompt.
    return Task(samples(("?", "")), scorer=[graded("GRADE: (.)"), graded("GRADE: (.)", grader("GRADE: C"))])
""",
        {"graded": {"accuracy": 0.0, "stderr": None}, "graded1": {"accuracy": 1.0, "stderr": None}},
    ),
    "model_grading": (
        """
TEMPLATE = "{instructions} Q: {question} A: {answer} C: {criterion}"

@scorer(metrics=[accuracy(), stderr()])
def my_graded_qa(
    template: str = TEMPLATE,
    instructions: str = "GRADE: C",
    grade_pattern: str = r"GRADE: ([CPI])",
    model: str | Model | None = None,
) -> Scorer:
    grader_model = get_model(model)

    async def score(state: TaskState, target: Target) -> Score:
        score_prompt = template.format(
            question=state.input_text,
            answer=state.output.completion,
            criterion=target.text,
            instructions=instructions,
        )
        result = await grader_model.generate(score_prompt)
        found = re.search(grade_pattern, result.completion)
        if found:
            return Score(value=found.group(1), answer=found.group(0), explanation=result.completion)
        return Score(value=INCORRECT, explanation="Grade not found in model output: " + result.completion)

    return score

@task
def model_grading():
    return Task(samples(("?", ""), ("!", "")), scorer=[my_graded_qa(), my_graded_qa(model=grader("GRADE: I"))])
""",
        # The first grader is the model that is evaluated, which echoes the instructions.
        {"my_graded_qa": {"accuracy": 1.0, "stderr": 0.0}, "my_graded_qa1": {"accuracy": 0.0, "stderr": 0.0}},
    ),
    "strict_text": (
        """
@scorer(metrics=[accuracy()])
def my_scorer() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        return Score(value=CORRECT if said.strip() == target.text.strip() else INCORRECT, answer=said[:100])

    return score

@task
def strict_text():
    return Task(samples(("yes ", "yes"), ("no", "yes")), scorer=my_scorer())
""",
        {"my_scorer": {"accuracy": 0.5}},
    ),
    "rates_of_grades": (
        """
GRADES = {"A": ("correct", 1.0), "B": ("incorrect", 0.0), "C": ("not_attempted", 0.0)}

@metric
def rates() -> Metric:
    def compute(scores: list[SampleScore]) -> dict[str, float]:
        grades = [score.score.metadata["grade"] for score in scores]
        return {grade: grades.count(grade) / len(grades) for grade, _ in GRADES.values()}

    return compute

@scorer(metrics=[accuracy(), stderr(), rates()])
def by_letter(model: Model):
    async def score(state: TaskState, target: Target) -> Score:
        letter = (await model.generate(state.output.completion)).completion
        grade, value = GRADES[letter]
        return Score(value=value, answer=state.output.completion, metadata={"grade": grade})

    return score

@task
def rates_of_grades():
    rows = samples(("A", ""), ("B", ""), ("C", ""), ("A", ""))
    return Task(rows, scorer=by_letter(get_model("baseline/echo")))
""",
        {
            "by_letter": {
                "accuracy": 0.5,
                "stderr": stdev([1, 0, 0, 1]) / 2,
                "correct": 0.5,
                "incorrect": 0.25,
                "not_attempted": 0.25,
            }
        },
    ),
    "in_a_sandbox": (
        """
@solver
def write_file():
    async def solve(state, generate):
        await sandbox().write_file(state.input_text, "Hello")
        return await generate(state)

    return solve

@scorer(metrics=[accuracy()])
def check_file_exists():
    async def score(state: TaskState, target: Target):
        try:
            await sandbox().read_file(target.text)
        except FileNotFoundError:
            return Score(value=0)
        return Score(value=1)

    return score

@task
def in_a_sandbox():
    rows = samples(("hello.txt", "hello.txt"), ("other.txt", "hello.txt"))
    return Task(rows, solver=write_file(), scorer=check_file_exists(), sandbox="local")
""",
        {"check_file_exists": {"accuracy": 0.5}},
    ),
    "chosen": (
        """
@task
def chosen():
    questions = [("A", "x"), ("A", "x"), ("B", "y"), ("B", "y")]
    rows = [Sample("?", choices=["1", "2"], target=t, metadata={"category": c}) for t, c in questions]
    solvers = [system_message("Choose."), multiple_choice(template="ANSWER: A {question} {choices} {letters}")]
    figures = [accuracy(), stderr(cluster="category"), grouped(mean(), "category"), means.by_group("category")]
    return Task(rows, solver=solvers, scorer=choice(), metrics=figures)
""",
        {
            "choice": {
                "accuracy": 0.5,
                "stderr": 0.5,  # two clusters, all right and all wrong
                "x": 1.0,
                "y": 0.0,
                "all": 0.5,
                "x2": 1.0,
                "y2": 0.0,
                "x_lower": 2 / (2 + Z**2),
                "x_upper": 1.0,
                "x_count": 2.0,
                "y_lower": 0.0,
                "y_upper": Z**2 / (2 + Z**2),
                "y_count": 2.0,
            }
        },
    ),
    "own_metric": (
        """
@metric
def plain_mean() -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        return np.mean([score.score.as_float() for score in scores]).item()

    return compute

@task
def own_metric():
    rows = samples(("Answer: A", "A"), ("Answer: B", "A"))
    figures = [accuracy(), stderr(), std(), var(), plain_mean()]
    return Task(rows, scorer=[create_mcq_scorer()(), match()], metrics=figures)
""",
        {
            name: {"accuracy": 0.5, "stderr": 0.5, "std": math.sqrt(0.5), "var": 0.5, "plain_mean": 0.5}
            for name in ("mcq_scorer", "match")
        },
    ),
    "epochs": (
        """
@score_reducer(name="worst")
def worst() -> ScoreReducer:
    to_float = value_to_float()

    def reduce(scores: list[Score]) -> Score:
        return Score(value=min(to_float(score.value) for score in scores))

    return reduce

@solver
def next_word():
    async def solve(state, generate):
        state = await generate(state)
        state.output.completion = state.input_text.split()[state.epoch - 1]
        return state

    return solve

@task
def epochs():
    reducers = ["mean", "median", "mode", "max", "pass_at_2", "at_least_2", "at_least_3", worst()]
    return Task(
        samples(("yes no no yes", "yes"), ("yes yes no yes", "yes")),
        solver=next_word(),
        scorer=exact(),
        epochs=Epochs(4, reducers),
        metrics=[accuracy(), means.micro_average()],
    )
""",
        {
            "exact/mean": {"accuracy": 0.625, "micro": 0.625, "micro_stderr": 0.125},
            "exact/median": {"accuracy": 0.75, "micro": 0.75, "micro_stderr": 0.25},
            "exact/mode": {"accuracy": 1.0, "micro": 1.0, "micro_stderr": 0.0},
            "exact/max": {"accuracy": 1.0, "micro": 1.0, "micro_stderr": 0.0},
            "exact/pass_at_2": {"accuracy": 11 / 12, "micro": 11 / 12, "micro_stderr": 1 / 12},
            "exact/at_least_2": {"accuracy": 1.0, "micro": 1.0, "micro_stderr": 0.0},
            "exact/at_least_3": {"accuracy": 0.5, "micro": 0.5, "micro_stderr": 0.5},
            "exact/worst": {"accuracy": 0.0, "micro": 0.0, "micro_stderr": 0.0},
        },
    ),
}


@pytest.fixture(scope="module")
def results(bench, tmp_path_factory):
    """What `bench eval` says of each example, by its name."""
    folder = tmp_path_factory.mktemp("guide")
    for name, (body, _) in EXAMPLES.items():
        write(folder, name, body)
    files = [f"{name}.py" for name in EXAMPLES]
    done = bench("eval", *files, "--model", "baseline/echo", "--json", cwd=folder)
    assert done.code == 0, done.err
    return {result["benchmark"]: result for result in done.json()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example(results, name):
    result = results[name]
    expected = {key: pytest.approx(of) for key, of in EXAMPLES[name][1].items()}
    assert result["metrics"] == expected
    assert (result["errors"], result["unscored"]) == (0, 0)
    assert result["score"] == next(iter(result["metrics"].values()))[result["metric"].rpartition("/")[2]]


def test_every_epoch_has_its_score(results):
    log = read_eval_log(results["epochs"]["log"])
    assert [(each.reducer, each.samples[0].value) for each in log.reductions] == [
        *(("mean", 0.5), ("median", 0.5), ("mode", "C"), ("max", "C")),
        *(("pass_at_2", pytest.approx(5 / 6)), ("at_least_2", 1), ("at_least_3", 0), ("worst", 0.0)),
    ]


# --- the score command and the score function -------------------------------------------------------------------------

RATED = """
@metric
def longest() -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        return float(max(len(score.score.answer or "") for score in scores))

    return compute

@task
def rated():
    rows = samples(("Paris it is", "Paris"), ("It is Paris", "Paris"), ("GRADE: C", "Paris"))
    return Task(rows, scorer=[inspects.includes(), exact()], metrics=[accuracy(), longest()])
"""

SCORERS = """
from inspect_ai.scorer import Score, mean, scorer, stderr


@scorer(metrics=[mean()])
def words(least: int = 0):
    async def score(state, target):
        return Score(value=max(least, len(state.output.completion.split())))

    return score
"""


@pytest.fixture(scope="module")
def rated(bench, tmp_path_factory):
    """A folder with the log of a run whose task brings metrics, `run.eval`, and the same run unscored, `raw.eval`."""
    folder = tmp_path_factory.mktemp("rated")
    write(folder, "rated", RATED)
    (folder / "words.py").write_text(SCORERS, "utf-8")
    (folder / "two.py").write_text(f"{SCORERS}\n\n{SCORERS.replace('words', 'more_words')}", "utf-8")
    (folder / "none.py").write_text("from inspect_ai.scorer import match", "utf-8")
    for name, more in (("run", []), ("raw", ["--no-score"])):
        done = bench("eval", "rated.py", "--model", "baseline/echo", "--logfile", f"{name}.eval", *more, cwd=folder)
        assert done.code == 0, done.err
    return folder


INCLUDES = {"accuracy": 2 / 3, "longest": 11.0}
EXACT = {"accuracy": 0.0, "longest": 11.0}


@pytest.mark.parametrize(
    ("arguments", "metrics"),
    [
        (["raw.eval"], {"includes": INCLUDES, "exact": EXACT}),
        (["raw.eval", "--scorer", "words.py", "--action", "append"], {"words": {"mean": 8 / 3}}),
        (["run.eval", "--action", "overwrite"], {"includes": INCLUDES, "exact": EXACT}),
        (
            ["run.eval", "--action", "append"],
            {"includes": INCLUDES, "exact": EXACT, "includes1": INCLUDES, "exact1": EXACT},
        ),
        (
            ["run.eval", "--scorer", "match"],
            {"includes": INCLUDES, "exact": EXACT, "match": {"accuracy": 1 / 3, "stderr": 1 / 3}},
        ),
        (
            ["run.eval", "--scorer", "match", "-S", "location=begin", "--action", "append"],
            {"includes": INCLUDES, "exact": EXACT, "match": {"accuracy": 1 / 3, "stderr": 1 / 3}},
        ),
        (
            ["run.eval", "--scorer", "openbench/pattern", "-S", "regex=Paris"],
            {"includes": INCLUDES, "exact": EXACT, "pattern": {"accuracy": 2 / 3, "stderr": 1 / 3}},
        ),
        (["run.eval", "--scorer", "words.py"], {"includes": INCLUDES, "exact": EXACT, "words": {"mean": 8 / 3}}),
        (
            ["run.eval", "--scorer", "two.py@more_words", "-S", "least=3"],
            {"includes": INCLUDES, "exact": EXACT, "more_words": {"mean": 3.0}},
        ),
        # The task's metrics stand in for those of a scorer that takes the place of the task's.
        (
            ["run.eval", "--scorer", "words.py@words", "--action", "overwrite"],
            {"words": {"accuracy": 8 / 3, "longest": 0.0}},
        ),
        # Without another grader the model that was evaluated grades, by echoing; only the last answer reads as a grade.
        (
            ["run.eval", "--scorer", "model_graded_qa", "-S", 'template="{answer}"', "--action", "append"],
            {"includes": INCLUDES, "exact": EXACT, "model_graded_qa": {"accuracy": 1.0, "stderr": None}},
        ),
    ],
)
def test_the_score_command(bench, rated, arguments, metrics):
    done = bench("score", *arguments, "--output", "scored.eval", "--json", cwd=rated)
    assert done.code == 0, done.err
    [result] = done.json()
    assert result["metrics"] == {name: pytest.approx(of) for name, of in metrics.items()}
    assert result["unscored"] == (2 if "model_graded_qa" in metrics else 0)
    scored = read_eval_log(result["log"])
    assert all(set(sample.scores) == set(metrics) for sample in scored.samples)


def test_a_log_is_overwritten_only_if_asked(bench, rated):
    for name in ("copy", "copy2"):
        (rated / f"{name}.eval").write_bytes((rated / "raw.eval").read_bytes())
    assert bench("score", "copy.eval", cwd=rated).code == 0
    assert not read_eval_log(str(rated / "copy.eval")).results.scores
    assert len(read_eval_log(str(rated / "copy-scored.eval")).results.scores) == 2
    assert bench("score", "copy2.eval", "--overwrite", cwd=rated).code == 0
    assert len(read_eval_log(str(rated / "copy2.eval")).results.scores) == 2
    assert not (rated / "copy2-scored.eval").exists()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("two.py", "two.py has several scorers: words, more_words. Name one, as in two.py@words."),
        ("none.py", "none.py has no function decorated with @scorer."),
        ("nosuch.py", "nosuch.py: there is no such Python file."),
    ],
)
def test_a_file_without_the_one_scorer(bench, rated, file, text):
    done = bench("score", "run.eval", "--scorer", file, cwd=rated)
    assert (done.code, done.out, done.err) == (2, "", f"bench: {text}\n")


def test_the_score_function_reads_our_logs(rated, tmp_path):
    log = read_eval_log(str(rated / "run.eval"))
    for grade, value in (("GRADE: C", 1.0), ("GRADE: I", 0.0)):
        grader = get_model("baseline/constant", answer=grade, memoize=False)
        scored = score(log, model_graded_qa(model=grader), action="append", display="none")
        write_eval_log(scored, str(tmp_path / "scored.eval"))
        scores = read_eval_log(str(tmp_path / "scored.eval")).results.scores
        assert [each.name for each in scores] == ["includes", "exact", "model_graded_qa"]
        assert scores[-1].metrics["accuracy"].value == value
    assert len(log.results.scores) == 2
