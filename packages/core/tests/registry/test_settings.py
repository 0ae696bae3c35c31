"""What a project says of who provides a name: read from the working directory upward, written by `bench use`."""

import tomllib

import pytest

from openbench.errors import UsageError
from openbench.registry.settings import read_settings

TABLE = "[tool.openbench.providers]\n"
TWO = "from acme import made\nOLD = made('Old', builtin=True)\nNEW = made('New', overrides='acme-old')\n"


def said(directory):
    settings = read_settings(directory)
    return {name: (choice.distribution, choice.where) for name, choice in settings.choices.items()}


@pytest.fixture
def project(tmp_path):
    """Write files below a folder, and return it."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_toml", ".toml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return tmp_path

    return write


@pytest.mark.parametrize("name", ["pyproject.toml", "openbench.toml"])
def test_the_table_is_found_upward(project, name):
    folder = project(**{name.replace(".", "_"): f'{TABLE}simple-qa = "acme"\n', "a__b__note_toml": ""})
    assert said(folder / "a" / "b") == {"simple_qa": ("acme", str(folder / name))}


def test_the_nearest_file_with_the_table_counts_whole(project):
    folder = project(
        pyproject_toml=f'{TABLE}one = "far"\ntwo = "far"\n',
        a__pyproject_toml='[project]\nname = "openbench-thing"\n',
        a__b__openbench_toml=f'{TABLE}one = "near"\n',
        a__b__pyproject_toml=f'{TABLE}one = "other"\n',
    )
    assert {name: choice[0] for name, choice in said(folder / "a" / "b").items()} == {"one": "near"}
    assert {name: choice[0] for name, choice in said(folder / "a").items()} == {"one": "far", "two": "far"}


def test_without_a_file_nothing_is_said(project):
    assert said(project(pyproject_toml="[project]\nname = 'x'\n")) == {}


def test_a_file_that_says_nothing_of_us_may_be_anything(project):
    assert said(project(pyproject_toml="= no TOML")) == {}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"openbench_toml": "= no TOML"}, "openbench.toml is not valid TOML: Invalid statement (at line 1, column 1)."),
        ({"pyproject_toml": "[tool.openbench"}, "pyproject.toml is not valid TOML: "),
        ({"openbench_toml": b"x = '\xff'"}, "openbench.toml is not valid TOML: 'utf-8' codec can't decode"),
        (
            {"openbench_toml": "[providers]\nx = 'acme'"},
            "openbench.toml: [providers] has no meaning. Write [tool.openbench.providers].",
        ),
        (
            {"pyproject_toml": "[tool.openbench]\nproviders = 'acme'"},
            "pyproject.toml: 'providers' of [tool.openbench.providers] is a str, not a table.",
        ),
        (
            {"pyproject_toml": f"{TABLE}x = ['acme']"},
            "pyproject.toml: [tool.openbench.providers] has ['acme'] for x, where the name of a distribution is ",
        ),
        ({"pyproject_toml": f"{TABLE}a-b = 'x'\na_b = 'x'"}, "has a-b and a_b, which are one name. Remove one."),
        ({"pyproject_toml": f"{TABLE}x = ' '"}, "has ' ' for x, where the name of a distribution is expected."),
    ],
)
def test_a_malformed_file_is_named(project, files, message):
    with pytest.raises(UsageError) as error:
        read_settings(project(**files))
    assert message in str(error.value)


@pytest.fixture
def two(site):
    """Two distributions with a quiz, the newer of which overrides the older."""
    for name in ("old", "new"):
        points = {"my-quiz": f"two_{name}:{name.upper()}"}
        site.install(f"acme-{name}", {f"two_{name}.py": TWO}, benchmarks=points, version=f"1.{name}")
    return site


PYPROJECT = """\
# The project.
[project]
name = "thing"  # openbench

