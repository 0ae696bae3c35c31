"""Runs one sample: its solvers, its scorers, and its log entry."""

import asyncio
import time
from collections.abc import Iterable
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalError, EvalRetryError, EvalSample, condense_sample, transcript
from inspect_ai.model import ChatMessage, ChatMessageUser, GenerateConfig, execute_tools
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import Generate, TaskState
from inspect_ai.util import turn_limit

from openbench_fast.direct.setting import Setting
from openbench_fast.failure import error_of
from openbench_fast.inspect_private import enter_sample
from openbench_retries.attempts import Attempts, by_model, by_role, current


async def run_sample(setting: Setting, sample: Sample, epoch: int) -> EvalSample:
    """Run a sample in one epoch, and retry it on failure if so configured.

    Call it in a separate context, since Inspect records the requests there.

    Returns:
        Its log entry. An error of a solver, a model or a scorer is recorded, never raised.
    """
    attempts = Attempts()
    current.set(attempts)
    transcript()  # creates the context's transcript, which also records requests sent by a solver's own tasks
    attempt = Attempt(setting, sample, epoch)
    failed: list[EvalRetryError] = []
    while True:
        ended = await attempt.run()
        if ended.error is None or len(failed) == setting.retries:
            ended.error_retries = failed
            ended.store |= attempts.stored()
            return ended
        attempts.failed(ended.model_usage, ended.role_usage)
        failed.append(EvalRetryError(**ended.error.model_dump()))
        attempt = Attempt(setting, sample, epoch, uuid=ended.uuid, before=len(requests()))


class Attempt:
    """One attempt at a sample."""

    def __init__(
        self, setting: Setting, sample: Sample, epoch: int, *, uuid: str | None = None, before: int = 0
    ) -> None:
        """Prepare an attempt; `before` is the number of requests made by earlier attempts."""
        self._setting = setting
        self._sample = sample.model_copy(deep=True)  # solvers may modify it
        self._before = before
        self._state = _state_of(setting, self._sample, epoch, uuid)
        self._scores: dict[str, Score] = {}
        self._turns = 0

    async def run(self) -> EvalSample:
        """Run the attempt, and return its log entry."""
        started, clock = datetime.now(UTC), time.monotonic()
        error = None
        try:
            await self._solve()
            await self._score()
        except Exception as failure:  # noqa: BLE001 - any exception of a benchmark's code is this sample's error
            error = error_of(failure)
        except asyncio.CancelledError as failure:
            if _is_cancelled():
                raise
            error = error_of(failure)
        return self._record(started, time.monotonic() - clock, error)

    async def _solve(self) -> None:
        generate = generate_of(self._setting)
        state = self._state
        enter_sample(state, self._setting.scorers.values(), Target(self._sample.target))
        with turn_limit(None) as turns:
            try:
                for step in self._setting.steps:
                    state = await step(state, generate)
                    if state.completed:
                        break
            finally:
                self._turns = int(turns.usage)
        self._state = state
        state.completed = True

    async def _score(self) -> None:
        target = Target(self._sample.target)
        self._state.scores = {}
        enter_sample(self._state, self._setting.scorers.values(), target)  # a solver may have returned another state
        for name, scorer in self._setting.scorers.items():
            score = await scorer(self._state, target)
            if score is not None:
                self._state.scores[name] = self._scores[name] = _checked(name, score)

    def _record(self, started: datetime, seconds: float, error: EvalError | None) -> EvalSample:
        sample, state = self._sample, self._state
        events = requests()[self._before :]
        sample_log = EvalSample(
            id=state.sample_id,
            epoch=state.epoch,
            input=sample.input,
            choices=sample.choices,
            target=sample.target,
            description=sample.description,
            metadata=state.metadata,
            messages=list(state.messages),
            output=state.output,
            scores=self._scores,
            store=dict(state.store.items()),
            uuid=state.uuid,
            model_usage=by_model(events),
            role_usage=by_role(events),
            turn_count=self._turns,
            started_at=started.isoformat(),
            completed_at=datetime.now(UTC).isoformat(),
            total_time=round(seconds, 3),
            working_time=round(max(0.0, seconds - waited(events)), 3),
            error=error,
            events=list(events),
        )
        # Repeated messages are written once, as in Inspect; with a single request, condensing would save nothing.
        repeats = len(events) > 1 or (events and not isinstance(sample.input, str))
        return condense_sample(sample_log) if repeats else sample_log


def _checked(scorer: str, score: object) -> Score:
    if not isinstance(score, Score):
        raise TypeError(f"the scorer {scorer} returned {score!r}: expected a Score or None")
    return score


def _is_cancelled() -> bool:
    """Return whether this sample is being cancelled; a `CancelledError` raised by a benchmark's code is its error."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _state_of(setting: Setting, sample: Sample, epoch: int, uuid: str | None) -> TaskState:
    return TaskState(
        model=setting.model_name,
        sample_id=0 if sample.id is None else sample.id,
        epoch=epoch,
        input=sample.input,
        messages=_messages(sample),
        target=Target(sample.target),
        choices=sample.choices,
        metadata=sample.metadata or {},
        sample_uuid=uuid,
    )


def _messages(sample: Sample) -> list[ChatMessage]:
    if isinstance(sample.input, str):
        return [ChatMessageUser(content=sample.input, source="input")]
    messages = deepcopy(sample.input)
    for message in messages:
        message.source = "input"
    return messages


def generate_of(setting: Setting) -> Generate:
    """Return a function that calls the model and appends its answer to the state, like Inspect's `generate`."""

    async def generate(
        state: TaskState, tool_calls: Literal["loop", "single", "none"] = "loop", **given: Any
    ) -> TaskState:
        given = {name: value for name, value in given.items() if value is not None}
        config = setting.config.merge(GenerateConfig(**given)) if given else setting.config  # merging is slow
        cache = {"cache": given["cache"]} if given.get("cache") else {}
        while True:
            state.output = await setting.model.generate(
                state.messages, tools=state.tools, tool_choice=state.tool_choice, config=config, **cache
            )
            message = state.output.message
            state.messages.append(message)
            if state.completed or tool_calls == "none" or not message.tool_calls:
                return state
            # There are no tools: as in Inspect, the answer to a tool call says so.
            messages, output = await execute_tools(state.messages, state.tools, config.max_tool_output)
            state.messages.extend(messages)
            if output is not None:
                state.output = output
            if tool_calls == "single":
                return state

    return generate


def requests() -> list[ModelEvent]:
    """Return the requests made in this context, including failed ones."""
    return [event for event in transcript().events if isinstance(event, ModelEvent)]


def waited(events: Iterable[ModelEvent]) -> float:
    """Return the seconds that requests waited for a connection or a retry."""
    return sum(map(_waited, events))


def _waited(event: ModelEvent) -> float:
    if event.completed is None or event.working_time is None:
        return 0.0
    return max(0.0, (event.completed - event.timestamp).total_seconds() - event.working_time)
