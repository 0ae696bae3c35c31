"""COMET: translations judged by a trained model, from the source, the translation and a reference.

unbabel-comet needs torch, and versions of other libraries that openbench does not go with, so it runs in a process, by
the Python of an environment of its own.
"""

import asyncio
import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import OpenbenchError, UsageError
from openbench.scorers.matching import without_target
from openbench.scorers.reasons import unanswered
from openbench_scorers import comet_worker
from openbench_scorers.responses import response

DEFAULT = "Unbabel/wmt22-comet-da"

VARIABLE = "OPENBENCH_COMET_PYTHON"
"""The environment variable that names the Python of an environment with unbabel-comet; by default this one."""

Item = Mapping[str, str]

_HAS_COMET = "import importlib.util, sys; sys.exit(importlib.util.find_spec('comet') is None)"


class CometModel:
    """A COMET model that rates together what is waiting: while it is busy, requests gather for its next batch.

    Source: Rei et al. 2020, COMET: A neural framework for MT evaluation, arXiv 2009.09025, and its library.
    """

    def __init__(self, name: str) -> None:
        """Find the Python that runs the model, which is loaded with the first request.

        Args:
            name: A model of the Hub, or the path of a checkpoint.

        Raises:
            UsageError: That Python does not have unbabel-comet.
        """
        self._python, self._name = comet_python(), name
        self._waiting: list[tuple[Item, asyncio.Future[float]]] = []
        self._busy = False
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        atexit.register(self.close)

    async def scored(self, completion: str, source: str, text: str, references: Sequence[str]) -> Score:
        """Score a translation with the reference that it fits best; unscored if all are blank.

        Args:
            completion: The model's completion.
            source: The text that was translated.
            text: The translation in the completion.
            references: Other translations of it.
        """
        references = [each for each in references if each.strip()]
        if not references:
            return without_target(completion)
        items = ({"src": source, "mt": text, "ref": reference} for reference in references)
        rated = await asyncio.gather(*map(self.rate, items))
        return Score(value=max(rated), answer=text, reason=None if text else unanswered(completion))

    async def rate(self, item: Item) -> float:
        """Return the model's score of an item with the keys `src`, `mt` and `ref`.

        Raises:
            OpenbenchError: The model cannot be loaded, or fails.
        """
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if not self._busy:
            self._busy = True
            try:
                await asyncio.sleep(0)  # others that are ready, too, come along
                while self._waiting:
                    batch, self._waiting = self._waiting, []
                    await self._rate(batch)
            finally:
                self._busy = False
        return await future

    def close(self) -> None:
        """End the process; the next request starts another."""
        child, self._child = self._child, None
        if child:
            child.kill()
            child.communicate()  # closes the pipes, too

    async def _rate(self, batch: Sequence[tuple[Item, "asyncio.Future[float]"]]) -> None:
        open_ = [future for _, future in batch]
        try:
            scores = await asyncio.to_thread(self._asked, [dict(item) for item, _ in batch])
        except OpenbenchError as error:
            for future in open_:
                if not future.done():
                    future.set_exception(error)
        except BaseException:
            for future in open_:
                future.cancel()
            raise
        else:
            for future, score in zip(open_, scores, strict=True):
                if not future.done():
                    future.set_result(score)

    def _asked(self, items: Sequence[Item]) -> Sequence[float]:
        with self._lock:
            child = self._child or self._started()
            assert child.stdin  # noqa: S101 - a pipe, see below
            try:
                child.stdin.write(json.dumps(items) + "\n")
                child.stdin.flush()
            except OSError:
                pass  # it has ended, which its reply shows
            scores: Sequence[float] = self._replied(child)["scores"]
            return scores

    def _started(self) -> "subprocess.Popen[str]":
        child = self._child = subprocess.Popen(  # noqa: S603 - the user's own Python, with our file
            [self._python, "-P", comet_worker.__file__, self._name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="ascii",
        )
        try:
            self._replied(child)
        except OpenbenchError:
            self.close()  # the next request tries again, and finds the reason again
            raise
        return child

    def _replied(self, child: "subprocess.Popen[str]") -> dict[str, Any]:
        assert child.stdout  # noqa: S101 - a pipe, see above
        line = child.stdout.readline()
        ready = line.endswith("\n")
        reply: dict[str, Any] = json.loads(line) if ready else {"error": "its process has ended"}
        if not ready:
            self.close()
        if "error" in reply:
            raise OpenbenchError(f"COMET's {self._name}, run by {self._python}: {reply['error']}")
        return reply


def comet_python() -> str:
    """Return the Python that has unbabel-comet.

    Raises:
        UsageError: It does not have it, or does not exist.
    """
    python = os.environ.get(VARIABLE) or sys.executable
    try:
        has = subprocess.run([python, "-P", "-c", _HAS_COMET], check=False, capture_output=True).returncode == 0  # noqa: S603
    except OSError as error:
        raise UsageError(f"{VARIABLE}={python}: it cannot be run ({error.strerror}).") from error
    if has:
        return python
    example = Path("comet", "bin", "python")
    raise UsageError(
        f"COMET needs unbabel-comet, which {python} does not have. Install it into an environment of its own, since it "
        f"brings torch and an old numpy, and set {VARIABLE} to that environment's Python: "
        f"python -m venv comet && {example} -m pip install unbabel-comet && export {VARIABLE}=$PWD/{example}"
    )


@cache
def comet_model(name: str = DEFAULT) -> CometModel:
    """Return a model, of which there is one process; see `CometModel`."""
    return CometModel(name)


@scorer(metrics=[mean(), stderr()])
def comet(model: str = DEFAULT) -> Scorer:
    """Score a translation with a COMET model: about 0 to 1 for its default, higher is better.

    The source is the sample's metadata `source`, or else its whole input. Of several references the best one counts.

    Args:
        model: A model of the Hub, or the path of a checkpoint. `Unbabel/XCOMET-XL`, eval-framework's, needs its licence
            to be accepted there.

    Raises:
        UsageError: unbabel-comet is not installed.
    """
    judge = comet_model(model)

    async def score(state: TaskState, target: Target) -> Score:
        completion = state.output.completion
        text = " ".join(response(completion).split())
        source = str(state.metadata.get("source") or state.input_text)
        return await judge.scored(completion, source, text, list(target))

    return score
