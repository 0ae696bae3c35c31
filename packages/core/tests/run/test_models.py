"""Models and graders are made before the first request; errors say which they are about, and what to do."""

import socket

import pytest

from openbench.errors import OpenbenchError, UsageError
from openbench.run.models import make_model, unknown_provider
from openbench.run.plan import ModelSpec
from openbench_testing import ChatServer, Fault

CODE = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, scorer
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("code", "Code.", "private", [], __name__, "code")


def looked_up(text):
    return {}[text]


@scorer(metrics=[accuracy()])
def judge(fails):
    async def score(state, target):
        if fails:
            looked_up("boom")
        graded = await get_model(role="grader", default="baseline/constant").generate("Well?")
        return Score(value=graded.completion == "yes")

    return score


@task
def code(fails: bool = False) -> Task:
    return Task([Sample("?", id=1)], scorer=judge(fails))
"""
LOOKED_UP = 1 + CODE.splitlines().index("    return {}[text]")


@pytest.fixture
def code(tmp_path):
    (tmp_path / "code.py").write_text(CODE, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "address", "message"),
    [
        ("opnai/gpt-4.1", None, r"^opnai/gpt-4.1: the provider 'opnai' is unknown. Did you mean openai\? Models are"),
        ("openai-api/local/m", "localhost:8000/v1", "the address localhost:8000/v1 needs http:// or https:// before"),
        ("openai-api/nokey/m", "http://localhost:8000", "No NOKEY_API_KEY defined"),
    ],
)
def test_a_model_that_cannot_be_made(monkeypatch, name, address, message):
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    with pytest.raises(UsageError, match=message):
        make_model(ModelSpec(name=name, base_url=address))


def test_a_provider_that_another_package_brings():
    assert unknown_provider("nebius").endswith("comes with openbench-providers: pip install openbench-providers")


def test_an_address_of_the_environment_where_nothing_listens(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    monkeypatch.setenv("LOCAL_BASE_URL", address)
    with pytest.raises(OpenbenchError, match=rf"^openai-api/local/m: {address} cannot be reached: "):
        make_model(ModelSpec(name="openai-api/local/m"))


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_a_key_that_the_server_refuses(bench, code, engine):
    with ChatServer(api_key="right") as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--engine", engine]
        done = bench("eval", "code.py", *model, cwd=code)
    assert "bench: code: sample 1: the server refused the key of LOCAL_API_KEY (401): Error code: 401" in done.err


def test_an_address_holds_for_roles_of_the_same_provider(bench, code):
    with ChatServer("yes") as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
        done = bench("eval", "code.py", *model, "--model-role", "grader=openai-api/local/g", cwd=code)
        assert [request.model for request in server.requests] == ["m", "g"]
        assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err
        roles = ["--model-role", "candidate=openai-api/local/c", "--model-role", "grader=openai-api/local/g"]
        assert bench("eval", "code.py", *model[2:], *roles, cwd=code).code == 0
        assert [request.model for request in server.requests] == ["m", "g", "c", "g"]
        done = bench("eval", "code.py", *model, "--model-role", "grader=openai-api/another/g", cwd=code)
        assert (done.code, "No ANOTHER_API_KEY defined" in done.err) == (2, True)


@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_an_exception_of_a_scorer_shows_its_line(bench, code, engine):
    done = bench("eval", "code.py", "--baseline", "constant", "-T", "fails=true", "--engine", engine, cwd=code)
    assert f"bench: code: sample 1: KeyError: 'boom' (code.py, line {LOOKED_UP})\n" in done.err


def test_debug_errors_shows_the_whole_traceback(bench, code):
    done = bench("eval", "code.py", "--baseline", "constant", "-T", "fails=true", "--debug-errors", cwd=code)
    assert f'code.py", line {LOOKED_UP}, in looked_up\n    return {{}}[text]\n' in done.err
    assert "bench: code on baseline/constant: could not run: KeyError: 'boom'" in done.err


def test_messages_of_a_run_of_several_models_name_them(bench, code):
    with ChatServer("yes", faults=lambda request, _: Fault.status(400) if request.model == "n" else None) as server:
        models = ["--model", "openai-api/local/m", "--model", "openai-api/local/n", "--model-base-url", server.base_url]
        done = bench("eval", "code.py", *models, "--no-fail-on-error", cwd=code)
    assert "bench: code, openai-api/local/n: 1 of 1 samples ended in an error" in done.err
    assert "bench: code, openai-api/local/m: " not in done.err


GRADED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, Score, accuracy, scorer
from openbench_scorers.model_graded import resolve_grader
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
