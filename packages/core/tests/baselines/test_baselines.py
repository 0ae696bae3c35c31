"""Baselines: what a benchmark says when the model knows nothing, and when it knows everything."""

import asyncio
from collections import Counter

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, get_model

from openbench.baselines.reference import default_reference, reference_solver
from openbench.errors import UsageError
from openbench.run.arguments import parse_value
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt


def answers(name, prompts, **arguments):
    async def ask():
        model = get_model(f"baseline/{name}", memoize=False, **arguments)
        return [(await model.generate(prompt)).completion for prompt in prompts]

    return asyncio.run(ask())


PROMPTS = [create_dynamic_multiple_choice_prompt(f"Question {n}?", ["red", "green", "blue"]) for n in range(300)]


def test_random_answers_with_a_letter_of_the_prompt():
    counts = Counter(answers("random", PROMPTS))
    assert set(counts) == {"Answer: A", "Answer: B", "Answer: C"}
    assert min(counts.values()) > 65


def test_random_can_be_had_again():
    first = answers("random", PROMPTS)
    assert answers("random", PROMPTS[::-1])[::-1] == first
    assert answers("random", PROMPTS, seed=0) == first
    assert answers("random", PROMPTS, seed=1) != first


def test_random_without_options_says_a():
    assert answers("random", ["Who?"]) == ["Answer: A"]


def test_the_others():
    assert answers("constant", PROMPTS[:2]) == ["A", "A"]
    assert answers("constant", PROMPTS[:1], answer="B, of course") == ["B, of course"]
    assert answers("constant", PROMPTS[:1], answer=4) == ["4"]
    assert answers("constant", PROMPTS[:1], answer=parse_value("A, C")) == ["A, C"]
    assert answers("empty", PROMPTS[:1]) == [""]
    assert answers("echo", PROMPTS[:1]) == PROMPTS[:1]


def test_usage_needs_no_tokenizer():
    output = asyncio.run(get_model("baseline/echo").generate("three words here"))
    assert (output.usage.input_tokens, output.usage.output_tokens, output.usage.total_tokens) == (3, 3, 6)


def test_baselines_that_do_not_exist():
    with pytest.raises(UsageError) as caught:
        get_model("baseline/oracle")
    assert str(caught.value) == ("baseline/oracle does not exist. Baselines: random, constant, empty, echo, reference.")


def test_reference_is_no_model_to_ask():
    with pytest.raises(
        UsageError, match=r"^baseline/reference does not answer requests\. Use bench eval --baseline ref"
    ):
        answers("reference", ["?"])


@pytest.mark.parametrize(
    ("sample", "completion"),
    [
        (Sample(PROMPTS[0], target="B"), "Answer: B"),
        (Sample([ChatMessageUser(content="Example"), ChatMessageUser(content=PROMPTS[0])], target="C"), "Answer: C"),
        (Sample("Capital of France?", target="Paris"), "Paris"),
        (Sample("A city?", target=["Paris", "Rome"]), "Paris"),
        (Sample("Which letter comes first?", target="A"), "A"),
        (Sample(PROMPTS[0], target="D"), "D"),
    ],
)
def test_the_default_reference(sample, completion):
    assert default_reference(sample) == completion


def test_only_a_modules_own_reference_is_found():
    solver = reference_solver(Task(), test_usage_needs_no_tokenizer)
    assert vars(solver)["__registry_params__"] == {"function": None}


WORDS = '''
"""A task whose answers need a format of their own, which its reference knows."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Words", "Words.", "knowledge", [], __name__, "words")


def reference(sample: Sample) -> str:
    return f"{sample.metadata['prefix']}: {sample.target[0]}"


@task
def words() -> Task:
    sample = Sample("One?", target=["one", "other"], metadata={"prefix": "Result"})
    return Task([sample], scorer=match(location="end"))
'''


