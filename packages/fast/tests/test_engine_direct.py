"""The direct engine: what it takes, what it leaves to inspect's, and what it keeps when something goes wrong."""

import asyncio
import gc

import pytest
from inspect_ai import Task
from inspect_ai.analysis import samples_df
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import Solver, TaskState, chain, generate, solver, system_message, use_tools

from openbench.run.identity import epoch_by_epoch
from openbench.run.plan import EvalOptions, Plan
from openbench.tasks.solvers import static
from openbench_fast.direct.loop import run_samples
from openbench_fast.direct.setting import setting_of
from openbench_fast.direct.supports import why_not_direct
from openbench_fast.engines import DirectEngine
from openbench_fast.inspect_bootstrap import begin
from openbench_fast.recording import too_many

PLAN = Plan(jobs=[])
QUESTION = Sample("One?", target="1", id="q1")
PICTURE = Sample([ChatMessageUser(content=[ContentText(text="?"), ContentImage(image="a.png")])], id="q2")


def shouted() -> Solver:
    async def solve(state: TaskState, generate) -> TaskState:
        state.user_prompt.text = state.user_prompt.text.upper()
        return await generate(state)

    return solve


@static
@solver
def asked_twice() -> Solver:
    """Send two requests at the same time."""

    async def solve(state: TaskState, generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        state.output, _ = await asyncio.gather(*(get_model().generate(state.messages) for _ in range(2)))
        return state

    return solve


undeclared = solver(name="undeclared")(shouted)
declared = static(solver(name="declared")(shouted))


def questions(count, text="Question {}?"):
    return MemoryDataset([Sample(text.format(number), target="A", id=f"q{number}") for number in range(count)])


# --- what it takes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (Task([QUESTION], solver=undeclared()), "its solver undeclared is not known to be static"),
        (
            Task([QUESTION], solver=use_tools()),
            "its solver inspect_ai/use_tools is not known to be static",
        ),
        (
            Task([QUESTION], solver=chain(system_message("x"), chain(undeclared(), generate()))),
            "its solver undeclared is not known to be static",
        ),
        (Task([QUESTION], time_limit=5), "the task sets time_limit"),
        (Task([QUESTION], setup=generate()), "the task sets setup"),
        (Task([QUESTION], score_on_error=True), "the task sets score_on_error"),
        (Task([QUESTION, Sample("?", id="q3", files={"a": "b"})]), "the sample 'q3' has files"),
        (Task([PICTURE]), "the sample 'q2' has content other than text: image"),
    ],
)
def test_what_is_not_static_is_refused(task, reason):
    assert why_not_direct(task, PLAN, "line") == reason


@pytest.mark.parametrize(
    ("options", "display", "reason"),
    [
        ({"message_limit": 5}, "line", "--message-limit needs Inspect's engine"),
        ({"debug_errors": True}, "line", "--debug-errors needs Inspect's engine"),
        ({}, "rich", "--display rich needs Inspect's engine"),
    ],
)
def test_options_of_inspects_own_are_refused(options, display, reason):
    assert why_not_direct(Task([QUESTION]), Plan(jobs=[], options=EvalOptions(**options)), display) == reason


def test_what_is_static_is_taken(tmp_path, engine_cases):
    task = Task(questions(2), solver=declared(), scorer=includes())
    assert why_not_direct(task, PLAN, "none") is None
    log = engine_cases.run("direct", task, str(tmp_path))
    assert [sample.messages[0].text for sample in log.samples] == ["QUESTION 0?", "QUESTION 1?"]


def test_the_log_says_which_engine_ran_and_why(bench, quiz):
    def engine_of(*more):
        [result] = bench("eval", "quiz.py", "--baseline", "random", "--json", *more, cwd=quiz).json()
        return result["log"], read_eval_log(result["log"], header_only=True).eval.metadata["openbench"]["engine"]

    log, said = engine_of()
    assert (log.rpartition(".")[2], said) == ("json", {"name": "direct", "reason": "it supports the benchmark"})
    log, said = engine_of("--message-limit", "9")
    reason = "not direct: --message-limit needs Inspect's engine; not processes: one process is enough"
    assert (log.rpartition(".")[2], said) == ("eval", {"name": "inspect", "reason": reason})
    log, said = engine_of("--engine", "inspect", "--log-format", "json")
    assert (log.rpartition(".")[2], said) == ("json", {"name": "inspect", "reason": "chosen with --engine"})
    log, said = engine_of("--engine", "direct", "--log-format", "eval")
    assert (log.rpartition(".")[2], said["name"]) == ("eval", "direct")
    done = bench("score", log, cwd=quiz)
    assert done.code == 0, done.err


