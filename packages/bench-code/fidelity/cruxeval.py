"""CRUXEval: answers of CodeLlama 7B that its authors publish, and their scoring, run in the sandbox."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_COMMIT = "190faf16d175b5847b0af05d937872b1fb395942"
COMPLETIONS = (
    f"https://github.com/facebookresearch/cruxeval/blob/{_COMMIT}/samples/model_generations (the first of ten of each "
    "problem, and those that differ from it)"
)
ORIGINAL = f"https://github.com/facebookresearch/cruxeval/blob/{_COMMIT}/evaluation/utils_general.py (evaluate_score)"

_MOST = 2
# numpy is imported for pass@k alone, and a sandbox has none.
_DRIVER = """
import sys, types

sys.modules["numpy"] = types.ModuleType("numpy")
from utils_general import evaluate_score


def verdict(task):
    return True in evaluate_score(task)
"""


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield answers; they are published as what stood between the marks, without the assertion around it."""
    what = benchmark.rpartition("_")[2]
    (file,) = directory.rglob(f"*temp0.2_{what}/generations.json")
    (rows,) = directory.rglob("cruxeval.jsonl")
    answers = json.loads(file.read_text("utf-8"))
    for line in rows.read_text("utf-8").splitlines():
        row = json.loads(line)
        for answer in list(dict.fromkeys(answers[row["id"]]))[:_MOST]:
            yield {"row": row, "model": "codellama-7b", "completion": f"[ANSWER]\n{answer}\n[/ANSWER]", "said": answer}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Ask `evaluate_score` about each answer on its own."""
    sys.path.insert(0, str(Path(__file__).parent))
    from jailed import verdicts  # noqa: PLC0415 - found in this folder

    what = benchmark.rpartition("_")[2]
    rows = [record["row"] for record in records]
    tasks = [
        ([record["said"]], (row["code"], row["input"], row["output"]), what)
        for record, row in zip(records, rows, strict=True)
    ]
    (folder,) = {path.parent for path in code.rglob("utils_general.py")}
    return verdicts(_DRIVER, tasks, folder, "utils_*.py")
