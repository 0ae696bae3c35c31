"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from collections.abc import Mapping
from dataclasses import replace

from openbench.metadata import BenchmarkMetadata, DatasetSource

HUMANEVAL = DatasetSource(
    source="openai/openai_humaneval",
    config="openai_humaneval",
    split="test",
    revision="7dce6050a7d6d172f3cc5c32aa97f52fa1a2e544",
    licence="MIT",
    verified=164,
)

HUMANEVAL_PLUS = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/evalplus/humanevalplus_release/"
        "200defce9e3429d28ca215b6dd061c0f7f31c18b/HumanEvalPlus-OriginFmt.jsonl.gz"
    ),
    type="json",
    revision="200defce9e3429d28ca215b6dd061c0f7f31c18b",
    sha256="daa7661c8189924068069b0872a440b491edb60f8bdf431d5957adc88d18bae5",
    licence="Apache-2.0",
    verified=164,
)
MBPP = DatasetSource(
    source="google-research-datasets/mbpp",
    config="full",
    split="test",
    revision="4bb6404fdc6cacfda99d4ac4205087b89d32030c",
    licence="CC-BY-4.0",
    verified=500,
)
MBPP_SANITIZED = replace(MBPP, config="sanitized", verified=257)
MBPP_PLUS = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/evalplus/mbppplus_release/"
        "dadf43da556a00f7bacd71cb154f2932757d9144/MbppPlus-OriginFmt.jsonl.gz"
    ),
    type="json",
    revision="dadf43da556a00f7bacd71cb154f2932757d9144",
    sha256="7a5aec547b134fa297ee6c45f829298aa3f58de02547b8d8a5c3d85d9cb10efc",
    licence="Apache-2.0",
    verified=378,
)

CRUXEVAL = DatasetSource(
    source="cruxeval-org/cruxeval",
    split="test",
    revision="b96af0450242eb4da433032b90998f25588a5d0f",
    licence="MIT",
    verified=800,
)

LIVECODEBENCH = DatasetSource(  # a file for each version
    source=(
        "https://huggingface.co/datasets/livecodebench/code_generation_lite/resolve/"
        "0fe84c3912ea0c4d4a78037083943e8f0c4dd505/test6.jsonl"
    ),
    type="json",
    revision="0fe84c3912ea0c4d4a78037083943e8f0c4dd505",
    sha256="bb4c364f71921c4495a6ad15abe1a927350b720009f4933e2e71f8af0f6fd1f5",
    licence="CC",
)
LIVECODEBENCH_DIGESTS: Mapping[str, str] = {
    "v1": "2bd02b38beb48e8c46b5b9987095d999ff38cd8efc255ea5d58974317c48f63f",
    "v2": "095df7c5daf15f882c51a9deb84085cff1e073495a5dbcf95015a564d485f3a3",
    "v3": "28ed26cc83363ce3f1fe2d5fad9f8393077beb1907b167a31bd3b32f80801b79",
    "v4": "d711138ddaebfcf5f8ec6a4283ee677298c0f5c5d374a235af92aaf0584510da",
    "v5": "7f77571c2a6df0c2a72a3277650309f67e01e0008e18117e624633df53f81214",
    "v6": "bb4c364f71921c4495a6ad15abe1a927350b720009f4933e2e71f8af0f6fd1f5",
}
"""The SHA-256 digests of the files that the versions added."""


def livecodebench_file(version: str) -> DatasetSource:
    """Return the pinned file that a version (v1 to v6) added."""
    number = version.removeprefix("v")
    file = "test.jsonl" if number == "1" else f"test{number}.jsonl"
    source = f"{LIVECODEBENCH.source.rpartition('/')[0]}/{file}"
    return replace(LIVECODEBENCH, source=source, sha256=LIVECODEBENCH_DIGESTS[version])


MULTIPL_E = DatasetSource(  # a configuration for each language and source
    source="nuprl/MultiPL-E",
    config="humaneval-sh",
    split="test",
    revision="28441b6024e71d4a1c1c0f6bf171c935cd5a43f2",
    licence="MIT",
)

_TEMPERATURE = "Temperature: the model's default."
_LIMITS = "Limits of a program and its tests: 10 seconds of CPU time and 1 GiB of memory."
_NUMPY = "The sandbox lacks numpy; this package provides the parts of it that the tests use."
_PLUS_LIMITS = "Limits of a program and its tests: 60 seconds of CPU time and 4 GiB of memory."
_SANDBOX = "If the sandbox fails, the sample is unscored, never wrong."


