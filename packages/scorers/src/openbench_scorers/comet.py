"""COMET: a trained model scores a translation, given the source and a reference.

unbabel-comet needs torch, and versions of other libraries that are incompatible with openbench. So it runs in a
separate process, with the Python of another environment.
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
"""The environment variable with the path of the Python that has unbabel-comet; by default, the current Python."""

Item = Mapping[str, str]

_HAS_COMET = "import importlib.util, sys; sys.exit(importlib.util.find_spec('comet') is None)"


class CometModel:
    """A COMET model that scores in batches: requests that arrive while it is busy are its next batch.

    Source: Rei et al. 2020, COMET: A neural framework for MT evaluation, arXiv 2009.09025, and its library.
    """

    def __init__(self, name: str) -> None:
        """Find the Python that runs the model; the model is loaded at the first request.

        Args:
            name: A model on the Hub, or the path of a checkpoint.

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
        """Score a translation against its best-matching reference; unscored if all are blank.

        Args:
            completion: The model's completion.
            source: The text that was translated.
            text: The translation in the completion.
            references: Reference translations.
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
                await asyncio.sleep(0)  # lets other requests that are ready join the batch
                while self._waiting:
                    batch, self._waiting = self._waiting, []
                    await self._rate(batch)
            finally:
                self._busy = False
        return await future

    def close(self) -> None:
        """End the process; the next request starts a new one."""
        child, self._child = self._child, None
        if child:
            child.kill()
            child.communicate()  # also closes the pipes

    async def _rate(self, batch: Sequence[tuple[Item, "asyncio.Future[float]"]]) -> None:
        open_ = [future for _, future in batch]
        try:
            scores = await asyncio.to_thread(self._request, [dict(item) for item, _ in batch])
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

    def _request(self, items: Sequence[Item]) -> Sequence[float]:
        with self._lock:
            child = self._child or self._start()
            assert child.stdin  # noqa: S101 - a pipe, see below
            try:
                child.stdin.write(json.dumps(items) + "\n")
                child.stdin.flush()
            except OSError:
                pass  # the process has ended, which reading its reply reports
            scores: Sequence[float] = self._read_reply(child)["scores"]
            return scores

    def _start(self) -> "subprocess.Popen[str]":
        child = self._child = subprocess.Popen(  # noqa: S603 - the user's own Python, with our file
            [self._python, "-P", comet_worker.__file__, self._name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="ascii",
        )
        try:
            self._read_reply(child)
        except OpenbenchError:
            self.close()  # the next request tries again
            raise
        return child

    def _read_reply(self, child: "subprocess.Popen[str]") -> dict[str, Any]:
        assert child.stdout  # noqa: S101 - a pipe, see above
        line = child.stdout.readline()
        ready = line.endswith("\n")
        reply: dict[str, Any] = json.loads(line) if ready else {"error": "the process has ended"}
        if not ready:
            self.close()
        if "error" in reply:
            raise OpenbenchError(f"COMET's {self._name}, run by {self._python}: {reply['error']}")
        return reply


def comet_python() -> str:
    """Return the Python that has unbabel-comet.

    Raises:
        UsageError: It lacks unbabel-comet, or does not exist.
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
        f"COMET needs unbabel-comet, which {python} does not have. Install it into a separate environment, since it "
        f"requires torch and an old numpy, and set {VARIABLE} to that environment's Python: "
        f"python -m venv comet && {example} -m pip install unbabel-comet && export {VARIABLE}=$PWD/{example}"
    )


@cache
def comet_model(name: str = DEFAULT) -> CometModel:
    """Return a model, with one process for each name; see `CometModel`."""
    return CometModel(name)


@scorer(metrics=[mean(), stderr()])
def comet(model: str = DEFAULT) -> Scorer:
    """Score a translation with a COMET model: about 0 to 1 for its default, higher is better.

    The source is the sample's metadata `source`, or else its whole input. Of several references, the best match counts.

    Args:
        model: A model on the Hub, or the path of a checkpoint. For `Unbabel/XCOMET-XL`, which eval-framework uses,
            accept its licence on the Hub first.

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
