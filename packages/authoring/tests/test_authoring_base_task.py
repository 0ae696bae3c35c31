"""A benchmark as a class: the guide's own, its subjects, and several samples a row."""

# ruff: noqa: ARG002, RUF012 -- classes as the guide's authors write them

import json
import re
from enum import Enum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser
from inspect_ai.util import registry_info

from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench_authoring import (
    BaseTask,
    Language,
    Sample,
    WordCounterMetricContext,
)
from openbench_authoring.metrics import F1, AccuracyCompletion

from .conftest import TEST, GeographyQATask, WithoutSubjects, by_country, scores, solvers, turns

# --- the guide ------------------------------------------------------------------------------------------------------


def test_the_guide_s_class(task_of):
    task = task_of(GeographyQATask)
    samples = by_country(task)
    assert turns(samples["Germany"]) == [("system", "Be accurate."), ("user", "Q: Capital of Germany?")]
    assert samples["Germany"].target == ["A: Berlin."]
    assert samples["Germany"].metadata == {"subject": "Europe", "cue": "A:"}
    assert solvers(task) == ["cue", "generate"]
    for completion in (" Berlin.", "A: Berlin.", "Berlin."):
        assert scores(task, samples["Germany"], completion)["accuracy_completion"].value == "C"
    assert scores(task, samples["Germany"], " Paris.")["accuracy_completion"].value == "I"


def test_examples_are_turns_before_the_question(task_of):
    sample = by_country(task_of(GeographyQATask, num_fewshot=1))["Japan"]
    assert turns(sample) == [
        ("system", "Be accurate."),
        ("user", "Q: Capital of India?"),
        ("assistant", "A: New Delhi."),
        ("user", "Q: Capital of Japan?"),
    ]


def test_examples_are_one_message_if_asked(task_of):
    sample = task_of(GeographyQATask, num_fewshot=1, subjects="Asia", few_shot_as="message").dataset[0]
    assert turns(sample)[1:] == [("user", "Q: Capital of India?\nA: New Delhi.\n\nQ: Capital of Japan?")]


class Introduced(GeographyQATask):
    def _get_initial_prompt_text(self, item):
        return "Now some questions."


@pytest.mark.parametrize("as_", ["turns", "message"])
@pytest.mark.parametrize(("count", "first"), [(0, "Japan"), (1, "India")])
def test_the_initial_prompt_stands_before_the_first_instruction(task_of, count, first, as_):
    sample = task_of(Introduced, num_fewshot=count, subjects="Asia", few_shot_as=as_).dataset[0]
    texts = [text for role, text in turns(sample) if role == "user"]
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
    full = {s.id: turns(s) for s in task_of(task_class, num_fewshot=1).dataset}
    part = {s.id: turns(s) for s in task_of(task_class, num_fewshot=1, limit=1, subjects=["Europe"]).dataset}
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
        *examples, asked = [text for role, text in turns(sample) if role == "user"]
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
    assert [turns(sample)[-1][1] for sample in task.dataset] == [
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


def test_without_subjects_ids_and_metadata_have_none(task_of):
    task = task_of(WithoutSubjects, test=[{"country": "Malta", "capital": "Valletta"}])
    (sample,) = task.dataset
    assert ":" not in sample.id
    assert sample.metadata == {"cue": "A:"}


def test_rows_that_name_no_subject(task_of):
    with pytest.raises(DataError) as caught:
        task_of(GeographyQATask, test=[{"country": "Malta", "capital": "Valletta"}])
    assert str(caught.value).endswith(
        "test.jsonl: its rows have no column 'subject' (columns: country, capital), so it is unknown to which of the "
        "subjects Europe, Asia they belong. Add the column, or leave SUBJECTS empty."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subjects": "Asien"}, "unknown subject 'Asien'. Did you mean Asia? Subjects: Europe, Asia."),
        ({"subjects": []}, "subjects=[]: expected one at least, or None for all of them."),
        ({"subjects": 5}, "unknown subject '5'. Subjects: Europe, Asia."),
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

    message = {s.metadata["subject"]: s.metadata["language"] for s in task_of(Bilingual).dataset}
    assert message == {"Europe": "German", "Asia": "English-Japanese"}


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
    assert turns(second) == [("user", "Country of Berlin?")]
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
    texts = [text for role, text in turns(full.dataset[0]) if role == "user"]
    assert all(re.fullmatch(r"Q: Capital of [A-Z]+\?", text) for text in texts)
    assert turns(full.dataset[0])[0] == ("system", "Be accurate.")
    editor = {s.id: turns(s) for s in task_of(Careful, perturbation="editor").dataset}
    assert {s.id: turns(s) for s in task_of(Careful, perturbation="editor", limit=1).dataset}.items() <= editor.items()
    with pytest.raises(UsageError, match="the kind 'typos' is unknown"):
        Careful(perturbation="typos")


class Same(GeographyQATask):
    """Instructions that differ in one letter, so that the same edits would show."""

    def _get_instruction_text(self, item):
        return f"{item['country'][0]} " + "abcdefghij klmnopqrst uvwxyzabcd efghijklmn " * 3


def test_typing_errors_of_a_question_and_its_examples_are_at_other_places(task_of):
    sample = task_of(Same, perturbation="editor", num_fewshot=3, subjects="Europe").dataset[0]
    edited = [text[2:] for role, text in turns(sample) if role == "user"]
    assert len(edited) == len(set(edited)) == 4
    again = task_of(Same, perturbation="editor", num_fewshot=3, subjects="Europe", limit=1).dataset[0]
    assert turns(again) == turns(sample)


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
