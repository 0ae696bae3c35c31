"""The options of `bench eval`: one class for each panel of its help."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from openbench.baselines import Baseline
from openbench.cli import options as opt
from openbench.cli.options import option, switch


@dataclass(frozen=True)
class Models:
    """What is evaluated."""

    models: Annotated[
        list[str],
        option("Models", "--model", metavar="NAME", help="Model to evaluate, as provider/model; may be repeated."),
    ] = field(default_factory=list)
    model_base_url: Annotated[
        str | None, option("Models", "--model-base-url", metavar="URL", help="Base URL of the models' API.")
    ] = None
    roles: Annotated[
        list[str],
        option("Models", "--model-role", metavar="ROLE=MODEL", help="Model of a role, such as grader=openai/gpt-4.1."),
    ] = field(default_factory=list)
    model_args: Annotated[
        list[str],
        option("Models", "-M", variable="MODEL_ARGS", metavar="KEY=VALUE", help="Argument of the models' provider."),
    ] = field(default_factory=list)
    baseline: Annotated[
        Baseline | None,
        option(
            "Models",
            "--baseline",
            case_sensitive=False,
            metavar="NAME",
            help="Evaluate a baseline in place of a model, without an API key or a network: random, constant, empty, "
            "echo, or reference, which answers with the targets.",
        ),
    ] = None


@dataclass(frozen=True)
class Tasks:
    """What is run."""

    task_args: Annotated[
        list[str],
        option(
            "Tasks",
            "-T",
            variable="TASK_ARGS",
            metavar="KEY=VALUE",
            help="Argument of the benchmarks; goes to those that have it.",
        ),
    ] = field(default_factory=list)
    limit: Annotated[
        Any,
        option(
            "Tasks",
            "--limit",
            parser=opt.parse_limit,
            metavar="N|START,END",
            help="Run only the first N samples, or a range.",
        ),
    ] = None
    sample: Annotated[
        bool, option("Tasks", "--sample", help="Run the few sample rows that the package ships, offline.")
    ] = False
    epochs: Annotated[int | None, option("Tasks", "--epochs", min=1, help="Number of times to run each sample.")] = None
    epochs_reducer: Annotated[
        list[str],
        option(
            "Tasks",
            "--epochs-reducer",
            metavar="NAME",
            help="How to reduce the scores of epochs: mean, median, mode, max, at_least_N, pass_at_N, pass_hat_N.",
        ),
    ] = field(default_factory=list)
    alpha: Annotated[bool, option("Tasks", "--alpha", help="Allow experimental benchmarks.")] = False
    no_overrides: opt.NoOverrides = False


@dataclass(frozen=True)
class Generation:
    """How the models generate."""

    temperature: Annotated[float | None, option("Generation", "--temperature", min=0, help="Sampling temperature.")] = (
        None
    )
    top_p: Annotated[
        float | None, option("Generation", "--top-p", min=0, max=1, help="Nucleus sampling probability.")
    ] = None
    max_tokens: Annotated[
        int | None, option("Generation", "--max-tokens", min=1, help="Maximum output tokens per answer.")
    ] = None
    seed: Annotated[
        int | None, option("Generation", "--seed", metavar="N", help="Random seed of the model's sampling.")
    ] = None
    reasoning_effort: Annotated[
        Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None,
        option(
            "Generation",
            "--reasoning-effort",
            case_sensitive=False,
            metavar="LEVEL",
            help="Reasoning effort: none, minimal, low, medium, high, xhigh or max.",
        ),
    ] = None
    cache: Annotated[
        bool | None,
        switch("Generation", "cache", help="Reuse responses of earlier identical requests (see bench cache)."),
    ] = None


@dataclass(frozen=True)
class Running:
    """Who runs the benchmarks, and how many processes."""

    executor: Annotated[
        str,
        option(
            "Processes",
            "--executor",
            metavar="NAME",
            help="Executor of the run: local is this process; plugins provide others, each with options of its own.",
        ),
    ] = "local"
    engine: Annotated[
        str,
        option(
            "Processes",
            "--engine",
            metavar="NAME",
            help="Engine of the samples: inspect runs anything, direct (of openbench-fast) static benchmarks, auto "
            "picks the fastest that can.",
        ),
    ] = "auto"
    processes: Annotated[
        int | None,
        option(
            "Processes",
            "--processes",
            min=1,
            help="Processes on this machine that share the samples and the connections; chosen by samples and cores by "
            "default. Tasks with sandboxes or other process-wide state use one process.",
        ),
    ] = None
    max_tasks: Annotated[
        int | None, option("Processes", "--max-tasks", min=1, help="Maximum concurrent benchmarks.")
    ] = None
    sandbox: Annotated[
        str | None,
        option(
            "Processes",
            "--sandbox",
            metavar="NAME",
            help="Sandbox of tools and code: docker, local, or another of Inspect's.",
        ),
    ] = None


@dataclass(frozen=True)
class Cost:
    """What a run would cost."""

    dry_run: Annotated[
        bool,
        option(
            "Cost",
            "--dry-run",
            help="Estimate requests, tokens and cost, and show the first request, without sending any.",
        ),
    ] = False
    price: Annotated[
        str | None,
        option(
            "Cost",
            "--price",
            metavar="IN,OUT",
            help="Prices per million input and output tokens, for --dry-run and --cost-limit; by default those of "
            "[tool.openbench.prices].",
        ),
    ] = None


@dataclass(frozen=True)
class EvalLogs(opt.Logs):
    """What is logged, in which file."""

    log_format: Annotated[
        Literal["eval", "json"] | None,
        option(
            "Logs",
            "--log-format",
            case_sensitive=False,
            metavar="NAME",
            help="Log format, eval or json; by default eval from the engine inspect in one process, else json.",
        ),
    ] = None
    logfile: Annotated[
        str | None,
        option(
            "Logs",
            "--logfile",
            variable="OUTPUT",
            metavar="FILE",
            help="Name of the log of a single benchmark and model, ending in .eval or .json; in --log-dir if that is "
            "given.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `bench eval`, in the order of its help."""

    models: Models
    tasks: Tasks
    limits: opt.Limits
    resume: Annotated[
        str | None,
        option(
            "Resuming",
            "--resume",
            callback=opt.parse_existing,
            metavar="DIR",
            help="Resume an earlier run: a directory in runs/ of its log directory, or a log directory or address that "
            "has only one. Without BENCHMARKS, everything is as it was.",
        ),
    ] = None
    resuming: opt.Resuming
    generation: Generation
    requests: opt.Requests
    running: Running
    processes: opt.Processes
    cost: Cost
    errors: opt.Errors
    logs: EvalLogs
