"""Metadata of SimpleQA for `bench list` and `bench describe`."""

from openbench.metadata import BenchmarkMetadata, DatasetSource

DATASET = DatasetSource(
    source="https://openaipublic.blob.core.windows.net/simple-evals/simple_qa_test_set.csv",
    type="csv",
    split="test",
    sha256="feee3f7e7db3617e94e8fcf1977b756ec420ef8568f4e0fcbbe0e92e9d5fc032",
    licence="MIT",
)

SIMPLEQA = BenchmarkMetadata(
    name="SimpleQA",
    description="Short factual questions with one indisputable answer, graded as correct, incorrect or not attempted",
    category="knowledge",
    tags=["factuality", "question-answering", "graded"],
    module_path="openbench_simpleqa.task",
    function_name="simpleqa",
    builtin=True,
    dataset=DATASET,
    homepage="https://openai.com/index/introducing-simpleqa/",
    paper="https://arxiv.org/abs/2411.04368",
    samples=4326,
    languages=["en"],
    needs=["grader"],
    notes=[
        "The grading prompt is ours, with the original's grades and rules; -T grader=official fetches the original's.",
    ],
)
