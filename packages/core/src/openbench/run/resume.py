"""Resumes a run: plans what is missing, and decides which recorded samples its tasks reuse."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from inspect_ai import Task
from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, UsageError
from openbench.redaction import REDACTED
from openbench.registry.benchmark import Benchmark
from openbench.registry.names import is_path
from openbench.run import progress
from openbench.run.engine import Engines, PreparedJob
from openbench.run.identity import (
    CONTENT_KEY,
    PRICES,
    Identity,
    SampleKey,
    answer_args,
    changed_parts,
    differences,
    ids_of,
    planned_keys,
)
from openbench.run.journal import Journal, JournalWriter
from openbench.run.log_redaction import redact_written
from openbench.run.logs import logs_of_jobs, read_log
from openbench.run.paths import is_remote
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan, options_of
from openbench.run.run_directory import RUNS, RecordedJob, RunDirectory
from openbench.tasks import provenance
from openbench.tasks.provenance import Provenance

if TYPE_CHECKING:
    from openbench.run.recording import RunRecording

FindBenchmark = Callable[[str, str | None], Benchmark]
Recover = Callable[[RunDirectory, str], Journal]

_PER_SAMPLE = {"dataset", "limits"}
"""Parts of an identity that are compared sample by sample: by digests of their content, and limits they reached."""
_REPEAT = "which was not saved. Repeat the run's whole command with --resume."


def resume_plan(
    find: FindBenchmark,
    directory: RunDirectory,
    *,
    overrides: Mapping[str, Any],
    jobs: Collection[str] | None = None,
    rerun_changed: bool = False,
) -> Plan:
    """Return the plan that runs what is missing from a run.

    By default these are all its jobs, including those that were planned and never started. The overrides are fields of
    `EvalOptions` and `GenerateOptions`.
    """
    name = str(directory.path)
    plans = directory.plans()
    newest = plans[-1]
    wanted = [record for record in directory.jobs() if jobs is None or record.id in jobs]
    planned = [(job, record.identity) for record in wanted if (job := _planned_job(record, plans))]
    if jobs is None:
        planned += [(job, {}) for job in unstarted_jobs(plans, directory.job_records())]
    return replace(
        newest,
        jobs=[_resumed_job(find, name, job, identity) for job, identity in planned],
        model_roles={role: _without_secrets(spec, name) for role, spec in newest.model_roles.items()},
        options=options_of(EvalOptions, {**newest.options, "log_dir": log_dir_of(directory, newest), **overrides}),
        generate=options_of(GenerateOptions, {**newest.generate, **overrides}),
        suites=next((plan.suites for plan in reversed(plans) if plan.suites), ()) if jobs is None else (),
        resume=str(directory.path),
        rerun_changed=rerun_changed,
        run=None,
    )


def log_dir_of(directory: RunDirectory, plan: Plan) -> str:
    """Return the log directory: the remote one of the plan, else the one of the run, which may have moved."""
    before = plan.options.get("log_dir", "")
    folder = directory.path.parent
    return before if is_remote(before) else str(folder.parent if folder.name == RUNS else folder)


def unstarted_jobs(plans: Sequence[Plan], records: Sequence[RecordedJob]) -> list[Job]:
    """Return jobs that were planned and not recorded: their rows could not be loaded, or a crash came first."""
    started = [job for record in records for plan in plans if (job := _planned_job(record, [plan]))]
    planned = {(job.benchmark, job.model.name): job for plan in plans for job in plan.jobs}
    return [planned[key] for key in planned if key not in {(job.benchmark, job.model.name) for job in started}]


def _planned_job(record: RecordedJob, plans: Sequence[Plan]) -> Job | None:
    """Return the job of the newest plan that has it; if several versions were planned, that of the recorded one."""
    names = {record.benchmark, f"{record.benchmark}=={record.identity.get('version')}"}
    for plan in reversed(plans):
        same_benchmark = [job for job in plan.jobs if job.benchmark in names]
        same_model = [job for job in same_benchmark if job.model.name == record.model]
        if same_model or len(same_benchmark) == 1:
            return (same_model or same_benchmark)[0]
    return None


def _resumed_job(find: FindBenchmark, name: str, job: Job, identity: Mapping[str, Any]) -> Job:
    try:
        benchmark = find(job.benchmark, identity.get("version"))
    except UsageError as error:
        way_out = ""
        if is_path(job.benchmark):
            way_out = " If it has moved, repeat the run's whole command with --resume."
        elif identity.get("distribution"):
            ran_with = f"{identity['distribution']} {identity['version']}"
            way_out = f"\nIt ran with {ran_with}: install that, or run bench eval again."
        raise UsageError(f"{name} cannot be resumed: {error}{way_out}") from error
    signature = benchmark.signature()
    if gone := [argument for argument in job.task_args if signature and not signature.accepts(argument)]:
        raise UsageError(
            f"{name} cannot be resumed: {benchmark.key} no longer takes {', '.join(gone)}. Run bench eval again."
        )
    if secret := [argument for argument, value in job.task_args.items() if REDACTED in str(value)]:
        raise UsageError(f"{name}: -T {secret[0]} is a secret, {_REPEAT}")
    return replace(job, benchmark=benchmark.reference, resolved=benchmark, model=_without_secrets(job.model, name))


def _without_secrets(spec: ModelSpec, name: str) -> ModelSpec:
    """Return a model without redacted arguments: its provider finds the key in the environment."""
    if REDACTED in (spec.base_url or ""):
        raise UsageError(f"{name}: the base URL of {spec.name} contains a secret, {_REPEAT}")
    if secret := [key for key, value in answer_args(spec.args).items() if REDACTED in str(value)]:
        raise UsageError(f"{name}: -M {secret[0]} of {spec.name} contains a secret, {_REPEAT}")
    return replace(spec, args={key: value for key, value in spec.args.items() if REDACTED not in str(value)})


@dataclass(frozen=True)
class Match:
    """A task and the job of the run that it resumes, perhaps only planned, and how their identities differ."""

    task: Task
    job: RecordedJob
    identity: Identity
    changed: Sequence[str]
    started: bool = True

    @property
    def benchmark(self) -> str:
        """The benchmark's name."""
        return Provenance.of(self.task).benchmark

    @property
    def keeps_nothing(self) -> bool:
        """Whether none of the job's samples can be reused."""
        return not _PER_SAMPLE.issuperset(self.changed)

    @property
    def differences(self) -> str:
        """What has changed, with both values."""
        return "; ".join(differences(self.job.identity, self.identity))


