"""What a benchmark says of itself: the published contract, and what importing it costs."""

import json
from dataclasses import fields

import pytest

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource

PUBLISHED = ["name", "description", "category", "tags", "module_path", "function_name", "is_alpha", "subtask"]
OURS = {
    "overrides": None,
    "builtin": False,
    "dataset": None,
    "homepage": None,
    "paper": None,
    "samples": None,
    "primary_metric": "accuracy",
    "higher_is_better": True,
    "languages": (),
    "needs": (),
    "notes": (),
}
REVISION = "0123456789abcdef0123456789abcdef01234567"
LIGHT = ["openbench", "openbench.config", "openbench.metadata", "openbench.utils"]
LOADED = "import importlib, sys, json; importlib.import_module(sys.argv[1]); print(json.dumps([*sys.modules]))"


def test_the_published_fields_are_positional_and_in_their_order():
    values = ("N", "D", "C", ["t"], "m.task", "f", True, True)
    meta = BenchmarkMetadata(*values)
    assert [getattr(meta, name) for name in PUBLISHED] == [*values]
    assert [field.name for field in fields(BenchmarkMetadata) if not field.kw_only] == PUBLISHED


def test_the_flags_may_be_left_out_and_every_published_field_may_be_named():
    meta = BenchmarkMetadata(
        name="N", description="D", category="C", tags=["t"], module_path="m.task", function_name="f"
    )
    assert (meta.is_alpha, meta.subtask) == (False, False)
    assert meta == BenchmarkMetadata("N", "D", "C", ["t"], "m.task", "f")


def test_our_fields_are_optional_and_keyword_only():
    meta = BenchmarkMetadata("N", "D", "C", ["t"], "m", "f")
    assert {name: getattr(meta, name) for name in OURS} == OURS
    assert [field.name for field in fields(meta) if field.kw_only] == [*OURS]
    with pytest.raises(TypeError):
        BenchmarkMetadata("N", "D", "C", ["t"], "m", "f", False, False, "acme")


def test_a_group_has_members():
    group = BenchmarkGroup("Suite", "Everything.", "acme", ["a", "b"])
    assert list(group.benchmarks) == ["a", "b"]


@pytest.mark.parametrize("module", LIGHT)
def test_importing_the_published_paths_costs_nothing(site, module):
    done = site.python("-c", LOADED, module)
    roots = {name.partition(".")[0] for name in done.json()}
    assert not roots & {"inspect_ai", "datasets", "pandas", "numpy", "pydantic", "click", "rich", "yaml", "fsspec"}
    assert {name for name in roots if name.startswith("openbench")} == {"openbench"}


def test_the_published_paths_name_one_class(site):
    code = "import openbench.utils as u, openbench.config as c, openbench.metadata as m; print(json.dumps(%s))"
    same = "u.BenchmarkMetadata is c.BenchmarkMetadata is m.BenchmarkMetadata"
    assert site.python("-c", f"import json; {code % same}").out == json.dumps(True) + "\n"


@pytest.mark.parametrize(
    ("pin", "pinned"),
    [
        ({}, False),
        ({"revision": REVISION}, True),
        ({"revision": "main"}, False),
        ({"revision": REVISION[:7]}, False),
        ({"type": "csv", "sha256": "0" * 64}, True),
        ({"type": "file", "md5": "0" * 32}, True),
        ({"type": "json"}, False),
    ],
)
def test_a_source_is_pinned_by_a_commit_or_a_digest(pin, pinned):
    assert DatasetSource(source="org/quiz", **pin).pinned is pinned


def test_a_hub_source_gives_the_arguments_of_a_task():
    source = DatasetSource(source="org/quiz", config="easy", split="test", revision=REVISION, licence="MIT")
    common = {"dataset_type": "hf", "dataset_path": "org/quiz", "dataset_kwargs": {"revision": REVISION}}
    assert source.arguments() == {**common, "subset_name": "easy", "split": "test"}
    assert source.arguments(split="dev", config="hard") == {**common, "subset_name": "hard", "split": "dev"}


def test_a_file_source_gives_its_digest_and_nothing_for_a_pin_that_is_missing():
    source = DatasetSource(source="https://example.org/quiz.csv", type="csv", sha256="0" * 64)
    assert source.arguments()["dataset_kwargs"] == {"sha256": "0" * 64}
    assert DatasetSource(source="quiz.json", type="json").arguments()["dataset_kwargs"] == {}
