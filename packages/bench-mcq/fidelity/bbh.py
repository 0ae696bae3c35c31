"""BIG-Bench Hard: Codex's completions that its authors published, and their verdicts.

The scoring code is not published. The accuracy of each of the 54 runs is, and the rule here gives every one of them.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_TREE = "https://github.com/suzgunmirac/BIG-Bench-Hard/tree/9ee07bd481feebf959a6b59d61ea57bdcf30964d"
COMPLETIONS = f"{_TREE}/code-davinci-002-outputs (27 tasks, with and without reasoning; rows of bbh/)"
ORIGINAL = f"{_TREE}/code-davinci-002-outputs (*_eval_metrics.jsonl: exact match after `the answer is `)"

_KINDS = ("cot", "direct")
_FILE = "code-davinci-002-outputs/code-davinci-002-{kind}/{task}_few_shot_template_0-255000{end}"


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the completions as published, two of each row; the directory holds the repository, at any depth."""
    root = next(directory.rglob("code-davinci-002-outputs")).parent
    for file in sorted((root / "bbh").glob("*.json")):
        rows = json.loads(file.read_text("utf-8"))["examples"]
        for kind in _KINDS:
            outputs = _read(root, kind, file.stem, ".json")["outputs"]
            for row, output in zip(rows, outputs, strict=True):
                said = {"row": {**row, "task": file.stem}, "completion": output["prediction"]}
                yield {**said, "model": f"code-davinci-002, {kind}"}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Compare texts, and check that each run's accuracy is the published one.

    Raises:
        ValueError: It is not.
    """
    root = next(code.rglob("code-davinci-002-outputs")).parent
    verdicts = [_answer(record["completion"]) == record["row"]["target"] for record in records]
    runs: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for record, verdict in zip(records, verdicts, strict=True):
        runs[record["model"].split()[-1], record["row"]["task"]].append(verdict)
    for (kind, task), of_run in runs.items():
        ours = 100 * sum(of_run) / len(of_run)
        published = _read(root, kind, task, "_eval_metrics.jsonl")["accuracy"]
        if not math.isclose(ours, published):
            raise ValueError(f"{task}, {kind}: the accuracy is {ours}, the published one {published}")
    return verdicts


def _answer(completion: str) -> str:
    return completion.strip().split("the answer is ")[-1].removesuffix(".").strip()


def _read(root: Path, kind: str, task: str, end: str) -> Any:
    return json.loads((root / _FILE.format(kind=kind, task=task, end=end)).read_text("utf-8"))
