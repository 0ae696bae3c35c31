"""CRUXEval: the answers of CodeLlama 7B that its authors publish, and their scoring code, run in the sandbox."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_COMMIT = "190faf16d175b5847b0af05d937872b1fb395942"
COMPLETIONS = (
    f"https://github.com/facebookresearch/cruxeval/blob/{_COMMIT}/samples/model_generations (the first two distinct "
    "ones of ten per problem)"
)
ORIGINAL = f"https://github.com/facebookresearch/cruxeval/blob/{_COMMIT}/evaluation/utils_general.py (evaluate_score)"

_MAX_PER_PROBLEM = 2
# The original imports numpy only for pass@k, and the sandbox lacks it.
_DRIVER = """
import sys, types

sys.modules["numpy"] = types.ModuleType("numpy")
from utils_general import evaluate_score


def verdict(task):
    return True in evaluate_score(task)
"""


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the answers. They are published without the marks and the assertion."""
    what = benchmark.rpartition("_")[2]
    (file,) = directory.rglob(f"*temp0.2_{what}/generations.json")
    (rows,) = directory.rglob("cruxeval.jsonl")
    answers = json.loads(file.read_text("utf-8"))
    for line in rows.read_text("utf-8").splitlines():
        row = json.loads(line)
        for answer in list(dict.fromkeys(answers[row["id"]]))[:_MAX_PER_PROBLEM]:
            yield {"row": row, "model": "codellama-7b", "completion": f"[ANSWER]\n{answer}\n[/ANSWER]", "text": answer}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Return the verdict of `evaluate_score` on each answer."""
    sys.path.insert(0, str(Path(__file__).parent))
    from jailed import verdicts  # noqa: PLC0415 - found in this folder

    what = benchmark.rpartition("_")[2]
    rows = [record["row"] for record in records]
    tasks = [
        ([record["text"]], (row["code"], row["input"], row["output"]), what)
        for record, row in zip(records, rows, strict=True)
    ]
    (folder,) = {path.parent for path in code.rglob("utils_general.py")}
    return verdicts(_DRIVER, tasks, folder, "utils_*.py")
