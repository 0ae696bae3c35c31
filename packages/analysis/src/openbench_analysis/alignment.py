"""Matches two runs: whether they can be compared, and which samples they have in common."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from openbench.run.identity import answer_args
from openbench_analysis.runs import Run, SampleResult

Match = Literal["content", "id"]
Id = str | int

_SETTINGS = ("temperature", "top_p", "max_tokens", "seed", "reasoning_effort", "system_message")


@dataclass(frozen=True)
class Alignment:
    """The samples of two runs.

    Attributes:
        pairs: The ids of the samples that both have: in the first run, and in the second.
        only_before: How many samples only the first run has.
        only_after: How many samples only the second has.
        changed: How many of these have an id that both runs have, but other contents.
        match: What samples were matched by.
    """

    pairs: Sequence[tuple[Id, Id]]
    only_before: int
    only_after: int
    changed: int
    match: Match


def align(before: Run, after: Run, match: Match = "content") -> Alignment:
    """Match the samples of two runs.

    Those with the same digest of their content are matched, whatever their ids and order; several of one content by
    their ids, then in order. Samples whose content a log does not record are matched by id, if the beginnings of their
    inputs and their targets agree.

    Args:
        before: The first run.
        after: The second run.
        match: `id` matches by id alone, for prompts that differ on purpose.
    """
    recorded = match == "content" and None not in {*before.contents.values(), *after.contents.values()}
    if recorded and before.contents == after.contents:  # the usual case, of thousands of comparisons
        return Alignment([(id_, id_) for id_ in before.items], 0, 0, 0, "content")
    key = _by_content if recorded else _by_id if match == "id" else _by_text
    first, second = _keyed(before, key), _keyed(after, key)
    pairs = [pair for name, ids in first.items() for pair in _paired(ids, second.get(name, []))]
    left = {*before.items} - {one for one, _ in pairs}
    changed = left & ({*after.items} - {two for _, two in pairs})
    return Alignment(
        pairs,
        only_before=len(before.items) - len(pairs),
        only_after=len(after.items) - len(pairs),
        changed=len(changed),
        match="content" if recorded else "id",
    )


def refusals(before: Run, after: Run) -> Iterator[str]:
    """Yield the reasons for which the scores of two runs of a benchmark cannot be compared."""
    one, two = before.provenance, after.provenance
    for run in (before, after):
        if run.headline is None:
            yield f"{run.location} has no scores"
    if before.headline and after.headline:
        if before.headline.name != after.headline.name:
            yield f"their metrics differ: {before.headline.name} and {after.headline.name}"
        if before.higher_is_better != after.higher_is_better:
            yield "higher is better in only one of them"
    if not one or not two:
        return
    if one.distribution != two.distribution:
        yield f"their benchmarks come from {one.distribution or 'a file'} and {two.distribution or 'a file'}"
    elif _major(one.version) != _major(two.version):
        yield f"{one.distribution} {one.version} and {two.version} differ in the major version: scores changed"
    if (names := _scorers(one.scorers, "name")) != (others := _scorers(two.scorers, "name")):
        yield f"they were scored by {', '.join(names)} and by {', '.join(others)}"


def caveats(before: Run, after: Run) -> Iterator[str]:
    """Yield what else differs between two runs, or cannot be checked."""
    one, two = before.provenance, after.provenance
    if not one or not two:
        who = f"openbench did not write the log of the {'candidate' if one else 'baseline'}"
        who = who if one or two else "openbench wrote neither log"
        yield f"{who}, so that version, dataset and scorers cannot be checked"
    for which, run in (("baseline", before), ("candidate", after)):
        if run.log.status != "success":
            yield f"the run of the {which} is not complete: its status is {run.log.status}"
    yield from differing_settings(before, after)


def differing_settings(before: Run, after: Run) -> Iterator[str]:
    """Yield which versions, rows and settings of two runs differ."""
    one, two = before.provenance, after.provenance
    if one and two:
        yield from _differ("dataset", one.dataset.get("sha256"), two.dataset.get("sha256"), shown=_dataset(one, two))
        yield from _differ("version", one.version, two.version)
        yield from _differ("arguments of the scorers", *("; ".join(_scorers(each.scorers)) for each in (one, two)))
        yield from _differ("sample rows", one.sample, two.sample)
    yield from _differ("arguments of the task", before.log.eval.task_args, after.log.eval.task_args)
    if before.model == after.model:  # those of two models differ in any case
        one_args, two_args = (answer_args(run.log.eval.model_args) for run in (before, after))
        yield from _differ("arguments of the model", one_args, two_args)
    yield from _differ("grader", _roles(before), _roles(after))
    yield from _differ("epochs", before.log.eval.config.epochs or 1, after.log.eval.config.epochs or 1)
    for name in _SETTINGS:
        yield from _differ(name, _setting(before, name), _setting(after, name))


def _keyed(run: Run, key: Any) -> Mapping[Hashable, list[Id]]:
    keyed: defaultdict[Hashable, list[Id]] = defaultdict(list)
    for id_, results in run.items.items():
        keyed[key(results[0])].append(id_)
    return keyed


def _by_content(result: SampleResult) -> Hashable:
    return result.content


def _by_id(result: SampleResult) -> Hashable:
    return result.id


def _by_text(result: SampleResult) -> Hashable:
    return result.id, " ".join(result.input.split())[:500], result.target


def _paired(ids: Sequence[Id], others: Sequence[Id]) -> Iterator[tuple[Id, Id]]:
    """Pair samples of one content: those of the same id, then the rest in order."""
    both = set(ids) & set(others)
    yield from ((id_, id_) for id_ in ids if id_ in both)
    left = ([id_ for id_ in each if id_ not in both] for each in (ids, others))
    yield from zip(*left, strict=False)


def _major(version: str | None) -> str | None:
    return version.partition(".")[0] if version else None


def _scorers(scorers: Sequence[Mapping[str, Any]], *keys: str) -> list[str]:
    return [" ".join(str(each.get(key)) for key in keys or ("name", "arguments")) for each in scorers]


def _dataset(one: Any, two: Any) -> str:
    revisions = [str(each.dataset.get("revision") or each.dataset.get("sha256") or "unknown") for each in (one, two)]
    return " and ".join(each[:12] for each in revisions)


def _roles(run: Run) -> str | None:
    roles = run.log.eval.model_roles or {}
    named = {role: [each.model for each in (of if isinstance(of, list) else [of])] for role, of in roles.items()}
    return ", ".join(f"{role} {'+'.join(models)}" for role, models in sorted(named.items())) or None


def _setting(run: Run, name: str) -> Any:
    own = getattr(run.log.eval.model_generate_config, name)
    return own if own is not None else getattr(run.log.plan.config, name)


def _differ(name: str, one: object, two: object, shown: str | None = None) -> Iterator[str]:
    if one != two:
        yield f"{name}: {shown or f'{_plain(one)} and {_plain(two)}'}"


def _plain(value: object) -> str:
    return "none" if value is None else str(value)
