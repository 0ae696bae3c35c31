"""Parts of a run that run elsewhere: in threads and processes that prepare for themselves, whatever becomes of them."""

import gc
import pickle
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.registry.catalog import Catalog
from openbench.run.local_executor import LocalExecutor
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan
from openbench.run.recording import Cancellation
from openbench_fast import inspect_bootstrap, sample_queue
from openbench_fast.engines import run_journalled
from openbench_fast.process_count import CAN_FORK, Share
from openbench_fast.recording import SampleResult
from openbench_fast.remote_worker import IdentityMismatchError, make_shard, run_shard
from openbench_fast.sample_queue import MOST_FRUITLESS, SampleQueue
from openbench_testing import ChatServer, Fault

ENGINES = ["direct", "inspect"]
CATALOG = Catalog.installed()

ROWS = '''
"""Questions to which the model server answers A."""

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import includes
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Rows", "Questions.", "made", [], __name__, "rows")


@task
def rows(count: int = 6) -> Task:
    return Task(MemoryDataset([Sample(f"Question {n}?", target="AB"[n % 2]) for n in range(count)]), scorer=includes())
'''


@pytest.fixture(autouse=True)
def _providers(monkeypatch):
    monkeypatch.setenv("LOCAL_API_KEY", "x")
    yield
    with warnings.catch_warnings():  # inspect leaves a provider's connections to the collector when a run has ended
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def planned(tmp_path):
    """Make plans of samples without ids, on a model server."""
    (tmp_path / "rows.py").write_text(ROWS, "utf-8")

    def make(server, engine="auto", count=6, log_dir="logs", **more):
        options = {"log_dir": str(tmp_path / log_dir), **more.pop("options", {})}
        return Plan(
            jobs=[
                Job(
                    benchmark=str(tmp_path / "rows.py"),
                    task_args={"count": count},
                    model=ModelSpec(name="openai-api/local/m", base_url=server.base_url),
                )
            ],
            options=EvalOptions(**options),
            engine=engine,
            **more,
        )

    return make


class Elsewhere(LocalExecutor):
    """Hands out parts of some samples, each of which a function runs."""

    def __init__(self, run, most=2):
        super().__init__(CATALOG, display="none")
        self.run = run
        self.most = most
        self.left = None

    def run_jobs(self, prepared, roles, recording):
        tasks = [each.task for each in prepared]
        return run_journalled(recording, tasks, lambda host: self.run_samples(prepared, roles, host))

    def run_samples(self, chosen, roles, recording):
        queue = SampleQueue(recording, [each.task for each in chosen], roles)
        number = 0
        while keys := queue.lease(number, self.most):
            part = sent(make_shard(recording.plan, chosen, keys, Share(2, number % 2)))
            self.run(queue, number, part)
            queue.requeue(number, "the test")
            number += 1
        self.left = queue
        return queue.outcomes()


