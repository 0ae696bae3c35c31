"""Tests of the tasks: their samples, the scoring of programs, and the metrics."""

import json
import math
import pickle
import shutil
from pathlib import Path

import anyio
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from inspect_ai.scorer import CORRECT, INCORRECT

import openbench_code
from openbench.datasets import Rows, bundled_rows
from openbench.errors import UsageError
from openbench.tasks.solvers import refusal
from openbench_code import cruxeval, humaneval, livecodebench, mbpp, multipl_e, scorer
from openbench_code.closeness import NUMPY, allclose
from openbench_code.metadata import BENCHMARKS
from openbench_code.scorer import limits_of, score_program
from openbench_sandbox import SandboxError

SAMPLES = Path(openbench_code.__file__).parent / "samples"
MODULES = {
    "humaneval": humaneval,
    "mbpp": mbpp,
    "cruxeval": cruxeval,
    "livecodebench": livecodebench,
    "multipl_e": multipl_e,
}
FUNCTIONS = {key: getattr(MODULES[of.module_path.rpartition(".")[2]], key) for key, of in BENCHMARKS.items()}


def built(key, **arguments):
    with bundled_rows(SAMPLES / key):
        return FUNCTIONS[key](**arguments)


@pytest.fixture
def run(tmp_path):
    def run_task(task, model, **options):
        log = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path), **options)[0]
        assert log.status == "success", log.error
        return {name: metric.value for of in log.results.scores for name, metric in of.metrics.items()}

    return run_task


def constant(answer):
    return get_model("baseline/constant", answer=answer)


def score(completion, tests="assert add(1, 2) == 3", **options):
    async def scored():
        return await score_program(completion, tests, entry_points=["add"], **options)

    return anyio.run(scored)


@pytest.mark.parametrize(
    ("program", "value", "outcome"),
    [
        ("def add(a, b):\n    return a + b", CORRECT, "passed"),
        ("def add(a, b):\n    return a - b", INCORRECT, "failed"),
        ("def add(a, b):\n    import time; time.sleep(60)", INCORRECT, "timeout"),
        ("def add(a, b):\n    return bytearray(1 << 34)", INCORRECT, "failed"),
        ("def add(a b):", INCORRECT, "failed"),
        ("import numpy\ndef add(a, b):\n    return a + b", INCORRECT, "failed"),
        ("import sys\ndef add(a, b):\n    return 0\nsys.exit(0)", INCORRECT, "failed"),
        ("import os\ndef add(a, b):\n    os._exit(0)", INCORRECT, "failed"),
        (
            "class Any:\n    def __eq__(self, other): return True\ndef add(a, b):\n    return Any()",
            INCORRECT,
            "failed",
        ),
        (
            "import builtins\nbuiltins.AssertionError = Exception\ndef add(a, b):\n    return 4\nassert True",
            INCORRECT,
            "failed",
        ),
    ],
)
def test_a_program_is_scored_by_its_tests(program, value, outcome):
    scored = score(f"```python\n{program}\n```", limits=limits_of(0.5, 256))
    assert (scored.value, scored.metadata["outcome"], scored.reason) == (value, outcome, None)
    assert scored.answer == f"{program}\n"


@pytest.mark.parametrize(("text", "reason"), [("", "no_response"), ("No.", "invalid_response_format")])
def test_an_answer_without_code_is_unanswered_and_wrong(text, reason):
    scored = score(text)
    assert (scored.value, scored.reason) == (INCORRECT, reason)


def test_a_failure_of_the_sandbox_is_unscored(monkeypatch):
    scored = score("def add(f):\n    return f()", "assert add(lambda: 3) == 3")
    assert scored.reason == "scoring_failed"
    assert "the tests pass the program a function" in scored.explanation

    async def broken(*_args, **_options):
        raise SandboxError("the jail ended: no space left")

    monkeypatch.setattr(scorer, "check", broken)
    scored = score("def add(a, b):\n    return a + b")
    assert scored.reason == "scoring_failed"
    assert scored.explanation == "Not scored: the sandbox failed: the jail ended: no space left"


def test_a_run_is_refused_if_no_sandbox_can_be_built(monkeypatch):
    task = built("humaneval")
    assert refusal(task, get_model("mockllm/model")) is None

    async def none(*_args, **_options):
        raise SandboxError("user namespaces are forbidden")

    assert scorer.without_sandbox() is None
    monkeypatch.setattr(scorer, "run", none)
    scorer.without_sandbox.cache_clear()
    try:
        assert scorer.without_sandbox().endswith("none can be built here: user namespaces are forbidden")
        assert refusal(task, get_model("mockllm/model")) == scorer.without_sandbox()
    finally:
        scorer.without_sandbox.cache_clear()


