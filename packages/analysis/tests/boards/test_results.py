"""Results as files: what they hold, when they change, and how they are found again."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.model import ModelConfig

from openbench.errors import LogError, UsageError
from openbench_analysis.results.create import portable, portable_model, result_of
from openbench_analysis.results.files import add_logs, add_result, read_result, result_path
from openbench_analysis.results.places import read_entries
from openbench_analysis.results.schema import Category, Headline, Result, Samples, Settings
from openbench_analysis.runs import read_run


def result(model="local/a", benchmark="quiz", version="1.2.0", value=0.5, run="r1", **fields):
    return Result(
        model=model,
        benchmark=benchmark,
        version=version,
        date=fields.pop("date", "2026-01-01T00:00:00+00:00"),
        run=run,
        score=Headline(metric="accuracy", value=value, standard_error=0.1, degrees=9),
        samples=Samples(samples=10, scored=10),
        **fields,
    )


def test_a_result_holds_the_figures_of_a_run(write_run):
    path = write_run(
        "quiz.eval",
        [1, 0, 1, None, "error"],
        args={"level": "hard", "rows": "/home/me/rows.jsonl", "api_key": "sk-abcdefghijklmnop0123"},
        temperature=0.5,
        limit=5,
        roles={"grader": ModelConfig(model="local/judge")},
        truncated=[0],
        metrics={"stderr": 0.33},
    )
    made = result_of(read_run(str(path)))
    assert (made.model, made.benchmark, made.version, made.run) == ("local/a", "quiz", "1.2.0", "id of quiz.eval")
    assert (made.score.metric, made.score.value) == ("accuracy", 2 / 3)
    assert made.score.standard_error == pytest.approx(1 / 3)
    assert (made.score.interval.method, made.score.interval.level) == ("Clopper-Pearson", 0.95)
    assert made.samples == Samples(samples=5, scored=3, errors=1, unscored=1, answered=1.0, truncated=1)
    assert made.categories == {"group": {"even": Category(mean=1, samples=2), "odd": Category(mean=0, samples=1)}}
    assert (made.usage.input_tokens, made.usage.output_tokens, made.usage.cost, made.usage.seconds) == (
        *(1000, 10),
        *(None, 12.5),
    )
    assert made.settings.generation == {"max_tokens": 100, "temperature": 0.5}
    assert made.settings.arguments["rows"] == "rows.jsonl"
    assert made.settings.limit == 5
    assert made.settings.roles == {"grader": ["local/judge"]}
    assert (made.source.distribution, made.source.core, made.source.prompt) == ("openbench-quiz", "1.0.0", "2" * 64)
    assert "/home/me" not in made.text()
    assert "sk-abcdef" not in made.text()
    assert len(made.text()) < 3_000


def test_a_file_reads_as_it_was_written(write_run, tmp_path):
    made = result_of(read_run(str(write_run("quiz.eval", [1, 0, 1, 1]))))
    added = add_result(tmp_path / "results", made)
    assert added.path == tmp_path / "results" / "local__a" / "quiz@1.2.0.json"
    assert read_result(added.path) == made
    assert read_result(added.path).text() == added.path.read_text("utf-8")
    assert list(json.loads(made.text()))[:7] == [
        *("format", "model", "benchmark", "version", "date", "run", "score"),
    ]


def test_adding_a_run_again_changes_nothing_and_another_run_is_refused(write_run, tmp_path):
    first = write_run("first.eval", [1, 0, 1, 1])
    second = write_run("second.eval", [1, 1, 1, 1], created="2026-02-01T00:00:00+00:00")
    folder = tmp_path / "results"
    [added], _ = add_logs([str(first)], folder)
    before = added.path.read_bytes(), added.path.stat().st_mtime_ns
    [again], _ = add_logs([str(first)], folder)
    assert (added.outcome, again.outcome) == ("added", "unchanged")
    assert (added.path.read_bytes(), added.path.stat().st_mtime_ns) == before
    nothing, [problem] = add_logs([str(second)], folder)
    assert nothing == []
    assert problem == (
        f"{added.path} holds another run, of 2026-01-01T00:00:00+00:00: accuracy 0.75; the new one, of "
        "2026-02-01T00:00:00+00:00, has 1. Use --replace, or give one a name of its own: LABEL=LOG."
    )
    [replaced], _ = add_logs([str(second)], folder, replace=True)
    assert (replaced.outcome, read_result(added.path).score.value) == ("replaced", 1)
    [labelled], _ = add_logs([f"tuned={first}"], folder)
    assert (labelled.outcome, labelled.path) == ("added", folder / "tuned" / "quiz@1.2.0.json")
    assert read_result(labelled.path).model == "tuned"


def test_the_same_run_scored_again_is_updated(tmp_path):
    add_result(tmp_path, result(value=0.5))
    assert add_result(tmp_path, result(value=0.75)).outcome == "updated"


def test_versions_and_arguments_have_files_of_their_own(tmp_path):
    made = [
        result(version=version, settings=Settings(arguments=args))
        for version, args in product(["1.2.0", None], [{}, {"level": "hard", "n": 3}])
    ]
    assert [result_path(tmp_path, each).name for each in made] == [
        *("quiz@1.2.0.json", "quiz@1.2.0,level=hard,n=3.json", "quiz.json", "quiz,level=hard,n=3.json"),
    ]


def test_two_models_of_one_file_name_are_told_apart(tmp_path):
    add_result(tmp_path, result(model="a b"))
    with pytest.raises(UsageError) as error:
        add_result(tmp_path, result(model="a!b"))
    assert str(error.value) == f"{tmp_path}/a-b/quiz@1.2.0.json holds a result of a b: give a!b a LABEL=."


@settings(max_examples=60)
@given(st.text(min_size=1), st.text(min_size=1), st.none() | st.text(), st.dictionaries(st.text(), st.text()))
def test_any_name_makes_a_file_below_the_folder(tmp_path_factory, model, benchmark, version, args):
    folder = tmp_path_factory.getbasetemp() / "names"
    path = result_path(folder, result(model, benchmark, version, settings=Settings(arguments=args)))
    assert path.parent.parent == folder
    assert path.resolve() == path
    assert path.suffix == ".json"
    assert max(len(part.encode()) for part in path.parts[-2:]) <= 125


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("openai/gpt-4.1", "openai/gpt-4.1"),
        ("hf//home/me/models/tiny", "hf/tiny"),
        ("vllm/./models/tiny", "vllm/tiny"),
        ("hf/org/name", "hf/org/name"),
    ],
)
def test_paths_of_models_are_their_last_part(name, shown):
    assert portable_model(name) == shown


def test_paths_in_settings_are_their_last_part():
    found = {"a": "/home/x/y.json", "b": ["~/z.csv", "C:\\data\\q.csv", "s3://bucket/x", "a/b"], "c": 1}
    assert portable(found) == {"a": "y.json", "b": ["z.csv", "q.csv", "s3://bucket/x", "a/b"], "c": 1}


def test_incomplete_and_unscored_runs_are_refused_and_the_rest_goes_on(write_run, tmp_path):
    stopped = write_run("logs/2026-01-01T00-00-00_a.eval", [1, 0], status="cancelled", benchmark="stopped")
    unscored = write_run("logs/2026-01-01T00-00-01_b.eval", [None], value=float("nan"), benchmark="unscored")
    write_run("logs/2026-01-01T00-00-02_c.eval", [1, 0])
    broken = tmp_path / "logs" / "2026-01-01T00-00-03_d.eval"
    broken.write_bytes(b"")
    [added], problems = add_logs([str(tmp_path / "logs")], tmp_path / "results")
    assert added.path.name == "quiz@1.2.0.json"
    assert problems[:2] == [
        f"{stopped}: its status is cancelled: a result is of a complete run. Resume it with bench eval-retry.",
        f"{unscored} has no score that is a number. Score it with bench score.",
    ]
    assert problems[2].startswith(f"{broken} cannot be read as a log: ")


def test_results_and_logs_are_found_side_by_side(write_run, tmp_path):
    log = write_run("both/2026-01-01T00-00-00_quiz.json", [1, 0])
    added = add_result(tmp_path / "both" / "results", result(benchmark="other"))
    entries, problems = read_entries([str(tmp_path / "both"), f"named={added.path}"])
    assert [(entry.result.model, entry.location, entry.run is None) for entry in entries] == [
        ("local/a", str(added.path), True),
        ("local/a", str(log), False),
        ("named", str(added.path), True),
    ]
    assert problems == []


def test_unreadable_results_are_named_and_the_rest_goes_on(tmp_path):
    good = add_result(tmp_path, result()).path
    for name, text in {
        "conflict": '{"format": "openbench-result/1",\n<<<<<<< ours\n',
        "later": '{"format": "openbench-result/2"}',
        "lacking": '{"format": "openbench-result/1", "model": "a", "score": {"metric": "m", "value": "x"}}',
        "other": "[1]",
        "empty": "",
    }.items():
        (tmp_path / f"{name}.json").write_text(text)
    entries, problems = read_entries([str(tmp_path)])
    assert [entry.location for entry in entries] == [str(good)]
    by_name = {problem.split(".json")[0].rpartition("/")[2]: problem.split(".json ")[1] for problem in problems}
    assert by_name == {
        "conflict": "cannot be read as a result: it is not valid JSON: Expecting property name enclosed in double "
        "quotes: line 2 column 1 (char 33).",
        "later": "cannot be read as a result: its format is openbench-result/2, of another openbench-analysis; "
        "expected openbench-result/1.",
        "lacking": "cannot be read as a result: benchmark: Field required; version: Field required; date: Field "
        "required; run: Field required; score.value: Input should be a valid number, unable to parse string as a "
        "number; samples: Field required.",
        "other": "is neither a result nor a log.",
        "empty": "is neither a result nor a log.",
    }
    with pytest.raises(LogError):
        read_entries([str(tmp_path / "later.json")])
    with pytest.raises(UsageError, match=r"nowhere does not exist\.$"):
        read_entries([str(tmp_path / "nowhere")])


def test_the_command_adds_lists_and_describes(bench, write_run, tmp_path):
    write_run("logs/2026-01-01T00-00-00_quiz.eval", [1, 0, 1, 1])
    (tmp_path / "openbench.toml").write_text('[tool.openbench.prices]\n"local/a" = { input = 2, output = 8 }\n')
    done = bench("results", "add", "logs", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "added results/local__a/quiz@1.2.0.json\n", "")
    assert read_result(tmp_path / "results/local__a/quiz@1.2.0.json").usage.cost == pytest.approx(0.00208)
    write_run("new.eval", [1, 1, 1, 1])
    done = bench("results", "add", "logs", "new.eval", "--json", cwd=tmp_path)
    assert done.code == 1
    assert done.json()["results"] == [{"path": "results/local__a/quiz@1.2.0.json", "outcome": "unchanged"}]
    assert done.err.startswith("bench: results/local__a/quiz@1.2.0.json holds another run, of 2026-01-01")
    schema = bench("results", "schema", cwd=tmp_path).json()
    assert schema["properties"]["date"]["description"] == "When the run began."
    assert schema["properties"]["format"]["const"] == "openbench-result/1"
    assert all("description" in each for of in schema["$defs"].values() for each in of["properties"].values())
