"""GSM-Plus: completions of GPT-4 and GPT-3.5 that its authors published, and their scoring.

Those to the seed questions, which are GSM8K's, are the published ones. The scoring needs sympy, antlr4-python3-runtime
4.11, numpy, tqdm and func_timeout.
"""

import fractions
import importlib
import json
import os
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_TREE = "https://github.com/qtli/GSM-Plus/tree/3474129ec12fcd3e8ac08cb037aca1928efca98c"
COMPLETIONS = f"{_TREE}/results/gsm8k_results (gpt4.json, gpt-3.5-turbo.json: answers to the seed questions)"
ORIGINAL = f"{_TREE}/scripts/utils/extract_ans.py (test_answer, prompt_type='cot')"


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the completions as published; the directory holds copies of the files, at any depth."""
    for model in ("gpt4", "gpt-3.5-turbo"):
        (file,) = directory.rglob(f"gsm8k_results/{model}.json")
        for said in json.loads(file.read_text("utf-8")):
            if said["gold"] == "None":
                continue
            question = said["question"]
            row = {"question": question, "answer": said["gold"], "perturbation_type": "seed", "seed_question": question}
            yield {"row": row, "model": model, "completion": said["model_prediction"]}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Ask `test_answer`; its module also asks models, which is not needed here."""
    (file,) = code.rglob("scripts/utils/extract_ans.py")
    root = file.parents[2]
    os.chdir(root)
    sys.path.insert(0, str(root))
    fraction: Any = types.ModuleType("fraction")
    fraction.Fraction = fractions.Fraction
    sys.modules |= {"openai": types.ModuleType("openai"), "fraction": fraction}
    scoring = importlib.import_module("scripts.utils.extract_ans")
    return [
        bool(scoring.test_answer(record["completion"], record["row"]["answer"], prompt_type="cot")[0])
        for record in records
    ]


def explain(record: Mapping[str, Any], original: object, ours: object) -> str:
    """Say why two verdicts differ."""
    completion = record["completion"]
    if completion.rpartition("####")[2].strip(" .").replace(" ", "") == record["row"]["answer"]:
        return "spaces separate thousands, which the original does not know"
    if completion.count("####") > 1:
        return "the last #### stands in the middle of a line, and the original reads the line's first number"
    return ""
