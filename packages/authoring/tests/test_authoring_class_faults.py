"""What the author of a class can get wrong, and rows that do not fit it."""

# ruff: noqa: ARG002, ARG005, RUF012 -- classes as the guide's authors write them

import pytest

from openbench.errors import DataError, UsageError
from openbench_authoring import (
    BaseMetric,
    BaseTask,
    Completion,
    ResponseType,
)
from openbench_authoring.attributes import check_attributes
from openbench_authoring.metrics import F1, AccuracyCompletion, AccuracyLoglikelihood

from .conftest import GeographyQATask, WithoutSubjects

# --- the class's own faults -----------------------------------------------------------------------------------------


FAULTS = """\
Faulty has 11 faults:
- DATASET_PATH is missing: expected a text, a dataset id of the Hub or the path or URL of a .jsonl, .json or .csv file.
- METRICS is missing: expected a list of at least one metric class, such as [AccuracyCompletion].
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
            "_get_possible_completions(item) is missing: a LOGLIKELIHOODS task ranks the texts that it returns.",
        ),
        ({"METRICS": []}, "METRICS is []: expected a list of at least one metric class, such as [AccuracyCompletion]."),
        (
            {"METRICS": ["accuracy"]},
            "METRICS: 'accuracy' is not a metric. Name a metric class, such as AccuracyCompletion.",
        ),
        ({"METRICS": [Nameless]}, "METRICS: Nameless has no NAME. Set the name that it has in logs."),
        ({"METRICS": [Idle]}, "METRICS: Idle does not define calculate(response)."),
        ({"METRICS": [F1, AlsoF1]}, "METRICS: two metrics are named 'f1' in logs. Change the NAME of AlsoF1."),
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
