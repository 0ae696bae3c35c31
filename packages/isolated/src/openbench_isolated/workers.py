"""Runs `openbench_isolated.worker` in an environment, forwards interrupts to it, and reads its answers."""

import contextlib
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from openbench.errors import OpenbenchError
from openbench.redaction import secret_variables
from openbench_isolated.answers import Description, Outcome, read_description, read_outcomes
from openbench_isolated.children import child_variables
from openbench_isolated.environments import Environment

_STDERR = 2
_WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True)
class Answer:
    """The outcome of a plan in an environment.

    Attributes:
        outcomes: The outcome of each job.
        error: Why there are none; a `UsageError` if the worker refused the plan.
        interrupted: Whether the user interrupted it.
    """

    outcomes: Sequence[Outcome] = ()
    error: OpenbenchError | None = None
    interrupted: bool = False


def ask(environment: Environment, reference: str) -> Description:
    """Look up a benchmark in an environment.

    Raises:
        UsageError: The environment does not have it.
        OpenbenchError: The worker died.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.json")
        done = subprocess.run(  # noqa: S603 - this package's worker
            _command(environment, "find", answer, reference),
            env=child_variables(without=secret_variables()),
            stdin=subprocess.DEVNULL,
            stdout=_STDERR,
            start_new_session=True,
            check=False,
        )
        if not answer.exists():
            end = _end(done.returncode)
            raise OpenbenchError(f"{reference}: its environment cannot be queried: {end}. Remove {environment.folder}.")
        return read_description(answer.read_text("utf-8"))


def execute(environment: Environment, plan: str, display: str) -> Answer:
    """Run a plan, as JSON from `plan_to_json`, in an environment.

    The worker runs in a separate session, so a terminal's Ctrl-C reaches only this process. It is forwarded to the
    worker, which logs its samples before it ends.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer, path = Path(folder, "answer.json"), Path(folder, "plan.json")
        path.touch(mode=0o600)  # a provider's arguments may contain a key
        path.write_text(plan, "utf-8")
        with _Interrupts() as interrupts:
            code = _run(_command(environment, "execute", answer, path, display), interrupts)
        interrupted = interrupts.count > 0
        if not answer.exists():
            lost = OpenbenchError(f"{_end(code)} before it returned a result. Its logs are in the log directory.")
            return Answer(error=lost, interrupted=interrupted)
        try:
            return Answer(read_outcomes(answer.read_text("utf-8")), interrupted=interrupted)
        except OpenbenchError as error:
            return Answer(error=error, interrupted=interrupted)


class _Interrupts:
    """Forwards each SIGINT of this process to a worker, once."""

    def __init__(self) -> None:
        self.count = 0
        self._sent = 0
        self._worker: subprocess.Popen[bytes] | None = None
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # only the main thread receives signals
            before = signal.signal(signal.SIGINT, self._count)
            self._stack.callback(signal.signal, signal.SIGINT, before)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def reach(self, worker: subprocess.Popen[bytes]) -> None:
        """Send a worker the signals received so far and all later ones."""
        self._worker = worker
        self._send()

    def _count(self, *_: object) -> None:
        self.count += 1
        self._send()

    def _send(self) -> None:
        while self._worker and self._sent < self.count:
            self._sent += 1
            self._worker.send_signal(signal.SIGINT)


def _run(command: Sequence[str], interrupts: _Interrupts) -> int:
    # The worker treats the end of its stdin as the end of this process, however it ended.
    with subprocess.Popen(  # noqa: S603 - this package's worker
        command, env=child_variables(), stdin=subprocess.PIPE, stdout=_STDERR, start_new_session=True
    ) as worker:
        interrupts.reach(worker)
        return worker.wait()


def _command(environment: Environment, *arguments: str | Path) -> list[str]:
    # -P keeps the working directory off sys.path, as in a local run.
    return [str(environment.python), "-P", str(_WORKER), *map(str, arguments)]


def _end(code: int) -> str:
    return (
        f"its process was killed by {signal.Signals(-code).name}"
        if code < 0
        else f"its process exited with code {code}"
    )
