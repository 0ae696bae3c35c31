"""`bench use`: who provides a name, written into a project's settings, and what `bench doctor` says of them."""

import tomllib

import pytest

from openbench_testing.commands.fixtures import TWO

TABLE = "[tool.openbench.providers]\n"


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
    assert done.out == f"my-quiz: acme-old 1.old (written to {two.folder}/pyproject.toml)\n"
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
        ("[tool]\nopenbench = {prices = {}}\n", None),
        ("tool = 1\n", "refused"),
        ("[tool.openbench]\nprices = {}\n[project]\n[tool.openbench.providers]\nother = 'x'\n[z]\nq = 1\n", None),
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


def test_settings_that_name_someone_else_are_a_problem(two):
    two.write({"openbench.toml": f'{TABLE}my-quiz = "acme-gone"\nother = "acme-lost"\n'})
    done = two.bench("doctor")
    text = " ".join(done.out.split())
    assert done.code == 1
    assert "chooses acme-gone, which does not provide it" in text
    assert "pip install acme-lost" in text


def test_a_conflict_names_the_command_that_settles_it(two):
    two.install("acme-third", {"third.py": TWO}, benchmarks={"my_quiz": "third:NEW"})
    done = two.bench("doctor")
    assert (done.code, "Choose one: bench use my-quiz acme-new." in done.out) == (1, True)
    assert two.bench("use", "my-quiz", "acme-new").code == 0
    assert "my-quiz" not in two.bench("doctor").out
