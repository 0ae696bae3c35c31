"""A benchmark as a class: the guide's own, and what its author can get wrong."""

# ruff: noqa: ARG002, ARG005, RUF012 -- classes as the guide's authors write them

import asyncio
import json
import os
import re
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from openbench.cli.main import run
from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench.ranking import ranking_request
from openbench_authoring import (
    NO_SUBJECT,
    BaseMetric,
    BaseTask,
    Completion,
    Language,
    ResponseType,
    Sample,
    WordCounterMetricContext,
)
from openbench_authoring.attributes import check_attributes
from openbench_authoring.metrics import F1, AccuracyCompletion, AccuracyLoglikelihood, AccuracyNormLoglikelihood
from openbench_testing import HubServer

README = Path(__file__).parent.parent / "README.md"

TEST = [
    {"country": "Germany", "capital": "Berlin", "subject": "Europe"},
    {"country": "France", "capital": "Paris", "subject": "Europe"},
    {"country": "Japan", "capital": "Tokyo", "subject": "Asia"},
]
TRAIN = [
    {"country": "Italy", "capital": "Rome", "subject": "Europe"},
    {"country": "Spain", "capital": "Madrid", "subject": "Europe"},
    {"country": "Malta", "capital": "Valletta", "subject": "Europe"},
    {"country": "France", "capital": "Paris", "subject": "Europe"},
    {"country": "India", "capital": "New Delhi", "subject": "Asia"},
    {"country": "Japan", "capital": "Tokyo", "subject": "Asia"},
]


class GeographyQATask(BaseTask[str]):
    """The class of the guide, in our words; nothing but its imports is ours."""

    NAME = "GeographyQA"
    DATASET_PATH = "example/geography_qa"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "train"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [AccuracyCompletion]
    SUBJECTS = ["Europe", "Asia"]

    def _get_instruction_text(self, item: dict[str, Any]) -> str:
        return f"Q: Capital of {item['country']}?"

    def _get_ground_truth(self, item: dict[str, Any]) -> str:
        return f"A: {item['capital']}."

    def _get_system_prompt_text(self, item: dict[str, Any]) -> str:
        return "Be accurate."

    def _get_cue_text(self, item: dict[str, Any]) -> str:
        return "A:"

    def _sample_fewshot_examples(self, item: dict[str, Any]) -> list[dict]:
        return self.rnd.sample(self.dataset[self.FEWSHOT_SPLIT], self.num_fewshot)


