"""The metadata of the benchmark, which `bench list` and `bench describe` read, with the pins of its rows."""

from collections.abc import Mapping

from openbench.metadata import BenchmarkMetadata, DatasetSource

VERIFIED = DatasetSource(
    source="princeton-nlp/SWE-bench_Verified",
    split="test",
    revision="c104f840cc67f8b6eec6f759ebc8b2693d585d4a",
    licence="MIT",  # SWE-bench's; the repositories have their own licences
)
CONTEXTS: Mapping[str, DatasetSource] = {
    "bm25_13k": DatasetSource(
        source="princeton-nlp/SWE-bench_bm25_13K",
        split="test",
        revision="eb1d4af35aa2ffd942a72b598f0e4ddf9cb90105",
        licence="MIT",
    ),
    "bm25_40k": DatasetSource(
        source="princeton-nlp/SWE-bench_bm25_40K",
        split="test",
        revision="c7bc17e54d390580a9d40ecc72948e3eac296b83",
        licence="MIT",
    ),
}
"""The prompts with files retrieved by BM25, up to a number of tokens, for all instances of SWE-bench."""

BENCHMARKS = {
    "swebench_verified": BenchmarkMetadata(
        name="SWE-bench Verified, from given files",
        description="Patches that resolve issues of twelve Python repositories, written from the issue and given files",
        category="code",
        tags=["code", "patches", "repositories", "swe-bench"],
        module_path="openbench_swebench.task",
        function_name="swebench_verified",
        builtin=True,
        dataset=VERIFIED,
        homepage="https://www.swebench.com",
        paper="https://arxiv.org/abs/2310.06770",
        samples=500,
        languages=["en"],
        notes=[
            "One answer from the files that BM25 found, without tools: not comparable with scores of agents.",
            "Needs a scoring server (SWE_SERVER_URL) or Docker with swebench; without one, patches are unscored.",
        ],
    ),
}
