"""Evaluates the sample rows of benchmarks with answers of known score: `python -m … REPORT LOGS BENCHMARK...`.

All benchmarks run in one call of Inspect's `eval` per phase.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 - inspect's name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model

from openbench.registry.benchmark import Benchmark
from openbench.run.inspect_eval import with_models
from openbench.run.logs import read_log
from openbench.tasks.provenance import Provenance
from openbench_testing.conformance.evidence import DONE, RESCORED, Built, Letters, Prompts, Run, Shown
from openbench_testing.conformance.probes.answers import known_answers, passages, scripted
from openbench_testing.conformance.probes.build import build, find_all
from openbench_testing.conformance.probes.figures import run_of, shown_of
from openbench_testing.conformance.probes.letters import letters_of
from openbench_testing.conformance.probes.prompts import SAMPLES, prompts_of, variants_of
from openbench_testing.conformance.probes.report import described, write

_OPTIONS: dict[str, Any] = {
    "display": "log",  # "none" and "plain" still render tables
    "fail_on_error": False,
    "log_format": "json",
    "model_roles": {"grader": "baseline/grader"},
    # inspect's support for live displays takes half the time.
    "log_realtime": False,
    "score_display": False,
    "ctl_server": False,
}


@dataclass
class Case:
    """A benchmark, and the findings so far.

    Attributes:
        benchmark: The benchmark.
        built: The report on building its task.
        right: A right answer to each sample.
        wrong: A wrong answer to each sample.
        passages: The samples' passages, which may contain the answer.
        shown: The parts of each sample that a model sees.
        prompts: The prompts of the first samples.
        runs: The results of the phases so far.
        logs: The logs to rescore.
    """

    benchmark: Benchmark
    built: Built
    right: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    passages: Mapping[str, str] = field(default_factory=dict)
    shown: Sequence[Shown] = ()
    prompts: Prompts = field(default_factory=Prompts)
    runs: dict[str, Run] = field(default_factory=dict)
    logs: dict[str, str] = field(default_factory=dict)

    @property
    def most_options(self) -> int:
        """The largest number of lettered options that a sample offers."""
        return max((shown.options for shown in self.shown), default=0)


def _right(case: Case, _number: int, id_: str) -> str:
    return case.right[id_]


def _wrong(case: Case, _number: int, id_: str) -> str:
    return case.wrong[id_]


def _mixed(case: Case, number: int, id_: str) -> str:
    return (case.wrong if number % 2 else case.right)[id_]


@dataclass(frozen=True, kw_only=True)
class Phase:
    """One evaluation of every benchmark.

    Attributes:
        answer: Returns the answer to a sample by its position and id; None leaves it to the model.
        model: The model.
        letters: Whether the answers are each offered letter in turn, one per epoch; only for lettered options.
        backwards: Whether the samples are in reverse.
        one_by_one: Whether samples run one after the other.
    """

    answer: Callable[[Case, int, str], str] | None = None
    model: str = "baseline/reference"
    letters: bool = False
    backwards: bool = False
    one_by_one: bool = False


PHASES: Mapping[str, Phase] = {
    "reference": Phase(answer=_right),
    "wrong": Phase(answer=_wrong),
    "empty": Phase(model="baseline/empty"),
    "echo": Phase(model="baseline/echo"),
    "letters": Phase(model="letters/each", letters=True),
    "mixed": Phase(answer=_mixed, one_by_one=True),
    "reversed": Phase(answer=_mixed, one_by_one=True, backwards=True),
}


def make_case(benchmark: Benchmark, attempts: list[str]) -> Case:
    """Build a benchmark's task, and find right and wrong answers to its samples."""
    built, task = build(benchmark, attempts)
    case = Case(benchmark, built)
    if task:
        try:
            case.passages = passages(benchmark.task_function(), _distinct(task))
            case.right, case.wrong = known_answers(benchmark.task_function(), _distinct(task))
        except Exception as error:  # noqa: BLE001 - an author's `reference` may raise anything
            failed = Run(error=f"reference(sample), wrong(sample) or passage(sample) raised {described(error)}")
            case.runs = {name: failed for name, phase in PHASES.items() if phase.answer}
    return case


