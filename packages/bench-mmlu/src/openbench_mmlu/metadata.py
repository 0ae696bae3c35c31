"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

MMLU = DatasetSource(
    source="cais/mmlu",
    config="all",
    split="test",
    revision="c30699e8356da336a370243923dbaf21066bb9fe",
    licence="MIT",
    verified=14_042,
)
MMLU_PRO = DatasetSource(
    source="TIGER-Lab/MMLU-Pro",
    split="test",
    revision="527feea0afed1de15a8c115abf7be4c912123315",
    licence="MIT",
)
MMLU_REDUX = DatasetSource(  # a configuration for each subject
    source="edinburgh-dawg/mmlu-redux-2.0",
    split="test",
    revision="372ea425445d51e1ba1188c56e5e893f8138621f",
    licence="CC-BY-4.0",
)

_SETTINGS = "Temperature: the provider's default. No system message, 1 epoch."
_UPSTREAM = f"{_SETTINGS} groq/openbench: temperature 0.5, else the same; -T settings=upstream."

BENCHMARKS = {
    "mmlu": BenchmarkMetadata(
        name="MMLU",
        description="Four-option questions on 57 subjects, from elementary mathematics to professional law.",
        category="knowledge",
        tags=["knowledge", "multiple-choice", "multitask", "reasoning"],
        module_path="openbench_mmlu.mmlu",
        function_name="mmlu",
        builtin=True,
        dataset=MMLU,
        homepage="https://github.com/hendrycks/test",
        paper="https://arxiv.org/abs/2009.03300",
        samples=14_042,
        languages=("en",),
        notes=[_UPSTREAM, "The prompt is ours, without examples; -T prompt=official fetches the paper's, with five."],
    ),
    "mmlu_pro": BenchmarkMetadata(
        name="MMLU-Pro",
        description="Harder questions in 14 categories with up to ten options, which require reasoning.",
        category="knowledge",
        tags=["knowledge", "multiple-choice", "multitask", "reasoning"],
        module_path="openbench_mmlu.mmlu_pro",
        function_name="mmlu_pro",
        builtin=True,
        dataset=MMLU_PRO,
        homepage="https://github.com/TIGER-AI-Lab/MMLU-Pro",
        paper="https://arxiv.org/abs/2406.01574",
        samples=12_032,
        languages=("en",),
        notes=[f"{_SETTINGS} groq/openbench: the same."],
    ),
    "mmlu_redux": BenchmarkMetadata(
        name="MMLU-Redux",
        description="100 MMLU questions per subject, without those in which re-annotation found an error.",
        category="knowledge",
        tags=["knowledge", "multiple-choice", "multitask", "re-annotated", "reasoning"],
        module_path="openbench_mmlu.mmlu_redux",
        function_name="mmlu_redux",
        builtin=True,
        dataset=MMLU_REDUX,
        homepage="https://github.com/aryopg/mmlu-redux",
        paper="https://arxiv.org/abs/2406.04127",
        samples=5_330,
        languages=("en",),
        notes=[_UPSTREAM, "groq/openbench uses all 5,700 questions: -T keep=all."],
    ),
}