@pytest.fixture
def rows(tmp_path):
    """Write rows by split; what a task reads is bundled rows of these names."""

    def write(folder=tmp_path, **splits):
        folder.mkdir(parents=True, exist_ok=True)
        for split, of in splits.items():
            (folder / f"{split}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in of), "utf-8")
        return folder

    return write


@pytest.fixture
def task_of(rows):
    """Build the task of a class from rows that the test gives."""

    def build(task_class, test=TEST, train=TRAIN, num_fewshot=0, **options):
        with bundled_rows(rows(test=test, train=train)):
            return task_class(num_fewshot, **options).to_task()

    return build


def told(sample):
    return [(message.role, message.text) for message in sample.input]


def by_country(task):
    return {re.findall(r"of (\w+)\?", sample.input[-1].text)[0]: sample for sample in task.dataset}


def solvers(task):
    return [registry_info(solver).name.rpartition("/")[2] for solver in task.solver]


def scores(task, sample, completion):
    state = TaskState(
        ModelName("none/none"),
        sample.id,
        1,
        sample.input,
        list(sample.input),
        output=ModelOutput.from_content("none/none", completion),
        metadata=dict(sample.metadata or {}),
    )
    target = Target(sample.target)
    return {registry_info(s).name.partition("/")[2]: asyncio.run(s(state, target)) for s in task.scorer}


# --- the guide ------------------------------------------------------------------------------------------------------


def test_the_guide_s_class(task_of):
    task = task_of(GeographyQATask)
    samples = by_country(task)
    assert told(samples["Germany"]) == [("system", "Be accurate."), ("user", "Q: Capital of Germany?")]
    assert samples["Germany"].target == ["A: Berlin."]
    assert samples["Germany"].metadata == {"subject": "Europe", "cue": "A:"}
    assert solvers(task) == ["cue", "generate"]
    for completion in (" Berlin.", "A: Berlin.", "Berlin."):
        assert scores(task, samples["Germany"], completion)["accuracy_completion"].value == "C"
    assert scores(task, samples["Germany"], " Paris.")["accuracy_completion"].value == "I"


def test_examples_are_turns_before_the_question(task_of):
    sample = by_country(task_of(GeographyQATask, num_fewshot=1))["Japan"]
    assert told(sample) == [
        ("system", "Be accurate."),
        ("user", "Q: Capital of India?"),
        ("assistant", "A: New Delhi."),
        ("user", "Q: Capital of Japan?"),
    ]


def test_examples_are_one_message_if_asked(task_of):
    sample = task_of(GeographyQATask, num_fewshot=1, subjects="Asia", few_shot_as="message").dataset[0]
    assert told(sample)[1:] == [("user", "Q: Capital of India?\nA: New Delhi.\n\nQ: Capital of Japan?")]


class Introduced(GeographyQATask):
    def _get_initial_prompt_text(self, item):
        return "Now some questions."


@pytest.mark.parametrize("as_", ["turns", "message"])
@pytest.mark.parametrize(("count", "first"), [(0, "Japan"), (1, "India")])
def test_the_initial_prompt_stands_before_the_first_instruction(task_of, count, first, as_):
    sample = task_of(Introduced, num_fewshot=count, subjects="Asia", few_shot_as=as_).dataset[0]
    texts = [text for role, text in told(sample) if role == "user"]
    assert texts[0].startswith(f"Now some questions.\n\nQ: Capital of {first}?")
    assert sum("Now some" in text for text in texts) == 1


def test_a_pool_that_is_too_small_says_so(task_of):
    with pytest.raises(DataError) as caught:
        task_of(GeographyQATask, num_fewshot=2)
    assert str(caught.value) == (
        "GeographyQA: 2 few-shot examples were asked for, but the split 'train' has 1 of the subject 'Asia' (the item "
        "itself does not count). Ask for fewer."
    )


class DefaultExamples(GeographyQATask):
    def _sample_fewshot_examples(self, item):
        return BaseTask._sample_fewshot_examples(self, item)


@pytest.mark.parametrize("task_class", [GeographyQATask, DefaultExamples])
def test_a_limit_and_other_subjects_change_no_example(task_of, task_class):
    full = {s.id: told(s) for s in task_of(task_class, num_fewshot=1).dataset}
    part = {s.id: told(s) for s in task_of(task_class, num_fewshot=1, limit=1, subjects=["Europe"]).dataset}
    assert len(part) == 1
    assert part.items() <= full.items()
    assert full.keys() == {s.id for s in task_of(task_class).dataset}


@settings(max_examples=25, deadline=None)
@given(
    capitals=st.lists(st.sampled_from("ABCDEFGH"), min_size=5, max_size=12).filter(lambda c: len(set(c)) > 3),
    seed=st.integers(0, 99),
)
def test_no_example_is_ever_the_item_nor_equal_to_it(tmp_path_factory, capitals, seed):
    class SameSplit(GeographyQATask):
        SUBJECTS = []
        FEWSHOT_SPLIT = "test"

    folder = tmp_path_factory.mktemp("rows")
    lines = [json.dumps({"country": capital * 2, "capital": capital}) for capital in capitals]
    (folder / "test.jsonl").write_text("\n".join(lines), "utf-8")
    with bundled_rows(folder):
        samples = SameSplit(2, seed=seed).to_task().dataset
    for sample in samples:
        *examples, asked = [text for role, text in told(sample) if role == "user"]
        assert len(examples) == 2
        assert asked not in examples


def test_without_examples_their_split_is_not_read(rows):
    with bundled_rows(rows(test=TEST)):
        assert len(GeographyQATask().to_task().dataset) == 3


# --- subjects, ids, metrics -----------------------------------------------------------------------------------------


class Continent(Enum):
    EUROPE = "Europe"
    ASIA = "Asia"


class ByEnum(GeographyQATask):
    SUBJECTS = [Continent.ASIA, Continent.EUROPE]

    def _get_instruction_text(self, item):
        return f"{item['subject'].name}: capital of {item['country']}?"


def test_a_row_has_its_subject_as_the_class_names_it(task_of):
    task = task_of(ByEnum)
    assert [told(sample)[-1][1] for sample in task.dataset] == [
        "ASIA: capital of Japan?",
        "EUROPE: capital of Germany?",
        "EUROPE: capital of France?",
    ]
    assert [sample.id.partition(":")[0] for sample in task.dataset] == ["Asia", "Europe", "Europe"]


def test_tuples_are_subjects_by_their_parts(task_of):
    class ByTuple(GeographyQATask):
        SUBJECTS = [("en", "x"), ("de", "x")]

        def _get_system_prompt_text(self, item):
            return "/".join(item["subject"])

    rows = [{"country": "A", "capital": "B", "subject": name} for name in ("en_x", "de_x")]
    task = task_of(ByTuple, test=rows)
    assert [(s.input[0].text, s.metadata["subject"]) for s in task.dataset] == [("en/x", "en_x"), ("de/x", "de_x")]


def test_figures_by_subject_are_reported_if_there_are_several(task_of):
    def names(task):
        return [
            registry_info(metric).name.rpartition("/")[2]
            for metric in registry_info(task.scorer[0]).metadata["metrics"]
        ]

    assert names(task_of(GeographyQATask)) == ["accuracy", "stderr", "by_group", "macro_average"]
    assert names(task_of(GeographyQATask, subjects="Asia")) == ["accuracy", "stderr"]


def test_equal_rows_of_two_subjects_have_ids_of_their_own(task_of):
    same = {"country": "Atlantis", "capital": "Poseidia"}
    task = task_of(GeographyQATask, test=[{**same, "subject": name} for name in ("Europe", "Europe", "Asia")])
    ids = [sample.id for sample in task.dataset]
    assert len(set(ids)) == 3
    assert ids[1] == f"{ids[0]}-2"


class WithoutSubjects(GeographyQATask):
    SUBJECTS = [NO_SUBJECT]


def test_without_subjects_ids_and_metadata_have_none(task_of):
    task = task_of(WithoutSubjects, test=[{"country": "Malta", "capital": "Valletta"}])
    (sample,) = task.dataset
    assert ":" not in sample.id
    assert sample.metadata == {"cue": "A:"}


def test_rows_that_name_no_subject(task_of):
    with pytest.raises(DataError) as caught:
        task_of(GeographyQATask, test=[{"country": "Malta", "capital": "Valletta"}])
    assert str(caught.value).endswith(
        "test.jsonl: its rows have no column 'subject' (columns: country, capital), so that nothing says which of the "
        "subjects Europe, Asia they are of. Add the column, or leave SUBJECTS empty."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subjects": "Asien"}, "there is no subject 'Asien'. Did you mean Asia? Subjects: Europe, Asia."),
        ({"subjects": []}, "subjects=[]: expected one at least, or None for all of them."),
        ({"subjects": 5}, "there is no subject '5'. Subjects: Europe, Asia."),
        ({"limit": 0}, "limit=0: expected a whole number of 1 or more."),
        ({"num_fewshot": -1}, "num_fewshot=-1: expected a whole number of 0 or more."),
        ({"num_fewshot": "2"}, "num_fewshot='2': expected a whole number of 0 or more."),
        ({"few_shot_as": "chat"}, "few_shot_as='chat': expected one of turns, message."),
        ({"cue": "never"}, "cue='never': expected one of auto, prefill, append."),
    ],
)
def test_options_that_cannot_be_had(options, message):
    with pytest.raises(UsageError) as caught:
        GeographyQATask(**options)
    assert str(caught.value) == f"GeographyQATask: {message}"


