"""Subcommands and executors that other distributions bring, and what is said when they do not."""

import re

import pytest

COMMAND = """
from typing import TYPE_CHECKING, Annotated, Optional

import typer
from openbench.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

LOADED = print("loaded")

def command(logs: Annotated[Optional[list[str]], typer.Argument(metavar="[LOGS]...")] = None, fail: bool = False):
    '''Compare logs, as in [/] and [tool.acme].'''
    if fail:
        raise UsageError("these cannot be compared.")
    print(f"compared {len(logs or [])}")
    return 3 if len(logs or []) > 2 else 0

app = typer.Typer(help="Logs of acme.")
app.command("one")(lambda: 4)
app.command("two")(lambda: None)

def wrong_type(value: int | dict = 3): ...

def unknown_type(value: "Path"): ...

NOTHING = 7
"""

EXECUTOR = """
from dataclasses import dataclass, field
from typing import Annotated

import typer
from openbench.run.executor import Executor, Result

@dataclass
class Bees:
    bees: Annotated[int, typer.Option("--bees", help="Number of bees.")] = 3
    names: Annotated[list[str], typer.Option("--name")] = field(default_factory=list)
    queen: Annotated[bool, typer.Option("--queen/--no-queen")] = True

class Swarm(Executor):
    options = Bees

    def __init__(self, catalog, *, display, options):
        super().__init__(catalog, display=display)
        self.bees = options.bees

    def execute(self, plan):
        from openbench.errors import OpenbenchError
        few = f"{self.bees} bees are too few"
        return [Result(job, error=OpenbenchError(f"{job.benchmark}: {few}")) for job in plan.jobs]

@dataclass
class Fault:
    fault: Annotated[str, typer.Option()] = ""

class Faulty(Executor):
    options = Fault

    def __init__(self, catalog, *, display, options):
        self.catalog, self.fault = catalog, options.fault
        if self.fault == "make":
            raise RuntimeError("no bees")

    def execute(self, plan):
        print("hi")
        if self.fault == "exit":
            raise SystemExit(0)
        return {"none": None, "few": []}.get(self.fault) if self.fault != "raise" else {}["bee"]

class Abstract(Executor):
    pass

class Listless(Swarm):
    options = ["--bees"]

@dataclass
class Shown:
    display: Annotated[str, typer.Option("--shown")] = ""

class Displaying(Swarm):
    options = Shown

@dataclass
class Limit:
    most: Annotated[int, typer.Option("--limit")] = 3

class Greedy(Swarm):
    options = Limit
"""


@pytest.fixture
def tools(site):
    """A distribution that brings a subcommand and an executor."""
    files = {"acme_tools.py": COMMAND, "acme_swarm.py": EXECUTOR}
    commands = {"tally": "acme_tools:command", "broken": "acme_tools:NOTHING", "list": "acme_tools:command"}
    commands |= {"group": "acme_tools:app", "typed": "acme_tools:wrong_type", "untyped": "acme_tools:unknown_type"}
    executors = {"swarm": "acme_swarm:Swarm", "greedy": "acme_swarm:Greedy", "wrong": "acme_tools:NOTHING"}
    executors |= {name.lower(): f"acme_swarm:{name}" for name in ("Faulty", "Abstract", "Listless", "Displaying")}
    executors |= {"limit": "acme_swarm:Swarm", "json": "acme_swarm:Swarm"}
    site.install("acme-tools", files, version="1.5", commands=commands, executors=executors)
    return site


# --- commands ---------------------------------------------------------------------------------------------------------


def test_a_plugin_brings_a_command(tools):
    done = tools.bench("tally", "a", "b")
    assert (done.code, done.out, done.err) == (0, "compared 2\n", "loaded\n")
    assert tools.bench("tally", "a", "b", "c").code == 3
    failed = tools.bench("tally", "--fail")
    assert (failed.code, failed.out, failed.err) == (2, "", "loaded\nbench: these cannot be compared.\n")
    assert "Usage: bench tally [OPTIONS] [LOGS]..." in tools.bench("tally", "--help").out


