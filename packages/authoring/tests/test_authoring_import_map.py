"""The imports that change: as data, and as the README's table."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import openbench_authoring
from openbench_authoring.import_map import IMPORTS

README = Path(__file__).parent.parent / "README.md"
ROW = re.compile(r"^\| `((?:eval_framework|template_formatting)\.[\w.]+)` \| (.+) \| `([\w.]+)` \|$", re.MULTILINE)


def test_the_readme_s_table_is_the_map():
    rows = ROW.findall(README.read_text("utf-8"))
    told = {
        f"{there}:{name}": f"{here}:{name}" for there, names, here in rows for name in re.findall(r"`(\w+)`", names)
    }
    assert told == IMPORTS


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
