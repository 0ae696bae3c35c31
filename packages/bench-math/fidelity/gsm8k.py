"""GSM8K: the example solutions of four models, and the scoring of the paper."""

import importlib
import json
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_COMMIT = "3101c7d5072418e28b9008a6636bde82a006892c"
COMPLETIONS = (
    f"https://github.com/openai/grade-school-math/blob/{_COMMIT}/grade_school_math/data/example_model_solutions.jsonl"
)
ORIGINAL = f"https://github.com/openai/grade-school-math/blob/{_COMMIT}/grade_school_math/dataset.py (is_correct)"

_MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
# The published file has `A: 18` where the models wrote, and the scoring wants, `#### 18`.
_MARK = re.compile(r"^A: ", re.MULTILINE)


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the solutions, as published; the directory is the repository's, or the file's own."""
    (file,) = directory.rglob("example_model_solutions.jsonl")
    for line in file.read_text("utf-8").splitlines():
        said = json.loads(line)
        row = {"question": said["question"], "answer": _MARK.sub("#### ", said["ground_truth"])}
        for model in _MODELS:
            yield {"row": row, "model": model, "completion": said[model]["solution"]}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Ask `is_correct`; its module also defines a dataset of torch, which is not needed here."""
    dataset = types.SimpleNamespace(Dataset=object)
    torch: Any = types.ModuleType("torch")
    torch.utils = types.SimpleNamespace(data=dataset)
    sys.modules["torch"] = torch
    (file,) = code.rglob("grade_school_math/dataset.py")
    sys.path.insert(0, str(file.parent))
    is_correct = importlib.import_module("dataset").is_correct
    return [is_correct(_MARK.sub("#### ", record["completion"]), record["row"]) for record in records]
