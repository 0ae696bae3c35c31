"""Subcommands and executors that other distributions bring, and what is said when they do not."""

import pytest

COMMAND = """
import click
from openbench.errors import UsageError

LOADED = print("loaded")

@click.command("compare")
@click.argument("logs", nargs=-1)
@click.option("--fail", is_flag=True)
def command(logs, fail):
    '''Compare logs.'''
    if fail:
        raise UsageError("these cannot be compared.")
    click.echo(f"compared {len(logs)}")
    return 3 if len(logs) > 2 else 0

NOTHING = 7
"""

EXECUTOR = """
import click
from openbench.run.executor import Executor, Result

class Swarm(Executor):
    options = (click.Option(["--bees"], type=int, default=3, help="How many bees."),)

    def __init__(self, catalog, *, display, bees):
        super().__init__(catalog, display=display)
        self.bees = bees

    def execute(self, plan):
        from openbench.errors import OpenbenchError
        few = f"{self.bees} bees are too few"
        return [Result(job, error=OpenbenchError(f"{job.benchmark}: {few}")) for job in plan.jobs]

class Greedy(Swarm):
    options = (click.Option(["--limit"], type=int),)
"""


@pytest.fixture
def tools(site):
    """A distribution that brings a subcommand and an executor."""
    files = {"acme_tools.py": COMMAND, "acme_swarm.py": EXECUTOR}
    commands = {"compare": "acme_tools:command", "broken": "acme_tools:NOTHING", "list": "acme_tools:command"}
    executors = {"swarm": "acme_swarm:Swarm", "greedy": "acme_swarm:Greedy", "wrong": "acme_tools:NOTHING"}
    site.install("acme-tools", files, version="1.5", commands=commands, executors=executors)
    return site


# --- commands ---------------------------------------------------------------------------------------------------------


def test_a_plugin_brings_a_command(tools):
    done = tools.bench("compare", "a", "b")
    assert (done.code, done.out, done.err) == (0, "compared 2\n", "loaded\n")
    assert tools.bench("compare", "a", "b", "c").code == 3
    failed = tools.bench("compare", "--fail")
    assert (failed.code, failed.out, failed.err) == (2, "", "loaded\nbench: these cannot be compared.\n")
    assert "Usage: bench compare [OPTIONS] [LOGS]..." in tools.bench("compare", "--help").out


def test_it_is_in_the_help_and_costs_nothing_there(tools):
    done = tools.bench("--help")
    assert (done.code, done.err) == (0, "")
    assert "  compare     From acme-tools.\n" in done.out
    assert done.out.count("  list ") == 1


def test_the_kernels_own_command_stays_its_own(tools):
    done = tools.bench("list", "--json")
    assert (done.code, "loaded" in done.err) == (0, False)
    doctor = tools.bench("doctor")
    assert doctor.code == 1
    assert "openbench-core brings 'list' of openbench.commands, too" in doctor.out


@pytest.mark.parametrize(
    ("command", "package"), [("compare", "analysis"), ("report", "analysis"), ("gate", "analysis")]
)
def test_a_command_of_ours_that_is_not_installed_names_its_package(site, command, package):
    done = site.bench(command, "a", "b")
    message = f"bench: bench {command} comes with openbench-{package}: pip install openbench-{package}\n"
    assert (done.code, done.out, done.err) == (2, "", message)


def test_an_unknown_command_is_wrong_use(site):
    done = site.bench("nosuch")
    assert (done.code, done.out) == (2, "")
    assert "No such command 'nosuch'" in done.err


def test_a_command_that_is_none_or_does_not_load_is_told(tools):
    done = tools.bench("broken")
    assert (done.code, done.err) == (
        2,
        (
            "loaded\nbench: bench broken: acme-tools 1.5 gives a int where a click Command is expected. "
            "Tell its authors.\n"
        ),
    )
    tools.install("acme-more", {}, commands={"gone": "acme_gone:command"})
    done = tools.bench("gone")
    assert (done.code, done.err) == (
        2,
        (
            "bench: bench gone: acme-more: gone: its own module 'acme_gone' does not exist. "
            "Reinstall it: pip install --force-reinstall --no-deps acme-more.\n"
        ),
    )
    assert "acme_gone" in tools.bench("doctor").out


def test_two_that_bring_one_command_are_refused(tools):
    tools.install("bolt-tools", {"bolt_tools.py": COMMAND}, commands={"compare": "bolt_tools:command"})
    done = tools.bench("compare")
    assert (done.code, done.err) == (
        2,
        (
            "bench: bench compare: several distributions bring it: acme-tools 1.5 and bolt-tools 1.0. "
            "Uninstall one, or name the plugins to use in OPENBENCH_PLUGINS.\n"
        ),
    )
    assert tools.bench("compare", OPENBENCH_PLUGINS="bolt-tools").code == 0
    assert "acme-tools brings 'compare' of openbench.commands, too" in tools.bench("doctor").out


# --- executors --------------------------------------------------------------------------------------------------------


def evaluate(site, *arguments, **variables):
    site.install("acme-quiz", {"quiz_.py": "from acme import made\nQUIZ = made()\n"}, benchmarks={"quiz": "quiz_:QUIZ"})
    return site.bench("eval", "quiz", "--model", "none/x", *arguments, **variables)


@pytest.mark.parametrize(
    ("arguments", "variables", "bees"),
    [
        (["--executor", "swarm"], {}, 3),
        (["--executor=swarm", "--bees", "5"], {}, 5),
        (["--bees=6", "--swarm"], {}, 6),
        ([], {"BENCH_EXECUTOR": "swarm"}, 3),
        (["--executor", "greedy", "--swarm"], {}, 3),
    ],
)
def test_an_executor_with_options_of_its_own_runs_the_plan(tools, arguments, variables, bees):
    done = evaluate(tools, *arguments, **variables)
    assert (done.code, done.err) == (1, f"bench: quiz@acme-quiz: {bees} bees are too few\n")


def test_its_options_are_there_only_when_it_is_chosen(tools):
    done = evaluate(tools, "--bees", "5")
    assert (done.code, done.out) == (2, "")
    assert "No such option" in done.err
    plain, chosen = tools.bench("eval", "--help").out, tools.bench("eval", "--swarm", "--help").out
    assert "Short for --executor swarm." in plain
    assert ("How many bees." in plain, "How many bees." in chosen) == (False, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--executor", "ray"], "bench: --executor ray comes with openbench-ray: pip install openbench-ray\n"),
        (["--ray"], "bench: --executor ray comes with openbench-ray: pip install openbench-ray\n"),
        (
            ["--executor", "hive"],
            "bench: --executor hive: there is no such executor. Installed: local, greedy",
        ),
        (
            ["--executor", "wrong"],
            "loaded\nbench: --executor wrong: acme-tools 1.5 gives a int where a subclass of Executor is expected. ",
        ),
        (["--greedy"], "bench: --executor greedy: its option --limit is one of bench eval"),
    ],
)
def test_an_executor_that_is_not_there_or_wrong_is_told(tools, arguments, message):
    done = evaluate(tools, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)


def test_the_local_one_is_the_default(tools):
    assert "cannot be imported" not in evaluate(tools, "--executor", "local").err
