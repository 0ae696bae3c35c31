"""What `bench list` and `bench describe` read: every benchmark, and the one place that pins its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

HUMANEVAL = DatasetSource(
    source="openai/openai_humaneval",
    config="openai_humaneval",
    split="test",
    revision="7dce6050a7d6d172f3cc5c32aa97f52fa1a2e544",
    licence="MIT",
    verified=164,
)

_TEMPERATURE = "The temperature is the model's own."
_LIMITS = "A program and its tests have 10 seconds and 1 GiB of memory."
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
    tags: tuple[str, ...] = (),
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
        notes=(*notes, _LIMITS, _SANDBOX, _TEMPERATURE),
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
            tags=("python", "pass@k"),
        ),
    ]
)