def test_an_engine_that_cannot_is_wrong_use(bench, quiz):
    done = bench("eval", "quiz.py", "--baseline", "random", "--engine", "direct", "--message-limit", "9", cwd=quiz)
    text = "bench: quiz: --engine direct cannot run it: --message-limit needs Inspect's engine.\n"
    assert (done.code, done.out, done.err) == (2, "", text)
    done = bench("eval", "quiz.py", "--baseline", "random", "--engine", "warp", cwd=quiz)
    text = "bench: --engine warp: no such engine. Known: auto, direct, inspect, processes.\n"
    assert (done.code, done.out, done.err) == (2, "", text)
    assert not list(quiz.glob("logs/*.*"))


SUNDAYS = """
from openbench.run.engine import Engine, Support

class Sundays(Engine):
    def supports(self, task, plan):
        return Support("it only runs on Sundays")

    def run(self, tasks, roles, recording):
        raise AssertionError

NOTHING = 7
"""


def test_engines_of_other_distributions_are_asked(bench, quiz, site):
    files = {"sundays.py": SUNDAYS}
    site.install("openbench-sundays", files, engines={"sundays": "sundays:Sundays", "odd": "sundays:NOTHING"})
    where = {"PYTHONPATH": str(site.folder)}
    evaluation = ["eval", "quiz.py", "--baseline", "random"]
    done = bench(*evaluation, "--engine", "sundays", cwd=quiz, **where)
    text = "bench: quiz: --engine sundays cannot run it: it only runs on Sundays.\n"
    assert (done.code, done.out, done.err) == (2, "", text)
    done = bench(*evaluation, "--engine", "odd", cwd=quiz, **where)
    assert done.code == 2
    assert "refers to an int, expected a subclass of Engine" in done.err
    # One that cannot be loaded is no hindrance to those that can.
    done = bench(*evaluation, "--message-limit", "9", "--json", cwd=quiz, **where)
    assert done.code == 0, done.err
    said = read_eval_log(done.json()[0]["log"], header_only=True).eval.metadata["openbench"]["engine"]
    assert said["name"] == "inspect"
    assert "not direct: --message-limit needs Inspect's engine; not odd: " in said["reason"]
    assert said["reason"].endswith("; not sundays: it only runs on Sundays")


# --- what it keeps --------------------------------------------------------------------------------------------------


def test_requests_at_the_same_time_are_all_in_the_log(tmp_path, engine_cases):
    log = engine_cases.run("direct", Task(questions(1), solver=asked_twice(), scorer=includes()), str(tmp_path))
    [sample] = log.samples
    assert sum(isinstance(event, ModelEvent) for event in sample.events) == 2
    assert sample.model_usage["oracle/m"].output_tokens == 2 * sample.output.usage.output_tokens


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # inspect's own use of it
def test_the_log_is_one_for_inspects_tools(tmp_path, engine_cases):
    log = engine_cases.run("direct", Task(questions(3), scorer=includes()), str(tmp_path), epochs=2)
    frame = samples_df(log.location)
    assert list(frame["id"]) == ["q0", "q1", "q2"] * 2
    assert log.results.total_samples == log.results.completed_samples == 6
    assert log.stats.model_usage["oracle/m"].output_tokens == sum(
        sample.output.usage.output_tokens for sample in log.samples
    )
    assert all(sample.total_time >= sample.working_time >= 0 for sample in log.samples)


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_epochs_have_a_cache_entry_each(tmp_path, engine_cases, monkeypatch, engine):
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))

    def asked(engine):
        model = engine_cases.make_oracle()
        task = Task(questions(2), solver=[system_message("x"), generate()], scorer=includes())
        log = engine_cases.run(engine, task, str(tmp_path), model=model, generate={"cache": True}, epochs=3)
        return model.api.asked, log.stats.model_usage

    assert asked(engine)[0] == 6
    # What one engine has asked, the other need not.
    assert asked("direct" if engine == "inspect" else "inspect") == (0, {})


