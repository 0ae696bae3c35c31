"""`bench doctor`: what is wrong with an environment besides plugins that do not load."""

import pytest

QUIZ = "from acme import made\nQUIZ = made('Quiz')\n"


@pytest.fixture
def quiz(site):
    """Install a healthy plugin."""

    def install(name="acme-quiz", **more):
        module = name.replace("-", "_") + "_"
        points = {name: f"{module}:QUIZ"}
        site.install(name, {f"{module}.py": QUIZ}, benchmarks=points, **more)
        return site

    return install


def diagnosed(site):
    """The problems of our test distributions, as (distribution, entry point, message, remedy)."""
    ours = [info.name.partition("-")[0] for info in site.folder.glob("*.dist-info")]
    some = ",".join([*ours, "openbench-doctor"])  # others' plugins load slowly
    done = site.bench("doctor", "--json", OPENBENCH_PLUGINS=some)
    assert done.err == ""
    problems = done.json()["problems"]
    assert done.code == bool(problems)
    return [tuple(each[name] for name in ("distribution", "entry_point", "message", "remedy")) for each in problems]


def test_nothing_wrong(quiz):
    site = quiz()
    done = site.bench("doctor")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("No problems: openbench-core 1.0.0 with ")
    assert done.out.count("\n") == 1
    assert done.out.endswith(" plugins; no task imported (--deep imports all).\n")
    told = site.bench("doctor", "--json").json()
    assert (told["core"], told["plugins"]["acme-quiz"], told["problems"]) == ("1.0.0", "1.0", [])


def test_the_published_package_in_the_kernels_place(quiz):
    site = quiz()
    site.install(
        "openbench",
        {"openbench-0.5.3.dist-info/RECORD": "openbench/cli.py,,\nopenbench/__init__.py,,\n"},
        version="0.5.3",
    )
    done = site.bench("doctor")
    assert done.code == 1
    told = " ".join(done.out.split())
    assert "openbench 0.5.3 files: 2 of its files, such as openbench/cli.py, have the same paths as files of" in told
    assert "pip uninstall openbench; pip install --force-reinstall" in told


@pytest.mark.parametrize("module", ["acme_quiz.nowhere", "acme.task", "a." * 4000 + "b"])
def test_metadata_that_name_a_module_that_does_not_exist(quiz, module):
    source = f"from acme import made\nQUIZ = made(module={module!r})"
    site = quiz()
    site.install("acme-lost", {"lost_.py": source}, benchmarks={"lost": "lost_:QUIZ"})
    ((distribution, entry_point, message, _),) = diagnosed(site)
    assert (distribution, entry_point) == ("acme-lost", "lost")
    assert f"names the module '{module}', which does not exist".startswith(message.removesuffix("…"))


def test_a_suite_with_members_that_are_not_installed(quiz):
    site = quiz()
    source = "from openbench.metadata import BenchmarkGroup\n"
    source += "SUITE = BenchmarkGroup('S', 'd', 'c', ['acme-quiz', 'gone', 'lost@x'])"
    site.install("acme-suite", {"suite_.py": source}, groups={"suite": "suite_:SUITE"})
    ((distribution, entry_point, message, _),) = diagnosed(site)
    assert (distribution, entry_point) == ("acme-suite", "suite")
    assert message == "members are not installed, so the suite has no score: gone, lost@x"


@pytest.mark.parametrize(("other", "wrong"), [("acme-quiz", True), ("acme-nowhere", False)])
def test_an_override_that_can_never_match(quiz, other, wrong):
    site = quiz()
    source = f"from acme import made\nFORK = made('Fork', overrides='{other}')"
    site.install("bolt-fork", {"bolt_fork.py": source}, benchmarks={"fork": "bolt_fork:FORK"})
    told = [(distribution, message) for distribution, _, message, _ in diagnosed(site)]
    message = "declares that it overrides acme-quiz, which has no benchmark of this name"
    assert told == ([("bolt-fork", message)] if wrong else [])


def test_a_malformed_settings_file(quiz):
    site = quiz()
    site.write({"openbench.toml": "= nothing"})
    ((distribution, _, message, _),) = diagnosed(site)
    assert (distribution, "openbench.toml is not valid TOML" in message) == ("settings", True)


def test_an_executor_named_as_the_kernels_own(quiz):
    site = quiz()
    site.install("acme-run", {"run_.py": "X = 1"}, executors={"local": "run_:X"})
    ((_, entry_point, message, _),) = diagnosed(site)
    assert (entry_point, message) == ("local", "openbench-core also registers 'local' in openbench.executors")


