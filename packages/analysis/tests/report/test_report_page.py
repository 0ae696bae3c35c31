"""The page without a browser: its figures, its failures, what it holds, and what it leaves out."""

import base64
import hashlib
import json
import re

import pytest

from openbench_analysis.report.boards import benchmark_board, categories, numbers_of, pairs_of, suite_board
from openbench_analysis.report.faults import count_faults
from openbench_analysis.study import ALL, study
from openbench_analysis.systems import read_systems


@pytest.fixture(scope="module")
def studied(logs):
    return study(read_systems([str(logs)]).systems, pairwise=True)


@pytest.fixture(scope="module")
def page(logs, page_of):
    return page_of(logs)


def data_of(page, place=1):
    [text] = re.findall(rf'<script type="application/json" id="benchmark-{place}-samples">(.*?)</script>', page)
    return json.loads(text)


def test_leaderboards_have_the_figures_of_the_study(studied):
    numbers = numbers_of(studied)
    assert numbers == {"acme/good": 1, "acme/middling": 2, "acme/bad": 3}
    board = benchmark_board(studied, "quiz", "accuracy", numbers)
    assert [(row.label, row.score, row.letters) for row in board.rows[:2]] == [
        ("acme/good", 0.9, "a"),
        ("acme/middling", 0.6, "b"),
    ]
    assert [row.interval for row in board.rows] == [studied.figures[row.label, "quiz"].interval for row in board.rows]
    averages = {average.label: average for average in studied.scores}
    for row in suite_board(studied, ALL, numbers).rows:
        assert (row.score, row.interval) == (averages[row.label].estimate.value, averages[row.label].interval)


def test_every_failure_is_counted(studied):
    rows = {row.label: row.totals for row in benchmark_board(studied, "quiz", "accuracy", numbers_of(studied)).rows}
    assert rows["acme/bad"].faults == {"error": 1, "unscored": 1, "unanswered": 1, "truncated": 1}
    assert rows["acme/bad"].answered == pytest.approx(38 / 40)
    assert rows["acme/good"].faults == {}
    assert rows["acme/good"].tokens == 0  # the samples of these logs record none


def test_a_sample_with_an_error_has_no_other_failure(studied):
    results = studied.systems[0].runs["quiz"].results
    assert count_faults(result for result in results if result.error) in ({"error": 1}, {})


def test_pairs_are_the_rows_less_the_columns(studied):
    pairs = pairs_of(studied, "quiz")
    assert pairs.labels == ["acme/good", "acme/middling", "acme/bad"]
    assert pairs.cells[0][1].difference == pytest.approx(0.3)
    assert pairs.cells[1][0].difference == pytest.approx(-0.3)
    assert (pairs.cells[0][1].verdict, pairs.cells[1][0].verdict, pairs.cells[0][0]) == ("better", "worse", None)


def test_lower_is_better_turns_order_and_verdicts(tmp_path, make_sample, write_log):
    provenance = {"distribution": "acme-quiz", "version": "1.0", "higher_is_better": False}
    for name, share in (("low", 0.2), ("high", 0.7)):
        samples = [make_sample(number, float(number % 10 < share * 10)) for number in range(40)]
        write_log(tmp_path / f"{name}.eval", name, samples, provenance=provenance)
    found = study(read_systems([str(tmp_path)]).systems, pairwise=True)
    pairs = pairs_of(found, "quiz")
    assert pairs.labels == ["low", "high"]
    assert pairs.cells[0][1].difference < 0
    assert pairs.cells[0][1].verdict == "better"


def test_categories_are_means_of_their_samples(studied):
    found = categories(studied, "quiz", "subject")
    assert found.columns == ["acme/good", "acme/middling", "acme/bad"]
    assert [(name, note) for name, note, _ in found.rows] == [("s0", "n = 14"), ("s1", "n = 13"), ("s2", "n = 13")]
    scores = [float(number % 10 < 9) for number in range(0, 40, 3)]
    assert found.rows[0][2][0].value == pytest.approx(sum(scores) / len(scores))
    assert categories(studied, "quiz", "nothing") is None


def test_failures_and_flips_are_held_up_to_the_cap(logs, page_of, page):
    samples = data_of(page)["samples"]
    assert len(samples) == 29  # of forty, eleven are scored alike by all and have no failure
    kinds = {kind for sample in samples for kind in sample["kinds"]}
    assert kinds == {"scored differently", "error", "unscored", "unanswered", "truncated"}
    capped = page_of(logs, samples=5)
    assert len(data_of(capped)["samples"]) == 5
    assert "5 of 29 samples with a failure or different scores are on this page; 24 left out." in capped
    assert "0 of 29 samples" in page_of(logs, samples=0)


