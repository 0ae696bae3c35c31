"""MedXpertQA: recorded answers of a model that was run with the authors' code, and the authors' scoring."""

import importlib
import json
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_RUN = "https://github.com/shaafsalman/MedXpertQA/blob/a199f758a9cdd0ac7d99232a3a479f041867b4d5/eval/outputs/dev"
_FILE = "mistralai/Mistral-Small-3.2-24B-Instruct-2506/medxpertqa/zero_shot/cot/medxpertqa_text_output.jsonl"
COMPLETIONS = f"{_RUN}/{_FILE} (the answer after the reasoning)"
ORIGINAL = (
    "https://github.com/TsinghuaC3I/MedXpertQA/blob/f21247d3ccf3b14826ff2aa7fa06e1a46d64058c/eval/utils.py "
    "(answer_cleansing; the first letter is compared, as in main.py)"
)

_TRIGGER = "Therefore, among {start} through {end}, the answer is"
_ON_ITS_OWN = re.compile(r"^\*\*\([A-J]\) .*\*\*$", re.MULTILINE)


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the answers with their rows; the directory contains the repository of the run, which lists the options."""
    (file,) = directory.rglob(_FILE)
    for line in file.read_text("utf-8").splitlines():
        answer = json.loads(line)
        row = {name: answer[name] for name in ("id", "question", "medical_task", "body_system", "question_type")}
        row["options"] = {option["letter"]: option["content"] for option in answer["options"]}
        yield {
            "row": {**row, "label": answer["label"][0]},
            "model": "Mistral-Small-3.2-24B-Instruct-2506",
            "completion": answer["response"],
        }


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Score with `answer_cleansing`; its module also imports nltk, which it uses only for open questions."""
    for name, members in {"tokenize": ["word_tokenize"], "stem": ["WordNetLemmatizer"]}.items():
        module = types.ModuleType(f"nltk.{name}")
        for member in members:
            setattr(module, member, lambda *_: None)
        sys.modules.setdefault("nltk", types.ModuleType("nltk"))
        sys.modules[f"nltk.{name}"] = module
    (file,) = (path for path in code.rglob("eval/utils.py") if "answer_cleansing" in path.read_text("utf-8"))
    sys.path.insert(0, str(file.parent))
    cleansed = importlib.import_module("utils").answer_cleansing
    verdicts = []
    for record in records:
        row = {**record["row"], "label": [record["row"]["label"]]}
        named = cleansed("zero_shot", _TRIGGER, record["completion"], "medxpertqa", "text", row)
        verdicts.append(bool(named) and named[0] == record["row"]["label"])
    return verdicts


def explain(record: Mapping[str, Any], original: Any, ours: Any) -> str:
    """Return the reason why two verdicts differ, or "" if unknown."""
    if original and not ours and _ON_ITS_OWN.search(record["completion"]):
        return "the option is alone on a line, more text follows, and no phrase that ours recognises announces it"
    return ""