@pytest.mark.stress
@pytest.mark.parametrize(
    ("seam", "name", "what", "expected"),
    [
        ("commands", "race", "bench race", "an annotated function or a typer.Typer"),
        ("executors", "race", "--executor race", "a subclass of Executor"),
        ("engines", "race", "--engine race", "a subclass of Engine"),
        ("loaders", "race", "the loader of .race files", "a function from a path to a module"),
        ("styles", "race", "--style race", ""),
        ("scorers", "race", "", ""),
        ("solvers", "race", "", ""),
    ],
)
def test_whatever_a_plugin_brings_is_loaded(quiz, seam, name, what, expected):
    site = quiz()
    files = {"broken_.py": "import nowhere", "wrong_.py": "X = 1"}
    site.install("acme-broken", files, **{seam: {name: "broken_:X"}})
    ((distribution, entry_point, message, remedy),) = diagnosed(site)
    assert (distribution, entry_point) == ("acme-broken", name)
    assert what in message
    assert "nowhere" in message
    assert remedy
    if expected:
        (site.folder / "acme_broken-1.0.dist-info" / "entry_points.txt").write_text(
            f"[openbench.{seam}]\n{name} = wrong_:X\n", "utf-8"
        )
        ((_, entry_point, message, _),) = diagnosed(site)
        assert entry_point == name
        assert f"refers to an int, expected {expected}" in message


def test_an_engine_named_as_one_of_the_kernels(quiz):
    site = quiz()
    site.install("acme-run", {"run_.py": "X = 1"}, engines={"inspect": "run_:X"}, loaders={"py": "run_:X"})
    told = [(entry_point, message) for _, entry_point, message, _ in diagnosed(site)]
    assert told == [
        ("inspect", "openbench-core also registers 'inspect' in openbench.engines"),
        ("py", "openbench-core also registers 'py' in openbench.loaders"),
    ]


def test_it_fits_a_terminal_and_tells_each_way_out(quiz):
    site = quiz()
    site.install("acme-bad", {"bad_.py": "1 / 0"}, benchmarks={"bad": "bad_:X"})
    done = site.bench("doctor")
    assert done.out.splitlines() == [
        "acme-bad",
        "  bad: ZeroDivisionError: division by zero",
        "    Report it to the authors of acme-bad, or uninstall it: pip uninstall",
        "      acme-bad.",
        "",
        done.out.splitlines()[-1],
    ]
    assert done.out.splitlines()[-1].startswith("1 problem: openbench-core 1.0.0 with ")


MANY = """
from openbench.metadata import BenchmarkMetadata
def made(name, module):
    return BenchmarkMetadata(name, "Made up.", "made", [], module, "task")
FINE, BARE = made("Fine", "acme_fine"), made("Bare", "acme_bare")
ENDS, LACKS = made("Ends", "acme_ends"), made("Lacks", "acme_lacks")
"""


def test_tasks_are_imported_if_that_is_asked_for(site):
    files = {
        "acme_many.py": MANY,
        "acme_fine.py": "def task(): ...",
        "acme_bare.py": "print('no task')",
        "acme_ends.py": "import os; os._exit(3)",
        "acme_lacks.py": "import acme_nosuch",
    }
    points = {f"acme-{name}": f"acme_many:{name.upper()}" for name in ("fine", "bare", "ends", "lacks")}
    site.install("acme-many", files, benchmarks=points)
    assert diagnosed(site) == []
    done = site.bench("doctor", *points, "--json")
    assert (done.code, done.err) == (1, "")
    found = [each for each in done.json()["problems"] if each["distribution"] == "acme-many"]
    told = {each["entry_point"]: each["message"] for each in found}
    needs = "acme_lacks needs the module 'acme_nosuch', which is not installed"
    assert told == {
        "acme-bare": "acme-bare: acme_bare has no function 'task'",
        "acme-ends": "importing its task exited Python with code 3",
        "acme-lacks": f"acme-lacks: {needs}. Reinstall acme-many with its dependencies",
    }
    assert site.bench("doctor", "acme-fine").out.endswith("; 1 task imported.\n")


SCORER = """
from inspect_ai.scorer import mean, scorer

@scorer(metrics=[mean()])
def thing():
    async def score(state, target): ...
    return score
"""


def test_scorers_and_solvers_are_loaded_whatever_their_names(site):
    points = {"a/b": "acme_scorer:thing", "exact": "acme_scorer:x", "thing": "acme_scorer:thing"}
    site.install("acme-scorer", {"acme_scorer.py": SCORER}, scorers=points)
    site.install("bolt-scorer", {"bolt_scorer.py": SCORER}, scorers={"thing": "bolt_scorer:thing"})
    site.install("corp-solver", {"corp_solver.py": "1 / 0"}, solvers={"go": "corp_solver:x"})
    assert [found[:3] for found in diagnosed(site)] == [
        (
            *("acme-scorer", "a/b"),
            "the name 'a/b' is ambiguous: it reads as a path, as name@distribution or as an option",
        ),
        ("acme-scorer", "exact", "AttributeError: module 'acme_scorer' has no attribute 'x'"),
        ("corp-solver", "go", "ZeroDivisionError: division by zero"),
    ]