def test_it_is_in_the_help_and_costs_nothing_there(tools):
    done = tools.bench("--help")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"tally +From acme-tools\.", done.out)
    assert done.out.count("│ list ") == 1


def test_the_kernels_own_command_stays_its_own(tools):
    done = tools.bench("list", "--json")
    assert (done.code, "loaded" in done.err) == (0, False)
    doctor = tools.bench("doctor")
    assert doctor.code == 1
    assert "openbench-core also registers 'list' in openbench.commands" in doctor.out


@pytest.mark.parametrize(
    ("command", "package"),
    [
        ("new", "testing"),
        ("fork", "testing"),
        ("providers", "providers"),
        ("log", "logs"),
        ("cache", "logs"),
        ("view", "logs"),
        ("reproduce", "logs"),
        ("compare", "analysis"),
        ("gate", "analysis"),
        ("eval-retry", "logs"),
        ("data", "bundles"),
        ("doctor", "doctor"),
        ("use", "doctor"),
    ],
)
def test_a_command_of_ours_that_is_not_installed_names_its_package(site, command, package):
    done = site.bench(*command.split(), "a", "b", OPENBENCH_PLUGINS="acme-nothing")  # as if no plugin were installed
    message = f"bench: bench {command} comes with openbench-{package}: pip install openbench-{package}"
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)


def test_an_unknown_command_is_wrong_use(site):
    done = site.bench("nosuch")
    assert (done.code, done.out) == (2, "")
    assert "No such command 'nosuch'" in done.err


def test_a_command_that_is_none_or_does_not_load_is_told(tools):
    done = tools.bench("broken")
    assert (done.code, done.err) == (
        2,
        (
            "loaded\nbench: bench broken: acme-tools: broken: refers to an int, expected an annotated function or a "
            "typer.Typer. "
            "Report it to the authors of acme-tools, or uninstall it: pip uninstall acme-tools.\n"
        ),
    )
    tools.install("acme-more", {}, commands={"gone": "acme_gone:command"})
    done = tools.bench("gone")
    assert (done.code, done.err) == (
        2,
        (
            "bench: bench gone: acme-more: gone: ModuleNotFoundError: No module named 'acme_gone'. "
            "Reinstall it with its dependencies: pip install --force-reinstall acme-more.\n"
        ),
    )
    assert "acme_gone" in tools.bench("doctor").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["typed"], "bench typed: acme-tools: typed: AssertionError: Typer Currently doesn't support Union types."),
        (["untyped"], "bench untyped: acme-tools: untyped: NameError: name 'Path' is not defined."),
    ],
)
def test_a_command_that_cannot_be_built_costs_one_line(tools, arguments, message):
    done = tools.bench(*arguments)
    error = done.err.removeprefix("loaded\n")
    assert (done.code, done.out, error.count("\n")) == (2, "", 1)
    assert error.startswith(f"bench: {message}")


def test_a_group_of_a_plugin_and_help_that_looks_like_markup(tools):
    assert tools.bench("group", "one").code == 4
    assert "No such command 'nosuch'" in tools.bench("group", "nosuch").err
    assert "Compare logs, as in [/] and [tool.acme]." in tools.bench("tally", "--help").out


