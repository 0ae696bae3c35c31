"""The grader that a run will ask is made before the first request, so that a missing key costs nothing."""

import pytest
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, match, model_graded_fact, model_graded_qa, scorer

from openbench.errors import UsageError
from openbench.run.graders import check_graders
from openbench_testing import ChatServer


@scorer(metrics=[accuracy()], default_grader="openai-api/default/g")
def judge(model=None, models=None, grader_model=None, template="{answer}"):
    async def score(_state, _target):
        return Score(value=f"{model} {models} {grader_model} {template}")

    return score


@scorer(metrics=[accuracy()])
def embeds(model="minilm"):
    """Scores by a model of another kind, which inspect does not know."""

    async def score(_state, _target):
        return Score(value=model)

    return score


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("DEFAULT", "OTHER"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)


DEFAULT, OTHER = "openai-api/default/g", "openai-api/other/g"
ROLE = "name another with --model-role grader=provider/model."


@pytest.mark.parametrize(
    ("scorers", "roles", "grader", "way_out"),
    [
        ([judge()], (), DEFAULT, ROLE),
        ([match(), judge(template="?")], ("critic",), DEFAULT, ROLE),
        ([judge(model=OTHER)], (), OTHER, "name another in model of judge."),
        ([judge(OTHER)], ("grader",), OTHER, "name another in model of judge."),  # its argument goes before the role
        ([judge(grader_model=OTHER)], (), OTHER, "name another in grader_model of judge."),
        ([judge(models=("baseline/grader", OTHER))], (), OTHER, "name another in models of judge."),
        ([judge(models=[get_model("baseline/echo"), OTHER])], (), OTHER, "name another in models of judge."),
        ([judge("baseline/grader"), judge()], (), DEFAULT, ROLE),
        ([model_graded_qa(model=OTHER)], (), OTHER, "name another in model of model_graded_qa."),
        ([model_graded_fact(model=["baseline/echo", OTHER])], (), OTHER, "name another in model of model_graded_fact."),
    ],
)
def test_a_grader_that_cannot_be_had(scorers, roles, grader, way_out):
    with pytest.raises(UsageError) as caught:
        check_graders("quiz", scorers, roles)
    assert str(caught.value).startswith(f"quiz: its grader cannot be made: {grader}: ")
    assert str(caught.value).endswith(f" Set its key, or {way_out}")


@pytest.mark.parametrize(
    ("scorers", "roles"),
    [
        ([], ()),
        ([judge()], ("grader",)),
        ([judge("baseline/grader")], ()),
        ([judge(get_model("baseline/grader"))], ()),
        ([judge(models=["baseline/grader", "baseline/echo"])], ()),
        ([judge(models=[get_model("baseline/grader")])], ()),
        ([model_graded_qa(), match()], ()),
        ([embeds("minilm-v6")], ()),
    ],
)
def test_a_grader_that_can_be_had_or_is_not_asked(scorers, roles):
    check_graders("quiz", scorers, roles)


GRADED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, Score, accuracy, scorer
from openbench.scorers.model_graded import resolve_grader
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Graded", "Graded.", "knowledge", [], __name__, "graded")


@scorer(metrics=[accuracy()], default_grader="openai-api/judge/g")
def judge(model=None):
    async def score(state, target):
        said = await resolve_grader(model, "openai-api/judge/g").generate("?")
        return Score(value=CORRECT if said.completion == "yes" else "I")

    return score


@task
def graded(grader_model: str | None = None, own_role: bool = False) -> Task:
    roles = {"grader": "baseline/constant"} if own_role else None
    return Task([Sample("?")], scorer=judge(grader_model), model_roles=roles)
"""


def test_before_the_first_request(bench, tmp_path):
    (tmp_path / "graded.py").write_text(GRADED, "utf-8")
    with ChatServer("yes") as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
        for options, name in (
            ([], "judge"),
            (["-T", "grader_model=openai-api/other/g", "--model-role", "grader=baseline/echo"], "other"),
        ):
            done = bench("eval", "graded.py", *model, *options, cwd=tmp_path)
            assert (done.code, done.out, len(server.requests)) == (2, "", 0)
            assert done.err.startswith(f"bench: graded: its grader cannot be made: openai-api/{name}/g: ")
            assert f"{name.upper()}_API_KEY" in done.err
        for asked, options in enumerate(
            (
                ["-T", "grader_model=baseline/constant"],
                ["-T", "own_role=true"],
                ["--model-role", "grader=baseline/echo"],
                ["--no-score", "--logfile", "raw.eval"],
            ),
            start=1,
        ):
            done = bench("eval", "graded.py", *model, *options, cwd=tmp_path)
            assert (done.code, len(server.requests)) == (0, asked), done.err
    done = bench("score", "raw.eval", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: graded: its grader cannot be made: openai-api/judge/g: ")
    done = bench("score", "raw.eval", "--model-role", "grader=baseline/echo", "--json", cwd=tmp_path)
    assert (done.code, done.json()[0]["score"]) == (0, 0.0), done.err
