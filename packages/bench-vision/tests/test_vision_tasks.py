"""Rows as samples, the originals' prompts, a grader that extracts, and rows of the Hub with image columns."""

import hashlib
import io
import json
import os
import subprocess
import sys

import pytest
from datasets import Dataset, Features, Value
from datasets import Image as ImageColumn
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ContentImage, ModelOutput, ModelUsage, get_model
from PIL import Image

from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.registry.sources import package_folder
from openbench_testing import HubServer
from openbench_vision import mathvista as mathvista_module
from openbench_vision import mmmu as mmmu_module
from openbench_vision import mmmu_pro as mmmu_pro_module
from openbench_vision.chartqapro import chartqapro
from openbench_vision.mathvista import mathvista
from openbench_vision.metadata import BENCHMARKS, MMSTAR, SUBJECTS
from openbench_vision.mmmu import mmmu, read_option_list
from openbench_vision.mmmu_pro import mmmu_pro, mmmu_pro_vision
from openbench_vision.mmstar import mmstar, read_question_options

MMMU_PROMPT = 'multi_choice_example_format:\n- "{}|{}|Name it."\nshort_ans_example_format:\n- "{}|Say it."\n'
PRO_PROMPTS = "cot:\n  standard: Think, then name it.\n  vision: Read, think, name it.\n"
EXAMPLES = 'demo_prompt = """\nAn example.\n"""\n'


@pytest.fixture
def sample_task():
    """Build a task from the sample rows of its benchmark."""

    def build(function, **arguments):
        with bundled_rows(package_folder(function.__module__) / "samples" / function.__name__):
            return function(**arguments)

    return build


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Publish a text in the place of an original's."""
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "data"))
    with HubServer() as hub:

        def publish(module, name, text):
            data = text.encode()
            source = DatasetSource(
                source=hub.add_file(name, data), type="text", sha256=hashlib.sha256(data).hexdigest()
            )
            monkeypatch.setattr(module, name, source)

        yield publish


def images_of(sample):
    return [part.image for part in sample.input[0].content if isinstance(part, ContentImage)]


def test_subjects():
    assert sum(map(len, SUBJECTS.values())) == 30
    assert all(metadata.dataset.pinned for metadata in BENCHMARKS.values())


def test_questions_of_mmmu_offer_options_or_are_open(sample_task):
    samples = {str(sample.id): sample for sample in sample_task(mmmu).dataset}
    closed, opened = samples["validation_Math_902"], samples["validation_Biology_905"]
    assert closed.choices == ["<image 1>", "<image 2>", "<image 3>"]
    assert len(images_of(closed)) == 3
    assert (opened.choices, opened.target) == (None, ["root", "roots"])
    assert closed.metadata == {"discipline": "Science", "subject": "Math"}


def test_subjects_of_mmmu_can_be_selected(sample_task):
    assert [sample.metadata["subject"] for sample in sample_task(mmmu, subject="art,math").dataset] == ["Math", "Art"]
    with pytest.raises(UsageError, match=r"mmmu: subject: 'Latin' does not exist"):
        mmmu(subject="Latin")
    with pytest.raises(UsageError, match=r"mmmu: the split 'test' has no labels"):
        mmmu(split="test")
    with pytest.raises(UsageError, match=r"mmmu: prompt='cot': expected one of ours, official"):
        mmmu(prompt="cot")


def test_the_official_prompts(sample_task, published):
    published(mmmu_module, "MMMU_PROMPT", MMMU_PROMPT)
    published(mmmu_pro_module, "MMMU_PRO_PROMPTS", PRO_PROMPTS)
    first, _, opened, *_ = sample_task(mmmu, prompt="official").dataset
    assert first.input[0].text.endswith(
        "first time?|(A) The second\n(B) The third\n(C) The fourth\n(D) In none\n|Name it."
    )
    assert opened.input[0].text.endswith("|Say it.")
    first, *_ = sample_task(mmmu_pro, prompt="cot").dataset
    assert first.input[0].text.endswith("I. grey\nJ. brown\nThink, then name it.")
    first, *_ = sample_task(mmmu_pro_vision, prompt="cot").dataset
    assert first.input[0].text == "Read, think, name it."


def test_a_list_of_options_in_a_list():
    assert read_option_list("[['A', 'B', 'Not enough information']]") == ["A", "B", "Not enough information"]
    assert read_option_list("['1', '2.5']") == ["1", "2.5"]
    with pytest.raises(ValueError, match=r"malformed"):
        read_option_list("f(x)")


def test_the_options_of_an_image_are_not_in_the_prompt(sample_task):
    first, *_ = sample_task(mmmu_pro_vision).dataset
    assert first.metadata["options"] == ["17th", "18th", "19th", "20th"]
    assert "18th" not in first.input[0].text
    assert "one of A, B, C, D." in first.input[0].text


