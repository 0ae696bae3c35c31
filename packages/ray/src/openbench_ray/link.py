"""Starts the process that is the driver of Ray, and speaks with it."""

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
_PATIENCE = 15.0  # seconds for the driver to cancel what runs
_QUIET = {
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # else workers would be started as this process was
    "RAY_LOG_TO_DRIVER": "0",
    "RAY_DEDUP_LOGS": "0",
}


class Link:
    """The driver, seen from `bench eval`; as a context, it has ended when the context has.

    Attributes:
        log: What Ray writes, in a folder that does not last.
    """

    def __init__(self) -> None:
        """Start the driver. It has a session of its own, so that a terminal's Ctrl-C reaches this process alone."""
        self._folder = tempfile.TemporaryDirectory(prefix="openbench-ray-")
        self.log = Path(self._folder.name, "ray.log")
        self._connection, there = Pipe()
        with there, self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own driver
                [sys.executable, "-P", "-c", _START, str(there.fileno())],
                cwd=self._folder.name,  # Ray tells workers of it
                env={**os.environ, **_QUIET},
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def send(self, message: Any) -> None:
        """Say something to the driver; what it does not hear any more is lost."""
        try:
            self._connection.send(message)
        except OSError:
            return  # `receive` says so

    def receive(self) -> Any:
        """Wait for what the driver says.

        Raises:
            OpenbenchError: It failed, or is no more.
        """
        try:
            message = self._connection.recv()
        except (EOFError, OSError) as error:
            code = self._process.wait()
            end = f"signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"exit code {code}"
            raise OpenbenchError(f"Ray has ended its driver ({end}): the node here has left the cluster.") from error
        if isinstance(message, Failed):
            raise OpenbenchError(message.message)
        return message

    def close(self) -> None:
        """End everything that runs on the cluster, and the driver."""
        self.send(Stop())
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the cluster ends what a dead driver has left
            self._process.wait()
        finally:
            self._connection.close()
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
