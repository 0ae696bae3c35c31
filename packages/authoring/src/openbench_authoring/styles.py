"""This package's styles for `bench new`; openbench-testing, which loads them, is installed then."""

from pathlib import Path

from openbench_testing.new import COMMON, METADATA, Style

_TEMPLATES = Path(__file__).parent / "templates"
_REQUIRES = ("openbench-authoring",)

CLASS = Style(
    "A class with a hook for each part of the prompt, scored by metrics.",
    (COMMON, _TEMPLATES / "rows", _TEMPLATES / "class"),
    requires=_REQUIRES,
    files=(
        ("metadata.py", METADATA),
        ("task.py", "the benchmark: a row's prompt, examples and answer"),
    ),
)

TOML = Style(
    "Questions with options, declared in TOML.",
    (COMMON, _TEMPLATES / "rows", _TEMPLATES / "toml"),
    requires=_REQUIRES,
    files=(
        ("benchmark.toml", "the benchmark: the location and pin of its rows, and how they are asked and scored"),
        ("metadata.py", "reads it for `bench list` and `bench describe`"),
        ("task.py", "the task function, and its arguments"),
    ),
    pinned_in="benchmark.toml",
)
