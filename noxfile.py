"""Every task of the project. Packages are found by globbing: a new one needs no line here."""

import os
import re
import shutil
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["tests", "lint", "typing"]
nox.options.error_on_missing_interpreters = True

# Tests start hundreds of processes; where bytecode may not be written, each compiles all that it imports, which takes
# most of its time: the installer that nox uses compiles nothing.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

ROOT = Path(__file__).parent
CONSTRAINTS = ROOT / "constraints.txt"
EVERY = {path.parent.name: path.parent for path in sorted(ROOT.glob("packages/*/pyproject.toml"))}
# Its extra `local` brings torch, so it is installed in a session of its own.
APART = ["loglikelihood"]
# The extras of `harnesses` are other harnesses, which bench installs into environments of their own; that of
# `bench-swebench` brings a harness that needs Docker.
EXTRAS_APART = ["bench-swebench", "harnesses"]
PACKAGES = {name: path for name, path in EVERY.items() if name not in APART}
TESTED = [name for name, path in PACKAGES.items() if any(path.glob("tests/test_*.py"))]
# Every package is tested with the kernel, and with the servers and the conformance checks of the testing package.
BESIDES = ["core", "dryrun", "logs", "testing"]  # with what these depend on
# These do not depend on it, but their tests read logs, and make runs again, with its commands.
TESTED_WITH = {
    "analysis": ["scorers"],
    "authoring": ["bench-instruct", "bench-swebench", "bench-tools", "judges", "sandbox"],
    "core": ["bundles", "compat", "doctor", "fast", "retries", "scorers", "suites"],
    "dryrun": ["fast", "ranking"],
    "fast": ["authoring", "ranking", "retries", "scorers"],
    "local": ["compat"],
    "ray": ["dryrun"],
    "retries": ["fast"],
    "testing": ["ranking", "scorers"],
}
# Neighbours share what is slow to make: they stay together until a worker has nothing left and takes some of another's.
PYTEST = ["pytest", "-n", "auto", "--maxprocesses", "4", "--dist", "worksteal"]
QUICK, STRESS = ["-m", "not stress"], ["-m", "stress"]

# The others take longer than a minute.
QUICK_BENCHMARKS = ["startup", "data", "extraction"]


