"""`bench` in separate processes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._warm = subprocess.Popen(
            [sys.executable, "-m", "openbench_testing.commands.warm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        write_quiz(folder)
        self.quiz = folder / "quiz.py"
        with ChatServer("Answer: A") as server:
            first = self("eval", "quiz.py", *local_model(server), cwd=folder)
        assert first.code == 0, first.err

    def __call__(
        self, *arguments: object, cwd: Path, seconds: int = 60, user: int | None = None, **variables: str
    ) -> Done:
        """Run `bench` with arguments, in a directory, with environment variables besides the usual ones.

        As root, it may be run as another user, to whom permissions mean something.
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
        """Run `bench`, with its variables in a mapping."""
        self._count += 1
        output = self._folder / str(self._count)
        request = {
            "arguments": [str(argument) for argument in arguments],
            "cwd": str(cwd),
            "environment": {**environment(self._folder), **variables},
            "output": str(output),
            "seconds": seconds,
            "user": user,
        }
        assert self._warm.stdin
        assert self._warm.stdout
        self._warm.stdin.write(json.dumps(request) + "\n")
        self._warm.stdin.flush()
        code = int(self._warm.stdout.readline())
        out, err = (output.with_suffix(f".{name}").read_text("utf-8") for name in ("out", "err"))
        assert code >= 0, f"bench ended by signal {-code} ({seconds} s are its limit)\n{out}\n{err}"
        return Done(code, out, err)

    def close(self) -> None:
        """End the warm process."""
        self._warm.communicate(timeout=60)


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
