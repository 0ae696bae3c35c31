"""The imports that change: as data, and as the README's table."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import openbench_authoring
from openbench.cli.main import run
from openbench_authoring.import_map import IMPORTS, imports_instead

README = Path(__file__).parent.parent / "README.md"
ROW = re.compile(r"^\| `((?:eval_framework|template_formatting)\.[\w.]+)` \| (.+) \| `([\w.]+)` \|$", re.MULTILINE)


def test_the_readme_s_table_is_the_map():
    rows = ROW.findall(README.read_text("utf-8"))
    names = {
        f"{there}:{name}": f"{here}:{name}" for there, names, here in rows for name in re.findall(r"`(\w+)`", names)
    }
    assert names == IMPORTS


@pytest.mark.parametrize("target", sorted(set(IMPORTS.values())))
def test_every_target_can_be_imported(target):
    module, _, name = target.partition(":")
    assert getattr(importlib.import_module(module), name) is not None


def test_a_name_that_is_not_there_is_an_error_of_python_s():
    with pytest.raises(ImportError, match="cannot import name 'BaseTasks' from 'openbench_authoring'"):
        from openbench_authoring import BaseTasks  # noqa: F401


def test_a_star_imports_every_name_that_there_is():
    given: dict[str, object] = {}
    exec("from openbench_authoring import *", given)  # noqa: S102 - only a module's body may say it
    assert set(openbench_authoring.__all__) == set(openbench_authoring._PLACES) <= given.keys()
    assert given["NO_SUBJECT"] == "no_subject"


def test_importing_the_package_costs_nothing():
    code = "import openbench_authoring, sys; print('inspect_ai' in sys.modules, 'BaseTask' in dir(openbench_authoring))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "True"]


def test_a_file_that_imports_eval_framework_is_told_what_to_import(tmp_path, capsys):
    file = tmp_path / "geography.py"
    file.write_text(
        "from eval_framework.tasks.base import BaseTask, Language\n"
        "from eval_framework.metrics.completion.f1 import F1\n"
        "from template_formatting.formatter import Role\n"
        "from eval_framework.run import main\n",
        "utf-8",
    )
    assert run(["eval", str(file), "--baseline", "reference"]) == 2
    assert (
        capsys.readouterr()
        .err.strip()
        .endswith(
            "geography.py cannot be imported: ModuleNotFoundError: No module named 'eval_framework'. "
            "In place of eval-framework, import:\n"
            "from openbench_authoring import BaseTask, Language, Role\n"
            "from openbench_authoring.metrics import F1\n"
            "There is no equivalent of eval_framework.run.main."
        )
    )
    file.write_text("import eval_framework.tasks", "utf-8")
    assert imports_instead(file) == (
        "The README of openbench-authoring lists its modules' equivalents."
        "\nThere is no equivalent of eval_framework.tasks."
    )