def project(name: str) -> dict[str, Any]:
    """Return the [project] table of a package."""
    table: dict[str, Any] = tomllib.loads((EVERY[name] / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def group(name: str) -> list[str]:
    """Return the requirements of a dependency group of the workspace."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return list(nox.project.dependency_groups({"dependency-groups": groups}, name))


def siblings(name: str) -> list[str]:
    """Return the packages of the workspace that a package depends on, directly or not."""
    known = {str(project(other)["name"]): other for other in PACKAGES}
    direct = [known[req] for line in project(name)["dependencies"] if (req := re.split(r"[^\w-]", line)[0]) in known]
    return list(dict.fromkeys([*direct, *(further for other in direct for further in siblings(other))]))


def extras(name: str) -> dict[str, list[str]]:
    """Return the requirements of a package's extras, but of those that are packages of the workspace."""
    declared: dict[str, list[str]] = {} if name in EXTRAS_APART else project(name).get("optional-dependencies", {})
    ours = {str(project(other)["name"]) for other in PACKAGES}
    return {
        extra: lines
        for extra, lines in declared.items()
        if ours.isdisjoint(re.split(r"[^\w-]", line)[0] for line in lines)
    }


def with_extras(path: Path | str, name: str) -> str:
    """Return what installs a package from a path with all its extras, which its tests try."""
    return f"{path}[{','.join(extras(name))}]" if extras(name) else str(path)


def editable(*names: str) -> list[str]:
    """Return installer arguments for packages of the workspace, editable and with their extras."""
    return [argument for name in names for argument in ("-e", with_extras(EVERY[name], name))]


def for_each(work: Callable[[str], None], names: Iterable[str]) -> None:
    """Do some work for each package, on all processors; what fails ends the session."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(work, names))


_built: dict[str, Path] = {}
"""The wheels that this run of nox has built, by package."""


def wheels(session: nox.Session, *names: str) -> list[str]:
    """Return what installs wheels of packages with their extras; each is built once in a run of nox."""

    def build(name: str) -> None:
        out = Path(session.cache_dir) / "wheels" / name
        shutil.rmtree(out, ignore_errors=True)
        python = str(Path(session.bin) / "python")
        built = ["uv", "build", "-q", "--wheel", "--no-build-isolation", "--python", python, "-o", str(out)]
        session.run(*built, str(PACKAGES[name]), external=True, silent=True)
        (_built[name],) = out.glob("*.whl")

    if missing := [name for name in names if name not in _built]:
        session.install("-q", "-c", str(CONSTRAINTS), "hatchling")
        for_each(build, missing)
    return [with_extras(_built[name], name) for name in names]


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests of all packages together, but those that take long."""
    session.install("-c", str(CONSTRAINTS), *editable(*PACKAGES), *group("test"))
    session.run(*PYTEST, *QUICK, *session.posargs)


@nox.session(venv_backend="virtualenv")
def loglikelihood(session: nox.Session) -> None:
    """Run the tests of openbench-loglikelihood; pip's settings choose the build of torch."""
    session.install("torch==2.13.0")
    names = ("core", "authoring", "dryrun", "fast", "logs", "ranking", "scorers", "testing", *APART)
    session.install("-c", str(CONSTRAINTS), *editable(*names), *group("test"))
    session.run("pytest", "--durations", "10", str(EVERY["loglikelihood"] / "tests"), *session.posargs)


@nox.session
def stress(session: nox.Session) -> None:
    """Run the tests that take long, or a share of them (`nox -s stress -- --share 0.2`)."""
    session.install("-c", str(CONSTRAINTS), *editable(*PACKAGES), *group("test"))
    session.run(*PYTEST, *STRESS, *session.posargs)


@nox.session
def alone(session: nox.Session) -> None:
    """Install each package's wheel with no sibling but those that it needs, and load what it registers."""
    folders = Path(session.create_tmp())
    wheels(session, *PACKAGES)

    def check(name: str) -> None:
        folder = folders / name
        session.run("uv", "venv", "-q", "--clear", str(folder), external=True, silent=True)
        python = str(folder / "bin" / "python")
        needed = wheels(session, *dict.fromkeys([name, *siblings(name)]))
        session.run("uv", "pip", "install", "-q", "--python", python, "-c", str(CONSTRAINTS), *needed, external=True)
        session.run(python, str(ROOT / "tools" / "load_entry_points.py"), str(project(name)["name"]), external=True)

    for_each(check, PACKAGES)


@nox.session
@nox.parametrize("package", TESTED, ids=TESTED)
def isolated(session: nox.Session, package: str) -> None:
    """Test a package's wheel with no sibling installed but those that it, or its tests, need."""
    wanted = [*BESIDES, package, *TESTED_WITH.get(package, [])]
    names = list(dict.fromkeys(each for name in wanted for each in (name, *siblings(name))))
    session.install("-c", str(CONSTRAINTS), *wheels(session, *names), *group("test"))
    absent = [str(project(name)["name"]) for name in PACKAGES if name not in names]
    session.run("python", str(ROOT / "tools" / "assert_absent.py"), *absent)
    where = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), str(PACKAGES[package] / "tests")]
    # The session's own temporary folder lies in this project, whose settings a test must not find from its folder up.
    session.run(*PYTEST, *where, env={"TMPDIR": None})


