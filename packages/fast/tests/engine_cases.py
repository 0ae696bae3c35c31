"""What the tests of engines share: running a task with an engine, and what of two logs must be equal."""

import asyncio
import os
import signal
from contextlib import AbstractContextManager
from hashlib import sha256
from math import isnan
from pathlib import Path
from typing import Any
from uuid import uuid4

from inspect_ai import Task
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from openbench.run.engine import Engine, Engines, PreparedJob
from openbench.run.inspect_engine import InspectEngine
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan
from openbench.run.recording import RunRecording, record_run
from openbench.tasks.provenance import METADATA_KEY
from openbench_fast.engines import DirectEngine, ProcessesEngine

ENGINES: dict[str, type[Engine]] = {
    "direct": DirectEngine,
    "inspect": InspectEngine,
    "processes": ProcessesEngine,
}

_OF_SPEC = {"config", "dataset", "metrics", "model", "model_generate_config", "model_roles", "scorers", "task"}
_PASSING = {
    "completed_at",
    "events",
    "events_data",
    "id",
    "process",
    "response_id",
    "started_at",
    "time",
    "total_time",
    "uuid",
    "working_time",
}


class Oracle(ModelAPI):
    """Answers by a digest of what it is asked, with a letter, a number and a grade; fails where it is told to."""

    def __init__(self, model_name: str, **given: Any) -> None:
        super().__init__(model_name, **given)
        self.asked = self.at_once = self.most_at_once = 0
        self._failed: set[str] = set()

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - inspect's signature
        tools: list[ToolInfo],  # noqa: ARG002 - likewise
        tool_choice: ToolChoice,  # noqa: ARG002 - likewise
        config: GenerateConfig,
    ) -> ModelOutput:
        self.asked += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        _obey(input[-1].text)
        try:
            await asyncio.sleep(0.01 if self.model_name == "slow" else 0)
            return self._answer(input, config)
        finally:
            self.at_once -= 1

    def _answer(self, messages: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        said = "\n".join(f"{message.role}: {message.text}" for message in messages)
        if "please fail" in said:
            raise RuntimeError("the model fails, as it was asked to")
        if "Fail once" in said and said not in self._failed:
            self._failed.add(said)
            raise RuntimeError("the first attempt fails")
        number = sha256(f"{said}{config.max_tokens}{config.temperature}".encode()).digest()[0]
        output = ModelOutput.from_content(
            "oracle", f"{number}\n\nANSWER: {'ABC'[number % 3]}\n\nGRADE: {'CI'[number % 2]}"
        )
        output.metadata = {"process": os.getpid()}
        output.usage = ModelUsage(input_tokens=len(said), output_tokens=number, total_tokens=len(said) + number)
        return output


def _obey(text: str) -> None:
    """Send this process, or its host, the signal that a prompt asks for: `do SIGKILL once /flag`."""
    match text.split():
        case ["do", name, "once", flag] if not Path(flag).exists():
            Path(flag).touch()
            os.kill(os.getpid(), signal.Signals[name])
        case ["do", name, "always"]:
            os.kill(os.getpid(), signal.Signals[name])
        case ["do", name, "to", "host"]:
            os.kill(os.getppid(), signal.Signals[name])


@modelapi(name="oracle")
def oracle() -> type[ModelAPI]:
    return Oracle


def make_oracle(name: str = "oracle/m") -> Model:
    return get_model(name, memoize=False)


def made_ready(task: Task, model: Model) -> Task:
    """Give a task what `build_job` gives it."""
    task.model = model
    said = {"benchmark": "made", "reference": "made", "job": uuid4().hex, "identity": {"model": str(model)}}
    task.metadata = {**(task.metadata or {}), METADATA_KEY: said}
    return task


def run(
    engine: str,
    task: Task,
    log_dir: str,
    *,
    model: Model | None = None,
    roles: dict[str, Model] | None = None,
    generate: GenerateOptions | None = None,
    processes: int | None = None,
    **options: Any,
) -> EvalLog:
    """Run a task with an engine, and read what it wrote."""
    plan = Plan(
        jobs=[],
        options=EvalOptions(log_dir=log_dir, **options),
        generate=generate or GenerateOptions(),
        processes=processes,
    )
    ready = made_ready(task, model or make_oracle())
    several = processes is not None and processes > 1
    made = ENGINES["processes" if engine == "inspect" and several else engine](display="none")
    assert made.supports(ready, plan)
    with recorded(plan, ready) as recording:
        [log] = made.run([ready], roles or {}, recording).values()
    written = read_eval_log(log.location, resolve_attachments="full")
    assert told(written) == told(log)
    return log


def recorded(plan: Plan, task: Task) -> AbstractContextManager[RunRecording]:
    """Record a task that is ready, as the local executor does."""
    job = Job(benchmark="quiz", task_args={}, model=ModelSpec(name="none"))
    return record_run(plan, [PreparedJob(job, task, "direct")], Engines(display="none"))


def told(log: EvalLog) -> dict[str, Any]:
    """Return what of a log must not depend on the engine."""
    samples = sorted(log.samples or [], key=lambda sample: (sample.epoch, str(sample.id)))
    return {
        "status": log.status,
        "error": log.error.message if log.error else None,
        "spec": log.eval.model_dump(
            include={
                *["dataset", "scorers", "metrics", "config", "model", "model_generate_config", "model_roles", "task"]
            },
            exclude={"config": {"log_format", "log_realtime", "score_display"}},
        ),
        "plan": log.plan.model_dump(),
        "results": _plain(log.results.model_dump()) if log.results else None,
        "reductions": _reductions(log),
        "usage": _plain([log.stats.model_usage, log.stats.role_usage]),
        "samples": [told_of_sample(sample) for sample in samples],
    }


def told_of_sample(sample: EvalSample) -> dict[str, Any]:
    """Return what of a sample must not depend on the engine."""
    plain = sample.model_dump(exclude={"events", "attachments", "error", "error_retries"})
    failed = {
        "error": sample.error.message if sample.error else None,
        "retries": [retry.message for retry in sample.error_retries or ()],
    }
    messages = _plain(plain)
    return {"identity": (sample.id, sample.epoch), **messages, **failed}


def _reductions(log: EvalLog) -> Any:
    return [
        (each.scorer, each.reducer, sorted((str(s.sample_id), repr(_plain(s.value))) for s in each.samples))
        for each in log.reductions or ()
    ]


def _plain(value: Any) -> Any:
    """Take out what passes: times and generated ids; and make numbers that are none comparable."""
    if hasattr(value, "model_dump"):
        return _plain(value.model_dump())
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if key not in _PASSING}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return "nan" if isinstance(value, float) and isnan(value) else value