def match_jobs(directory: RunDirectory, plan: Plan, tasks: Sequence[Task]) -> list[Match]:
    """Match each task with the job that it resumes, or with a new one if the run has none of its benchmark left.

    Pairs with the fewest differences are matched first, in whatever order the tasks come: no task discards the samples
    of a job that another task could reuse.

    Raises:
        UsageError: Something that samples depend on has changed, and the plan does not rerun it.
    """
    own = [RecordedJob.of(task) for task in tasks]
    pairs = [
        (number, Match(task, job, record.identity, changed_parts(job.identity, record.identity)))
        for number, (task, record) in enumerate(zip(tasks, own, strict=True))
        for job in directory.jobs()
        if job.identity["benchmark"] == record.identity["benchmark"]
    ]
    found: dict[int, Match] = {}
    taken = set()
    for number, pair in sorted(pairs, key=lambda each: (each[1].keeps_nothing, len(each[1].changed))):
        if number not in found and pair.job.id not in taken:
            found[number] = pair
            taken.add(pair.job.id)
    matches = [
        found.get(number) or Match(task, record, record.identity, (), started=False)
        for number, (task, record) in enumerate(zip(tasks, own, strict=True))
    ]
    changed = [each for each in matches if each.changed]
    if changed and not plan.rerun_changed:
        named = [f"{each.benchmark}: {each.differences}" if len(matches) > 1 else each.differences for each in changed]
        raise UsageError(
            f"{directory.path} cannot be resumed, since its samples would not be comparable: {'; '.join(named)}. Run "
            "bench eval again, or add --rerun-changed to rerun what has changed."
        )
    return matches


