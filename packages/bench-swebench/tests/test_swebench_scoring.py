"""Patches, tested by a server over HTTP in repositories that git makes, and what is said where none can be tested."""

import json
import math

import anyio
import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, Target
from inspect_ai.solver import TaskState

from openbench_components.components import find_component
from openbench_swebench.scoring import (
    Prediction,
    ScoringError,
    Server,
    missing_for_docker,
    outcome_in_docker,
    outcome_of,
)

from .conftest import ScoringServer, sample_rows

NAME = "sample__kitchen-1"
PREDICTION = Prediction(NAME, "maker/model", sample_rows()[NAME]["patch"])


def outcome(server, **settings):
    async def run():
        return await Server(server.address, poll_interval_sec=0.01, **settings).outcome(PREDICTION)

    return anyio.run(run)


def scored(completion, **arguments):
    row = sample_rows()[NAME]
    state = TaskState(ModelName("maker/model"), NAME, 1, row["problem_statement"], [], metadata=row)
    state.output = ModelOutput.from_content("model", completion)
    score = find_component("scorer", "swebench_server_scorer").create(poll_interval_sec=0.01, **arguments)

    async def run():
        return await score(state, Target(""))

    return anyio.run(run)


def test_a_run_over_http(bench, scoring_server, tmp_path):
    arguments = ["-T", f"server_url={scoring_server.address}", "--json"]
    done = bench("eval", "swebench_verified", "--sample", "--baseline", "reference", *arguments, cwd=tmp_path)
    [result] = done.json()
    assert (done.code, result["score"], result["completed"]) == (0, 1.0, 3), done.err
    assert {job["instance_id"]: job["patch_diff"] for job in scoring_server.jobs} == {
        name: row["patch"] for name, row in sample_rows().items()
    }
    assert not (tmp_path / "predictions").exists()


def test_patches_that_resolve_nothing_or_cannot_be_applied_are_wrong(scoring_server):
    row, address = sample_rows()[NAME], scoring_server.address
    assert scored(row["patch"], server_url=address).value == CORRECT
    other = scored(row["patch"].replace("* 120", "* 100"), server_url=address)
    assert (other.value, other.explanation) == (INCORRECT, "The instance is unresolved.")
    assert scored(row["patch"].replace("units.py", "unites.py"), server_url=address).value == INCORRECT
    assert scoring_server.jobs[0] == {
        "instance_id": NAME,
        "patch_diff": row["patch"],
        "namespace": "swebench",
        "tag": "latest",
        "timeout_sec": 1800,
        "model_name_or_path": "maker/model",
    }


def test_an_answer_without_a_patch_is_wrong_and_asks_no_one(scoring_server):
    for completion, reason in (("No.", "invalid_response_format"), (" ", "no_response")):
        score = scored(completion, server_url=scoring_server.address)
        assert (score.value, score.reason) == (INCORRECT, reason)
    assert scoring_server.jobs == []


def test_the_address_and_the_key_come_from_the_environment(monkeypatch):
    with ScoringServer(key="secret") as server:
        monkeypatch.setenv("SWE_SERVER_URL", f"{server.address}/")
        refused = scored(PREDICTION.model_patch, predictions="")
        assert refused.explanation == (
            f'Not scored: POST {server.address}/v1/jobs: HTTP 401: {{"detail": "Unauthorized"}}.'
        )
        monkeypatch.setenv("SWE_API_KEY", "secret")
        assert scored(PREDICTION.model_patch).value == CORRECT


