"""Classes that load their rows themselves, and those that have an `__init__` of their own, as eval-framework's do."""

# ruff: noqa: ARG002, RUF012, S311 -- classes as their authors write them

import random
from abc import ABC
from typing import Any

import pytest
from datasets import DatasetDict

from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench_authoring import NO_SUBJECT, RANDOM_SEED, Language, SubjectType, get_n_letters
from openbench_authoring.attributes import language_text

from .conftest import TEST, TRAIN, GeographyQATask

BY_CONTINENT = [{**row, "continent": row["subject"]} for row in TEST]


class Loaded(GeographyQATask):
    """Rows of all subjects in one configuration, filtered by a column."""

    def _load_dataset(self, subject: SubjectType) -> None:
        hf_dataset = self._load_hf_dataset(path=self.DATASET_PATH, name=None)
        assert isinstance(hf_dataset, DatasetDict)
        self.unit = f"the capital in {subject}"
        self.dataset = {}
        self.rnd = random.Random(RANDOM_SEED)
        for split, data in hf_dataset.filter(lambda row: row["continent"] == subject).items():
            data_list = list(data)
            if split == self.SAMPLE_SPLIT:
                self.rnd.shuffle(data_list)
            self.dataset[split] = data_list

    def _get_instruction_text(self, item):
        return f"{self.unit}: {super()._get_instruction_text(item)}"


class Kept(GeographyQATask):
    """The rows of the base class, of which some are left out."""

    def _load_dataset(self, subject):
        super()._load_dataset(subject)
        self.dataset = {
            split: [row for row in rows if row["country"] != "France"] for split, rows in self.dataset.items()
        }


class Read(GeographyQATask):
    """Rows from somewhere else."""

    SUBJECTS = [NO_SUBJECT]

    def _load_hf_dataset(self, **kwargs: Any) -> Any:
        assert kwargs == {"path": "example/geography_qa", "name": None}
        return {
            "test": [{"country": "Peru", "capital": "Lima"}],
            "train": [{"country": "Chile", "capital": "Santiago"}],
        }


def texts(task):
    return [sample.input[-1].text for sample in task.dataset]


@pytest.mark.parametrize("few", [0, 1])
def test_a_class_loads_its_rows_subject_by_subject(rows, few):
    train = [{**row, "continent": row["subject"]} for row in TRAIN]
    with bundled_rows(rows(test=BY_CONTINENT, train=train)):
        task = Loaded(few).to_task()
    assert {sample.metadata["subject"] for sample in task.dataset} == {"Europe", "Asia"}
    assert {text.partition(":")[0] for text in texts(task)} == {"the capital in Europe", "the capital in Asia"}
    for sample in task.dataset:  # the state that loading leaves is that of the sample's subject
        assert f"in {sample.metadata['subject']}: " in sample.input[-1].text
        assert len([turn for turn in sample.input if turn.role == "user"]) == 1 + few


def test_the_base_class_s_loader_gives_rows_that_a_class_may_leave_out(task_of):
    assert texts(task_of(Kept)) == ["Q: Capital of Germany?", "Q: Capital of Japan?"]
    example = task_of(Kept, num_fewshot=3, subjects=["Europe"]).dataset[0].input
    assert "France" not in " ".join(turn.text for turn in example)


def test_a_class_reads_from_wherever_it_will():
    task = Read(1).to_task()
    assert [turn.text for turn in task.dataset[0].input][1:] == [
        "Q: Capital of Chile?",
        "A: Santiago.",
        "Q: Capital of Peru?",
    ]


def test_a_split_that_a_loader_does_not_give_is_named(task_of):
    class Lost(GeographyQATask):
        def _load_dataset(self, subject):
            self.dataset = {"validation": []}

    with pytest.raises(DataError) as error:
        task_of(Lost)
    assert str(error.value) == ("GeographyQA Europe test: _load_dataset gives no split 'test' (splits: validation).")


# --- an __init__ of one's own ---------------------------------------------------------------------------------------


class Own(GeographyQATask, ABC):
    def __init__(self, num_fewshot: int = 0) -> None:
        super().__init__(num_fewshot)
        self.stop_sequences = ["Q:"]
        self.keys = get_n_letters(4)


class Further(Own):
    def __init__(self, num_fewshot: int = 0) -> None:
        assert num_fewshot == 0
        super().__init__(num_fewshot)
        self.max_tokens = 9


class Bare(GeographyQATask):
    def __init__(self, num_fewshot: int = 0) -> None:
        self.num_fewshot = num_fewshot


@pytest.mark.parametrize("task_class", [Own, Further, Bare])
def test_a_class_with_an_init_of_its_own_takes_every_option(task_of, task_class):
    assert texts(task_of(task_class, subjects=["Europe"], limit=1)) == ["Q: Capital of Germany?"]
    task = task_of(task_class, perturbation="uppercase", revision="0" * 40, cue="append")
    assert texts(task)[0] == "Q: CAPITAL OF GERMANY?"
    with pytest.raises(UsageError, match="unknown subject 'Africa'"):
        task_class(subjects=["Africa"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'sbjects'"):
        task_class(sbjects=["Europe"])


def test_what_an_init_sets_holds(task_of):
    config = task_of(Further, limit=1).config
    assert (config.max_tokens, config.stop_seqs) == (9, ["Q:"])
    one = [
        text
        for task in (task_of(Own, num_fewshot=2, seed=seed, subjects=["Europe"]) for seed in (1, 2, 3))
        for text in turns(task)
    ]
    assert len(set(one)) > 1


def turns(task):
    return [tuple(turn.text for turn in task.dataset[0].input)]


def test_letters():
    assert get_n_letters(3) == ["A", "B", "C"]
    assert get_n_letters(-1) == []


# --- languages ------------------------------------------------------------------------------------------------------


def test_every_language_of_iso_639_3_is_there():
    assert len(Language.__members__) > 7900
    assert (Language["ABK"].value, Language.DEU.value, Language("Malayalam").name) == ("Abkhazian", "German", "MAL")
    assert Language.ARA is Language.ARB  # "Arabic", as it is written out


def test_languages_by_tuples_and_by_parts():
    by_tuple = {("de", "law"): Language.DEU, ("fr", "law"): Language.FRA}
    assert language_text(by_tuple, "de_law") == "German"
    assert language_text({str(key): value for key, value in by_tuple.items()}, "fr_law") == "French"
    assert language_text({"deu_Latn": Language.DEU, "eng_Latn": Language.ENG}, "deu_Latn-eng_Latn") == "German-English"
    assert language_text({"deu_Latn": Language.DEU}, "deu_Latn-eng_Latn") is None
    assert language_text({"(": Language.DEU}, "(") == "German"
