"""What `bench list` and `bench describe` read: every benchmark, and the one place that pins its rows and texts."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

GRAPHWALKS = DatasetSource(
    source="openai/graphwalks",
    split="train",
    revision="f338bb265735a56a79f4b0f5def722c9c3268ead",
    licence="MIT",
)
MRCR = DatasetSource(
    source="openai/mrcr",
    split="train",
    revision="f4c69fae7cf81f7ca26b9fee34b392a50f6b8a1d",
    licence="MIT",
)
MRCR_FILES = {needles: [f"{needles}needle/{needles}needle_{part}.parquet" for part in (0, 1)] for needles in (2, 4, 8)}
"""The files of the dataset, by the number of needles."""

_TOKENS = "Lengths are estimates unless -T tokenizer=... names the model's own tokenizer."
_CONTEXT = "A prompt that does not fit the model's context window is unscored, and counted; nothing is cut."


def _graphwalks(function: str, name: str, what: str, samples: int) -> BenchmarkMetadata:
    return BenchmarkMetadata(
        name=name,
        description=f"{what} in a graph of up to a million tokens, given as a list of edges",
        category="long context",
        tags=["long-context", "graphs", "reasoning"],
        module_path="openbench_longcontext.graphwalks",
        function_name=function,
        builtin=True,
        dataset=GRAPHWALKS,
        homepage="https://huggingface.co/datasets/openai/graphwalks",
        samples=samples,
        primary_metric="mean",
        languages=["en"],
        notes=["The answer is read from the last line alone.", _TOKENS, _CONTEXT],
    )


def _mrcr(function: str, name: str, needles: str, samples: int) -> BenchmarkMetadata:
    return BenchmarkMetadata(
        name=name,
        description=f"Repeat the n-th of {needles} equal requests' answers in a conversation of up to a million tokens",
        category="long context",
        tags=["long-context", "retrieval", "needle", "conversation"],
        module_path="openbench_longcontext.mrcr",
        function_name=function,
        builtin=True,
        dataset=MRCR,
        homepage="https://huggingface.co/datasets/openai/mrcr",
        samples=samples,
        primary_metric="mean",
        languages=["en"],
        notes=["An answer that does not begin with the requested random prefix scores 0.", _TOKENS, _CONTEXT],
    )


BENCHMARKS = {
    "graphwalks": _graphwalks("graphwalks", "GraphWalks", "Breadth-first search and parents", 1150),
    "graphwalks_bfs": _graphwalks("graphwalks_bfs", "GraphWalks (BFS)", "Breadth-first search", 550),
    "graphwalks_parents": _graphwalks("graphwalks_parents", "GraphWalks (parents)", "The parents of a node", 600),
    "openai_mrcr": _mrcr("openai_mrcr", "OpenAI MRCR", "two, four or eight", 2400),
    "openai_mrcr_2n": _mrcr("openai_mrcr_2n", "OpenAI MRCR (2 needles)", "two", 800),
    "openai_mrcr_4n": _mrcr("openai_mrcr_4n", "OpenAI MRCR (4 needles)", "four", 800),
    "openai_mrcr_8n": _mrcr("openai_mrcr_8n", "OpenAI MRCR (8 needles)", "eight", 800),
}
