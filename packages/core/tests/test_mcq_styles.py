"""MCQEval's styles: one record, asked for a letter or ranked by log-probability."""

import json
import re

import pytest
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from openbench.errors import DataError, UsageError
from openbench.scorers.ranking_request import ranking_request
from openbench.tasks.mcq import mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench.tasks.styles import STYLES, styled_sample
from openbench.utils.mcq import MCQEval, MCQRecord, MCQSample
from openbench_testing import ChatServer

RECORD = MCQRecord("What shines?", ["the sun", "a rock", "a shoe"], 0, id="q1", metadata={"level": 1}, subject="sky")
RANKED = STYLES[1:]


def row(**changes):
    return {"question": "Which?", "options": ["red", "green", "blue"], "correct": 1, **changes}


def to_record(row):
    return MCQRecord(row["question"], row["options"], row["correct"], subject=row.get("subject"))


@pytest.fixture
def rows(tmp_path):
    """Write rows as JSON Lines and return the path."""

    def write(*rows):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return str(path)

    return write


def build(path, **arguments):
    given = {"name": "quiz", "dataset_type": "json", "record_to_mcq_sample": to_record, **arguments}
    return MCQEval(**given, dataset_path=path)


# --- rendering ------------------------------------------------------------------------------------------------------


def test_letters_are_the_prompt_that_a_mapping_would_write():
    sample = styled_sample(RECORD, "letters")
    assert isinstance(sample, MCQSample)
    assert sample.input == create_dynamic_multiple_choice_prompt(RECORD.question, RECORD.options)
    assert (sample.target, sample.id, sample.metadata) == ("A", "q1", {"level": 1, "subject": "sky"})


@pytest.mark.parametrize(
    ("style", "context", "continuations", "gold"),
    [
        (
            "letters_ranked",
            "Question: What shines?\n A. the sun\n B. a rock\n C. a shoe\nAnswer:",
            [" A", " B", " C"],
            [0],
        ),
        ("cloze", "Question: What shines?\nAnswer:", [" the sun", " a rock", " a shoe"], [0]),
        ("bits_per_byte", "Question: What shines?\nAnswer:", [" the sun"], [0]),
    ],
)
def test_the_styles_that_rank(style, context, continuations, gold):
    sample = styled_sample(RECORD, style)
    request = ranking_request(sample)
    assert (request.context, request.continuations, request.gold) == (context, continuations, gold)
    assert (sample.id, sample.metadata["level"], sample.metadata["subject"]) == ("q1", 1, "sky")
    asked, cue = request.messages
    assert isinstance(asked, ChatMessageUser)
    assert (type(cue), cue.text) == (ChatMessageAssistant, "Answer:")


def test_the_right_option_keeps_its_index():
    record = MCQRecord("Which?", ["yes", "no", "yes"], 2)
    assert ranking_request(styled_sample(record, "cloze")).gold == [2]
    assert ranking_request(styled_sample(record, "letters_ranked")).gold == [2]
    request = ranking_request(styled_sample(MCQRecord("Which?", ["yes", "no"], 1), "bits_per_byte"))
    assert (request.continuations, request.gold) == ([" no"], [0])


def test_space_around_texts_is_no_part_of_what_is_ranked():
    record = MCQRecord(" Which?\n", ["  red ", "\tgreen\n"], 1)
    request = ranking_request(styled_sample(record, "cloze"))
    assert (request.context, request.continuations) == ("Question: Which?\nAnswer:", [" red", " green"])
    request = ranking_request(styled_sample(record, "letters_ranked"))
    assert request.context == "Question: Which?\n A. red\n B. green\nAnswer:"


def test_thirty_options():
    record = MCQRecord("Which?", [f"number {n}" for n in range(30)], 29)
    assert ranking_request(styled_sample(record, "cloze")).gold == [29]
    assert ranking_request(styled_sample(record, "bits_per_byte")).continuations == [" number 29"]
    for style in ("letters", "letters_ranked"):
        with pytest.raises(ValueError, match=r"^30 options, but letters for 26 at most$"):
            styled_sample(record, style)


def test_options_that_are_numbers():
    record = MCQRecord("How many?", [7, 2.5, "none"], 1)
    assert record.options == ["7", "2.5", "none"]
    assert ranking_request(styled_sample(record, "cloze")).continuations == [" 7", " 2.5", " none"]
    assert styled_sample(record, "letters").input.endswith("A) 7\nB) 2.5\nC) none")