def _benchmark(
    key: str,
    module: str,
    name: str,
    description: str,
    *,
    dataset: DatasetSource,
    samples: int,
    homepage: str,
    paper: str,
    tags: tuple[str, ...] = ("python", "pass@k"),
    limits: str = _LIMITS,
    notes: tuple[str, ...] = (),
) -> tuple[str, BenchmarkMetadata]:
    metadata = BenchmarkMetadata(
        name=name,
        description=description,
        category="code",
        tags=("code", *tags),
        module_path=f"openbench_code.{module}",
        function_name=key,
        builtin=True,
        dataset=dataset,
        homepage=homepage,
        paper=paper,
        samples=samples,
        languages=("en",),
        needs=("sandbox",),
        notes=(*notes, limits, _SANDBOX, _TEMPERATURE),
    )
    return key, metadata


BENCHMARKS = dict(
    [
        _benchmark(
            "humaneval",
            "humaneval",
            "HumanEval",
            "Complete 164 Python functions from their signature and docstring.",
            dataset=HUMANEVAL,
            samples=164,
            homepage="https://github.com/openai/human-eval",
            paper="https://arxiv.org/abs/2107.03374",
        ),
        _benchmark(
            "humaneval_plus",
            "humaneval",
            "HumanEval+",
            "HumanEval with about 80 times as many tests, by EvalPlus.",
            dataset=HUMANEVAL_PLUS,
            samples=164,
            homepage="https://evalplus.github.io",
            paper="https://arxiv.org/abs/2305.01210",
            limits=_PLUS_LIMITS,
            notes=(_NUMPY,),
        ),
        _benchmark(
            "mbpp",
            "mbpp",
            "MBPP",
            "Write 500 short Python programs from a description and tests.",
            dataset=MBPP,
            samples=500,
            homepage="https://github.com/google-research/google-research/tree/master/mbpp",
            paper="https://arxiv.org/abs/2108.07732",
        ),
        _benchmark(
            "mbpp_sanitized",
            "mbpp",
            "MBPP sanitized",
            "The 257 problems of MBPP's test split that its authors checked by hand.",
            dataset=MBPP_SANITIZED,
            samples=257,
            homepage="https://github.com/google-research/google-research/tree/master/mbpp",
            paper="https://arxiv.org/abs/2108.07732",
        ),
        _benchmark(
            "mbpp_plus",
            "mbpp",
            "MBPP+",
            "378 problems of MBPP sanitized with about 35 times as many tests, by EvalPlus.",
            dataset=MBPP_PLUS,
            samples=378,
            homepage="https://evalplus.github.io",
            paper="https://arxiv.org/abs/2305.01210",
            limits=_PLUS_LIMITS,
            notes=(_NUMPY,),
        ),
        *(
            _benchmark(
                f"cruxeval_{what}",
                "cruxeval",
                f"CRUXEval-{what[0].upper()}",
                description,
                dataset=CRUXEVAL,
                samples=800,
                homepage="https://crux-eval.github.io",
                paper="https://arxiv.org/abs/2401.03065",
                limits="Limits of a prediction and the function: 10 seconds of CPU time and 1 GiB of memory.",
            )
            for what, description in {
                "input": "Predict arguments for which 800 short Python functions return a given value.",
                "output": "Predict the return value of 800 short Python functions.",
            }.items()
        ),
        _benchmark(
            "livecodebench",
            "livecodebench",
            "LiveCodeBench",
            "Dated problems of programming contests, by default the 175 that version 6 added.",
            dataset=LIVECODEBENCH,
            samples=175,
            homepage="https://livecodebench.github.io",
            paper="https://arxiv.org/abs/2403.07974",
            tags=("python", "pass@k", "contests"),
            limits="Limits of a program: 6 seconds of CPU time for each test, and 4 GiB of memory.",
            notes=("The reference looks up the answers of the tests, since the rows contain no solution.",),
        ),
        _benchmark(
            "multipl_e",
            "multipl_e",
            "MultiPL-E",
            "HumanEval and MBPP in C++, JavaScript and Bash: by default HumanEval in Bash.",
            dataset=MULTIPL_E,
            samples=158,
            homepage="https://nuprl.github.io/MultiPL-E",
            paper="https://arxiv.org/abs/2208.08227",
            tags=("c++", "javascript", "bash", "pass@k"),
            limits="Limits of compiling and of running: 30 seconds of CPU time and 2 GiB of memory each.",
            notes=("Only the sample rows contain a solution, so the reference is correct only for them.",),
        ),
    ]
)
