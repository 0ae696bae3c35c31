"""Metadata for `bench list` and `bench describe`: every benchmark, and the pins of its rows and prompts."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

_MMMU_CODE = "bb0b95a945998d91dfef37e969e07d49d1139438"
_MATHVISTA_CODE = "53d525874bdde205128e6b160b7357a88277d479"
_RAW = "https://raw.githubusercontent.com"

SUBJECTS = {
    "Art and Design": ("Art", "Art_Theory", "Design", "Music"),
    "Business": ("Accounting", "Economics", "Finance", "Manage", "Marketing"),
    "Science": ("Biology", "Chemistry", "Geography", "Math", "Physics"),
    "Health and Medicine": (
        "Basic_Medical_Science",
        "Clinical_Medicine",
        "Diagnostics_and_Laboratory_Medicine",
        "Pharmacy",
        "Public_Health",
    ),
    "Humanities and Social Science": ("History", "Literature", "Psychology", "Sociology"),
    "Tech and Engineering": (
        "Agriculture",
        "Architecture_and_Engineering",
        "Computer_Science",
        "Electronics",
        "Energy_and_Power",
        "Materials",
        "Mechanical_Engineering",
    ),
}
"""The subjects of MMMU and MMMU-Pro by discipline."""

MMMU = DatasetSource(
    source="MMMU/MMMU",
    split="validation",
    revision="98e6ac0cb9b7b2cd2c991b85a50762edc4aedc68",
    licence="Apache-2.0",
)
MMMU_PROMPT = DatasetSource(
    source=f"{_RAW}/MMMU-Benchmark/MMMU/{_MMMU_CODE}/mmmu/configs/llava1.5.yaml",
    type="text",
    revision=_MMMU_CODE,
    sha256="f5e9cb2d92a083f73be1df08a2b07e58cf0e1b06a5b7258be82eb88583d30dd3",
)
MMMU_PRO_PROMPTS = DatasetSource(
    source=f"{_RAW}/MMMU-Benchmark/MMMU/{_MMMU_CODE}/mmmu-pro/prompts.yaml",
    type="text",
    revision=_MMMU_CODE,
    sha256="bc50ae312cbb94677b8c6e2c04f54f906741ebe20b9bbdd10c2debba18d9bc64",
)
MATHVISTA = DatasetSource(
    source="AI4Math/MathVista",
    split="testmini",
    revision="2b6ad69445fbb5695c9b165475e8decdbeb97747",
    licence="CC-BY-SA-4.0",
)
MATHVISTA_EXTRACTION = DatasetSource(
    source=f"{_RAW}/lupantech/MathVista/{_MATHVISTA_CODE}/evaluation/prompts/ext_ans.py",
    type="text",
    revision=_MATHVISTA_CODE,
    sha256="f0954ab88ded815437a99dc181ada8f8d7b126a78bdd095feacfa62d5757526e",
)
DOCVQA = DatasetSource(
    source="lmms-lab-encoder/DocVQA",
    config="DocVQA",
    split="validation",
    revision="539088ef8a8ada01ac8e2e6d4e372586748a265e",
    licence="Apache-2.0",
)
CHARTQAPRO = DatasetSource(
    source="ahmed-masry/ChartQAPro",
    split="test",
    revision="e27c2874825874d6767d2bbc538ed4f0dc2c64c2",
    licence="MIT",
)
MMSTAR = DatasetSource(
    source="Lin-Chen/MMStar",
    split="val",
    revision="bc98d668301da7b14f648724866e57302778ab27",
)


def _mmmu_pro(config: str) -> DatasetSource:
    return DatasetSource(
        source="MMMU/MMMU_Pro",
        config=config,
        split="test",
        revision="563f3e84bb3b90893083a1f039cfa13077f2302b",
        licence="Apache-2.0",
    )


MMMU_PRO = _mmmu_pro("standard (10 options)")
MMMU_PRO_4 = _mmmu_pro("standard (4 options)")
MMMU_PRO_VISION = _mmmu_pro("vision")

_UNREAD = "An unreadable answer counts as unanswered; the original draws a random letter instead."

BENCHMARKS = {
    "mmmu": BenchmarkMetadata(
        name="MMMU",
        description="Questions from university exams in 30 subjects, with figures, tables and photographs",
        category="vision",
        tags=["images", "knowledge", "multimodal", "multiple-choice"],
        module_path="openbench_vision.mmmu",
        function_name="mmmu",
        builtin=True,
        dataset=MMMU,
        homepage="https://mmmu-benchmark.github.io",
        paper="https://arxiv.org/abs/2311.16502",
        samples=900,
        languages=["en"],
        needs=["vision"],
        notes=(_UNREAD, "53 of the questions are open; the others offer two to nine options."),
    ),
    "mmmu_pro": BenchmarkMetadata(
        name="MMMU-Pro (10 options)",
        description="Questions of MMMU that require the image, with up to ten options",
        category="vision",
        tags=["images", "knowledge", "multimodal", "multiple-choice"],
        module_path="openbench_vision.mmmu_pro",
        function_name="mmmu_pro",
        builtin=True,
        dataset=MMMU_PRO,
        homepage="https://mmmu-benchmark.github.io",
        paper="https://arxiv.org/abs/2409.02813",
        samples=1730,
        languages=["en"],
        needs=["vision"],
        notes=(_UNREAD, "The authors' overall score is the mean of mmmu_pro and mmmu_pro_vision."),
    ),
    "mmmu_pro_4": BenchmarkMetadata(
        name="MMMU-Pro (4 options)",
        description="Questions of MMMU that require the image, with up to four options",
        category="vision",
        tags=["images", "knowledge", "multimodal", "multiple-choice"],
        module_path="openbench_vision.mmmu_pro",
        function_name="mmmu_pro_4",
        builtin=True,
        dataset=MMMU_PRO_4,
        homepage="https://mmmu-benchmark.github.io",
        paper="https://arxiv.org/abs/2409.02813",
        samples=1730,
        languages=["en"],
        needs=["vision"],
        notes=(_UNREAD,),
    ),
    "mmmu_pro_vision": BenchmarkMetadata(
        name="MMMU-Pro (vision)",
        description="The questions of MMMU-Pro with their options, as screenshots and photographs",
        category="vision",
        tags=["images", "knowledge", "multimodal", "multiple-choice"],
        module_path="openbench_vision.mmmu_pro",
        function_name="mmmu_pro_vision",
        builtin=True,
        dataset=MMMU_PRO_VISION,
        homepage="https://mmmu-benchmark.github.io",
        paper="https://arxiv.org/abs/2409.02813",
        samples=1730,
        languages=["en"],
        needs=["vision"],
        notes=(_UNREAD, "The authors' overall score is the mean of mmmu_pro and mmmu_pro_vision."),
    ),
    "mathvista": BenchmarkMetadata(
        name="MathVista",
        description="Mathematical questions about charts, diagrams, geometry and photographs (testmini)",
        category="vision",
        tags=["images", "math", "multimodal"],
        module_path="openbench_vision.mathvista",
        function_name="mathvista",
        builtin=True,
        dataset=MATHVISTA,
        homepage="https://mathvista.github.io",
        paper="https://arxiv.org/abs/2310.02255",
        samples=1000,
        languages=["en", "zh", "fa"],
        needs=["vision"],
        notes=(
            "Rules extract the answers; -T extraction=grader asks a model to extract them, as the original does.",
            "An unreadable answer counts as unanswered; the original takes the option with the closest spelling.",
        ),
    ),
    "docvqa": BenchmarkMetadata(
        name="DocVQA",
        description="Questions about scanned pages: letters, forms, tables, reports (validation set)",
        category="vision",
        tags=["anls", "documents", "images", "multimodal", "ocr"],
        module_path="openbench_vision.docvqa",
        function_name="docvqa",
        builtin=True,
        dataset=DOCVQA,
        homepage="https://www.docvqa.org",
        paper="https://arxiv.org/abs/2007.00398",
        samples=5349,
        primary_metric="mean",
        languages=["en"],
        needs=["vision"],
        notes=("mean is ANLS, the average normalized Levenshtein similarity, where less than 0.5 is 0.",),
    ),
    "chartqapro": BenchmarkMetadata(
        name="ChartQAPro",
        description="Questions about charts, infographics and dashboards: facts, hypotheses, conversations, claims",
        category="vision",
        tags=["charts", "images", "multimodal"],
        module_path="openbench_vision.chartqapro",
        function_name="chartqapro",
        builtin=True,
        dataset=CHARTQAPRO,
        homepage="https://github.com/vis-nlp/ChartQAPro",
        paper="https://arxiv.org/abs/2504.05506",
        samples=1948,
        primary_metric="mean",
        languages=["en"],
        needs=["vision"],
        notes=("mean is relaxed accuracy: numbers within 5 %; years, letters, verdicts exact; other texts by ANLS.",),
    ),
    "mmstar": BenchmarkMetadata(
        name="MMStar",
        description="Questions that cannot be answered without their image, in six core abilities",
        category="vision",
        tags=["images", "multimodal", "multiple-choice", "perception"],
        module_path="openbench_vision.mmstar",
        function_name="mmstar",
        builtin=True,
        dataset=MMSTAR,
        homepage="https://mmstar-benchmark.github.io",
        paper="https://arxiv.org/abs/2403.20330",
        samples=1500,
        languages=["en"],
        needs=["vision"],
        notes=("An unreadable answer counts as unanswered.",),
    ),
}
