"""What each benchmark asks, how it reads answers, and what it reports."""

import hashlib
import json
import math
import re
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

import openbench
import openbench_qa
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.tasks.provenance import Provenance
from openbench_qa import closed_book, pubmedqa, reading, simpleqa_verified
from openbench_qa.build import CHAIN, passage_of
from openbench_qa.metadata import BENCHMARKS, PUBMEDQA_TEST, SIMPLEQA_VERIFIED_GRADER
from openbench_scorers.drop import score_drop
from openbench_scorers.fallback import extractions
from openbench_scorers.token_f1 import score_token_f1
from openbench_testing import HubServer

SAMPLES = Path(openbench_qa.__file__).parent / "samples"
MODULES = {module.__name__: module for module in (closed_book, pubmedqa, reading, simpleqa_verified)}
FOUND = extractions(CHAIN)


def built(key, **arguments):
    task = getattr(MODULES[BENCHMARKS[key].module_path], key)
    with bundled_rows(SAMPLES / key):
        return task(**arguments)


def mapped(row, mapping):
    return next(iter(load_samples(Rows("rows", [row]), mapping, name="rows")))


def row_of(key):
    file = SAMPLES / key / f"{BENCHMARKS[key].dataset.split}.jsonl"
    return json.loads(file.read_text("utf-8").splitlines()[0])


@pytest.fixture
def run(tmp_path):
    def run_task(task, answer, **options):
        model = get_model("baseline/constant", answer=answer)
        log = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path), **options)[0]
        assert log.status == "success", log.error
        return {
            (of.name, metric.name.rpartition("/")[2]): metric.value
            for of in log.results.scores
            for metric in of.metrics.values()
        }

    return run_task


# How answers are read


@pytest.mark.parametrize(
    "completion",
    [
        "Pharos",
        "Answer: Pharos",
        "The port had a tower.\n\nAnswer: Pharos",
        "The port had a tower.\n**Answer:** *Pharos*",
        'answer: "Pharos"',
        "Answer: Babylon? No.\nAnswer: Pharos.",
        "Answer:\nPharos",
        "The answer is Pharos.",
        "<think>Answer: Babylon</think>Answer: Pharos",
        "Answer: Pharos\n\nQuestion: Which river is the longest?\nAnswer: Nile",
    ],
)
def test_answers_are_read_from_their_line(completion):
    score = score_token_f1(completion, ["pharos"], "triviaqa", chain=FOUND)
    assert score.value == {"f1": 1.0, "exact_match": 1.0}, score.answer


def test_sentences_without_an_announced_answer_are_compared_whole():
    score = score_token_f1("It was Pharos", ["pharos"], "triviaqa", chain=FOUND)
    assert score.value == {"f1": pytest.approx(0.5), "exact_match": 0.0}


@pytest.mark.parametrize(
    ("completion", "targets", "f1"),
    [
        ("12 - 5 = 7\nAnswer: 7", ["7"], 1.0),
        ("Answer: Brand | Lund", ["Brand|Lund"], 1.0),
        ("Answer: Lund | Brand", ["Brand|Lund"], 1.0),
        ("Answer: Brand, Lund", ["Brand|Lund"], 0.33),  # one span of two words
        ("Answer: 8", ["7"], 0.0),
    ],
)
def test_numbers_and_spans_of_drop_are_read_from_their_line(completion, targets, f1):
    assert score_drop(completion, targets, reading.SEPARATOR, chain=FOUND).value["f1"] == f1


def test_every_alias_counts(run):
    assert run(built("triviaqa"), "Answer: Hydrargyrum")["exact_match", "mean"] == pytest.approx(1 / 6)
    assert run(built("nq_open"), "Answer: 1066")["exact_match", "mean"] == pytest.approx(1 / 6)
    assert run(built("nq_open"), "Lac de Guerle\u0301dan")["exact_match", "mean"] == pytest.approx(1 / 6)


# No answer


