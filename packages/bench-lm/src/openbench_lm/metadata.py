"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

LAMBADA = DatasetSource(  # the same file as data/lambada_test_en.jsonl of EleutherAI/lambada_openai
    source="https://openaipublic.blob.core.windows.net/gpt-2/data/lambada_test.jsonl",
    type="json",
    sha256="4aa8d02cd17c719165fc8a7887fddd641f43fcafa4b1c806ca8abc31fabdb226",
    licence="MIT",
)
WIKITEXT = DatasetSource(
    source="EleutherAI/wikitext_document_level",
    config="wikitext-2-raw-v1",
    split="test",
    revision="647234772b9554e208af6c826f23b99e3cac88c8",
    licence="CC-BY-SA-3.0",
)
_BLIMP_REVISION = "3e56b06fcabca9b30822fc66435fca6b1aa40bb1"
BLIMP = DatasetSource(  # a file for each subset
    source=f"https://raw.githubusercontent.com/alexwarstadt/blimp/{_BLIMP_REVISION}/data",
    type="json",
    revision=_BLIMP_REVISION,
    licence="CC-BY-4.0",
    verified=67_000,
)
_MODELS = "Requires a model that returns log-probabilities, such as openbench-hf/…"

BENCHMARKS = {
    "lambada": BenchmarkMetadata(
        name="LAMBADA",
        description="Predict the last word of a passage, which only the whole passage determines (OpenAI's version).",
        category="language",
        tags=["completion", "log-probability", "perplexity"],
        module_path="openbench_lm.lambada",
        function_name="lambada",
        builtin=True,
        dataset=LAMBADA,
        homepage="https://huggingface.co/datasets/EleutherAI/lambada_openai",
        paper="https://arxiv.org/abs/1606.06031",
        samples=5_153,
        primary_metric="greedy/mean",
        languages=("en",),
        notes=[_MODELS],
    ),
    "blimp": BenchmarkMetadata(
        name="BLiMP",
        description="Minimal pairs of a grammatical and an ungrammatical sentence, in 67 subsets.",
        category="language",
        tags=["grammar", "log-probability", "minimal-pairs"],
        module_path="openbench_lm.blimp",
        function_name="blimp",
        builtin=True,
        dataset=BLIMP,
        homepage="https://github.com/alexwarstadt/blimp",
        paper="https://arxiv.org/abs/1912.00582",
        samples=67_000,
        primary_metric="acc/mean",
        languages=("en",),
        notes=[_MODELS],
    ),
    "wikitext": BenchmarkMetadata(
        name="WikiText-2",
        description="Prediction of Wikipedia articles: bits per byte, and perplexity per word and per byte.",
        category="language",
        tags=["log-probability", "perplexity"],
        module_path="openbench_lm.wikitext",
        function_name="wikitext",
        builtin=True,
        dataset=WIKITEXT,
        homepage="https://huggingface.co/datasets/EleutherAI/wikitext_document_level",
        paper="https://arxiv.org/abs/1609.07843",
        samples=62,
        primary_metric="text_bits_per_byte",
        higher_is_better=False,
        languages=("en",),
        notes=[_MODELS],
    ),
}
