"""Scores patches with the tests of their repositories."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyio import to_thread
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.means import by_group
from openbench_swebench.patches import read_patch
from openbench_swebench.scoring import (
    Outcome,
    Prediction,
    ScoringError,
    Server,
    append_prediction,
    missing_for_docker,
    outcome_in_docker,
)


@scorer(metrics=[accuracy(), stderr(), by_group("repo")])
def swebench_server_scorer(
    server_url: str | None = None,
    timeout_sec: int = 1800,
    poll_interval_sec: float = 2.0,
    namespace: str = "swebench",
    tag: str = "latest",
    predictions: str = "predictions",
) -> Scorer:
    """Score whether a patch resolves its instance: 1 or 0, higher is better.

    A scoring server tests it, or else SWE-bench's harness in Docker, if both are installed. If neither is available, or
    if it fails, the sample is unscored, and its prediction is appended to a file in SWE-bench's format. An answer
    without a diff is wrong. The environment variable SWE_API_KEY, if set, is sent to the server as its key.

    Args:
        server_url: The server's address; by default the environment variable SWE_SERVER_URL.
        timeout_sec: The time limit for the tests of a patch.
        poll_interval_sec: The interval between status requests of a job.
        namespace: The namespace of the server's images.
        tag: The tag of the images.
        predictions: The folder for unscored predictions, one file for each model; none if empty.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        patch = read_patch(state.output.completion)
        if patch is None:
            reason = unanswered(state.output.completion)
            return Score(value=INCORRECT, reason=reason, explanation="The answer contains no valid unified diff.")
        row = {"instance_id": str(state.sample_id), **state.metadata}
        prediction = Prediction(row["instance_id"], str(state.model), patch)
        url = server_url or os.environ.get("SWE_SERVER_URL")
        server = Server(url, timeout_sec, poll_interval_sec, namespace, tag) if url else None
        try:
            outcome = await _outcome(server, row, prediction, timeout_sec)
        except ScoringError as error:
            written = _written(predictions, prediction)
            return unscored(f"{error}.{written}", patch)
        right = outcome == "resolved"
        return Score(value=CORRECT if right else INCORRECT, answer=patch, explanation=f"The instance is {outcome}.")

    return score


async def _outcome(server: Server | None, row: Mapping[str, Any], prediction: Prediction, timeout_sec: int) -> Outcome:
    if server:
        return await server.outcome(prediction)
    if missing := await to_thread.run_sync(missing_for_docker):
        raise ScoringError(f"no scoring server is configured (SWE_SERVER_URL, or -T server_url=…), and {missing}")
    return await to_thread.run_sync(outcome_in_docker, row, prediction, timeout_sec)


def _written(folder: str, prediction: Prediction) -> str:
    if not folder:
        return ""
    file = Path(folder) / f"{prediction.model_name_or_path.replace('/', '__')}.jsonl"
    append_prediction(file, prediction)
    return f" The prediction is in {file}"