@pytest.mark.parametrize(
    "answer", ["unanswerable", "Answer: Unanswerable.", "Answer: The question is unanswerable from this passage."]
)
def test_that_there_is_no_answer_is_right_where_there_is_none(run, answer):
    figures = run(built("squad_v2"), answer)
    assert figures["f1", "mean"] == figures["exact_match", "mean"] == pytest.approx(1 / 3)
    for value in ("f1", "exact_match"):
        assert (figures[value, "has_answer"], figures[value, "no_answer"]) == (0.0, 1.0)
        assert (figures[value, "has_answer_count"], figures[value, "no_answer_count"]) == (4, 2)


@pytest.mark.parametrize("answer", ["", "Answer: in March", "I cannot tell."])
def test_nothing_and_anything_else_is_not_that_there_is_no_answer(run, answer):
    assert run(built("squad_v2"), answer)["exact_match", "no_answer"] == 0.0


def test_answers_without_words_do_not_make_a_question_answerable():
    row = row_of("squad_v2") | {"answers": {"text": [".", "the"], "answer_start": [0, 0]}}
    assert mapped(row, reading.squad_v2_sample).target == [reading.NO_ANSWER]


# Clusters and groups


def test_questions_about_a_passage_are_a_cluster(run):
    figures = run(built("squad_v2"), "Answer: mud")
    assert figures["f1", "clusters"] == 2
    # Means of 0 and 1/3 in the passages, each of three questions.
    assert figures["f1", "clustered_stderr"] == pytest.approx(math.sqrt(2 * 2 * 0.5**2) / 6)
    assert run(built("drop"), "Answer: 17")["f1", "clusters"] == 2


def test_both_rows_of_a_question_are_a_cluster_or_one_is_left_out(run):
    figures = run(built("triviaqa"), "Answer: Pharos")
    assert (figures["exact_match", "mean"], figures["exact_match", "clusters"]) == (pytest.approx(2 / 6), 5)
    distinct = built("triviaqa", distinct=True)
    assert len(distinct.dataset) == 5
    assert run(distinct, "Answer: Pharos")["exact_match", "mean"] == pytest.approx(1 / 5)


def test_figures_are_given_by_kind(run):
    figures = run(built("drop"), "Answer: 17")
    assert {name for value, name in figures if value == "f1" and name.endswith("_count")} == {
        f"{kind}_count" for kind in ("number", "span", "spans", "date")
    }
    assert figures["f1", "number"] == pytest.approx(1 / 3)
    figures = run(built("hotpotqa"), "Answer: no")
    assert (figures["f1", "bridge"], figures["f1", "comparison"]) == (0.0, pytest.approx(1 / 3))


# From rows to samples


def test_all_annotators_of_drop_count():
    row = row_of("drop")
    row["answer"] = {"number": "", "spans": [], "date": {"day": "3", "month": "May", "year": ""}}
    row["validated_answers"] = {
        "number": ["", "3"],
        "spans": [["May", "June"], []],
        "date": [{"day": "", "month": "", "year": ""}] * 2,
    }
    sample = mapped(row, reading.drop_sample)
    assert (sample.target, sample.metadata["kind"]) == (["3 May", "May|June", "3"], "date")


@pytest.mark.parametrize(
    ("key", "changes", "mapping", "message"),
    [
        (
            "drop",
            {"answer": {"number": "", "spans": [], "date": {"day": "", "month": "", "year": ""}}}
            | {"validated_answers": {"number": [], "spans": [], "date": []}},
            reading.drop_sample,
            "row 1 of rows: answer: no number, span or date in {'number': '', ",
        ),
        (
            "triviaqa",
            {"answer": {"value": "!", "normalized_value": "", "normalized_aliases": [" "]}},
            closed_book.triviaqa_sample,
            "row 1 of rows: answer: no alias of '!' contains a word",
        ),
    ],
)
def test_a_row_without_an_answer_is_named(key, changes, mapping, message):
    with pytest.raises(DataError) as error:
        mapped(row_of(key) | changes, mapping)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("key", ["squad_v2", "drop", "hotpotqa", "pubmedqa"])
