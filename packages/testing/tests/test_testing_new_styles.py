"""Styles: those that are installed, and those that another package brings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(sys.executable).parent / "bench"

OURS = "openbench-testing"

MODULE = """
from pathlib import Path

from openbench_testing.new import COMMON, Style

HERE = Path(__file__).parent
PLAIN = Style("A function.", (COMMON, HERE / "templates"))
BROKEN = Style("A template that cannot be filled.", (HERE / "broken",))
"""


def new(*arguments, cwd, code=0, **variables):
    done = subprocess.run(
        [BENCH, "new", *arguments],
        cwd=cwd,
        env={**os.environ, "LOGNAME": "acme", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def register(site, distribution, **styles):
    info = site / f"{distribution.replace('-', '_')}-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0.0\n")
    lines = [f"{name} = acme_styles:{value}" for name, value in styles.items()]
    (info / "entry_points.txt").write_text("\n".join(["[openbench.styles]", *lines, ""]))


@pytest.fixture
def site(tmp_path):
    """Install packages that bring styles by hand: a module, templates, and the files that tell of distributions."""
    site = tmp_path / "site"
    package = site / "templates" / "src" / "PACKAGE"
    package.mkdir(parents=True)
    (package / "task.py.tmpl").write_text("def $function():\n    return '$$'\n")
    (package / "NAME.txt").write_text("$name stays")
    (site / "broken").mkdir()
    (site / "broken" / "x.tmpl").write_text("$nothing")
    (site / "acme_styles.py").write_text(MODULE)
    register(site, "acme-styles", plain="PLAIN", broken="BROKEN", wrong="HERE", gone="GONE", two="PLAIN")
    register(site, "acme-more", two="PLAIN")
    return site


@pytest.mark.parametrize("style", ["none", ""])
def test_a_style_that_no_one_brings(tmp_path, style):
    done = new("quiz", "--style", style, cwd=tmp_path, code=2, OPENBENCH_PLUGINS=OURS)
    assert done.stderr == (
        f"bench: --style {style}: no installed package provides this style. Installed styles: graded, mcq. "
        "Install the package that provides it.\n"
    )


def test_help_names_the_styles(tmp_path):
    assert "graded, mcq; mcq by default." in " ".join(
        new("--help", cwd=tmp_path, OPENBENCH_PLUGINS=OURS).stdout.split()
    )


def test_another_package_brings_one(site, tmp_path):
    done = new("Quiz-2", "--style", "plain", cwd=tmp_path, PYTHONPATH=str(site))
    assert done.stdout.startswith("Wrote 9 files of acme-quiz-2 to acme-quiz-2.")
    project = tmp_path / "acme-quiz-2"
    package = project / "src" / "acme_quiz_2"
    assert (package / "task.py").read_text() == "def quiz_2():\n    return '$'\n"
    assert (package / "Quiz_2.txt").read_text() == "$name stays"
    assert 'Quiz-2 = "acme_quiz_2.metadata:BENCHMARK"' in (project / "pyproject.toml").read_text()


def test_none_is_loaded_unless_it_is_used(site, tmp_path):
    (site / "acme_styles.py").write_text("raise SystemExit('loaded')")
    new("quiz", cwd=tmp_path, PYTHONPATH=str(site))
    plugins = f"{OURS},acme-styles,acme-more"
    done = new("--help", cwd=tmp_path, PYTHONPATH=str(site), OPENBENCH_PLUGINS=plugins)
    assert "broken, gone, graded, mcq, plain, two, wrong; mcq by default." in " ".join(
        done.stdout.replace("│", " ").split()
    )
    done = new("other", "--style", "plain", cwd=tmp_path, code=2, PYTHONPATH=str(site))
    assert done.stderr.startswith("bench: --style plain: acme-styles: plain: SystemExit: loaded. ")


@pytest.mark.parametrize(
    ("style", "problem"),
    [
        ("two", "several distributions provide it: acme-more 1.0.0 and acme-styles 1.0.0. Uninstall one, "),
        ("wrong", "acme-styles: wrong: refers to a PosixPath, expected a Style. "),
        ("gone", "acme-styles: gone: AttributeError: module 'acme_styles' has no attribute 'GONE'. "),
    ],
)
def test_one_that_cannot_be_used(site, tmp_path, style, problem):
    done = new("quiz", "--style", style, cwd=tmp_path, code=2, PYTHONPATH=str(site))
    assert done.stderr.startswith(f"bench: --style {style}: {problem}")
    assert not (tmp_path / "acme-quiz").exists()


def test_a_template_that_cannot_be_filled(site, tmp_path):
    done = new("quiz", "--style", "broken", cwd=tmp_path, code=1, PYTHONPATH=str(site))
    assert done.stderr.startswith("bench: the template x.tmpl: unknown value 'nothing'; values: name, folder, ")
    assert done.stderr.endswith(". Report this to the authors of the style.\n")
    assert not (tmp_path / "acme-quiz").exists()
