"""Runs `bench eval` against a server that fails in many ways, and counts what became of every sample.

    python benchmarks/faults.py [--samples 60] [--away 20] [--fault NAME …] [--engine direct …] [--processes 2 …]

A row is a fault and an engine: how often the fault was injected, how many samples there were, how many of them the log
has as scored and as ended in an error, how many it lacks (lost) or its journal has more than once (doubled), how many
requests arrived, and the seconds of the command. `again` stands for `--retry-on-error 2`, `stream` for
`-M stream=true`. Exits 1 if a row is not as it should be.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalLog, read_eval_log
from kills import TASK

from openbench.run.run_directory import RunDirectory
from openbench.run.run_files import read_lines
from openbench_testing import ChatRequest, ChatServer, Fault

CONNECTIONS = 8
EVERY = 6  # the first request of every so many samples fails
STORM = 24  # requests in a row that fail
SECONDS = 180
TIMEOUT = ("--timeout", "2")
AGAIN = ("--retry-on-error=2",)
STREAM = ("-M", "stream=true")


@dataclass(frozen=True)
class Kind:
    """A way in which a server fails.

    Attributes:
        fault: The fault; None for a server that goes away.
        options: Further options of `bench eval`.
        storm: Whether it meets the first requests one after another, not the first one of some samples.
        lasts: Whether a sample whose request met it ends in an error.
    """

    fault: Fault | None
    options: Sequence[str] = ()
    storm: bool = False
    lasts: bool = False


KINDS = {
    "429 storm": Kind(Fault.rate_limit(1), storm=True),
    "429 storm, date": Kind(Fault.rate_limit(1, as_date=True), storm=True),
    "500": Kind(Fault.status(500)),
    "502 storm": Kind(Fault.status(502), storm=True),
    "503": Kind(Fault.status(503)),
    "500, no retries": Kind(Fault.status(500), ("--max-retries", "0"), lasts=True),
    "400": Kind(Fault.status(400), lasts=True),
    "disconnect": Kind(Fault.disconnect()),
    "reset": Kind(Fault.reset()),
    "half-closed": Kind(Fault.half_closed()),
    "truncated": Kind(Fault.truncated()),
    "truncated, stream": Kind(Fault.truncated(), STREAM),
    "cut, stream": Kind(Fault.cut_stream(), STREAM),
    "reset, stream": Kind(Fault.reset(), STREAM),
    "silent": Kind(Fault.silent(), TIMEOUT, lasts=True),
    "silent, again": Kind(Fault.silent(), (*TIMEOUT, *AGAIN)),
    "slow drip": Kind(Fault.drip(1.5)),
    "no JSON": Kind(Fault.malformed()),
    "no JSON, no retries": Kind(Fault.malformed(), ("--max-retries", "0"), lasts=True),
    "empty": Kind(Fault.empty()),
    "error in choice": Kind(Fault.error_in_choice()),
    "error in body": Kind(Fault.error_in_body()),
    "web page": Kind(Fault.wrong_type(), ("--max-retries", "0"), lasts=True),
    "web page, again": Kind(Fault.wrong_type(), AGAIN),
    "no choices": Kind(Fault.no_choices()),
    "no choices, stream": Kind(Fault.no_choices(), STREAM),
    "server away": Kind(None),
}


class Script:
    """Says which request meets a fault."""

    def __init__(self, kind: Kind) -> None:
        self.injected = 0
        self._kind = kind
        self._met: set[int] = set()

    def __call__(self, request: ChatRequest, number: int) -> Fault | None:
        """Return the fault of a request."""
        asked = _asked(request)
        chosen = number < STORM if self._kind.storm else asked % EVERY == 0 and asked not in self._met
        if self._kind.fault is None or not chosen:
            return None
        self._met.add(asked)
        self.injected += 1
        return self._kind.fault


@dataclass(frozen=True)
class Row:
    """What a run came to."""

    fault: str
    engine: str
    processes: int
    injected: int
    samples: int
    scored: int
    errored: int
    lost: int
    doubled: int
    requests: int
    seconds: float
    good: bool


HEAD = [name for name in Row.__annotations__ if name != "good"]


def run(folder: Path, name: str, engine: str, processes: int, samples: int, away: float) -> Row:
    """Run a benchmark on a server with a fault."""
    kind = KINDS[name]
    script = Script(kind)
    logs = folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}-{engine}-{processes}"
    began = time.monotonic()
    with ChatServer(_remainder, faults=script) as server, _leaving(server, away if kind.fault is None else 0.0):
        done = _bench(folder, server, logs, kind, engine, processes, samples)
        requests = len(server.requests)
    seconds = time.monotonic() - began
    found = sorted(logs.glob("*.*"))
    if not found:
        raise SystemExit(f"{name}, {engine}: bench eval left no log:\n{done.stderr}")
    log = read_eval_log(str(found[-1]))
    scored = {sample.id for sample in log.samples or () if sample.scores and not sample.error}
    errored = {sample.id for sample in log.samples or () if sample.error}
    injected = script.injected if kind.fault else 1
    lost = samples - len(scored | errored)
    doubled = _doubled(logs, log)
    whole = not lost and not doubled and not scored & errored and done.returncode == 0
    return Row(
        fault=name,
        engine=engine,
        processes=processes,
        injected=injected,
        samples=samples,
        scored=len(scored),
        errored=len(errored),
        lost=lost,
        doubled=doubled,
        requests=requests,
        seconds=seconds,
        good=whole and injected > 0 and len(errored) == (injected if kind.lasts else 0) and _is_right(log),
    )


def _bench(
    folder: Path, server: ChatServer, logs: Path, kind: Kind, engine: str, processes: int, samples: int
) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("bench")), "eval", "numbers.py", "-T", f"count={samples}"]
    command += ["--model", "openai-api/local/m", "--model-base-url", server.base_url, "--no-fail-on-error"]
    command += ["--max-connections", str(CONNECTIONS), "--engine", engine, "--processes", str(processes)]
    return subprocess.run(
        [*command, "--log-dir", str(logs), *kind.options],
        cwd=folder,
        env={**os.environ, "LOCAL_API_KEY": "x"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@contextmanager
def _leaving(server: ChatServer, seconds: float) -> Iterator[None]:
    """Let a server die under the requests of a run, and come back after so many seconds."""
    over = threading.Event()

    def leave() -> None:
        while len(server.requests) < 2 * CONNECTIONS:
            if over.wait(0.005):
                return
        with server.away():
            time.sleep(seconds)

    thread = threading.Thread(target=leave)
    if seconds:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if seconds:
            thread.join()


def _doubled(logs: Path, log: EvalLog) -> int:
    """Count samples that the log or the journal has more than once."""
    [directory] = map(RunDirectory.open, (logs / "runs").iterdir())
    lines = [line for job in directory.jobs() for path in directory.journals(job.id) for line in read_lines(path)]
    journalled = Counter((line["id"], line["epoch"]) for line in lines if line["kind"] == "sample")
    logged = Counter((sample.id, sample.epoch) for sample in log.samples or ())
    return sum(count > 1 for count in [*journalled.values(), *logged.values()])


def _is_right(log: EvalLog) -> bool:
    """Whether every sample that was scored has the answer that the server gave to it."""
    scored = [sample for sample in log.samples or () if not sample.error]
    return all(sample.output.completion == f"It comes to {sample.target}" for sample in scored)


def _remainder(request: ChatRequest) -> str:
    time.sleep(0.02)
    return f"It comes to {_asked(request) % 7}"


def _asked(request: ChatRequest) -> int:
    return int(re.findall(r"What is (\d+)", request.prompt)[0])


def _line(values: Sequence[object]) -> str:
    widths = [max(map(len, [*KINDS, name])) if name == "fault" else max(len(name), 7) for name in HEAD]
    shown = [f"{value:.1f}" if isinstance(value, float) else str(value) for value in values]
    align: list[Callable[[str, int], str]] = [str.ljust, str.ljust, *[str.rjust] * (len(HEAD) - 2)]
    return "  ".join(put(text, width) for put, text, width in zip(align, shown, widths, strict=True))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--away", type=float, default=20.0, help="seconds for which a server is away")
    parser.add_argument("--fault", action="append", choices=KINDS)
    parser.add_argument("--engine", action="append", choices=["inspect", "direct"])
    parser.add_argument("--processes", action="append", type=int)
    given = parser.parse_args()
    rows = []
    print(_line(HEAD))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "numbers.py").write_text(TASK, "utf-8")
        for fault in given.fault or KINDS:
            for engine in given.engine or ["inspect", "direct"]:
                for processes in given.processes or [1, 2]:
                    rows.append(row := run(folder, fault, engine, processes, given.samples, given.away))
                    told = _line([getattr(row, name) for name in HEAD])
                    print(told if row.good else f"{told}  not as it should be", flush=True)
    lost, doubled = sum(row.lost for row in rows), sum(row.doubled for row in rows)
    injected, samples = sum(row.injected for row in rows), sum(row.samples for row in rows)
    print(f"{len(rows)} runs, {injected} faults, {samples} samples: {lost} lost, {doubled} doubled")
    return 0 if all(row.good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
