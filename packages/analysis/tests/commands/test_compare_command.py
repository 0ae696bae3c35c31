"""`bench compare` as people use it: what it prints, what it refuses, and how it ends."""

import json

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelUsage

STAMP = "2026-01-01T00-00-00-00-00"


@pytest.fixture
def pair(make_log):
    """Logs of two models on ten samples, of which the second has three more right."""

    def make(**fields):
        before = {f"q{number}": [float(number < 5)] for number in range(10)}
        after = {f"q{number}": [float(number < 8)] for number in range(10)}
        return (
            make_log("before.json", before, model="acme/one", **fields),
            make_log("after.eval", after, model="acme/two", **fields),
        )

    return make


def test_what_is_printed(bench, pair, tmp_path):
    done = bench("compare", *pair(), "--flips", 1, "--margin", 0.1, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= 80
    assert (
        done.out
        == """\
acme/two, compared with acme/one (95% intervals; p: Holm)
benchmark  baseline  candidate  difference                   p  verdict
quiz          0.500      0.800  +0.300 [-0.061, +0.603]  0.250  not shown

benchmark  samples  higher  lower  detectable  clusters
quiz            10       3      0       0.428         -

benchmark  answered  truncated  output tokens  cost  seconds
quiz         100.0%          0              0     -        0

within a margin of 0.1
benchmark  90% interval             equivalent  not worse
quiz       +0.300 [+0.023, +0.558]  not shown   yes

quiz: 1 of 3 samples that are scored differently

id        q5
change    +1.000
question  Question q5?
target    A
acme/one
acme/two

quiz (acme/two): openbench wrote neither log, so that version, dataset and
  scorers cannot be checked.
"""
    )


def test_json_alone_is_on_stdout_and_the_same_each_time(bench, pair, tmp_path):
    logs = pair()
    first = bench("compare", *logs, "--json", "--pairwise", "--flips", 2, cwd=tmp_path)
    assert (first.code, first.err) == (0, "")
    assert bench("compare", *logs, "--json", "--pairwise", "--flips", 2, cwd=tmp_path).out == first.out
    data = first.json()
    assert data["comparisons"][0]["verdict"] == "no difference shown"
    assert data["comparisons"][0]["p_value"] == pytest.approx(0.25)
    assert "NaN" not in first.out
    assert "Infinity" not in first.out


def test_one_sample_has_an_unbounded_interval_that_json_can_hold(bench, make_log, tmp_path):
    logs = [make_log(f"{name}.json", {"q": [value]}, model=name) for name, value in (("a", 0.2), ("b", 0.9))]
    done = bench("compare", *logs, "--json", cwd=tmp_path)
    assert done.code == 0
    json.dumps(done.json(), allow_nan=False)


def test_markdown_and_html(bench, pair, tmp_path):
    done = bench("compare", *pair(), "--markdown", "--html", "page.html", cwd=tmp_path)
    assert "| quiz | 0.500 | 0.800 | +0.300 \\[-0.061, +0.603\\] | 0.250 | not shown |" in done.out
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<title>Compared with acme/one</title>" in page
    assert "<script" not in page


def test_a_label_names_a_place_and_its_logs(bench, pair, tmp_path):
    before, after = pair()
    done = bench("compare", f"old={before}", f"new={after}", "--baseline", "new", cwd=tmp_path)
    assert done.out.startswith("old, compared with new (")


def test_one_model_in_two_places_is_told_apart(bench, make_log, tmp_path):
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        make_log(f"{folder}/{STAMP}_quiz_abc.json", {"q": [1.0], "r": [0.0]}, model="acme/one")
    done = bench("compare", "first", "second", cwd=tmp_path)
    assert done.out.startswith("acme/one (second), compared with acme/one (first) (")


def test_the_newer_of_two_runs_in_a_directory_counts(bench, make_log, tmp_path):
    older = make_log(f"{STAMP}_quiz_abc.json", {"q": [1.0]}, model="acme/one")
    newer = make_log("2026-01-02T00-00-00-00-00_quiz_abd.json", {"q": [1.0]}, model="acme/one")
    make_log("2026-01-03T00-00-00-00-00_quiz_abe.json", {"q": [1.0]}, model="acme/two")
    done = bench("compare", ".", cwd=tmp_path)
    assert done.code == 0
    assert f"{older.name} is left out: " in done.err
    assert newer.name in done.err


def test_a_corrupt_log_is_named_and_the_rest_goes_on(bench, pair, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{", "utf-8")
    done = bench("compare", *pair(), broken, cwd=tmp_path)
    assert done.code == 0
    assert done.err.startswith("Warning: ")
    assert "broken.json" in done.err
    assert "+0.300" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["before.json"], 2, "bench: acme/one is the only system in these logs, so that there is nothing to compare"),
        (["before.json", "missing.json"], 2, "bench: missing.json does not exist."),
        (["before.json", "no*.json"], 2, "bench: no*.json: no log matches the pattern."),
        (["before.json", "after.eval", "--level", "95"], 2, "bench: --level 95.0: expected a number between 0 and 1"),
        (["before.json", "after.eval", "--margin", "0"], 2, "bench: --margin 0.0: expected a difference above 0"),
        (["before.json", "after.eval", "--suite", "x"], 2, "bench: --suite 'x': no such suite."),
        (["before.json", "after.eval", "--baseline", "x"], 2, "bench: --baseline 'x': no system has this label."),
        (["=before.json", "after.eval"], 2, "bench: '=before.json': expected LABEL=PLACE, such as before=logs/old."),
    ],
)
def test_mistakes_are_named(bench, pair, tmp_path, arguments, code, message):
    pair()
    done = bench("compare", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(message)


def test_nothing_in_common_fails(bench, make_log, tmp_path):
    make_log("a.json", {"q": [1.0]}, model="acme/one", benchmark="quiz")
    make_log("b.json", {"r": [1.0]}, model="acme/two", benchmark="quiz")
    make_log("c.json", {"r": [1.0]}, model="acme/three", benchmark="other")
    done = bench("compare", "a.json", "b.json", "c.json", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "quiz: a.json and b.json have no sample in common." in done.err
    assert "other: acme/three has a run, but acme/one does not." in done.err


def test_runs_of_bench_eval(bench, quiz):
    for model in ("random", "constant"):
        done = bench("eval", "quiz.py", "--model", f"baseline/{model}", "--log-dir", "logs", cwd=quiz)
        assert done.code == 0, done.err
    done = bench("compare", "logs", "--json", cwd=quiz)
    assert (done.code, done.err) == (0, "")
    compared = done.json()["comparisons"][0]
    assert (compared["samples"], compared["match"], compared["caveats"]) == (6, "content", [])
    assert done.json()["problems"] == []


def test_costs_are_those_of_the_projects_prices(bench, pair, tmp_path):
    for path, model in zip(pair(), ("acme/one", "acme/two"), strict=True):
        log = read_eval_log(str(path))
        log.stats.model_usage = {model: ModelUsage(input_tokens=1_000_000, output_tokens=500_000)}
        write_eval_log(log, str(path))
    prices = (
        '[tool.openbench.prices]\n"acme/one" = { input = 2, output = 8 }\n"acme/two" = { input = 0.5, output = 1 }\n'
    )
    (tmp_path / "openbench.toml").write_text(prices, "utf-8")
    done = bench("compare", "before.json", "after.eval", "--json", cwd=tmp_path)
    runs = [system["runs"]["quiz"] for system in done.json()["systems"]]
    assert [run["cost"] for run in runs] == [6.0, 1.0]
    assert "6.00 → 1.00" in bench("compare", "before.json", "after.eval", cwd=tmp_path).out


def test_patterns_are_expanded_where_the_shell_does_not(bench, pair, tmp_path):
    pair()
    done = bench("compare", "old=bef*.json", "new=a*.eval", cwd=tmp_path)
    assert done.out.startswith("new, compared with old (")
