"""Kills runs at random moments and resumes them: what was journalled is reused, nothing is lost, nothing is doubled.

    python benchmarks/kills.py [--moments 50] [--samples 200] [--seed 0] [--engine inspect] [--kill one --kill host]

Each resumption is of files that were last written four days ago, by a user with another home, after another run into
the same log directory.

A row is a moment: what was killed (a run in `one` process; the `host` of two, which end with it; a `child` of two,
whose samples the other runs; or a run, and then the command that resumes it: `again`), how many requests the model had
answered by then, how many samples were in the journal (and so how many answers were not), how many the resumed run
reused and ran, how many journalled ones its log lacks (lost) or ran again (doubled), and whether its score and samples
are those of an undisturbed run. Exits 1 if a row is not as it should be.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from itertools import cycle, islice
from pathlib import Path

from inspect_ai.log import EvalLog, read_eval_log

from openbench.run.identity import SampleKey
from openbench.run.journal import read_journal
from openbench.run.run_directory import RunDirectory
from openbench.tasks.provenance import Provenance
from openbench_testing import ChatRequest, ChatServer

RESUMED = "resumed"
"""The key of the command that resumes, which tells its requests from those of a process that was killed."""

KILLS = {"one": 1, "host": 2, "child": 2, "again": 1}
"""What is killed, and how many processes share the samples."""

CONNECTIONS = 8
UNRECORDED_MOST = 50
SECONDS = 120

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Numbers", "Remainders.", "made", [], __name__, "numbers")

@task
def numbers(count: int = 200) -> Task:
    samples = [Sample(id=f"n{n}", input=f"What is {n} modulo 7?", target=str(n % 7)) for n in range(count)]
    return Task(dataset=samples, scorer=match())
"""


@dataclass(frozen=True)
class Row:
    """What a kill and a resumption came to."""

    moment: int
    engine: str
    kill: str
    answered: int
    journalled: int
    unrecorded: int
    reused: int
    rerun: int
    lost: int
    doubled: int
    equal: bool

    @property
    def good(self) -> bool:
        """Whether it is as it should be."""
        whole = self.reused == self.journalled and not self.lost and not self.doubled and self.equal
        return whole and self.unrecorded <= UNRECORDED_MOST


def bench(arguments: Sequence[str], folder: str, key: str) -> None:
    """Run a command line in this process, with its output in a file and its requests under this key."""
    os.chdir(folder)
    os.environ["LOCAL_API_KEY"] = key
    if key == RESUMED:
        os.environ["HOME"] = str(Path(folder, "other-home"))
    output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    from openbench.cli.main import run  # noqa: PLC0415 - the parent has no use for it

    os._exit(run(arguments))


def remainder(request: ChatRequest) -> str:
    """Answer after a moment, and wrongly now and then."""
    number = int(re.findall(r"What is (\d+)", request.prompt)[0])
    time.sleep(0.005 + number % 5 / 200)
    return str(number % 7 if number % 11 else 0)


class Trial:
    """Runs in processes that a server with everything imported forks, so that a start takes no seconds."""

    def __init__(self, folder: Path, samples: int) -> None:
        """Write the benchmark."""
        self._folder = folder
        self._samples = samples
        (folder / "numbers.py").write_text(TASK, "utf-8")
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(_imported(folder))

    def undisturbed(self, engine: str) -> EvalLog:
        """Run without a kill."""
        with ChatServer(remainder) as server:
            self._run(self._command(server, engine, "undisturbed", 1))
        [run] = (self._folder / "undisturbed" / "runs").iterdir()
        return _log_of(run)

    def killed(self, moment: int, kill: str, engine: str, chance: random.Random, whole: EvalLog) -> Row:
        """Kill a run, resume it, and compare."""
        name = f"{engine}-{moment}"
        with ChatServer(remainder) as server:
            command = self._command(server, engine, name, KILLS[kill])
            self._kill(command, server, chance, child=kill == "child")
            [run] = (self._folder / name / "runs").iterdir()
            command += ["--resume", str(run)]
            first, unrecorded = len(_journalled(run)), _unrecorded(server, _journalled(run))
            if kill == "again" and first < self._samples:
                self._kill(command, server, chance)
                unrecorded = max(unrecorded, _unrecorded(server, _journalled(run)) - unrecorded)
            kept, answered = _journalled(run), len(server.requests)
            self._run(self._command(server, engine, name, 1, count=1), key="another")
            _age(run.parent.parent)
            self._run(command, key=RESUMED)
            log = _log_of(run)
            again = [_id(request) for request in server.requests if request.headers["authorization"].endswith(RESUMED)]
        held = Counter((sample.id, sample.epoch) for sample in log.samples or ())
        return Row(
            moment=moment,
            engine=engine,
            kill=kill,
            answered=answered,
            journalled=len(kept),
            unrecorded=unrecorded,
            reused=self._samples - len(again),
            rerun=len(again),
            lost=sum(key not in held for key in kept),
            doubled=sum((id_, 1) in kept for id_ in again) + len(again) - len(set(again)) + max(held.values()) - 1,
            equal=_outcome(log) == _outcome(whole),
        )

    def _kill(self, command: Sequence[str], server: ChatServer, chance: random.Random, *, child: bool = False) -> None:
        """Start a command, kill it or a process of its own at a random moment, and wait for all of them to end."""
        before = len(server.requests)
        process = self._start(command)
        after = before + chance.randrange(1, max(2, self._samples - before))
        while len(server.requests) < after and process.is_alive():
            time.sleep(0.0005)
        time.sleep(chance.random() * 0.04)
        with _awaited(() if child else _children(process.pid)):
            if child:
                with suppress(ProcessLookupError, IndexError):  # it is over
                    os.kill(chance.choice(list(_children(process.pid))), signal.SIGKILL)
            else:
                process.kill()
            process.join(SECONDS)
        if len(server.requests) == before and before < self._samples:
            raise SystemExit(f"bench {' '.join(command)} failed:\n{self._output()}")

    def _command(
        self, server: ChatServer, engine: str, logs: str, processes: int, *, count: int | None = None
    ) -> list[str]:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        more = ["--engine", engine, "--max-connections", str(CONNECTIONS), "-T", f"count={count or self._samples}"]
        return ["eval", "numbers.py", *model, *more, "--log-dir", logs, "--processes", str(processes)]

    def _start(self, command: Sequence[str], key: str = "first") -> multiprocessing.process.BaseProcess:
        child = self._processes.Process(target=bench, args=(command, str(self._folder), key))
        child.start()
        return child

    def _run(self, command: Sequence[str], key: str = "first") -> None:
        child = self._start(command, key)
        child.join(SECONDS)
        if child.exitcode != 0:
            raise SystemExit(f"bench {' '.join(command)} failed:\n{self._output()}")

    def _output(self) -> str:
        return (self._folder / "output.txt").read_text("utf-8")


