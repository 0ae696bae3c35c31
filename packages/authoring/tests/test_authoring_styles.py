"""What `bench new --style class` and `--style toml` write, as a user of the package would use it."""

import json
import re
import sys

import pytest

from openbench.cli.main import run
from openbench_testing.new.folder import write_folder
from openbench_testing.new.render import Project, render
from openbench_testing.new.styles import load_style, style_names

TEXT = 'It\'s "ours": \\ {braces} ${x}'


def test_the_styles_are_there():
    assert {"class", "toml"} <= set(style_names())


@pytest.fixture(params=["class", "toml"])
def made(request, tmp_path, monkeypatch):
    """A package that is written and, by hand, installed; its key."""
    style = request.param
    key = f"New-{style}"
    project = Project(key, f"acme-new-{style}", TEXT, 'the "law"', "https://example.org/new", overrides="acme-old")
    write_folder(tmp_path / "made", render(load_style(style), project))
    site = tmp_path / "made" / "src"
    info = site / f"acme_new_{style}-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: acme-new-{style}\nVersion: 1.0.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        f"[openbench.benchmarks]\n{key} = acme_new_{style}.metadata:BENCHMARK\n", "utf-8"
    )
    for module in [name for name in sys.modules if name.startswith("acme_new_")]:
        monkeypatch.delitem(sys.modules, module)  # that of another test's folder
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(tmp_path)
    return key


def test_it_describes_itself(made, capsys):
    assert run(["describe", made, "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert (described["description"], described["category"], described["samples"]) == (TEXT, 'the "law"', 8)
    assert (described["dataset"]["pinned"], described["sample_rows"]) == (True, True)


@pytest.mark.parametrize("rows", [["--sample"], []], ids=["sample rows", "pinned rows"])
def test_the_reference_is_right_throughout(made, rows, capsys):
    assert run(["eval", made, *rows, "--baseline", "reference", "--json", "--display", "none"]) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert (result["score"], result["samples"]) == (1.0, 8)


def test_changed_rows_are_refused(made, tmp_path, capsys):
    [rows] = tmp_path.glob("made/src/*/data/test.jsonl")
    rows.write_bytes(rows.read_bytes() + b"\n")
    assert run(["eval", made, "--baseline", "reference", "--display", "none"]) == 1
    assert "test.jsonl is not the pinned file: its sha256 is " in re.sub(r"\s+", " ", capsys.readouterr().err)