# --- records that do not fit ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": " "}, "the question is blank"),
        ({"question": None}, "the question is None, where a text is expected"),
        ({"options": []}, "there must be two options or more (received [])"),
        ({"options": ["red"]}, "there must be two options or more (received ['red'])"),
        ({"options": "ABC"}, "the options are 'ABC', where a list of texts is expected"),
        ({"options": {"A": "red"}}, "the options are {'A': 'red'}, where a list of texts is expected"),
        ({"options": ["red", " \t"]}, "the option 1 is blank"),
        ({"options": ["red", None]}, "the option 1 is None, where a text is expected"),
        ({"options": ["red", True]}, "the option 1 is True, where a text is expected"),
        ({"options": [float("nan"), "red"]}, "the option 0 is nan, where a text is expected"),
        (
            {"correct": 3},
            "correct is 3, which is outside the 3 options (0 to 2); the split may have no labels",
        ),
        (
            {"correct": -1},
            "correct is -1, which is outside the 3 options (0 to 2); the split may have no labels",
        ),
        ({"correct": "B"}, "correct is 'B', where the index of an option is expected"),
        ({"correct": True}, "correct is True, where the index of an option is expected"),
    ],
)
@pytest.mark.parametrize("style", ["letters", "cloze"])
def test_a_row_that_does_not_fit_is_named(rows, style, changes, message):
    path = rows(row(), row(**changes))
    with pytest.raises(DataError) as caught:
        build(path, style=style)
    assert str(caught.value) == f"row 2 of {path}: {message}"


def test_a_row_with_too_many_options_is_named(rows):
    path = rows(row(options=[str(n) for n in range(27)]))
    with pytest.raises(DataError) as caught:
        build(path, style="letters_ranked")
    assert str(caught.value) == f"row 1 of {path}: 27 options, but letters for 26 at most"


# --- tasks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
def test_ids_do_not_depend_on_the_style(rows, style):
    path = rows(row(), row(question="Other?"), row())
    ids = [sample.id for sample in build(path, style=style).dataset]
    assert ids == [sample.id for sample in build(path).dataset]
    assert len(set(ids)) == 3


def test_a_row_may_give_several_records(rows):
    def both(row):
        return [to_record(row), to_record({**row, "question": "Again?"})]

    samples = list(build(rows(row()), record_to_mcq_sample=both, style="cloze").dataset)
    contexts = [ranking_request(sample).context for sample in samples]
    assert contexts == ["Question: Which?\nAnswer:", "Question: Again?\nAnswer:"]


def to_written(row):
    prompt = create_dynamic_multiple_choice_prompt(row["question"], row["options"])
    return MCQSample(id="q1", input=prompt, target="A")


@pytest.mark.parametrize("style", RANKED)
def test_a_prompt_that_is_written_has_one_style(rows, style):
    with pytest.raises(UsageError) as caught:
        build(rows(row()), record_to_mcq_sample=to_written, style=style)
    assert str(caught.value) == (
        f"quiz: the style {style!r} does not fit the sample 'q1', which has a prompt that asks for a letter. Give "
        "MCQRecord(question, options, correct) in place of a sample: any style can render it."
    )


def test_samples_that_rank_have_no_letters():
    dataset = MemoryDataset([styled_sample(RECORD, "cloze")])
    with pytest.raises(
        UsageError, match=r"^quiz: the style 'letters' does not fit the sample 'q1', which ranks options"
    ):
        mcq_task(name="quiz", dataset=dataset)


def test_an_unknown_style(rows):
    with pytest.raises(UsageError) as caught:
        build(rows(row()), style="letter")
    assert str(caught.value) == (
        "quiz: the style 'letter' is unknown. Known: letters, letters_ranked, cloze, bits_per_byte."
    )


@pytest.mark.parametrize("style", ["letters", "cloze"])
@pytest.mark.parametrize("seed", [True, 0])
def test_choices_that_are_written_already_cannot_be_shuffled(rows, style, seed):
    with pytest.raises(UsageError, match=r"^quiz: shuffle_choices: no sample has choices to shuffle, since its prompt"):
        build(rows(row()), style=style, dataset_kwargs={"shuffle_choices": seed})
    assert len(build(rows(row()), style=style, dataset_kwargs={"shuffle_choices": False}).dataset) == 1


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"correct": 0, "answer": "yes"}, "got an unexpected keyword argument 'answer'"),
        ({}, "missing 1 required positional argument: 'correct'"),
    ],
)
def test_fields_that_do_not_exist_or_lack_are_named_with_their_row(rows, given, fault):
    path = rows({"question": "Which?"})
    with pytest.raises(DataError) as caught:
        MCQEval(
            name="quiz",
            dataset_type="json",
            dataset_path=str(path),
            record_to_mcq_sample=lambda row: MCQRecord(question=row["question"], options=["yes", "no"], **given),
        )
    assert str(caught.value) == (
        f"row 1 of {path}: MCQRecord.__init__() {fault}. "
        "The fields of MCQRecord: question, options, correct, id, metadata, subject."
    )


