"""Processes that handle one request at a time, and are killed on timeout.

They run libraries that may hang: a timeout by signal works only in the main thread, and one by thread leaves the
computation running. A killed process is replaced.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
from typing import Any

from openbench.errors import OpenbenchError

_SECONDS_TO_START = 120.0


class Workers:
    """Processes of one module, started on demand, at most one per core."""

    def __init__(self, module: str) -> None:
        """Create the pool without starting a process.

        Args:
            module: The module that each process runs. It writes a line of JSON to stdout when it is ready, and one for
                each line of JSON on stdin.
        """
        self._module = module
        self._slots = threading.BoundedSemaphore(os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._process = os.getpid()
        atexit.register(self.close)

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Send a request, from any thread, and wait for its reply.

        Args:
            request: A JSON-serialisable value.
            seconds: The timeout, from the moment a process receives the request.

        Returns:
            The reply; None if it timed out, or if the request killed the process.

        Raises:
            OpenbenchError: No process can be started.
        """
        with self._slots:
            worker = self._take()
            reply = None
            try:
                reply = worker.ask(request, seconds)
            finally:
                if reply is None:
                    worker.kill()
                else:
                    self._give_back(worker)
            return reply

    def close(self) -> None:
        """End the idle processes."""
        while self._idle and self._process == os.getpid():
            self._idle.pop().kill()

    def _take(self) -> "_Worker":
        with self._lock:
            if self._process != os.getpid():
                # After a fork, those processes belong to the parent.
                self._idle, self._process = [], os.getpid()
            if self._idle:
                return self._idle.pop()
        return _Worker(self._module)

    def _give_back(self, worker: "_Worker") -> None:
        with self._lock:
            self._idle.append(worker)


class _Worker:
    """One process."""

    def __init__(self, module: str) -> None:
        # -P: a file in the current directory must not shadow a library.
        self._child = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
        )
        if self._read(_SECONDS_TO_START) is None:
            self.kill()
            raise OpenbenchError(
                f"{module} does not start in a process of its own. To see why, run: {sys.executable} -P -m {module}"
            )

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        assert self._child.stdin  # noqa: S101 - a pipe, see above
        try:
            self._child.stdin.write(json.dumps({**request, "seconds": seconds}) + "\n")
            self._child.stdin.flush()
        except OSError:
            return None
        return self._read(seconds)

    def kill(self) -> None:
        self._child.kill()
        # Also closes the pipes.
        self._child.communicate()

    def _read(self, seconds: float) -> dict[str, Any] | None:
        assert self._child.stdout  # noqa: S101 - a pipe, see above
        # Unlike waiting for pipes, this works on every platform: killing a process ends its output.
        timer = threading.Timer(seconds, self._child.kill)
        timer.start()
        try:
            line = self._child.stdout.readline()
        finally:
            timer.cancel()
        reply: dict[str, Any] | None = json.loads(line) if line.endswith("\n") else None
        return reply