def test_languages_are_in_the_metadata(task_of):
    class Bilingual(GeographyQATask):
        LANGUAGE = {"Europe": Language.DEU, "Asia": (Language.ENG, Language.JPN)}

    said = {s.metadata["subject"]: s.metadata["language"] for s in task_of(Bilingual).dataset}
    assert said == {"Europe": "German", "Asia": "English-Japanese"}


# --- the class's own faults -----------------------------------------------------------------------------------------


FAULTS = """\
Faulty has 11 faults:
- DATASET_PATH is missing: expected a text, a dataset id of the Hub or the path or URL of a .jsonl, .json or .csv file.
- METRICS is missing: expected a list of one metric class at least, such as [AccuracyCompletion].
- METRIC is not known. Did you mean METRICS? If it is your own, give it another name.
- _get_instructions_text is not known. Did you mean _get_instruction_text? If it is your own, give it another name.
- NAME is 7: expected a text, the name that people read.
- RESPONSE_TYPE is 'completion': expected ResponseType.COMPLETION or ResponseType.LOGLIKELIHOODS.
- SUBJECTS has 'a' more than once. Name each subject once.
- LANGUAGE is 'German': expected a Language, a dict of them (or of pairs of them) by subject, or None.
- PERTURBATION_UNMODIFIABLE_WORDS is 'not': expected a list of words, or None.
- TASK_STYLER has no meaning here: write the hooks out, or use openbench's MCQEval(style=...).
- _get_instruction_text(item) is missing: it must be defined."""


