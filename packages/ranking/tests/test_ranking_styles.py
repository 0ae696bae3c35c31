"""The styles that rank: how a record is rendered, and whole runs."""

import json
import sys

import pytest
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

import openbench
from openbench.cli.main import run
from openbench.errors import UsageError
from openbench.tasks.mcq import mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench.utils.mcq import MCQEval, MCQRecord, MCQSample
from openbench_ranking.request import ranking_request
from openbench_ranking.styles import BITS_PER_BYTE, CLOZE, CLOZE_UNCONDITIONAL, LETTERS_RANKED
from openbench_testing import ChatServer

RECORD = MCQRecord("What shines?", ["the sun", "a rock", "a shoe"], 0, id="q1", metadata={"level": 1}, subject="sky")
STYLES = {
    "letters_ranked": LETTERS_RANKED,
    "cloze": CLOZE,
    "cloze_unconditional": CLOZE_UNCONDITIONAL,
    "bits_per_byte": BITS_PER_BYTE,
}


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
    sample = STYLES[style].render(RECORD)
    request = ranking_request(sample)
    assert (request.context, request.continuations, request.gold) == (context, continuations, gold)
    assert (sample.id, sample.metadata["level"], sample.metadata["subject"]) == ("q1", 1, "sky")
    question, cue = request.messages
    assert isinstance(question, ChatMessageUser)
    assert (type(cue), cue.text) == (ChatMessageAssistant, "Answer:")


def test_the_right_option_keeps_its_index():
    record = MCQRecord("Which?", ["yes", "no", "yes"], 2)
    assert ranking_request(CLOZE.render(record)).gold == [2]
    assert ranking_request(LETTERS_RANKED.render(record)).gold == [2]
    request = ranking_request(BITS_PER_BYTE.render(MCQRecord("Which?", ["yes", "no"], 1)))
    assert (request.continuations, request.gold) == ([" no"], [0])


def test_space_around_texts_is_not_ranked():
    record = MCQRecord(" Which?\n", ["  red ", "\tgreen\n"], 1)
    request = ranking_request(CLOZE.render(record))
    assert (request.context, request.continuations) == ("Question: Which?\nAnswer:", [" red", " green"])
    request = ranking_request(LETTERS_RANKED.render(record))
    assert request.context == "Question: Which?\n A. red\n B. green\nAnswer:"


def test_thirty_options():
    record = MCQRecord("Which?", [f"number {n}" for n in range(30)], 29)
    assert ranking_request(CLOZE.render(record)).gold == [29]
    assert ranking_request(BITS_PER_BYTE.render(record)).continuations == [" number 29"]
    with pytest.raises(ValueError, match=r"^30 options, but letters for 26 at most$"):
        LETTERS_RANKED.render(record)


def test_options_that_are_numbers():
    record = MCQRecord("How many?", [7, 2.5, "none"], 1)
    assert record.options == ["7", "2.5", "none"]
    assert ranking_request(CLOZE.render(record)).continuations == [" 7", " 2.5", " none"]


# --- tasks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
def test_ids_do_not_depend_on_the_style(rows, style):
    path = rows(row(), row(question="Other?"), row())
    ids = [sample.id for sample in build(path, style=style).dataset]
    assert ids == [sample.id for sample in build(path).dataset]
    assert len(set(ids)) == 3


def to_written(row):
    prompt = create_dynamic_multiple_choice_prompt(row["question"], row["options"])
    return MCQSample(id="q1", input=prompt, target="A")


@pytest.mark.parametrize("style", STYLES)
def test_a_prompt_that_is_written_has_one_style(rows, style):
    with pytest.raises(UsageError) as caught:
        build(rows(row()), record_to_mcq_sample=to_written, style=style)
    assert str(caught.value) == (
        f"quiz: the style {style!r} does not fit the sample 'q1', which has another style. Return "
        "MCQRecord(question, options, correct) instead of a sample: any style can render it."
    )


def test_samples_that_rank_have_no_letters():
    dataset = MemoryDataset([CLOZE.render(RECORD)])
    with pytest.raises(
        UsageError, match=r"^quiz: the style 'letters' does not fit the sample 'q1', which has another style"
    ):
        mcq_task(name="quiz", dataset=dataset)