def sent(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


def in_a_thread(queue, worker, part):
    told = []
    run = lambda: told.append(run_shard(CATALOG, part, lambda each: told.append(each) or ()))  # noqa: E731
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert told.pop() is True
    for each in sent(told):
        queue.complete(worker, each)


def in_a_process(queue, worker, part, cwd=None):
    code = (
        "import pickle, sys\n"
        "from openbench.registry.catalog import Catalog\n"
        "from openbench_fast.remote_worker import run_shard\n"
        "told = []\n"
        "run_shard(Catalog.installed(), pickle.load(sys.stdin.buffer), lambda each: told.append(each) or ())\n"
        "pickle.dump(told, sys.stdout.buffer)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=pickle.dumps(part), capture_output=True, check=True, cwd=cwd)
    for each in pickle.loads(done.stdout):  # noqa: S301 - our own
        queue.complete(worker, each)


def log_of(executor, plan):
    [result] = executor.execute(plan)
    assert result.log, result.error
    return read_eval_log(result.log.location, resolve_attachments="full")


def run_of(log):
    return str(Path(log.location).parent / log.eval.metadata["openbench"]["run"])


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_in_threads_are_as_one_run(planned, engine_cases, engine):
    with ChatServer("A") as server:
        options = {"epochs": 2, "limit": (1, 5)}
        local = log_of(LocalExecutor(CATALOG, display="none"), planned(server, engine, options=options))
        parts = log_of(Elsewhere(in_a_thread, most=3), planned(server, engine, options=options))
        assert len(server.requests) == 16
    assert engine_cases.told(parts) == engine_cases.told(local)
    assert [(sample.id, sample.epoch) for sample in parts.samples] == [(n, e) for e in (1, 2) for n in (2, 3, 4, 5)]
    assert parts.results.scores[0].metrics["accuracy"].value == 0.5


GRADED = """
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, accuracy, scorer


@scorer(metrics=[accuracy()])
def graded():
    grader, evaluated = get_model(role="grader", default="baseline/echo"), get_model()

    async def score(state, target):
        both = [(await model.generate("Is it right?")).completion for model in (grader, evaluated)]
        return Score(value=1, answer=" ".join(both))

    return score
"""


def test_models_that_a_scorer_took_outlive_the_event_loop_of_a_part(planned, tmp_path):
    """The connections of one loop are of no use in the next, for which the task is not built again."""
    source = ROWS.replace("scorer=includes()", "scorer=graded()").replace("__metadata__", f"{GRADED}\n\n__metadata__")
    (tmp_path / "rows.py").write_text(source, "utf-8")
    with ChatServer("A") as server, ChatServer("yes") as grader:
        roles = {"grader": ModelSpec(name="openai-api/local/g", base_url=grader.base_url)}
        log = log_of(Elsewhere(in_a_thread), planned(server, model_roles=roles))
        assert (len(server.requests), len(grader.requests)) == (12, 6)
    assert [sample.scores["graded"].answer for sample in log.samples] == ["yes A"] * 6
    assert log.stats.role_usage["grader"].total_tokens > 0


def test_a_part_in_a_process_of_its_own(planned, engine_cases):
    with ChatServer("A") as server:
        local = log_of(LocalExecutor(CATALOG, display="none"), planned(server))
        parts = log_of(Elsewhere(in_a_process, most=6), planned(server))
    assert engine_cases.told(parts) == engine_cases.told(local)


def test_what_a_part_is_compared_by_is_sent(planned, tmp_path, monkeypatch, tmp_path_factory):
    """Models in roles, arguments of providers, and prices that only the project of the host says."""
    prices = [f'"{model}" = {{ input = 1, output = 2 }}' for model in ("openai-api/local/m", "baseline/constant")]
    (tmp_path / "pyproject.toml").write_text("\n".join(["[tool.openbench.prices]", *prices]), "utf-8")
    monkeypatch.chdir(tmp_path)
    aside = tmp_path_factory.mktemp("aside")
    with ChatServer("A") as server:
        args = {"project": "p", "api_key": "PLANTED123"}
        grader = ModelSpec(name="baseline/constant", args={"answer": "A", "api_key": "PLANTED456"})
        plan = planned(server, options={"cost_limit": 1.0}, model_roles={"judge": grader})
        plan = replace(plan, jobs=[replace(job, model=replace(job.model, args=args)) for job in plan.jobs])
        log = log_of(Elsewhere(lambda *part: in_a_process(*part, cwd=aside), most=6), plan)
    said = log.eval.metadata["openbench"]["identity"]
    assert (said["model_args"], said["model_roles"]) == (
        {"project": "p"},
        {"judge": {"model": "baseline/constant", "args": {"answer": "A"}}},
    )
    assert said["limits"]["prices"]["openai-api/local/m"]["output"] == 2
    assert len(log.samples) == 6


def test_a_task_is_prepared_once(planned, monkeypatch):
    from openbench_fast import remote_worker

    prepared = []
    build_job = remote_worker.build_job
    monkeypatch.setattr(remote_worker, "build_job", lambda *given: prepared.append(given) or build_job(*given))
    with ChatServer("A") as server:
        log_of(Elsewhere(in_a_thread), planned(server))
    assert len(prepared) == 1


def test_another_version_is_refused(planned, tmp_path):
    def run(queue, worker, part):
        del queue, worker
        source = (tmp_path / "rows.py").read_text("utf-8")
        (tmp_path / "rows.py").write_text(source.replace("Question {n}", "Riddle {n}"), "utf-8")
        run_shard(Catalog.installed(), part, lambda _: ())

    with ChatServer("A") as server, pytest.raises(IdentityMismatchError) as caught:
        Elsewhere(run).execute(planned(server))
    text = str(caught.value)
    assert text.startswith("rows: a worker's packages or data differ from the run's, so its samples would not be comp")
    assert "code: rows.py was " in text
    assert not server.requests


@pytest.mark.parametrize("engine", ENGINES)
def test_it_stops_from_outside(planned, engine):
    """What is asked is cancelled, not waited for, and what has ended is recorded."""
    stop = Cancellation()

    def answer(_):
        if len(server.requests) > 3:
            threading.Timer(0.3, stop.request).start()
            server.closing.wait(5)
        return "A"

    def run(queue, worker, part):
        ended = []
        thread = threading.Thread(
            target=lambda: ended.append(
                run_shard(CATALOG, part, lambda told: (queue.complete(worker, told) and ()) or (), cancellation=stop)
            )
        )
        started = time.monotonic()
        thread.start()
        thread.join()
        assert ended == [False]
        assert time.monotonic() - started < 4
        raise KeyboardInterrupt

    class Interrupted(Elsewhere):
        def run_samples(self, chosen, roles, recording):
            queue = SampleQueue(recording, [each.task for each in chosen], roles)
            part = make_shard(recording.plan, chosen, queue.lease(0), Share(1, 0))
            with pytest.raises(KeyboardInterrupt):
                run(queue, 0, part)
            return queue.outcomes()

    with ChatServer(answer) as server:
        plan = planned(server, engine, count=20, generate=GenerateOptions(max_connections=1, timeout=60))
        log = log_of(Interrupted(run), plan)
    assert log.status == "cancelled"
    assert len([sample for sample in log.samples if not sample.error]) == 3


def test_a_lost_run_says_why_and_keeps_what_ended(planned):
    class Lost(Elsewhere):
        def run_samples(self, chosen, roles, recording):
            queue = SampleQueue(recording, [each.task for each in chosen], roles)
            in_a_thread(queue, 0, make_shard(recording.plan, chosen, queue.lease(0, 2), Share(1, 0)))
            assert queue.waiting == 4
            return queue.outcomes("the cluster is gone")

    with ChatServer("A") as server:
        log = log_of(Lost(None), planned(server))
        assert (log.status, log.error.message, len(log.samples)) == ("error", "the cluster is gone", 2)
        resumed = planned(server, resume=run_of(log))
        whole = log_of(LocalExecutor(CATALOG, display="none"), resumed)
        assert len(server.requests) == 6
    assert (whole.status, len(whole.samples)) == ("success", 6)


@pytest.mark.parametrize("engine", ENGINES)
def test_too_many_errors_end_all_parts(planned, engine):
    with ChatServer(faults=[Fault.status(400)] * 99) as server:
        executor = Elsewhere(in_a_thread)
        log = log_of(executor, planned(server, engine, options={"fail_on_error": 2}))
    assert (log.status, len(log.samples), len(server.requests)) == ("error", 2, 2)
    assert "400" in log.error.message
    assert executor.left.over


# --- the queue -----------------------------------------------------------------------------------------------------


@pytest.fixture
def queue_of(planned):
    """Run a function with a queue of some samples, of which nothing has run."""

    def run(count, function, **options):
        class Only(Elsewhere):
            def run_samples(self, chosen, roles, recording):
                queue = SampleQueue(recording, [each.task for each in chosen], roles)
                function(queue, chosen, recording)
                return queue.outcomes()

        with ChatServer("A") as server:
            return log_of(Only(None), planned(server, count=count, options=options))

    return run


def tell(recording, job, key):
    """What a worker says of a sample that it has ended."""
    from inspect_ai.log import EvalSample

    from openbench.run.journal import sample_line

    sample = EvalSample(id=key[0], epoch=key[1], input="?", target="A")
    return SampleResult(job, key, recording.figures(job, sample), None, sample_line(job, sample))


def test_nothing_is_counted_twice(queue_of):
    def run(queue, _, recording):
        [(job, keys)] = queue.lease("slow", 3).items()
        told = [tell(recording, job, key) for key in keys]
        assert queue.complete("slow", told[0])
        assert queue.complete("slow", told[0])
        assert queue.requeue("slow", "nothing", blame=False) == 2
        queue.complete("slow", told[1])  # it was not dead after all
        while own := queue.lease("quick", 3):
            for job, keys in own.items():
                for key in keys:
                    queue.complete("quick", tell(recording, job, key))
        assert queue.over

    log = queue_of(5, run)
    assert log.status == "success"
    assert Counter(sample.id for sample in log.samples) == Counter(range(1, 6))


def test_a_damaged_line_is_not_recorded(queue_of):
    def run(queue, _, recording):
        [(job, keys)] = queue.lease(0).items()
        told = tell(recording, job, keys[0])
        wrong = [
            told._replace(line=told.line.replace(b'"?"', b'"!"')),
            told._replace(line=told.line[:-9]),
            told._replace(line=tell(recording, job, keys[1]).line),
        ]
        for each in wrong:
            with pytest.raises(LogError, match=r"^the sample 1 of .* was corrupted in transit, and is not rec"):
                queue.complete(0, each)
        assert queue.requeue(0, "", blame=False) == 3

    assert queue_of(3, run).samples == []


def test_what_kills_every_worker_is_found_by_halving(queue_of):
    def run(queue, chosen, recording):
        del chosen
        queue.divide(2)
        workers = 0
        while own := queue.lease(workers):
            [(job, keys)] = own.items()
            if (77, 1) not in keys:  # this one kills whoever has it, before anything has ended
                for key in keys:
                    queue.complete(workers, tell(recording, job, key))
            queue.requeue(workers, "signal 9 (SIGKILL)")
            workers += 1
        assert workers == 2 + 2 * 6

    log = queue_of(100, run, fail_on_error=False)
    assert (log.status, len(log.samples)) == ("success", 100)
    [failed] = [sample for sample in log.samples if sample.error]
    assert (failed.id, failed.error.message) == (77, "the process that ran this sample ended by signal 9 (SIGKILL)")


def test_workers_that_all_die_end(queue_of):
    def run(queue, chosen, recording):
        del chosen, recording
        workers = 0
        while queue.lease(workers):
            queue.requeue(workers, "exit code 1")
            workers += 1
        assert workers == 2 * MOST_FRUITLESS + 1

    log = queue_of(300, run, fail_on_error=False)
    assert len(log.samples) == 300
    assert all(sample.error for sample in log.samples)


def test_all_epochs_of_a_sample_are_in_one_piece(queue_of):
    def run(queue, chosen, recording):
        del chosen, recording
        queue.divide(3)
        pieces = [next(iter(queue.lease(worker).values())) for worker in range(3)]
        assert [sorted({id_ for id_, _ in piece}) for piece in pieces] == [[1, 4], [2, 5], [3]]
        assert [len(piece) for piece in pieces] == [4, 4, 2]
        for worker in range(3):
            queue.requeue(worker, "", blame=False)
        queue.divide(8)
        assert [len(queue.lease(worker)) for worker in range(9)] == [1] * 8 + [0]

    queue_of(5, run, epochs=2)


def test_of_many_jobs_each_begins_when_a_sample_of_it_has_ended(planned, monkeypatch):
    begun, begin = [], inspect_bootstrap.begin
    monkeypatch.setattr(inspect_bootstrap, "begin", lambda *given: begun.append(given) or begin(*given))
    monkeypatch.setattr(sample_queue, "BEGUN_AT_ONCE", 3)

    class Only(Elsewhere):
        def run_samples(self, chosen, roles, recording):
            own = SampleQueue(recording, [each.task for each in chosen], roles)
            own.divide(2)
            pieces = own.lease(0), own.lease(1)
            assert [len(piece) for piece in pieces] == [10, 10]  # a small job is not divided
            assert not pieces[0].keys() & pieces[1].keys()
            assert len(begun) == 3
            (first, [key, _]), *_, (last, _) = pieces[0].items()
            own.complete(0, tell(recording, first, key)._replace(job=last, line=None))
            assert len(begun) == 4
            monkeypatch.setattr(inspect_bootstrap, "begin", interrupt)
            (other, [key, _]), *_ = reversed(pieces[1].items())
            with pytest.raises(KeyboardInterrupt):
                own.complete(1, tell(recording, first, key)._replace(job=other, line=None))
            monkeypatch.setattr(inspect_bootstrap, "begin", refuse)
            assert len(own.outcomes("the workers are gone")) == 4  # what cannot begin costs the others nothing
            return own.outcomes()

    def interrupt(*_):
        raise KeyboardInterrupt

    def refuse(*_):
        raise OpenbenchError("refused")

    with ChatServer("A") as server:
        plan = planned(server, count=2)
        results = Only(None).execute(replace(plan, jobs=[*plan.jobs] * 20))
    assert sum(result.log is not None for result in results) == 4


def test_pieces_are_alike_whatever_the_sizes_of_jobs(planned):
    sizes = []

    class Only(Elsewhere):
        def run_samples(self, chosen, roles, recording):
            own = SampleQueue(recording, [each.task for each in chosen], roles)
            own.divide(2)
            sizes.extend(sum(map(len, own.lease(number).values())) for number in range(2))
            return own.outcomes()

    with ChatServer("A") as server:
        plan = planned(server)
        jobs = [replace(plan.jobs[0], task_args={"count": count}) for count in [1, 10] * 16]
        Only(None).execute(replace(plan, jobs=jobs))
    assert sum(sizes) == 176
    assert max(sizes) - min(sizes) <= 10


def test_a_sample_that_nobody_was_asked_for_is_an_error(queue_of):
    def run(queue, _, recording):
        [job] = queue.lease(0)
        text = f"a worker ended the sample 0 in epoch 1 of {job}, which is not part of this run"
        with pytest.raises(LogError, match=f"^{text}$"):
            queue.complete(0, tell(recording, job, (0, 1)))
        assert queue.requeue(0, "", blame=False) == 3

    assert queue_of(3, run).samples == []


def test_a_host_that_cannot_be_told_ends_a_part(planned):
    def deaf(_):
        raise ConnectionError("the host is gone")

    for engine in ENGINES:
        errors = []

        def run(queue, worker, part, errors=errors):
            del queue, worker
            try:
                run_shard(CATALOG, part, deaf)
            except OpenbenchError as error:
                errors.append(str(error))

        class Once(Elsewhere):
            def run_samples(self, chosen, roles, recording):
                queue = SampleQueue(recording, [each.task for each in chosen], roles)
                self.run(queue, 0, make_shard(recording.plan, chosen, queue.lease(0), Share(1, 0)))
                return queue.outcomes("gone")

        with ChatServer("A") as server:
            plan = replace(planned(server, engine, count=40), generate=GenerateOptions(max_connections=1))
            log_of(Once(run), plan)
            assert len(server.requests) < 20
        assert errors == ["cannot report a result to the host of this shard: the host is gone"]


# --- processes on this machine, on a model server -------------------------------------------------------------------

forking = pytest.mark.skipif(not CAN_FORK, reason="processes are divided on Linux only")


class AtOnce:
    """Answers slowly enough that requests overlap, and keeps how many did."""

    def __init__(self):
        self.now = self.most = 0
        self._lock = threading.Lock()

    def __call__(self, _):
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.05)
        with self._lock:
            self.now -= 1
        return "A"


@forking
@pytest.mark.parametrize("engine", ENGINES)
def test_processes_share_the_connections(planned, engine):
    answer = AtOnce()
    with ChatServer(answer) as server:
        plan = planned(server, engine, count=40, processes=2, generate=GenerateOptions(max_connections=4))
        log = log_of(LocalExecutor(CATALOG, display="none"), plan)
    assert log.status == "success"
    assert 3 <= answer.most <= 4
    assert log.eval.metadata["openbench"]["engine"]["processes"] == 2


@forking
def test_what_does_not_divide_evenly_is_used_as_well(planned):
    answer = AtOnce()
    with ChatServer(answer) as server:
        plan = planned(server, count=40, processes=2, generate=GenerateOptions(max_connections=3))
        log = log_of(LocalExecutor(CATALOG, display="none"), plan)
    assert (log.status, answer.most) == ("success", 3)


@forking
@pytest.mark.parametrize("engine", ENGINES)
def test_a_pause_that_one_process_is_told_holds_for_all(planned, engine):
    """A 429 with Retry-After: until it is over, nothing comes but what was on its way."""
    came = []

    def fault(_, number):
        came.append(time.monotonic())
        return Fault.rate_limit(2) if number == 8 else None

    with ChatServer(lambda _: time.sleep(0.02) or "A", faults=fault) as server:
        plan = planned(server, engine, count=40, processes=2, generate=GenerateOptions(max_connections=4))
        log = log_of(LocalExecutor(CATALOG, display="none"), plan)
    assert (log.status, len(log.samples)) == ("success", 40)
    told = came[8]
    during = [moment - told for moment in came if 0.8 < moment - told < 1.8]
    assert during == []
    assert max(came) - told > 1.9


@forking
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("processes", [1, 2])
def test_what_processes_left_another_number_of_them_continues(planned, engine, processes):
    faults = [Fault.status(400) if number % 5 == 4 else None for number in range(20)]
    with ChatServer("A", faults=faults) as server:
        options = {"fail_on_error": False, "epochs": 2}
        first = planned(server, engine, count=20, processes=3 - processes, options=options)
        log = log_of(LocalExecutor(CATALOG, display="none"), first)
        assert Counter(sample.error is None for sample in log.samples) == {True: 36, False: 4}
        asked = len(server.requests)
        whole = log_of(LocalExecutor(CATALOG, display="none"), replace(first, resume=run_of(log), processes=processes))
        assert len(server.requests) == asked + 4
    assert (whole.status, len(whole.samples), whole.results.completed_samples) == ("success", 40, 40)


SANDBOXED = ROWS.replace("scorer=includes())", "scorer=includes(), sandbox='local')").replace("rows", "boxed")


def test_what_cannot_be_divided(planned, tmp_path):
    (tmp_path / "boxed.py").write_text(SANDBOXED.replace('"Rows"', '"Boxed"'), "utf-8")
    with ChatServer("A") as server:
        plan = planned(server, processes=2)
        boxed = replace(plan, jobs=[replace(plan.jobs[0], benchmark=str(tmp_path / "boxed.py"))])
        with pytest.raises(UsageError) as caught:
            LocalExecutor(CATALOG, display="none").execute(boxed)
        assert str(caught.value) == (
            "boxed: --processes 2 cannot split it: each process would build and clean up its own sandboxes. Omit it."
        )
        with pytest.raises(UsageError, match=r"^rows: --processes 2 cannot split it: --display plain shows one proc"):
            LocalExecutor(CATALOG, display="plain").execute(plan)
        assert not server.requests
        assert not (tmp_path / "logs" / "runs").exists()