def test_two_that_bring_one_command_are_refused(tools):
    tools.install("bolt-tools", {"bolt_tools.py": COMMAND}, commands={"tally": "bolt_tools:command"})
    done = tools.bench("tally")
    assert (done.code, done.err) == (
        2,
        (
            "bench: bench tally: several distributions provide it: acme-tools 1.5 and bolt-tools 1.0. "
            "Uninstall one, or name the plugins to use in OPENBENCH_PLUGINS.\n"
        ),
    )
    assert tools.bench("tally", OPENBENCH_PLUGINS="bolt-tools").code == 0
    assert "acme-tools also registers 'tally' in openbench.commands" in tools.bench("doctor").out


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
    assert "An executor may add it: --executor abstract or " in done.err
    plain = tools.bench("eval", "--help", COLUMNS="200").out
    chosen = tools.bench("eval", "--swarm", "--help", COLUMNS="200").out
    assert "Short for --executor swarm; with --help" in plain
    assert ("Number of bees." in plain, "Number of bees." in chosen) == (False, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--executor", "hive"], "bench: --executor hive: there is no such executor. Installed: local, abstract"),
        (
            ["--executor", "wrong"],
            "bench: --executor wrong: acme-tools: wrong: refers to an int, expected a subclass of Executor. ",
        ),
        (["--greedy"], "bench: --executor greedy: its option --limit is one of bench eval"),
        (
            ["--listless"],
            "bench: --executor listless: its options: ",
        ),
        (
            ["--displaying"],
            "bench: --executor displaying: its option display is one of bench eval. Report it to its authors.\n",
        ),
    ],
)
def test_an_executor_that_is_not_there_or_wrong_is_told(tools, arguments, message):
    done = evaluate(tools, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.removeprefix("loaded\n").startswith(message)


@pytest.mark.parametrize("arguments", [["--executor", "ray"], ["--ray"]])
def test_an_executor_of_ours_that_is_not_installed_names_its_package(tools, arguments):
    done = evaluate(tools, *arguments, OPENBENCH_PLUGINS="acme-tools,acme-quiz")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: --executor ray comes with openbench-ray: pip install openbench-ray")


def test_the_local_one_is_the_default(tools):
    assert "cannot be imported" not in evaluate(tools, "--executor", "local").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--faulty", "--fault", "make"], "acme_swarm:Faulty failed: RuntimeError: no bees. Report it to its authors."),
        (["--faulty", "--fault", "raise"], "acme_swarm:Faulty failed: KeyError: 'bee'. Report it to its authors."),
        (["--faulty", "--fault", "exit"], "acme_swarm:Faulty failed: SystemExit: 0. Report it to its authors."),
        (["--faulty", "--fault", "none"], "acme_swarm:Faulty failed: TypeError: "),
        (["--faulty", "--fault", "few"], "acme_swarm:Faulty returned 0 results for 1 job."),
        (["--abstract"], "acme_swarm:Abstract failed: TypeError: Can't instantiate abstract class Abstract"),
    ],
)
def test_an_executor_that_breaks_its_promise_is_named(tools, arguments, message):
    done = evaluate(tools, *arguments, "--json")
    assert (done.code, done.out) == (1, "")
    assert f"bench: the executor {message}" in done.err


def test_an_executor_named_like_an_option_has_no_flag(tools):
    assert "cannot be imported" not in evaluate(tools, "--limit", "3", "--json").err
    assert "3 bees are too few" in evaluate(tools, "--executor", "limit").err
    told = tools.bench("doctor").out
    assert "openbench-core also registers 'limit' in openbench.executors" in told
    assert "acme-tools: broken: refers to an int, expected an" in told


ODD = "class Odd(BaseException): ...\nraise Odd"
MAIN = "import sys; sys.argv[0] = 'bench'; from openbench.cli.main import main; main()"


@pytest.mark.parametrize("source", ["raise KeyboardInterrupt", ODD, "while True: pass"])
def test_a_command_is_loaded_under_guard(tools, source):
    tools.install("acme-bad", {"bad_.py": source}, commands={"bad": "bad_:command"})
    done = tools.bench("bad", OPENBENCH_PLUGIN_TIMEOUT="1")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: bench bad: acme-bad: bad: ")
    completion = {"_BENCH_COMPLETE": "complete_bash", "COMP_WORDS": "bench ", "COMP_CWORD": "1"}
    completed = tools.python("-c", MAIN, **completion)
    assert {"bad", "tally", "list"} <= {*completed.out.splitlines()}
    assert completed.err == ""


def test_what_the_limit_leaves_out_is_hinted_at(tools):
    for arguments in (["new"], ["eval", "quiz", "--isolated"], ["describe", "quiz"]):
        done = tools.bench(*arguments, OPENBENCH_PLUGINS="acme-nothing")
        assert "(OPENBENCH_PLUGINS limits which plugins are used)" in done.err
