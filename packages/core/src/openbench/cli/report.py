"""The results of a run, as a table for people or JSON for machines."""

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pathlib import Path
from typing import Any

import click

from openbench.cli.table import columns, cut, cut_start, display_width, terminal_width
from openbench.errors import FAILED, INTERRUPTED, SUCCESS
from openbench.names import is_path
from openbench.redaction import redacted_text
from openbench.run.executor import Result
from openbench.run.suites import SuiteSummary
from openbench.run.summary import Summary, summarize

_HEAD = ["benchmark", "model", "score", "answered", "unscored", "tokens", "time"]
_MODEL = _HEAD.index("model")
_MODEL_LEAST = 12
_BENCHMARK = _HEAD.index("benchmark")
_BENCHMARK_LEAST = 9
_UNSCORED_MOST = 120


def report(summaries: Sequence[Summary], suites: Sequence[SuiteSummary] = (), *, as_json: bool) -> int:
    """Write the results of runs, and those of suites after them.

    Returns:
        The exit code: 0 if every run succeeded with a sample at least, no score is other than a number and every suite
        is complete, 130 if a run was interrupted, else 1.
    """
    if as_json:
        plain = [*map(asdict, summaries), *map(asdict, suites)]
        click.echo(json.dumps(_plain(plain), indent=2))
    else:
        _write_table(summaries, suites)
    for summary in summaries:
        _write_problems(summary)
    for suite in suites:
        if suite.missing:
            reasons = ", ".join(f"{member} ({reason})" for member, reason in suite.missing.items())
            click.echo(f"bench: {suite.suite}: incomplete, so it has no score: {reasons}", err=True)
    statuses = {summary.status for summary in summaries}
    if "cancelled" in statuses:
        return INTERRUPTED
    nothing = any((each.samples and not each.completed) or _has_no_figure(each) for each in summaries)
    whole = all(suite.status == "success" for suite in suites)
    return SUCCESS if statuses <= {"success"} and whole and not nothing else FAILED


def summary_of(result: Result) -> Summary:
    """Return the summary of a job, also of one that could not start."""
    if result.log is not None:
        return summarize(result.log)
    reference = result.job.benchmark
    name = Path(reference).stem if is_path(reference) else reference.partition("@")[0]
    status, error = ("error", redacted_text(str(result.error))) if result.error else ("cancelled", None)
    return Summary(benchmark=name, model=result.job.model.name, status=status, error=error)


def _write_table(summaries: Sequence[Summary], suites: Sequence[SuiteSummary]) -> None:
    versions = {(summary.benchmark, summary.version) for summary in summaries}
    several = {name for name, count in Counter(name for name, _ in versions).items() if count > 1}
    rows = [_HEAD, *(_row(summary, versioned=summary.benchmark in several) for summary in summaries)]
    rows += map(_suite_row, suites)
    # The end of a model's name tells it from others, the start of a benchmark's.
    for column, least, shorten in ((_MODEL, _MODEL_LEAST, cut_start), (_BENCHMARK, _BENCHMARK_LEAST, cut)):
        over = max(map(display_width, columns(rows))) - terminal_width()
        widest = max(display_width(row[column]) for row in rows)
        for row in rows if over > 0 else ():
            row[column] = shorten(row[column], max(least, widest - over))
    for line in columns(rows, right=(2, 3, 4, 5, 6)):
        click.echo(line)
    for summary in summaries:
        if summary.log:
            click.echo(_relative(summary.log))


def _write_problems(summary: Summary) -> None:
    if summary.status == "cancelled" and not summary.log:
        click.echo(f"bench: {summary.benchmark}: not started. Run it with bench eval.", err=True)
    elif summary.status == "cancelled":
        done = f"after {summary.completed} of {summary.samples} samples"
        click.echo(f"bench: {summary.benchmark}: interrupted {done}.", err=True)
    elif summary.error:
        name = f"{summary.benchmark}: " if summary.log else ""  # what could not start names itself
        of = "" if summary.error_sample is None else f"sample {summary.error_sample!r}: "
        click.echo(f"bench: {name}{of}{' '.join(summary.error.split())}", err=True)
        if of:
            way_out = "with --no-fail-on-error it goes on without the sample."
            click.echo(f"A sample's error ends the run; {way_out}", err=True)
    elif summary.errors:
        click.echo(
            f"bench: {summary.benchmark}: {summary.errors} of {summary.samples} samples ended in an error, "
            f"which the log holds. The first: {summary.first_error}",
            err=True,
        )
    if summary.unscored:
        click.echo(
            f"bench: {summary.benchmark}: {summary.unscored} of {summary.completed} samples have no score that counts"
            + (f", see the log. The first: {cut(first, _UNSCORED_MOST)}" if (first := summary.first_unscored) else "."),
            err=True,
        )
    if _has_no_figure(summary):
        click.echo(f"bench: {summary.benchmark}: its {summary.metric} is no number.", err=True)
    if summary.log and (summary.status != "success" or summary.errors):
        command = f"bench eval-retry {shlex.quote(_relative(summary.log))}"
        where = "" if _is_here(summary) else f", where {summary.distribution} {summary.version} is installed"
        click.echo(f"Continue with: {command}{where}", err=True)


def _is_here(summary: Summary) -> bool:
    """Return whether this environment has what ran; an executor may have had another."""
    if summary.distribution is None:
        return True
    try:
        return version(summary.distribution) == summary.version
    except PackageNotFoundError:
        return False


def _row(summary: Summary, *, versioned: bool) -> list[str]:
    return [
        f"{summary.benchmark} {summary.version}" if versioned else summary.benchmark,
        summary.model,
        _score(summary),
        "-" if summary.answered is None else f"{summary.answered:.1%}",
        "-" if summary.unscored is None else str(summary.unscored),
        f"{summary.input_tokens + summary.output_tokens:,}",
        f"{summary.seconds:.0f} s",
    ]


def _suite_row(suite: SuiteSummary) -> list[str]:
    return [suite.suite, suite.model, _score(suite), "-", "-", "-", "-"]


def _score(summary: Summary | SuiteSummary) -> str:
    if summary.score is None or summary.status != "success":
        return summary.status
    if not isfinite(summary.score):
        return "-"
    known = summary.stderr is not None and isfinite(summary.stderr)
    return f"{summary.score:.3f}" + (f" ± {summary.stderr:.3f}" if known else "")


def _has_no_figure(summary: Summary) -> bool:
    """Return whether a run that was scored has no number to show for it."""
    return summary.status == "success" and summary.score is not None and not isfinite(summary.score)


def _relative(log: str) -> str:
    path = Path(log.removeprefix("file://"))
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else log


def _plain(value: Any) -> Any:
    """Replace what JSON cannot express: an unscored run's figures are not numbers."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
