"""Leaderboards: weights, missing results, standard errors, ties, and mistakes in their files."""

import csv
import io
import math
import tomllib
from pathlib import Path

import pytest

from openbench.errors import LogError, UsageError
from openbench_analysis.leaderboard import rendering
from openbench_analysis.leaderboard.board import make_board
from openbench_analysis.leaderboard.config import Leaderboard, read_leaderboard
from openbench_analysis.results.files import add_logs
from openbench_analysis.results.places import Entry, read_entries
from openbench_analysis.results.schema import Headline, Result, Samples, Settings, Source

PAGE = Path(__file__).parents[4] / "docs" / "leaderboards.md"

TWO = """
title = "Small"

[categories.knowledge]
title = "Knowledge"
weight = 0.75
benchmarks = ["quiz", { name = "judged", scale = [0, 10], weight = 0.5 }]

[categories.safety]
weight = 0.25
benchmarks = [{ name = "harm", invert = true }]
"""
EQUAL = TWO.replace(", weight = 0.5", "")


def config(text):
    return Leaderboard.model_validate(tomllib.loads(text))


def entry(model, benchmark, value, error=0.01, *, version="1.0.0", higher=True, where="results", **fields):
    date = fields.pop("date", "2026-01-01")
    score = Headline(metric="accuracy", value=value, standard_error=error, degrees=99, higher_is_better=higher)
    fields.setdefault("source", Source(distribution=f"openbench-{benchmark}"))
    made = Result(
        model=model,
        benchmark=benchmark,
        version=version,
        date=date,
        run=f"{model} {benchmark} {version} {date}",
        score=score,
        samples=fields.pop("samples", Samples(samples=100, scored=100)),
        **fields,
    )
    return Entry(made, f"{where}/{model}/{benchmark}@{version}.json")


FULL = [
    entry("a", "quiz", 0.8),
    entry("a", "judged", 6.0, 0.3),
    entry("a", "harm", 0.1, higher=False),
    entry("b", "quiz", 0.9),
    entry("b", "judged", 9.0, 0.3),
    entry("c", "quiz", 1.0),
    entry("c", "judged", 10.0, 0.3),
    entry("b", "harm", 0.2, higher=False),
]


def test_averages_are_weighted_scaled_and_inverted():
    board = make_board(config(EQUAL), FULL)
    whole, knowledge, safety = board.standings
    by_model = {row.model: row for row in whole.rows}
    assert by_model["a"].average.value == pytest.approx(0.75 * (0.8 + 0.6) / 2 + 0.25 * 0.9)
    assert by_model["b"].average.value == pytest.approx(0.75 * 0.9 + 0.25 * 0.8)
    error = math.sqrt((0.375 * 0.01) ** 2 + (0.375 * 0.03) ** 2 + (0.25 * 0.01) ** 2)
    assert by_model["a"].average.standard_error == pytest.approx(error)
    assert [(row.rank, row.model) for row in knowledge.rows] == [(1, "c"), (2, "b"), (3, "a")]
    assert safety.rows[0].average.value == pytest.approx(0.9)


def test_a_missing_benchmark_makes_a_model_incomplete_and_weights_stay():
    board = make_board(config(EQUAL), FULL)
    last = board.standings[0].rows[-1]
    assert (last.model, last.rank, last.average.value) == ("c", None, None)
    assert last.average.missing == ("safety/harm",)
    assert last.members["knowledge"].value == pytest.approx(1.0)
    assert "c is incomplete, and has no average: safety/harm." in list(rendering.remarks(board))
    skipping = make_board(config(EQUAL), [each for each in FULL if each.result.benchmark != "harm"])
    assert {row.average.value for row in skipping.standings[0].rows} == {None}
    assert "safety/harm: no model has a result." in skipping.notes


def test_text_csv_markdown_html_and_data():
    board = make_board(config(EQUAL), FULL)
    lines = rendering.as_lines(board)
    assert max(map(len, lines)) <= 80
    assert lines[:11] == [
        "Small",
        "model  rank     average  interval        Knowledge  safety",
        "b         1       0.875  0.851 to 0.899      0.900   0.800",
        "a         2       0.750  0.726 to 0.774      0.700   0.900",
        "c         -  incomplete  -                   1.000       -",
        "",
        "Knowledge",
        "model  rank  average  interval         quiz  judged",
        "c         1    1.000  0.969 to 1.000  1.000   1.000",
        "b         2    0.900  0.869 to 0.931  0.900   0.900",
        "a         3    0.700  0.669 to 0.731  0.800   0.600",
    ]
    rows = list(csv.DictReader(io.StringIO(rendering.as_csv(board))))
    assert [row["rank"] for row in rows] == ["1", "2", ""]
    assert float(rows[1]["knowledge/judged"]) == pytest.approx(0.6)
    assert rows[2]["missing"] == "safety/harm"
    assert "| c | - | incomplete | - | 1.000 | - |" in rendering.as_markdown(board)
    assert '<th scope="row">b</th>' in rendering.as_page(board)
    data = rendering.as_data(board, ["lost"])
    assert data["tables"][0]["rows"][2]["complete"] is False
    assert data["results"]["safety/harm"]["a"]["score"]["value"] == 0.1