# --- the whole, run -------------------------------------------------------------------------------------------------

STYLED = '''
"""A benchmark whose style is an argument."""

from pathlib import Path

from inspect_ai import Task, task
from openbench.tasks.styles import Style
from openbench.utils import BenchmarkMetadata
from openbench.utils.mcq import MCQEval, MCQRecord

__metadata__ = BenchmarkMetadata("Styled", "Any style.", "knowledge", [], __name__, "styled")


@task
def styled(style: Style = "letters") -> Task:
    return MCQEval(
        name="styled",
        dataset_type="json",
        dataset_path=str(Path(__file__).with_name("rows.jsonl")),
        record_to_mcq_sample=lambda row: MCQRecord(**row),
        group_keys=["subject", "level"],
        prompt_template="Be right.",
        style=style,
    )
'''


@pytest.fixture
def benchmark(tmp_path, rows):
    (tmp_path / "styled.py").write_text(STYLED, "utf-8")
    texts = ["red", "grün", "a shade of blue", "red"]
    rows(
        *(
            row(
                question=f"Question {n}?",
                options=texts[: 3 + n % 2],
                correct=n % 3,
                id=f"q{n}",
                subject=("sky", "sea")[n % 2],
                metadata={"level": n % 4 // 2 + 1},
            )
            for n in range(60)
        )
    )
    return tmp_path


def evaluated(bench, folder, baseline, style, *options):
    log = folder / f"{baseline}-{style}"
    done = bench(
        "eval", "styled.py", "-T", f"style={style}", "--baseline", baseline, "--json", "--log-dir", log, *options,
        cwd=folder,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "not found" not in done.err
    [result] = done.json()
    return result


def test_every_style_in_a_run(bench, benchmark):
    for style in STYLES:
        known = evaluated(bench, benchmark, "reference", style)
        assert (known["score"], known["answered"]) == (0.0 if style == "bits_per_byte" else 1.0, 1.0)
        if style in {"letters_ranked", "cloze"}:
            figures = {name: figure["mean"] for name, figure in known["metrics"].items()}
            assert figures == {
                "acc": 1, "acc_norm": 1, "acc_bytes": 1, "bits_per_byte": 0,
                "prob_mass": pytest.approx(1), "prob_mass_norm": pytest.approx(1),
            }  # fmt: skip
            groups = [name.removeprefix("openbench/").removeprefix("grouped_mean_") for name in known["metrics"]["acc"]]
            assert groups == [
                "mean", "stderr", "sky", "sea", "sky_stderr", "sea_stderr", "1", "2", "1_stderr", "2_stderr",
            ]  # fmt: skip
    drawn = evaluated(bench, benchmark, "random", "cloze")
    assert 0.1 < drawn["score"] < 0.5
    assert drawn["score"] == drawn["metrics"]["acc_norm"]["mean"] == drawn["metrics"]["acc_bytes"]["mean"]
    nothing = evaluated(bench, benchmark, "empty", "letters_ranked")
    assert (nothing["score"], nothing["answered"]) == (0.0, 0.0)
    assert evaluated(bench, benchmark, "random", "bits_per_byte")["score"] == pytest.approx(8)


def test_the_log_says_the_style_and_can_be_scored_again(bench, benchmark):
    result = evaluated(bench, benchmark, "random", "cloze", "--log-format", "json", "--limit", "8")
    log = json.loads((benchmark / result["log"]).read_text("utf-8"))
    assert log["eval"]["metadata"]["openbench"]["style"] == "cloze"
    assert log["samples"][0]["metadata"]["openbench_ranking"] == {
        "continuations": [" red", " grün", " a shade of blue"],
        "gold": [0],
    }
    assert len(log["samples"][0]["output"]["metadata"]["loglikelihoods"]) == 3
    done = bench("score", result["log"], "--json", cwd=benchmark)
    assert done.code == 0, done.err
    assert done.json()[0]["metrics"] == result["metrics"]


def test_a_model_that_cannot_rank_is_refused_before_the_first_request(bench, benchmark):
    with ChatServer("Answer: A") as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        done = bench("eval", "styled.py", "-T", "style=cloze", *model, cwd=benchmark)
        assert server.requests == []
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "bench: styled: it ranks options by log-probability, which openai-api/local/m does not give. Install "
        "openbench-loglikelihood and name one of its models; --baseline reference or random checks the benchmark "
        "without a model.\n"
    )


def test_a_wrong_style_is_refused(bench, benchmark):
    done = bench("eval", "styled.py", "-T", "style=close", "--baseline", "random", cwd=benchmark)
    assert done.code == 2
    assert re.match("bench: .*style.*close", done.err)