def test_all_faults_of_a_class_are_named_at_once():
    class Faulty(BaseTask[str]):
        NAME = 7
        METRIC = [AccuracyCompletion]
        SAMPLE_SPLIT = "test"
        FEWSHOT_SPLIT = "train"
        RESPONSE_TYPE = "completion"
        SUBJECTS = ["a", "a"]
        LANGUAGE = "German"
        PERTURBATION_UNMODIFIABLE_WORDS = "not"
        TASK_STYLER = object()

        def _get_instructions_text(self, item):
            return ""

        def _get_ground_truth(self, item):
            return ""

    with pytest.raises(UsageError) as caught:
        Faulty()
    assert str(caught.value) == FAULTS


class Nameless(BaseMetric[Completion]):
    def calculate(self, response):
        return []


class Idle(BaseMetric[Completion]):
    NAME = "Idle"


class AlsoF1(F1):
    pass


HF_REVISION = (
    "HF_REVISION is 3: expected a commit of the Hub's repository, 40 hex digits (a branch pins nothing), or None."
)
OTHER_TYPE = (
    "METRICS: AccuracyLoglikelihood scores LOGLIKELIHOODS, but RESPONSE_TYPE is COMPLETION. Change one of the two."
)


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        (
            {"METRICS": [AccuracyLoglikelihood]},
            OTHER_TYPE,
        ),
        (
            {"RESPONSE_TYPE": ResponseType.LOGLIKELIHOODS, "METRICS": [AccuracyLoglikelihood]},
            "_get_possible_completions(item) is missing: a task of LOGLIKELIHOODS ranks what it gives.",
        ),
        ({"METRICS": []}, "METRICS is []: expected a list of one metric class at least, such as [AccuracyCompletion]."),
        (
            {"METRICS": ["accuracy"]},
            "METRICS: 'accuracy' is no metric. Name the class of one, such as AccuracyCompletion.",
        ),
        ({"METRICS": [Nameless]}, "METRICS: Nameless has no NAME. Set one, which logs call it by."),
        ({"METRICS": [Idle]}, "METRICS: Idle does not define calculate(response)."),
        ({"METRICS": [F1, AlsoF1]}, "METRICS: two metrics are named 'f1' in logs. Change the NAME of AlsoF1."),
        (
            {"LANGUAGE": {"Europe": Language.DEU}},
            "LANGUAGE says nothing of Asia. Add them, or give one Language for all.",
        ),
        (
            {"_load_dataset": lambda self, subject: None},
            "_load_dataset has no meaning here: override _read_split(split), which gives the rows of all subjects.",
        ),
        (
            {"HF_REVISION": 3},
            HF_REVISION,
        ),
        (
            {"LANGUAGES": ["de"]},
            "LANGUAGES is not known. Did you mean LANGUAGE? If it is your own, give it another name.",
        ),
        (
            {"_get_cue_texts": lambda self, item: ""},
            "_get_cue_texts is not known. Did you mean _get_cue_text? If it is your own, give it another name.",
        ),
    ],
)
def test_a_fault_of_a_class(attributes, fault):
    base = BaseTask if "_get_cue_texts" in attributes else GeographyQATask
    own = {name: vars(GeographyQATask)[name] for name in vars(GeographyQATask) if name != "_get_cue_text"}
    task = type("Faulty", (base,), {**own, **attributes} if base is BaseTask else attributes)
    with pytest.raises(UsageError) as caught:
        check_attributes(task, BaseTask)
    assert str(caught.value) == f"Faulty has a fault:\n- {fault}"


