"""`bench eval`."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openbench.baselines import BASELINES
from openbench.cli import options as opt
from openbench.cli.completion import complete_benchmarks
from openbench.cli.executors import ExecutorCommand, execute, executor_again, executor_arguments, make_executor
from openbench.errors import UsageError
from openbench.registry.local import UNDECLARED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openbench.registry.catalog import Catalog
    from openbench.run.executor import Executor
    from openbench.run.plan import EvalOptions, Plan
    from openbench.run.planning import Selection


@click.command("eval", cls=ExecutorCommand)
@click.argument("benchmarks", nargs=-1, envvar="BENCH_BENCHMARKS", shell_complete=complete_benchmarks)
@opt.option(
    "Models",
    "--model",
    "models",
    multiple=True,
    variable="MODEL",
    help="Model to evaluate, as provider/model; may be repeated.",
)
@opt.option("Models", "--model-base-url", help="Address of the models' API.")
@opt.option(
    "Models",
    "--model-role",
    "roles",
    multiple=True,
    variable="MODEL_ROLE",
    metavar="ROLE=MODEL",
    help="Model of a role, such as grader=openai/gpt-4.1.",
)
@opt.option(
    "Models",
    "-M",
    "model_args",
    multiple=True,
    variable="MODEL_ARGS",
    metavar="KEY=VALUE",
    help="Argument of the models' provider.",
)
@opt.option(
    "Models",
    "--baseline",
    type=click.Choice(BASELINES, case_sensitive=False),
    help="A baseline in place of a model; reference answers from the targets. No key, no network.",
)
@opt.option(
    "Tasks",
    "-T",
    "task_args",
    multiple=True,
    variable="TASK_ARGS",
    metavar="KEY=VALUE",
    help="Argument of the benchmarks; goes to those that have it.",
)
@opt.option(
    "Tasks",
    "--limit",
    callback=opt.parse_limit,
    metavar="N|START,END",
    help="Only the first N samples, or a range.",
)
@opt.option("Tasks", "--sample", is_flag=True, help="Run the few rows that the package brings, offline.")
@opt.option("Tasks", "--epochs", type=click.IntRange(1), help="How often to run each sample.")
@opt.option(
    "Tasks",
    "--epochs-reducer",
    multiple=True,
    metavar="NAME",
    help="How to reduce the scores of epochs: mean, median, mode, max, at_least_N, pass_at_N, pass_hat_N.",
)
@opt.LIMITS
@opt.option("Tasks", "--alpha", is_flag=True, help="Allow experimental benchmarks.")
@opt.NO_OVERRIDES
@opt.option(
    "Resuming",
    "--resume",
    callback=opt.parse_existing,
    metavar="DIR",
    help="Run what is missing of an earlier run, a directory in runs/ of its log directory; or of the only run of a "
    "log directory or address. Without BENCHMARKS, everything is as it was.",
)
@opt.RERUN_CHANGED
@opt.TRUST
@opt.option("Generation", "--temperature", type=click.FloatRange(0), help="Sampling temperature.")
@opt.option("Generation", "--top-p", type=click.FloatRange(0, 1), help="Nucleus sampling.")
@opt.option("Generation", "--max-tokens", type=click.IntRange(1), help="Most tokens of an answer.")
@opt.option("Generation", "--seed", type=int, help="Seed of the model's sampling.")
@opt.option(
    "Generation",
    "--reasoning-effort",
    type=click.Choice(["none", "minimal", "low", "medium", "high", "xhigh", "max"], case_sensitive=False),
    help="How much a reasoning model thinks.",
)
@opt.switch("Generation", "cache", help="Reuse responses of earlier identical requests (see bench cache).")
@opt.REQUESTS
@opt.option(
    "Processes",
    "--executor",
    default="local",
    show_default=True,
    metavar="NAME",
    help="Who runs the benchmarks: local is this process; plugins bring others, each with options of its own.",
)
@opt.option(
    "Processes",
    "--engine",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="Who runs the samples: direct is the fast way of static benchmarks, inspect runs anything, and auto takes the "
    "fastest that can.",
)
@opt.option(
    "Processes",
    "--processes",
    type=click.IntRange(1),
    help="Processes on this machine that share the samples, and the connections; by default, by samples and cores. "
    "Sandboxes and what else one process holds for all samples is never divided.",
)
@opt.option(
    "Cost",
    "--dry-run",
    is_flag=True,
    help="Ask no model anything: tell how many requests and tokens there would be, what they cost, and the first one.",
)
@opt.option(
    "Cost",
    "--price",
    metavar="IN,OUT",
    help="Prices of a million tokens read and written, for --dry-run and --cost-limit; else those of "
    "[tool.openbench.prices].",
)
@opt.option("Processes", "--max-tasks", type=click.IntRange(1), help="Most benchmarks at once.")
@opt.option("Processes", "--sandbox", help="Where tools and code run: docker, local, or another of inspect's.")
@opt.PROCESSES
@opt.ERRORS
@opt.LOGS
@opt.option(
    "Logs",
    "--log-format",
    type=click.Choice(["eval", "json"], case_sensitive=False),
    help="Format of the logs; if not given, eval from the engine inspect in one process, else json.",
)
@opt.option(
    "Logs",
    "--logfile",
    variable="OUTPUT",
    help="Name of the log, ending in .eval or .json, for a single benchmark and model; within --log-dir, if that is "
    "given.",
)
def command(**given: Any) -> int:
    """Run benchmarks on models.

    BENCHMARKS are names, name@distribution, groups, or paths of local evals.
    """
    # Imported here: a wrong option should not have to wait for the engine.
    from openbench.registry.catalog import Catalog

    executor = make_executor(given, Catalog.installed(overrides=not given["no_overrides"]))
    _check_dry_run(executor, given)
    if given["benchmarks"]:
        plan = replace(_selected(executor, given), executor=executor_arguments(given))
    else:
        executor, plan = _resumed(executor.catalog, given)
    plan = replace(plan, command=tuple(click.get_current_context().find_root().obj or ()))
    logfile = _logfile(given, len(plan.jobs), plan.options)
    if given["dry_run"]:
        return _dry_run(executor, plan, given)

    from openbench.cli.report import report, summary_of
    from openbench.run.journal.directory import new_name, run_path
    from openbench.run.journal.naming import name_log
    from openbench.run.prices import read_prices
    from openbench.run.suites import suite_summaries

    run = Path(plan.resume) if plan.resume else run_path(plan.options["log_dir"], new_name())
    plan = replace(plan, run=run.name)
    prices = read_prices(Path.cwd())  # before anything runs that would be lost if it is wrong
    results = execute(executor, plan)
    if logfile and (log := results[0].log) and log.location:
        name_log(log, logfile, run)
    summaries = [summary_of(result, prices) for result in results]
    return report(summaries, suite_summaries(plan, summaries), as_json=given["as_json"], run=run)


def _selected(executor: Executor, given: dict[str, Any]) -> Plan:
    """Plan what the command line names."""
    from openbench.run.planning import select

    if given["rerun_changed"] and not given["resume"]:
        raise UsageError("--rerun-changed needs --resume.")
    selection = select(executor, given["benchmarks"], alpha=given["alpha"])
    _announce(executor.catalog, selection)
    if given["resume"]:
        from openbench.run.journal.finding import find_run
        from openbench.run.journal.stored import log_dir_of

        directory = find_run(given["resume"])
        own = log_dir_of(directory, directory.plans()[-1])
        given = {**given, "resume": str(directory.path), "log_dir": given["log_dir"] or own}
    return replace(_plan(selection, given), resume=given["resume"], rerun_changed=given["rerun_changed"])


def _resumed(catalog: Catalog, given: dict[str, Any]) -> tuple[Executor, Plan]:
    """Plan what is missing of a run, as it was, for the executor that it had."""
    from openbench.run.engines import AUTO
    from openbench.run.journal.finding import find_run
    from openbench.run.journal.stored import stored_plan

    ctx = click.get_current_context()
    if not given["resume"]:
        raise click.UsageError("Missing argument 'BENCHMARKS...'.", ctx)
    for param in ctx.command.params:
        typed = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
        if typed and (getattr(param, "section", "") in {"Models", "Tasks", "Generation"} or param.name == "sandbox"):
            raise UsageError(
                f"{param.opts[0]}: --resume without benchmarks runs everything as it was. To change something, give "
                "the whole command of the run, with --resume."
            )
    directory = find_run(given["resume"])
    changed = opt.while_continued(given) | opt.given(max_tasks=given["max_tasks"], log_format=given["log_format"])
    executor, arguments = executor_again(given, directory, catalog)
    plan = stored_plan(executor.find_again, directory, given=changed, rerun_changed=given["rerun_changed"])
    engine = plan.engine if given["engine"] == AUTO else given["engine"]
    return executor, replace(plan, engine=engine, processes=given["processes"] or plan.processes, executor=arguments)


def _check_dry_run(executor: Executor, given: dict[str, Any]) -> None:
    if given["price"] and not given["dry_run"] and given["cost_limit"] is None:
        raise UsageError("--price is for --dry-run, which estimates what a run costs, and for --cost-limit.")
    if given["dry_run"] and given["resume"]:
        raise UsageError("--dry-run counts whole runs. Leave out --resume.")
    if given["dry_run"] and executor.elsewhere:
        raise UsageError("--dry-run looks at what is installed here. Leave out the executor (--executor, --isolated).")
    if given["dry_run"]:
        from openbench.cli.plugins import load_dry_run

        load_dry_run()  # before anything is built, in case its package is not installed


def _dry_run(executor: Executor, plan: Plan, given: dict[str, Any]) -> int:
    from openbench.cli.plugins import load_dry_run
    from openbench.run.prices import parse_price

    price = parse_price(given["price"]) if given["price"] else None
    estimate = load_dry_run()
    return estimate(executor.catalog, plan, display=executor.display, price=price, as_json=given["as_json"])


def _announce(catalog: Catalog, selection: Selection) -> None:
    """Say before anything runs what is not as a user may take it for granted."""
    for benchmark in selection.benchmarks:
        for problem in catalog.not_loaded(benchmark.key) if benchmark.resolution else ():
            click.echo(f"{benchmark.key}: {benchmark.distribution} runs, since another is {problem.line}", err=True)
        if benchmark.resolution and benchmark.resolution.overridden:
            others = ", ".join(map(str, benchmark.resolution.overridden))
            origin = f"{benchmark.distribution} {benchmark.version}"
            click.echo(f"{benchmark.key}: {origin} in place of {others} ({benchmark.resolution.why})", err=True)
    if undeclared := [each.key for each in selection.benchmarks if each.task and each.metadata.category == UNDECLARED]:
        click.echo(f"no __metadata__ describes {', '.join(undeclared)}: named after the function", err=True)
    for suite in selection.suites:
        if suite.missing:
            click.echo(f"{suite.key}: incomplete without {', '.join(suite.missing)}: not installed", err=True)


def _plan(selection: Selection, given: dict[str, Any]) -> Plan:
    from openbench.run.plan import EvalOptions, GenerateOptions, ModelSpec
    from openbench.run.planning import CANDIDATE_ROLE, make_plan
    from openbench.run.values import parse_pairs, parse_value

    address = given["model_base_url"]
    model_args = {key: parse_value(value) for key, value in parse_pairs(given["model_args"], "-M").items()}
    roles = parse_pairs(given["roles"], "--model-role")
    names = _models(given)
    options = opt.given(
        limit=given["limit"],
        epochs=given["epochs"],
        epochs_reducer=[name for names in given["epochs_reducer"] for name in names.split(",")] or None,
        **{name: given[name] for name in opt.LIMIT_NAMES},
        model_cost_config=_prices(given, [*names, *roles.values()]) if given["cost_limit"] else None,
        max_tasks=given["max_tasks"],
        max_subprocesses=given["max_subprocesses"],
        sandbox=given["sandbox"],
        sandbox_cleanup=given["sandbox_cleanup"],
        fail_on_error=opt.fail_on_error(given["fail_on_error"], given["no_fail_on_error"]),
        retry_on_error=given["retry_on_error"],
        debug_errors=given["debug_errors"] or None,
        log_dir=given["log_dir"] or "logs",
        log_format=given["log_format"],
        log_samples=given["log_samples"],
        log_images=given["log_images"],
        log_buffer=given["log_buffer"],
        score=given["score"],
        trace=given["trace"] or None,
    )
    if "epochs_reducer" in options and "epochs" not in options:
        raise UsageError("--epochs-reducer needs --epochs.")
    generation = {name: given[name] for name in GenerateOptions.__annotations__ if name in given}
    # A request that hangs is no retry, so that inspect's timeout alone would never end it.
    generation["attempt_timeout"] = given["timeout"]
    return make_plan(
        selection,
        [ModelSpec(name=name, base_url=address, args=model_args) for name in names],
        task_args=parse_pairs(given["task_args"], "-T"),
        roles={
            role: ModelSpec(name=name, base_url=address if role == CANDIDATE_ROLE else None)
            for role, name in roles.items()
        },
        baseline=given["baseline"],
        baseline_args=model_args,
        sample=given["sample"],
        options=EvalOptions(**options),  # type: ignore[typeddict-item]
        generate=GenerateOptions(**opt.given(**generation)),  # type: ignore[typeddict-item]
        engine=given["engine"],
        processes=given["processes"],
    )


def _prices(given: dict[str, Any], models: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the prices that the user has for models: those of --price, else the project's."""
    from openbench.run.prices import parse_price, read_prices

    price = parse_price(given["price"]) if given["price"] else None
    prices = dict.fromkeys(models, price) if price else read_prices(Path.cwd())
    return {name: asdict(price) for name, price in prices.items() if name in models}


