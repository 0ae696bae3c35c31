"""The prompts of each benchmark and of its grader, and its metrics; graders are servers behind HTTP."""

import asyncio
import hashlib
import json
import math
import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import eval_async
from inspect_ai.model import get_model

import openbench_judged
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench_judged import hallulens, healthbench, hle, mt_bench, strong_reject, xstest
from openbench_judged.metadata import BENCHMARKS, MT_BENCH_REFERENCES
from openbench_judges.prompts import JudgePrompt
from openbench_testing import ChatServer

SAMPLES = Path(openbench_judged.__file__).parent / "samples"
README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
MODULES = {module.__name__: module for module in (hallulens, healthbench, hle, mt_bench, strong_reject, xstest)}


def built(key, **arguments):
    with bundled_rows(SAMPLES / key):
        return getattr(MODULES[BENCHMARKS[key].module_path], key)(**arguments)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run sample rows with an answer and a grader's reply; return the figures, the log and the grader's requests."""
    monkeypatch.setenv("GRADER_API_KEY", "k")

    async def evaluated(key, grader, server, arguments):
        made = partial(get_model, memoize=False)
        judge = made("openai-api/grader/m", base_url=grader.base_url)
        model = made("openai-api/grader/evaluated", base_url=server.base_url)
        async with judge, model:
            task = built(key, **arguments)
            return await eval_async(task, model=model, model_roles={"grader": judge}, log_dir=str(tmp_path))

    def run_benchmark(key, answer, reply, **arguments):
        with ChatServer(reply) as grader, ChatServer(answer) as server:
            (log,) = asyncio.run(evaluated(key, grader, server, arguments))
            assert log.status == "success", log.error
            (scores,) = log.results.scores
            figures = {name.rpartition("/")[2]: metric.value for name, metric in scores.metrics.items()}
            return figures, log, grader.requests

    return run_benchmark


# MT-Bench


def test_both_turns_are_rated(run):
    figures, _, requests = run("mt_bench", "An answer.", "It is fine.\nRating: [[7]]")
    assert len(requests) == 12
    assert (figures["rating"], figures["rating_coding"], figures["rating_turn_2"]) == (7.0, 7.0, 7.0)
    assert figures["mean"] == pytest.approx(6 / 9)
    assert sum("[Reference answer" in request.prompt for request in requests) == 6  # reasoning, math and coding


def test_pairs_are_against_gpt_4_where_it_answered(run):
    figures, log, requests = run("mt_bench_pair", "Mine.", "[[A]]")
    assert [sample.id for sample in log.samples] == [3, 4, 5]
    assert (figures["mean"], figures["position_consistency"], len(requests)) == (0.5, 0.0, 12)
    assert not any("[Reference answer" in request.prompt for request in requests)


def test_pairs_are_against_the_answers_of_a_file(run, tmp_path):
    file = tmp_path / "rival.jsonl"
    rows = [{"question_id": number, "choices": [{"turns": ["Theirs.", "Theirs, too."]}]} for number in range(1, 7)]
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")

    def prefers_mine(request):
        return "[[A]]" if request.prompt.rindex("Mine.") < request.prompt.rindex("Theirs") else "[[B]]"

    figures, log, requests = run("mt_bench_pair", "Mine.", prefers_mine, rival=str(file))
    assert (figures["mean"], figures["position_consistency"]) == (1.0, 1.0)
    assert (len(log.samples), len(requests)) == (6, 24)
    file.write_text("\n".join(map(json.dumps, rows[:2])), "utf-8")
    with pytest.raises(DataError, match=r"row 3 of .*: .*rival.jsonl has no answer to question 3"):
        built("mt_bench_pair", rival=str(file))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (None, UsageError, "rival={}: the file does not exist."),
        ("[1]", DataError, "{} is not in FastChat's format of answers, "),
        ("{", DataError, "{} is not in FastChat's format of answers, "),
    ],
)
def test_a_file_of_answers_is_checked(tmp_path, text, error, message):
    file = tmp_path / "rival.jsonl"
    if text:
        file.write_text(text, "utf-8")
    with pytest.raises(error) as caught:
        built("mt_bench_pair", rival=str(file))
    assert str(caught.value).startswith(message.format(file))


# Humanity's Last Exam


def test_hle_reports_accuracy_and_calibration(run):
    def answer(request):
        return "Answer: 15\nConfidence: 80%" if "six vertices" in request.prompt else "I cannot tell."

    figures, log, _ = run("hle", answer, lambda request: "A" if "Answer: 15" in request.prompt else "B")
    assert figures["accuracy"] == pytest.approx(1 / 5)
    assert figures["confidence_read"] == pytest.approx(1 / 5)
    assert figures["mean_confidence"] == pytest.approx(0.8)
    assert figures["calibration_error"] == pytest.approx(0.2)
    assert {sample.metadata["answer_type"] for sample in log.samples} == {"exactMatch", "multipleChoice"}


def test_images_are_shown_and_left_out_of_the_text_version():
    shown = [sample.input[1] for sample in built("hle").dataset]
    assert [isinstance(message.content, list) for message in shown] == [False, False, True, False, True]
    assert shown[2].content[1].image.startswith("data:image/png;base64,")
    assert len(built("hle_text").dataset) == 3


# XSTest


def test_refusals_are_counted_by_label(run):
    def reply(request):
        return "B" if "kill" in request.prompt else "C" if "photograph" in request.prompt else "A"

    figures, _, _ = run("xstest", "Hm.", reply)
    assert figures["accuracy"] == pytest.approx((2 + 1) / 6)
    assert (figures["safe_full_refusal"], figures["unsafe_full_refusal"]) == (
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
    )
    assert (figures["safe_full_compliance"], figures["safe_partial_refusal"]) == (pytest.approx(2 / 3), 0.0)


def test_a_class_that_cannot_be_read_is_unscored(run):
    _, log, _ = run("xstest", "Hm.", "A or B")
    assert (log.results.scores[0].scored_samples, log.results.scores[0].unscored_samples) == (0, 6)


def test_a_prompt_without_a_known_label_is_named():
    row = {"id": "1", "prompt": "?", "type": "t", "label": "maybe"}
    with pytest.raises(DataError) as error:
        load_samples(Rows("rows", [row]), xstest.record_to_sample, name="xstest")
    assert str(error.value) == "row 1 of rows: label is 'maybe'; expected one of 'safe', 'unsafe'"


# StrongREJECT


@pytest.mark.parametrize(
    ("refused", "convincingness", "specificity", "harm"),
    [(True, 5, 5, 0.0), (False, 1, 1, 0.0), (False, 5, 5, 1.0), (False, 3, 2, 0.375)],
)
def test_harm_is_that_of_the_paper(refused, convincingness, specificity, harm):
    rubric = {"refused": refused, "convincingness": convincingness, "specificity": specificity}
    assert strong_reject.harm(rubric) == harm


def test_the_rubric_is_reported(run):
    def reply(request):
        refused = "bank" in request.prompt
        return json.dumps({"refused": refused, "convincingness": 5, "specificity": 3})

    figures, _, _ = run("strong_reject", "Take this.", reply)
    assert figures["mean"] == pytest.approx(4 / 5 * 0.75)
    assert (figures["refused"], figures["convincingness"], figures["specificity"]) == (pytest.approx(0.2), 5.0, 3.0)
    assert figures["Violence"] == 0.75


@pytest.mark.parametrize(
    "reply", ['{"refused": false}', '{"refused": false, "convincingness": 6, "specificity": 1}', "5"]
)
def test_an_incomplete_rubric_is_unscored(run, reply):
    _, log, _ = run("strong_reject", "Take this.", reply)
    assert log.results.scores[0].unscored_samples == 5


# HealthBench


def test_points_are_won_and_lost(run):
    def reply(request):
        met = any(words in request.prompt for words in ("Names a stroke", "Advises to wait", "60 to 100"))
        return f'```json\n{{"explanation": "So.", "criteria_met": {str(met).lower()}}}\n```'

    figures, log, requests = run("healthbench", "An answer.", reply)
    values = {sample.id: sample.scores["healthbench_scorer"].value for sample in log.samples}
    assert values == {
        "made-a": pytest.approx((5 - 9) / 15),
        "made-b": 0.0,
        "made-c": 0.0,
        "made-d": pytest.approx(7 / 9),
        "made-e": 0.0,
    }
    assert figures["healthbench_score"] == pytest.approx((-4 / 15 + 7 / 9) / 5)
    assert figures["theme_emergency_referrals"] == 0.0  # clipped
    assert figures["axis_accuracy"] == pytest.approx(((5 - 9) / 5 + 1) / 4)
    assert len(requests) == 15
    assert any("system: Answer for a nurse.\n\nuser: What is" in request.prompt for request in requests)


def test_a_criterion_that_cannot_be_read_leaves_the_sample_unscored(run):
    def reply(request):
        return "yes" if "stroke" in request.prompt else '{"criteria_met": true}'

    _, log, _ = run("healthbench", "An answer.", reply)
    unread = [sample.id for sample in log.samples if math.isnan(sample.scores["healthbench_scorer"].value)]
    assert unread == ["made-a"]


@given(st.lists(st.tuples(st.integers(-10, 10), st.booleans()), max_size=12))
def test_the_share_of_points_is_at_most_1(pairs):
    rubrics = [{"points": points} for points, _ in pairs]
    share = healthbench.share_of_points(rubrics, [met for _, met in pairs])
    assert (share is None) == (not any(points > 0 for points, _ in pairs))
    assert share is None or share <= 1


def test_the_official_prompt_is_fetched(run, tmp_path, monkeypatch):
    published = b'GRADER_TEMPLATE = """\n<<conversation>>\n-> <<rubric_item>>\n""".strip()\n'
    file = tmp_path / "healthbench_eval.py"
    file.write_bytes(published)
    here = DatasetSource(source=str(file), type="text", sha256=hashlib.sha256(published).hexdigest())
    monkeypatch.setattr(healthbench, "HEALTHBENCH_GRADER", here)
    figures, _, requests = run("healthbench", "An answer.", '{"criteria_met": false}', prompts="official")
    assert figures["healthbench_score"] == 0.0
    assert "user: Does cold weather cause colds?\n\nassistant: An answer.\n-> [6] Says that viruses cause colds" in [
        request.prompt for request in requests
    ]


def test_the_dry_run_counts_the_requests_to_graders(bench, tmp_path):
    grader = ("--model", "baseline/echo", "--model-role", "grader=baseline/grader")
    done = bench("eval", "healthbench", "mt_bench", "--sample", *grader, "--dry-run", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert [each["graders"] for each in done.json()] == [{"baseline/grader": 15}, {"baseline/grader": 12}]


def test_a_model_that_would_judge_itself_is_refused_before_the_run(bench, tmp_path):
    itself = ("--model", "baseline/constant", "--model-role", "grader=baseline/constant")
    done = bench("eval", "xstest", "--sample", *itself, cwd=tmp_path)
    assert done.code == 2
    assert "xstest: baseline/constant would judge its own answers. Name another grader with --model-role" in done.err
    done = bench("eval", "xstest", "--sample", *itself, "-T", "allow_self_judge=true", cwd=tmp_path)
    assert done.code == 0, done.err


# HalluLens


def test_answers_are_compared_with_their_text(run):
    def reply(request):
        return "A" if "Grauberg and is 71" in request.prompt else "C" if "4,812" in request.prompt else "B"

    figures, _, _ = run("hallulens_qa", "An answer.", reply)
    assert (figures["correct_rate"], figures["refusal_rate"]) == (0.25, 0.25)
    assert figures["hallucination_rate"] == pytest.approx(2 / 3)


def test_rows_are_those_of_a_file(tmp_path):
    file = tmp_path / "nonsense_all_not_exist.csv"
    file.write_text("name,type_,place,prompt\nVarnolith,event,,What is Varnolith?\n", "utf-8")
    (sample,) = hallulens.hallulens_refusal(rows=str(file)).dataset
    assert (sample.input, sample.metadata) == ("What is Varnolith?", {"name": "Varnolith", "type": "event"})
    with pytest.raises(DataError, match=r"nowhere\.jsonl"):
        hallulens.hallulens_qa(rows=str(tmp_path / "nowhere.jsonl"))


# What is written down


PROMPTS = {
    "healthbench/1/en": "122f0c0ab9e5",
    "strong_reject/1/en": "a17ca8f35edd",
    "xstest/1/en": "f74da7f2facd",
}


def test_a_prompt_changes_with_its_version_alone():
    found = [each for module in MODULES.values() for each in vars(module).values() if isinstance(each, JudgePrompt)]
    digests = {each.label(): hashlib.sha256(repr(each.texts).encode()).hexdigest()[:12] for each in found}
    assert digests == PROMPTS


@pytest.mark.parametrize("key", BENCHMARKS)
def test_the_readme_agrees(key):
    (line,) = [line for line in README.splitlines() if line.startswith(f"| `{key}` |")]
    _, dataset, samples, verified, licence = [cell.strip() for cell in line.strip("|").split("|")]
    metadata = BENCHMARKS[key]
    source = metadata.dataset
    assert dataset == ("cais/hle" if source.type == "hf" else source.source.rpartition("/")[2])
    assert (int(samples), licence) == (metadata.samples, source.licence)
    assert verified == (f"rows verified ({source.verified})" if source.verified else "schema unverified")


@pytest.mark.parametrize("key", BENCHMARKS)
def test_files_of_repositories_are_pinned_in_a_commit(key):
    source = BENCHMARKS[key].dataset
    assert source.pinned or key in {"hallulens_qa", "hallulens_refusal"}
    assert "githubusercontent" not in source.source or re.search(r"/[0-9a-f]{40}/", source.source)
    assert MT_BENCH_REFERENCES.pinned
