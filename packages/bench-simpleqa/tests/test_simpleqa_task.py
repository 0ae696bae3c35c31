"""The whole benchmark, run by inspect on the rows that the package brings."""

import hashlib
import re
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

import openbench
import openbench_simpleqa.metadata
from openbench.baselines.reference import reference
from openbench.datasets import bundled_rows
from openbench.errors import UsageError
from openbench.metadata import DatasetSource
from openbench.tasks.provenance import Provenance
from openbench_simpleqa.metadata import SIMPLEQA
from openbench_simpleqa.prompt import OFFICIAL
from openbench_simpleqa.task import simpleqa
from openbench_testing import HubServer

SAMPLES = Path(openbench_simpleqa.metadata.__file__).parent / "samples" / "simpleqa"
EXACT_MATCH = {"grader": "baseline/grader"}


@pytest.fixture
def run(tmp_path):
    def run_task(model="baseline/empty", *, roles=EXACT_MATCH, solver=None, **arguments):
        with bundled_rows(SAMPLES):
            task = simpleqa(**arguments)
        log = inspect_eval(
            task, model=model, model_roles=dict(roles), solver=solver, display="none", log_dir=str(tmp_path)
        )[0]
        assert log.status == "success", log.error
        return log

    return run_task


def figures(log):
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def constant(answer):
    return get_model("baseline/constant", answer=answer)


def test_reference_answers_are_all_correct(run):
    assert figures(run(solver=reference())) == {
        "accuracy": 1.0,
        "stderr": 0.0,
        "is_correct": 1.0,
        "is_incorrect": 0.0,
        "is_not_attempted": 0.0,
        "is_given_attempted": 1.0,
        "accuracy_given_attempted": 1.0,
        "f1": 1.0,
    }


def test_metadata_says_what_the_task_does(run):
    log = run(solver=reference())
    assert SIMPLEQA.primary_metric == next(iter(figures(log)))
    assert log.eval.task == SIMPLEQA.function_name
    assert SIMPLEQA.needs == ["grader"]


def test_the_grader_role_grades(run):
    log = run(roles={"grader": constant("C: NOT_ATTEMPTED")})
    assert figures(log)["is_not_attempted"] == 1.0
    assert {score.reason for sample in log.samples for score in sample.scores.values()} == {"refusal"}


def test_the_argument_grades_before_the_role(run):
    assert figures(run(roles={"grader": constant("A")}, grader_model="baseline/grader"))["is_correct"] == 0.0


def test_a_grade_that_cannot_be_read_is_unscored_and_counted(run):
    log = run(roles={"grader": constant("A remarkable answer")})
    scored = log.results.scores[0]
    assert (scored.scored_samples, scored.unscored_samples) == (0, 8)
    assert {score.reason for sample in log.samples for score in sample.scores.values()} == {"grader_failed"}


def test_a_grade_that_cannot_be_read_can_be_taken_as_the_original_does(run):
    log = run(roles={"grader": constant("no idea")}, unreadable="not_attempted")
    assert figures(log)["is_not_attempted"] == 1.0


def test_unreadable_has_two_values():
    with pytest.raises(UsageError) as error, bundled_rows(SAMPLES):
        simpleqa(unreadable="wrong")
    assert str(error.value) == "unreadable='wrong': expected one of 'unscored', 'not_attempted'."


def test_another_template_takes_the_published_field_names(run, tmp_path):
    template = tmp_path / "template.txt"
    template.write_text("{question}|{target}|{predicted_answer}")
    log = run(roles={"grader": get_model("baseline/echo")}, grader_template=str(template))
    sample = log.samples[0]
    assert sample.scores["simpleqa_scorer"].explanation == f"{sample.input}|{sample.target}|"


def test_a_template_that_does_not_exist_is_named():
    with pytest.raises(UsageError) as error, bundled_rows(SAMPLES):
        simpleqa(grader_template="nowhere.txt")
    assert str(error.value) == "grader_template=nowhere.txt: the file does not exist."


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A publication with a grading prompt of our own making in the place of the original's."""
    source = 'GRADER_TEMPLATE = """\n{question} -> {predicted_answer} ({target})?\n""".strip()\n'
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "data"))
    with HubServer() as hub:
        url = hub.add_file("simpleqa_eval.py", source.encode())
        here = DatasetSource(source=url, type="text", sha256=hashlib.sha256(source.encode()).hexdigest())
        monkeypatch.setattr("openbench_simpleqa.prompt.OFFICIAL", here)
        yield here


def test_the_official_prompt_is_fetched_and_named_in_the_log(published, run, tmp_path):
    log = run(roles={"grader": get_model("baseline/echo")}, grader="official")
    sample = log.samples[0]
    assert sample.scores["simpleqa_scorer"].explanation == f"{sample.input} ->  ({sample.target})?"
    options = {"display": "none", "log_dir": str(tmp_path / "logs"), "task_args": {"grader": "official"}}
    [log] = openbench.eval("simpleqa", baseline="reference", sample=True, **options)
    provenance = Provenance.of(log)
    [prompt] = provenance.further_datasets
    assert provenance.dataset["bundled"]
    assert (prompt["source"], prompt["rows"], prompt["file_sha256"]) == (published.source, 1, published.sha256)


def test_the_official_prompt_is_pinned_in_a_commit():
    assert OFFICIAL.pinned
    assert re.search(r"/openai/simple-evals/[0-9a-f]{40}/simpleqa_eval\.py$", OFFICIAL.source)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grader": "theirs"}, "grader='theirs': expected one of 'ours', 'official'."),
        (
            {"grader": "official", "grader_template": "x.txt"},
            "grader=official and grader_template=x.txt cannot be combined; set only one of them.",
        ),
    ],
)
def test_whose_prompt_must_be_clear(arguments, message):
    with pytest.raises(UsageError) as error, bundled_rows(SAMPLES):
        simpleqa(**arguments)
    assert str(error.value) == message


def test_the_model_sees_the_bare_question_at_temperature_zero(run):
    log = run("baseline/echo")
    assert all(sample.output.completion == sample.input for sample in log.samples)
    assert log.plan.config.temperature == 0.0


def test_grades_that_graders_really_write(run):
    for said, figure in (
        ("A (CORRECT)", "is_correct"),
        ("A - CORRECT", "is_correct"),
        ("\\boxed{A}", "is_correct"),
        ("<think>Is it B?</think>A", "is_correct"),
        ("I would grade this as B", "is_incorrect"),
    ):
        assert figures(run(roles={"grader": constant(said)}))[figure] == 1.0, said


def test_the_description_says_whose_prompt_grades():
    assert any("The grading prompt is ours" in note for note in SIMPLEQA.notes)