def test_a_prompt_holds_its_passage_once(key):
    for sample in built(key).dataset:
        passage = passage_of(sample)
        assert passage
        assert sample.input.count(passage) == 1
        assert not passage_of(sample.model_copy(update={"input": sample.input.replace(passage, "")}))


# PubMedQA


def test_the_test_set_alone_is_asked(run):
    samples = list(built("pubmedqa").dataset)
    assert [sample.id for sample in samples] == [1, 2, 3, 4]
    figures = run(built("pubmedqa"), "Answer: yes")
    assert figures["macro_f1", "accuracy"] == 0.5
    assert figures["macro_f1", "macro_f1"] == pytest.approx((2 * 2 / (4 + 2)) / 3)
    assert (figures["macro_f1", "yes"], figures["macro_f1", "maybe"]) == (1.0, 0.0)


def test_which_rows_are_the_test_set_is_read_from_a_pinned_file(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path))
    published = json.dumps({"12": "yes", "7": "maybe"}, indent=1).encode()
    with HubServer() as hub:
        url = hub.add_file("test_ground_truth.json", published)
        here = DatasetSource(source=url, type="text", sha256=hashlib.sha256(published).hexdigest())
        monkeypatch.setattr(pubmedqa, "PUBMEDQA_TEST", here)
        assert pubmedqa._test_ids() == [{"pubid": 12}, {"pubid": 7}]


# SimpleQA Verified


def test_the_range_of_a_number_is_shown_to_the_grader(tmp_path):
    with bundled_rows(SAMPLES / "simpleqa_verified"):
        task = simpleqa_verified.simpleqa_verified()
    roles = {"grader": get_model("baseline/echo")}
    log = inspect_eval(task, model="baseline/empty", model_roles=roles, display="none", log_dir=str(tmp_path))[0]
    told = [sample.scores["attempts"].explanation for sample in log.samples]
    assert any("212 (acceptable range: anything between 208 and 216)" in text for text in told)
    assert all("range in which a number" in text for text in told)


def test_the_grader_gets_the_official_prompt_on_request(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBENCH_DATA_DIR", str(tmp_path / "data"))
    source = b'GRADER_TEMPLATE = """\n{question} -> {predicted_answer} ({target})?\n""".strip()\n'
    with HubServer() as hub:
        url = hub.add_file("simpleqa_verified.py", source)
        here = DatasetSource(source=url, type="text", sha256=hashlib.sha256(source).hexdigest())
        monkeypatch.setattr(simpleqa_verified, "SIMPLEQA_VERIFIED_GRADER", here)
        options = {"display": "none", "log_dir": str(tmp_path / "logs"), "task_args": {"grader": "official"}}
        [log] = openbench.eval("simpleqa_verified", baseline="reference", sample=True, **options)
    [prompt] = Provenance.of(log).further_datasets
    assert prompt["source"] == here.source
    assert log.eval.scorers[0].options["template"] == "{question} -> {predicted_answer} ({target})?"


def test_whose_prompt_must_be_clear():
    with pytest.raises(UsageError, match="grader='theirs': expected one of 'ours', 'official'"):
        built("simpleqa_verified", grader="theirs")


@pytest.mark.parametrize("source", [PUBMEDQA_TEST, SIMPLEQA_VERIFIED_GRADER])
def test_what_others_published_is_pinned_in_a_commit(source):
    assert source.pinned
    assert re.search(r"^https://raw\.githubusercontent\.com/[\w-]+/[\w-]+/[0-9a-f]{40}/", source.source)


@pytest.mark.parametrize("key", BENCHMARKS)
def test_the_readme_tells_the_same(key):
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    (line,) = [line for line in readme.splitlines() if line.startswith(f"| `{key}` |")]
    _, dataset, split, samples, pin, verified, licence = [cell.strip() for cell in line.strip("|").split("|")]
    metadata = BENCHMARKS[key]
    source = metadata.dataset
    assert dataset == (f"{source.source} ({source.config})" if source.config else source.source)
    assert (split, int(samples), pin) == (source.split, metadata.samples, "commit")
    assert verified == (f"rows verified ({source.verified:,})" if source.verified else "schema unverified")
    assert licence == source.licence
