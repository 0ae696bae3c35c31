"""What a project says of who provides a name: read from the working directory upward."""

import pytest

from openbench.errors import UsageError
from openbench.registry.settings import read_settings
from openbench_testing.commands.fixtures import TWO

TABLE = "[tool.openbench.providers]\n"


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
            "openbench.toml: [providers] is not read. Write [tool.openbench.providers].",
        ),
        (
            {"pyproject_toml": "[tool.openbench]\nproviders = 'acme'"},
            "pyproject.toml: 'providers' of [tool.openbench.providers] is a str, not a table.",
        ),
        (
            {"openbench_toml": "[tool.openbench.pricess]\nx = '1,2'"},
            "openbench.toml: [tool.openbench] has no setting 'pricess', only prices and providers.",
        ),
        (
            {"pyproject_toml": f"{TABLE}x = ['acme']"},
            "pyproject.toml: [tool.openbench.providers] has ['acme'] for x, expected the name of a dis",
        ),
        ({"pyproject_toml": f"{TABLE}a-b = 'x'\na_b = 'x'"}, "has a-b and a_b, which are one name. Remove one."),
        ({"pyproject_toml": f"{TABLE}x = ' '"}, "has ' ' for x, expected the name of a distribution."),
    ],
)
def test_a_malformed_file_is_named(project, files, message):
    with pytest.raises(UsageError) as error:
        read_settings(project(**files))
    assert message in str(error.value)


def test_a_file_that_names_someone_else_is_told_everywhere(two):
    two.write({"openbench.toml": f'{TABLE}my-quiz = "acme-gone"\nother = "acme-lost"\n'})
    done = two.bench("describe", "my-quiz")
    assert (done.code, done.out) == (2, "")
    assert "openbench.toml chooses acme-gone, which does not provide it; provided by acme-new and acme-old" in done.err
    assert "openbench.toml chooses acme-gone, which does not provide it" in two.bench("list", "-c", "acme").out


def test_overrides_are_set_aside_by_a_variable(two):
    environment = two.bench("describe", "my-quiz", "--json", BENCH_NO_OVERRIDES="1").json()
    assert environment["distribution"] == "acme-old"


def test_an_override_that_does_not_load_is_told(two):
    two.install("acme-third", {"third.py": "1 / 0"}, benchmarks={"my_quiz": "third:NEW"})
    line = "acme-third: my_quiz: ZeroDivisionError: division by zero"
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