def test_several_attempts_are_reported_as_pass_at_k(run):
    answer = SAMPLES.joinpath("humaneval", "test.jsonl").read_text("utf-8")
    assert "water_level" in answer
    program = (
        "def water_level(inflow, outflow, hours, start=0):\n    return max(0.0, start + (inflow - outflow) * hours)"
    )
    metrics = run(built("humaneval", attempts=6), constant(program))
    assert {name for name in metrics if name.startswith("pass@") and "_" not in name} == {"pass@1", "pass@5", "pass@6"}
    assert metrics["accuracy"] == metrics["pass@1"] == metrics["pass@5"] == pytest.approx(1 / 3)
    once = run(built("humaneval"), constant(program))
    assert not any(name.startswith("pass@") for name in once)


def test_attempts_are_one_or_more():
    with pytest.raises(UsageError) as error:
        built("humaneval", attempts=0)
    assert str(error.value) == "humaneval: attempts=0: expected a whole number of 1 or more."


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"seconds": math.inf}, {"memory": 0}])
@pytest.mark.parametrize("key", BENCHMARKS)
def test_limits_are_above_zero(key, limits):
    with pytest.raises(UsageError, match="expected numbers above 0"):
        built(key, **limits)


@pytest.mark.parametrize("key", BENCHMARKS)
def test_the_readme_matches_the_metadata(key):
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    (line,) = [line for line in readme.splitlines() if line.startswith(f"| `{key}` |")]
    _, dataset, split, samples, pin, verified, licence = [cell.strip() for cell in line.strip("|").split("|")]
    metadata = BENCHMARKS[key]
    assert dataset.split()[0] in metadata.dataset.source
    assert (split, int(samples)) == (metadata.dataset.split or "-", metadata.samples)
    assert pin == ("sha256" if metadata.dataset.sha256 else "commit")
    rows = metadata.dataset.verified
    assert verified == (f"rows verified ({rows:,})" if rows else "schema unverified")
    assert licence == metadata.dataset.licence


@pytest.mark.parametrize(
    ("a", "b", "close"),
    [
        (1.0, 1.0 + 1e-9, True),
        (1.0, 1.1, False),
        ([1.0, (2, 3)], [1.0, [2, 3.0000001]], True),
        ([1.0], [1.0, 1.0], False),
        (math.inf, math.inf, True),
        (1.0, math.inf, False),
        (math.nan, math.nan, False),
        (1j, 1j + 1e-9, True),
    ],
)
def test_numbers_are_close_as_in_numpy(a, b, close):
    assert allclose(a, b, rtol=1e-7, atol=1e-6) is close
    with pytest.raises(TypeError):
        allclose("text", 1.0)


def test_tests_of_numbers_accept_close_values():
    tests = (
        f"{NUMPY}\nimport numpy as np\nassert np.allclose(add(0.1, 0.2), 0.3) and not isinstance(add(1, 1), np.ndarray)"
    )
    assert score("def add(a, b):\n    return a + b", tests).value == CORRECT
    assert score("def add(a, b):\n    return a - b", tests).value == INCORRECT


def test_packed_tests_are_unpacked_unchanged():
    assert scorer.unpack(scorer.pack("assert add(1, 2) == 'ü'")) == "assert add(1, 2) == 'ü'"
    assert scorer.unpack("assert add(1, 2) == 3") == "assert add(1, 2) == 3"


def test_a_setup_is_part_of_the_program(run):
    program = (
        "class Leaf:\n    def __init__(self, value):\n        self.left = self.right = None\n\n"
        "def depth(root):\n    return 0 if root is None else 1 + max(depth(root.left), depth(root.right))"
    )
    assert run(built("mbpp"), constant(program))["accuracy"] == pytest.approx(1 / 3)