def test_own_constants_and_helpers_are_no_faults():
    class Own(GeographyQATask):
        MOST_WORDS = 5
        _cache = None

        def _get_prompt(self):
            return ""

    check_attributes(Own, BaseTask)


# --- rows that do not fit -------------------------------------------------------------------------------------------


def failing(hook, function, base=GeographyQATask):
    return type("Failing", (base,), {hook: function, "SUBJECTS": []})


def assertion(_, item):
    assert item["capital"] != "Berlin", "no Berlin"


@pytest.mark.parametrize(
    ("task_class", "message"),
    [
        (
            failing("_get_ground_truth", lambda self, item: item["city"]),
            "has no 'city' (columns: country, capital, subject). Check the mapping of its columns, or pin the revision",
        ),
        (failing("_get_instruction_text", assertion), ": AssertionError: no Berlin"),
        (failing("_get_instruction_text", lambda self, item: 1 / 0), ": ZeroDivisionError: division by zero"),
        (failing("_get_cue_text", lambda self, item: 7), ": _get_cue_text gives 7, where a text is expected"),
        (
            failing("_get_ground_truth", lambda self, item: 7),
            ": the ground truth is 7, where a text, a list of texts or None is expected",
        ),
        (
            failing("_create_samples", lambda self, item, index, subject: {}),
            ": _create_samples gives {}, where a list of our Sample is expected",
        ),
    ],
)
def test_a_row_that_does_not_fit_is_named(task_of, task_class, message):
    with pytest.raises(DataError) as caught:
        task_of(task_class)
    where, _, what = str(caught.value).partition("test.jsonl")
    assert where.startswith("row 1 of ")
    assert what.lstrip().startswith(message)  # pytest says more of an assertion than Python does


def test_an_example_that_does_not_fit_is_told_from_the_row(task_of):
    with pytest.raises(DataError) as caught:
        task_of(WithoutSubjects, train=[{"country": "Italy"}], num_fewshot=1)
    assert str(caught.value) == (
        "GeographyQA: a few-shot example of the split 'train' has no 'capital' (columns: country, subject). Check the "
        "hooks, or pin the revision."
    )


def test_an_example_of_several_right_answers_needs_a_text(task_of):
    several = failing("_get_ground_truth", lambda self, item: [item["capital"]])
    with pytest.raises(DataError, match=r"where a text is expected\. Override _get_fewshot_target_text$"):
        task_of(several, num_fewshot=1)


# --- ranking --------------------------------------------------------------------------------------------------------


class Ranked(GeographyQATask):
    RESPONSE_TYPE = ResponseType.LOGLIKELIHOODS
    METRICS = [AccuracyLoglikelihood, AccuracyNormLoglikelihood]

    def _get_ground_truth(self, item):
        return f" {item['capital']}"

    def _get_possible_completions(self, item):
        return [" Berlin", " Paris", " Tokyo", " Tokyo"]


def test_options_are_ranked_after_the_cue(task_of):
    task = task_of(Ranked, num_fewshot=1)
    sample = by_country_of_ranked(task)["Japan"]
    request = ranking_request(sample)
    assert [(m.role, m.text) for m in request.messages][-2:] == [
        ("user", "Q: Capital of Japan?"),
        ("assistant", "A:"),
    ]
    assert request.continuations == [" Berlin", " Paris", " Tokyo", " Tokyo"]
    assert request.gold == [2, 3]
    assert solvers(task) == ["rank"]


def by_country_of_ranked(task):
    return {re.findall(r"of (\w+)\?", sample.input[-2].text)[0]: sample for sample in task.dataset}


def test_a_ground_truth_that_is_no_option(task_of):
    class Lost(Ranked):
        def _get_ground_truth(self, item):
            return item["capital"]

    with pytest.raises(DataError) as caught:
        task_of(Lost)
    assert str(caught.value).endswith(
        "(Europe): the ground truth 'Berlin' is not among the possible completions ' Berlin', ' Paris', ' Tokyo', "
        "' Tokyo'"
    )