STYLED = '''
"""A benchmark whose style is an argument."""

from pathlib import Path

from inspect_ai import Task, task
from openbench.tasks.mcq import Style
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


def evaluated(folder, baseline, style, **options):
    arguments = {"baseline": baseline, "task_args": {"style": style}, "log_dir": str(folder / f"{baseline}-{style}")}
    [log] = openbench.eval(str(folder / "styled.py"), **arguments, **options)
    assert log.status == "success", log.error
    return log


def figures_of(log):
    return {each.name: each.metrics["mean"].value for each in log.results.scores}


@pytest.mark.parametrize("style", STYLES)
def test_every_style_in_a_run(benchmark, style):
    log = evaluated(benchmark, "reference", style)
    if style == "bits_per_byte":
        assert figures_of(log) == {"bits_per_byte": 0}
        assert figures_of(evaluated(benchmark, "random", style)) == {"bits_per_byte": pytest.approx(8)}
        return
    assert figures_of(log) == {
        "acc": 1, "acc_norm": 1, "acc_bytes": 1, "bits_per_byte": 0,
        "prob_mass": pytest.approx(1), "prob_mass_norm": pytest.approx(1),
        **({"acc_uncond": 1} if style == "cloze_unconditional" else {}),
    }  # fmt: skip
    names = [name.rpartition("/")[2].removeprefix("grouped_mean_") for name in log.results.scores[0].metrics]
    assert names == [
        "mean", "stderr", "sky", "sea", "sky_stderr", "sea_stderr", "1", "2", "1_stderr", "2_stderr",
    ]  # fmt: skip


def test_what_chance_and_an_empty_answer_score(benchmark):
    drawn = figures_of(evaluated(benchmark, "random", "cloze"))
    assert 0.1 < drawn["acc"] < 0.5
    assert drawn["acc"] == drawn["acc_norm"] == drawn["acc_bytes"]
    nothing = evaluated(benchmark, "empty", "letters_ranked")
    assert figures_of(nothing)["acc"] == 0
    assert {sample.scores["ranking"].reason for sample in nothing.samples} == {"no_response"}


def bench(monkeypatch, capsys, folder, *arguments):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["bench", *map(str, arguments)])
    code = run()
    done = capsys.readouterr()
    return code, done.out, done.err


def test_the_log_names_the_style_and_can_be_scored_again(benchmark, monkeypatch, capsys):
    log = evaluated(benchmark, "random", "cloze", log_format="json", limit=8)
    assert log.eval.metadata["openbench"]["style"] == "cloze"
    assert log.samples[0].metadata["openbench_ranking"] == {
        "continuations": [" red", " grün", " a shade of blue"],
        "gold": [0],
    }
    assert len(log.samples[0].output.metadata["loglikelihoods"]) == 3
    code, out, err = bench(monkeypatch, capsys, benchmark, "score", log.location, "--json")
    assert code == 0, err
    again = json.loads(out)[0]["metrics"]
    assert {name: figures["mean"] for name, figures in again.items()} == figures_of(log)


def test_a_model_that_cannot_rank_is_refused_before_the_first_request(benchmark, monkeypatch, capsys):
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    with ChatServer("Answer: A") as server:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        code, out, err = bench(monkeypatch, capsys, benchmark, "eval", "styled.py", "-T", "style=cloze", *model)
        assert server.requests == []
    assert (code, out) == (2, "")
    assert err == (
        "bench: styled: it ranks options by log-probability, which openai-api/local/m does not provide. Use a model "
        "whose provider does (openbench-loglikelihood), or check the benchmark without a model: --baseline reference "
        "or random.\n"
    )


def test_a_wrong_style_is_refused(benchmark, monkeypatch, capsys):
    arguments = ["eval", "styled.py", "-T", "style=close", "--baseline", "random"]
    code, _, err = bench(monkeypatch, capsys, benchmark, *arguments)
    assert code == 2
    assert "style" in err
    assert "close" in err
