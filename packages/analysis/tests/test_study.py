"""Several systems on several benchmarks: families of tests, suites, ties, and what a study shows."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from openbench.errors import UnknownNameError
from openbench_analysis.comparison import Method
from openbench_analysis.rendering.study import as_data, as_lines, as_markdown, as_page
from openbench_analysis.study import Matrix, study
from openbench_analysis.systems import read_systems

LOWER = {"higher_is_better": False}


@pytest.fixture
def systems(make_log, tmp_path):
    """A function that makes systems: an accuracy for each benchmark by the system's label."""

    def make(of, count=60, **fields):
        for label, benchmarks in of.items():
            for name, accuracy in benchmarks.items():
                (tmp_path / label).mkdir(exist_ok=True)
                scores = {str(number): [float(number < accuracy * count)] for number in range(count)}
                own = fields.get(name, {})
                about = {"openbench": {"benchmark": name, "version": "1.0.0", **own}}
                make_log(
                    f"{label}/2026-01-01T00-00-00-00-00_{name}_abc.json",
                    scores,
                    model=label,
                    benchmark=name,
                    metadata=about,
                )
        return read_systems([str(tmp_path / label) for label in of]).systems

    return make


@pytest.mark.parametrize(("adjustment", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_p_values_are_adjusted_over_all_systems_and_benchmarks(systems, adjustment, theirs):
    of = {"a": (0.5, 0.6), "b": (0.6, 0.62), "c": (0.7, 0.65), "d": (0.52, 0.7)}
    found = study(systems({label: {"x": x, "y": y} for label, (x, y) in of.items()}), adjustment=adjustment)
    raw = [each.test.p_value for each in found.comparisons]
    assert len(raw) == 6
    assert [each.p_value for each in found.comparisons] == pytest.approx(multipletests(raw, method=theirs)[1])
    plain = study(found.systems, adjustment="none")
    assert [each.p_value for each in plain.comparisons] == raw


def test_a_suite_is_the_mean_of_its_benchmarks_not_of_pooled_samples(systems):
    made = systems({"a": {"x": 0.5, "y": 0.6}, "b": {"x": 0.7, "y": 0.6}})
    found = study(made)
    (difference,) = found.differences
    errors = [each.estimate.standard_error for each in found.comparisons]
    assert difference.estimate.value == pytest.approx(0.1)
    assert difference.estimate.standard_error == pytest.approx(math.hypot(*errors) / 2)
    assert [each.interval.estimate for each in found.scores] == pytest.approx([0.55, 0.65])


def test_a_suite_without_one_of_its_benchmarks_is_incomplete(systems):
    made = systems({"a": {"x": 0.5, "y": 0.6}, "b": {"x": 0.7, "y": 0.6}})
    found = study(made, suites={"both": ["x", "y"], "three": ["x", "y", "z"]})
    both, three = found.differences
    assert both.interval is not None
    assert (three.interval, three.missing) == (None, ("z",))
    assert "three of b is incomplete: z is missing." in as_lines(found)


def test_a_suite_of_both_directions_has_no_mean(systems):
    made = systems({"a": {"x": 0.5, "y": 0.6}, "b": {"x": 0.7, "y": 0.6}}, y=LOWER)
    found = study(made)
    assert found.differences == []
    assert found.problems == ["all benchmarks: no mean, since higher is better for some of its benchmarks only."]


def test_a_suite_of_errors_is_better_when_it_falls(systems):
    made = systems({"a": {"x": 0.9, "y": 0.9}, "b": {"x": 0.2, "y": 0.2}}, x=LOWER, y=LOWER)
    found = study(made, pairwise=True)
    assert [each.verdict(0.95) for each in found.differences] == ["better"]
    assert [each.verdict for each in found.comparisons] == ["better", "better"]
    assert all(list(matrix.scores) == ["b", "a"] for matrix in found.matrices)
    assert all(matrix.ties == [("b",), ("a",)] for matrix in found.matrices)


def test_a_suites_direction_is_that_of_its_own_benchmarks(systems):
    made = systems({"a": {"x": 0.9, "y": 0.9, "z": 0.2}, "b": {"x": 0.2, "y": 0.2, "z": 0.9}}, z=LOWER)
    found = study(made, suites={"two": ["x", "y"]})
    assert [each.verdict(0.95) for each in found.differences] == ["worse"]
    line = next(line for line in as_lines(found) if line.startswith("mean, two"))
    assert line.endswith("worse")


def test_another_baseline_comes_first(systems):
    made = systems({"a": {"x": 0.5}, "b": {"x": 0.9}})
    found = study(made, baseline="b")
    assert found.baseline.label == "b"
    assert [(each.candidate, each.verdict) for each in found.comparisons] == [("a", "worse")]
    with pytest.raises(UnknownNameError, match=r"^--baseline 'c': no system has this label\. Systems: a, b\.$"):
        study(made, baseline="c")


def test_a_benchmark_of_one_system_is_named(systems):
    found = study(systems({"a": {"x": 0.5, "y": 0.5}, "b": {"x": 0.5}}))
    assert "y: a has a run, but b does not." in found.problems
    assert [each.benchmark for each in found.comparisons] == ["x"]


def test_all_pairs_are_compared_and_ties_grouped(systems):
    made = systems({"a": {"x": 0.5}, "b": {"x": 0.52}, "c": {"x": 0.95}})
    (matrix,) = study(made, pairwise=True).matrices
    assert list(matrix.scores) == ["c", "b", "a"]
    assert matrix.ties == [("c",), ("b", "a")]
    assert matrix.differs(("a", "c"))
    assert not matrix.differs(("a", "b"))


def test_more_groups_than_letters(systems):
    found = study(systems({"a": {"x": 0.5}, "b": {"x": 0.6}}))
    scores = {f"m{number:02}": 1 - number / 40 for number in range(30)}
    matrix = Matrix("x", scores, {}, {}, [(label,) for label in scores], 0.95)
    rows = [line.split() for line in as_lines(replace(found, matrices=[matrix]))]
    letters = {row[0]: row[2] for row in rows if row and row[0] in scores and row[1].startswith(("0.", "1."))}
    assert [letters[f"m{number:02}"] for number in (0, 25, 26, 27)] == ["a", "z", "aa", "ab"]


def test_json_holds_what_was_compared_and_no_nan(systems):
    found = study(systems({"a": {"x": 0.5, "y": 1}, "b": {"x": 0.7, "y": 1}}), pairwise=True, method=Method(margin=0.1))
    data = as_data(found, flips=2)
    assert list(data) == ["baseline", "method", "systems", "comparisons", "suites", "pairwise", "problems"]
    first = data["comparisons"][0]
    assert {"verdict", "difference", "p_value", "test", "detectable", "flips", "caveats", "scores"} <= first.keys()
    assert len(first["flips"]) == 2
    json.dumps(data, allow_nan=False, default=str)


def test_the_order_of_samples_changes_nothing(make_log, tmp_path):
    rng = np.random.default_rng(0)
    values = {name: rng.random(50).tolist() for name in "ab"}
    texts = []
    for order in (range(50), range(49, -1, -1)):
        for name in "ab":
            scores = {str(number): [values[name][number]] for number in order}
            make_log(f"2026-01-01T00-00-00-00-00_{name}_abc.json", scores, model=name, metric="mean")
        texts.append(as_lines(study(read_systems([str(tmp_path)]).systems), flips=5))
    assert texts[0] == texts[1]


HOSTILE = "<script>alert(1)</script> | a\x1b[31m \u202e`x`"


def test_hostile_names_and_answers_take_no_effect(make_log):
    fields = {name: {"0": HOSTILE} for name in ("answer", "input")}
    paths = [
        make_log(f"{number}.json", {"0": [number], "1": [1.0]}, model=model, **fields)
        for number, model in enumerate((HOSTILE.replace("/", ""), "b"))
    ]
    found = study(read_systems([str(path) for path in paths]).systems, pairwise=True)
    text, page = "\n".join(as_lines(found, 5)), as_page(found, 5)
    assert "\x1b" not in text
    assert "\u202e" not in text + page
    assert "<script" not in page
    assert "<script" not in as_markdown(found, 5)


def test_text_fits_a_terminal_of_80_columns(systems, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    made = systems({f"provider/a-model-with-a-long-name-{n}".replace("/", "-"): {"x": 0.5, "y": 0.4} for n in range(3)})
    lines = as_lines(study(made, pairwise=True), flips=3)
    assert max(map(len, lines)) <= 80
