"""Kills runs at random moments and resumes them: what was journalled is reused, nothing is lost, nothing is doubled.

    python benchmarks/kills.py [--moments 50] [--samples 200] [--seed 0] [--engine inspect --engine direct]

A row is a moment: how many requests the model had answered, how many samples were in the journal (and so how many
answers were not), how many the resumed run reused and ran, how many journalled ones its log lacks (lost) or ran again
(doubled), and whether its score and samples are those of an undisturbed run. Exits 1 if a row is not as it should be.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalLog, read_eval_log

from openbench.run.journal import RunDirectory
from openbench.run.journal.journal import Key, answered
from openbench_testing import ChatRequest, ChatServer

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
    answered: int
    journalled: int
    reused: int
    rerun: int
    lost: int
    doubled: int
    equal: bool

    @property
    def good(self) -> bool:
        """Whether it is as it should be."""
        whole = self.reused == self.journalled and not self.lost and not self.doubled and self.equal
        return whole and self.answered - self.journalled <= UNRECORDED_MOST


def bench(arguments: Sequence[str], folder: str) -> None:
    """Run a command line in this process, with its output in a file."""
    os.chdir(folder)
    os.environ["LOCAL_API_KEY"] = "x"
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
            return self._run(self._command(server, engine, "undisturbed"), "undisturbed")

    def killed(self, moment: int, engine: str, chance: random.Random, whole: EvalLog) -> Row:
        """Kill a run, resume it, and compare."""
        name = f"{engine}-{moment}"
        with ChatServer(remainder) as server:
            command = self._command(server, engine, name)
            child = self._start(command)
            after = chance.randrange(1, self._samples)
            while len(server.requests) < after and child.is_alive():
                time.sleep(0.0005)
            time.sleep(chance.random() * 0.04)
            child.kill()
            child.join()
            if not server.requests:
                raise SystemExit(f"bench {' '.join(command)} failed:\n{self._output()}")
            before = [_number(request) for request in server.requests]
            [run] = (self._folder / name / "runs").iterdir()
            kept = _journalled(run)
            log = self._run([*command, "--resume", str(run)], name)
            again = [f"n{_number(request)}" for request in server.requests[len(before) :]]
        held = {sample.id for sample in log.samples or ()}
        return Row(
            moment=moment,
            engine=engine,
            answered=len(before),
            journalled=len(kept),
            reused=self._samples - len(again),
            rerun=len(again),
            lost=sum(id_ not in held for id_, _ in kept),
            doubled=sum((id_, 1) in kept for id_ in again) + len(again) - len(set(again)),
            equal=_outcome(log) == _outcome(whole),
        )

    def _command(self, server: ChatServer, engine: str, logs: str) -> list[str]:
        model = ["--model", "openai-api/local/m", "--model-base-url", server.base_url]
        more = ["--engine", engine, "--max-connections", str(CONNECTIONS), "-T", f"count={self._samples}"]
        return ["eval", "numbers.py", *model, *more, "--log-dir", logs, "--processes", "1"]

    def _start(self, command: Sequence[str]) -> multiprocessing.process.BaseProcess:
        child = self._processes.Process(target=bench, args=(command, str(self._folder)))
        child.start()
        return child

    def _run(self, command: Sequence[str], logs: str) -> EvalLog:
        began = time.time()
        child = self._start(command)
        child.join(SECONDS)
        if child.exitcode != 0:
            raise SystemExit(f"bench {' '.join(command)} failed:\n{self._output()}")
        [log] = [path for path in (self._folder / logs).glob("*.*") if path.stat().st_mtime >= began]
        return read_eval_log(str(log))

    def _output(self) -> str:
        return (self._folder / "output.txt").read_text("utf-8")


def _imported(folder: Path) -> list[str]:
    """Return the modules that a run imports, but what inspect announces when it is there before the first model."""
    arguments = ["eval", "numbers.py", "--baseline", "constant", "-T", "count=1", "--log-dir", "first"]
    code = f"import json, sys; from openbench.cli.main import run; run({arguments}); print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    names: list[str] = json.loads(done.stdout.splitlines()[-1])
    return [name for name in names if not name.endswith(("hooks", "header", "__main__")) and "local_" not in name]


def _journalled(run: Path) -> set[Key]:
    directory = RunDirectory.open(run)
    return {key for job in directory.jobs() for key in answered(directory, job.id)}


def _outcome(log: EvalLog) -> object:
    scores = [each.model_dump() for each in log.results.scores] if log.results else []
    samples = [(sample.id, sample.epoch, sample.output.completion, sample.target) for sample in log.samples or ()]
    return log.status, json.dumps(scores, default=str), samples


def _number(request: ChatRequest) -> int:
    return int(re.findall(r"What is (\d+)", request.prompt)[0])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", action="append", choices=["inspect", "direct"])
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - moments are no secrets
    rows = []
    head = ("moment", "engine", "answered", "journalled", "reused", "rerun", "lost", "doubled", "equal")
    print("  ".join(head))
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder), given.samples)
        for engine in given.engine or ["inspect", "direct"]:
            whole = trial.undisturbed(engine)
            for moment in range(1, given.moments + 1):
                rows.append(row := trial.killed(moment, engine, chance, whole))
                values = [str(getattr(row, name)) for name in head]
                print("  ".join(value.rjust(len(name)) for value, name in zip(values, head, strict=True)), flush=True)
    unrecorded = max(row.answered - row.journalled for row in rows)
    lost, doubled = sum(row.lost for row in rows), sum(row.doubled for row in rows)
    print(f"{len(rows)} kills: {lost} lost, {doubled} doubled, at most {unrecorded} answered ones unrecorded")
    return 0 if all(row.good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
