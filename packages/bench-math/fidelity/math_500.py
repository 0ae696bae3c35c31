"""MATH-500: completions on problems of MATH that Qwen published, and the grading of MATH-500's authors (PRM800K).

The grading needs sympy and pylatexenc.
"""

import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

COMPLETIONS = (
    "https://github.com/QwenLM/Qwen2.5-Math/blob/a45202bd16f1ec06f433442dc1152d0074773465/evaluation/data/"
    "eval_rm_maj_example/math_cot_100.jsonl (problems of MATH, whose test set MATH-500 is drawn from)"
)
ORIGINAL = (
    "https://github.com/openai/prm800k/blob/7ecc794703b2877f63226f2477a49b34f9b25163/prm800k/grading/grader.py"
    " (grade_answer, on the last box)"
)


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield eight completions of each of a hundred problems."""
    (file,) = directory.rglob("math_cot_100.jsonl")
    for line in filter(None, file.read_text("utf-8").splitlines()):
        said = json.loads(line)
        row = {
            "problem": said["question"],
            "solution": said["gt_cot"],
            "answer": _last_box(said["gt_cot"]),
            "subject": "unknown",
            "level": int(said["level"].rpartition(" ")[2]),
            "unique_id": f"math_cot_100/{said['idx']}",
        }
        for completion in said["code"]:
            yield {"row": row, "model": "Qwen2.5-Math's example", "completion": completion}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Grade the last box, as PRM800K does what a model gives as its answer."""
    (file,) = code.rglob("grading/grader.py")
    sys.path.insert(0, str(file.parent.parent))
    grade = importlib.import_module("grading.grader").grade_answer
    return [bool(grade(_last_box(record["completion"]), record["row"]["answer"])) for record in records]


def _last_box(text: str) -> str | None:
    start = text.rfind("\\boxed{") + len("\\boxed{")
    depth = 1
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    return None