def test_a_passing_fault_of_the_server_costs_nothing_but_time():
    with ScoringServer(faults=[503, 502]) as server:
        assert outcome(server) == "resolved"


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ({"states": ("running", "failed")}, r"the job job_1 of .* failed: no space left"),
        ({"faults": [503] * 9}, r"GET .*/v1/jobs/job_1: HTTP 503: overloaded"),
        ({"faults": [404]}, r"GET .*/v1/jobs/job_1: HTTP 404: overloaded"),
        ({"report": {"resolved_ids": ["other"]}}, f"the report has no outcome for {NAME}"),
        ({"report": []}, r"GET .*/report: expected an object, got \[\]"),
        (
            {"report": {"error_ids": [NAME], "infra_failure_ids": [NAME], "failure_reasons": {NAME: "disk"}}},
            f"the environment of {NAME} failed: .*disk",
        ),
    ],
)
def test_what_is_the_servers_fault_is_no_outcome(server, message):
    with ScoringServer(**server) as running, pytest.raises(ScoringError, match=message):
        outcome(running)


def test_a_server_that_does_not_answer():
    with ScoringServer() as server:
        pass
    with pytest.raises(ScoringError, match=r"cannot be reached: ConnectError"):
        outcome(server)


def test_tests_that_never_end(monkeypatch):
    monkeypatch.setattr("openbench_swebench.scoring._SECONDS_BEYOND", 0)
    with ScoringServer(states=("running",)) as server, pytest.raises(ScoringError, match="is still running after 0 s"):
        outcome(server, timeout_sec=0)


def test_a_report_of_several():
    report = {"resolved_ids": ["a"], "unresolved_ids": ["b"], "error_ids": ["c"], "empty_patch_ids": None}
    assert [outcome_of(report, name) for name in "abc"] == ["resolved", "unresolved", "unresolved"]


def test_without_a_server_and_docker_predictions_are_written(bench, tmp_path):
    arguments = ["--sample", "--baseline", "reference", "--json"]
    done = bench("eval", "swebench_verified", *arguments, cwd=tmp_path, PATH="/nowhere")
    [result] = done.json()
    assert (result["completed"], result["score"]) == (3, None), done.err
    [file] = (tmp_path / "predictions").iterdir()
    assert file.name == "baseline__reference.jsonl"
    written = [json.loads(line) for line in file.read_text().splitlines()]
    assert sorted(each["instance_id"] for each in written) == sorted(sample_rows())
    assert {tuple(each) for each in written} == {("instance_id", "model_name_or_path", "model_patch")}


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    missing_for_docker.cache_clear()
    score = scored(PREDICTION.model_patch)
    missing_for_docker.cache_clear()
    assert math.isnan(score.value)
    assert score.explanation.startswith(
        "Not scored: no scoring server is configured (SWE_SERVER_URL, or -T server_url=…), and "
    )
    assert score.explanation.endswith(". The prediction is in predictions/maker__model.jsonl")


def test_a_harness_that_fails_is_no_outcome(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(ScoringError, match=r"^the harness of SWE-bench ended without a report: "):
        outcome_in_docker(sample_rows()[NAME], PREDICTION, 60)


def test_the_solver_keeps_the_patch_and_asks_with_the_files_of_the_row():
    solve = find_component("solver", "swebench_patch_solver").create

    def asked(row, **arguments):
        state = TaskState(ModelName("maker/model"), NAME, 1, "It burns.", [ChatMessageUser(content="?")], metadata=row)

        async def generate(state, **_):
            state.output = ModelOutput.from_content("model", f"Here:\n<patch>\n{PREDICTION.model_patch}</patch>")
            return state

        async def run():
            return await solve(**arguments)(state, generate)

        state = anyio.run(run)
        assert isinstance(state.output.message, ChatMessageAssistant)
        assert state.output.completion == PREDICTION.model_patch
        return state.messages[0].text

    assert asked({"text": "All of it.", "code": "x"}) == "All of it."
    prompt = asked({"repo": "a/b", "code": "f = 1", "hints_text": "Try 2.", "test_patch": "secret"})
    assert "the repository a/b, and files of it" in prompt
    assert "<issue>\nIt burns.\n</issue>\n\n<code>\nf = 1\n</code>\n" in prompt
    assert "Try 2." not in prompt
    assert "secret" not in prompt
    assert "<hints>\nTry 2.\n</hints>" in asked({"hints_text": "Try 2."}, include_hints=True)