def _models(given: dict[str, Any]) -> list[str]:
    """Return the models; those of a variable, ours or inspect's, give way to a baseline or a role that names one."""
    source = click.get_current_context().get_parameter_source("models")
    typed = list(given["models"]) if source is click.core.ParameterSource.COMMANDLINE else []
    if typed or given["baseline"] or any(role.startswith("candidate=") for role in given["roles"]):
        return typed
    default = os.environ.get("INSPECT_EVAL_MODEL")
    return list(given["models"]) or ([default] if default else [])


def _logfile(given: dict[str, Any], jobs: int, options: EvalOptions) -> str | None:
    """Put the log where `--logfile` says: set its format and directory, and return the name that it gets at the end."""
    name, log_dir = given["logfile"], given["log_dir"]
    if name is None:
        return None
    from openbench.run.locations import absolute, parent, plain

    log, suffix = plain(name), Path(name).suffix
    if jobs != 1:
        raise UsageError(f"--logfile names one log, but there are {jobs} runs. Use --log-dir.")
    if suffix not in {".eval", ".json"} or options.get("log_format", suffix[1:]) != suffix[1:]:
        raise UsageError(f"--logfile {name}: the name must end in .eval or .json, as --log-format says.")
    if log_dir and Path(log).name == log:
        log = f"{log_dir.rstrip('/')}/{log}"
    elif log_dir and absolute(parent(log)) != absolute(log_dir):
        raise UsageError(f"--logfile {name}: it is not in --log-dir {log_dir}. Give its name alone, or no --log-dir.")
    from openbench.run.logs import check_name

    check_name(log, given["resume"])
    options["log_format"] = "eval" if suffix == ".eval" else "json"
    options["log_dir"] = parent(log)
    return absolute(log)
