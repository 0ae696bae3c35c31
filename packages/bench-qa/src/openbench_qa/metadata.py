"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

TRIVIAQA = DatasetSource(
    source="mandarjoshi/trivia_qa",
    config="rc.nocontext",
    split="validation",
    revision="0f7faf33a3908546c6fd5b73a660e0f8ff173c2f",
    licence="unknown",  # of the questions; the code is Apache-2.0
    verified=11,  # examples of the original's files
)
NQ_OPEN = DatasetSource(
    source="google-research-datasets/nq_open",
    split="validation",
    revision="5dd9790a83002ad084ddeb7c420dc716852c6f28",
    licence="CC-BY-SA-3.0",
    verified=3610,
)
SQUAD_V2 = DatasetSource(
    source="rajpurkar/squad_v2",
    split="validation",
    revision="3ffb306f725f7d2ce8394bc1873b24868140c412",
    licence="CC-BY-SA-4.0",
    verified=6078,  # half of them, with other ids
)
DROP = DatasetSource(
    source="EleutherAI/drop",
    split="validation",
    revision="619386fc7ffe6dace3cc6d3483c69b164ebf6bf3",
    licence="CC-BY-SA-4.0",
    verified=19,  # examples of the original's files
)
HOTPOTQA = DatasetSource(
    source="hotpotqa/hotpot_qa",
    config="distractor",
    split="validation",
    revision="1908d6afbbead072334abe2965f91bd2709910ab",
    licence="CC-BY-SA-4.0",
    verified=100,
)
PUBMEDQA = DatasetSource(
    source="qiaojin/PubMedQA",
    config="pqa_labeled",
    split="train",
    revision="9001f2853fb87cab8d220904e0de81ac6973b318",
    licence="MIT",
    verified=500,
)
PUBMEDQA_TEST = DatasetSource(  # which of the rows are the test set
    source=(
        "https://raw.githubusercontent.com/pubmedqa/pubmedqa/1cbae8e92f72f20c8d3747cbb3bf5bc53554d997/"
        "data/test_ground_truth.json"
    ),
    type="text",
    sha256="939fe566f09017d13b1ca64d2ddfee0bc2374b366048152997669cccedc44d51",
    licence="MIT",
)

SIMPLEQA_VERIFIED = DatasetSource(
    source="google/simpleqa-verified",
    split="eval",
    revision="0dc97e0d28d8233463e005cdc4475cc2a13ba2dc",
    licence="MIT",
)
SIMPLEQA_VERIFIED_GRADER = DatasetSource(  # the prompt of the paper's appendix, written out by others
    source=(
        "https://raw.githubusercontent.com/scitix/sieval/f2c86c3fdbb4f1a17724e3f220bfe8001d1af066/"
        "sieval/community/simpleqa_verified.py"
    ),
    type="text",
    sha256="c0212ea625fd11ba6cc4c070dcb5aed314a574a0b81e40a99aa6c8dd960d97f1",
    licence="Apache-2.0",
)

_READ = 'The prompt asks for a last line "Answer: …", from which the answer is read.'

BENCHMARKS = {
    "triviaqa": BenchmarkMetadata(
        name="TriviaQA",
        description="Trivia questions without evidence, with all aliases of each answer",
        category="knowledge",
        tags=["question-answering", "closed-book", "trivia"],
        module_path="openbench_qa.closed_book",
        function_name="triviaqa",
        builtin=True,
        dataset=TRIVIAQA,
        homepage="https://nlp.cs.washington.edu/triviaqa/",
        paper="https://arxiv.org/abs/1705.03551",
        samples=17_944,
        primary_metric="exact_match",
        languages=["en"],
        notes=[
            _READ,
            "Some questions have two rows, for web pages and Wikipedia articles; -T distinct=true asks them once.",
        ],
    ),
    "nq_open": BenchmarkMetadata(
        name="NQ-Open",
        description="Questions that people asked a search engine, with short answers, without evidence",
        category="knowledge",
        tags=["question-answering", "closed-book", "natural-questions"],
        module_path="openbench_qa.closed_book",
        function_name="nq_open",
        builtin=True,
        dataset=NQ_OPEN,
        homepage="https://github.com/google-research-datasets/natural-questions/tree/master/nq_open",
        paper="https://arxiv.org/abs/1906.00300",
        samples=3610,
        primary_metric="exact_match",
        languages=["en"],
        notes=[_READ],
    ),
    "squad_v2": BenchmarkMetadata(
        name="SQuAD 2.0",
        description="Questions about Wikipedia paragraphs; half of them have no answer in the paragraph",
        category="reading",
        tags=["question-answering", "extractive", "unanswerable"],
        module_path="openbench_qa.reading",
        function_name="squad_v2",
        builtin=True,
        dataset=SQUAD_V2,
        homepage="https://rajpurkar.github.io/SQuAD-explorer/",
        paper="https://arxiv.org/abs/1806.03822",
        samples=11_873,
        primary_metric="f1",
        languages=["en"],
        notes=[_READ, "Half of the questions are unanswerable: a model that always says so scores 0.5."],
    ),
    "drop": BenchmarkMetadata(
        name="DROP",
        description="Questions about a passage that require counting, adding or sorting",
        category="reading",
        tags=["question-answering", "numeric", "discrete-reasoning"],
        module_path="openbench_qa.reading",
        function_name="drop",
        builtin=True,
        dataset=DROP,
        homepage="https://allenai.org/data/drop",
        paper="https://arxiv.org/abs/1903.00161",
        samples=9536,
        primary_metric="f1",
        languages=["en"],
        notes=[_READ],
    ),
    "hotpotqa": BenchmarkMetadata(
        name="HotpotQA",
        description="Questions that require two of ten paragraphs; the other eight are distractors",
        category="reading",
        tags=["question-answering", "multi-hop"],
        module_path="openbench_qa.reading",
        function_name="hotpotqa",
        builtin=True,
        dataset=HOTPOTQA,
        homepage="https://hotpotqa.github.io/",
        paper="https://arxiv.org/abs/1809.09600",
        samples=7405,
        primary_metric="f1",
        languages=["en"],
        notes=[
            _READ,
            "Supporting sentences are not asked for, so scores are not comparable with published joint scores.",
        ],
    ),
    "pubmedqa": BenchmarkMetadata(
        name="PubMedQA",
        description="Questions in the titles of biomedical papers, answered with yes, no or maybe from the abstract",
        category="medicine",
        tags=["question-answering", "biomedical", "classification"],
        module_path="openbench_qa.pubmedqa",
        function_name="pubmedqa",
        builtin=True,
        dataset=PUBMEDQA,
        homepage="https://pubmedqa.github.io/",
        paper="https://arxiv.org/abs/1909.06146",
        samples=500,
        languages=["en"],
        notes=["A model that always says yes scores 0.552."],
    ),
    "simpleqa_verified": BenchmarkMetadata(
        name="SimpleQA Verified",
        description="Short factual questions with re-checked answers, graded by a model",
        category="knowledge",
        tags=["factuality", "question-answering", "graded"],
        module_path="openbench_qa.simpleqa_verified",
        function_name="simpleqa_verified",
        builtin=True,
        dataset=SIMPLEQA_VERIFIED,
        homepage="https://www.kaggle.com/benchmarks/deepmind/simpleqa-verified",
        paper="https://arxiv.org/abs/2509.07968",
        samples=1000,
        primary_metric="f1",
        languages=["en"],
        needs=["grader"],
        notes=[
            "The grading prompt is ours, with the paper's grades and rules; -T grader=official fetches the paper's.",
        ],
    ),
}
