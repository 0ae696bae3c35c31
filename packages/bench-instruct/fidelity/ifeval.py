"""IFEval: GPT-4's responses, and the code of google-research.

The directory of the completions is the original's `data/`. The directory of the original's code is the parent of
`instruction_following_eval/`; NLTK's data must be in NLTK_DATA. Its language detection is seeded.
"""

import copy
import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

COMMIT = "26d8ccdab6fec61b5c83ad6327ea8bda9e580288"
PUBLISHED = f"https://github.com/google-research/google-research/tree/{COMMIT}/instruction_following_eval"
COMPLETIONS = f"{PUBLISHED}/data"
ORIGINAL = PUBLISHED


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield GPT-4's response of November 2023 to each prompt."""
    rows = {row["prompt"]: row for row in _lines(directory / "input_data.jsonl")}
    for response in _lines(directory / "input_response_data_gpt4_20231107_145030.jsonl"):
        if row := rows.get(response["prompt"]):
            yield {"row": row, "model": "gpt-4 (2023-11-07)", "completion": response["response"]}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[dict[str, float]]:
    """Score with the original's functions, strictly and loosely."""
    sys.path.insert(0, str(code))
    importlib.import_module("langdetect").DetectorFactory.seed = 0
    original = importlib.import_module("instruction_following_eval.evaluation_main")
    return [_verdict(original, record) for record in records]


def explain(record: Mapping[str, Any], original: object, ours: object) -> str:
    """Return the reason of a known difference."""
    drawn = any(not given.get("letter", "a").isalpha() for given in record["row"]["kwargs"])
    return "the original draws a random letter for a character that is not a letter" if drawn else ""


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
