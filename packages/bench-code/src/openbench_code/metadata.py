"""What `bench list` and `bench describe` read: every benchmark, and the one place that pins its rows."""

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

_TEMPERATURE = "The temperature is the model's own."
_LIMITS = "A program and its tests have 10 seconds of a processor and 1 GiB of memory."
_NUMPY = "Programs find no numpy in the sandbox; the tests get what they use of it from this package."
_PLUS_LIMITS = "A program and its tests have 60 seconds of a processor and 4 GiB of memory."
_SANDBOX = "A sandbox that fails leaves a sample unscored, never wrong."


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
            "164 Python functions to be written after their signature and docstring.",
            dataset=HUMANEVAL,
            samples=164,
            homepage="https://github.com/openai/human-eval",
            paper="https://arxiv.org/abs/2107.03374",
        ),
        _benchmark(
            "humaneval_plus",
            "humaneval",
            "HumanEval+",
            "HumanEval with some 80 times as many tests, by EvalPlus.",
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
            "500 small Python programs to be written after a sentence and their tests.",
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
            "378 problems of MBPP sanitized with some 35 times as many tests, by EvalPlus.",
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
                limits="An answer and the function have 10 seconds of a processor and 1 GiB of memory.",
            )
            for what, description in {
                "input": "With which arguments do 800 short Python functions return a value?",
                "output": "What do 800 short Python functions return?",
            }.items()
        ),
    ]
)
