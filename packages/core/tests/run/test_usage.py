"""What failed attempts took, and what tokens cost: none is missing in a log, whoever ran the samples."""

import re
import threading

import pytest
from inspect_ai.log import read_eval_log

from openbench.run.usage import KEY, attempts_of
from openbench_testing import ChatServer, Fault
from openbench_testing.chat.completions import Reply, usage
from openbench_testing.commands.warm import FIRST_PAUSE

TURNS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, user_message
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Turns", "Two turns.", "made", [], __name__, "turns")

@task
def turns() -> Task:
    samples = [Sample(id=f"t{n}", input=f"Turn one of {n}.", target="well") for n in range(4)]
    return Task(dataset=samples, solver=[generate(), user_message("Turn two."), generate()], scorer=includes())
"""
ENGINES = [
    ("direct", 1),
    pytest.param("direct", 2, marks=pytest.mark.stress),
    pytest.param("inspect", 1, marks=pytest.mark.stress),
    ("inspect", 2),
]


class Till:
    """A model that counts what its answers cost."""

    def __init__(self):
        self.tokens = 0
        self._lock = threading.Lock()

    def __call__(self, request):
        reply = Reply("All is well.")
        with self._lock:
            self.tokens += usage(request, reply)["total_tokens"]
        return reply


def second_turn_fails(*samples, times=1):
    """Make a script that spoils the second turn of samples so many times."""
    left = dict.fromkeys(samples, times)

    def fault(request, _number):
        [number] = re.findall(r"Turn one of (\d)", request.messages[0]["content"])
        if "Turn two." not in request.prompt or not left.get(int(number)):
            return None
        left[int(number)] -= 1
        return Fault.status(400)

    return fault


@pytest.fixture
def turns(tmp_path):
    (tmp_path / "turns.py").write_text(TURNS, "utf-8")
    return tmp_path


def evaluate(bench, folder, server, *more):
    model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--json"]
    done = bench("eval", "turns.py", *model, *more, cwd=folder)
    assert done.code == 0, done.err
    [result] = done.json()
    return result, read_eval_log(result["log"]), done.err


def tokens(log):
    return sum(used.total_tokens for used in log.stats.model_usage.values())


@pytest.mark.parametrize(("engine", "processes"), ENGINES)
def test_tokens_of_failed_attempts_are_in_the_log(bench, turns, engine, processes):
    till = Till()
    how = ["--engine", engine, "--processes", processes, "--retry-on-error=2"]
    with ChatServer(till, faults=second_turn_fails(0, 2, times=2)) as server:
        result, log, err = evaluate(bench, turns, server, *how)
    assert tokens(log) == till.tokens == result["input_tokens"] + result["output_tokens"]
    last = sum(used.total_tokens for sample in log.samples for used in sample.model_usage.values())
    assert last < till.tokens
    again = {sample.id: len(sample.error_retries) for sample in log.samples if sample.error_retries}
    assert again == {"t0": 2, "t2": 2}
    assert (result["run_again"], result["retries"], result["errors"]) == (2, 0, 0)
    assert "bench: turns: samples run again after an error: 2.\n" in err


@pytest.mark.parametrize(("engine", "processes"), ENGINES)
def test_tokens_of_samples_that_errored_are_in_the_log_of_the_resumed_run(bench, turns, engine, processes):
    till = Till()
    how = ["--engine", engine, "--processes", processes]
    with ChatServer(till, faults=second_turn_fails(1, 3)) as server:
        first, log, _ = evaluate(bench, turns, server, *how, "--no-fail-on-error")
        assert (first["errors"], tokens(log)) == (2, till.tokens)
        [run] = (turns / "logs" / "runs").iterdir()
        second, log, _ = evaluate(bench, turns, server, *how, "--resume", run)
    assert (second["errors"], second["completed"]) == (0, 4)
    assert tokens(log) == till.tokens


@pytest.mark.parametrize(("engine", "processes"), ENGINES)
def test_requests_that_were_sent_again_are_counted(bench, turns, engine, processes):
    left = [Fault.rate_limit(0.2), Fault.status(500)]

    def fault(request, _number):
        return left.pop() if "of 3." in request.messages[0]["content"] and left else None

    with ChatServer(Till(), faults=fault) as server:
        result, log, err = evaluate(bench, turns, server, "--engine", engine, "--processes", processes)
    samples = {sample.id: sample for sample in log.samples}
    assert [id_ for id_, sample in samples.items() if KEY in sample.store] == ["t3"]
    took = attempts_of(samples["t3"])
    assert (took["retries"], took["model_usage"], took["role_usage"]) == (2, {}, {})
    least, most = 0.75 * FIRST_PAUSE + 0.2, FIRST_PAUSE + 0.22  # with what the server asked for
    assert least - 0.001 <= took["waited"] <= most + 0.001
    assert (result["retries"], result["run_again"]) == (2, 0)
    assert result["waited"] == took["waited"]
    assert f"bench: turns: requests sent again: 2, after {took['waited']:.1f} s of waiting.\n" in err


def test_retries_of_all_attempts_are_counted(bench, turns):
    """The store of a sample is a new one in each attempt; what it is told of the earlier ones stays."""
    faults = [Fault.status(503), Fault.status(400), Fault.status(500)]
    took = []
    for engine in ("direct", "inspect"):
        left = list(faults)

        def fault(request, _number, left=left):
            return left.pop(0) if "of 0." in request.messages[0]["content"] and left else None

        with ChatServer(Till(), faults=fault) as server:
            result, log, _ = evaluate(bench, turns, server, "--engine", engine, "--retry-on-error", "--limit", "1")
        [sample] = log.samples
        took.append((attempts_of(sample)["retries"], len(sample.error_retries), result["retries"]))
    assert took == [(2, 1, 2), (2, 1, 2)]


def test_a_price_is_for_a_dry_run(bench, quiz):
    done = bench("eval", "quiz.py", "--baseline", "random", "--price", "2,8", cwd=quiz)
    text = "bench: --price needs --dry-run or --cost-limit.\n"
    assert (done.code, done.err) == (2, text)


def test_a_part_of_a_run_is_not_estimated(bench, quiz):
    assert bench("eval", "quiz.py", "--baseline", "random", cwd=quiz).code == 0
    done = bench("eval", "quiz.py", "--baseline", "random", "--resume", "logs", "--dry-run", cwd=quiz)
    assert done.code == 2
    assert done.err.endswith("bench: --dry-run estimates whole runs. Leave out --resume.\n")


def test_without_its_package_a_dry_run_names_it(bench, quiz):
    done = bench("eval", "quiz.py", "--baseline", "random", "--dry-run", cwd=quiz, OPENBENCH_PLUGINS="acme-nothing")
    start = "bench: bench eval --dry-run comes with openbench-dryrun: pip install openbench-dryrun"
    assert (done.code, done.out, done.err.startswith(start)) == (2, "", True)
