"""Scores that a benchmark's own scorer gives to phrasings of right and of wrong answers."""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.baselines.reference import answered
from openbench.registry.names import counted
from openbench.run.inspect_eval import run_inspect
from openbench_analysis.audit.findings import Check, Finding, graded, skipped
from openbench_analysis.audit.items import Item, folded, items_of
from openbench_analysis.audit.phrasings import NO_ANSWERS, kind_of, phrased
from openbench_analysis.runs import read_run

NAME = "scorer"
SAMPLES = 5
_RIGHT, _WRONG, _NONE = "right", "wrong", "none"


@dataclass(frozen=True)
class _Case:
    """A completion for a sample, and whether it is right."""

    id: str | int
    expected: str
    template: str
    completion: str


def scorer(make_task: Callable[[], Task], *, higher_is_better: bool = True) -> Check:
    """Run phrasings of right and of wrong answers to a few samples through a benchmark's task, solver left out.

    Args:
        make_task: Builds the task.
        higher_is_better: The direction of the score.
    """
    task = make_task()
    samples = list(task.dataset)
    cases = {f"audit-{number}": case for number, case in enumerate(_cases(items_of(samples)))}
    if not cases:
        return skipped(NAME, "no answer is a letter, a number or a short text, which can be rephrased.")
    by_id = {sample.id: sample for sample in samples}
    task.dataset = MemoryDataset([by_id[case.id].model_copy(update={"id": name}) for name, case in cases.items()])
    task.solver = _scripted({name: case.completion for name, case in cases.items()})
    task.epochs, task.epochs_reducer = 1, None
    task.model = get_model("baseline/reference", memoize=False)
    with tempfile.TemporaryDirectory(prefix="openbench-") as folder:
        [log] = run_inspect(task, display="none", log_dir=folder, fail_on_error=False)
        results = read_run(log.location).results
    best = 1.0 if higher_is_better else 0.0
    scored = [(cases[str(of.id)], None if isnan(of.score) else of.score == best) for of in results]
    rows = counted(len({case.id for case in cases.values()}), "row")
    looked_at = f"{counted(len(cases), 'completion')} of answers to {rows}"
    return Check(name=NAME, looked_at=looked_at, findings=list(_judged(scored)))


def _cases(items: Sequence[Item]) -> Iterator[_Case]:
    """Yield the phrasings of a few samples, spread over all of them."""
    fit = [item for item in items if len(item.targets) == 1 and kind_of(item.targets[0].strip(), item.options)]
    chosen = fit[:: max(1, len(fit) // SAMPLES)][:SAMPLES]
    for item in chosen:
        target = item.targets[0].strip()
        kind = kind_of(target, item.options)
        other = _other(item, items)
        if kind is None or other is None:
            continue
        options = item.options
        for template, text in phrased(kind, target, other, options.get(target, "")).items():
            yield _Case(item.id, _RIGHT, template, text)
        for template, text in phrased(kind, other, target, options.get(other, "")).items():
            yield _Case(item.id, _WRONG, template, text)
        yield from (_Case(item.id, _NONE, text, text) for text in NO_ANSWERS)


def _other(item: Item, items: Sequence[Item]) -> str | None:
    """Return a wrong answer of the same kind; None if none exists."""
    target = item.targets[0].strip()
    match kind_of(target, item.options):
        case "letter":
            return next((letter for letter in item.options if letter != target), None)
        case "number":
            return str(int(float(target.replace(",", ""))) + 7)
    others = (each.targets[0].strip() for each in items if each.targets and each.answers.isdisjoint(item.answers))
    return next((other for other in others if kind_of(other, {}) == "text" and _apart(other, target)), None)


def _apart(one: str, other: str) -> bool:
    """Return whether neither of two texts contains the other, so that a scorer that looks for one misses the other."""
    return folded(one) not in folded(other) and folded(other) not in folded(one)


@solver
def _scripted(completions: Mapping[str, str]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        return answered(state, completions[str(state.sample_id)])

    return solve


def _judged(scored: Sequence[tuple[_Case, bool | None]]) -> Iterator[Finding]:
    unscored = [case for case, right in scored if right is None]
    if len(unscored) == len(scored):
        yield Finding(
            kind="unscored phrasings",
            severity="warning",
            message="None of the answers has a score: the scorer needs what is not here, such as a grader.",
        )
        return
    yield from _refused([(case, right) for case, right in scored if case.expected == _RIGHT])
    yield from _accepted([case for case, right in scored if right and case.expected != _RIGHT])


def _refused(scored: Sequence[tuple[_Case, bool | None]]) -> Iterator[Finding]:
    missed: defaultdict[str, list[str | int]] = defaultdict(list)
    for case, right in scored:
        if not right:
            missed[case.template].append(case.id)
    templates = {case.template for case, _ in scored}
    if missed:
        named = ", ".join(repr(template) for template in missed)
        yield Finding(
            kind="right answers refused",
            severity=graded(len(missed) / len(templates), severe=1, warning=0.5),
            message=f"{len(missed)} of {len(templates)} phrasings of right answers are scored as wrong, on some row at "
            f"least: {named}.",
            figures={"refused": len(missed), "phrasings": len(templates), **{t: len(ids) for t, ids in missed.items()}},
            rows=list(dict.fromkeys(id_ for ids in missed.values() for id_ in ids)),
        )


def _accepted(cases: Sequence[_Case]) -> Iterator[Finding]:
    if cases:
        counts = Counter(case.template for case in cases)
        named = ", ".join(repr(template) for template in counts)
        yield Finding(
            kind="wrong answers accepted",
            severity="severe",
            message=f"{counted(len(counts), 'phrasing')} of wrong answers, or of none, are scored as right: {named}.",
            figures={"accepted": len(counts), **counts},
            rows=list(dict.fromkeys(case.id for case in cases)),
        )
