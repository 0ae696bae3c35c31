"""`bench` in separate processes."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from openbench_testing.chat import ChatServer
from openbench_testing.commands.quiz import write_quiz


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return its stdout, which must be only JSON."""
        return json.loads(self.out)


class Bench:
    """Runs `bench` command lines, each in a process forked from one that has already imported everything."""

    def __init__(self, folder: Path, preload: Iterable[str] = ()) -> None:
        """Write the quiz into a folder, which commands also use for their caches and outputs.

        Args:
            folder: The folder.
            preload: Further modules to import once for all commands.
        """
        self._folder = folder
        self._count = 0
        write_quiz(folder)
        self.quiz = folder / "quiz.py"
        _answered(_warm(), {"import": [*preload]})

    def __call__(
        self, *arguments: object, cwd: Path, seconds: int = 60, user: int | None = None, **variables: str
    ) -> Done:
        """Run `bench` with arguments, in a directory, with additional environment variables.

        Root can run it as another user, to whom permissions apply.
        """
        return self.run(arguments, variables, cwd=cwd, seconds=seconds, user=user)

    def run(
        self,
        arguments: Iterable[object],
        variables: Mapping[str, str],
        *,
        cwd: Path,
        seconds: int = 60,
        user: int | None = None,
    ) -> Done:
        """Run `bench`, with its environment variables in a mapping."""
        self._count += 1
        output = self._folder / str(self._count)
        given = {**environment(self._folder), **variables}
        return _forked(_warm(), arguments, given, output, cwd=cwd, seconds=seconds, user=user)


@cache
def _warm() -> subprocess.Popen[str]:
    """Start the process from which commands are forked, one for all tests, and let it evaluate once."""
    warm = subprocess.Popen(
        [sys.executable, "-m", "openbench_testing.commands.warm"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(warm.communicate)
    with tempfile.TemporaryDirectory() as name, ChatServer("Answer: A") as server:
        folder = Path(name)
        write_quiz(folder)
        arguments = ["eval", "quiz.py", *local_model(server)]
        first = _forked(warm, arguments, environment(folder), folder / "first", cwd=folder, seconds=60, user=None)
    assert first.code == 0, first.err
    return warm


def _forked(
    warm: subprocess.Popen[str],
    arguments: Iterable[object],
    variables: Mapping[str, str],
    output: Path,
    *,
    cwd: Path,
    seconds: int,
    user: int | None,
) -> Done:
    request = {
        "arguments": [str(argument) for argument in arguments],
        "cwd": str(cwd),
        "environment": variables,
        "output": str(output),
        "seconds": seconds,
        "user": user,
    }
    code = _answered(warm, request)
    out, err = (output.with_suffix(f".{name}").read_text("utf-8") for name in ("out", "err"))
    assert code >= 0, f"bench was ended by signal {-code} (its limit is {seconds} s)\n{out}\n{err}"
    return Done(code, out, err)


def _answered(warm: subprocess.Popen[str], request: Mapping[str, Any]) -> int:
    """Send a line to the warm process, and return its numeric answer."""
    assert warm.stdin
    assert warm.stdout
    warm.stdin.write(json.dumps(request) + "\n")
    warm.stdin.flush()
    return int(warm.stdout.readline())


def local_model(server: ChatServer) -> list[str]:
    """Return the options that evaluate a local server's model."""
    return ["--model", "openai-api/local/m", "--model-base-url", server.base_url]


def environment(folder: Path) -> dict[str, str]:
    """Return this process's variables without those that affect `bench`, and with a key for local servers."""
    steering = ("BENCH_", "INSPECT_", "HF_", "PYTEST_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(steering) and not k.endswith("_API_KEY")}
    own = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data"), "COLUMNS": "80"}
    return {**kept, **own, "LOCAL_API_KEY": "x", "NO_COLOR": "1"}


def fresh(*arguments: object, folder: Path, cwd: Path, seconds: int = 100, **variables: str) -> Done:
    """Run `bench` in a fresh process, which takes seconds: for effects that a warm process could hide."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("bench")), *map(str, arguments)],
        cwd=cwd,
        env={**environment(folder), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    return Done(done.returncode, done.stdout, done.stderr)