# --- several samples a row, post-processing, generation -------------------------------------------------------------


class Twice(GeographyQATask):
    def __init__(self, num_fewshot: int = 0) -> None:
        super().__init__(num_fewshot)
        self.max_tokens = 20
        self.stop_sequences = ["\n"]

    def _create_samples(self, item, index, subject):
        turned = [ChatMessageUser(content=f"Country of {item['capital']}?")]
        (asked,) = super()._create_samples(item, index, subject)
        return [asked, Sample(id=index + 1, subject=subject, messages=turned, ground_truth=[item["country"]])]


def test_several_samples_of_a_row_have_ids_of_their_own(task_of):
    task = task_of(Twice)
    first, second, *_ = task.dataset
    assert second.id == f"{first.id}.2"
    assert told(second) == [("user", "Country of Berlin?")]
    assert "cue" not in second.metadata
    assert len({sample.id for sample in task.dataset}) == 6
    assert (task.config.max_tokens, task.config.stop_seqs) == (20, ["\n"])


class Named(GeographyQATask):
    def _create_samples(self, item, index, subject):
        (made,) = super()._create_samples(item, index, subject)
        made.id = item["country"]
        return [made]


def test_an_id_that_is_a_text_stands(task_of):
    assert [s.id for s in task_of(Named).dataset] == ["Europe:Germany", "Europe:France", "Asia:Japan"]


class PostProcessed(GeographyQATask):
    METRICS = [AccuracyCompletion, F1]

    def _get_context(self, item):
        return WordCounterMetricContext(comparison="less than", word_count=3)

    def post_process_generated_completion(self, completion_text, sample=None):
        assert sample is not None
        assert (sample.subject, sample.ground_truth) == ("Europe", "A: Berlin.")
        assert sample.context == WordCounterMetricContext(comparison="less than", word_count=3)
        assert [message.text for message in sample.messages] == ["Be accurate.", "Q: Capital of Germany?", "A:"]
        if "fail" in completion_text:
            raise RuntimeError(completion_text)
        return completion_text.partition("####")[2] + "!" * self.num_fewshot


def test_scorers_post_process_what_the_model_wrote(task_of):
    task = task_of(PostProcessed)
    sample = by_country(task)["Germany"]
    found = scores(task, sample, "I think. #### Berlin.")
    assert found["accuracy_completion"].value == "C"
    assert found["f1"].value == pytest.approx(2 / 3)
    failed = scores(task, sample, "fail")["accuracy_completion"]
    assert failed.explanation == "Not scored: AccuracyCompletion failed: RuntimeError: fail"


def test_a_class_within_a_function_cannot_be_found_again(task_of):
    class Lost(GeographyQATask):
        def post_process_generated_completion(self, completion_text, sample=None):
            return completion_text

    with pytest.raises(UsageError, match="a class that post-processes completions must stand at the top of a module"):
        task_of(Lost)


def test_typing_errors_spare_the_class_s_words_and_need_no_other_sample(task_of):
    class Careful(GeographyQATask):
        PERTURBATION_UNMODIFIABLE_WORDS = ["Capital", "of"]

    full = task_of(Careful, perturbation="uppercase", num_fewshot=1)
    texts = [text for role, text in told(full.dataset[0]) if role == "user"]
    assert all(re.fullmatch(r"Q: Capital of [A-Z]+\?", text) for text in texts)
    assert told(full.dataset[0])[0] == ("system", "Be accurate.")
    editor = {s.id: told(s) for s in task_of(Careful, perturbation="editor").dataset}
    assert {s.id: told(s) for s in task_of(Careful, perturbation="editor", limit=1).dataset}.items() <= editor.items()
    with pytest.raises(UsageError, match="the kind 'typos' is unknown"):
        Careful(perturbation="typos")


class German(ByEnum):
    LANGUAGE = {"Asia": Language.ENG, "Europe": Language.DEU}

    def _get_instruction_text(self, item):
        return "abcdefghijklmnopqrstuvw" * 20


