"""What `bench list` and `bench describe` read: every benchmark, and the one place that pins its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

IFEVAL = DatasetSource(
    source="google/IFEval",
    split="train",
    revision="966cd89545d6b6acfd7638bc708b98261ca58e84",
    licence="Apache-2.0",
    verified=541,
)

_CHECKERS = "Checkers are as published, with their known defects; -T checkers=fixed repairs those."

BENCHMARKS = {
    "ifeval": BenchmarkMetadata(
        name="IFEval",
        description="Prompts with instructions on length, wording and format that a program can check",
        category="instructions",
        tags=["instruction-following", "format"],
        module_path="openbench_instruct.ifeval",
        function_name="ifeval",
        builtin=True,
        dataset=IFEVAL,
        homepage="https://github.com/google-research/google-research/tree/master/instruction_following_eval",
        paper="https://arxiv.org/abs/2311.07911",
        samples=541,
        primary_metric="prompt_level_strict",
        languages=["en"],
        notes=[_CHECKERS],
    ),
}
