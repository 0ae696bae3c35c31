"""Starts the Ray driver process, and communicates with it."""

import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, Self

from openbench.errors import OpenbenchError
from openbench_ray.messages import Failed, Stop

_START = "import sys; from openbench_ray.driver import main; sys.exit(main(int(sys.argv[1])))"
_PATIENCE = 15.0  # seconds that the driver has to cancel tasks
_QUIET = {
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # else workers would be started with this process's `uv run` command
    "RAY_LOG_TO_DRIVER": "0",
    "RAY_DEDUP_LOGS": "0",
}


class Link:
    """The connection from `bench eval` to the driver. A context manager, which ends the driver on exit.

    Attributes:
        log: Ray's output, in a temporary folder.
    """

    def __init__(self) -> None:
        """Start the driver in a separate session, so that a terminal's Ctrl-C reaches only this process."""
        self._folder = tempfile.TemporaryDirectory(prefix="openbench-ray-")
        self.log = Path(self._folder.name, "ray.log")
        self._connection, there = Pipe()
        with there, self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - this package's driver
                [sys.executable, "-P", "-c", _START, str(there.fileno())],
                cwd=self._folder.name,  # Ray passes it on to workers
                env={**os.environ, **_QUIET},
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def send(self, message: Any) -> None:
        """Send a message to the driver; it is dropped if the driver has ended."""
        try:
            self._connection.send(message)
        except OSError:
            return  # `receive` reports it

    def receive(self) -> Any:
        """Wait for a message from the driver.

        Raises:
            OpenbenchError: It failed, or has ended.
        """
        try:
            message = self._connection.recv()
        except (EOFError, OSError) as error:
            code = self._process.wait()
            end = f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"
            raise OpenbenchError(f"Ray has ended its driver ({end}): this node has left the cluster.") from error
        if isinstance(message, Failed):
            raise OpenbenchError(message.message)
        return message

    def close(self) -> None:
        """Stop everything on the cluster, and the driver."""
        self.send(Stop())
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the cluster ends the tasks of a dead driver
            self._process.wait()
        finally:
            self._connection.close()
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