def test_requests_are_bounded_by_connections(tmp_path, engine_cases):
    log = engine_cases.run(
        "direct",
        Task(questions(12), scorer=includes()),
        str(tmp_path),
        model=(model := engine_cases.make_oracle("oracle/slow")),
        generate={"max_connections": 3},
    )
    assert log.status == "success"
    assert model.api.most_at_once == 3


@pytest.mark.parametrize("engine", ["direct", "inspect"])
def test_attempts_are_recorded(tmp_path, engine_cases, engine):
    task = Task(questions(2, "Fail once: {}"), scorer=includes())
    log = engine_cases.run(engine, task, str(tmp_path), retry_on_error=2)
    for sample in log.samples:
        assert sample.error is None
        assert [retry.message for retry in sample.error_retries] == ["RuntimeError('the first attempt fails')"]
        assert sample.model_usage["oracle/m"] == sample.output.usage


def test_too_many_errors_end_a_run(tmp_path, engine_cases):
    dataset = MemoryDataset([Sample("please fail" if n == 2 else f"{n}?", target="A", id=f"q{n}") for n in range(50)])
    task = Task(dataset, scorer=includes())
    log = engine_cases.run("direct", task, str(tmp_path), generate={"max_connections": 1})
    assert (log.status, log.error.message) == ("error", "RuntimeError('the model fails, as it was asked to')")
    assert log.results is None
    assert 3 <= len(log.samples) < 50


@pytest.mark.parametrize(
    ("tolerated", "planned", "failed", "expected"),
    [
        (None, 9, 1, True),
        (True, 9, 1, True),
        (False, 9, 9, False),
        (0.5, 4, 1, False),
        (0.5, 4, 2, True),
        (2, 9, 1, False),
        (2.0, 9, 2, True),
        (True, 9, 0, False),
        (0.0, 9, 0, False),
        (0.0, 9, 1, True),
    ],
)
def test_how_many_errors_are_too_many(tolerated, planned, failed, expected):
    assert too_many(failed, planned, tolerated) is expected


def test_nothing_of_a_sample_is_kept(tmp_path, engine_cases):
    """Of the 200 requests that were made, only those of samples in flight are still there, and what their logs hold."""
    model = engine_cases.make_oracle()
    task = engine_cases.made_ready(Task(questions(200), scorer=includes()), model)
    header, context = begin(task, Plan(jobs=[], options=EvalOptions(log_dir=str(tmp_path))), {})
    setting = setting_of(task, model, header, score=True)
    alive = []

    def ended(sample):
        if sample.id in {"q60", "q199"}:
            gc.collect()
            alive.append(sum(isinstance(each, ModelEvent) for each in gc.get_objects()))
        return True

    samples = epoch_by_epoch(list(task.dataset), None, 1)
    asyncio.run(run_samples(setting, samples, context=context, ended=ended, in_flight=4))
    assert max(alive) <= 20, alive


def test_solvers_cannot_change_the_dataset(tmp_path, engine_cases):
    @static
    @solver(name="scribble")
    def scribble():
        async def solve(state, generate):
            state.metadata["seen"] = state.metadata.get("seen", 0) + 1
            return await generate(state)

        return solve

    dataset = MemoryDataset([Sample([ChatMessageUser(content="One?")], target="A", id="q", metadata={"deep": [1]})])
    log = engine_cases.run("direct", Task(dataset, solver=scribble(), scorer=includes()), str(tmp_path), epochs=2)
    assert [sample.metadata["seen"] for sample in log.samples] == [1, 1]
    assert "seen" not in dataset[0].metadata


def test_samples_are_left_out_of_the_log_as_asked(tmp_path, engine_cases):
    task = Task(questions(3), scorer=includes())
    log = engine_cases.run("direct", task, str(tmp_path), log_samples=False)
    assert log.samples is None
    assert log.results.total_samples == 3


def test_nothing_is_asked_of_a_model_to_choose(engine_cases):
    model = get_model("oracle/m", memoize=False)
    task = engine_cases.made_ready(Task(questions(1)), model)
    assert DirectEngine(display="none").supports(task, PLAN)
    assert model.api.asked == 0