def test_a_program_may_redefine_a_builtin(run):
    program = "import builtins\ndef sum(values):\n    return builtins.sum(value * value for value in values)"
    assert run(built("mbpp_sanitized"), constant(program))["accuracy"] == pytest.approx(1 / 3)
    assert run(built("mbpp_plus"), constant(f"[BEGIN]\n{program}\n[DONE]"))["accuracy"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("text", "value", "arguments"),
    [
        ("[ANSWER]assert f(1) == 17[/ANSWER]", "(17)", "(f(1))"),
        ("[ANSWER]\n```python\nassert f(1) == 17\n```\n[/ANSWER]", "(17)", "(f(1))"),
        ("[ANSWER]f(1) == 17", "(17)", "(f(1))"),
        ("[ANSWER]\nassert f(1) == 17\n[/ANSWER]\nNo:\n[ANSWER]\nassert f(2) == 18\n[/ANSWER]", "(18)", "(f(2))"),
        ("Thus:\n```python\ndef f(a):\n    return a\n\nassert f(1) == 17\n```", "(17)", "(f(1))"),
        ("Thus\nassert f('==') == '=='", "('==')", "(f('=='))"),
        ("[ANSWER]17[/ANSWER]", "(17)", None),
        ("[ANSWER]assert 17 == f(1, b=[2])[/ANSWER]", "(f(1, b=[2]))", "(f(1, b=[2]))"),
        ("[ANSWER]I do not know.[/ANSWER]", None, None),
        ("It is 17", None, None),
        ("", None, None),
    ],
)
def test_a_prediction_is_read_from_the_last_assertion(text, value, arguments):
    assert cruxeval.read_prediction(text, "output") == value
    assert cruxeval.read_prediction(text, "input") == arguments


@pytest.mark.parametrize(
    ("what", "answer", "value"),
    [
        ("output", "'ab'", CORRECT),
        ("output", "'a' + 'b'", CORRECT),
        ("output", "'ba'", INCORRECT),
        ("output", "f('a')", INCORRECT),
        ("output", "type('Any', (), {'__eq__': lambda *_: True})()", INCORRECT),
        ("input", "f('a')", CORRECT),
        ("input", "f(end='b', text='a')", CORRECT),
        ("input", "f('ab', '')", CORRECT),
        ("input", "f('b')", INCORRECT),
        ("input", "f(type('Any', (str,), {'__add__': lambda *_: 'ab'})())", INCORRECT),
    ],
)
def test_a_prediction_is_correct_if_the_assertion_holds(what, answer, value):
    row = {"code": "def f(text, end='b'):\n    return text + end", "input": "'a'", "output": "'ab'"}

    async def scored():
        return await cruxeval.score_prediction(f"[ANSWER]{answer}[/ANSWER]", what, row, limits_of(5, 256))

    assert anyio.run(scored).value == value


CONTEST = {
    "own_a": """
n = int(input())
spans = sorted(tuple(map(int, input().split())) for _ in range(n))
lit, reach = 0, -1
for left, right in spans:
    lit += max(0, right - max(left - 1, reach))
    reach = max(reach, right)
print(lit)
""",
    "own_b": """
if __name__ == "__main__":
    heights = [*map(int, sys.stdin.read().split())]
    for count, total in enumerate(accumulate(heights), 1):
        print(total / count)
    sys.exit()
""",
    "own_c": """
class Solution:
    def mirrors(self, words: List[str], least: int) -> List[int]:
        found = [i for i, word in enumerate(words) if len(word) >= least and word == word[::-1]]
        return tuple(sorted(found, key=lambda i: -len(words[i])))
""",
}


@pytest.mark.parametrize("problem", CONTEST)
def test_a_contest_program_is_correct_if_it_passes_all_tests(problem, run):
    (sample,) = [each for each in built("livecodebench").dataset if each.id == problem]
    tests = livecodebench.contest_tests(sample.metadata)

    def score_of(program, method=sample.metadata["method"]):
        async def scored():
            completion = f"```python\n{program}\n```"
            return await livecodebench.score_by_contest_tests(completion, tests, method, limits_of(0.5, 256))

        return anyio.run(scored)

    assert score_of(CONTEST[problem]).value == CORRECT
    for wrong in ("print(7)", "while True: pass", "class Solution: pass", "def mirrors(*_): return [0, 2]"):
        assert score_of(wrong).value == INCORRECT
    assert run(built("livecodebench"), constant(f"```\n{CONTEST[problem]}```"))["accuracy"] == pytest.approx(1 / 3)


def test_tests_that_are_too_large_for_a_log_are_read_from_the_rows(monkeypatch):
    (row, *_) = [
        json.loads(line) for line in (SAMPLES / "livecodebench" / "test.jsonl").read_text("utf-8").splitlines()
    ]
    tests = [{"input": "1\n0 0\n", "output": "1\n" + " " * 30_000, "testtype": "stdin"}]
    row = {**row, "private_test_cases": json.dumps(tests)}
    read = []

    def rows(source):
        read.append(source.source.rpartition("/")[2])
        return Rows("rows", [row], source)

    monkeypatch.setattr(livecodebench, "read_rows", rows)
    livecodebench._problems.cache_clear()
    try:
        (sample,) = livecodebench.livecodebench(version="v2").dataset
        assert not {"public_test_cases", "private_test_cases"} & set(sample.metadata)
        assert livecodebench.contest_tests(sample.metadata)[1:] == tests
        assert read == ["test2.jsonl", "test2.jsonl"]
    finally:
        livecodebench._problems.cache_clear()


