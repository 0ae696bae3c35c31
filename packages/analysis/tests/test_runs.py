"""Reading logs: those of both engines and of Inspect alone, in both formats, complete or not."""

import json
import math
import zipfile
from pathlib import Path

import fsspec
import pytest
from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, match, mean, scorer, stderr, value_to_float
from inspect_ai.solver import generate, solver
from moto.server import ThreadedMotoServer

from openbench.errors import LogError, UsageError
from openbench.metrics import pass_hat
from openbench.scorers.exact import exact
from openbench_analysis.runs import find_logs, read_run, read_runs
from openbench_scorers.means import by_group, clustered_stderr
from openbench_testing import ChatServer, Reply
from openbench_testing.commands import local_model

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="


@scorer(metrics=[mean(), stderr()])
def graded(values=(0.25, 0.5, math.nan, 1.0)):
    """Score samples in turn by their number."""

    async def score(state, _):
        value = values[int(state.sample_id) % len(values)]
        return Score(value=value, answer=f"{state.sample_id}\nB", explanation="long " * 1_000)

    return score


@scorer(metrics={"f1": [mean(), clustered_stderr("passage")], "exact_match": [mean()]})
def keyed():
    async def score(state, _):
        number = int(state.sample_id)
        return Score(value={"f1": number / 10, "exact_match": float(number > 2)})

    return score


@scorer(metrics=[mean(), stderr()], lower_is_better=True)
def errors_made():
    async def score(state, _):
        return Score(value=float(state.sample_id))

    return score


@solver
def fails(on=()):
    async def solve(state, _):
        if state.sample_id in on:
            raise RuntimeError(f"no answer to {state.sample_id}")
        return state

    return solve


def samples(count=4, **metadata):
    return [
        Sample(id=n, input=f"Question {n}?", target="A", metadata={"passage": f"p{n // 2}", **metadata})
        for n in range(count)
    ]