def test_nothing_in_a_name_takes_effect():
    hostile = "<img src=x onerror=alert(1)>|\x1b[2J"
    board = make_board(config('benchmarks = ["quiz"]'), [entry(hostile, "quiz", 0.5)])
    assert "\x1b" not in "".join([*rendering.as_lines(board), rendering.as_markdown(board), rendering.as_page(board)])
    assert "<img" not in rendering.as_page(board) + rendering.as_markdown(board)


def test_ties_are_shown_where_samples_are_at_hand(write_run, tmp_path):
    good, same, bad = [1] * 40 + [0] * 20, [1] * 39 + [0] * 20 + [1], [0] * 55 + [1] * 5
    for model, scores in {"good": good, "same": same, "bad": bad}.items():
        for benchmark in ("quiz", "riddle"):
            write_run(f"{model}-{benchmark}.eval", scores, model=model, benchmark=benchmark)
    settings = config('benchmarks = ["quiz", "riddle"]')
    logs = sorted(map(str, tmp_path.glob("*.eval")))
    from_logs = make_board(settings, read_entries(logs)[0])
    assert [(row.model, row.rank, row.ties) for row in from_logs.standings[0].rows] == [
        *(("good", 1, "a"), ("same", 1, "a"), ("bad", 3, "b")),
    ]
    add_logs(logs, tmp_path / "results")
    from_files = make_board(settings, read_entries([str(tmp_path / "results")])[0])
    assert [row.ties for row in from_files.standings[0].rows] == ["", "", ""]
    assert from_files.standings[0].rows[0].average == from_logs.standings[0].rows[0].average


def test_one_benchmark_has_its_own_interval(write_run):
    path = write_run("quiz.eval", [1] * 20)
    board = make_board(config('benchmarks = ["quiz"]'), read_entries([str(path)])[0])
    interval = board.standings[0].rows[0].average.interval
    assert (interval.method, interval.high) == ("Clopper-Pearson", 1)
    assert interval.low == pytest.approx(0.025 ** (1 / 20))


def test_versions_that_are_not_comparable_are_refused_and_one_can_be_chosen():
    results = [entry("a", "quiz", 0.5, version="1.4.0"), entry("b", "quiz", 0.6, version="2.0.0")]
    with pytest.raises(UsageError) as error:
        make_board(config('benchmarks = ["quiz"]'), results)
    assert str(error.value) == (
        "quiz: its results cannot be compared, since they differ in the major version: 1 of "
        "results/a/quiz@1.4.0.json; 2 of results/b/quiz@2.0.0.json. Leave some out, or choose one in the TOML file: "
        'version = "…".'
    )
    chosen = make_board(config('benchmarks = [{ name = "quiz", version = "2" }]'), results)
    assert [row.model for row in chosen.standings[0].rows] == ["b"]
    minor = make_board(config('benchmarks = ["quiz"]'), [results[0], entry("b", "quiz", 0.6, version="1.10.0")])
    assert minor.notes == ["quiz: the results have versions 1.10.0, 1.4.0."]


def test_the_newest_run_of_a_model_counts():
    results = [
        entry("a", "quiz", 0.7, date="2026-03-01", where="new"),
        entry("a", "quiz", 0.9, date="2026-02-01", where="old"),
    ]
    board = make_board(config('benchmarks = ["quiz"]'), results)
    assert board.standings[0].rows[0].average.value == 0.7
    assert board.notes == ["old/a/quiz@1.0.0.json is left out: new/a/quiz@1.0.0.json is newer."]


def test_arguments_choose_among_results():
    results = [
        entry("a", "quiz", value, where=level, settings=Settings(arguments={"level": level}))
        for level, value in (("easy", 0.9), ("hard", 0.4))
    ]
    chosen = make_board(config('benchmarks = [{ name = "quiz", args = { level = "hard" } }]'), results)
    assert chosen.standings[0].rows[0].average.value == pytest.approx(0.4)
    with pytest.raises(
        UsageError, match=r"^quiz: a has results with different arguments: \{'level': 'easy'\} in easy/"
    ):
        make_board(config('benchmarks = ["quiz"]'), results)


def test_other_metrics_have_their_standard_errors():
    metrics = {"grouped": {"macro": 0.6, "macro_stderr": 0.05, "bare": 0.2}}
    results = [entry("a", "quiz", 0.5, metrics=metrics)]
    macro = make_board(config('benchmarks = [{ name = "quiz", metric = "grouped/macro" }]'), results)
    assert macro.standings[0].rows[0].average.standard_error == pytest.approx(0.05)
    bare = make_board(config('benchmarks = [{ name = "quiz", metric = "bare" }]'), results).standings[0].rows[0].average
    assert (bare.value, bare.standard_error, bare.interval) == (pytest.approx(0.2), None, None)
    with pytest.raises(UsageError) as error:
        make_board(config('benchmarks = [{ name = "quiz", metric = "macr" }]'), results)
    assert str(error.value) == (
        "quiz in results/a/quiz@1.0.0.json: no single metric is named 'macr'. Metrics: accuracy, grouped/macro, "
        "grouped/macro_stderr, grouped/bare."
    )


