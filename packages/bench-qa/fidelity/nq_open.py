"""NQ-Open: the predictions of the EfficientQA competition that were rated by hand, and the evaluation of ORQA.

The questions are those of the competition's test set, in the columns of NQ-Open. Only predictions that met no reference
answer were rated, so the answers are, as the authors advise, these and the predictions that were found correct.
"""

import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

COMPLETIONS = (
    "https://github.com/google-research-datasets/natural-questions/blob/fb26a3073b1fe636c97302890a27b491d6530130/nq_open/"
    "NQ-open.efficientqa.test.1.1.jsonl (the rated predictions, and answer_and_def_correct_predictions as answers)"
)
ORIGINAL = (
    "https://github.com/google-research/language/blob/865fae65f63ef7e6b2989d4ff8b47f61750415a8/language/orqa/utils/"
    "eval_utils.py (is_correct)"
)

_RATED = ("def_correct_predictions", "poss_correct_predictions", "def_incorrect_predictions")


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the predictions; which system made one is not published."""
    (file,) = directory.rglob("NQ-open.efficientqa.test.1.1.jsonl")
    for line in file.read_text("utf-8").splitlines():
        rated = json.loads(line)
        row = {"question": rated["question"], "answer": rated["answer_and_def_correct_predictions"]}
        for name in _RATED:
            for prediction in rated[name]:
                yield {"row": row, "model": "systems of EfficientQA", "completion": prediction}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[dict[str, float]]:
    """Ask `is_correct`; its module also reads files with TensorFlow, which is not needed here."""
    for name in ("tensorflow", "tensorflow.compat", "tensorflow.compat.v1"):
        module: Any = ModuleType(name)
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    (file,) = code.rglob("orqa/utils/eval_utils.py")
    sys.path.insert(0, str(file.parent))
    utils = importlib.import_module("eval_utils")
    return [
        {"exact_match": float(utils.is_correct(record["row"]["answer"], record["completion"], is_regex=False))}
        for record in records
    ]
