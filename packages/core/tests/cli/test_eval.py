"""`bench eval` as a user meets it: what runs, what is printed, what is logged, and what each mistake is told."""

import json
import re
import socket
import time
from pathlib import Path

import pytest
import typer
from inspect_ai.log import read_eval_log

from openbench.cli.app import build
from openbench_testing import ChatServer, Fault


def local(server, *more):
    return ["--model", "openai-api/local/m", "--model-base-url", server.base_url, *more]


CONSTANT = ["--model", "baseline/constant", "-M", "answer=Answer: A"]


# --- what runs ------------------------------------------------------------------------------------------------------


def test_several_benchmarks_on_several_models(bench, quiz, acme):
    (quiz / "trivia.py").write_text((quiz / "quiz.py").read_text().replace("quiz", "trivia"), "utf-8")

    def answer(request):
        return "Answer: A" if request.model == "small" else "Answer: B"

    with ChatServer(answer) as server:
        models = ["--model", "openai-api/local/small", "--model", "openai-api/local/large"]
        done = bench(
            *("eval", "quiz.py", "trivia.py", "acme_quiz", *models, "--model-base-url", server.base_url),
            *("-T", "level=hard", "-T", "shots=3", "--limit", "2", "--json"),
            cwd=quiz,
            **acme,
        )
        requests = server.requests
    assert done.code == 0, done.err
    results = done.json()
    assert [(r["benchmark"], r["model"].rpartition("/")[2], r["score"]) for r in results] == [
        ("quiz", "small", 0.5),
        ("trivia", "small", 0.5),
        ("acme-quiz", "small", 0.5),
        ("quiz", "large", 0.5),
        ("trivia", "large", 0.5),
        ("acme-quiz", "large", 0.5),
    ]
    assert len(requests) == 12
    assert [request.system for request in requests].count("Level: hard") == 8  # acme_quiz has no level
    said = [read_eval_log(r["log"], header_only=True).eval.metadata["openbench"] for r in results]
    assert [(s["benchmark"], s["distribution"], s["version"]) for s in said[:3]] == [
        ("quiz", None, None),
        ("trivia", None, None),
        ("acme-quiz", "acme-quiz", "2.1.0"),
    ]
    logs = [read_eval_log(r["log"], header_only=True).eval for r in results]
    assert [log.task_args.get("level", log.task_args.get("shots")) for log in logs[:3]] == ["hard", "hard", 3]
    assert [log.task_version for log in logs[2:3]] == ["2.1.0"]
    assert len({r["log"] for r in results}) == 6


def test_the_published_generation_options_reach_the_model(bench, quiz):
    with ChatServer("Answer: A") as server:
        done = bench(
            *("eval", "quiz.py", *local(server), "--temperature", "0.5", "--top-p", "0.25", "--max-tokens", "7"),
            *("--seed", "11", "--reasoning-effort", "low", "--json"),
            cwd=quiz,
        )
        bodies = [request.body for request in server.requests]
    assert done.code == 0, done.err
    names = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort")
    assert {tuple(body.get(name) for name in names) for body in bodies} == {(0.5, 0.25, 7, 11, "low")}


def test_options_of_the_run_are_in_the_log(bench, quiz):
    done = bench(
        *("eval", "quiz.py", *CONSTANT, "--message-limit", "9", "--max-tasks", "2", "--max-subprocesses", "3"),
        *("--log-buffer", "5", "--no-log-images", "--retry-on-error", "--no-fail-on-error", "--no-sandbox-cleanup"),
        *(
            "--max-connections",
            "4",
            "--max-retries",
            "2",
            "--timeout",
            "30",
            "--limit",
            "3",
            "--log-dir",
            "a/b",
            "--json",
        ),
        cwd=quiz,
    )
    assert done.code == 0, done.err
    log = read_eval_log(done.json()[0]["log"])
    config = log.eval.config
    assert (config.message_limit, config.max_tasks, config.max_subprocesses, config.limit) == (9, 2, 3, 3)
    assert (config.log_buffer, config.log_images, config.retry_on_error, config.fail_on_error) == (5, False, 1, False)
    assert config.sandbox_cleanup is False
    generate = log.plan.config
    assert (generate.max_connections, generate.max_retries, generate.timeout) == (4, 2, 30)
    assert list((quiz / "a" / "b").glob("*.eval"))
    assert not (quiz / "logs").exists()
    assert len(log.samples) == 3