def test_typing_errors_are_in_the_language_of_the_subject(task_of):
    texts = {s.metadata["subject"]: s.input[-1].text for s in task_of(German, perturbation="replace").dataset}
    assert not set("äöüß") & set(texts["Asia"])
    assert set("äöüß") & set(texts["Europe"])


class Drawing(WithoutSubjects):
    def _get_system_prompt_text(self, item):
        return str(self.rnd.random())


def test_the_item_s_random_numbers_are_its_own(task_of):
    drawn = [s.input[0].text for s in task_of(Drawing).dataset]
    assert len(set(drawn)) == 3
    assert [s.input[0].text for s in task_of(Drawing, test=TEST[2:]).dataset] == drawn[2:]
    assert [s.input[0].text for s in task_of(Drawing, seed=3).dataset] != drawn


# --- sources --------------------------------------------------------------------------------------------------------


def test_files_beside_the_class(rows, monkeypatch, tmp_path):
    rows(tmp_path / "rows", test=TEST, train=TRAIN)
    module = sys.modules[__name__]
    monkeypatch.setattr(module, "__file__", str(tmp_path / "task.py"))

    class Local(GeographyQATask):
        DATASET_PATH = "rows/{split}.jsonl"

    assert len(Local(1).to_task().dataset) == 3
    monkeypatch.chdir("/")
    assert len(Local(subjects=["Asia"]).to_task().dataset) == 1


HUB = """
import json, sys
from test_authoring_base_task import GeographyQATask

class Pinned(GeographyQATask):
    HF_REVISION = sys.argv[1]

task = Pinned(1).to_task()
print(json.dumps([[s.id, [m.text for m in s.input], s.metadata] for s in task.dataset]))
"""


