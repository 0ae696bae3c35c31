"""SQuAD 2.0: the predictions that its authors publish for three models, and their evaluation script.

The directory holds `models/v2.0` of the authors' repository, and `dev-v2.0.json` or a part of it. A prediction is the
words of a span, or nothing, which to the script says that there is no answer; here, that is said in a word.
"""

import json
import runpy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_REPOSITORY = "https://github.com/rajpurkar/SQuAD-explorer/tree/eee5fdbf62f8613a7812b03419e6b29617b74fd1"
COMPLETIONS = (
    f"{_REPOSITORY}/models/v2.0, for the questions about Normans and Rhine of "
    "https://github.com/appcoreopc/squad2controlled/blob/d3ba91615be4eaa0707d2789b2ae627bed94e69c/dev-v2.0.json"
)
ORIGINAL = f"{_REPOSITORY}/evaluate-v2.0.py (compute_exact and compute_f1)"

NO_ANSWER = "unanswerable"


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield each model's prediction for each question."""
    (data,) = directory.rglob("dev-v2.0.json")
    rows = [
        {"id": asked["id"], "title": article["title"], "context": paragraph["context"], "question": asked["question"]}
        | {"answers": {name: [each[name] for each in asked["answers"]] for name in ("text", "answer_start")}}
        for article in json.loads(data.read_text("utf-8"))["data"]
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"]
    ]
    for file in sorted((directory / "models/v2.0").glob("*.json")):
        predictions = json.loads(file.read_text("utf-8"))
        for row in rows:
            yield {"row": row, "model": file.stem, "completion": predictions[row["id"]] or NO_ANSWER}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[dict[str, float]]:
    """Take the best of the answers, as the script does."""
    (file,) = code.rglob("evaluate-v2.0.py")
    script = runpy.run_path(str(file))
    verdicts = []
    for record in records:
        golds = [text for text in record["row"]["answers"]["text"] if script["normalize_answer"](text)] or [""]
        said = "" if record["completion"] == NO_ANSWER else record["completion"]
        verdicts.append(
            {
                "f1": float(max(script["compute_f1"](gold, said) for gold in golds)),
                "exact_match": float(max(script["compute_exact"](gold, said) for gold in golds)),
            }
        )
    return verdicts