def test_contests_are_chosen_by_date():
    def dates(**arguments):
        return [sample.metadata["date"] for sample in built("livecodebench", **arguments).dataset]

    assert dates(start="2025-02-01") == ["2025-02-20", "2025-03-15"]
    assert dates(end="2025-02-20", version="release_v6") == ["2025-01-11", "2025-02-20"]
    with pytest.raises(UsageError) as error:
        built("livecodebench", start="soon")
    assert str(error.value) == "livecodebench: start='soon': expected a date such as 2025-01-31."
    with pytest.raises(UsageError) as error:
        built("livecodebench", version="v7")
    assert str(error.value).startswith(
        "livecodebench: version='v7': expected one of v1, v2, v3, v4, v5, v6, release_v1"
    )


@pytest.mark.parametrize("protocol", range(6))
def test_only_a_pickled_string_is_read(protocol):
    for text in ("", "[]", "ü" * 70_000):
        if protocol:  # protocol 0 has another opcode for strings
            assert livecodebench.pickled_text(pickle.dumps(text, protocol)) == text
    for other in (["a"], 1, b"a", print, Path("a"), {"a": "b"}):
        with pytest.raises(ValueError, match="expected a pickled string"):
            livecodebench.pickled_text(pickle.dumps(other, protocol))
    with pytest.raises(ValueError, match="expected one pickled string, found 0"):
        livecodebench.pickled_text(b"\x80\x04.")


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("7\n", "7", True),
        (" 1 2 \n3\n\n", "1 2\n3", True),
        ("1  2", "1 2", True),
        ("1.0", "1", True),
        ("1e2 a", "100 a", False),
        ("50000000000000001", "50000000000000000", False),
        ("1\n\n2", "1\n2", False),
        ("", "1", False),
    ],
)
def test_outputs_are_compared_by_lines_and_numbers(printed, expected, same):
    assert livecodebench.same_output(printed, expected) is same


FOREIGN = [json.loads(line) for line in (SAMPLES / "multipl_e" / "test.jsonl").read_text("utf-8").splitlines()]


def foreign(completion, row):
    async def scored():
        return await multipl_e.score_foreign(completion, row, limits_of(20, 1024))

    return anyio.run(scored)


@pytest.mark.parametrize("row", FOREIGN, ids=lambda row: row["name"])
def test_a_program_in_another_language_is_correct_if_its_tests_complete(row):
    fence = {"sh": "bash", "cpp": "g++", "js": "node"}[row["language"]]
    if not shutil.which(fence):
        pytest.skip(f"{fence} is not installed")
    body = row["solution"].partition("{\n")[2]
    open_body = body.rstrip().removesuffix("}")
    right = [
        f"Sure:\n```{fence}\n{row['solution']}\n```\nDone.",
        row["solution"],
        f"```\n{body}\n```",
        open_body if row["language"] != "js" else body,
        f"{row['prompt']}{body}",
    ]
    for text in right[-1:] if fence == "g++" else right:  # compiling takes a second or two
        assert foreign(text, row).value == CORRECT, text
    ends = {"cpp": "exit(0);", "js": "process.exit(0);", "sh": "exit 0"}[row["language"]]
    wrong = [f"```{fence}\n    {ends}\n}}\n```", f"```{fence}\nnot a program(\n```", f"```\n{ends}\n```"]
    for text in wrong[:1] if fence == "g++" else wrong:
        assert foreign(text, row).value == INCORRECT, text
    assert (foreign("I cannot", row).value, foreign("", row).reason) == (INCORRECT, "no_response")


def test_language_and_source_are_checked(monkeypatch):
    if shutil.which("node"):
        assert [sample.id for sample in built("multipl_e", language="js").dataset] == ["Own_3_evens"]
    for arguments, message in {
        ("language", "cobol"): "multipl_e: language='cobol': expected one of cpp, js, sh.",
        ("source", "apps"): "multipl_e: source='apps': expected humaneval or mbpp.",
    }.items():
        with pytest.raises(UsageError) as error:
            built("multipl_e", **dict([arguments]))
        assert str(error.value) == message
    monkeypatch.setattr(multipl_e.shutil, "which", lambda _: None)
    with pytest.raises(UsageError) as error:
        built("multipl_e")
    assert str(error.value) == "multipl_e: Bash needs bash, which is not installed."
