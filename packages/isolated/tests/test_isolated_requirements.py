"""What goes into an environment, and what is said when it cannot."""

import json
from importlib.metadata import PackageNotFoundError

import pytest

from openbench.errors import UsageError
from openbench_isolated.children import child_variables, installer_variables
from openbench_isolated.installer import _explanation, _reason
from openbench_isolated.requirements import installed, parse

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "name", "argument", "label"),
    [
        ("Acme.Quiz", "acme-quiz", "Acme.Quiz", "Acme.Quiz"),
        ("acme-quiz == 1.0", "acme-quiz", "acme-quiz == 1.0", "acme-quiz 1.0"),
        ("acme_quiz[extra]>=1,<2", "acme-quiz", "acme_quiz[extra]>=1,<2", "acme_quiz[extra]>=1,<2"),
        ("a @ https://x/a.whl", "a", "a @ https://x/a.whl", "a @ https://x/a.whl"),
    ],
)
def test_a_requirement_is_read(text, name, argument, label):
    read = parse(text)
    assert (read.name, read.arguments, read.label, read.path) == (name, (argument,), label, None)


@pytest.mark.parametrize("text", ["", "acme quiz", "./acme", "-e acme", "acme=1"])
def test_what_is_no_requirement_is_refused(text):
    with pytest.raises(UsageError) as error:
        parse(text)
    assert str(error.value) == f"--with {text}: expected a requirement such as openbench-simpleqa==1.0.0."


@pytest.mark.parametrize(
    ("origin", "arguments"),
    [
        (None, ["Acme==1.0"]),
        ({"url": "file://{folder}", "dir_info": {"editable": True}}, ["-e", "{folder}"]),
        ({"url": "file://{folder}", "dir_info": {}}, ["{folder}"]),
        ({"url": "file://{folder}/a%20b.whl", "archive_info": {}}, ["{folder}/a b.whl"]),
        ({"url": "file:///nowhere/a.whl", "archive_info": {}}, ["Acme==1.0"]),
        ({"url": "https://x/a.whl", "archive_info": {}}, ["Acme @ https://x/a.whl"]),
        (
            {"url": "https://x/a.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}, "subdirectory": "packages/a"},
            [f"Acme @ git+https://x/a.git@{COMMIT}#subdirectory=packages/a"],
        ),
    ],
)
def test_a_distribution_is_installed_as_it_is_here(tmp_path, monkeypatch, origin, arguments):
    def filled(text):
        return text.replace("{folder}", str(tmp_path))

    (tmp_path / "a b.whl").touch()
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: Acme\nVersion: 1.0\n", "utf-8")
    if origin:
        (info / "direct_url.json").write_text(filled(json.dumps(origin)), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = installed("acme")
    assert (found.name, found.label) == ("acme", "Acme 1.0")
    assert list(found.arguments) == list(map(filled, arguments))


def test_what_is_not_here_has_no_requirement():
    with pytest.raises(PackageNotFoundError):
        installed("acme-nowhere")


def test_a_local_path_is_another_one_when_its_content_changes(tmp_path):
    wheel, folder = tmp_path / "a.whl", tmp_path / "a"
    wheel.write_bytes(b"1")
    (folder / ".git").mkdir(parents=True)
    of_wheel, of_folder = parse(f"a @ file://{wheel}"), parse(f"a @ file://{folder}")
    before = of_wheel.fingerprint(), of_folder.fingerprint()
    (folder / ".git" / "index").touch()  # no part of a wheel
    assert (of_wheel.fingerprint(), of_folder.fingerprint()) == before
    wheel.write_bytes(b"2")
    (folder / "a.py").touch()
    assert of_wheel.fingerprint() != before[0]
    assert of_folder.fingerprint() != before[1]
    assert parse("a==1").fingerprint() == ""


@pytest.fixture
def nothing_set(monkeypatch):
    """No variable of pip or uv."""
    for name in child_variables():
        if name.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(name)
    return monkeypatch


def test_uv_is_told_of_pips_indexes(nothing_set):
    nothing_set.setenv("PIP_INDEX_URL", "https://one/simple")
    nothing_set.setenv("PIP_EXTRA_INDEX_URL", "https://two/simple https://three/simple")
    nothing_set.setenv("PIP_FIND_LINKS", "/wheels /more")
    nothing_set.setenv("UV_FIND_LINKS", "/own")
    told = installer_variables()
    assert told["UV_DEFAULT_INDEX"] == "https://one/simple"
    assert told["UV_INDEX"] == "https://two/simple https://three/simple"
    assert told["UV_FIND_LINKS"] == "/own,/wheels,/more"
    nothing_set.setenv("UV_INDEX_URL", "https://four/simple")
    told = installer_variables()
    assert ("UV_DEFAULT_INDEX" in told, "UV_INDEX" in told, told["UV_FIND_LINKS"]) == (False, False, "/own")


def test_nothing_leads_back_to_the_host(monkeypatch):
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "OPENBENCH_PLUGINS", "__PYVENV_LAUNCHER__"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("ACME_KEY", "y")
    told = child_variables()
    assert "x" not in told.values()
    assert told["ACME_KEY"] == "y"


LABELLED = """Using Python 3.11 environment at: x
error: No solution found when resolving dependencies
  cause: Because all versions of acme-left depend on acme-dep==1 and you require acme-left, we can conclude that you \
require acme-dep==1.
         And because you require acme-dep==2, we can conclude that your requirements are unsatisfiable.

hint: Something else.
"""
CROSS = "\N{MULTIPLICATION SIGN}"
TREE = f"""  {CROSS} No solution found when resolving dependencies:
  ╰─▶ Because all versions of acme-left depend on acme-dep==1 and you require
      acme-left, we can conclude that you require acme-dep==1.
      And because you require acme-dep==2, we can conclude that your
      requirements are unsatisfiable.
"""


@pytest.mark.parametrize("said", [LABELLED, TREE])
def test_uvs_account_of_a_contradiction_is_kept(said):
    assert _explanation(said) == (
        "Because all versions of acme-left depend on acme-dep==1 and you require acme-left, we can conclude that you "
        "require acme-dep==1. And because you require acme-dep==2, we can conclude that your requirements are "
        "unsatisfiable."
    )


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "Resolved 1\nerror: Request failed\n  cause: Failed to fetch: x\n  cause: refused\n",
            "Request failed: Failed to fetch: x: refused",
        ),
        (
            f"  {CROSS} Failed to build `bad`\n  ├─▶ The build backend returned an error\n  ╰─▶ Call failed\n",
            "Failed to build `bad`: The build backend returned an error: Call failed",
        ),
        ("Something else.\n", "Something else"),
        ("", ""),
    ],
)
def test_uvs_reason_is_one_line(said, reason):
    assert _reason(said) == reason
