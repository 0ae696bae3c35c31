"""Metadata of benchmarks of inference, word meaning, ethics and long texts, and the pins of their rows."""

from collections.abc import Mapping, Sequence

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench_mcq.metadata.entry import entry

ANLI = DatasetSource(  # a split for each round
    source="facebook/anli",
    revision="8e4813d81f46d313dac7892e1c28076917cfcdf9",
    licence="CC-BY-NC-4.0",
)
ANLI_ROUNDS: Mapping[str, str] = {"1": "test_r1", "2": "test_r2", "3": "test_r3"}
"""The split of each round."""

_SUPER_GLUE_REVISION = "3de24cf8022e94f4ee4b9d55a6f539891524d646"

COPA = DatasetSource(
    source="aps/super_glue",
    config="copa",
    split="validation",
    revision=_SUPER_GLUE_REVISION,
    licence="BSD-2-Clause",
)
BOOLQ_SUPER_GLUE = DatasetSource(
    source="aps/super_glue",
    config="boolq",
    split="validation",
    revision=_SUPER_GLUE_REVISION,
    licence="CC-BY-SA-3.0",
)
RTE = DatasetSource(source="aps/super_glue", config="rte", split="validation", revision=_SUPER_GLUE_REVISION)
WIC = DatasetSource(
    source="aps/super_glue",
    config="wic",
    split="validation",
    revision=_SUPER_GLUE_REVISION,
    licence="CC-BY-NC-4.0",
)

ETHICS = DatasetSource(
    source="EleutherAI/hendrycks_ethics",
    split="test",
    revision="4ea087e182233973480bd2329176fda2201da5ef",  # a commit of refs/convert/parquet; main is a loading script
    licence="MIT",  # the licence of the authors' repository
)
ETHICS_SUBSETS: Sequence[str] = ("commonsense", "deontology", "justice", "utilitarianism", "virtue")

LONGBENCH_V2 = DatasetSource(
    source="zai-org/LongBench-v2",  # formerly THUDM/LongBench-v2
    split="train",
    revision="2b48e494f2c7a2f0af81aae178e05c7e1dde0fe9",
    licence="Apache-2.0",
)

_TEMPERATURE = "Temperature: the provider's default. No system message, 1 epoch."
_SUPER_GLUE_PAPER = "https://arxiv.org/abs/1905.00537"
_SUPER_GLUE_HOMEPAGE = "https://super.gluebenchmark.com"

BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        entry(
            "anli",
            "inference",
            "ANLI",
            "Statements about a text, true, false or neither, written to mislead models in three rounds.",
            category="language",
            tags=("inference", "adversarial"),
            dataset=ANLI,
            samples=3_200,
            paper="https://arxiv.org/abs/1910.14599",
            homepage="https://github.com/facebookresearch/anli",
            notes=("One round: -T round=3.", _TEMPERATURE),
        ),
        entry(
            "copa",
            "copa",
            "COPA",
            "Choose the cause or the effect of a situation from two options.",
            category="language",
            tags=("inference", "commonsense"),
            dataset=COPA,
            samples=100,
            paper=_SUPER_GLUE_PAPER,
            homepage=_SUPER_GLUE_HOMEPAGE,
            notes=(_TEMPERATURE,),
        ),
        entry(
            "rte",
            "inference",
            "RTE",
            "Decide whether a text entails a statement.",
            category="language",
            tags=("inference", "yes-no"),
            dataset=RTE,
            samples=277,
            paper=_SUPER_GLUE_PAPER,
            homepage=_SUPER_GLUE_HOMEPAGE,
            notes=(_TEMPERATURE,),
        ),
        entry(
            "wic",
            "inference",
            "WiC",
            "Decide whether a word has the same meaning in two sentences.",
            category="language",
            tags=("meaning", "yes-no"),
            dataset=WIC,
            samples=638,
            paper="https://arxiv.org/abs/1808.09121",
            homepage="https://pilehvar.github.io/wic/",
            notes=(_TEMPERATURE,),
        ),
        entry(
            "ethics",
            "ethics",
            "ETHICS",
            "Everyday situations, judged by common sense, duty, justice, well-being and virtue.",
            category="ethics",
            tags=("morality",),
            dataset=ETHICS,
            samples=19_968,
            paper="https://arxiv.org/abs/2008.02275",
            homepage="https://github.com/hendrycks/ethics",
            notes=("One subset: -T subset=justice.", _TEMPERATURE),
        ),
        entry(
            "longbench_v2",
            "longbench_v2",
            "LongBench v2",
            "Questions about texts of 8,000 to two million words.",
            category="reading",
            tags=("long-context", "reasoning"),
            dataset=LONGBENCH_V2,
            samples=503,
            paper="https://arxiv.org/abs/2412.15204",
            homepage="https://longbench2.github.io",
            notes=(
                "Texts are not truncated: a prompt that exceeds the context window is unscored and counted.",
                "Subsets: -T length=short.",
                _TEMPERATURE,
            ),
        ),
    ]
)

GROUPS: dict[str, BenchmarkGroup] = {
    "super_glue": BenchmarkGroup(
        name="SuperGLUE",
        description="Four tasks of SuperGLUE: BoolQ, COPA, RTE and WiC.",
        category="language",
        benchmarks=("boolq", "copa", "rte", "wic"),
    ),
}
