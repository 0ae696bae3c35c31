"""A class that comes from eval-framework: what would be left unread is refused, and what can be checked is, early."""

# ruff: noqa: ARG002, ARG005, RUF012 -- classes as the guide's authors write them

import hashlib
import json
import sys

import pytest

from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench_authoring import BaseTask, Message, ResponseType, Role, Sample, WordCounterMetricContext
from openbench_authoring.attributes import check_attributes
from openbench_authoring.metrics import (
    AccuracyCompletion,
    CSVFormat,
    JsonFormat,
    LanguageChecker,
    LengthControl,
    ParagraphCounter,
    WordCounter,
)

ROWS = [{"country": "Germany", "capital": "Berlin"}, {"country": "France", "capital": "Paris"}]


class Capitals(BaseTask[str]):
    NAME = "Capitals"
    DATASET_PATH = "rows.jsonl"
    SAMPLE_SPLIT = "rows"
    FEWSHOT_SPLIT = "rows"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [AccuracyCompletion]
    SUBJECTS = []

    def _get_instruction_text(self, item):
        return f"Capital of {item['country']}?"

    def _get_ground_truth(self, item):
        return item["capital"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Rows beside the classes of this module."""
    for split in ("rows", "train"):
        (tmp_path / f"{split}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), "utf-8")
    monkeypatch.setattr(sys.modules[__name__], "__file__", str(tmp_path / "task.py"))
    return tmp_path


def faults(**attributes):
    with pytest.raises(UsageError) as caught:
        check_attributes(type("Ported", (Capitals,), attributes), BaseTask)
    title, *lines = str(caught.value).splitlines()
    assert title.startswith("Ported has ")
    return [line.removeprefix("- ") for line in lines]


# --- hooks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "way_out"),
    [
        (
            "_get_example_messages",
            "override _get_instruction_text and _get_fewshot_target_text, or all of _get_messages",
        ),
        ("_get_instruction_messages", "override _get_instruction_text, or all of _get_messages"),
        (
            "generate_completions",
            "set max_tokens and stop_sequences in __init__, or the solver by inspect_ai.task_with",
        ),
        ("with_overwrite", "give the class subjects=[...] and revision=..."),
        ("_filter_task_subjects", "give the class subjects=[...]"),
        ("_apply_user_prompt_suffix", "end what _get_instruction_text gives with the suffix"),
        ("_get_choices", "name the choices in _get_instruction_text, and rank them by _get_possible_completions"),
        ("_get_raw_question", "give the question by _get_instruction_text"),
        ("_get_correct_index", "give the right answer by _get_ground_truth"),
    ],
)
def test_a_hook_that_is_never_called_is_refused(hook, way_out):
    assert faults(**{hook: lambda self, item: None}) == [f"{hook} has no meaning here: {way_out}."]


class Helped(Capitals):
    def _get_choices(self, item):
        return ["Berlin", "Paris"]

    def _get_instruction_text(self, item):
        return " or ".join(choice for choice in self._get_choices(item))


@pytest.mark.usefixtures("folder")
def test_a_helper_of_the_class_s_own_is_no_fault():
    assert Helped().to_task().dataset[0].input[0].text == "Berlin or Paris"


class Turned(Capitals):
    def _create_samples(self, item, index, subject) -> list[Sample]:
        messages: list[Message] = [
            Message(role=Role.SYSTEM, content="Be brief."),
            Message(role=Role.USER, content=f"Country of {item['capital']}?"),
            Message(role=Role.ASSISTANT, content="A:"),
        ]
        assert [message.role == role for message, role in zip(messages, Role, strict=True)] == [True] * 3
        return [Sample(id=index, subject=subject, messages=messages, ground_truth=item["country"])]


@pytest.mark.usefixtures("folder")
def test_messages_are_inspect_s():
    sample = Turned().to_task().dataset[0]
    assert [(message.role, message.text) for message in sample.input] == [
        ("system", "Be brief."),
        ("user", "Country of Berlin?"),
    ]
    assert sample.metadata == {"cue": "A:"}


class Unspoken(Capitals):
    def _get_messages(self, item):
        return [Message(role="narrator", content="Once")]


@pytest.mark.usefixtures("folder")
def test_a_role_that_there_is_not():
    with pytest.raises(DataError, match=r"row 1 of .*rows\.jsonl: 'narrator' is not a valid Role$"):
        Unspoken().to_task()


# --- pins and splits ------------------------------------------------------------------------------------------------


def test_a_file_is_checked_against_its_digest(folder):
    class Pinned(Capitals):
        SHA256 = hashlib.sha256((folder / "rows.jsonl").read_bytes()).hexdigest()

    assert len(Pinned(1).to_task().dataset) == 2
    with (folder / "rows.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(DataError, match=r"rows\.jsonl is not the pinned file: its sha256 is "):
        Pinned().to_task()


def test_each_split_has_a_digest_of_its_own(folder):
    class Pinned(Capitals):
        DATASET_PATH = "{split}.jsonl"
        FEWSHOT_SPLIT = "train"
        SHA256 = {
            "rows": hashlib.sha256((folder / "rows.jsonl").read_bytes()).hexdigest(),
            "train": "0" * 64,
        }

    assert len(Pinned().to_task().dataset) == 2
    with pytest.raises(DataError, match=r"train\.jsonl is not the pinned file: .* the pin is 0{64}"):
        Pinned(1).to_task()


DIGESTS = "expected the digest of the file, 64 hex digits in lower case, a dict of digests by split, or None"
TWO_SPLITS = (
    "DATASET_PATH 'rows.jsonl' is one file, but SAMPLE_SPLIT and FEWSHOT_SPLIT name two splits, 'rows' and 'train'. "
    "Write {split} in the path in place of the split's name, or name the same split in both."
)


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        ({"SHA256": "A" * 64}, f"SHA256 is {'A' * 64!r}: {DIGESTS}."),
        ({"SHA256": {"rows": 7}}, f"SHA256 is {{'rows': 7}}: {DIGESTS}."),
        ({"SHA256": {"train": "0" * 64}}, "SHA256 has no digest of the split 'rows'. Add the digest of its file."),
        (
            {"SHA256": "0" * 64, "DATASET_PATH": "example/capitals"},
            "SHA256 pins a file, but DATASET_PATH 'example/capitals' is a dataset of the Hub. Pin it by HF_REVISION.",
        ),
        (
            {"HF_REVISION": "0" * 40},
            "HF_REVISION pins a dataset of the Hub, but DATASET_PATH 'rows.jsonl' is a file. Pin it by SHA256.",
        ),
        (
            {"FEWSHOT_SPLIT": "train"},
            TWO_SPLITS,
        ),
        (
            {"FEWSHOT_SPLIT": "train", "DATASET_PATH": "{split}.jsonl", "SHA256": "0" * 64},
            "SHA256 is one digest, but the splits 'rows' and 'train' are two files. Give a dict of digests by split.",
        ),
    ],
)
def test_pins_and_splits_that_do_not_fit_the_path(attributes, fault):
    assert faults(**attributes) == [fault]


def test_a_class_that_reads_in_its_own_way_decides_on_its_splits():
    own = {"_read_split": lambda self, split: None, "FEWSHOT_SPLIT": "train"}
    check_attributes(type("Own", (Capitals,), own), BaseTask)


# --- what metrics read ----------------------------------------------------------------------------------------------

NO_CONTEXT = "the metric needs a {}, but the sample's context is none. Return one from _get_context."


@pytest.mark.parametrize(
    ("metric", "problem"),
    [
        (JsonFormat, "a JSON object with json_schema is expected as ground truth, which is 'Berlin'"),
        (CSVFormat, "a JSON object with separator and columns is expected as ground truth, which is 'Berlin'"),
        (LengthControl, "a JSON object with unit and type and count is expected as ground truth, which is 'Berlin'"),
        (
            WordCounter,
            NO_CONTEXT.format("WordCounterMetricContext"),
        ),
        (
            ParagraphCounter,
            NO_CONTEXT.format("ParagraphCounterMetricContext"),
        ),
    ],
)
def test_a_ground_truth_that_a_metric_cannot_read_stops_before_a_model_is_asked(folder, metric, problem):
    task = type("Wanting", (Capitals,), {"METRICS": [AccuracyCompletion, metric]})
    with pytest.raises(DataError) as caught:
        task().to_task()
    assert str(caught.value) == f"row 1 of {folder / 'rows.jsonl'}: {metric.__name__} cannot score it: {problem}"


@pytest.mark.usefixtures("folder")
def test_a_language_is_asked_for_by_the_ground_truth_or_the_context():
    asked = {"METRICS": [LanguageChecker], "_get_ground_truth": lambda self, item: None}
    with pytest.raises(DataError, match="LanguageChecker cannot score it: the metric needs a LanguageMetricContext, "):
        type("Asked", (Capitals,), asked)().to_task()
    assert type("Asked", (Capitals,), {"METRICS": [LanguageChecker]})().to_task()


@pytest.mark.usefixtures("folder")
def test_what_fits_a_metric_passes():
    class Counted(Capitals):
        METRICS = [WordCounter]

        def _get_context(self, item):
            return WordCounterMetricContext(comparison="less than", word_count=3)

    assert len(Counted().to_task().dataset) == 2


def test_sample_rows_take_the_place_of_a_pinned_file(folder):
    class Pinned(Capitals):
        SHA256 = "0" * 64

    with bundled_rows(folder):
        assert len(Pinned().to_task().dataset) == 2
