"""IFBench: the sample output and the code of allenai/IFBench.

The directory of the completions is the repository's `data/`, and the directory of the original's code is its root;
NLTK's data must be in NLTK_DATA.
"""

import copy
import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

COMMIT = "db69a6f05689830b0068b8f1529ebcfd2f3b164c"
COMPLETIONS = f"https://github.com/allenai/IFBench/tree/{COMMIT}/data"
ORIGINAL = f"https://github.com/allenai/IFBench/tree/{COMMIT}"


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the published response to each prompt; prompts may differ in surrounding white space."""
    rows = {row["prompt"].strip(): row for row in _lines(directory / "IFBench_test.jsonl")}
    for response in _lines(directory / "sample_output.jsonl"):
        if row := rows.get(response["prompt"].strip()):
            yield {"row": row, "model": "unnamed", "completion": response["response"]}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[dict[str, float]]:
    """Score with the original's functions, strictly and loosely."""
    sys.path.insert(0, str(code))
    original = importlib.import_module("evaluation_lib")
    return [_verdict(original, record) for record in records]


def explain(record: Mapping[str, Any], original: object, ours: object) -> str:
    """Return the reason of a known difference."""
    verb = "words:start_verb" in record["row"]["instruction_id_list"]
    return "the original finds verbs with a trained tagger" if verb else ""


def _verdict(original: ModuleType, record: Mapping[str, Any]) -> dict[str, float]:
    row = record["row"]
    asked = original.InputExample(row["key"], row["instruction_id_list"], row["prompt"], copy.deepcopy(row["kwargs"]))
    answers = {row["prompt"]: record["completion"]}
    found = {}
    for name, score in (
        ("strict", original.test_instruction_following_strict),
        ("loose", original.test_instruction_following_loose),
    ):
        followed = score(asked, answers).follow_instruction_list
        found[f"prompt_level_{name}"] = float(all(followed))
        found[f"inst_level_{name}"] = sum(followed) / len(followed)
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