def test_every_baseline_in_a_run(bench, quiz):
    (quiz / "words.py").write_text(WORDS, "utf-8")
    done = bench("eval", "quiz.py", "words.py", "--baseline", "reference", "--json", cwd=quiz)
    assert done.code == 0, done.err
    known, words = done.json()
    assert (known["score"], known["model"], known["answered"]) == (1.0, "baseline/reference", 1.0)
    assert words["score"] == 1.0
    done = bench("eval", "quiz.py", "--baseline", "constant", "-M", "answer=Answer: C", "--json", cwd=quiz)
    assert done.json()[0]["score"] == pytest.approx(1 / 3)
    done = bench("eval", "quiz.py", "--baseline", "empty", "--json", cwd=quiz)
    assert (done.code, done.json()[0]["score"], done.json()[0]["answered"]) == (0, 0.0, 0.0)
    done = bench("eval", "quiz.py", "--baseline", "random", "--json", cwd=quiz)
    assert (done.code, done.json()[0]["answered"]) == (0, 1.0)
    done = bench("eval", "quiz.py", "--baseline", "random", "--model", "baseline/empty", cwd=quiz)
    assert (done.code, done.err) == (2, "bench: --baseline replaces --model; use one of the two.\n")
    done = bench("eval", "quiz.py", "--model", "baseline/oracle", cwd=quiz)
    assert (done.code, done.err.startswith("bench: baseline/oracle does not exist.")) == (2, True)


JUDGED = '''
"""A benchmark that a grader scores; the default grader would need a key."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from openbench_scorers.model_graded import ask_grader, resolve_grader
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Judged", "Graded.", "knowledge", [], __name__, "judged")


@scorer(metrics=[accuracy()])
def judge():
    async def score(state, target):
        grader = resolve_grader(None, "openai/gpt-4.1")
        answer = state.output.completion
        verdict = await ask_grader(grader, "?", grades={"A": "YES", "B": "NO"}, answer=answer, targets=list(target))
        return Score(value="C" if verdict.grade == "A" else "I", answer=answer)

    return score


@task
def judged() -> Task:
    return Task([Sample("?", target=["Paris", "Lutetia"])], scorer=judge())
'''


def test_a_baseline_brings_a_grader_without_a_key(bench, tmp_path):
    (tmp_path / "judged.py").write_text(JUDGED, "utf-8")
    for baseline, score in (("reference", 1.0), ("random", 0.0)):
        done = bench("eval", "judged.py", "--baseline", baseline, "--json", cwd=tmp_path)
        assert (done.code, done.json()[0]["score"]) == (0, score), done.err


INSPECTS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_fact, model_graded_qa
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Judged", "Inspect's own judges.", "knowledge", [], __name__, "judged")

@task
def judged() -> Task:
    return Task([Sample("Capital of France?", target="Paris")], scorer=[model_graded_qa(), model_graded_fact()])
"""


@pytest.mark.parametrize(("baseline", "score"), [("reference", 1.0), ("random", 0.0)])
def test_a_baseline_brings_a_grader_for_inspects_own_judges(bench, tmp_path, baseline, score):
    (tmp_path / "judged.py").write_text(INSPECTS, "utf-8")
    done = bench("eval", "judged.py", "--baseline", baseline, "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    [run] = done.json()
    assert {name: of["accuracy"] for name, of in run["metrics"].items()} == {
        "model_graded_qa": score,
        "model_graded_fact": score,
    }


CHOOSING = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Choosing", "Inspect's own solver and scorer.", "c", [], __name__, "choosing")

@task
def choosing():
    samples = [Sample(f"Which is {n}?", choices=["zero", "one", "two"], target="ABC"[n], id=n) for n in range(3)]
    return Task(dataset=samples, solver=multiple_choice(), scorer=choice())
"""


@pytest.mark.parametrize(("baseline", "score"), [("reference", 1.0), ("empty", 0.0)])
def test_choices_are_marked_for_inspects_own_scorer(bench, tmp_path, baseline, score):
    (tmp_path / "choosing.py").write_text(CHOOSING)
    (run,) = bench("eval", "choosing.py", "--baseline", baseline, "--json", cwd=tmp_path).json()
    assert run["score"] == score
