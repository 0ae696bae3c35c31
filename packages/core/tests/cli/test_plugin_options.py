"""Options of `bench eval` that other distributions provide."""

import pytest

PANELS = """
from dataclasses import dataclass, replace
from typing import Annotated

import typer
from openbench.cli.plugin_options import OptionPanel
from openbench.errors import UsageError

@dataclass(frozen=True)
class Bees(OptionPanel):
    panel = "Bees"
    bees: Annotated[int, typer.Option(min=0, help="Number of bees.")] = 0
    sting: Annotated[bool, typer.Option("--sting")] = False
    swarm: Annotated[int, typer.Option()] = 0

    def prepare(self, plan, given):
        if self.bees > 9:
            raise UsageError("--bees: nine are enough.")
        return replace(plan, options={**plan.options, "limit": self.bees}) if self.bees else plan

    def run_instead(self, plan, executor, given):
        if self.sting:
            print(len(plan.jobs), plan.options["limit"], executor.display, given.as_json)
            return 7
        return None

    def on_logs(self, logs, run):
        assert run.is_dir()
        if self.swarm:
            print([log.eval.task for log in logs], len(logs[0].samples))

    def on_report(self, logs):
        print("reported", self.swarm)
        return self.swarm

@dataclass(frozen=True)
class Loose(OptionPanel):
    panel = "Loose"
    fixed = False
    honey: Annotated[str | None, typer.Option()] = None

    def prepare(self, plan, given):
        print("honey", self.honey)
        return plan

@dataclass(frozen=True)
class Taken(OptionPanel):
    panel = "Taken"
    most: Annotated[int, typer.Option("--limit")] = 3

@dataclass(frozen=True)
class Odd(OptionPanel):
    panel = "Odd"
    value: Annotated[int | dict, typer.Option()] = 3

class Other: ...
"""
RANDOM = ["eval", "quiz.py", "--baseline", "random"]


@pytest.fixture
def bees(site, quiz):
    """A site with two panels, and a quiz in its folder."""
    site.write({path.name: path.read_text() for path in quiz.iterdir() if path.is_file()})
    points = {"bees": "acme_bees:Bees", "loose": "acme_bees:Loose"}
    site.install("acme-bees", {"acme_bees.py": PANELS}, eval_options=points)
    return site


def test_they_are_in_the_help_and_change_the_plan(bees):
    done = bees.bench("eval", "--help", COLUMNS="100")
    assert (done.code, "─ Bees ─" in done.out, "Number of bees." in done.out) == (0, True, True)
    done = bees.bench(*RANDOM, "--bees", "2", "--sting", "--json")
    assert (done.code, done.out) == (7, "honey None\n1 2 line True\n")
    done = bees.bench(*RANDOM, "--sting", BENCH_BEES="1")
    assert (done.code, done.out) == (7, "honey None\n1 1 line False\n")


def test_what_they_refuse_and_what_typer_refuses(bees):
    done = bees.bench(*RANDOM, "--bees", "10")
    assert (done.code, done.err) == (2, "bench: --bees: nine are enough.\n")
    assert "Invalid value for '--bees'" in bees.bench(*RANDOM, "--bees", "-1").err


def test_they_are_called_before_and_after_the_results_are_shown(bees):
    done = bees.bench(*RANDOM, "--bees", "3", "--swarm", "5")
    assert done.code == 5
    lines = done.out.splitlines()
    assert lines[:2] == ["honey None", "['quiz'] 3"]
    assert lines[2].startswith("benchmark ")
    assert lines[-1] == "reported 5"


def test_a_resumed_run_keeps_those_that_are_fixed(bees):
    assert bees.bench(*RANDOM, "--bees", "3", "--log-dir", "kept").code == 0
    done = bees.bench("eval", "--resume", "kept", "--bees", "2")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("bench: --bees: --resume without benchmarks runs everything as it was.")
    done = bees.bench("eval", "--resume", "kept", "--honey", "some", BENCH_BEES="12")
    assert (done.code, done.out.splitlines()[0]) == (0, "honey some")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("acme_bees:Taken", "bench eval has an option --limit already"),
        ("acme_bees:Odd", "AssertionError: Typer Currently doesn't support Union types"),
        ("acme_bees:Other", "refers to the class Other, expected a subclass of OptionPanel"),
        ("acme_bees:nothing", "AttributeError: module 'acme_bees' has no attribute 'nothing'"),
        ("acme_bees:Bees", "bench eval has an option --bees already"),
    ],
)
def test_a_broken_one_is_reported_and_left_out(bees, value, message):
    bees.install("bolt-bees", {}, eval_options={"more": value})
    done = bees.bench(*RANDOM, "--bees", "1", "--sting")
    assert (done.code, done.out) == (7, "honey None\n1 1 line False\n")
    assert done.err.startswith(f"bench: not loaded: bolt-bees: more: {message}")
    assert done.err.count("\n") == 1
    doctor = bees.bench("doctor", COLUMNS="300")
    assert (doctor.code, doctor.err) == (1, "")
    assert doctor.out.count(message) == 1


@pytest.mark.parametrize(
    ("option", "package"),
    [
        (["--dry-run"], "dryrun"),
        (["--cost-limit", "2"], "dryrun"),
        (["--hub-repo", "a/b"], "analysis"),
        (["--logfile", "a.json"], "logs"),
        (["--loglikelihood", "first-token"], "loglikelihood"),
    ],
)
def test_an_option_of_a_package_that_is_not_installed_names_it(site, option, package):
    done = site.bench("eval", "quiz", "--model", "a/b", *option, OPENBENCH_PLUGINS="acme-nothing")
    assert (done.code, done.out) == (2, "")
    package = f"openbench-{package}"
    assert done.err.startswith(f"bench: bench eval {option[0]} comes with {package}: pip install {package}")


def test_a_retry_has_none_of_them(bees):
    (bees.folder / "log.eval").touch()
    done = bees.bench("eval-retry", "log.eval", "--dry-run")
    assert (done.code, done.out) == (2, "")
    assert "No such option: --dry-run" in done.err