def ran(folder, *, answers=("A", "B"), data=None, log_format="eval", **options):
    """Run a task by Inspect alone; return the log's path."""
    outputs = [ModelOutput.from_content("m", each) if isinstance(each, str) else each for each in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    task = {"solver": generate(), "scorer": match(), **{k: v for k, v in options.items() if k in TASK}}
    (log,) = inspect_eval(
        Task(name="alone", dataset=MemoryDataset(data or samples()), **task),
        model=get_model("mockllm/model", custom_outputs=outputs * 50),
        log_dir=str(folder),
        log_format=log_format,
        display="none",
        max_samples=1,
        **{k: v for k, v in options.items() if k not in TASK},
    )
    return log.location


TASK = {"solver", "scorer", "metrics", "epochs"}


def as_json(path):
    """Write a log again as JSON; return the path."""
    other = str(Path(path).with_suffix(".json"))
    write_eval_log(read_eval_log(path), other)
    return other


def reductions(path):
    """Return what Inspect itself reduced the samples' epochs to."""
    first = read_eval_log(path).reductions[0]
    return {each.sample_id: value_to_float()(each.value) for each in first.samples}


def test_a_log_of_inspect_alone(tmp_path):
    path = ran(tmp_path)
    run = read_run(path)
    assert (run.benchmark, run.model, run.location) == ("alone", "mockllm/model", path)
    assert (run.provenance.distribution, run.cluster_key, run.category_keys) == (None, None, [])
    assert run.headline.name == "accuracy"
    assert run.headline.value == 0.5
    assert [(each.id, each.epoch, each.score) for each in run.results] == [(0, 1, 1), (1, 1, 0), (2, 1, 1), (3, 1, 0)]
    first = run.results[0]
    assert (first.content, first.input, first.target, first.answer) == (None, "Question 0?", "A", "A")
    assert first.metadata == {"passage": "p0"}
    assert (first.answered, first.stop, first.error, first.limit) == (True, None, None, None)
    assert (first.input_tokens, first.output_tokens) == (7, 3)
    assert first.seconds >= 0
    assert run.summary.score == 0.5


@pytest.mark.parametrize(
    "reducer", ["mean", "median", "mode", "max", "pass_at_2", "at_least_2", "majority", "pass_hat_2"]
)
def test_epochs_are_reduced_as_inspect_does(tmp_path, reducer):
    made = pass_hat(2) if reducer == "pass_hat_2" else reducer
    path = ran(tmp_path, answers=("A", "B", "A", "A", "B"), epochs=Epochs(3, made))
    run = read_run(path)
    assert {id_: len(each) for id_, each in run.items.items()} == dict.fromkeys(range(4), 3)
    assert [each.epoch for each in run.items[2]] == [1, 2, 3]
    assert run.scores == pytest.approx(reductions(path))
    assert sum(run.scores.values()) / 4 == pytest.approx(run.headline.value)


@pytest.mark.parametrize("reducer", ["mean", "median", "pass_at_2", "pass_hat_2"])
def test_epochs_without_a_score_count_as_in_inspect(tmp_path, reducer):
    path = ran(tmp_path, scorer=by_epoch(), epochs=Epochs(3, pass_hat(2) if reducer == "pass_hat_2" else reducer))
    assert read_run(path).scores == pytest.approx(reductions(path), nan_ok=True)


@scorer(metrics=[mean()])
def by_epoch():
    values = [[1.0, math.nan, 1.0], [0.0, math.nan, math.nan], [math.nan] * 3, [1.0, 1.0, 0.0]]

    async def score(state, _):
        return Score(value=values[int(state.sample_id)][state.epoch - 1])

    return score


def test_the_first_of_several_reducers_counts(tmp_path):
    path = ran(tmp_path, answers=("A", "B", "B"), epochs=Epochs(2, ["pass_at_2", "mean"]))
    run = read_run(path)
    assert run.headline.name == "accuracy pass@2"
    assert run.scores == pytest.approx(reductions(path))


def test_a_reducer_that_is_not_known(tmp_path):
    path = as_json(ran(tmp_path, epochs=Epochs(2, "max")))
    text = Path(path).read_text("utf-8").replace('"reducer": "max"', '"reducer": "theirs"')
    Path(path).write_text(text, "utf-8")
    with pytest.raises(LogError, match=r"json: its epochs were reduced by 'theirs', which is not known here\. Install"):
        read_run(path)


def test_several_scorers_and_values(tmp_path):
    run = read_run(ran(tmp_path, scorer=[keyed(), match()]))
    assert (run.headline.scorer, run.headline.key) == ("keyed", "f1")
    assert [each.score for each in run.results] == [0, 0.1, 0.2, 0.3]
    assert run.cluster_key == "passage"
    run = read_run(ran(tmp_path, scorer=[match(), exact()]))
    assert (run.headline.scorer, [each.score for each in run.results]) == ("match", [1, 0, 1, 0])


def test_one_scorer_twice(tmp_path):
    run = read_run(ran(tmp_path, scorer=[graded((0.5,)), graded((1.0, 0.0))]))
    assert run.headline.value == pytest.approx(0.5)
    assert [each.score for each in run.results] == [0.5] * 4


def test_categories_and_clusters_are_those_of_the_tasks_metrics(tmp_path):
    metrics = [accuracy(), stderr(cluster="passage"), by_group("topic"), by_group("level"), by_group("topic")]
    run = read_run(ran(tmp_path, data=samples(topic="a", level="x"), metrics=metrics))
    assert (run.cluster_key, run.category_keys) == ("passage", ["topic", "level"])


def test_lower_is_better(tmp_path):
    run = read_run(ran(tmp_path, scorer=errors_made()))
    assert not run.higher_is_better
    assert [each.score for each in run.results] == [0, 1, 2, 3]


def test_scores_that_are_none(tmp_path):
    run = read_run(ran(tmp_path, scorer=graded()))
    scores = [each.score for each in run.results]
    assert scores == pytest.approx([0.25, 0.5, math.nan, 1], nan_ok=True)
    assert run.scores == pytest.approx(dict(enumerate(scores)), nan_ok=True)


def test_samples_that_failed(tmp_path):
    run = read_run(ran(tmp_path, solver=[fails(on=[1]), generate()], fail_on_error=False))
    failed = run.results[1]
    assert (failed.error, failed.answered) == ("RuntimeError('no answer to 1')", False)
    assert math.isnan(failed.score)
    assert [each.answered for each in run.results] == [True, False, True, True]


def test_a_run_that_failed_has_the_headline_that_it_would_have_had(tmp_path):
    run = read_run(ran(tmp_path, solver=[fails(on=[3]), generate()]))
    assert (run.log.status, run.headline.name) == ("error", "accuracy")
    assert math.isnan(run.headline.value)
    assert [each.score for each in run.results] == pytest.approx([1, 0, 1, math.nan], nan_ok=True)
    assert run.summary.score is None


def test_a_cancelled_run(tmp_path):
    path = ran(tmp_path, scorer=keyed())
    log = read_eval_log(path)
    stopped = {"status": "cancelled", "results": None, "reductions": None, "samples": log.samples[:2]}
    write_eval_log(log.model_copy(update=stopped), path)
    run = read_run(path)
    assert (run.log.status, run.headline.scorer, run.headline.key) == ("cancelled", "keyed", "f1")
    assert run.scores == {0: 0, 1: 0.1}


def test_nothing_was_scored(tmp_path):
    run = read_run(ran(tmp_path, score=False))
    assert all(math.isnan(each.score) and not each.answered for each in run.results)


def test_messages_as_input(tmp_path):
    shown = [ContentText(text="What is this?"), ContentImage(image=PIXEL)]
    data = [Sample(id=1, input=[ChatMessageUser(content="Look."), ChatMessageUser(content=shown)], target=["A", "B"])]
    path = ran(tmp_path, data=data)
    for each in (path, as_json(path)):
        (result,) = read_run(each).results
        assert result.input == "Look.\nWhat is this?\n(Image)"
        assert result.target == "A\nB"


def test_a_limit(tmp_path):
    path = ran(tmp_path, message_limit=1)
    assert {each.limit for run in (read_run(path), read_run(as_json(path))) for each in run.results} == {"message"}


STOPS = [("max_tokens", "truncated"), ("content_filter", "filtered"), ("model_length", "truncated"), ("stop", None)]


@pytest.mark.parametrize(("reason", "stop"), STOPS)
def test_what_stopped_an_answer(tmp_path, reason, stop):
    output = ModelOutput.from_content("m", "A", stop_reason=reason)
    path = ran(tmp_path, answers=[output])
    assert {each.stop for each in read_run(as_json(path)).results} == {stop}
    assert {each.stop for each in read_run(path).results} == {None}  # Inspect's summaries do not have it


@pytest.mark.parametrize("engine", ["direct", "inspect"])
@pytest.mark.parametrize("log_format", ["json", "eval"])
def test_a_log_of_each_engine(bench, quiz, engine, log_format):
    options = [
        "--model",
        "baseline/constant",
        "-M",
        "answer=none",
        "--engine",
        engine,
        "--log-format",
        log_format,
        "-T",
        "grouped=true",
    ]
    done = bench("eval", "quiz.py", *options, "--epochs", "2", "--log-dir", "logs", "--json", cwd=quiz)
    assert done.code == 0, done.err
    (path,) = find_logs([str(quiz / "logs")])[str(quiz / "logs")]
    assert path.endswith(log_format)
    run = read_run(path)
    assert (run.benchmark, run.provenance.benchmark, run.category_keys) == ("quiz", "quiz", ["topic"])
    assert len(run.results) == 12
    assert len(run.items) == 6
    contents = {id_: {each.content for each in results} for id_, results in run.items.items()}
    assert all(len(each) == 1 and len(next(iter(each))) == 64 for each in contents.values())
    assert not any(each.answered for each in run.results)
    assert {each.reason for each in run.results} == {"invalid_response_format"}
    assert run.headline.value == 0
    assert run.summary.score == 0


def test_a_truncated_answer_in_a_log_of_ours(bench, quiz):
    """A score's metadata hold what stopped the answer, which the summaries of a `.eval` log would lack."""
    with ChatServer(Reply("Answer: A", finish_reason="length")) as server:
        done = bench("eval", "quiz.py", *local_model(server), "--log-format", "eval", "--log-dir", "logs", cwd=quiz)
    assert done.code == 0, done.err
    (path,) = find_logs([str(quiz / "logs")])[str(quiz / "logs")]
    assert path.endswith(".eval")
    assert {(each.stop, each.answered) for each in read_run(path).results} == {("truncated", True)}


def test_both_formats_hold_the_same(tmp_path):
    long = {"text": "word " * 1_000, "list": list(range(1_000)), "none": None, "small": {"a": [1]}}
    path = ran(
        tmp_path,
        data=[*samples(3, **long), Sample(id=3, input="long " * 2_000, target="x" * 9_000)],
        scorer=[graded(), keyed()],
        solver=[fails(on=[1]), generate()],
        fail_on_error=False,
        epochs=Epochs(2, "mean"),
    )
    shrunk, whole = read_run(path), read_run(as_json(path))
    assert shrunk.headline == whole.headline
    for one, two in zip(shrunk.results, whole.results, strict=True):
        for name in ("id", "epoch", "content", "input", "target", "reason", "answered", "stop", "error", "limit"):
            assert getattr(one, name) == getattr(two, name), name
        for name in ("score", "input_tokens", "output_tokens", "seconds"):
            assert getattr(one, name) == pytest.approx(getattr(two, name), nan_ok=True), name
        for name in ("answer", "explanation"):  # Inspect's summaries join their lines
            texts = [" ".join((getattr(each, name) or "").split()) for each in (one, two)]
            assert texts[0] == texts[1], name
        assert {**one.metadata, "text": ""} == {**two.metadata, "text": ""}
        assert one.metadata.get("text", "")[:900] == two.metadata.get("text", "")[:900]
    assert shrunk.scores == pytest.approx(whole.scores, nan_ok=True)


def test_a_sample_that_a_log_has_twice_counts_once(tmp_path):
    path = as_json(ran(tmp_path))
    log = json.loads(Path(path).read_text("utf-8"))
    again = {**log["samples"][1], "scores": {"match": {"value": "C", "answer": "A"}}}
    Path(path).write_text(json.dumps({**log, "samples": [*log["samples"], again]}), "utf-8")
    run = read_run(path)
    assert [(each.id, each.score) for each in run.results] == [(0, 1), (1, 1), (2, 1), (3, 0)]


def test_ids_that_are_numbers_and_texts(tmp_path):
    data = [Sample(id="a/b ü", input="?", target="A"), Sample(id="2", input="?", target="A")]
    assert [each.id for each in read_run(ran(tmp_path, data=data)).results] == ["a/b ü", "2"]


def test_a_log_without_samples(tmp_path):
    path = as_json(ran(tmp_path))
    log = json.loads(Path(path).read_text("utf-8"))
    for samples_ in ([], None):
        Path(path).write_text(json.dumps({**log, "samples": samples_, "status": "started"}), "utf-8")
        with pytest.raises(LogError) as caught:
            read_run(path)
        assert str(caught.value) == f"{path} holds no samples (its status is started). Leave it out."


def test_good_logs_are_read_beside_bad_ones(tmp_path):
    good = ran(tmp_path / "good")
    text = Path(as_json(good)).read_text("utf-8")
    newer, cut, empty = tmp_path / "newer.json", tmp_path / "cut.json", tmp_path / "empty.json"
    newer.write_text(text.replace('"version": 2', '"version": 99', 1), "utf-8")
    cut.write_text(text[: text.index('"messages"')], "utf-8")
    empty.write_text("", "utf-8")
    zipped, torn = tmp_path / "torn.eval", Path(good).read_bytes()
    zipped.write_bytes(torn[: len(torn) // 2])
    gone, other = tmp_path / "gone.eval", tmp_path / "other.json"
    other.write_text('{"results": []}', "utf-8")
    runs, problems = read_runs([str(each) for each in (newer, cut, empty, zipped, gone, other, good)])
    assert [run.location for run in runs] == [good]
    assert len(problems) == 6
    assert [problem.partition(" ")[0].rstrip(":") for problem in problems] == [
        str(each) for each in (newer, cut, empty, zipped, gone, other)
    ]
    assert problems[0].endswith("it was written by a newer inspect-ai. Update yours: pip install -U inspect-ai")
    assert problems[4] == f"{gone} does not exist."
    assert "Traceback" not in " ".join(problems)


def test_summaries_that_cannot_be_read(tmp_path):
    path, bad = Path(ran(tmp_path)), tmp_path / "bad.eval"
    with zipfile.ZipFile(path) as log, zipfile.ZipFile(bad, "w") as copy:
        for name in log.namelist():
            copy.writestr(name, "[{]" if name == "summaries.json" else log.read(name))
    with pytest.raises(LogError, match=r"bad\.eval: its samples cannot be read: "):
        read_run(str(bad))


def test_where_logs_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = Path("my logs #1 100%")
    first, second = (ran(folder / name) for name in ("a", "b"))
    Path("notes").mkdir()
    Path("notes.txt").write_text("no log", "utf-8")
    (names,) = find_logs([str(folder)]).values()
    assert [read_run(name).log.eval.eval_id for name in names] == [
        read_run(path).log.eval.eval_id for path in (first, second)
    ]
    expected = [Path(path).name for path in (first, second)]
    for place in (str(folder), "my*", "*", f"{folder}/*/*.eval", "**/*.eval", str(folder.absolute())):
        assert [Path(path).name for path in find_logs([place])[place]] == expected, place
    assert find_logs([first, first]) == {first: [first]}


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("gone", "gone does not exist."),
        ("gone.eval", "gone.eval does not exist."),
        ("gone/*.eval", "gone/*.eval: no log matches the pattern."),
        ("*", "*: no log matches the pattern."),
        ("notes", "notes: the directory holds no logs."),
        ("memory://nowhere", "memory://nowhere: no logs found."),
        ("memory://nowhere/*.json", "memory://nowhere/*.json: no logs found."),
    ],
)
def test_places_without_logs(tmp_path, monkeypatch, place, problem):
    monkeypatch.chdir(tmp_path)
    Path("notes").mkdir()
    with pytest.raises(UsageError) as caught:
        find_logs([place])
    assert str(caught.value) == problem


@pytest.mark.stress
def test_logs_at_an_address(tmp_path, monkeypatch):
    path = ran(tmp_path)
    server = ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "x")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        files = fsspec.filesystem("s3")
        files.mkdir("bucket")
        for local in (path, as_json(path)):
            files.put_file(local, f"bucket/logs/{Path(local).name}")
        for place in ("s3://bucket/logs", "s3://bucket/logs/*"):
            found = find_logs([place])[place]
            assert sorted(Path(each).suffix for each in found) == [".eval", ".json"]
            assert [read_run(each).headline.value for each in found] == [0.5, 0.5]
        assert find_logs(["s3://bucket/logs/a.eval"]) == {"s3://bucket/logs/a.eval": ["s3://bucket/logs/a.eval"]}
        runs, problems = read_runs(["s3://bucket/logs/a.eval"])
        assert (runs, problems) == ([], ["s3://bucket/logs/a.eval does not exist."])
    finally:
        server.stop()
