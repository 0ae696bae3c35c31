"""`bench eval`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.completion import complete_names
from openbench.cli.eval_options import Options, settings
from openbench.cli.executors import Chosen, execute, executor_again, for_harnesses, with_executor
from openbench.cli.plugin_options import OptionPanel, installed_panels, with_panels
from openbench.cli.plugins import load_costs
from openbench.errors import INTERRUPTED, UsageError
from openbench.registry.benchmark import UNDECLARED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openbench.registry.catalog import Catalog
    from openbench.run.executor import Executor
    from openbench.run.plan import Plan
    from openbench.run.planning import Selection

_FIXED = {"Models", "Tasks", "Generation"}
"""The panels of options that a run keeps when it is resumed."""


def command(
    ctx: typer.Context,
    given: Options,
    panels: Sequence[OptionPanel],
    chosen: Chosen,
    benchmarks: Annotated[
        list[str] | None,
        typer.Argument(
            envvar="BENCH_BENCHMARKS",
            show_envvar=False,
            metavar="[BENCHMARKS]...",
            autocompletion=complete_names,
            help="Names, name@distribution, groups, paths of local evals, or tasks of other harnesses (lm-eval:NAME).",
        ),
    ] = None,
) -> int:
    """Run benchmarks on models.

    Each option has an environment variable, such as BENCH_MAX_TOKENS for --max-tokens. Those of -T and -M are
    BENCH_TASK_ARGS and BENCH_MODEL_ARGS.
    """
    # Imported here: a wrong option should not have to wait for the engine.
    from openbench.registry.catalog import Catalog

    chosen = for_harnesses(ctx, chosen, benchmarks or [])
    executor = chosen.make(Catalog.installed(overrides=not given.no_overrides), display=given.display)
    if benchmarks:
        plan = replace(_selected(ctx, executor, benchmarks, given), executor=chosen.arguments)
    else:
        executor, plan = _resumed(ctx, executor.catalog, chosen, given, panels)
    plan = replace(plan, command=tuple(ctx.find_root().obj or ()))
    for panel in panels:
        plan = panel.prepare(plan, given) if benchmarks or not panel.fixed else plan
    for panel in panels:
        if (code := panel.run_instead(plan, executor, given)) is not None:
            return code

    from openbench.cli.results_table import report, summary_of
    from openbench.run.planning import load_suites
    from openbench.run.run_directory import new_run_name, run_path

    run = Path(plan.resume) if plan.resume else run_path(plan.options["log_dir"], new_run_name())
    plan = replace(plan, run=run.name)
    costs = load_costs()  # before the run, whose results malformed prices would lose
    summarize = load_suites("summarize", plan.suites[0].key) if plan.suites else None
    results = execute(executor, plan)
    logs = [result.log for result in results if result.log]
    for panel in panels:
        panel.on_logs(logs, run)
    summaries = [summary_of(result, costs) for result in results]
    suites = summarize(plan, summaries) if summarize else []
    code = report(summaries, suites, as_json=given.as_json, run=run)
    if code == INTERRUPTED or not logs:
        return code
    return next(filter(None, [panel.on_report(logs) for panel in panels]), code)


def command_for(arguments: Sequence[str]) -> Callable[..., int]:
    """Return the command with the options of the installed panels and of the executor that the command line chooses."""
    panels, problems = installed_panels(command)
    for problem in problems:
        typer.echo(f"bench: {problem.line}", err=True)
    return with_executor(with_panels(command, panels), arguments)


def _selected(ctx: typer.Context, executor: Executor, benchmarks: Sequence[str], given: Options) -> Plan:
    """Plan what the command line names."""
    from openbench.run.planning import select

    if given.rerun_changed and not given.resume:
        raise UsageError("--rerun-changed needs --resume.")
    selection = select(executor, benchmarks, alpha=given.alpha)
    _announce(executor.catalog, selection)
    if given.resume:
        from openbench.run.resume import log_dir_of
        from openbench.run.run_directory import find_run

        directory = find_run(given.resume)
        log_dir = given.log_dir or log_dir_of(directory, directory.plans()[-1])
        given = replace(given, resume=str(directory.path), log_dir=log_dir)
    plan = _plan(selection, given, _models(ctx, given))
    return replace(plan, resume=given.resume, rerun_changed=given.rerun_changed)


def _resumed(
    ctx: typer.Context, catalog: Catalog, chosen: Chosen, given: Options, panels: Sequence[OptionPanel]
) -> tuple[Executor, Plan]:
    """Plan the rest of a run, with its own options and executor."""
    from openbench.run.engine import AUTO
    from openbench.run.resume import resume_plan
    from openbench.run.run_directory import find_run

    if not given.resume:
        raise UsageError("Missing argument 'BENCHMARKS...'. Try 'bench eval --help'.")
    fixed = {*_FIXED, *(panel.panel for panel in panels if panel.fixed)}
    for param in ctx.command.params:
        is_fixed = getattr(param, "rich_help_panel", "") in fixed or param.name == "sandbox"
        if is_fixed and opt.typed(ctx, param.name or ""):
            raise UsageError(
                f"{param.opts[0]}: --resume without benchmarks runs everything as it was. To change something, give "
                "the whole command of the run, with --resume."
            )
    directory = find_run(given.resume)
    changed = settings(given, resumed=True) | {"max_tasks": given.max_tasks, "log_format": given.log_format}
    executor, arguments = executor_again(ctx, chosen, directory, catalog, trust=given.trust, display=given.display)
    plan = resume_plan(
        executor.find_again,
        directory,
        overrides={name: value for name, value in changed.items() if value is not None},
        rerun_changed=given.rerun_changed,
    )
    return executor, replace(
        plan,
        engine=plan.engine if given.engine == AUTO else given.engine,
        processes=given.processes or plan.processes,
        executor=arguments,
    )


def _announce(catalog: Catalog, selection: Selection) -> None:
    """Report what users might not expect, before anything runs."""
    for benchmark in selection.benchmarks:
        if resolution := benchmark.resolution:
            for problem in catalog.not_loaded(benchmark.key):
                typer.echo(f"{benchmark.key}: {benchmark.distribution} runs, since another is {problem.line}", err=True)
            if resolution.overridden:
                origin, others = (
                    f"{benchmark.distribution} {benchmark.version}",
                    ", ".join(map(str, resolution.overridden)),
                )
                typer.echo(f"{benchmark.key}: {origin} in place of {others} ({resolution.why})", err=True)
    if undeclared := [each.key for each in selection.benchmarks if each.task and each.metadata.category == UNDECLARED]:
        typer.echo(f"no __metadata__ describes {', '.join(undeclared)}: named after the function", err=True)
    for suite in selection.suites:
        if suite.missing:
            typer.echo(f"{suite.key}: incomplete without {', '.join(suite.missing)}: not installed", err=True)


def _plan(selection: Selection, given: Options, names: Sequence[str]) -> Plan:
    from openbench.run.arguments import parse_pairs, parse_value
    from openbench.run.plan import EvalOptions, GenerateOptions, ModelSpec, options_of
    from openbench.run.planning import CANDIDATE_ROLE, make_plan

    model_args = {key: parse_value(value) for key, value in parse_pairs(given.model_args, "-M").items()}
    roles = parse_pairs(given.model_role, "--model-role")
    options = {"log_dir": "logs", **settings(given)}
    reducers = [name for names in options.pop("epochs_reducer") for name in names.split(",")]
    if reducers and given.epochs is None:
        raise UsageError("--epochs-reducer needs --epochs.")
    if reducers:
        options["epochs_reducer"] = reducers
    return make_plan(
        selection,
        [ModelSpec(name=name, base_url=given.model_base_url, args=model_args) for name in names],
        task_args=parse_pairs(given.task_args, "-T"),
        roles={
            role: ModelSpec(name=name, base_url=given.model_base_url if role == CANDIDATE_ROLE else None)
            for role, name in roles.items()
        },
        baseline=given.baseline,
        baseline_args=model_args,
        sample=given.sample,
        options=options_of(EvalOptions, options),
        generate=options_of(GenerateOptions, options),
        engine=given.engine,
        processes=given.processes,
    )


def _models(ctx: typer.Context, given: Options) -> Sequence[str]:
    """Return the models. A baseline or the role `candidate` takes precedence over environment variables."""
    if opt.typed(ctx, "model"):
        return given.model
    if given.baseline or any(role.startswith("candidate=") for role in given.model_role):
        return []
    return given.model or list(filter(None, [os.environ.get("INSPECT_EVAL_MODEL")]))
