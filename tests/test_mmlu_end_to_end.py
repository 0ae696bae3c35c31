"""All of MMLU from a Hub to a model server and back, with the accuracy that the scripted answers imply."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mmlu.metadata import BENCHMARKS
from openbench_testing import ChatServer, HubServer

pytestmark = pytest.mark.stress

REAL = os.environ.get("OPENBENCH_REAL_DATA")
LETTERS = "ABCD"
COMMAND = "from openbench.cli.main import main; main()"


def made_up_rows():
    """Make rows in MMLU's schema; repeated ones and all answers are among them."""
    rows = [
        {"question": f"What is {n % 50} + {n % 7}?", "subject": subject, "answer": n % 4, "choices": []}
        for n, subject in enumerate(["astronomy", "virology", "philosophy", "econometrics"] * 30)
    ]
    for row in rows:
        right = sum(map(int, row["question"][8:-1].split(" + ")))
        row["choices"] = [str(right + position - row["answer"]) for position in range(4)]
    return rows


def real_rows():
    if not REAL:
        pytest.skip("OPENBENCH_REAL_DATA names no directory with MMLU's rows")
    path = Path(REAL) / "hub" / "cais" / "mmlu" / "all" / "test.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def prompt_of(row):
    return create_dynamic_multiple_choice_prompt(row["question"], row["choices"])


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("rows_of", [made_up_rows, real_rows])
def test_the_score_is_what_the_answers_imply_to_the_sample(rows_of, tmp_path):
    rows = rows_of()
    right = {prompt_of(row): LETTERS[row["answer"]] for row in reversed(rows)}

    def answered(prompt):
        """Return the letter that is answered and the completion: six in ten right, two wrong, two without answer."""
        lot = hashlib.sha256(prompt.encode()).digest()[0] % 10
        letter = right[prompt]
        if lot < 6:
            return letter, f"Let me think.\n\nAnswer: {letter}"
        if lot < 8:
            wrong = LETTERS[(LETTERS.index(letter) + 1) % 4]
            return wrong, f"The answer is ({wrong})."
        return None, "I cannot tell."

    letters = [answered(prompt_of(row))[0] for row in rows]
    correct = sum(letter == LETTERS[row["answer"]] for letter, row in zip(letters, rows, strict=True))

    with HubServer() as hub, ChatServer(lambda request: answered(request.prompt)[1], record=False) as chat:
        pin = BENCHMARKS["mmlu"].dataset
        for split in ("test", "dev"):
            hub.add(pin.source, rows, config=pin.config, split=split, revision=pin.revision)
        command = [sys.executable, "-c", COMMAND, "eval", "mmlu", "--json", "--model", "openai-api/local/m"]
        told = subprocess.run(
            [*command, "--model-base-url", chat.base_url, "--log-dir", str(tmp_path / "logs")],
            env={**os.environ, **hub.environment(tmp_path / "hub"), "LOCAL_API_KEY": "unused"},
            capture_output=True,
            text=True,
            timeout=1100,
            check=False,
        )
    assert told.returncode == 0, told.stderr
    (run,) = json.loads(told.stdout)
    assert run["samples"] == run["completed"] == len(rows)
    assert round(run["score"] * len(rows), 6) == correct
    assert round(run["answered"] * len(rows), 6) == sum(letter is not None for letter in letters)
