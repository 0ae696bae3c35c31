"""Shared fixtures: a Hub with a few rows in the schemas of the harnesses' datasets, and `bench` that reads from it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openbench_testing.commands import Done
from openbench_testing.hub import HubServer

CONSTRAINTS = Path(__file__).parents[3] / "constraints.txt"

# The commit that inspect_evals pins.
GSM8K = "cc7b047b6e5bb11b4f1af84efc572db110a51b3c"


def pens(have: int, more: int) -> dict[str, str]:
    """Return a row in the schema of GSM8K."""
    total = have + more
    question = f"Ann has {have} pens and buys {more} more. How many pens has she?"
    return {"question": question, "answer": f"{have}+{more}=<<{have}+{more}={total}>>{total}\n#### {total}"}


def sums(number: int) -> dict[str, object]:
    """Return a row in the schema of ARC; the right option is neither always the first nor the shortest."""
    texts = [f"{number}", f"{2 * number + 1} or so", f"{2 * number}"]
    first = number % 3
    return {
        "id": f"q{number}",
        "question": f"What is {number} plus {number}?",
        "choices": {"text": texts[first:] + texts[:first], "label": ["A", "B", "C"]},
        "answerKey": "ABC"[2 - first],
    }


def cups(number: int) -> dict[str, str]:
    """Return a row in the schema of WinoGrande."""
    sentence = f"The cup did not fit into the bag {number} times since the _ was too large."
    return {"sentence": sentence, "option1": "cup", "option2": "old bag", "answer": "21"[number % 2]}


@pytest.fixture(scope="session")
def variables(tmp_path_factory):
    """Return the environment variables of all commands: a Hub with generated rows, and one cache of environments."""
    with HubServer() as hub:
        for split in ("train", "validation", "test"):
            hub.add(
                "openai/gsm8k",
                [pens(n, len(split) + n % 3) for n in range(20)],
                split=split,
                config="main",
                revision=GSM8K,
            )
            hub.add("allenai/ai2_arc", [sums(n) for n in range(2, 10)], split=split, config="ARC-Easy")
            hub.add("allenai/winogrande", [cups(n) for n in range(6)], split=split, config="winogrande_xl")
            pages = [{"page": f" = Tea = \n Tea , number {n} , is a drink .\n"} for n in range(4)]
            hub.add("EleutherAI/wikitext_document_level", pages, split=split, config="wikitext-2-raw-v1")
        cache = tmp_path_factory.mktemp("cache")
        steering = ("BENCH_", "INSPECT_", "OPENBENCH_", "PYTEST_", "PYTHONDONTWRITEBYTECODE", "UV_CONSTRAINT")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
        own = {"OPENBENCH_ENVIRONMENTS": str(cache / "environments"), "UV_CONSTRAINT": str(CONSTRAINTS)}
        yield {**kept, **hub.environment(cache), **own, "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture
def bench(variables, tmp_path):
    """Run `bench` as from a shell, in an empty folder."""

    def run(*arguments: object, seconds: int = 500) -> Done:
        command = [str(Path(sys.executable).with_name("bench")), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=seconds, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run