def test_limits(bench, quiz):
    for limit, ids in (("2", ["q0", "q1"]), ("3,5", ["q3", "q4"]), ("5,99", ["q5"])):
        done = bench("eval", "quiz.py", *CONSTANT, "--limit", limit, "--json", cwd=quiz)
        assert [sample.id for sample in read_eval_log(done.json()[0]["log"]).samples] == ids, limit


@pytest.mark.parametrize("limit", ["0", "-1", "3,2", "2,2", "1,2,3", "a", "", "1,", "1.5", "-1,4"])
def test_limits_that_are_none(bench, quiz, limit):
    done = bench("eval", "quiz.py", *CONSTANT, f"--limit={limit}", cwd=quiz)
    text = f"bench: --limit {limit!r}: expected a count from 1, or START,END with START below END.\n"
    assert (done.code, done.out, done.err) == (2, "", text)


def test_epochs_and_reducers(bench, quiz):
    seen = []

    def answer(request):  # every question is answered right every other time
        seen.append(request.prompt)
        number = int(re.search(r"Question (\d)", request.prompt)[1])
        return f"Answer: {'ABC'[number % 3]}" if seen.count(request.prompt) % 2 else "Answer: none"

    with ChatServer(answer) as server:
        # Of several reducers, the first is used for the run.
        for reducers, score in (([], 0.5), (["max,mean"], 1.0), (["at_least_2", "max"], 0.0), (["pass_hat_1"], 0.5)):
            seen.clear()
            named = [part for reducer in reducers for part in ("--epochs-reducer", reducer)]
            done = bench("eval", "quiz.py", *local(server, "--epochs", "2", *named, "--json"), cwd=quiz)
            [result] = done.json()
            assert (done.code, result["score"], result["samples"]) == (0, score, 12), reducers
    names = "mean, median, mode, max, at_least_N, pass_at_N or pass_hat_N"
    for more, text in (
        (["--epochs-reducer", "max"], "--epochs-reducer needs --epochs."),
        (["--epochs", "2", "--epochs-reducer", "best"], f"--epochs-reducer best: expected {names}."),
        (["--epochs", "2", "--epochs-reducer", "max,at_least"], f"--epochs-reducer max,at_least: expected {names}."),
        (["--epochs", "2", "--epochs-reducer", "pass_at_3"], "--epochs-reducer pass_at_3 needs --epochs 3 or more."),
        (["--epochs", "2", "--epochs-reducer", "pass_hat_3"], "--epochs-reducer pass_hat_3 needs --epochs 3 or more."),
    ):
        done = bench("eval", "quiz.py", *CONSTANT, *more, cwd=quiz)
        assert (done.code, done.out, done.err) == (2, "", f"bench: {text}\n")


def test_a_log_of_pass_hat_is_scored_again(bench, quiz):
    how = ["--epochs", "2", "--epochs-reducer", "pass_hat_2,pass_hat_1", "--json"]
    first = bench("eval", "quiz.py", *CONSTANT, *how, cwd=quiz)
    assert (first.code, first.json()[0]["score"]) == (0, pytest.approx(2 / 6)), first.err
    log = first.json()[0]["log"]
    assert [each.reducer for each in read_eval_log(log).results.scores] == ["pass_hat_2", "pass_hat_1"]
    again = bench("score", log, "--json", cwd=quiz)
    assert again.code == 0, again.err
    assert again.json()[0]["score"] == pytest.approx(2 / 6)


def test_choices_are_read_without_regard_to_case(bench, quiz):
    done = bench("eval", "quiz.py", *CONSTANT, "--log-format", "JSON", "--display", "Line", "--json", cwd=quiz)
    assert (done.code, Path(done.json()[0]["log"]).suffix) == (0, ".json"), done.err
    done = bench("eval", "quiz.py", "--baseline", "Reference", "--reasoning-effort", "LOW", "--json", cwd=quiz)
    assert (done.code, done.json()[0]["score"]) == (0, 1.0), done.err