@pytest.mark.parametrize(
    ("text", "result", "message"),
    [
        (
            'benchmarks = ["quiz"]',
            entry("a", "quiz", 7.5),
            (
                "quiz in results/a/quiz@1.0.0.json: its accuracy of 7.5 is beyond the scale from 0 to 1. Set scale = "
                "[lowest, highest] in the TOML file."
            ),
        ),
        (
            'benchmarks = ["quiz"]',
            entry("a", "quiz", 0.5, higher=False),
            (
                "quiz in results/a/quiz@1.0.0.json: lower is better in accuracy: set invert = true in the TOML file, "
                "so that 1 is best in every column."
            ),
        ),
    ],
)
def test_scales_and_directions_are_explicit(text, result, message):
    with pytest.raises(UsageError) as error:
        make_board(config(text), [result])
    assert str(error.value) == message


def test_names_that_nothing_has():
    with pytest.raises(LogError, match=r"^no result is of a benchmark of the leaderboard\. Results: quizz\.$"):
        make_board(config('benchmarks = ["quiz"]'), [entry("a", "quizz", 0.5)])
    board = make_board(config('benchmarks = ["quiz", "harm"]'), [entry("a", "harm", 0.5), entry("a", "quizz", 0.5)])
    assert board.notes == ["quiz: no model has a result (did you mean 'quizz'?).", "Not on the leaderboard: quizz."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = 1\nbenchmarks = ['q']", "title: should be a valid string; received 1"),
        ("benchmark = ['q']", ("unknown key 'benchmark' (did you mean 'benchmarks'?). Keys: title, weight, "
         "categories, benchmarks, level")),
        ("[categories.x]\nwieght = 1\nbenchmarks = ['q']", ("categories.x: unknown key 'wieght' (did you mean "
         "'weight'?). Keys: title, weight, categories, benchmarks")),
        (TWO, "categories.knowledge: no weight: quiz. Give all members one, or none for equal weights"),
        (EQUAL.replace("0.75", "0.8"), "the weights of knowledge, safety add up to 1.05; they must add up to 1"),
        (EQUAL.replace("0.75", "-1"), "categories.knowledge.weight: should be greater than 0; received -1"),
        (EQUAL.replace('"harm"', '"quiz"').replace(", invert = true", ""), ("quiz counts twice: knowledge/quiz and "
         "safety/quiz")),
        ("benchmarks = ['q', 'q']", "q counts twice: q#1 and q#2"),
        ("title = 'x'", "it has neither benchmarks nor categories"),
        ("benchmarks = [{ name = 'q', scale = [10, 0] }]", ("benchmarks[1].scale: expected two numbers, the lower "
         "first; received [10.0, 0.0]")),
        ("benchmarks = ['q']\nlevel = 95", "level: should be less than 1; received 95"),
    ],
)  # fmt: skip
def test_mistakes_in_the_file_say_where_they_are(tmp_path, text, message):
    path = tmp_path / "leaderboard.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        read_leaderboard(path)
    assert str(error.value) == f"{path}: {message}."


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "leaderboard.toml"
    with pytest.raises(UsageError, match=r"leaderboard\.toml cannot be read: No such file or directory\.$"):
        read_leaderboard(path)
    path.write_text("benchmarks = [")
    with pytest.raises(UsageError, match=r"leaderboard\.toml is not valid TOML: .*\.$"):
        read_leaderboard(path)


def test_the_command(bench, write_run, tmp_path):
    write_run("logs/2026-01-01T00-00-00_quiz.eval", [1, 0, 1, 1])
    assert bench("results", "add", "logs", cwd=tmp_path).code == 0
    (tmp_path / "results" / "local__a" / "odd.json").write_text("{")
    (tmp_path / "leaderboard.toml").write_text('title = "One"\nbenchmarks = ["quiz"]\n')
    done = bench("leaderboard", "--html", "page/board.html", cwd=tmp_path)
    assert (done.code, done.err) == (0, "Warning: results/local__a/odd.json is neither a result nor a log.\n")
    assert done.out.splitlines()[:3] == [
        "One",
        "model    rank  average  interval         quiz",
        "local/a     1    0.750  0.194 to 0.994  0.750",
    ]
    assert "<script" not in (tmp_path / "page" / "board.html").read_text("utf-8")
    assert bench("leaderboard", "--json", cwd=tmp_path).json()["tables"][0]["rows"][0]["rank"] == 1
    both = bench("leaderboard", "--csv", "--json", cwd=tmp_path)
    assert (both.code, both.out) == (2, "")
    assert bench("leaderboard", "nowhere", cwd=tmp_path).code == 2
