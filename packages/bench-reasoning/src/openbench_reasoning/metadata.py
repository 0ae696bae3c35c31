"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

_ARC_1 = "399030444e0ab0cc8b4e199870fb20b863846f34"
_ARC_2 = "f3283f727488ad98fe575ea6a5ac981e4a188e49"
_BENCHMARKING = "28e67d54b05df5be10281892243c509a42a874f1"

ARC_AGI_1 = DatasetSource(  # a file for each puzzle
    source=f"https://raw.githubusercontent.com/fchollet/ARC-AGI/{_ARC_1}/data/evaluation",
    type="json",
    revision=_ARC_1,
    licence="Apache-2.0",
    verified=400,
)
ARC_AGI_2 = DatasetSource(
    source=f"https://raw.githubusercontent.com/arcprize/ARC-AGI-2/{_ARC_2}/data/evaluation",
    type="json",
    revision=_ARC_2,
    licence="Apache-2.0",
    verified=120,
)
GRID_PUZZLE = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/Mihir3009/GridPuzzle/cc1631eff00629680937bd8bfc419eeb53de8652/"
        "data/GridPuzzle.csv"
    ),
    type="csv",
    split="test",
    sha256="ae2905a3c70adf7464c887334b73a93dfec9ddde95f042f46bcbdf81b0292137",
    licence="MIT",
    verified=274,
)
PROMPT = DatasetSource(
    source=(
        f"https://raw.githubusercontent.com/arcprize/arc-agi-benchmarking/{_BENCHMARKING}/"
        "src/arc_agi_benchmarking/prompts/system_prompt.txt"
    ),
    type="text",
    revision=_BENCHMARKING,
    sha256="065e42f724bcfe3a735ded38d92b34a6a942604e653a0584cc08b1de9bdf70cc",
)

_NOTES = (
    "Each input gets two attempts; --epochs 1 allows only one.",
    "The primary metric, macro, is the mean over puzzles of the share of solved inputs.",
)

BENCHMARKS = {
    "arc_agi_1": BenchmarkMetadata(
        name="ARC-AGI-1",
        description="Puzzles of coloured grids: infer the rule from examples and apply it (public evaluation set)",
        category="reasoning",
        tags=["abstraction", "arc-agi", "grids"],
        module_path="openbench_reasoning.arc_agi",
        function_name="arc_agi_1",
        builtin=True,
        dataset=ARC_AGI_1,
        homepage="https://arcprize.org/arc-agi/1",
        paper="https://arxiv.org/abs/1911.01547",
        samples=419,
        primary_metric="macro",
        languages=["en"],
        notes=_NOTES,
    ),
    "arc_agi_2": BenchmarkMetadata(
        name="ARC-AGI-2",
        description="Harder puzzles of coloured grids that combine several rules (public evaluation set)",
        category="reasoning",
        tags=["abstraction", "arc-agi", "grids"],
        module_path="openbench_reasoning.arc_agi",
        function_name="arc_agi_2",
        builtin=True,
        dataset=ARC_AGI_2,
        homepage="https://arcprize.org/arc-agi/2",
        paper="https://arxiv.org/abs/2505.11831",
        samples=167,
        primary_metric="macro",
        languages=["en"],
        notes=_NOTES,
    ),
    "grid_puzzle": BenchmarkMetadata(
        name="GridPuzzle",
        description="Logic puzzles: match the items of three or four categories from clues, and answer with a table",
        category="reasoning",
        tags=["deduction", "logic", "puzzles"],
        module_path="openbench_reasoning.grid_puzzle",
        function_name="grid_puzzle",
        builtin=True,
        dataset=GRID_PUZZLE,
        homepage="https://github.com/Mihir3009/GridPuzzle",
        paper="https://arxiv.org/abs/2407.14790",
        samples=274,
        languages=["en"],
    ),
}
