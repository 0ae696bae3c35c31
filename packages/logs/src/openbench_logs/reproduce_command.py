"""`bench reproduce`."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.layout import columns, cut, terminal_width
from openbench.errors import FAILED, INTERRUPTED, SUCCESS, UsageError
from openbench.redaction import secret_variables
from openbench.registry.names import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.log import EvalLog

    from openbench.run.executor import Executor, Result
    from openbench_logs.compare import Agreement, Difference
    from openbench_logs.recipe import Recipe

_ISOLATED = "isolated"
_ROWS_MOST = 50


def command(
    log: opt.LogArgument,
    here: Annotated[
        bool, typer.Option("--here", help="Use the packages installed here; differences are listed.")
    ] = False,
    model_args: Annotated[
        list[str] | None,
        typer.Option("-M", metavar="KEY=VALUE", help="Argument of the models' provider, such as a secret."),
    ] = None,
    model_base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Base URL of the models' API, if not the logged one.")
    ] = None,
    log_dir: Annotated[
        str, typer.Option(metavar="DIR", callback=opt.parse_location, help="Directory of the new log.")
    ] = "logs",
    yes: Annotated[bool, typer.Option("--yes", help="Install the log's packages without confirmation.")] = False,
    keys: Annotated[
        list[str] | None,
        typer.Option(
            "--pass-key",
            metavar="NAME",
            help="Additional variable with a secret to pass to the run; may be repeated.",
        ),
    ] = None,
    trust: opt.Trust = False,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it off the command line
) -> int:
    """Repeat a log's run and compare the samples.

    The run uses the log's settings, in an environment with the versions recorded in the log, which openbench-isolated
    creates after you confirm. It gets only the API keys of its models. Answers and scores are compared sample by
    sample. Exits with 0 if all agree, else with 1.
    """
    from openbench.cli.executors import execute
    from openbench.run.arguments import parse_pairs, parse_value
    from openbench.run.logs import read_log
    from openbench.run.summary import headline_of
    from openbench.tasks.provenance import Provenance
    from openbench_logs.compare import compare
    from openbench_logs.recipe import changed_sources, keys_of, plan_again, recipe_of, version_differences

    before = read_log(log)
    recipe = recipe_of(before)
    _tell_local(recipe)
    here = here or bool(recipe.path)
    if here:
        _tell_versions(version_differences(Provenance.of(before)), "here")
    else:
        _confirm(recipe, yes=yes)
        withheld = sorted(secret_variables(keep=(*keys_of(before), *(keys or []))))
        for name in withheld:
            del os.environ[name]
        if withheld:
            typer.echo(f"the run does not get {', '.join(withheld)} (--pass-key)", err=True)
    with tempfile.TemporaryDirectory() as folder:
        executor = _executor(recipe, here=here, folder=Path(folder))
        provider_args = {key: parse_value(value) for key, value in parse_pairs(model_args or [], "-M").items()}
        plan = plan_again(
            before,
            executor,
            log_dir=log_dir,
            base_url=model_base_url,
            model_args=provider_args,
            trust=trust,
        )
        [result] = execute(executor, plan)
    after = _log_of(result)
    if after is None:
        return INTERRUPTED
    versions = version_differences(Provenance.of(before), Provenance.of(after))
    if not here:
        _tell_versions(versions, "in the new run")
    changed = changed_sources(Provenance.of(before), Provenance.of(after))
    for name in changed:
        typer.echo(f"{name}: its files differ from those of the logged run (sha256)", err=True)
    agreement = compare(before, after)
    was, now = headline_of(before), headline_of(after)
    if as_json:
        plain = {
            "log": before.location,
            "reproduced": after.location,
            "status": after.status,
            "metric": was.name if was else None,
            "was": was.value if was else None,
            "is": now.value if now else None,
            "samples": agreement.samples,
            "agreeing": agreement.agreeing,
            "differences": [asdict(each) for each in agreement.differences],
            "versions": [{"name": name, "was": was, "is": now} for name, was, now in versions],
            "changed_sources": changed,
        }
        opt.echo_json(plain)
    else:
        if was and now:
            typer.echo(f"{was.label} {was.value:.3f} -> {now.value:.3f}")
        _write(agreement, after)
    return SUCCESS if agreement.samples and not agreement.differences else FAILED


def _confirm(recipe: Recipe, *, yes: bool) -> None:
    """List the packages that a log requires, which may come from anyone, and ask for confirmation.

    Raises:
        UsageError: There is no input to answer, or the answer is no.
    """
    typer.echo("packages to install, whose code will run:", err=True)
    for line in [*recipe.requirements, *recipe.constraints]:
        typer.echo(f"  {line}", err=True)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # where typer.confirm writes a space, even with err=True
            agreed = yes or typer.confirm("Install and run them?", err=True)
    except typer.Abort as error:
        raise UsageError("the confirmation was not answered. Add --yes to install them.") from error
    if not agreed:
        raise UsageError("nothing was installed.")


def _executor(recipe: Recipe, *, here: bool, folder: Path) -> Executor:
    """Return the executor for this environment, or for the recorded one."""
    from openbench.cli.executors import executor_of
    from openbench.registry.catalog import Catalog

    catalog = Catalog.installed()
    if here:
        return executor_of("local", catalog, [])
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{line}\n" for line in recipe.constraints), "utf-8")
    requirements = [argument for each in recipe.requirements for argument in ("--with", each)]
    return executor_of(_ISOLATED, catalog, [*requirements, "--constraint", str(constraints)])


def _log_of(result: Result) -> EvalLog | None:
    if result.error:
        raise result.error
    return result.log


def _tell_local(recipe: Recipe) -> None:
    for name in recipe.local:
        typer.echo(f"{name} was not a release: its current files are used", err=True)


def _tell_versions(differences: Sequence[tuple[str, str, str]], where: str) -> None:
    for name, was, now in differences:
        typer.echo(f"{name}: {was} in the log, {now} {where}", err=True)


def _write(agreement: Agreement, after: EvalLog) -> None:
    from openbench.run.paths import absolute

    if agreement.differences:
        room = max(10, (terminal_width() - 40) // 2)
        rows = [_row(each, room) for each in agreement.differences[:_ROWS_MOST]]
        for line in columns([["sample", "epoch", "differs in", "was", "is"], *rows], right=(1,)):
            typer.echo(line)
        if (more := len(agreement.differences) - _ROWS_MOST) > 0:
            typer.echo(f"and {more} more (see --json)")
    typer.echo(f"{agreement.agreeing} of {agreement.samples} samples agree in answer and score")
    typer.echo(absolute(after.location))


def _row(difference: Difference, room: int) -> list[str]:
    was, now = (cut(printable(text), room) for text in (difference.was, difference.now))
    return [cut(printable(str(difference.id)), 18), str(difference.epoch), difference.kind, was, now]
