"""The checks, and their judgement and waivers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.outcome import InapplicableError, Outcome, Remark
from openbench_testing.conformance.rules import dataset, letters, package, prompts, scores


@dataclass(frozen=True)
class Check:
    """One requirement.

    Attributes:
        name: Its name in outcomes and waivers.
        requires: The requirement in one sentence.
        judge: Returns a complaint about a benchmark; None or a `Remark` if it conforms.
        builds: Whether it can only be checked on a task that builds.
    """

    name: str
    requires: str
    judge: Callable[[Evidence], str | None]
    builds: bool = True


def _waivers(evidence: Evidence) -> str | None:
    """Every waiver names a check and gives a reason."""
    known = [name for name in BY_NAME if name != "waivers"]
    faults = []
    for name, reason in waivers_of(evidence).items():
        if name not in known:
            faults.append(f"WAIVERS has {name!r}, which is not a check that can be waived. Checks: {', '.join(known)}.")
        elif not reason.strip():
            faults.append(
                f"WAIVERS[{name!r}] has no reason. State why the benchmark must break the rule, or remove the waiver."
            )
    return " ".join(faults) or None


CHECKS: Sequence[Check] = (
    Check("metadata", "Metadata is complete, and the rows are pinned.", package.metadata, builds=False),
    Check("light", "Metadata imports no heavy module, and opens no socket.", package.light, builds=False),
    Check("offline", "The task builds from samples/ without a network.", dataset.offline, builds=False),
    Check("registry", "Registered names are those that a wheel gives.", package.registry),
    Check("ids", "Ids are unique, and the same in every process.", dataset.ids),
    Check("reference", "Reference answers score 1.0.", scores.reference),
    Check("wrong", "Wrong answers score 0.", scores.wrong),
    Check("empty", "Empty answers are unanswered, and none is right.", scores.empty),
    Check("chance", "Exactly the letters of the targets are right.", scores.chance),
    Check("letters", "On all stored rows, a constant letter scores chance.", letters.letters),
    Check("leak", "The prompt does not contain the answer.", dataset.leak),
    Check("rescore", "A log scored again gives the same numbers.", scores.rescore),
    Check("order", "Scores do not depend on the order of samples.", scores.order),
    Check("prompts", "Prompts match those in goldens/.", prompts.prompts),
    Check("waivers", "Every waiver names a check and gives a reason.", _waivers, builds=False),
)

BY_NAME: Mapping[str, Check] = {check.name: check for check in CHECKS}


def examine(evidence: Evidence) -> list[Outcome]:
    """Run every check on a benchmark, waived or not, and report each cause of failures once."""
    outcomes = [_outcome(check, evidence) for check in CHECKS]
    causes: dict[str, str] = {}
    for outcome in outcomes:
        if outcome.status == "failed":
            causes.setdefault(outcome.message, outcome.check)
    return [
        replace(outcome, status="skipped", message=f"fails for the same reason as {causes[outcome.message]}")
        if outcome.status == "failed" and causes[outcome.message] != outcome.check
        else outcome
        for outcome in outcomes
    ]


def waivers_of(evidence: Evidence) -> Mapping[str, str]:
    """Return the reasons of a benchmark's waivers by check."""
    return evidence.builds[0].waivers if evidence.builds else {}


def _outcome(check: Check, evidence: Evidence) -> Outcome:
    if check.builds and evidence.build_error:
        return Outcome(evidence.benchmark, check.name, "skipped", "needs a task that builds: see offline")
    reason = waivers_of(evidence).get(check.name, "").strip() if check.name != "waivers" else ""
    try:
        complaint = check.judge(evidence)
    except InapplicableError as why:
        return Outcome(evidence.benchmark, check.name, "inapplicable", str(why))
    if complaint is None or isinstance(complaint, Remark):
        note = f"the waiver can be removed: {reason}" if reason else complaint or ""
        return Outcome(evidence.benchmark, check.name, "passed", note)
    return Outcome(evidence.benchmark, check.name, "waived" if reason else "failed", reason or complaint)