def test_subjects_are_the_configurations_of_a_dataset_of_the_hub(tmp_path):
    with HubServer() as hub:
        for config in ("Europe", "Asia"):
            for split, of in (("test", TEST), ("train", TRAIN)):
                plain = [{k: v for k, v in row.items() if k != "subject"} for row in of if row["subject"] == config]
                revision = hub.add("example/geography_qa", plain, config=config, split=split)
        hub.add("example/geography_qa", [{"country": "X", "capital": "Y"}], config="Asia", split="test")
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", HUB, revision],
            env={**os.environ, **hub.environment(tmp_path), "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
    assert done.returncode == 0, done.stderr
    samples = json.loads(done.stdout)
    assert [(texts[-1], said["subject"]) for _, texts, said in samples] == [
        ("Q: Capital of Germany?", "Europe"),
        ("Q: Capital of France?", "Europe"),
        ("Q: Capital of Japan?", "Asia"),
    ]
    assert samples[2][1][1] == "Q: Capital of India?"


# --- the whole story ------------------------------------------------------------------------------------------------


def test_the_readme_s_file_runs(rows, monkeypatch, tmp_path, capsys):
    text = README.read_text("utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "GeographyQATask" in block)
    folder = tmp_path / "geography_qa"
    rows(folder / "samples" / "geography_qa", test=TEST, train=TRAIN)
    (folder / "__init__.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["eval", "./geography_qa", "--sample", "--baseline", "reference", "-T", "num_fewshot=1", "--json"]) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert (result["score"], result["metric"], result["samples"]) == (1.0, "accuracy", 3)
    assert result["metrics"]["accuracy_completion"]["Europe_count"] == 2


PACKAGE = """
import sys
import openbench
assert "inspect_ai" not in sys.modules
from openbench.cli.main import run
from openbench.datasets import bundled_rows
from openbench.errors import UsageError
for name in ("geography_qa", "geography-qa@acme-geography", "GeographyQA", "geographyqa"):
    with bundled_rows(__import__("pathlib").Path(sys.argv[1])):
        task = openbench.get_task(name, num_fewshot=1)
    said = task.metadata["openbench"]
    print(len(task.dataset), said["benchmark"], said["version"], task.version)
for name, arguments in (("GeografyQA", {}), ("GeographyQA", {"fewshot": 1}), ("Twins", {})):
    try:
        openbench.get_task(name, **arguments)
    except UsageError as error:
        print(error)
raise SystemExit(run(["eval", "geography_qa", "--sample", "--baseline", "reference", "--json"]))
"""
ENTRY = """
from openbench.metadata import BenchmarkMetadata

def metadata(name, function):
    return BenchmarkMetadata(name, "Capitals.", "knowledge", ["geo"], "acme_geography.task", function)

BENCHMARKS = {
    "geography_qa": metadata("GeographyQA", "geography_qa"),
    "twin_a": metadata("Twins", "geography_qa"),
    "twin_b": metadata("Twins", "geography_qa"),
}
"""


def test_a_package_of_its_own(rows, tmp_path):
    code = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[0]
    folder = tmp_path / "acme_geography"
    sampled = rows(folder / "samples" / "geography_qa", test=TEST, train=TRAIN)
    files = {
        "acme_geography/__init__.py": "",
        "acme_geography/task.py": code,
        "acme_geography/metadata.py": ENTRY,
        "acme_geography-1.2.0.dist-info/METADATA": "Metadata-Version: 2.4\nName: acme-geography\nVersion: 1.2.0\n",
        "acme_geography-1.2.0.dist-info/entry_points.txt": (
            "[openbench.benchmarks]\nacme = acme_geography.metadata:BENCHMARKS\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PACKAGE, str(sampled)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    *lines, unknown, argument, twins = done.stdout.partition("[\n")[0].splitlines()
    assert lines == ["3 geography_qa 1.2.0 1.2.0"] * 4
    assert unknown.startswith("GeografyQA: no benchmark, group or path of this name. Did you mean geography_qa? ")
    assert argument == "geography_qa has no argument 'fewshot'. Did you mean num_fewshot? It takes num_fewshot, limit."
    assert twins == "Twins: several benchmarks have this name: twin_a, twin_b. Name one by its key."
    [result] = json.loads("[\n" + done.stdout.partition("[\n")[2])
    assert result["score"] == 1.0


SCORED_AGAIN = """
from inspect_ai import Task, task
from openbench.metadata import BenchmarkMetadata
from openbench_authoring import BaseMetric, BaseTask, Completion, MetricResult, ResponseType
from openbench_authoring.metrics import AccuracyCompletion

__metadata__ = BenchmarkMetadata("Sums", "Sums.", "math", ["sums"], __name__, "sums")


class Brevity(BaseMetric[Completion]):
    NAME = "Brevity"
    KEYS = ("words", "signs")

    def calculate(self, response):
        figures = {"words": len(response.completion.split()), "signs": len(response.raw_completion)}
        return [MetricResult(metric_name=f"Brevity/{key}", value=value) for key, value in figures.items()]


class Sums(BaseTask[str]):
    NAME = "Sums"
    DATASET_PATH = "sums.jsonl"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "test"
    RESPONSE_TYPE = ResponseType.COMPLETION
    METRICS = [AccuracyCompletion, Brevity]
    SUBJECTS = ["easy", "hard"]

    def _get_instruction_text(self, item):
        return item["sum"]

    def _get_ground_truth(self, item):
        return item["result"]

    def post_process_generated_completion(self, completion_text, sample=None):
        return completion_text.rpartition("#### ")[2]


def reference(sample):
    return f"Let me see. #### {sample.target[0]}"


@task
def sums() -> Task:
    return Sums().to_task()
"""


def test_a_log_is_scored_again_by_another_process(rows, monkeypatch, tmp_path, capsys):
    (tmp_path / "task.py").write_text(SCORED_AGAIN, "utf-8")
    rows(sums=[{"sum": f"{n} + {n}?", "result": str(n + n), "subject": ("easy", "hard")[n % 2]} for n in range(4)])
    monkeypatch.chdir(tmp_path)
    assert run(["eval", "task.py", "--baseline", "reference", "--json"]) == 0
    [before] = json.loads(capsys.readouterr().out)
    assert before["score"] == 1.0
    assert before["metrics"]["words"]["mean"] == 1.0
    assert [v for name, v in before["metrics"]["signs"].items() if name.endswith("macro_average_macro")] == [18.0]
    command = [str(Path(sys.executable).with_name("bench")), "score", before["log"], "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    after = json.loads(done.stdout)
    after = after[0] if isinstance(after, list) else after
    assert (after["score"], after["metrics"]) == (before["score"], before["metrics"])
