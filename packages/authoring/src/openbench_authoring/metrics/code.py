"""Metrics that run model-written code in the task's sandbox: `bench eval --sandbox`, by default `docker`."""

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, stderr
from inspect_ai.util import sandbox

from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered, unscored
from openbench_authoring.contexts import BaseMetricContext, extract_context_metric
from openbench_authoring.metrics.base import SandboxMetric
from openbench_authoring.responses import Completion
from openbench_authoring.samples import Sample

SECONDS = 60
"""How long code may run."""


class ExecutionResult(NamedTuple):
    """Whether tests passed, and their output."""

    success: bool
    output: str


class CodeExecutionPassAtOneContext(BaseMetricContext):
    """The tests of a sample's code.

    Attributes:
        run_env: The image that the tests are made for. It is only recorded; the task's sandbox decides.
        code_prompt: The beginning of the code, given to the model.
        test_code: The tests.
        benchmark_timeout: Their timeout in seconds.
        package_downloads: The distribution of each package that code may import.
        snippet_merge_fn: The function that merges code and tests into one program, as encoded by
            `CallableSerializer.encode`.
        output_parse_fn: The function that parses the program's output, encoded in the same way.
    """

    run_env: str
    code_prompt: str
    test_code: str
    benchmark_timeout: int = SECONDS
    package_downloads: dict[str, str | None]
    snippet_merge_fn: str
    output_parse_fn: str


class CodeCompletionAssertion(SandboxMetric):
    """Whether the completion, a Python program, prints True as its last word: 1 or 0, higher is better."""

    NAME = "Code Completion Accuracy"
    FIGURES = (accuracy(), stderr())

    async def run(self, response: Completion) -> Score:
        """Run the program."""
        output = await _printed(response.completion, SECONDS)
        return _score(response, success=output.split()[-1:] == ["True"], output=output)


class CodeExecutionPassAtOne(SandboxMetric):
    """Whether the completion passes the tests of its `CodeExecutionPassAtOneContext`: 1 or 0, higher is better.

    Packages that the program imports are installed in the sandbox first.
    """

    NAME = "code-execution-pass@1"
    FIGURES = (accuracy(), stderr())

    async def run(self, response: Completion) -> Score:
        """Run the tests."""
        context = extract_context_metric(response, CodeExecutionPassAtOneContext)
        program = CallableSerializer.decode(context.snippet_merge_fn)(response.completion, context.test_code)
        wanted = {context.package_downloads.get(name) for name in _imported(program)} - {None}
        if wanted:
            installed = await sandbox().exec(["pip", "install", "--quiet", *sorted(map(str, wanted))], timeout=SECONDS)
            if not installed.success:
                return unscored(f"pip install {' '.join(sorted(map(str, wanted)))} failed: {installed.stderr[-300:]}")
        parsed = CallableSerializer.decode(context.output_parse_fn)
        result = parsed(await _printed(program, context.benchmark_timeout))
        return _score(response, success=result.success, output=result.output)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context."""
        extract_context_metric(sample, CodeExecutionPassAtOneContext)


def run_python_code(code: str, **options: Any) -> str:  # noqa: ARG001 - as classes call it
    """Refuse to run code outside a metric, which would be without a sandbox.

    Raises:
        UsageError: Always; if a hook calls it, the sample is unscored.
    """
    raise UsageError("run_python_code: hooks cannot run code. Use a metric that does, such as CodeCompletionAssertion.")


def unittest_merge_snippets(code: str, test_code: str) -> str:
    """Return one program with code and its unit tests, which it runs."""
    runs = "" if "unittest.main(" in test_code else "\n\nif __name__ == '__main__':\n    unittest.main()"
    return f"{code}\n\n{test_code}{runs}"


def _parse_unittest_output(output: str) -> ExecutionResult:
    """Read what unit tests print: they passed if the last summary is OK and tests were run."""
    ran = re.search(r"^Ran ([1-9]\d*) tests? in ", output, re.MULTILINE)
    passed = bool(ran) and re.search(r"^OK\b", output, re.MULTILINE) is not None and "FAILED" not in output
    return ExecutionResult(passed, output)


class CallableSerializer:
    """Encodes functions by name, so that a sample can store them. Names in a log are never imported or unpickled."""

    _known: dict[str, Callable[..., Any]] = {}  # noqa: RUF012 - all instances share it

    @classmethod
    def encode(cls, fn: Callable[..., Any]) -> str:
        """Return a function's name."""
        name = f"{fn.__module__}:{fn.__qualname__}"
        cls._known[name] = fn
        return name

    @classmethod
    def decode(cls, fn_str: str) -> Callable[..., Any]:
        """Return the function of a name.

        Raises:
            ValueError: It is not one of ours, and was not encoded in this process.
        """
        if fn_str not in cls._known:
            raise ValueError(f"the function {fn_str!r} is not known here: only a run of the task itself knows it")
        return cls._known[fn_str]


for _function in (unittest_merge_snippets, _parse_unittest_output):
    CallableSerializer.encode(_function)

_BY_OWN_NAME = (
    "blake3 chardet cryptography django flask folium gensim geopandas geopy holidays keras librosa lxml matplotlib "
    "mechanize natsort nltk numpy openpyxl pandas prettytable psutil pyquery pytesseract python_http_client pytz "
    "regex requests requests_mock rsa scipy seaborn sendgrid shapely soundfile statsmodels sympy tensorflow textblob "
    "texttable unidecode wikipedia wordcloud wordninja xlwt xmltodict"
)
BIG_CODE_BENCH_PACKAGE_MAPPING: dict[str, str | None] = {
    **{name: name for name in _BY_OWN_NAME.split()},
    "Crypto": "pycryptodome",
    "Levenshtein": "python-Levenshtein",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "faker": "Faker",
    "flask_login": "flask-login",
    "flask_mail": "flask-mail",
    "flask_restful": "flask-restful",
    "flask_wtf": "flask-wtf",
    "pyautogui": "PyAutoGUI",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "werkzeug": "Werkzeug",
    "wtforms": "WTForms",
    "yaml": "PyYAML",
}
"""The distribution that provides each package outside the standard library that programs of BigCodeBench import."""


async def _printed(program: str, seconds: int) -> str:
    try:
        done = await sandbox().exec(["python3", "-"], input=program, timeout=seconds)
    except TimeoutError:
        return f"TimeoutError: the program ran for more than {seconds} seconds"
    return "\n".join(filter(None, (done.stdout, done.stderr)))


def _score(response: Completion, *, success: bool, output: str) -> Score:
    return Score(
        value=CORRECT if success else INCORRECT,
        answer=response.completion,
        explanation=output[-2000:],
        reason=None if response.raw_completion.strip() else unanswered(response.raw_completion),
    )


def _imported(program: str) -> Sequence[str]:
    try:
        nodes = list(ast.walk(ast.parse(program)))
    except SyntaxError:
        return []
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    of = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return [name.partition(".")[0] for name in (*plain, *of)]
