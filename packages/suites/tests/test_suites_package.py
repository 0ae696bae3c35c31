"""Tests of suites with and without this package; its scores are tested in core."""

import pytest

SUITE = """
from acme import made
from openbench.metadata import BenchmarkGroup

QUIZ = made("Quiz")
SUITE = BenchmarkGroup("Suite", "A suite.", "acme", ["acme-quiz"])
"""


@pytest.mark.parametrize("plugins", ["acme-quiz", "acme-quiz,openbench-suites"])
def test_a_suite_is_listed_without_this_package_and_run_with_it(site, plugins):
    points = {"benchmarks": {"acme-quiz": "acme_suite:QUIZ"}, "groups": {"suite": "acme_suite:SUITE"}}
    site.install("acme-quiz", {"acme_suite.py": SUITE}, **points)
    assert "benchmarks    acme-quiz" in site.bench("describe", "suite", OPENBENCH_PLUGINS=plugins).out
    done = site.bench("eval", "suite", "--model", "none/x", OPENBENCH_PLUGINS=plugins)
    missing = "bench: suite: suites come with openbench-suites: pip install openbench-suites"
    assert (done.code, done.out) == (2 if plugins == "acme-quiz" else 1, "")
    assert done.err.startswith(missing) == (plugins == "acme-quiz")