def test_the_options_of_mmstar_are_read_in_both_forms():
    assert read_question_options("Which?\nOptions: A: a cat, B: 3, 4, C: no") == {"A": "a cat", "B": "3, 4", "C": "no"}
    assert read_question_options("Which?\nOptions: A: a cat, C: none") == {}
    assert read_question_options("Q?\nChoices:\n(A) 1\n(B) 2") == {"A": "1", "B": "2"}
    assert read_question_options("Which letter, A: or B: ?") == {}


def test_the_earlier_turns_of_a_conversation_come_with_their_answers(sample_task):
    sample = next(s for s in sample_task(chartqapro).dataset if s.metadata["question_type"] == "Conversational")
    text = sample.input[0].text
    assert (
        "Question: And in the year after that on the chart?\nAnswer: 54\n\nQuestion: By how many did it fall?" in text
    )
    assert text.endswith("By how many did it fall?")
    assert (sample.target, sample.metadata["years"]) == ("6", ["NO"])


def test_a_grader_extracts_the_answer(sample_task, published, tmp_path):
    published(mathvista_module, "MATHVISTA_EXTRACTION", EXAMPLES)
    asked = []

    def usage(text):
        output = ModelOutput.from_content("mock", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    def answer(messages, *_):
        return usage("2" if "squares" in messages[-1].text else "I say the longest one is thirteen.")

    def extract(messages, *_):
        asked.append(messages[-1].text)
        return usage("(C)" if "hypotenuse" in messages[-1].text else "none")

    grader = get_model("mockllm/grader", custom_outputs=extract, memoize=False)
    task = sample_task(mathvista, extraction="grader")
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_eval(task, model=model, model_roles={"grader": grader}, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    scores = {sample.id: sample.scores["mathvista_grader"] for sample in log.samples}
    assert len(asked) == len(scores) - 1  # the bare number needs no grader
    assert all(text.startswith("An example.\n\nHint:") for text in asked)
    assert all(text.endswith("is thirteen.\n\nExtracted answer: ") for text in asked)
    assert {id_ for id_, score in scores.items() if score.value == "C"} == {"9001", "9002"}
    assert scores["9003"].reason == "invalid_response_format"


def test_an_extraction_that_does_not_exist():
    with pytest.raises(UsageError, match=r"mathvista: extraction='magic': expected one of rules, grader"):
        mathvista(extraction="magic")


def test_a_row_without_its_image(tmp_path):
    row = {"index": 1, "question": "?", "image": None, "answer": "A", "category": "c", "l2_category": "d"}
    (tmp_path / "val.jsonl").write_text(json.dumps(row), "utf-8")
    with (
        bundled_rows(tmp_path),
        pytest.raises(DataError, match=r"row 1 of .*val.jsonl: the image is None, expected bytes"),
    ):
        mmstar()


def test_image_columns_of_the_hub_are_stored_and_read_offline(tmp_path):
    rows = []
    for index, colour in enumerate(["red", "green", "blue"]):
        buffer = io.BytesIO()
        Image.new("RGB", (8, 8), colour).save(buffer, format="PNG")
        question = "Which colour?\nOptions: A: red, B: green, C: blue, D: black"
        rows.append(
            {
                "index": index,
                "question": question,
                "image": {"bytes": buffer.getvalue(), "path": f"{index}.png"},
                "answer": "ABC"[index],
                "category": "perception",
                "l2_category": "colour",
            }
        )
    texts = ("question", "answer", "category", "l2_category")
    features = Features({"index": Value("int64"), "image": ImageColumn(), **dict.fromkeys(texts, Value("string"))})
    Dataset.from_list(rows, features=features).to_parquet(tmp_path / "val.parquet")
    card = b"---\nconfigs:\n- config_name: val\n  data_files:\n  - split: val\n    path: val.parquet\n---\n"
    with HubServer() as hub:
        commit = hub.commit(MMSTAR.source, {"README.md": card, "val.parquet": (tmp_path / "val.parquet").read_bytes()})
        command = [sys.executable, "-c", _READ.format(commit=commit)]
        environment = {**os.environ, **hub.environment(tmp_path / "cache")}
        fetched = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert fetched.returncode == 0, fetched.stderr
    offline = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert offline.returncode == 0, offline.stderr
    assert offline.stdout == fetched.stdout
    assert fetched.stdout.count("data:image/png;base64,") == 3


_READ = """
from dataclasses import replace
from openbench_vision import mmstar
mmstar.MMSTAR = replace(mmstar.MMSTAR, revision="{commit}")
for sample in mmstar.mmstar().dataset:
    print(sample.id, sample.target, sample.input[0].content[0].image)
"""