def test_answers_of_one_sample_stand_together(page):
    sample = next(sample for sample in data_of(page)["samples"] if sample["id"] == "q1")
    assert {number: result["score"] for number, result in sample["results"].items()} == {"1": 1.0, "2": 1.0, "3": None}
    assert sample["results"]["3"]["text"] == "the server hung up"
    assert sample["results"]["3"]["faults"] == ["error"]
    assert sample["results"]["1"]["answer"] == "A"


def test_long_answers_are_shortened(tmp_path, make_sample, write_log, page_of):
    for name in ("one", "two"):
        samples = [make_sample(number, float(name == "one"), text="long " * 180) for number in range(10)]
        write_log(tmp_path / f"{name}.eval", name, samples)
    texts = [result["text"] for each in data_of(page_of(tmp_path))["samples"] for result in each["results"].values()]
    assert {len(text) for text in texts} == {602}
    assert all(text.endswith(" …") for text in texts)


def test_the_benchmark_says_where_it_comes_from(page):
    for text in ("acme-quiz 2.1.0", "acme/quiz / test", "revision 0123abc", "Be brief.", "Question 0?"):
        assert text in page


def test_runs_that_cannot_be_compared_are_marked(tmp_path, make_sample, write_log, page_of):
    samples = [make_sample(number, float(number < 5)) for number in range(10)]
    base = {"distribution": "acme-quiz", "version": "2.1.0", "scorers": [{"name": "choice", "arguments": {}}]}
    write_log(tmp_path / "1.eval", "one", samples, provenance=base)
    write_log(tmp_path / "2.eval", "two", samples, provenance={**base, "version": "3.0.0"})
    write_log(tmp_path / "3.eval", "three", samples, provenance=None, status="error")
    page = page_of(*sorted(tmp_path.iterdir()))
    assert "Not comparable with one: acme-quiz 2.1.0 and 3.0.0 differ in the major version: scores changed." in page
    assert "The log was not written by openbench, so that its version, dataset and scorers cannot be checked." in page
    assert "The run is not complete: its status is error." in page


def test_a_system_without_a_benchmark_is_incomplete(logs, page_of, tmp_path, make_sample, write_log):
    write_log(tmp_path / "x.eval", "acme/partial", [make_sample(number, 1.0) for number in range(40)])
    page = page_of(logs, tmp_path)
    assert re.search(r"acme/partial</bdi> <span class=\"note\">incomplete: no score of\s+<bdi>riddles", page)


def test_one_log_is_enough(logs, page_of):
    page = page_of(logs / "acme_good_quiz.eval")
    assert "1 system on 1 benchmark, 40 results of samples" in page
    assert "All pairs" not in page


def test_confidence_is_calibrated(tmp_path, make_sample, write_log, page_of):
    samples = [make_sample(number, float(number % 4 < 3), metadata={"confidence": "75%"}) for number in range(40)]
    write_log(tmp_path / "sure.eval", "sure", samples)
    doubts = [
        make_sample(number, float(number % 4 < 3), score={"metadata": {"confidence": 0.25}}) for number in range(40)
    ]
    write_log(tmp_path / "unsure.eval", "unsure", doubts)
    page = page_of(tmp_path)
    assert "Mean score against stated confidence on quiz, a diagram for each of 2 systems" in page
    figures = re.findall(r"<bdi>(\w+)</bdi></th>\s*<td class=\"right\">([\d.]+)</td><td class=\"right\">([\d.]+)", page)
    assert figures == [("sure", "0.000", "0.188"), ("unsure", "0.500", "0.438")]


def test_the_policy_allows_the_own_script_and_style_alone(page):
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)">', page)
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    for text, directive in ((script, "script-src"), (style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} &#39;sha256-{digest}&#39;;" in policy
    assert policy.startswith("default-src &#39;none&#39;;")
    assert not re.search(r"\son\w+=|\sstyle=|https?://(?!www\.w3\.org/)", page)


def test_the_page_depends_on_the_logs_alone(logs, page_of, page):
    assert page_of(logs) == page
    assert page.count("<html") == page.count("</html>") == 1
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
