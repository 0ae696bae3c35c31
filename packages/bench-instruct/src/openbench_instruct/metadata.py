"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

IFEVAL = DatasetSource(
    source="google/IFEval",
    split="train",
    revision="966cd89545d6b6acfd7638bc708b98261ca58e84",
    licence="Apache-2.0",
    verified=541,
)
IFEVAL_KO = DatasetSource(
    source="allganize/IFEval-Ko",
    split="train",
    revision="54199e3801116897697babf341865741dcd06fc8",
    licence="Apache-2.0",
)
_IFBENCH_REVISION = "db69a6f05689830b0068b8f1529ebcfd2f3b164c"
IFBENCH = DatasetSource(
    source=f"https://raw.githubusercontent.com/allenai/IFBench/{_IFBENCH_REVISION}/data/IFBench_test.jsonl",
    type="json",
    revision=_IFBENCH_REVISION,
    sha256="a2bf7b8e7ed11d39c65b4ec781da8b99663ed0121f97033d70fcecb61f8a9d85",
    licence="ODC-By-1.0",
    verified=300,
)

MULTI_IF = DatasetSource(
    source="facebook/Multi-IF",
    split="train",
    revision="0ab97ce0b45c7f57772e8ba2ac1616f4b00bd3aa",
    licence="CC-BY-NC-2.0",
)


def jsonschemabench_rows(subset: str = "Github_easy") -> DatasetSource:
    """Return a collection of schemas; at this commit, each collection is a split."""
    return DatasetSource(
        source="epfl-dlab/JSONSchemaBench",
        split=subset,
        revision="e2ee5fdba65657c60d3a24b321172eb7141f8d73",
        licence="MIT",
    )


_CHECKERS = "The checkers are as published, with their known defects; -T checkers=fixed repairs them."

BENCHMARKS = {
    "ifeval": BenchmarkMetadata(
        name="IFEval",
        description="Prompts with instructions on length, wording and format that a program can check",
        category="instructions",
        tags=["instruction-following", "format"],
        module_path="openbench_instruct.prompts",
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
    "ifeval_ko": BenchmarkMetadata(
        name="IFEval-Ko",
        description="Prompts in Korean with instructions on length, wording and format that a program can check",
        category="instructions",
        tags=["instruction-following", "format", "korean"],
        module_path="openbench_instruct.prompts",
        function_name="ifeval_ko",
        builtin=True,
        dataset=IFEVAL_KO,
        homepage="https://huggingface.co/datasets/allganize/IFEval-Ko",
        paper="https://arxiv.org/abs/2311.07911",
        samples=342,
        primary_metric="prompt_level_strict",
        languages=["ko"],
        notes=[_CHECKERS],
    ),
    "ifbench": BenchmarkMetadata(
        name="IFBench",
        description="User prompts with instructions of 58 unusual kinds that a program can check",
        category="instructions",
        tags=["instruction-following", "format"],
        module_path="openbench_instruct.prompts",
        function_name="ifbench",
        builtin=True,
        dataset=IFBENCH,
        homepage="https://github.com/allenai/IFBench",
        paper="https://arxiv.org/abs/2507.02833",
        samples=300,
        primary_metric="prompt_level_loose",
        languages=["en"],
        notes=[_CHECKERS, "Verbs at the start of a response are recognised by a list, not by a trained tagger."],
    ),
    "multi_if": BenchmarkMetadata(
        name="Multi-IF",
        description="Conversations of three turns in eight languages, with instructions that accumulate",
        category="instructions",
        tags=["instruction-following", "format", "multilingual", "multi-turn"],
        module_path="openbench_instruct.multi_if",
        function_name="multi_if",
        builtin=True,
        dataset=MULTI_IF,
        homepage="https://github.com/facebookresearch/Multi-IF",
        paper="https://arxiv.org/abs/2410.15553",
        samples=4501,
        primary_metric="turn_accuracy",
        languages=["en", "es", "fr", "hi", "it", "pt", "ru", "zh"],
        notes=[_CHECKERS, "The licence of the rows forbids commercial use."],
    ),
    "jsonschemabench": BenchmarkMetadata(
        name="JSONSchemaBench",
        description="Write JSON that is valid under a real-world schema",
        category="instructions",
        tags=["json", "structured-output"],
        module_path="openbench_instruct.jsonschemabench",
        function_name="jsonschemabench",
        builtin=True,
        dataset=jsonschemabench_rows(),
        homepage="https://github.com/guidance-ai/jsonschemabench",
        paper="https://arxiv.org/abs/2501.10868",
        samples=1943,
        primary_metric="fulfills_schema",
        languages=["en"],
        notes=["One of ten collections by default; -T subset=Github_hard selects another.", "The prompt is our own."],
    ),
}