@nox.session(venv_backend="uv")
def minimums(session: nox.Session) -> None:
    """Run the tests with the lowest direct dependencies that the packages declare."""
    session.install("--resolution", "lowest-direct", *editable(*PACKAGES), *group("test"))
    session.run(*PYTEST, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style (ruff) and the direction of imports (import-linter)."""
    session.install("-c", str(CONSTRAINTS), *editable(*PACKAGES), *group("lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports")


@nox.session
def typing(session: nox.Session) -> None:
    """Check types (mypy strict), and those that users of the public API see."""
    apart = [argument for name in APART for argument in ("-e", str(EVERY[name]))]
    session.install("-c", str(CONSTRAINTS), *editable(*PACKAGES), *apart, *group("typing"), "nox")
    imported = [path.name for package in EVERY.values() for path in sorted(package.glob("src/*"))]
    session.run("mypy", *(argument for name in imported for argument in ("-p", name)))
    session.run("mypy", "tests/typing", "noxfile.py", "tools")
    with session.chdir("benchmarks"):
        session.run("mypy", "--config-file", str(ROOT / "pyproject.toml"), ".")


@nox.session
def reference(session: nox.Session) -> None:
    """Write docs/api.md from the docstrings of the public API."""
    session.install("-c", str(CONSTRAINTS), *group("reference"))
    session.run("python", "tools/reference.py", *session.posargs)


@nox.session
def demo(session: nox.Session) -> None:
    """Run the main job offline: SimpleQA's sample rows, answered from their targets."""
    session.install("-c", str(CONSTRAINTS), *editable("core", "openbench", "scorers", "bench-simpleqa"))
    session.run("bench", "eval", "simpleqa", "--sample", "--baseline", "reference", *session.posargs)


@nox.session
def build(session: nox.Session) -> None:
    """Build wheels and sdists of all packages into dist/ and check them."""
    session.install("-c", str(CONSTRAINTS), *group("build"))
    out = ROOT / "dist"
    shutil.rmtree(out, ignore_errors=True)
    # hatch makes environments of its own, into which the session's interpreter must not be forced.
    own = {"HATCH_DATA_DIR": str(Path(session.create_tmp()) / "hatch"), "UV_PYTHON": None, "VIRTUAL_ENV": None}
    for path in EVERY.values():
        with session.chdir(path):
            session.run("hatch", "build", str(out), env=own, silent=True)
    session.run("twine", "check", "--strict", *map(str, sorted(out.iterdir())))


@nox.session
def release(session: nox.Session) -> None:
    """Bump a package (`nox -s release -- bench-mmlu minor`), close its changelog and tag; --write does it."""
    arguments = [argument for argument in session.posargs if argument != "--write"]
    if len(arguments) != 2 or arguments[0] not in EVERY:
        session.error(f"expected: nox -s release -- PACKAGE major|minor|patch [--write]; packages: {', '.join(EVERY)}")
    package, part = arguments
    session.install("-c", str(CONSTRAINTS), "hatch")
    session.run("python", str(ROOT / "tools" / "release.py"), str(EVERY[package]), part, *session.posargs[2:])


@nox.session(venv_backend="uv")
def constraints(session: nox.Session) -> None:
    """Write constraints.txt: the newest versions that work together, for developers and CI."""
    session.install("uv")
    requirements = Path(session.create_tmp()) / "requirements.in"
    declared = [[project(name).get("dependencies", []), *extras(name).values()] for name in PACKAGES]
    extern = [line for of in declared for lines in of for line in lines if not line.startswith("openbench")]
    requirements.write_text("\n".join([*extern, *group("dev"), "hatchling"]) + "\n", "utf-8")
    session.run(
        "uv", "pip", "compile", "--universal", "--upgrade", "--no-header", "--no-annotate", "--no-emit-index-url",
        "--python-version", "3.11", "-o", str(CONSTRAINTS), str(requirements), silent=True,
    )  # fmt: skip


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Measure speed, as ratios: all that is quick, or what is named (`nox -s benchmarks -- data throughput`)."""
    known = sorted(path.stem for path in ROOT.glob("benchmarks/*.py") if "__main__" in path.read_text("utf-8"))
    named = [argument for argument in session.posargs if argument in known]
    more = [argument for argument in session.posargs if argument not in known]
    if more and len(named) != 1:
        session.error(f"expected names of benchmarks, or one and its options; benchmarks: {', '.join(known)}")
    session.install("-c", str(CONSTRAINTS), *editable(*PACKAGES), *group("benchmarks"))
    for name in named or QUICK_BENCHMARKS:
        session.run("python", f"benchmarks/{name}.py", *more)