def test_the_variables_of_the_nearest_env_file_are_read_before_the_command_line_is(bench, quiz):
    (quiz / ".env").write_text("BENCH_MODEL=baseline/constant\nBENCH_MODEL_ARGS=answer=A\nBENCH_LIMIT=2\n")
    below = quiz / "some" / "folder"
    below.mkdir(parents=True)
    done = bench("eval", str(quiz / "quiz.py"), "--json", cwd=below)
    assert done.code == 0, done.err
    assert (done.json()[0]["model"], done.json()[0]["samples"]) == ("baseline/constant", 2)
    done = bench("eval", str(quiz / "quiz.py"), "--json", cwd=below, BENCH_LIMIT="3")
    assert done.json()[0]["samples"] == 3, "a variable that is set stays"
    (below / ".env").write_text("BENCH_LIMIT=1")
    done = bench("eval", str(quiz / "quiz.py"), "--json", cwd=below)
    assert (done.code, done.out) == (2, ""), "only the nearest one is read, which names no model"


def test_the_key_of_a_model_may_stand_in_an_env_file(bench, quiz):
    (quiz / ".env").write_text('OTHER_API_KEY="from the file"\n', "utf-8")
    with ChatServer("Answer: A") as server:
        how = ["--model", "openai-api/other/m", "--model-base-url", server.base_url, "--limit", "1"]
        done = bench("eval", "quiz.py", *how, cwd=quiz)
        [request] = server.requests
    assert done.code == 0, done.err
    assert request.headers["authorization"] == "Bearer from the file"


def test_an_env_file_that_is_not_text(bench, quiz):
    (quiz / ".env").write_bytes(b"KEY=\xff\xfe")
    done = bench("eval", "quiz.py", *CONSTANT, cwd=quiz)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"bench: {quiz / '.env'} cannot be read as variables: 'utf-8' codec can't decode")


NOISY = """
import sys
print("import noise")
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate, solver
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Noisy", "Prints.", "knowledge", [], __name__, "noisy")


@solver
def shout():
    async def solve(state, generate):
        print("solver noise")
        return state

    return solve


@task
def noisy() -> Task:
    print("task noise")
    return Task([Sample("A?", target="A")], solver=[shout(), generate()], scorer=match())
"""


def test_stdout_is_json_and_nothing_else(bench, tmp_path):
    (tmp_path / "noisy.py").write_text(NOISY, "utf-8")
    for more in ([], ["--display", "rich"], ["--trace"]):
        done = bench("eval", "noisy.py", *CONSTANT, "--json", *more, cwd=tmp_path)
        [result] = done.json()
        assert (done.code, result["status"]) == (0, "success"), more
        assert result["log"].endswith(".eval")
    assert "noise" in done.err


def test_the_table_is_whole_where_it_is_piped(bench, quiz):
    long = "m" * 60
    with ChatServer("Answer: A") as server:
        address = ["--model-base-url", server.base_url]
        done = bench("eval", "quiz.py", "--model", f"openai-api/local/{long}", *address, cwd=quiz)
    head, row, log = done.out.splitlines()
    assert head.split() == ["benchmark", "model", "metric", "score", "answered", "tokens", "time"]
    assert re.fullmatch(r"quiz +openai-api/local/m{60} +accuracy +0\.333 ± 0\.211 +100\.0% +\d+ +\d+ s", row)
    assert re.fullmatch(r"logs/\S+_quiz_\w+\.json", log)
    assert (quiz / log).is_file()


def test_of_a_single_sample_no_error_is_known(bench, quiz):
    done = bench("eval", "quiz.py", *CONSTANT, "--limit", "1", "--epochs", "2", cwd=quiz)
    assert "±" not in done.out
    done = bench("eval", "quiz.py", *CONSTANT, "--limit", "1", "--json", cwd=quiz)
    [result] = done.json()
    assert result["stderr"] is None
    assert {"stderr": None}.items() <= next(iter(result["metrics"].values())).items()


CLUSTERED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, includes
from openbench_scorers.means import clustered_stderr
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Passages", "Questions about passages.", "made", [], __name__, "passages")

