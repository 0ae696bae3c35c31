"""One rule for the names and the shape of every package."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from openbench.registry.catalog import Catalog
from openbench_testing.conformance.installed import installed

ROOT = Path(__file__).parent.parent
PACKAGES = {path.parent.name: path.parent for path in sorted(ROOT.glob("packages/*/pyproject.toml"))}
BENCHMARKS = [name for name in PACKAGES if name.startswith("bench-")]
IMPORTED = {"core": "openbench", "openbench": None}


def pyproject(name):
    return tomllib.loads((PACKAGES[name] / "pyproject.toml").read_text("utf-8"))


def import_name(name):
    return IMPORTED.get(name, f"openbench_{name.removeprefix('bench-')}")


@pytest.mark.parametrize("name", PACKAGES)
def test_the_distribution_and_the_import_package_follow_the_folder(name):
    short = name.removeprefix("bench-")
    assert pyproject(name)["project"]["name"] == ("openbench" if name == "openbench" else f"openbench-{short}")
    sources = sorted(path.name for path in PACKAGES[name].glob("src/*") if path.is_dir())
    assert sources == ([import_name(name)] if import_name(name) else [])


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_registers_under_its_name_and_with_inspect(name):
    entry_points = pyproject(name)["project"]["entry-points"]
    assert list(entry_points["openbench.benchmarks"]) == [name.removeprefix("bench-")]
    assert list(entry_points["inspect_ai"]) == [import_name(name)]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_depends_on_the_kernel_and_never_on_a_sibling(name):
    dependencies = pyproject(name)["project"]["dependencies"]
    needed = [re.split(r"[\[>=]", line)[0] for line in dependencies]
    assert "openbench-core" in needed
    assert {f"openbench-{other.removeprefix('bench-')}" for other in BENCHMARKS}.isdisjoint(needed)
    assert len([each for each in needed if not each.startswith("openbench-")]) <= 2


def test_the_first_command_of_the_readme_names_every_package_that_it_needs():
    command = next(line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if "pip install" in line)
    named = re.findall(r"packages/([\w-]+)", command)
    assert "core" in named
    needed = {re.split(r"[\[>=]", line)[0] for name in named for line in pyproject(name)["project"]["dependencies"]}
    siblings = {name for name in PACKAGES if pyproject(name)["project"]["name"] in needed}
    assert siblings <= set(named)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_with_sample_rows_keeps_its_prompts(name):
    package = PACKAGES[name] / "src" / import_name(name)
    keeps = {path.parent.name for path in package.glob("goldens/*/chat.txt")}
    assert keeps == {path.name for path in (package / "samples").iterdir()}


@pytest.mark.parametrize("name", [name for name in PACKAGES if (PACKAGES[name] / "fidelity.md").is_file()])
def test_the_record_of_fidelity_names_every_benchmark(name):
    named = re.findall(r"^## (\S+)", (PACKAGES[name] / "fidelity.md").read_text("utf-8"), re.MULTILINE)
    distribution = pyproject(name)["project"]["name"]
    assert named == [reference.partition("@")[0] for reference in installed(Catalog.installed(), distribution)]


def test_the_kernel_has_at_most_nine_direct_dependencies():
    assert len(pyproject("core")["project"]["dependencies"]) <= 9


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_has_the_same_shape(name):
    folder, project = PACKAGES[name], pyproject(name)
    assert re.fullmatch(r"\d+\.\d+\.\d+", project["project"]["version"])
    assert project["project"]["requires-python"] == ">=3.11"
    assert project["build-system"]["build-backend"] == "hatchling.build"
    assert project["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"]
    assert (folder / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")
    assert (folder / "README.md").read_text("utf-8").startswith(f"# {project['project']['name']}\n")
    changelog = (folder / "CHANGELOG.md").read_text("utf-8")
    assert re.match(rf"# Changelog\n\n## {project['project']['version']} - ", changelog)
    if import_name(name):
        assert (folder / "src" / import_name(name) / "py.typed").is_file()


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_metapackage_offers_every_benchmark(name):
    offered = pyproject("openbench")["project"]["optional-dependencies"]["all"]
    assert f"{pyproject(name)['project']['name']}>=1.0,<2" in offered


def test_every_nox_session_says_what_it_does_in_one_line():
    tree = ast.parse((ROOT / "noxfile.py").read_text("utf-8"))
    sessions = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any("session" in ast.unparse(d) for d in node.decorator_list)
    ]
    assert {"tests", "isolated", "minimums", "lint", "typing", "demo", "build", "release"} <= {s.name for s in sessions}
    for session in sessions:
        doc = ast.get_docstring(session)
        assert doc, session.name
        assert "\n" not in doc, session.name


def test_import_linter_knows_every_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    contracts = {contract["name"]: contract for contract in settings["contracts"]}
    modules = {import_name(name) for name in PACKAGES} - {None}
    benchmarks = {import_name(name) for name in BENCHMARKS}
    # openbench-loglikelihood is not installed where the imports are checked: torch would come with it.
    assert {*settings["root_packages"]} == modules - {"openbench_loglikelihood"}
    assert {*contracts["Core knows no other package"]["forbidden_modules"]} == modules - {"openbench"}
    assert {*contracts["Benchmarks know no sibling"]["modules"]} == benchmarks
    assert {f"{each}.metadata" for each in benchmarks} <= {
        *contracts["What lists and describes is light"]["source_modules"]
    }
