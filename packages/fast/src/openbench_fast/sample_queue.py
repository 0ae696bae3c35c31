"""Who runs which samples of a run's jobs, and what has become of them; nothing here knows how workers are reached."""

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
"""Workers that may die before they end a sample: after so many, samples are recorded as errors."""

_OF_A_PIECE = 8  # a job of less than an eighth is in one piece, since each process that has some of it begins it

QueueKey = tuple[str, SampleKey]
"""A sample: the id of its job, its own id and its epoch."""


class SampleQueue:
    """What is waiting, what is out with a worker, and what has ended."""

    def __init__(self, recording: HostRecording, tasks: Sequence[Task], roles: Mapping[str, Model]) -> None:
        """Enter all samples of tasks that are to run, and begin the first tasks; others begin when a sample has ended.

        Args:
            recording: The run.
            tasks: The tasks, as `build_job` makes them.
            roles: Models by role.

        Raises:
            OpenbenchError: inspect refuses to begin a task.
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
        self._asked = frozenset(todo)
        self._waiting: deque[list[QueueKey]] = deque([todo])
        self._out: dict[Hashable, dict[QueueKey, None]] = {}
        self._fruitful: set[Hashable] = set()
        self._fruitless = 0
        self._to_begin = dict.fromkeys(self._tasks)
        self._begin(list(self._tasks)[:BEGUN_AT_ONCE])

    @property
    def waiting(self) -> int:
        """How many samples no worker has."""
        return sum(map(len, self._waiting))

    @property
    def over(self) -> bool:
        """Whether every sample has ended, or is given up."""
        return not self.waiting and not any(self._out.values())

    @property
    def given_up(self) -> frozenset[str]:
        """The ids of jobs of which too many samples failed."""
        return frozenset(job for job in self._tasks if not self._recording.goes_on(job))

    def divide(self, count: int) -> None:
        """Divide what is waiting into so many pieces, with all epochs of a sample, or a small job, in one of them."""
        places = [place for piece in self._waiting for place in piece]
        small = {job for job, keys in _by_job(places).items() if len(keys) * count * _OF_A_PIECE < len(places)}
        units = [job if job in small else (job, id_) for job, (id_, _) in places]
        sizes = Counter(units)
        loads, piece_of = [0] * count, dict[Hashable, int]()
        for unit, size in sizes.items():  # each into the piece that has least
            piece_of[unit] = loads.index(min(loads))
            loads[piece_of[unit]] += size
        pieces: list[list[QueueKey]] = [[] for _ in range(count)]
        for number, (unit, place) in enumerate(zip(units, places, strict=True)):
            pieces[piece_of[unit] if len(sizes) >= count else number % count].append(place)
        self._waiting = deque(filter(None, pieces))

    def lease(self, worker: Hashable, most: int | None = None) -> dict[str, list[SampleKey]]:
        """Hand samples to a worker.

        Args:
            worker: What names it. One that has ended may be named again.
            most: How many at most; without it, a whole piece of those that `divide` made.

        Returns:
            By job, the ids and epochs; nothing if no sample is waiting.
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

    def complete(self, worker: Hashable, told: SampleResult) -> bool:
        """Record a sample that a worker ended.

        What the worker does not have, since it was thought to be dead or has said it before, is not recorded again.

        Returns:
            Whether its job goes on. Where it does not, workers that have samples of it are to be told.

        Raises:
            LogError: It cannot be recorded, or is none that any worker was asked for.
        """
        if (told.job, told.key) not in self._asked:
            id_, epoch = told.key
            raise LogError(
                f"a worker ended the sample {id_!r} in epoch {epoch} of {told.job}, which is none of this run"
            )
        own = self._out.get(worker, {})
        if (told.job, told.key) not in own:
            return self._recording.goes_on(told.job)
        self._begin([told.job])
        goes_on = self._recording.receive(told)
        del own[told.job, told.key]
        self._fruitful.add(worker)
        return goes_on

    def requeue(self, worker: Hashable, cause: str, *, blame: bool = True) -> int:
        """Take back what a worker that is no more has not ended; others will run it.

        If it had ended nothing, one of its samples may be what killed it: they are divided into two pieces, so that a
        sample which kills every worker is soon alone. Such a one is recorded as an error.

        Args:
            worker: The worker.
            cause: What became of it, for the error.
            blame: Whether a sample may be the reason; not if a machine was lost.

        Returns:
            How many samples it leaves.

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
        """Return by job the head of its log, with status and error; not of jobs that an interrupt kept from beginning.

        Args:
            error: Why samples that have not ended never will; without it, the run was interrupted.
        """
        with suppress(OpenbenchError) if error else nullcontext():  # one that cannot begin costs the others nothing
            self._begin(self._tasks if error or self.over else ())
        outcomes = {job: self._recording.outcome(job) for job in self._tasks if job not in self._to_begin}
        for log in outcomes.values() if error else ():
            if log.status == "cancelled":
                log.status, log.error = "error", _error(error or "")
        return outcomes

    def _begin(self, jobs: Iterable[str]) -> None:
        """Make the heads of the logs of jobs, and record them, if that has not been done."""
        # Imported here: inspect announces the hooks that exist when the first model is made, and ours are no news.
        from openbench_fast.inspect_bootstrap import begin  # noqa: PLC0415

        for job in jobs:
            if job in self._to_begin:
                self._recording.begin(job, begin(self._tasks[job], self._recording.plan, self._roles)[0])
                del self._to_begin[job]  # last, since an interrupt may come before

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
    """Return what the log says of a sample that something kept from being run to its end."""
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
