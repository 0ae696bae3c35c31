"""BIG-Bench Hard: prompts, the extraction of answers of each form, and metrics."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model
from inspect_ai.scorer import CORRECT, INCORRECT

import openbench
import openbench_mcq
from openbench.baselines.reference import reference as reference_solver
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.tasks.provenance import Provenance
from openbench_mcq import bbh
from openbench_mcq.metadata.reasoning import BBH, BBH_DIGESTS, BENCHMARKS, bbh_prompt, bbh_rows
from openbench_testing import HubServer

SAMPLES = Path(openbench_mcq.__file__).parent / "samples" / "bbh"


def built(**arguments: Any) -> Any:
    with bundled_rows(SAMPLES):
        return bbh.bbh(**arguments)


def run(task: Any, directory: Path, model: Any = "baseline/empty", **options: Any) -> dict[str, float]:
    (log,) = inspect_eval(task, model=model, display="none", log_dir=str(directory), **options)
    assert log.status == "success", log.error
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def verdict(completion: str, target: str, form: str, **options: str) -> Any:
    return bbh.score_bbh(completion, target, form, options).value


def test_every_task_has_sample_rows_and_a_form() -> None:
    samples = list(built().dataset)
    assert {sample.metadata["task"] for sample in samples} == set(bbh.TASKS) == set(BBH_DIGESTS)
    assert {sample.metadata["form"] for sample in samples} == set(bbh.FORMS) - {"text"}
    assert len({sample.metadata["family"] for sample in samples}) == 23


def test_accuracy_is_reported_by_task_and_as_the_mean_over_the_paper_s_tasks(tmp_path: Path) -> None:
    figures = run(built(), tmp_path, solver=reference_solver("openbench_mcq.bbh:reference"))
    assert {figures[name] for name in ("accuracy", "macro", *bbh.TASKS)} == {1.0}
    yes = run(built(), tmp_path, get_model("baseline/constant", answer="Answer: Yes"))
    assert (yes["navigate"], yes["web_of_lies"], yes["snarks"]) == (0.5, 0.5, 0.0)
    assert yes["macro"] == pytest.approx(4 * 0.5 / 23)
    seven = run(built(tasks="logical_deduction_seven_objects, snarks"), tmp_path, get_model("baseline/constant"))
    assert (seven["accuracy"], seven["snarks"], seven["macro"]) == (0.5, 1.0, 0.5)


def test_the_prompt_asks_for_the_form_of_the_task() -> None:
    prompts = {sample.metadata["task"]: str(sample.input) for sample in built().dataset}
    assert prompts["web_of_lies"].endswith(
        "Does Sten tell the truth?\n\nThink step by step. Put the final answer on the last line, as Yes or No alone: "
        '"Answer: WORD".'
    )
    assert "as the letter of an option alone" in prompts["snarks"]
    assert "as True or False alone" in prompts["boolean_expressions"]


@pytest.mark.parametrize(
    ("completion", "target", "form"),
    [
        ("So it holds.\n**Answer:** No.", "No", "yes_no"),
        ("The answer is: no", "No", "yes_no"),
        ("\\boxed{\\text{No}}", "No", "yes_no"),
        ("No, since Yes would contradict the second statement.", "No", "yes_no"),
        ("<think>Yes</think>no", "No", "yes_no"),
        ("The argument is not valid.", "invalid", "validity"),
        ("Answer: deductively invalid", "invalid", "validity"),
        ("True and False is False", "False", "true_false"),
        ("Answer: \u221250", "-50", "integer"),
        ("((3 - 53)) = -50", "-50", "integer"),
        ("$\\boxed{-50}$", "-50", "integer"),
        ("Answer: `] } >`", "] } >", "brackets"),
        ("So, we need them all. So the answer is ] } >.", "] } >", "brackets"),
        ("]}>", "] } >", "brackets"),
        ("Answer: $\\boxed{\\texttt{] \\} >}}$", "] } >", "brackets"),
        ("Answer: ant, can't, r&d", "ant can't r&d", "words"),
        ("Answer:\n1. ant\n2. can't\n3. r&d", "ant can't r&d", "words"),
        ("Sorted:\nant\ncan't\nr&d", "ant can't r&d", "words"),
        ('Answer: "ant" < "can\'t" < "r&d"', "ant can't r&d", "words"),
        ("**Answer: Ant can't R&D**\n\nThat is the order of the alphabet.", "ant can't r&d", "words"),
        ("Answer: Monsters, Inc.", "Monsters, Inc", "text"),
    ],
)
def test_answers_are_read_as_models_write_them(completion: str, target: str, form: str) -> None:
    assert verdict(completion, target, form) == CORRECT


@pytest.mark.parametrize(
    ("completion", "target", "form"),
    [
        ("Answer: Yes or No", "No", "yes_no"),
        ("Answer: Nobody", "No", "yes_no"),
        ("Answer: not valid", "valid", "validity"),
        ("not True = not False = not True and", "True", "true_false"),
        ("Answer: 50", "-50", "integer"),
        ("31: ] ; stack: ( [ {", "( [ {", "brackets"),
        ("Answer: [ ] } >", "] } >", "brackets"),
        ("Answer: can't ant r&d", "ant can't r&d", "words"),
        ("Answer: ant can't", "ant can't r&d", "words"),
        ("Answer: (A) Monsters", "Monsters, Inc", "text"),
        ("", "Yes", "yes_no"),
    ],
)
def test_other_answers_are_wrong(completion: str, target: str, form: str) -> None:
    assert verdict(completion, target, form) == INCORRECT


@pytest.mark.parametrize("completion", ["(B)", "B", "So the answer is (B).", "Answer: bee", "Answer: (B) bee"])
def test_a_letter_is_read_with_and_without_parentheses(completion: str) -> None:
    assert verdict(completion, "B", "letter", A="ant", B="bee") == CORRECT
    assert verdict(completion, "A", "letter", A="ant", B="bee") == INCORRECT


@given(st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=1, max_size=20))
def test_words_are_read_however_they_are_separated(words: list[str]) -> None:
    target = " ".join(words)
    for separator in (" ", ", ", " < ", "\n", "\n- "):
        assert verdict(f"Answer:\n{separator.join(words)}", target, "words") == CORRECT, separator
    assert verdict(f"Answer: {target} also", target, "words") == INCORRECT


@given(st.text("()[]{}<>", min_size=1, max_size=20))
def test_brackets_are_read_however_they_are_spaced(brackets: str) -> None:
    target = " ".join(brackets)
    assert verdict(f"Answer: {target}", target, "brackets") == CORRECT
    assert verdict(f"Answer: {target} (", target, "brackets") == INCORRECT


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"task": "sudoku", "input": "?", "target": "5"}, "task: 'sudoku' is not one of the 27 tasks"),
        ({"task": "navigate", "input": "?", "target": "Maybe"}, "target: 'Maybe' is not one of Yes, No"),
        ({"task": "snarks", "input": "?\nOptions:\n(A) a\n(B) b", "target": "(C)"}, "target: 'C' is not one of A, B"),
    ],
)
def test_an_invalid_row_is_named(row: dict[str, str], message: str) -> None:
    with pytest.raises(DataError) as error:
        load_samples(Rows("rows", [row]), bbh.bbh_sample, name="rows")
    assert str(error.value) == f"row 1 of rows: {message}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tasks": "navigate,sudoku"}, "bbh: tasks: 'sudoku' does not exist. Known: boolean_expressions, "),
        ({"prompt": "theirs"}, "bbh: prompt='theirs': expected one of ours, official."),
    ],
)
def test_unknown_tasks_and_prompts_are_rejected(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        bbh.bbh(**arguments)
    assert str(error.value).startswith(message)


def test_the_official_examples_are_fetched_and_named_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = b"Do not train on this.\n-----\nFollow the steps.\n\nQ: Turn around.\nA: So the answer is No."
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "data"))
    with HubServer() as hub:
        url = hub.add_file("navigate.txt", published)
        source = DatasetSource(source=url, type="text", sha256=hashlib.sha256(published).hexdigest())
        monkeypatch.setattr(bbh, "bbh_prompt", lambda _: source)
        task = built(tasks="navigate", prompt="official")
    sample = task.dataset[0]
    assert sample.input == (
        "Follow the steps.\n\nQ: Turn around.\nA: So the answer is No.\n\n"
        f"Q: {built(tasks='navigate').dataset[0].input.partition(chr(10) * 2)[0]}\nA: Let's think step by step."
    )
    assert sample.target == "Yes"


def test_the_log_names_the_official_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published = b"Notice.\n-----\nSort.\n\nQ: b a\nA: So the answer is a b."
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "data"))
    with HubServer() as hub:
        source = DatasetSource(
            source=hub.add_file("x.txt", published), type="text", sha256=hashlib.sha256(published).hexdigest()
        )
        monkeypatch.setattr(bbh, "bbh_prompt", lambda _: source)
        arguments = {"tasks": "word_sorting", "prompt": "official"}
        options: Any = {"display": "none", "log_dir": str(tmp_path / "logs"), "task_args": arguments}
        [log] = openbench.eval("bbh", baseline="reference", sample=True, **options)
    [prompt] = Provenance.of(log).further_datasets
    assert (prompt["source"], prompt["file_sha256"]) == (source.source, source.sha256)
    assert log.eval.task_args["prompt"] == "official"


def test_files_are_pinned_by_commit_and_digest() -> None:
    for name in BBH_DIGESTS:
        for source in (bbh_rows(name), bbh_prompt(name)):
            assert source.pinned
            assert source.source.startswith(
                f"https://raw.githubusercontent.com/suzgunmirac/BIG-Bench-Hard/{BBH.revision}/"
            )
            assert len(source.sha256 or "") == 64


def real(name: str, folder: str) -> bytes:
    file = Path(os.environ.get("OPENBENCH_REAL_DATA", ""), "raw", "bbh", folder, name)
    if not os.environ.get("OPENBENCH_REAL_DATA") or not file.is_file():
        pytest.skip(f"OPENBENCH_REAL_DATA names no directory with raw/bbh/{folder}/{name}")
    return file.read_bytes()


def test_every_real_row_becomes_a_sample_whose_reference_is_correct() -> None:
    """Rows as published, in `raw/bbh`, a copy of suzgunmirac/BIG-Bench-Hard."""
    rows = []
    for name, (digest, _) in BBH_DIGESTS.items():
        published = real(f"{name}.json", "bbh")
        assert hashlib.sha256(published).hexdigest() == digest
        rows += [{**row, "task": name} for row in json.loads(published)["examples"]]
    samples = list(load_samples(Rows("bbh", rows), bbh.bbh_sample, name="bbh"))
    assert len(samples) == len({sample.id for sample in samples}) == BENCHMARKS["bbh"].samples
    texts = []
    for sample, row in zip(samples, rows, strict=True):
        metadata = sample.metadata
        arguments = (sample.target, metadata["form"], metadata.get("options") or {})
        for completion in (bbh.reference(sample), row["target"], f"So the answer is {row['target']}."):
            assert bbh.score_bbh(completion, *arguments).value == CORRECT, (row, completion)
        texts += [row["target"]] if metadata["form"] == "text" else []
    assert texts == ["Monsters, Inc", "dearth, wind, & fire", "rita, sue and bob poo"]


def test_the_official_prompt_is_the_one_that_codex_received() -> None:
    """The prompts recorded with the completions; the row of one question is truncated."""
    different = []
    for name in BBH_DIGESTS:
        examples = real(f"{name}.txt", "cot-prompts").decode().partition("\n-----\n")[2].strip()
        folder = "code-davinci-002-outputs/code-davinci-002-cot"
        outputs = json.loads(real(f"{name}_few_shot_template_0-255000.json", folder))["outputs"]
        rows = json.loads(real(f"{name}.json", "bbh"))["examples"]
        for number, (row, output) in enumerate(zip(rows, outputs, strict=True), start=1):
            if bbh.bbh_sample({**row, "task": name}, examples).input != output["input"]:
                different.append((name, number))
    assert different == [("snarks", 89)]