def run_phase(name: str, cases: Sequence[Case], log_dir: str) -> None:
    """Evaluate all benchmarks that are ready for a phase; a failure does not affect the others."""
    phase = PHASES[name]
    ready = [case for case in cases if not case.built.error and name not in case.runs]
    ready = [case for case in ready if case.most_options or not phase.letters]
    try:
        _evaluate(name, ready, log_dir)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's code may raise anything
        if len(ready) == 1:
            ready[0].runs[name] = Run(error=described(error))
            return
        for case in ready:
            run_phase(name, [case], log_dir)


def ask_variants(case: Case, log_dir: str) -> None:
    """Add the prompts for the arguments in the `GOLDENS` of the task's module."""
    if case.built.error:
        return
    try:
        variants = variants_of(case.benchmark.task_function())
    except ValueError as error:
        case.prompts = Prompts(error=str(error))
        return
    for name, arguments in variants.items():
        prompts = _ask(case, name, arguments, log_dir)
        why = f"GOLDENS[{name!r}]: {prompts.error}" if prompts.error else None
        case.prompts = Prompts(error=case.prompts.error or why, files={**case.prompts.files, **prompts.files})


def _ask(case: Case, variant: str, arguments: Mapping[str, Any], log_dir: str) -> Prompts:
    phase = PHASES["empty"]
    try:
        task = _task(phase, case, arguments)
        model = get_model(phase.model, memoize=False)
        (log,) = eval(task, model=model, limit=SAMPLES, score=False, log_dir=log_dir, **_OPTIONS)
        return prompts_of(case.benchmark.key, read_log(log.location), variant, arguments)
    except RuntimeError as error:  # it does not build
        return Prompts(error=str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's code may raise anything
        return Prompts(error=described(error))


def _evaluate(name: str, cases: Sequence[Case], log_dir: str) -> None:
    if not cases:
        return
    phase = PHASES[name]
    tasks = {case.benchmark.reference: _task(phase, case) for case in cases}
    for task in tasks.values():
        task.model = get_model(phase.model, memoize=False)  # a separate one: `letters/each` counts prompts
    options = _OPTIONS | ({"max_samples": 1} if phase.one_by_one else {})
    logs = eval(list(tasks.values()), log_dir=log_dir, max_tasks=len(tasks), **options)
    by_reference = {Provenance.of(log).reference: log for log in logs}
    for case in cases:
        _keep(name, case, by_reference[case.benchmark.reference])


def _keep(name: str, case: Case, log: EvalLog) -> None:
    case.runs[name] = run_of(log)
    if name == "empty":
        whole = read_log(log.location)
        case.shown = shown_of(whole, case.passages)
        case.prompts = prompts_of(case.benchmark.key, whole)
    if name in RESCORED:
        case.logs[name] = log.location


def _task(phase: Phase, case: Case, arguments: Mapping[str, Any] | None = None) -> Task:
    built, task = build(case.benchmark, [], arguments, model=phase.model)
    if task is None:
        raise RuntimeError(built.error)
    samples = _distinct(task)
    if phase.answer:
        task.solver = scripted({str(s.id): phase.answer(case, number, str(s.id)) for number, s in enumerate(samples)})
    task.dataset = MemoryDataset(samples[::-1] if phase.backwards else samples, name=task.dataset.name)
    task.epochs = case.most_options if phase.letters else 1
    task.epochs_reducer = None
    return task


def _distinct(task: Task) -> list[Sample]:
    """Return the samples with ids that inspect accepts; another check reports invalid ones."""
    given = [sample.id for sample in task.dataset]
    if None in given or len({*map(str, given)}) < len(given):
        return [sample.model_copy(update={"id": number}) for number, sample in enumerate(task.dataset, start=1)]
    return list(task.dataset)


def main(report: str, log_dir: str, *references: str) -> None:
    """Report each benchmark's results."""
    with_models(lambda: None, display="log")  # Inspect keeps the first display that it makes; others draw tables
    benchmarks, attempts = find_all(references)
    cases = {reference: make_case(found, attempts) for reference, found in zip(references, benchmarks, strict=True)}
    for name in PHASES:
        run_phase(name, list(cases.values()), log_dir)
        (Path(log_dir) / name).with_suffix(DONE).touch()
    for case in cases.values():
        ask_variants(case, log_dir)
    reported = ("built", "shown", "prompts", "runs", "logs")
    found: dict[str, dict[str, Any]] = {}
    for reference, case in cases.items():
        found[reference] = {name: getattr(case, name) for name in reported}
        found[reference]["letters"] = Letters() if case.built.error else letters_of(case.benchmark)
    write(report, found)


if __name__ == "__main__":
    main(*sys.argv[1:])
