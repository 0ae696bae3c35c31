"""Tasks by their names: the guide's call, with the path of a class in one's own package."""

import sys

import pytest

from openbench.errors import UsageError
from openbench_authoring import get_task, is_registered, register_lazy_task, register_task, registered_task_names
from openbench_authoring.task_registry import Registry

TASK = """
from openbench_authoring import BaseTask


class GeographyQA(BaseTask[str]):
    NAME = "GeographyQA"


Other = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "acme_geography.py").write_text(TASK, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "acme_geography"
    sys.modules.pop("acme_geography", None)


def test_the_guides_call_imports_nothing_until_the_task_is_used(module):
    register_lazy_task(f"{module}.GeographyQA")
    register_lazy_task(f"{module}.GeographyQA")  # as when its module is imported again
    assert module not in sys.modules
    assert is_registered("geography_qa")
    assert "GeographyQA" in registered_task_names()
    assert module not in sys.modules
    assert get_task("GeographyQA").NAME == "GeographyQA"
    assert get_task("geography-qa") is get_task("GEOGRAPHYQA")
    assert register_task(get_task("GeographyQA")) == "GeographyQA"


def test_registries_are_apart(module):
    own = Registry()
    register_lazy_task(f"{module}.GeographyQA", registry=own)
    assert list(own) == ["GeographyQA"]
    assert "Geography QA" in own
    assert list(Registry()) == []


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda own: own["Geography"], r"The task 'Geography' is not registered\. Did you mean GeographyQA\?"),
        (lambda own: own["nothing"], r"The task 'nothing' is not registered\.$"),
        (lambda own: own["Other"], "3 is not a task: expected a subclass of BaseTask."),
        (lambda own: own["Missing"], "The task 'Missing' cannot be imported from acme_geography.Missing: "),
        (lambda own: own["Nowhere"], "The task 'Nowhere' cannot be imported from acme_none.Nowhere: No module named"),
        (lambda own: own.register_lazy("GeographyQA"), "'GeographyQA' is not the path of a class"),
        (
            lambda own: own.register_lazy("a.Geography_QA"),
            "the name Geography_QA is that of acme_geography.Geo",
        ),
        (lambda own: own.register(int), "<class 'int'> is not a task"),
    ],
)
def test_what_cannot_be(module, do, message):
    own = Registry()
    for path in (f"{module}.GeographyQA", f"{module}.Other", f"{module}.Missing", "acme_none.Nowhere"):
        own.register_lazy(path)
    with pytest.raises(UsageError, match=message):
        do(own)
