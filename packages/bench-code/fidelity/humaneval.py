"""HumanEval: completions of eight models, recorded in its format, and its scoring code, run in the sandbox."""

import gzip
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

COMPLETIONS = (
    "https://github.com/my-other-github-account/llm-humaneval-benchmarks/tree/"
    "da43bc4c8f529c043123925adf6e51bd2483e6dd/jsonl_examples (eight of its files)"
)
ORIGINAL = (
    "https://github.com/openai/human-eval/blob/6d43fb980f9fee3c892a914eda09951f772ad10d/human_eval/execution.py "
    "(check_correctness, with its limit of 3 seconds)"
)
_MODELS = {
    "gpt-4": "gpt4_final_500c_long",
    "gpt-3.5": "gpt3_final_500c_long",
    "claude": "Claude_custom",
    "bard": "Bard_custom",
    "starcoder-gpteacher": "GeorgiaTechResearchInstitute_starcoder-gpteacher-code-instruct_ALPACA_INPUT_MARKDOWN",
    "wizardlm-30b": "TheBloke_WizardLM-30B-GPTQ_VICUNA_MARKDOWN",
    "starcoderplus": "TheBloke_starcoderplus-GPTQ_SHORT_STARPLUS_7",
    "falcon-7b-instruct": "TheBloke_falcon-7b-instruct-GPTQ_FALCON_",
}
_DRIVER = """
from execution import check_correctness


def verdict(task):
    problem, completion = task
    return check_correctness(problem, completion, 3.0)["passed"]
"""


def recorded(benchmark: str, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the completions. The directory also contains HumanEval's own repository, with its rows."""
    (file,) = directory.rglob("HumanEval.jsonl.gz")
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    rows = {row["task_id"]: row for row in map(json.loads, lines)}
    for model, name in _MODELS.items():
        (samples,) = directory.rglob(f"{name}.jsonl")
        for line in samples.read_text("utf-8").split("\n"):
            if line.strip():
                sample = json.loads(line)
                yield {"row": rows[sample["task_id"]], "model": model, "completion": sample["completion"]}


def original(benchmark: str, records: Sequence[Mapping[str, Any]], code: Path) -> list[bool]:
    """Return the verdicts of `check_correctness`, which runs prompt, completion and tests as one program."""
    sys.path.insert(0, str(Path(__file__).parent))
    from jailed import verdicts  # noqa: PLC0415 - found in this folder

    (file,) = code.rglob("human_eval/execution.py")
    return verdicts(_DRIVER, [(record["row"], record["completion"]) for record in records], file.parent, file.name)


def explain(record: Mapping[str, Any], original: object, ours: object) -> str:
    """Return why two verdicts differ: the original takes the whole completion, and stops it after 3 seconds."""
    if original or not ours:
        return ""
    try:
        compile(record["row"]["prompt"] + record["completion"], "<completion>", "exec")
    except SyntaxError:
        return "truncated: ours reads the part that is valid Python, and for the original the whole is a syntax error"
    return "correct, but takes longer than the original's 3 seconds" if record["row"]["task_id"] in _SLOW else ""


_SLOW = {"HumanEval/129"}  # its solutions may try all paths through a grid
