"""MATH: completions that Qwen published with its evaluation code, and the comparison of the paper."""

import importlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

COMPLETIONS = (
    "https://github.com/QwenLM/Qwen2.5-Math/blob/a45202bd16f1ec06f433442dc1152d0074773465/evaluation/data/"
    "eval_rm_maj_example/math_cot_100.jsonl"
)
ORIGINAL = (
    "https://github.com/hendrycks/math/blob/985bdc1696e88e8643f081a0ff4719da39f2ae2a/modeling/"
    " (is_equiv of math_equivalence.py, on the last box by last_boxed_only_string of dataset/util.py)"
)

# Thousands separators, spaces, and what marks a text.
_LOOKS = re.compile(r"\\[!,]|\{,\}|,|\s|\\text|[{}]")


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield eight completions of each of a hundred problems; the file does not name their subjects."""
    (file,) = directory.rglob("math_cot_100.jsonl")
    for line in filter(None, file.read_text("utf-8").splitlines()):
        said = json.loads(line)
        row = {"problem": said["question"], "level": said["level"], "solution": said["gt_cot"], "subject": "unknown"}
        for completion in said["code"]:
            yield {"row": row, "model": "Qwen2.5-Math's example", "completion": completion}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Compare the last boxes."""
    (file,) = code.rglob("math_equivalence.py")
    sys.path[:0] = [str(file.parent), str(file.parent / "dataset")]
    is_equiv = importlib.import_module("math_equivalence").is_equiv
    last_boxed = importlib.import_module("util").last_boxed_only_string
    return [
        is_equiv(_opened(last_boxed(record["completion"])), _opened(last_boxed(record["row"]["solution"])))
        for record in records
    ]


def _opened(box: str | None) -> str | None:
    return box[box.index("{") + 1 : -1] if box else None


def explain(record: Mapping[str, Any], original: object, ours: object) -> str:
    r"""Say why two verdicts differ: to the original, `900,\!000` is not 900000, nor `4 \text{ pm}` `\text{4 pm}`."""
    boxes = [re.findall(r"\\boxed\{(.*)\}", text) for text in (record["completion"], record["row"]["solution"])]
    answer, target = (_LOOKS.sub("", box[-1]) if box else "" for box in boxes)
    return "the formulas differ in looks alone, in thousands separators or in what is set as text" * (answer == target)