[tool.other]
x = [
    1,  # one
]
"""


def test_use_writes_the_nearest_file_and_keeps_the_rest(two):
    two.write({"pyproject.toml": PYPROJECT})
    done = two.bench("use", "my_quiz", "Acme_Old")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"my-quiz: acme-old 1.old, as {two.folder}/pyproject.toml now says\n"
    written = (two.folder / "pyproject.toml").read_text()
    assert written == PYPROJECT + '\n[tool.openbench.providers]\nmy-quiz = "acme-old"\n'
    assert two.bench("describe", "my-quiz", "--json").json()["distribution"] == "acme-old"
    assert two.bench("describe", "my-quiz@acme-new", "--json").json()["distribution"] == "acme-new"

    two.bench("use", "my_quiz", "acme-new")
    assert two.bench("describe", "my-quiz", "--json").json()["rule"] == "chosen"
    done = two.bench("use", "my_quiz", "--remove")
    assert (done.code, done.out) == (0, f"my_quiz: removed from {two.folder}/pyproject.toml\n")
    assert (two.folder / "pyproject.toml").read_text() == f"{PYPROJECT}\n{TABLE}"
    assert two.bench("describe", "my-quiz", "--json").json()["rule"] == "overrides"


def test_use_keeps_comments_other_entries_and_line_ends(two):
    text = f'# ours\r\n{TABLE[:-1]}\r\n# why\r\nother = "x"  # kept\r\nmy_quiz = "acme-new"  # theirs\r\n'
    (two.folder / "openbench.toml").write_bytes(text.encode())
    assert two.bench("use", "my-quiz", "acme-old").code == 0
    written = (two.folder / "openbench.toml").read_bytes().decode()
    assert written.startswith(f'# ours\r\n{TABLE[:-1]}\r\n# why\r\nother = "x"  # kept\r\n')
    assert written.endswith('my_quiz = "acme-old"  # theirs\r\n')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[tool.ruff]\nx = 1\n\n[project]\nname = 't'\n\n[tool.mypy]\ny = 2\n", None),
        ("[tool.openbench.providers]\n# none yet\n", "[tool.openbench.providers]\n# none yet\nmy-quiz = 'acme-old'"),
        ("[tool.openbench]\nproviders.other = 'x'\n", None),
        ("tool.openbench.providers.other = 'x'\n", None),
        ("[tool.openbench]\nproviders = {other = 'x'}\n", None),
        ("[[a]]\nb = 1", "[[a]]\nb = 1\n[tool.openbench.providers]\nmy-quiz = 'acme-old'"),
        ("[tool]\nopenbench = {x = 1}\n", None),
        ("tool = 1\n", "refused"),
        ("[tool.openbench]\nx = 1\n[project]\nname = 't'\n[tool.openbench.providers]\nother = 'x'\n[z]\nq = 1\n", None),
    ],
)
def test_use_edits_every_layout_or_says_that_it_cannot(two, before, after):
    path = two.folder / "pyproject.toml"
    path.write_text(before)
    done = two.bench("use", "my-quiz", "acme-old")
    if after == "refused":
        assert (done.code, path.read_text()) == (2, before)
        assert "tool is not a table, so [tool.openbench.providers] cannot be written." in done.err
        return
    assert (done.code, done.err) == (0, "")
    expected, written = tomllib.loads(before), tomllib.loads(path.read_text())
    expected.setdefault("tool", {}).setdefault("openbench", {}).setdefault("providers", {})["my-quiz"] = "acme-old"
    assert written == expected
    if after:
        assert path.read_text().replace('"', "'").strip() == after
    assert two.bench("use", "my-quiz", "--remove").code == 0
    del expected["tool"]["openbench"]["providers"]["my-quiz"]
    left = tomllib.loads(path.read_text())
    assert left.get("tool", {}).get("openbench", {}).get("providers", {}) == expected["tool"]["openbench"]["providers"]


@pytest.mark.parametrize("text", [b"= no TOML", b"x = 'Ren\xe9'"])
def test_use_does_not_touch_what_is_no_toml(two, text):
    (two.folder / "pyproject.toml").write_bytes(text)
    done = two.bench("use", "my-quiz", "acme-old")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"bench: {two.folder}/pyproject.toml is not valid TOML: ")
    assert (two.folder / "pyproject.toml").read_bytes() == text


def test_use_writes_through_a_link_and_keeps_permissions(two):
    real = two.folder / "shared.toml"
    real.write_text("# shared\n")
    real.chmod(0o640)
    (two.folder / "openbench.toml").symlink_to(real)
    assert two.bench("use", "my-quiz", "acme-old").code == 0
    assert (two.folder / "openbench.toml").is_symlink()
    assert (real.read_text().startswith("# shared\n"), real.stat().st_mode & 0o777) == (True, 0o640)


def test_use_without_a_project_makes_a_file_here(two):
    assert two.bench("use", "my-quiz", "acme-old").code == 0
    assert (two.folder / "openbench.toml").read_text() == '[tool.openbench.providers]\nmy-quiz = "acme-old"\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["my-quiz"], "bench: Give a DISTRIBUTION, or --remove.\n"),
        (["my-quiz", "acme-old", "--remove"], "bench: Give a DISTRIBUTION, or --remove.\n"),
        (["my-quiz", "--remove"], "bench: my-quiz: no provider is configured.\n"),
        (
            ["my-quiz", "acme"],
            "bench: my-quiz: the distribution acme does not provide it. Provided by: acme-new, acme-old.\n",
        ),
        (["my-quiz", ""], "bench: my-quiz: a distribution without a name does not provide it. "),
        (["my-quizz", "acme-old"], "bench: my-quizz@acme-old: no benchmark, group or path of this name. "),
    ],
)
def test_use_that_is_wrong_writes_nothing(two, arguments, message):
    done = two.bench("use", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
    assert not (two.folder / "openbench.toml").exists()


def test_a_file_that_names_someone_else_is_told_everywhere(two):
    two.write({"openbench.toml": f'{TABLE}my-quiz = "acme-gone"\nother = "acme-lost"\n'})
    done = two.bench("describe", "my-quiz")
    assert (done.code, done.out) == (2, "")
    assert "openbench.toml says acme-gone, which does not provide it; provided by acme-new and acme-old. " in done.err
    assert "openbench.toml says acme-gone, which does not provide it" in two.bench("list", "-c", "acme").out
    doctor = two.bench("doctor")
    assert doctor.code == 1
    told = " ".join(doctor.out.split())
    assert "says acme-gone, which does not provide it" in told
    assert "pip install acme-lost" in told


def test_why_explains_each_rule(two):
    why = two.bench("describe", "my-quiz", "--why")
    assert (why.code, why.err) == (0, "")
    assert why.out == (
        "my-quiz is provided by acme-new 1.new\n"
        "because it declares that it overrides acme-old.\n"
        "\n"
        "candidates\n"
        "  acme-new 1.new  wins: it declares that it overrides acme-old\n"
        "  acme-old 1.old  overridden by acme-new\n"
        "\n"
        "rules, highest first; > marks the one that decided\n"
        "  1. your choice: NAME@DISTRIBUTION, or [tool.openbench.providers]\n"
        "> 2. metadata that overrides the other distribution\n"
        "  3. any provider over one that declares itself built in\n"
        "  4. otherwise nothing decides, and bench eval refuses\n"
    )
    said = two.bench("describe", "my-quiz@acme-old", "--why", "--json").json()
    assert (said["winner"], said["rule"], said["why"]) == ("acme-old", "chosen", "my-quiz@acme-old says so")
    without = two.bench("describe", "my-quiz", "--why", "--no-overrides", "--json").json()
    assert (without["winner"], without["rule"]) == ("acme-old", "only")
    assert [candidate["fate"] for candidate in without["candidates"]] == [
        "set aside, since it takes the place of acme-old",
        "wins: the only one",
    ]
    environment = two.bench("describe", "my-quiz", "--json", BENCH_NO_OVERRIDES="1").json()
    assert environment["distribution"] == "acme-old"


def test_why_of_a_conflict_is_an_answer(two):
    two.install("acme-third", {"third.py": TWO}, benchmarks={"my_quiz": "third:NEW"})
    why = two.bench("describe", "my-quiz", "--why")
    assert why.code == 0
    assert "my-quiz is provided by no one\n" in why.out
    assert "  acme-third 1.0  in conflict\n" in why.out
    assert "> 4. otherwise nothing decides" in why.out
    assert two.bench("describe", "my-quiz").code == 2
    doctor = two.bench("doctor")
    assert (doctor.code, "Choose one: bench use my-quiz acme-new." in doctor.out) == (1, True)


@pytest.mark.parametrize("name", ["nosuch", "./quiz.py", "suite"])
def test_why_is_about_names_that_distributions_provide(two, name):
    source = "from openbench.metadata import BenchmarkGroup\nSUITE = BenchmarkGroup('S', 'd', 'c', ['my-quiz'])"
    two.install("acme-suite", {"suite_.py": source}, groups={"suite": "suite_:SUITE"})
    done = two.bench("describe", name, "--why")
    assert (done.code, done.out) == (2, "")


def test_an_override_that_does_not_load_is_told(two):
    two.install("acme-third", {"third.py": "1 / 0"}, benchmarks={"my_quiz": "third:NEW"})
    line = "acme-third: my_quiz: ZeroDivisionError: division by zero"
    assert f"  not loaded, so it takes no part: {line}\n" in two.bench("describe", "my-quiz", "--why").out
    assert two.bench("describe", "my-quiz", "--why", "--json").json()["not_loaded"] == [line]
    done = two.bench("eval", "my-quiz", "--baseline", "random")
    assert f"my-quiz: acme-new runs, since another is not loaded: {line}" in done.err


def test_a_folder_of_the_name_does_not_settle_a_conflict(two):
    two.install("acme-third", {"third.py": TWO}, benchmarks={"my_quiz": "third:NEW"})
    source = "from openbench.utils import BenchmarkMetadata\n"
    source += "__metadata__ = BenchmarkMetadata('Local', 'd', 'c', [], __name__, 'quiz')\ndef quiz(): ..."
    two.write({"my-quiz/__init__.py": source})
    done = two.bench("describe", "my-quiz")
    assert (done.code, "several distributions provide this name" in done.err) == (2, True)
    assert two.bench("describe", "./my-quiz", "--json").json()["name"] == "Local"
