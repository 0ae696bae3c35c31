"""BIG-Bench Hard: the completions of Codex that the authors published, and the authors' verdicts.

The scoring code is not published, but the accuracy of each of the 54 runs is. The rule here reproduces all of them.
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
    """Yield the published completions, two for each row; the directory contains the repository, at any depth."""
    root = next(directory.rglob("code-davinci-002-outputs")).parent
    for file in sorted((root / "bbh").glob("*.json")):
        rows = json.loads(file.read_text("utf-8"))["examples"]
        for kind in _KINDS:
            outputs = _read(root, kind, file.stem, ".json")["outputs"]
            for row, output in zip(rows, outputs, strict=True):
                record = {"row": {**row, "task": file.stem}, "completion": output["prediction"]}
                yield {**record, "model": f"code-davinci-002, {kind}"}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Compare answers with targets, and check that each run has its published accuracy.

    Raises:
        ValueError: The accuracy of a run differs from the published one.
    """
    root = next(code.rglob("code-davinci-002-outputs")).parent
    verdicts = [_answer(record["completion"]) == record["row"]["target"] for record in records]
    runs: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for record, verdict in zip(records, verdicts, strict=True):
        runs[record["model"].split()[-1], record["row"]["task"]].append(verdict)
    for (kind, task), results in runs.items():
        ours = 100 * sum(results) / len(results)
        published = _read(root, kind, task, "_eval_metrics.jsonl")["accuracy"]
        if not math.isclose(ours, published):
            raise ValueError(f"{task}, {kind}: the accuracy is {ours}, but the published one is {published}")
    return verdicts


def _answer(completion: str) -> str:
    return completion.strip().split("the answer is ")[-1].removesuffix(".").strip()


def _read(root: Path, kind: str, task: str, end: str) -> Any:
    return json.loads((root / _FILE.format(kind=kind, task=task, end=end)).read_text("utf-8"))
