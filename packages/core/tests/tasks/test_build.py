"""Tasks are built as `inspect_ai.eval` builds them: the model and the roles are active, wherever the samples run."""

import pytest
from inspect_ai.log import read_eval_log

from openbench_testing import ChatServer, Fault

JUDGED = '''
"""A scorer takes its grader while the task is built, and a second one the model that is evaluated."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, scorer
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Judged", "A grader of its own.", "made", [], __name__, "judged")


@scorer(metrics=[accuracy()])
def graded():
    grader = get_model(role="grader", default="baseline/echo")

    async def score(state, target):
        verdict = (await grader.generate("Is it right?")).completion
        return Score(value=verdict == "yes", answer=verdict)

    return score


@scorer(metrics=[accuracy()])
def repeated():
    evaluated = get_model()

    async def score(state, target):
        again = (await evaluated.generate(state.input_text)).completion
        return Score(value=again == state.output.completion, answer=again)

    return score


@task
def judged():
    return Task([Sample(f"{n}?", target="x", id=n) for n in range(4)], scorer=[graded(), repeated()])
'''


@pytest.fixture
def judged(tmp_path):
    """A folder with the eval, and the servers of the model and the grader."""
    (tmp_path / "judged.py").write_text(JUDGED, "utf-8")
    with ChatServer("Answer: A") as model, ChatServer("yes") as grader:
        yield tmp_path, model, grader


def variables(grader):
    return {"JUDGE_API_KEY": "x", "JUDGE_BASE_URL": grader.base_url}


def options(model):
    role = ["--model-role", "grader=openai-api/judge/g"]
    return ["--model", "openai-api/local/m", "--model-base-url", model.base_url, *role]


def answers(log, name):
    return [sample.scores[name].answer for sample in log.samples]


@pytest.mark.parametrize("more", [["--engine", "direct"], ["--engine", "inspect"], ["--processes", "2"]])
def test_the_grader_that_is_asked_for_grades(bench, judged, more):
    folder, model, grader = judged
    done = bench("eval", "judged.py", *options(model), *more, "--json", cwd=folder, **variables(grader))
    assert done.code == 0, done.err
    log = read_eval_log(done.json()[0]["log"])
    assert log.eval.model_roles["grader"].model == "openai-api/judge/g"
    assert answers(log, "graded") == ["yes"] * 4
    assert answers(log, "repeated") == ["Answer: A"] * 4
    assert (len(model.requests), len(grader.requests)) == (8, 4)
    assert log.stats.role_usage["grader"].total_tokens > 0


def test_a_task_without_the_role_has_its_default(bench, judged):
    folder, model, _ = judged
    done = bench("eval", "judged.py", *options(model)[:4], "--json", cwd=folder)
    assert done.code == 0, done.err
    log = read_eval_log(done.json()[0]["log"])
    assert (log.eval.model_roles or {}).get("grader") is None
    assert answers(log, "graded") == ["Is it right?"] * 4


@pytest.mark.parametrize("command", ["eval-retry", "resume"])
def test_what_is_missing_is_graded_by_the_same(bench, judged, command):
    folder, _, grader = judged
    with ChatServer("Answer: A", faults=[None, Fault.status(400)]) as model:
        arguments = ["--max-connections", "1", "--no-fail-on-error", "--logfile", "run.json"]
        done = bench("eval", "judged.py", *options(model), *arguments, cwd=folder, **variables(grader))
        assert done.code == 0, done.err
        before = len(grader.requests)
        [run] = (folder / "runs").iterdir()
        again = ["eval-retry", "run.json"] if command == "eval-retry" else ["eval", "--resume", run]
        done = bench(*again, "--json", cwd=folder, **variables(grader))
    assert done.code == 0, done.err
    assert (before, len(grader.requests)) == (3, 4)
    assert answers(read_eval_log(done.json()[0]["log"]), "graded") == ["yes"] * 4


def test_a_log_is_scored_again_by_the_grader_that_is_asked_for(bench, judged):
    folder, model, grader = judged
    done = bench("eval", "judged.py", *options(model), "--logfile", "run.json", cwd=folder, **variables(grader))
    assert done.code == 0, done.err
    with ChatServer("no") as strict:
        done = bench("score", "run.json", "--json", cwd=folder, **variables(strict))
        assert (done.code, len(strict.requests), len(model.requests)) == (0, 4, 12), done.err
    log = read_eval_log(done.json()[0]["log"])
    assert answers(log, "graded") == ["no"] * 4
    assert answers(log, "repeated") == ["Answer: A"] * 4
    done = bench("score", "run.json", "--model-role", "grader=baseline/empty", "--json", cwd=folder)
    assert done.code == 0, done.err
    log = read_eval_log(done.json()[0]["log"])
    assert (answers(log, "graded"), log.eval.model_roles["grader"].model) == ([""] * 4, "baseline/empty")
