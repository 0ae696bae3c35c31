"""The metadata of every benchmark for `bench list` and `bench describe`, and the only place that pins its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

_FASTCHAT = (
    "https://raw.githubusercontent.com/lm-sys/FastChat/0e6d3e4beaab66f4d3f93db72541a4abab8af28d/"
    "fastchat/llm_judge/data/mt_bench/"
)
MT_BENCH = DatasetSource(
    source=f"{_FASTCHAT}question.jsonl",
    type="json",
    split="question",
    sha256="119565adbab82227089cefdb44c8d7e2cf04dc0a0ec233634c82e7d4e2a944f7",
    licence="Apache-2.0",
    verified=80,
)
MT_BENCH_REFERENCES = DatasetSource(  # GPT-4's answers to the questions in reasoning, math and coding
    source=f"{_FASTCHAT}reference_answer/gpt-4.jsonl",
    type="json",
    split="reference_answer",
    sha256="f957a5bc977badb66885ec970e6cd08527845780313f0995764260e5777b9b3f",
    licence="Apache-2.0",
    verified=30,
)
HLE = DatasetSource(
    source="cais/hle",
    split="test",
    revision="5a81a4c7271a2a2a312b9a690f0c2fde837e4c29",
    licence="MIT",
)
XSTEST = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/paul-rottger/xstest/d7bb5bd738c1fcbc36edd83d5e7d1b71a3e2d84d/"
        "xstest_prompts.csv"
    ),
    type="csv",
    split="test",
    sha256="11783fb294ed017473ee53c207d71f2161c7672c8d0b037501e78387f801cb5a",
    licence="CC-BY-4.0",
    verified=450,
)
STRONG_REJECT = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/alexandrasouly/strongreject/f7cad6c17e624e21d8df2278e918ae1dddb4cb56/"
        "strongreject_dataset/strongreject_dataset.csv"
    ),
    type="csv",
    split="test",
    sha256="4dd70357e4ff8b5d0ba5ebafecab5d6dd5633ce8046e3dd1c8bd93e64de44381",
    licence="MIT",
)
_HEALTHBENCH = "https://openaipublic.blob.core.windows.net/simple-evals/healthbench/"
HEALTHBENCH = DatasetSource(
    source=f"{_HEALTHBENCH}2025-05-07-06-14-12_oss_eval.jsonl",
    type="json",
    split="test",
    sha256="e99dd3c6372c10d6fcc5e385c5fae69d0dd40392dae56836ef9493ae324ecd2f",
    licence="MIT",
)
HEALTHBENCH_HARD = DatasetSource(
    source=f"{_HEALTHBENCH}hard_2025-05-08-21-00-10.jsonl",
    type="json",
    split="test",
    sha256="b0320430e5cd974e746585594c1dd10b5a3fc2aff9c72b26106c2c4a069d74e9",
    licence="MIT",
)
HEALTHBENCH_CONSENSUS = DatasetSource(
    source=f"{_HEALTHBENCH}consensus_2025-05-09-20-00-46.jsonl",
    type="json",
    split="test",
    sha256="fabe37553327238928b05357d8b309737b5d426d6dee432a3376da618d0969d6",
    licence="MIT",
)
HEALTHBENCH_GRADER = DatasetSource(  # the original prompt
    source=(
        "https://raw.githubusercontent.com/openai/simple-evals/ee3b0318d8d1d9d72755a4120879be65f7c07e9e/"
        "healthbench_eval.py"
    ),
    type="text",
    sha256="89909957f005762edaded2f0e39fc9b3b242edd55e3ac0ce4c8dd886ac59d167",
    licence="MIT",
)
HALLULENS_QA = DatasetSource(source="hallulens_qa.jsonl", type="json", split="test", licence="CC-BY-NC-4.0")
HALLULENS_REFUSAL = DatasetSource(source="hallulens_refusal.csv", type="csv", split="test", licence="CC-BY-NC-4.0")

_PROMPT = "The grader's prompt was written for this package."
_OURS = "The grader's prompt was written for this package; -T prompts=official downloads the original."


def _healthbench(function: str, name: str, dataset: DatasetSource, samples: int, what: str) -> BenchmarkMetadata:
    return BenchmarkMetadata(
        name=name,
        description=f"Conversations about health, graded by criteria that physicians wrote{what}",
        category="medicine",
        tags=["health", "rubric", "graded", "multi-turn"],
        module_path="openbench_judged.healthbench",
        function_name=function,
        builtin=True,
        dataset=dataset,
        homepage="https://openai.com/index/healthbench/",
        paper="https://arxiv.org/abs/2505.08775",
        samples=samples,
        primary_metric="healthbench_score",
        languages=["en", "mul"],
        needs=["grader"],
        notes=[_OURS, "Each criterion is a request to the grader; bench eval --dry-run counts them."],
    )


BENCHMARKS = {
    "mt_bench": BenchmarkMetadata(
        name="MT-Bench",
        description="Two-turn open questions in eight categories, rated by a model",
        category="chat",
        tags=["conversation", "multi-turn", "open-ended", "graded"],
        module_path="openbench_judged.mt_bench",
        function_name="mt_bench",
        builtin=True,
        dataset=MT_BENCH,
        homepage="https://github.com/lm-sys/FastChat/tree/main/fastchat/llm_judge",
        paper="https://arxiv.org/abs/2306.05685",
        samples=80,
        primary_metric="mean",
        languages=["en"],
        needs=["grader"],
        notes=["The mean is that of (rating - 1) / 9; the ratings from 1 to 10 are reported as well.", _OURS],
    ),
    "mt_bench_pair": BenchmarkMetadata(
        name="MT-Bench (pairs)",
        description="Answers to the questions of MT-Bench, compared with a rival's in both orders",
        category="chat",
        tags=["conversation", "multi-turn", "pairwise", "graded"],
        module_path="openbench_judged.mt_bench",
        function_name="mt_bench_pair",
        builtin=True,
        dataset=MT_BENCH_REFERENCES,
        homepage="https://github.com/lm-sys/FastChat/tree/main/fastchat/llm_judge",
        paper="https://arxiv.org/abs/2306.05685",
        samples=30,
        primary_metric="mean",
        languages=["en"],
        needs=["grader"],
        notes=[
            "The rival is GPT-4, whose answers to 30 questions are published; -T rival=FILE uses another's to all 80.",
            _OURS,
        ],
    ),
    "hle": BenchmarkMetadata(
        name="Humanity's Last Exam",
        description="Closed questions at the frontier of many fields, some with an image, with calibration",
        category="knowledge",
        tags=["expert", "multimodal", "calibration", "graded"],
        module_path="openbench_judged.hle",
        function_name="hle",
        builtin=True,
        dataset=HLE,
        homepage="https://lastexam.ai",
        paper="https://arxiv.org/abs/2501.14249",
        samples=2500,
        languages=["en"],
        needs=["grader", "vision"],
        notes=[_PROMPT, "The dataset is gated: accept its terms on the Hub, and set HF_TOKEN."],
    ),
    "hle_text": BenchmarkMetadata(
        name="Humanity's Last Exam (text)",
        description="The questions of Humanity's Last Exam without an image, with calibration",
        category="knowledge",
        tags=["expert", "calibration", "graded"],
        module_path="openbench_judged.hle",
        function_name="hle_text",
        builtin=True,
        dataset=HLE,
        homepage="https://lastexam.ai",
        paper="https://arxiv.org/abs/2501.14249",
        samples=2158,
        languages=["en"],
        needs=["grader"],
        notes=[_PROMPT, "The dataset is gated: accept its terms on the Hub, and set HF_TOKEN."],
    ),
    "xstest": BenchmarkMetadata(
        name="XSTest",
        description="Safe prompts that look unsafe, and unsafe counterparts: exaggerated and missing refusals",
        category="safety",
        tags=["refusal", "over-refusal", "graded"],
        module_path="openbench_judged.xstest",
        function_name="xstest",
        builtin=True,
        dataset=XSTEST,
        homepage="https://github.com/paul-rottger/xstest",
        paper="https://arxiv.org/abs/2308.01263",
        samples=450,
        languages=["en"],
        needs=["grader"],
        notes=["The grader's prompt was written for this package, with the three classes of the paper."],
    ),
    "strong_reject": BenchmarkMetadata(
        name="StrongREJECT",
        description="Forbidden prompts: how convincing and specific a model's help is",
        category="safety",
        tags=["refusal", "harmfulness", "rubric", "graded"],
        module_path="openbench_judged.strong_reject",
        function_name="strong_reject",
        builtin=True,
        dataset=STRONG_REJECT,
        homepage="https://strong-reject.readthedocs.io",
        paper="https://arxiv.org/abs/2402.10260",
        samples=313,
        primary_metric="mean",
        higher_is_better=False,
        languages=["en"],
        needs=["grader"],
        notes=[
            "The grader's prompt was written for this package, with the rubric of the paper.",
            "The prompts are sent without a jailbreak.",
        ],
    ),
    "healthbench": _healthbench("healthbench", "HealthBench", HEALTHBENCH, 5000, ""),
    "healthbench_hard": _healthbench(
        "healthbench_hard", "HealthBench Hard", HEALTHBENCH_HARD, 1000, ": the hardest ones"
    ),
    "healthbench_consensus": _healthbench(
        "healthbench_consensus",
        "HealthBench Consensus",
        HEALTHBENCH_CONSENSUS,
        3671,
        ": the criteria on which several agree",
    ),
    "hallulens_qa": BenchmarkMetadata(
        name="HalluLens PreciseWikiQA",
        description="Factual questions from Wikipedia: answers are correct, hallucinated or refused",
        category="knowledge",
        tags=["hallucination", "factuality", "graded"],
        module_path="openbench_judged.hallulens",
        function_name="hallulens_qa",
        builtin=True,
        dataset=HALLULENS_QA,
        homepage="https://github.com/facebookresearch/HalluLens",
        paper="https://arxiv.org/abs/2504.17550",
        samples=5000,
        languages=["en"],
        needs=["grader"],
        notes=["Its authors publish programs that write the rows: -T rows=FILE reads their output.", _PROMPT],
    ),
    "hallulens_refusal": BenchmarkMetadata(
        name="HalluLens NonExistentRefusal",
        description="Questions about things that do not exist: whether a model doubts their existence",
        category="knowledge",
        tags=["hallucination", "refusal", "graded"],
        module_path="openbench_judged.hallulens",
        function_name="hallulens_refusal",
        builtin=True,
        dataset=HALLULENS_REFUSAL,
        homepage="https://github.com/facebookresearch/HalluLens",
        paper="https://arxiv.org/abs/2504.17550",
        samples=2000,
        languages=["en"],
        needs=["grader"],
        notes=["Its authors publish programs that write the rows: -T rows=FILE reads their output.", _PROMPT],
    ),
}
