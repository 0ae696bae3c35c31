"""HumanEval+: completions of two models, and the tests that EvalPlus publishes, run in the sandbox with numpy."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

COMPLETIONS = (
    "https://github.com/my-other-github-account/llm-humaneval-benchmarks/tree/"
    "da43bc4c8f529c043123925adf6e51bd2483e6dd/jsonl_examples (two of its files)"
)
ORIGINAL = (
    "https://github.com/evalplus/humanevalplus_release/blob/200defce9e3429d28ca215b6dd061c0f7f31c18b/"
    "HumanEvalPlus-OriginFmt.jsonl.gz (its tests, run with the completion as one program, within 30 CPU seconds)"
)
_MODELS = {"gpt-4": "gpt4_final_500c_long", "claude": "Claude_custom"}
_DRIVER = """
import contextlib, io, signal


def verdict(task):
    row, completion = task
    program = row["prompt"] + completion + "\\n" + row["test"] + f"\\ncheck({row['entry_point']})"
    signal.setitimer(signal.ITIMER_VIRTUAL, 30)  # seconds of CPU time; the handler ends the program with an exception
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(program, {})
    except BaseException:
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return True


def late(*_):
    raise TimeoutError


signal.signal(signal.SIGVTALRM, late)
"""


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the completions. The directory also contains the rows, decompressed."""
    (file,) = directory.rglob("HumanEvalPlus-OriginFmt.jsonl")
    rows = {row["task_id"]: row for row in map(json.loads, file.read_text("utf-8").split("\n")[:-1])}
    for model, name in _MODELS.items():
        (samples,) = directory.rglob(f"{name}.jsonl")
        for line in samples.read_text("utf-8").split("\n"):
            if line.strip():
                sample = json.loads(line)
                yield {"row": rows[sample["task_id"]], "model": model, "completion": sample["completion"]}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Run the prompt, the completion and the tests as one program, with the numpy of this interpreter."""
    sys.path.insert(0, str(Path(__file__).parent))
    import numpy as np  # noqa: PLC0415 - not needed to read the completions
    from jailed import verdicts  # noqa: PLC0415 - found in this folder

    packages = str(Path(np.__file__).parents[1])
    tasks = [(record["row"], record["completion"]) for record in records]
    return verdicts(_DRIVER, tasks, code, "nothing", packages)


def explain(record: Mapping[str, Any], original: object, ours: object) -> str:
    """Return why two verdicts differ."""
    if record["row"]["task_id"] == "HumanEval/32":
        return "the published tests of find_zero confuse the zero with the polynomial, and ours correct them"
    if original and record["row"]["task_id"] == "HumanEval/6":  # one of its tests passes an empty string
        return (
            "numpy broadcasts a list of one item to an empty one and finds them close; for EvalPlus's command and ours "
            "they differ"
        )
    return ""