def _continue_job(directory: RunDirectory, match: Match, recover: Recover) -> RecordedJob:
    """Record and return the job that a task continues.

    A job that has changed is replaced by a new one, which gets the samples that have not changed.
    """
    if not match.changed:
        job = replace(match.job, benchmark=Provenance.of(match.task).reference)
        if not match.started or job != match.job:  # a local eval may have been moved
            directory.add_jobs(job)
        return job
    job = RecordedJob.of(match.task, replaces=match.job.id)
    if not match.keeps_nothing:
        # The journal comes before the record: one without a record is never read, so if this command is killed in
        # between, the next one finds the old job with all its samples.
        kept = _unchanged_samples(match, recover(directory, match.job.id))
        with JournalWriter(directory.path) as writer:
            for sample in kept:
                writer.append(job.id, sample)
    directory.add_jobs(job)
    return job


def restore_samples(recording: "RunRecording", prepared: Sequence[PreparedJob], engines: Engines) -> None:
    """Give a recording the completed samples and logs of the run that it resumes."""
    directory, plan = recording.directory, recording.plan
    matches = match_jobs(directory, plan, [each.task for each in prepared])
    for each, match in zip(prepared, matches, strict=True):
        recover = engines.get(each.engine).recover
        job = _continue_job(directory, match, recover)
        provenance.record(each.task, job=job.id)
        journal = recover(directory, job.id)
        for message in journal.damage:
            progress.note(f"bench: {message}")
        wanted = planned_keys(each.task, plan)
        recording.done[job.id] = journal.completed & set(wanted)
        missing = [key for key in wanted if key not in recording.done[job.id]]
        if not missing and (log := _existing(recording, job.id, wanted)):
            recording.complete[job.id] = log
        _announce(match, len(wanted), len(missing))
    if len(recording.complete) < len(prepared):
        directory.add_plan(plan.whole or plan)


def _announce(match: Match, wanted: int, missing: int) -> None:
    why = f" ({match.differences})" if match.changed else ""
    others = ", the others are complete" if missing < wanted else ""
    state = f"running {missing} of {wanted} samples{others}" if missing else "already complete"
    progress.note(f"{match.benchmark}: {state}{why}")


def _existing(recording: "RunRecording", job: str, wanted: Sequence[SampleKey]) -> EvalLog | None:
    """Return the log of a job, if it contains exactly the wanted samples."""
    log: EvalLog | None = None
    if location := recording.directory.logs().get(job):
        with suppress(LogError, UsageError):  # missing or damaged
            log = read_log(location)
    if log is None:  # it may have been renamed
        log = logs_of_jobs(recording.log_dir, {job}, since=0).get(job)
    held = {(sample.id, sample.epoch) for sample in (log.samples if log else None) or () if not sample.error}
    return redact_written(log, samples=False) if log and log.status == "success" and held == set(wanted) else None


def _unchanged_samples(match: Match, journal: Journal) -> Iterator[EvalSample]:
    """Yield the completed samples of a job that the task would repeat exactly."""
    contents = {
        id_: (sample.metadata or {}).get(CONTENT_KEY)
        for id_, sample in zip(ids_of(match.task), match.task.dataset, strict=True)
    }
    before, now = (identity.get("limits", {}) for identity in (match.job.identity, match.identity))
    for sample in journal.read(key for key in journal.samples if key not in journal.failed):
        same_content = contents.get(sample.id) == (sample.metadata or {}).get(CONTENT_KEY)
        if same_content and (before == now or (sample.limit is None and are_looser(before, now))):
            yield sample


def are_looser(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether a sample that stayed within some limits certainly stays within others."""
    if "cost_limit" in after and before.get(PRICES) != after.get(PRICES):
        return False
    return all(_at_least(value, before.get(name)) for name, value in after.items() if name != PRICES)


def _at_least(value: Any, before: Any) -> bool:
    return isinstance(value, int | float) and isinstance(before, int | float) and value >= before
