"""The samples of a run: waiting, leased to a worker, or ended. How workers are reached is left to the caller."""

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalLog, EvalSample
from inspect_ai.model import Model

from openbench.errors import LogError, OpenbenchError
from openbench.run.build_job import job_id
from openbench.run.identity import SampleKey, ids_of, planned_keys
from openbench_fast.direct.runner import BEGUN_AT_ONCE
from openbench_fast.recording import HostRecording, SampleResult

MOST_FRUITLESS = 30
"""Number of workers that may die without having ended a sample; after that, samples are recorded as errors."""

_OF_A_PIECE = 8  # a job smaller than an eighth of a piece stays whole, since each of its processes must begin it

QueueKey = tuple[str, SampleKey]
"""A sample: the id of its job, its own id and its epoch."""


class SampleQueue:
    """The samples of a run: waiting, leased to a worker, or ended."""

    def __init__(self, recording: HostRecording, tasks: Sequence[Task], roles: Mapping[str, Model]) -> None:
        """Queue all samples to be run, and begin the first tasks; others begin when a sample has ended.

        Args:
            recording: The run.
            tasks: The tasks, from `build_job`.
            roles: Models by role.

        Raises:
            OpenbenchError: Inspect refuses to begin a task.
        """
        self._recording, self._roles = recording, roles
        self._tasks = {job_id(task): task for task in tasks}
        done, own = recording.done, self._tasks.items()
        todo = [
            (job, key)
            for job, task in own
            for key in planned_keys(task, recording.plan)
            if key not in done.get(job, ())
        ]
        self._queued = frozenset(todo)
        self._waiting: deque[list[QueueKey]] = deque([todo])
        self._out: dict[Hashable, dict[QueueKey, None]] = {}
        self._fruitful: set[Hashable] = set()
        self._fruitless = 0
        self._to_begin = dict.fromkeys(self._tasks)
        self._begin(list(self._tasks)[:BEGUN_AT_ONCE])

    @property
    def waiting(self) -> int:
        """The number of samples that no worker has."""
        return sum(map(len, self._waiting))

    @property
    def over(self) -> bool:
        """Whether every sample has ended, or is given up."""
        return not self.waiting and not any(self._out.values())

    @property
    def given_up(self) -> frozenset[str]:
        """The ids of jobs with too many failed samples."""
        return frozenset(job for job in self._tasks if not self._recording.goes_on(job))

    def divide(self, count: int) -> None:
        """Divide the waiting samples into `count` pieces; all epochs of a sample, and small jobs, stay in one piece."""
        places = [place for piece in self._waiting for place in piece]
        small = {job for job, keys in _by_job(places).items() if len(keys) * count * _OF_A_PIECE < len(places)}
        units = [job if job in small else (job, id_) for job, (id_, _) in places]
        sizes = Counter(units)
        loads, piece_of = [0] * count, dict[Hashable, int]()
        for unit, size in sizes.items():  # each into the smallest piece
            piece_of[unit] = loads.index(min(loads))
            loads[piece_of[unit]] += size
        pieces: list[list[QueueKey]] = [[] for _ in range(count)]
        for number, (unit, place) in enumerate(zip(units, places, strict=True)):
            pieces[piece_of[unit] if len(sizes) >= count else number % count].append(place)
        self._waiting = deque(filter(None, pieces))

    def lease(self, worker: Hashable, most: int | None = None) -> dict[str, list[SampleKey]]:
        """Lease samples to a worker.

        Args:
            worker: Its name, which may be reused once the worker has ended.
            most: The maximum number of samples; if None, one piece made by `divide`.

        Returns:
            The ids and epochs by job; empty if no sample is waiting.
        """
        given_up = self.given_up
        while self._waiting:
            piece = [place for place in self._waiting.popleft() if place[0] not in given_up]
            if most is not None and piece[most:]:
                self._waiting.appendleft(piece[most:])
                piece = piece[:most]
            if piece:
                self._out.setdefault(worker, {}).update(dict.fromkeys(piece))
                return _by_job(piece)
        return {}

    def complete(self, worker: Hashable, result: SampleResult) -> bool:
        """Record a sample that a worker has ended.

        A result is ignored if the worker does not hold the sample, because it was presumed dead or reported it before.

        Returns:
            Whether its job continues. If not, notify the workers that hold samples of it.

        Raises:
            LogError: It cannot be recorded, or was never queued.
        """
        if (result.job, result.key) not in self._queued:
            id_, epoch = result.key
            raise LogError(
                f"a worker ended the sample {id_!r} in epoch {epoch} of {result.job}, which is not part of this run"
            )
        own = self._out.get(worker, {})
        if (result.job, result.key) not in own:
            return self._recording.goes_on(result.job)
        self._begin([result.job])
        goes_on = self._recording.receive(result)
        del own[result.job, result.key]
        self._fruitful.add(worker)
        return goes_on

    def requeue(self, worker: Hashable, cause: str, *, blame: bool = True) -> int:
        """Requeue the unfinished samples of a worker that has died.

        If it had ended none, one of its samples may have killed it: they are divided into two pieces, to isolate a
        sample that kills every worker and record it as an error.

        Args:
            worker: The worker.
            cause: How it ended, for the error.
            blame: Whether a sample may be the cause; not if a machine was lost.

        Returns:
            The number of unfinished samples.

        Raises:
            LogError: An error cannot be recorded.
        """
        given_up = self.given_up
        rest = [place for place in self._out.pop(worker, {}) if place[0] not in given_up]
        fruitful = worker in self._fruitful
        self._fruitful.discard(worker)
        if not rest:
            return 0
        if fruitful or not blame:
            self._waiting.append(rest)
            return len(rest)
        self._fruitless += 1
        if len(rest) == 1 or self._fruitless > MOST_FRUITLESS:
            self._record_errors(rest, cause)
        else:
            half = len(rest) // 2
            self._waiting.extend([rest[:half], rest[half:]])
        return len(rest)

    def outcomes(self, error: str | None = None) -> Mapping[str, EvalLog]:
        """Return the log header of each job, with status and error; jobs that did not start have none.

        Args:
            error: Why the unfinished samples cannot run; if None, the run was interrupted.
        """
        with suppress(OpenbenchError) if error else nullcontext():  # one that cannot begin does not affect the others
            self._begin(self._tasks if error or self.over else ())
        outcomes = {job: self._recording.outcome(job) for job in self._tasks if job not in self._to_begin}
        for log in outcomes.values() if error else ():
            if log.status == "cancelled":
                log.status, log.error = "error", _error(error or "")
        return outcomes

    def _begin(self, jobs: Iterable[str]) -> None:
        """Create and record the log headers of jobs, unless done already."""
        # Imported here: Inspect announces the hooks that exist when the first model is created, and these are internal.
        from openbench_fast.inspect_bootstrap import begin  # noqa: PLC0415

        for job in jobs:
            if job in self._to_begin:
                self._recording.begin(job, begin(self._tasks[job], self._recording.plan, self._roles)[0])
                del self._to_begin[job]  # last, in case of an interrupt before

    def _record_errors(self, rest: Sequence[QueueKey], cause: str) -> None:
        error = _error(f"the process that ran this sample ended by {cause}")
        self._begin(job for job, _ in rest)
        for job, keys in _by_job(rest).items():
            task = self._tasks[job]
            samples = dict(zip(ids_of(task), task.dataset, strict=True))
            for key in keys:
                if not self._recording.ended(job, _unfinished(samples[key[0]], key, error)):
                    break


def _by_job(places: Iterable[QueueKey]) -> dict[str, list[SampleKey]]:
    found: defaultdict[str, list[SampleKey]] = defaultdict(list)
    for job, key in places:
        found[job].append(key)
    return dict(found)


def _error(message: str) -> EvalError:
    return EvalError(message=message, traceback=message, traceback_ansi=message)


def _unfinished(sample: Sample, key: SampleKey, error: EvalError) -> EvalSample:
    """Return the log entry of a sample that could not be run to its end."""
    return EvalSample(
        id=key[0],
        epoch=key[1],
        input=sample.input,
        choices=sample.choices,
        target=sample.target,
        description=sample.description,
        metadata=sample.metadata or {},
        error=error,
    )