def _log_of(run: Path) -> EvalLog:
    """Return the newest log of a run; the names of logs begin with their time."""
    for log in sorted(map(str, run.parent.parent.glob("*.*")), reverse=True):
        if Provenance.of(read_eval_log(log, header_only=True)).run.endswith(run.name):
            return read_eval_log(log)
    raise SystemExit(f"{run} has no log")


def _imported(folder: Path) -> list[str]:
    """Return the modules that a run imports, but what inspect announces when it is there before the first model."""
    arguments = ["eval", "numbers.py", "--baseline", "constant", "-T", "count=1", "--log-dir", "first"]
    code = f"import json, sys; from openbench.cli.main import run; run({arguments}); print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return [
        name
        for name in names
        if not name.endswith(("hooks", "inspect_bootstrap", "backoff", "__main__")) and "local_" not in name
    ]


def _children(pid: int | None) -> Iterator[int]:
    """Yield the processes that a process has started, and those of these (Linux)."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text("utf-8").split()):
            yield child
            yield from _children(child)


@contextmanager
def _awaited(processes: Iterable[int]) -> Iterator[None]:
    """Wait, when the context ends, until these processes have ended, whoever started them (Linux)."""
    ends = []
    for process in processes:
        with suppress(ProcessLookupError):
            ends.append(os.pidfd_open(process))
    yield
    for end in ends:
        select.select([end], [], [], SECONDS)
        os.close(end)


def _age(folder: Path) -> None:
    """Let files look as if they had last been written four days ago."""
    then = time.time() - 4 * 24 * 3600
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


def _unrecorded(server: ChatServer, kept: set[SampleKey]) -> int:
    return len({_id(request) for request in server.requests} - {str(id_) for id_, _ in kept})


def _journalled(run: Path) -> set[SampleKey]:
    directory = RunDirectory.open(run)
    return {key for job in directory.jobs() for key in read_journal(directory, job.id).completed}


def _outcome(log: EvalLog) -> object:
    scores = [each.model_dump() for each in log.results.scores] if log.results else []
    # Inspect reads the samples of a log in its format in another order.
    samples = {(sample.id, sample.epoch): (sample.output.completion, sample.target) for sample in log.samples or ()}
    return log.status, json.dumps(scores, default=str), samples


def _id(request: ChatRequest) -> str:
    [number] = re.findall(r"What is (\d+)", request.prompt)
    return f"n{number}"


def _total(name: str, rows: Sequence[Row]) -> str:
    lost, doubled = sum(row.lost for row in rows), sum(row.doubled for row in rows)
    unequal, unrecorded = sum(not row.equal for row in rows), max(row.unrecorded for row in rows)
    return (
        f"{name}: {len(rows)} kills, {lost} lost, {doubled} doubled, {unequal} unequal, at most {unrecorded} answered "
        "ones unrecorded"
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", action="append", choices=["inspect", "direct"])
    parser.add_argument("--kill", action="append", choices=list(KILLS))
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - moments are no secrets
    rows = []
    head = [field.name for field in fields(Row)]
    print("  ".join(head))
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder), given.samples)
        for engine in given.engine or ["inspect", "direct"]:
            whole = trial.undisturbed(engine)
            kills = islice(cycle(given.kill or KILLS), given.moments)
            for moment, kill in enumerate(kills, 1):
                rows.append(row := trial.killed(moment, kill, engine, chance, whole))
                values = [str(getattr(row, name)) for name in head]
                print("  ".join(value.rjust(len(name)) for value, name in zip(values, head, strict=True)), flush=True)
    for engine, kill in sorted({(row.engine, row.kill) for row in rows}):
        print(_total(f"{engine}, {kill}", [row for row in rows if (row.engine, row.kill) == (engine, kill)]))
    print(_total("all", rows))
    return 0 if all(row.good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