@task
def passages(clusters: int) -> Task:
    samples = [Sample(input=f"Question {n}", target="A", metadata={"passage": n // 2}) for n in range(2 * clusters)]
    return Task(dataset=samples, scorer=includes(), metrics=[accuracy(), clustered_stderr("passage")])
"""


@pytest.mark.parametrize("clusters", [1, 19, 20])
def test_few_clusters(bench, tmp_path, clusters):
    (tmp_path / "passages.py").write_text(CLUSTERED, "utf-8")
    done = bench("eval", "passages.py", *CONSTANT, "-T", f"clusters={clusters}", "--json", cwd=tmp_path)
    [result] = done.json()
    assert result["metrics"]["includes"]["clusters"] == clusters
    warning = (
        "bench: passages: includes: the clustered standard error is of 19 clusters. Below 20 it is too small on "
        "average: use clustered_lower and clustered_upper.\n"
    )
    assert (warning in done.err) is ("clusters. Below" in done.err) is (clusters == 19)


@pytest.mark.parametrize("model", ["m", "m" * 60])
def test_the_table_counts_errors_and_what_is_missing_if_there_is_any(bench, quiz, model):
    def row(*more):
        with ChatServer("Answer: A", faults=[None, Fault.status(400)]) as server:
            options = ["--model", f"openai-api/local/{model}", "--model-base-url", server.base_url]
            done = bench("eval", "quiz.py", *options, "--max-connections", "1", *more, cwd=quiz)
        names, cells = done.out.splitlines()[:2]
        return done.code, dict(zip(names.split(), cells.replace(" ± ", "±").split(), strict=False))

    code, cells = row("--no-fail-on-error")
    assert (code, cells["answered"], cells["errors"]) == (0, "100.0%", "1")
    assert "missing" not in cells
    code, cells = row()
    assert (code, cells["score"], cells["errors"], cells["missing"]) == (1, "error", "1", "4")


def test_progress_goes_to_stderr(bench, quiz):
    done = bench("eval", "quiz.py", *CONSTANT, cwd=quiz)
    assert "6/6 samples" in done.err
    assert "samples" not in done.out
    done = bench("eval", "quiz.py", *CONSTANT, "--display", "none", cwd=quiz)
    assert (done.code, done.err) == (0, "")


# --- variables ------------------------------------------------------------------------------------------------------

PUBLISHED = """
--model --model-base-url --model-role -M -T --limit --epochs --epochs-reducer --message-limit --temperature --top-p
--max-tokens --seed --reasoning-effort --max-connections --max-subprocesses --max-tasks --timeout --max-retries
--retry-on-error --fail-on-error --no-fail-on-error --sandbox --sandbox-cleanup --no-sandbox-cleanup --logfile --log-dir
--log-format --log-samples --no-log-samples --log-images --no-log-images --log-buffer --trace --display --debug
--debug-errors --score --no-score --alpha
"""
COMMAND = typer.main.get_command(build(["eval"])).commands["eval"]
OPTIONS = [param for param in COMMAND.params if param.param_type_name == "option" and "executor_flag" not in param.name]


def test_every_published_option_exists():
    names = {name for param in OPTIONS for name in (*param.opts, *param.secondary_opts)}
    assert set(PUBLISHED.split()) - names == set()


def parsed(arguments, variables, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return COMMAND.make_context("eval", arguments, **COMMAND.context_settings).params


def value_of(param):
    match param.type.name:
        case "choice":
            return param.type.choices[-1]
        case _ if param.name == "limit":
            return "2,5"
        case _ if param.name in {"executor", "resume"}:
            return {"executor": "local", "resume": "."}[param.name]
        case _ if param.name in {"model_role", "model_args", "task_args"}:
            return "k=v"
        case "str":
            return "text"
    return "1"


@pytest.mark.parametrize("param", OPTIONS, ids=lambda param: param.name)
def test_every_option_has_a_variable(param, monkeypatch):
    option, variable = param.opts[0], param.envvar or f"BENCH_{param.name.upper()}"
    if param.is_flag:
        expected = parsed(["x", option], {}, monkeypatch)
        assert parsed(["x"], {variable: "true"}, monkeypatch) == expected
        assert expected[param.name] is True
    else:
        value = value_of(param)
        expected = parsed(["x", option, value], {}, monkeypatch)
        assert parsed(["x"], {variable: value}, monkeypatch) == expected
    assert parsed(["x"], {variable: ""}, monkeypatch) == parsed(["x"], {}, monkeypatch)


def test_a_line_beats_a_variable(monkeypatch):
    assert parsed(["x", "--limit", "3"], {"BENCH_LIMIT": "9"}, monkeypatch)["limit"] == 3


def test_variables_steer_a_run(bench, quiz):
    with ChatServer("Answer: A") as server:
        done = bench(
            "eval",
            cwd=quiz,
            BENCH_BENCHMARKS="quiz.py",
            BENCH_MODEL="openai-api/local/m",
            BENCH_MODEL_BASE_URL=server.base_url,
            BENCH_LIMIT="1,3",
            BENCH_TASK_ARGS="level=hard top=4",
            BENCH_MAX_TOKENS="3",
            BENCH_LOG_DIR="elsewhere",
            BENCH_JSON="1",
        )
        requests = server.requests
    assert done.code == 0, done.err
    assert (len(requests), requests[0].system, requests[0].body["max_tokens"]) == (2, "Level: hard", 3)
    assert re.search(r"/elsewhere/[^/]+\.json$", done.json()[0]["log"])


def test_a_baseline_that_is_typed_beats_the_variables_of_models(bench, quiz):
    variables = {"BENCH_MODEL": "openai/gpt-4.1", "INSPECT_EVAL_MODEL": "openai/gpt-4.1"}
    done = bench("eval", "quiz.py", "--baseline", "reference", "--json", cwd=quiz, **variables)
    assert (done.code, done.json()[0]["model"]) == (0, "baseline/reference"), done.err
    done = bench("eval", "quiz.py", "--baseline", "reference", "--model", "openai/gpt-4.1", cwd=quiz)
    assert (done.code, done.err) == (2, "bench: --baseline replaces --model; use one of the two.\n")


# --- logs -----------------------------------------------------------------------------------------------------------


def test_the_log_has_the_name_and_format_asked_for(bench, quiz):
    done = bench("eval", "quiz.py", *CONSTANT, "--logfile", "out/mine.json", cwd=quiz)
    assert (done.code, done.out.splitlines()[-1]) == (0, "out/mine.json")
    assert json.loads((quiz / "out" / "mine.json").read_text())["eval"]["task"] == "quiz"
    assert sorted(path.name for path in (quiz / "out").iterdir()) == ["mine.json", "runs"]
    done = bench("eval", "quiz.py", *CONSTANT, "--log-format", "json", "--no-log-samples", "--json", cwd=quiz)
    log = done.json()[0]["log"]
    assert (done.code, log[-5:]) == (0, ".json")
    assert not json.loads(Path(log).read_text("utf-8")).get("samples")
    for more, text in (
        (["--logfile", "x.txt"], "--logfile x.txt: the name must end in .eval or .json, as --log-format says."),
        (
            ["--logfile", "x.eval", "--log-format", "json"],
            "--logfile x.eval: the name must end in .eval or .json, as --log-format says.",
        ),
        (
            ["--logfile", "x.eval", "--model", "baseline/empty"],
            "--logfile names one log, but there are 2 runs. Use --log-dir.",
        ),
    ):
        done = bench("eval", "quiz.py", "--model", "baseline/echo", *more, cwd=quiz)
        assert (done.code, done.out, done.err) == (2, "", f"bench: {text}\n")


def test_a_log_with_a_name_is_in_the_log_directory(bench, quiz):
    done = bench("eval", "quiz.py", *CONSTANT, "--log-dir", "keep", "--logfile", "mine.json", cwd=quiz)
    assert (done.code, done.out.splitlines()[-1]) == (0, "keep/mine.json"), done.err
    assert sorted(path.name for path in (quiz / "keep").iterdir()) == ["mine.json", "runs"]
    done = bench("eval", "quiz.py", *CONSTANT, "--log-dir", "keep", "--logfile", "out/mine.json", cwd=quiz)
    text = "--logfile out/mine.json is not in --log-dir keep. Give its name alone, or no --log-dir."
    assert (done.code, done.out, done.err) == (2, "", f"bench: {text}\n")
    # The run knows its log by this name.
    [run] = (quiz / "keep" / "runs").iterdir()
    done = bench("eval", "--resume", run, "--log-dir", "keep", cwd=quiz)
    assert (done.code, done.err) == (0, "quiz: already complete\n")
    done = bench("log", "prune", "keep", cwd=quiz)
    assert (done.code, done.out) == (0, f"keep/runs/{run.name} (0.0 MB): removed\n")


def test_the_log_of_another_run_is_not_overwritten(bench, quiz):
    (quiz / "notes.json").write_text("mine", "utf-8")
    with ChatServer("Answer: A", faults=[Fault.status(400)]) as server:
        evaluation = ["eval", "quiz.py", *local(server), "--no-fail-on-error"]
        done = bench(*evaluation, "--logfile", "out/mine.json", cwd=quiz)
        assert (done.code, len(server.requests)) == (0, 6), done.err
        log = quiz / "out" / "mine.json"
        [run] = (quiz / "out" / "runs").iterdir()
        before = log.read_bytes()
        for name, there in (("out/mine.json", "the log of another run"), ("notes.json", "a file that is not a log")):
            done = bench(*evaluation, "--logfile", name, cwd=quiz)
            text = f"--logfile {name}: {there} would be overwritten. Use another name, or remove it."
            assert (done.code, done.out, done.err) == (2, "", f"bench: {text}\n")
        assert (log.read_bytes(), len(server.requests)) == (before, 6)
        assert (quiz / "notes.json").read_text("utf-8") == "mine"
        # That of the run which goes on makes room for the whole one.
        done = bench(*evaluation, "--logfile", "out/mine.json", "--resume", run, "--json", cwd=quiz)
        [result] = done.json()
        assert (done.code, result["completed"], result["log"]) == (0, 6, str(log)), done.err
    assert len(read_eval_log(str(log)).samples) == 6
    assert [path.name for path in log.parent.iterdir() if path.is_file()] == ["mine.json"]


def test_a_log_directory_that_cannot_be_written(bench, quiz):
    (quiz / "file").write_text("", "utf-8")
    with ChatServer("Answer: A") as server:
        done = bench("eval", "quiz.py", *local(server), "--log-dir", "file/logs", cwd=quiz)
        assert len(server.requests) == 0
    text = "bench: the log directory file/logs cannot be written: Not a directory. Use --log-dir.\n"
    assert (done.code, done.out, done.err) == (2, "", text)


def test_scoring_may_wait(bench, quiz):
    with ChatServer("Answer: A") as server:
        done = bench("eval", "quiz.py", *local(server), "--no-score", "--logfile", "raw.eval", cwd=quiz)
        assert done.code == 0, done.err
        raw = read_eval_log(str(quiz / "raw.eval"))
        assert not raw.results or not raw.results.scores
        assert not any(sample.scores for sample in raw.samples)
        done = bench("score", "raw.eval", "--json", cwd=quiz)
        assert len(server.requests) == 6
    [result] = done.json()
    assert (done.code, result["score"]) == (0, pytest.approx(1 / 3)), done.err


# --- sample rows and experimental benchmarks ------------------------------------------------------------------------


def test_sample_rows(bench, quiz, acme):
    done = bench("eval", "acme-quiz", "--sample", "--baseline", "reference", "--json", cwd=quiz, **acme)
    [result] = done.json()
    assert (done.code, result["score"], result["samples"]) == (0, 1.0, 3)
    log = read_eval_log(result["log"])
    assert [sample.id for sample in log.samples] == ["s0", "s1", "s2"]
    assert log.eval.metadata["openbench"]["sample"] is True
    done = bench("eval", "quiz.py", "--sample", "--baseline", "reference", cwd=quiz)
    text = "bench: quiz ships no sample rows, so it cannot run with --sample.\n"
    assert (done.code, done.out, done.err) == (2, "", text)
    rest = ["--sample", "--baseline", "reference", "-T", "split=dev"]
    done = bench("eval", "acme-quiz", *rest, cwd=quiz, **acme)
    text = (
        f"{acme['PYTHONPATH']}/acme_quiz/samples/acme_quiz has no sample rows of the split 'dev' (splits there: test)"
    )
    assert (done.code, done.err.splitlines()[0]) == (1, f"bench: acme-quiz: {text}")


def test_experimental_benchmarks(bench, quiz, acme):
    done = bench("eval", "acme_odd", *CONSTANT, cwd=quiz, **acme)
    text = "bench: acme_odd is experimental. Run it with --alpha.\n"
    assert (done.code, done.out, done.err) == (2, "", text)
    done = bench("eval", "acme_odd", *CONSTANT, "--alpha", "--json", cwd=quiz, **acme)
    assert (done.code, done.json()[0]["benchmark"]) == (0, "acme_odd"), done.err


# --- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["nosuch", *CONSTANT],
            "bench: nosuch: no benchmark, group or path of this name. 'bench list' shows what is installed.",
        ),
        (
            ["nosuch.py", *CONSTANT],
            "bench: nosuch.py does not exist. A local eval is a directory or a .py file that defines __metadata__.",
        ),
        (
            ["quiz.py", *CONSTANT, "-T", "levle=hard"],
            (
                "bench: -T levle: no benchmark of this run has this argument. Did you mean level? "
                "quiz takes rows, level, grouped, top."
            ),
        ),
        (["quiz.py", *CONSTANT, "-T", "level"], "bench: -T level: expected key=value."),
        (
            ["quiz.py"],
            "bench: No model to evaluate: use --model provider/model, or --baseline reference for a check.",
        ),
        (
            ["quiz.py", "--model", "gpt-4.1"],
            "bench: 'gpt-4.1' is not a model name. Models are named provider/model, such as openai/gpt-4.1.",
        ),
        (
            ["quiz.py", "--model", "nosuch/model"],
            (
                "bench: nosuch/model: the provider 'nosuch' is unknown. Models are named provider/model; for any "
                "OpenAI-compatible server use openai-api/<name>/<model> with --model-base-url."
            ),
        ),
        (["quiz.py", *CONSTANT, "--model-role", "grader"], "bench: --model-role grader: expected key=value."),
        (
            ["quiz.py", *CONSTANT, "--fail-on-error", "3", "--no-fail-on-error"],
            "bench: --fail-on-error and --no-fail-on-error exclude each other.",
        ),
    ],
)
def test_wrong_use(bench, quiz, arguments, text):
    done = bench("eval", *arguments, cwd=quiz)
    assert (done.code, done.out, done.err) == (2, "", f"{text}\n")


MISTAKES = [
    ["eval", "nosuch", "--model", "a/b"],
    ["eval", "acme_quiz", "--model", "a/b", "--nosuch"],
    ["eval", "acme_quiz", "--model", "a/b", "--epochs", "0"],
    ["eval", "acme_quiz", "--model", "a/b", "--limit", "some"],
    ["eval", "acme_quiz", "--model", "a/b", "--engine", "nosuch"],
    ["eval", "acme_quiz", "--model", "a/b", "--executor", "nosuch"],
    ["eval", "acme_quiz", "--model", "a/b", "--dry-run", "--price", "some"],
    ["eval", "acme_quiz", "--model", "a/b", "--logfile", "log.txt"],
    ["eval", "acme_quiz", "--model", "a/b", "-T", "nosuch=1"],
    ["eval", "acme_quiz", "--model", "a/b", "-T", "shots=many"],
    ["eval", "acme_quiz", "--model", "a/b", "-T", "shots"],
    ["eval", "acme_quiz", "--model", "a/b", "-M", "x"],
    ["eval", "acme_quiz", "--model", "a/b", "--model-role", "grader=x"],
    ["eval", "acme_quiz", "--model", "nosuch"],
    ["eval", "acme_quiz"],
    ["eval", "./nosuch.py", "--model", "a/b"],
    ["eval", "--resume", "nosuch"],
    ["score", "nosuch.eval"],
    ["eval-retry", "nosuch.eval"],
    ["log", "show", "nosuch.eval"],
    ["log", "prune", "nosuch"],
    ["reproduce", "nosuch.eval"],
    ["data", "pull", "nosuch"],
]


def test_mistakes_are_answered_without_importing_inspect(site, acme):
    code = (
        "import json, sys\nfrom openbench.cli.main import run\n"
        "for arguments in json.loads(sys.argv[1]):\n"
        "    print(run(arguments), 'inspect_ai' in sys.modules, 'datasets' in sys.modules, *arguments)"
    )
    done = site.python("-c", code, json.dumps(MISTAKES), **acme)
    assert done.out.splitlines() == [" ".join(["2 False False", *arguments]) for arguments in MISTAKES], done.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["quiz.py", "--no-such-option"],
        ["quiz.py", "--epochs", "0"],
        ["quiz.py", "--temperature", "hot"],
        ["quiz.py", "--log-format", "xml"],
        ["quiz.py", "--baseline", "oracle"],
        ["quiz.py", "--max-connections", "-1"],
    ],
)
def test_wrong_options(bench, quiz, arguments):
    done = bench("eval", *arguments, cwd=quiz)
    assert (done.code, done.out) == (2, "")
    [line] = done.err.splitlines()
    assert line.startswith("bench: ")


def test_missing_keys(bench, quiz):
    done = bench("eval", "quiz.py", "--model", "openai/gpt-4.1", cwd=quiz)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: openai/gpt-4.1: ")
    assert "OPENAI_API_KEY" in done.err
    done = bench("eval", "quiz.py", *CONSTANT, "--model-role", "grader=openai-api/judge/g", cwd=quiz)
    assert (done.code, done.out) == (2, "")
    assert "JUDGE_API_KEY" in done.err or "JUDGE_BASE_URL" in done.err
    assert len(done.err.splitlines()) == 1


def test_provider_arguments(bench, quiz):
    done = bench("eval", "quiz.py", "--model", "baseline/constant", "-M", "colour=red", cwd=quiz)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: baseline/constant: the provider refuses its arguments (-M): ")
    assert "'colour'" in done.err


def test_an_unreachable_model(bench, quiz):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"
    began = time.monotonic()
    done = bench("eval", "quiz.py", "--model", "openai-api/local/m", "--model-base-url", url, cwd=quiz)
    text = f"bench: openai-api/local/m: {url} cannot be reached: Connection refused. Is the server up?\n"
    assert (done.code, done.out, done.err) == (1, "", text)
    assert time.monotonic() - began < 15


def test_a_key_that_the_server_refuses(bench, quiz):
    with ChatServer("Answer: A", api_key="right") as server:
        done = bench("eval", "quiz.py", *local(server, "--json"), cwd=quiz)
        assert len(server.requests) <= 6  # a wrong key is not tried again
    assert done.code == 1
    assert done.json()[0]["status"] == "error"
    assert "Incorrect API key" in done.err
    assert "Traceback" not in done.err


def test_rows_that_do_not_fit(bench, quiz):
    """A benchmark whose data is wrong says where, and does not stop the other one."""
    rows = [json.loads(line) for line in (quiz / "rows.jsonl").read_text().splitlines()]
    for bad, text in (
        (
            {"id": "q9", "question": "?", "answer": "A"},
            (
                "row 2 of bad.jsonl has no 'options' (columns: id, question, answer). "
                "Check the mapping of its columns, or pin the revision."
            ),
        ),
        ({**rows[1], "id": "q0"}, "rows 1 and 2 of bad.jsonl have the same id 'q0'"),
        ({**rows[1], "answer": "E"}, "row 2 of bad.jsonl: the target is 'E', but the options are A, B, C"),
        (
            {**rows[1], "options": list(map(str, range(30)))},
            "row 2 of bad.jsonl: 30 options, but letters for 26 at most",
        ),
    ):
        (quiz / "bad.jsonl").write_text(json.dumps(rows[0]) + "\n" + json.dumps(bad) + "\n", "utf-8")
        (quiz / "good.py").write_text((quiz / "quiz.py").read_text().replace("quiz", "good").replace("rows:", "its:"))
        (quiz / "good.py").write_text((quiz / "good.py").read_text().replace("=rows,", "=its,"))
        done = bench("eval", "quiz.py", "good.py", "-T", "rows=bad.jsonl", *CONSTANT, "--json", cwd=quiz)
        failed, good = done.json()
        assert (done.code, failed["status"], failed["score"], failed["log"]) == (1, "error", None, "")
        assert (good["status"], good["score"]) == ("success", pytest.approx(1 / 3))
        assert f"bench: quiz: {text}" in done.err.splitlines()


def test_debug_shows_where(bench, quiz):
    done = bench("eval", "quiz.py", "--model", "nosuch/model", "--debug", cwd=quiz)
    assert (done.code, "Traceback" in done.err, "planning.py" in done.err or "models.py" in done.err) == (2, True, True)
